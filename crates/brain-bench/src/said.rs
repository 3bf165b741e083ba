//! Names as people say them: whole, in part, misspelt in the usual ways, and names that nobody has.

/// A way to say a name, and how a name becomes that. The same name is always said alike.
type Way = (&'static str, fn(&str) -> String);

/// All ways.
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

/// Letters that are taken for each other by ear.
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

/// Two letters have changed places; one of them may be the space.
fn swapped(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = letters.len() / 3;
    letters.swap(at, at + 1);
    letters.into_iter().collect()
}

/// Where a name is misspelt: anywhere but at a space, from name to name somewhere else.
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

/// A letter of the alphabet that stands far from another.
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

/// Each word has a letter that sounds like its own.
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
    fn a_name_is_said_in_these_ways() {
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
