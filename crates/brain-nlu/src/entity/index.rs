//! Index keys of entities. They are stored with each record, so that a lookup never scans.
//!
//! A misspelt name is found by a deletion index: its letters are cut into [`PARTS`] parts and the name is indexed once
//! without each of them. A missing, extra or wrong letter affects one part, and without that part both spellings are
//! equal. Transposed letters may affect two parts; the sorted letters are indexed as well. Phonetic misspellings have
//! equal sounds ([`super::sound`]).

use super::name::{normal_name, plain_name};
use super::sound::{consonants, sounds};

/// Number of parts. More parts mean more keys; fewer mean more names per key.
const PARTS: usize = 6;
/// Names and words up to this length are indexed whole.
const FEW: usize = 4;
/// Only this many letters of a name are indexed.
const MAX_LETTERS: usize = 40;

/// The words of a name, for the index.
pub fn words(name: &str) -> Vec<String> {
    let mut list: Vec<String> =
        plain_name(name).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    list.sort();
    list.dedup();
    list
}

/// The keys of a name, which [`alike_keys`] and [`near_keys`] look up.
pub fn keys(name: &str) -> Vec<String> {
    let name = normal_name(name);
    let chars = chars(&name);
    let mut list = left_parts(&chars, chars.len());
    list.extend(whole_keys(&name));
    list.extend(word_keys(&name));
    list.sort();
    list.dedup();
    list
}

/// Keys to look up for a name with one wrong letter or a phonetic misspelling. Few names share them.
pub fn alike_keys(said: &str) -> Vec<String> {
    let name = normal_name(said);
    let chars = chars(&name);
    let mut list: Vec<String> = whole_keys(&name).collect();
    // The name may be as long, or one letter longer or shorter.
    for count in [chars.len(), chars.len() + 1, chars.len().saturating_sub(1)] {
        list.extend(left_parts(&chars, count));
    }
    let mut seen = std::collections::BTreeSet::new();
    list.retain(|key| seen.insert(key.clone()));
    list
}

/// Keys to look up for names with a similar word. Many names may share them: the results are suggestions.
pub fn near_keys(said: &str) -> Vec<String> {
    let mut list: Vec<String> = word_keys(&normal_name(said)).collect();
    list.sort();
    list.dedup();
    list
}

fn chars(name: &str) -> Vec<char> {
    name.chars().filter(|c| *c != ' ').take(MAX_LETTERS).collect()
}

/// Keys of a whole name: its letters in alphabetical order, and its sounds in the order of the name.
fn whole_keys(name: &str) -> impl Iterator<Item = String> {
    let key = |sign: &str, chars: Vec<char>| {
        (chars.len() >= FEW).then(|| format!("{sign}{}", chars.into_iter().collect::<String>()))
    };
    let mut sorted = chars(name);
    sorted.sort_unstable();
    key("==", sorted).into_iter().chain(key("~", sounds(name)))
}

/// The consonants of each word, sorted.
fn word_keys(name: &str) -> impl Iterator<Item = String> {
    let long = name.split(' ').filter(|word| word.chars().count() >= FEW);
    long.map(|word| {
        let mut of_word = consonants(word);
        of_word.sort_unstable();
        format!("={}", of_word.into_iter().collect::<String>())
    })
}

/// What remains of a name of `count` letters without each of its parts. Short names stay whole.
fn left_parts(chars: &[char], count: usize) -> Vec<String> {
    if count < FEW {
        let is_whole = chars.len() == count && count > 1;
        return is_whole.then(|| chars.iter().collect()).into_iter().collect();
    }
    let parts = count.min(PARTS);
    let left = |part: usize| {
        let (from, to) = (part * count / parts, (part + 1) * count / parts);
        let behind = &chars[chars.len() - (count - to)..];
        format!("{part}{}", chars[..from].iter().chain(behind).collect::<String>())
    };
    (0..parts).map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(name: &str, said: &str) -> bool {
        let stored = keys(name);
        alike_keys(said).iter().chain(&near_keys(said)).any(|key| stored.contains(key))
    }

    #[test]
    fn a_misspelt_name_meets_the_right_one() {
        for (name, said) in [
            ("Kim Park", "Kim Prak"),
            ("Kim Park", "Kmi Park"),
            ("Kim Park", "Prak"),
            ("Sana Vavaden", "SanaV avaden"),
            ("Baor Orkava", "Bao rOrkava"),
            ("Kim Park", "kim bark"),
            ("Bob Lee", "Bobb Lee"),
            ("Bobs Lee", "Bob Lee"),
            ("Bob Lee", "Bobs Lee"),
            ("Li Wu", "Li Wuu"),
            ("Jonathan Fitzgerald", "Johnathan Fitzgerald"),
            ("Acme Roofing Pty Ltd", "Acme Rooffing"),
            ("Lena Meyer", "Lena Maier"),
            ("Jan Schmidt", "Jan Schmitt"),
            ("Stephen Clarke", "Steven Klark"),
            ("Philip Walters", "Filip Walters"),
            ("Kim Anders", "KimAnders"),
            ("김민준", "김민준"),
        ] {
            assert!(meet(name, said), "{name} {said}: {:?} {:?}", keys(name), alike_keys(said));
        }
        assert!(!meet("Kim Park", "Lena Fischer"));
    }

    #[test]
    fn one_wrong_letter_leaves_a_selective_common_key() {
        for name in ["Kim Park", "Bob Lee", "Jonathan Fitzgerald", "Anna Maria Oyelaran", "Quilzoya Ormorchi", "Acme"] {
            let chars: Vec<char> = name.chars().collect();
            let stored = keys(name);
            for at in (0..chars.len()).filter(|at| chars[*at] != ' ') {
                let (before, behind) = (&chars[..at], &chars[at + 1..]);
                let said = |middle: &str| -> String {
                    before.iter().copied().chain(middle.chars()).chain(behind.iter().copied()).collect()
                };
                let swapped = behind
                    .first()
                    .map(|next| before.iter().chain([next, &chars[at]]).chain(&behind[1..]).collect::<String>());
                let own = chars[at];
                let wrong = [said(""), said("x"), said("e"), said(&format!("{own}b")), said(&format!("{own}{own}"))];
                for said in wrong.into_iter().chain(swapped) {
                    let few = alike_keys(&said);
                    assert!(few.iter().any(|key| stored.contains(key)), "{name} {said}: {stored:?} {few:?}");
                    assert!(few.len() <= 37, "{few:?}");
                }
            }
        }
    }

    #[test]
    fn transposed_letters_leave_a_selective_common_key() {
        let rare = |text: &str| alike_keys(text).into_iter().find(|key| key.starts_with("=="));
        for (name, said) in [("Kim Park", "Kmi Prak"), ("Renmor Yarenhol", "Renmo rYarenhol"), ("Bob Lee", "Bbo Lee")] {
            assert!(rare(said).is_some_and(|key| keys(name).contains(&key)), "{name} {said}");
        }
        assert_ne!(rare("Kim Park"), rare("Kim Clark"));
        assert_eq!(alike_keys("Kim Park")[0], "==aikkmpr", "the most telling comes first");
    }

    #[test]
    fn a_name_has_few_keys() {
        assert!(keys("Kim Park").len() <= 9, "{:?}", keys("Kim Park"));
        assert!(keys(&"Wolfeschlegelsteinhausenbergerdorff ".repeat(4)).len() <= 20);
        assert!(keys("").is_empty() && words("").is_empty());
    }
}
