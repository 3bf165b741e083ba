//! By what an entity is found. These keys go into the store's index with the record, so that no lookup reads records
//! that have nothing to do with it.

use super::name::{normal_name, plain_name};

/// Letters of a name that count for likeness.
const MAX_LETTERS: usize = 16;
/// A name with fewer letters that are no vowels is known by all its letters.
const FEW: usize = 4;

/// The words by which a name is found.
pub fn words(name: &str) -> Vec<String> {
    let mut list: Vec<String> =
        plain_name(name).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    list.sort();
    list.dedup();
    list
}

/// The keys under which a name is kept, to be found when it is misspelt: its consonants, the same without one of them,
/// and its consonants in the order of the alphabet, all of them together and those of each word. Those of a word are in
/// very many names; all together are in few, and stay what they are if letters or a space change places.
pub fn keys(name: &str) -> Vec<String> {
    let name = normal_name(name);
    let consonants = consonants(&name);
    let known_by = if consonants.len() >= FEW { consonants } else { letters(&name) };
    let mut list = without_one(&known_by);
    list.extend(whole_key(&name));
    list.extend(word_keys(&name));
    list.sort();
    list.dedup();
    list
}

/// The keys under which something that was said is looked for, the most telling first.
pub fn alike_keys(said: &str) -> Vec<String> {
    let name = normal_name(said);
    let mut list: Vec<String> = whole_key(&name).into_iter().collect();
    list.extend(without_one(&consonants(&name)));
    list.extend(without_one(&letters(&name)));
    list.extend(word_keys(&name));
    let mut seen = std::collections::BTreeSet::new();
    list.retain(|key| seen.insert(key.clone()));
    list
}

fn whole_key(name: &str) -> Option<String> {
    let all = || name.chars().filter(|c| *c != ' ');
    let mut letters: Vec<char> = all().filter(|c| !is_vowel(*c)).collect();
    if letters.len() < FEW {
        letters = all().collect();
    }
    letters.sort_unstable();
    letters.truncate(2 * MAX_LETTERS);
    (letters.len() >= FEW).then(|| format!("=={}", letters.into_iter().collect::<String>()))
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

fn word_keys(name: &str) -> impl Iterator<Item = String> {
    let long = name.split(' ').filter(|word| word.chars().count() >= FEW);
    long.map(|word| {
        let mut letters = consonants(word);
        letters.sort_unstable();
        format!("={}", letters.into_iter().collect::<String>())
    })
}

/// Letters without vowels, but for those that begin a word; doubled ones once.
fn consonants(name: &str) -> Vec<char> {
    let of_word = |word: &str| {
        let mut kept: Vec<char> = Vec::new();
        for (at, c) in word.chars().enumerate() {
            if at == 0 || !is_vowel(c) {
                kept.push(c);
            }
        }
        kept.dedup();
        kept
    };
    name.split(' ').flat_map(of_word).take(MAX_LETTERS).collect()
}

fn letters(name: &str) -> Vec<char> {
    let mut kept: Vec<char> = name.chars().filter(|c| *c != ' ').collect();
    kept.dedup();
    kept.truncate(MAX_LETTERS);
    kept
}

/// The letters, and the letters without each one of them.
fn without_one(letters: &[char]) -> Vec<String> {
    let mut list = vec![letters.iter().collect::<String>()];
    if letters.len() >= FEW {
        for left_out in 0..letters.len() {
            let rest = letters.iter().enumerate().filter(|(at, _)| *at != left_out);
            list.push(rest.map(|(_, c)| *c).collect());
        }
    }
    list.retain(|key| key.chars().count() > 1);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(name: &str, said: &str) -> bool {
        let stored = keys(name);
        alike_keys(said).iter().any(|key| stored.contains(key))
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
            ("김민준", "김민준"),
        ] {
            assert!(meet(name, said), "{name} {said}: {:?} {:?}", keys(name), alike_keys(said));
        }
        assert!(!meet("Kim Park", "Lena Fischer"));
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
