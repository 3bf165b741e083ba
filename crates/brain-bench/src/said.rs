//! Ways to write names: complete, partial, with common misspellings, and names that do not exist.

/// A label, and a function that rewrites a name. It is deterministic.
type Way = (&'static str, fn(&str) -> String);

pub(crate) const WAYS: [Way; 8] = [
    ("whole name", str::to_owned),
    ("one word", last_word),
    ("letters swapped", swapped),
    ("letter missing", missing),
    ("letter too many", too_many),
    ("other letter", other),
    ("sounds alike", sounds_alike),
    ("not there", not_there),
];

/// Letters that sound alike.
const BY_EAR: [(char, &str); 11] = [
    ('y', "i"),
    ('z', "s"),
    ('k', "c"),
    ('v', "w"),
    ('t', "d"),
    ('d', "t"),
    ('w', "v"),
    ('f', "v"),
    ('c', "k"),
    ('m', "mm"),
    ('n', "nn"),
];

fn last_word(name: &str) -> String {
    name.rsplit(' ').next().unwrap_or_default().to_owned()
}

/// Swaps two characters; one of them may be the space.
fn swapped(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = letters.len() / 3;
    letters.swap(at, at + 1);
    letters.into_iter().collect()
}

/// The position of the misspelling: not at a space, and different from name to name.
fn place(letters: &[char]) -> usize {
    let sum: usize = letters.iter().map(|c| *c as usize).sum();
    let at = sum % letters.len();
    if letters[at] == ' ' { at - 1 } else { at }
}

fn changed(name: &str, change: impl Fn(char) -> String) -> String {
    let letters: Vec<char> = name.chars().collect();
    let at = place(&letters);
    letters.iter().enumerate().map(|(n, c)| if n == at { change(*c) } else { c.to_string() }).collect()
}

/// A letter far away in the alphabet.
fn far(c: char) -> char {
    char::from(b'a' + (c.to_ascii_lowercase() as u8 - b'a' + 11) % 26)
}

fn missing(name: &str) -> String {
    changed(name, |_| String::new())
}

fn too_many(name: &str) -> String {
    changed(name, |c| format!("{c}{}", far(c)))
}

fn other(name: &str) -> String {
    changed(name, |c| far(c).to_string())
}

/// Replaces a letter of each word by one that sounds alike.
fn sounds_alike(name: &str) -> String {
    let of_word = |word: &str| {
        let found = BY_EAR.iter().find(|(letter, _)| word[1..].contains(*letter));
        found.map_or_else(
            || word.to_owned(),
            |(letter, heard)| format!("{}{}", &word[..1], word[1..].replacen(*letter, heard, 1)),
        )
    };
    name.split(' ').map(of_word).collect::<Vec<_>>().join(" ")
}

fn not_there(name: &str) -> String {
    format!("{name} Xyzzy Quuxworth")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_rewritten_in_every_way() {
        let said: Vec<String> = WAYS.iter().map(|(_, say)| say("Kayam Denmorhan")).collect();
        assert_eq!(
            said,
            [
                "Kayam Denmorhan",
                "Denmorhan",
                "KayamD enmorhan",
                "ayam Denmorhan",
                "Kvayam Denmorhan",
                "vayam Denmorhan",
                "Kaiam Denmmorhan",
                "Kayam Denmorhan Xyzzy Quuxworth",
            ]
        );
    }
}
