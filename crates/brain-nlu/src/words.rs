//! The words of a text as search sees them: folded, one spelling, values masked.

use crate::normalise::folded;
use crate::spelling::one_spelling;

/// Stands for a number.
pub(crate) const NUMBER: &str = "#";
/// Stands for an identifier.
pub(crate) const ID: &str = "#id";
/// Stands for an address, of mail or of the web.
pub(crate) const ADDRESS: &str = "#at";

/// The words of a text. Values that say nothing about what is asked for are masked.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    for part in folded(text).split_whitespace() {
        push_part(part, &mut list);
    }
    list
}

fn push_part(part: &str, list: &mut Vec<String>) {
    let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
    if is_uuid(bare) {
        list.push(ID.to_owned());
    } else if bare.contains("://") || bare.starts_with("www.") || (bare.contains('@') && bare.contains('.')) {
        list.push(ADDRESS.to_owned());
    } else {
        for run in part.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '.' && c != ',') {
            push_run(run, list);
        }
    }
}

fn push_run(run: &str, list: &mut Vec<String>) {
    let bare = run.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        return;
    }
    if bare.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = bare.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(bare.len());
        list.push(NUMBER.to_owned());
        let rest = &bare[digits..];
        if !rest.is_empty() && !matches!(rest, "st" | "nd" | "rd" | "th") {
            list.push(rest.replace('\'', ""));
        }
        return;
    }
    for word in bare.split(['.', ',']) {
        let word: String = word.chars().filter(|c| *c != '\'').collect();
        if !word.is_empty() {
            list.push(one_spelling(word));
        }
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Words that carry little of what is asked for, in the order of the alphabet.
const SMALL: [&str; 78] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "get", "had", "has", "have", "hey", "hi", "how", "i", "id", "if",
    "ill", "im", "in", "is", "it", "its", "just", "kindly", "let", "like", "may", "me", "my", "need", "now", "of",
    "on", "or", "our", "please", "pls", "so", "some", "thanks", "that", "the", "their", "them", "then", "there",
    "this", "thx", "to", "up", "us", "want", "was", "we", "what", "when", "which", "will", "with", "would", "you",
    "your",
];

/// Whether a word carries little.
pub(crate) fn is_small(word: &str) -> bool {
    SMALL.binary_search(&word).is_ok()
}

/// Whether two words are forms of one: plural, past, going on.
pub(crate) fn inflected(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // All but the last letter of the shorter one is always there.
    let Some((at, last)) = short.char_indices().next_back().filter(|(at, _)| *at >= 2) else { return false };
    if long.len() - short.len() > 4 || !long.starts_with(&short[..at]) {
        return false;
    }
    if let Some(ending) = long.strip_prefix(short) {
        // task → tasks, close → closed, submit → submitted.
        return matches!(ending, "s" | "es" | "ed" | "d" | "ing")
            || ending.strip_prefix(last).is_some_and(|ending| matches!(ending, "ed" | "ing"));
    }
    // note → noting, inquiry → inquiries.
    let ending = &long[at..];
    (last == 'e' && ending == "ing") || (last == 'y' && matches!(ending, "ies" | "ied"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_word() {
        let pairs = [
            ("task", "tasks"),
            ("inquiry", "inquiries"),
            ("note", "noting"),
            ("submit", "submitted"),
            ("close", "closed"),
        ];
        for (a, b) in pairs {
            assert!(inflected(a, b) && inflected(b, a), "{a} {b}");
        }
        assert!(!inflected("is", "iss") && !inflected("lead", "leader"));
    }

    #[test]
    fn small_words_are_in_order() {
        assert!(SMALL.is_sorted() && SMALL.iter().all(|word| is_small(word)) && !is_small("task"));
    }

    #[test]
    fn values_are_masked_and_spellings_unified() {
        let said = "Add 4x Colour-Bond sheets ($12.50) to 01901c24-298c-73a5-b0cc-ec313571810a, don't e-mail a.b@c.org";
        let expected = "add # x color bond sheets # to #id dont e mail #at";
        assert_eq!(words(said).join(" "), expected);
        assert_eq!(words("the 3rd, and 2,000.5 of www.x.com").join(" "), "the # and # of #at");
        assert!(words("?! —").is_empty());
    }
}
