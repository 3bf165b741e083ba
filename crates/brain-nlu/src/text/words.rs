//! The words of a text as search sees them: folded, in American spelling, with values masked.

use brain_english::numbers::ORDINAL_ENDINGS;
use brain_english::spelling::american;
use brain_slot::folded;

/// Mask for a number.
pub(crate) const NUMBER: &str = "#";
/// Mask for an identifier.
pub(crate) const ID: &str = "#id";
/// Mask for an e-mail or web address.
pub(crate) const ADDRESS: &str = "#at";

/// The words of a text, with numbers, identifiers and addresses masked.
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
        if !rest.is_empty() && !ORDINAL_ENDINGS.contains(&rest) {
            list.push(rest.replace('\'', ""));
        }
        return;
    }
    for word in bare.split(['.', ',']) {
        let word: String = word.chars().filter(|c| *c != '\'').collect();
        if !word.is_empty() {
            list.push(american(word));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_masked_and_spellings_unified() {
        let said = "Add 4x Colour-Bond sheets ($12.50) to 01901c24-298c-73a5-b0cc-ec313571810a, don't e-mail a.b@c.org";
        let expected = "add # x color bond sheets # to #id dont e mail #at";
        assert_eq!(words(said).join(" "), expected);
        assert_eq!(words("the 3rd, and 2,000.5 of www.x.com").join(" "), "the # and # of #at");
        assert!(words("?! —").is_empty());
    }
}
