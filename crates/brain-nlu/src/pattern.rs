//! A phrase with `{slots}`, taken apart: words that must be there, slots, and punctuation that may be.

use crate::normalise::folded;

/// What a phrase is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A word, in its compared form.
    Word(String),
    /// A slot, by name.
    Slot(String),
    /// Punctuation: helps when it is there, never missed when it is not.
    Mark(char),
}

/// What is wrong with a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Where, in bytes of the phrase.
    pub at: usize,
    /// What.
    pub message: String,
}

/// Takes a phrase apart.
pub(crate) fn parse(phrase: &str) -> Result<Vec<Piece>, PatternError> {
    let mut pieces = Vec::new();
    let mut word = String::new();
    let flush = |word: &mut String, pieces: &mut Vec<Piece>| {
        if !word.is_empty() {
            pieces.push(Piece::Word(folded(word)));
            word.clear();
        }
    };
    let mut rest = phrase.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '{' => {
                flush(&mut word, &mut pieces);
                let mut name = String::new();
                let mut closed = false;
                for (_, inner) in rest.by_ref() {
                    if inner == '}' {
                        closed = true;
                        break;
                    }
                    name.push(inner);
                }
                let fits = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if !closed || !fits {
                    let message = "a slot is written `{name}` with letters, digits and `_`".to_owned();
                    return Err(PatternError { at, message });
                }
                if pieces.contains(&Piece::Slot(name.clone())) {
                    return Err(PatternError { at, message: format!("the slot `{{{name}}}` stands here twice") });
                }
                pieces.push(Piece::Slot(name));
            }
            '}' => return Err(PatternError { at, message: "this `}` closes nothing".to_owned() }),
            c if c.is_whitespace() => flush(&mut word, &mut pieces),
            c if c.is_alphanumeric() || c == '\'' => word.push(c),
            c => {
                flush(&mut word, &mut pieces);
                pieces.push(Piece::Mark(folded(&c.to_string()).chars().next().unwrap_or(c)));
            }
        }
    }
    flush(&mut word, &mut pieces);
    if !pieces.iter().any(|piece| matches!(piece, Piece::Word(_))) {
        return Err(PatternError { at: 0, message: "a phrase needs at least one word besides its slots".to_owned() });
    }
    Ok(pieces)
}

/// The names of the slots of a phrase, in order.
pub fn phrase_slots(phrase: &str) -> Result<Vec<String>, PatternError> {
    let pieces = parse(phrase)?;
    Ok(pieces
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Slot(name) => Some(name),
            _ => None,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_slots_and_marks_are_told_apart() {
        let pieces = parse("Add to {id}: {n}x {what} ${price}").unwrap();
        let shown: Vec<String> = pieces.iter().map(|piece| format!("{piece:?}")).collect();
        let expected = [
            r#"Word("add")"#, r#"Word("to")"#, r#"Slot("id")"#, "Mark(':')", r#"Slot("n")"#, r#"Word("x")"#,
            r#"Slot("what")"#, "Mark('$')", r#"Slot("price")"#,
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn broken_phrases_say_where() {
        assert_eq!(parse("add {x").unwrap_err().at, 4);
        assert_eq!(parse("add x}").unwrap_err().at, 5);
        assert_eq!(parse("add {a} to {a}").unwrap_err().at, 11);
        assert!(parse("{a} {b}").unwrap_err().message.contains("at least one word"));
        assert!(parse("").is_err());
    }
}
