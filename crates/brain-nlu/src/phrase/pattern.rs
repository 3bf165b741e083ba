//! The syntax of phrases: required words, `{slots}`, optional punctuation.

use brain_slot::folded;

/// One piece of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A required word, folded.
    Word(String),
    /// A slot, by name.
    Slot(String),
    /// Optional punctuation.
    Mark(char),
}

/// A syntax error in a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Its byte offset.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

/// A piece as written, borrowed from the phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raw<'a> {
    /// A word, not folded.
    Word(&'a str),
    /// A slot, by name.
    Slot(&'a str),
    /// Punctuation.
    Mark(char),
}

/// Parses a phrase.
pub(crate) fn parse(phrase: &str) -> Result<Vec<Piece>, PatternError> {
    let mut pieces = Vec::new();
    walk(phrase, |piece| {
        pieces.push(match piece {
            Raw::Word(word) => Piece::Word(folded(word)),
            Raw::Slot(name) => Piece::Slot(name.to_owned()),
            Raw::Mark(mark) => Piece::Mark(folded(mark.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(mark)),
        });
    })?;
    Ok(pieces)
}

/// Calls `each` with every piece, in order.
pub(crate) fn walk<'a>(phrase: &'a str, mut each: impl FnMut(Raw<'a>)) -> Result<(), PatternError> {
    let is_word = |c: char| c.is_alphanumeric() || c == '\'';
    let mut words = 0;
    let mut at = 0;
    while let Some(c) = phrase[at..].chars().next() {
        let from = at;
        at += c.len_utf8();
        match c {
            '{' => {
                let fits = |name: &&str| {
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                };
                let Some(name) = phrase[at..].split_once('}').map(|(name, _)| name).filter(fits) else {
                    let message = "a slot is written `{name}` with letters, digits and `_`".to_owned();
                    return Err(PatternError { at: from, message });
                };
                at += name.len() + 1;
                let before = &phrase[..from];
                let is_slot =
                    |found: usize| before[..found].ends_with('{') && before[found..][name.len()..].starts_with('}');
                if before.match_indices(name).any(|(found, _)| is_slot(found)) {
                    let message = format!("the slot `{{{name}}}` appears here twice");
                    return Err(PatternError { at: from, message });
                }
                each(Raw::Slot(name));
            }
            '}' => return Err(PatternError { at: from, message: "this `}` closes nothing".to_owned() }),
            c if c.is_whitespace() => {}
            c if is_word(c) => {
                at = phrase[from..].find(|c: char| !is_word(c)).map_or(phrase.len(), |length| from + length);
                each(Raw::Word(&phrase[from..at]));
                words += 1;
            }
            c => each(Raw::Mark(c)),
        }
    }
    if words == 0 {
        return Err(PatternError { at: 0, message: "a phrase needs at least one word besides its slots".to_owned() });
    }
    Ok(())
}

/// The slot names of a phrase, in order.
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
    fn a_phrase_is_parsed_into_words_slots_and_marks() {
        let pieces = parse("Add to {id}: {n}x {what} ${price}").unwrap();
        let shown: Vec<String> = pieces.iter().map(|piece| format!("{piece:?}")).collect();
        let expected = [
            r#"Word("add")"#, r#"Word("to")"#, r#"Slot("id")"#, "Mark(':')", r#"Slot("n")"#, r#"Word("x")"#,
            r#"Slot("what")"#, "Mark('$')", r#"Slot("price")"#,
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn syntax_errors_have_an_offset() {
        assert_eq!(parse("add {x").unwrap_err().at, 4);
        assert_eq!(parse("add x}").unwrap_err().at, 5);
        assert_eq!(parse("add {a} to {a}").unwrap_err().at, 11);
        assert!(parse("{a} {b}").unwrap_err().message.contains("at least one word"));
        assert!(parse("").is_err());
    }
}
