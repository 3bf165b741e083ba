//! Canonical forms of names.

use unicode_normalization::UnicodeNormalization;

/// Legal suffixes of companies, in the form of [`plain_name`].
const LEGAL: [&str; 44] = [
    "ab", "ag", "aps", "as", "asa", "bhd", "bv", "co", "corp", "corporation", "cv", "doo", "eg", "ev", "gmbh", "inc",
    "incorporated", "kft", "kg", "kk", "limited", "llc", "llp", "lp", "ltd", "ltda", "mbh", "nv", "ohg", "oy", "oyj",
    "plc", "pte", "pty", "sa", "sarl", "sas", "sdn", "se", "sl", "spa", "srl", "ug", "zrt",
];

/// The canonical form of a name: NFKC, lower case, without accents, punctuation, legal suffixes and a leading `the`.
pub fn normal_name(name: &str) -> String {
    let plain = plain_name(name);
    let mut words: Vec<&str> = plain.split(' ').collect();
    if words.len() > 1 && words[0] == "the" {
        words.remove(0);
    }
    // `Smith & Co Pty Ltd`: the conjunction before the suffix is dropped too. At least one word always remains.
    while words.len() > 1 && words.last().is_some_and(|word| LEGAL.contains(word) || *word == "and") {
        words.pop();
    }
    words.join(" ")
}

/// The canonical form with all words.
pub(super) fn plain_name(name: &str) -> String {
    // Fast path: most names are ASCII, and very many are compared.
    let bare: String = if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        let lower: String = name.nfkc().flat_map(char::to_lowercase).collect();
        lower.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).nfc().collect()
    };
    let mut words: Vec<String> = Vec::new();
    for part in bare.split_whitespace() {
        // `S.A.` is one word, `smith.jones` is two.
        let initials = part.split('.').all(|letters| letters.chars().filter(|c| c.is_alphanumeric()).count() <= 1);
        let mut word = String::new();
        let mut end = |word: &mut String| {
            if !word.is_empty() {
                words.push(std::mem::take(word));
            }
        };
        for c in part.chars() {
            match c {
                'ß' => word.push_str("ss"),
                'æ' => word.push_str("ae"),
                'œ' => word.push_str("oe"),
                'ø' => word.push('o'),
                'ł' => word.push('l'),
                'đ' | 'ð' => word.push('d'),
                '&' | '+' => {
                    end(&mut word);
                    word.push_str("and");
                    end(&mut word);
                }
                '\'' | '\u{2018}' | '\u{2019}' | '\u{2bc}' => {}
                '.' if initials => {}
                c if c.is_alphanumeric() => word.push(c),
                // Combining marks are part of a letter in scripts that use them.
                c if unicode_normalization::char::is_combining_mark(c) => word.push(c),
                _ => end(&mut word),
            }
        }
        end(&mut word);
    }
    words.join(" ")
}

/// The canonical form of an identifier: `Q-1042` is `q1042`. A phone number is compared by its last digits, with or
/// without country code.
pub fn normal_identifier(text: &str) -> String {
    let text = text.trim();
    if text.contains('@') {
        return text.to_lowercase();
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let dialled = text.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '+' | '(' | ')' | '-' | '.' | '/'));
    if dialled && digits.len() >= 9 && text.starts_with(['+', '0', '(']) {
        return format!("tel {}", &digits[digits.len() - 9..]);
    }
    text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_suffixes_and_punctuation() {
        for (name, normal) in [
            ("Acme Pty Ltd", "acme"),
            ("ACME PTY. LTD.", "acme"),
            ("The Goldman Sachs & Co.", "goldman sachs"),
            ("Société Générale S.A.", "societe generale"),
            ("Müller GmbH & Co. KG", "muller"),
            ("Łódź Straße", "lodz strasse"),
            ("O’Brien-Smith", "obrien smith"),
            ("Ｋｉｍ　Park", "kim park"),
            ("Smith & Sons", "smith and sons"),
            ("Smith and Sons", "smith and sons"),
            ("Limited", "limited"),
            ("the", "the"),
            ("김민준", "김민준"),
            ("  ", ""),
        ] {
            assert_eq!(normal_name(name), normal, "{name}");
        }
    }

    #[test]
    fn identifiers_are_compared_without_punctuation() {
        assert_eq!(normal_identifier("Q-1042"), normal_identifier("q1042"));
        assert_eq!(normal_identifier("Bob@Example.COM "), "bob@example.com");
        assert_eq!(normal_identifier("+61 412 345 678"), normal_identifier("0412 345 678"));
        assert_eq!(normal_identifier("1234567890"), "1234567890", "a number is not always a phone number");
    }
}
