//! By what an entity is found. These keys go into the store's index with the record, so that no lookup reads records
//! that have nothing to do with it.
//!
//! A misspelt name is found by what is left of it. Its sounds ([`super::sound`]) are cut into [`PARTS`] parts, and it is
//! kept once without each of them: a letter that is missing, too many or another one is in one part, and without that
//! part the names are alike. Letters that changed places may be in two; all the sounds in the order of the alphabet stay
//! what they are.

use super::name::{normal_name, plain_name};
use super::sound::{consonants, letters, sounds};

/// Parts of a name, each of which may be misspelt. More parts are more keys; fewer have more names in common.
const PARTS: usize = 4;
/// A name with fewer sounds is known by all its letters; shorter words have no key of their own.
const FEW: usize = 4;

/// The words by which a name is found.
pub fn words(name: &str) -> Vec<String> {
    let mut list: Vec<String> =
        plain_name(name).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    list.sort();
    list.dedup();
    list
}

/// The keys under which a name is kept, to be found when it is misspelt: those of [`alike_keys`] and [`near_keys`].
pub fn keys(name: &str) -> Vec<String> {
    let name = normal_name(name);
    let sounds = sounds(&name);
    let mut list = if sounds.len() >= FEW { kept_parts(&sounds, "") } else { kept_parts(&letters(&name), LETTERS) };
    list.extend(whole_key(&name));
    list.extend(word_keys(&name));
    list.sort();
    list.dedup();
    list
}

/// The keys under which a name is looked for that was said with a letter or two wrong. Few names have them.
pub fn alike_keys(said: &str) -> Vec<String> {
    let name = normal_name(said);
    let sounds = sounds(&name);
    let mut list: Vec<String> = whole_key(&name).into_iter().collect();
    // A sound too many or too few may be what makes a name short.
    if sounds.len() + 1 >= FEW {
        list.extend(said_parts(&sounds, ""));
    }
    if sounds.len() <= FEW {
        list.extend(said_parts(&letters(&name), LETTERS));
    }
    let mut seen = std::collections::BTreeSet::new();
    list.retain(|key| seen.insert(key.clone()));
    list
}

/// The keys under which names are looked for that have a word like one that was said. Very many names may have them:
/// what is found is something to suggest.
pub fn near_keys(said: &str) -> Vec<String> {
    let mut list: Vec<String> = word_keys(&normal_name(said)).collect();
    list.sort();
    list.dedup();
    list
}

/// What stands before keys that are made of letters rather than sounds.
const LETTERS: &str = ".";

/// All consonants in the order of the alphabet.
fn whole_key(name: &str) -> Option<String> {
    let mut of_name = consonants(name);
    if of_name.len() < FEW {
        of_name = name.chars().filter(|c| *c != ' ').collect();
    }
    of_name.sort_unstable();
    (of_name.len() >= FEW).then(|| format!("=={}", of_name.into_iter().collect::<String>()))
}

/// The same of each word.
fn word_keys(name: &str) -> impl Iterator<Item = String> {
    let long = name.split(' ').filter(|word| word.chars().count() >= FEW);
    long.map(|word| {
        let mut of_word = consonants(word);
        of_word.sort_unstable();
        format!("={}", of_word.into_iter().collect::<String>())
    })
}

/// Where each part of a name of so many letters begins and ends. None is empty.
fn parts(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..PARTS).map(move |n| (n * count / PARTS, (n + 1) * count / PARTS))
}

/// A name without each of its parts; one with few letters is kept whole.
fn kept_parts(name: &[char], sign: &str) -> Vec<String> {
    left_parts(name, name.len(), sign)
}

/// What may be left of a name that was said with one part wrong: it may have as many letters, one more or one less.
fn said_parts(said: &[char], sign: &str) -> Vec<String> {
    let counts = [said.len(), said.len() + 1, said.len().saturating_sub(1)];
    counts.into_iter().flat_map(|count| left_parts(said, count, sign)).collect()
}

/// What is left of a name of `count` letters without each of its parts, if the others are as in `letters`.
fn left_parts(letters: &[char], count: usize, sign: &str) -> Vec<String> {
    if count < FEW {
        let whole = letters.len() == count && count > 1;
        return whole.then(|| part_key(sign, PARTS, letters, &[])).into_iter().collect();
    }
    let left = |(n, (from, to)): (usize, (usize, usize))| {
        part_key(sign, n, &letters[..from], &letters[letters.len() - (count - to)..])
    };
    parts(count).enumerate().map(left).collect()
}

fn part_key(sign: &str, part: usize, before: &[char], behind: &[char]) -> String {
    let left: String = before.iter().chain(behind).collect();
    format!("{sign}{part}{left}")
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
    fn one_wrong_letter_anywhere_leaves_a_key_that_few_names_have() {
        for name in ["Kim Park", "Bob Lee", "Jonathan Fitzgerald", "Anna Maria Oyelaran", "Quilzoya Ormorchi", "Acme"] {
            let letters: Vec<char> = name.chars().collect();
            let stored = keys(name);
            for at in (0..letters.len()).filter(|at| letters[*at] != ' ') {
                let (before, behind) = (&letters[..at], &letters[at + 1..]);
                let said = |middle: &str| -> String {
                    before.iter().copied().chain(middle.chars()).chain(behind.iter().copied()).collect()
                };
                let swapped = behind
                    .first()
                    .map(|next| before.iter().chain([next, &letters[at]]).chain(&behind[1..]).collect::<String>());
                let own = letters[at];
                let wrong = [said(""), said("x"), said("e"), said(&format!("{own}b")), said(&format!("{own}{own}"))];
                for said in wrong.into_iter().chain(swapped) {
                    let few = alike_keys(&said);
                    assert!(few.iter().any(|key| stored.contains(key)), "{name} {said}: {stored:?} {few:?}");
                    assert!(few.len() <= 27, "{few:?}");
                }
            }
        }
    }

    #[test]
    fn letters_that_changed_places_leave_a_key_that_few_names_have() {
        let rare = |text: &str| alike_keys(text).into_iter().find(|key| key.starts_with("=="));
        for (name, said) in [("Kim Park", "Kmi Prak"), ("Renmor Yarenhol", "Renmo rYarenhol"), ("Bob Lee", "Bbo Lee")] {
            assert!(rare(said).is_some_and(|key| keys(name).contains(&key)), "{name} {said}");
        }
        assert_ne!(rare("Kim Park"), rare("Kim Clark"));
        assert_eq!(alike_keys("Kim Park")[0], "==kkmpr", "the most telling comes first");
    }

    #[test]
    fn a_name_has_few_keys() {
        assert!(keys("Kim Park").len() <= 8, "{:?}", keys("Kim Park"));
        assert!(keys(&"Wolfeschlegelsteinhausenbergerdorff ".repeat(4)).len() <= 20);
        assert!(keys("").is_empty() && words("").is_empty());
    }
}
