//! A phonetic code for names: similar sounds are one letter, and vowels are dropped.

/// Maximum length of the code.
const MAX_SOUNDS: usize = 24;

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// The letter for a group of similar sounds.
fn sound(c: char) -> char {
    match c {
        'c' | 'q' => 'k',
        'z' => 's',
        'd' => 't',
        'v' | 'w' => 'f',
        other => other,
    }
}

/// The phonetic code of a name in the form of [`super::normal_name`]: `Schmidt` and `Schmitt` are `skmt`. A vowel
/// counts at the start of a word; doubled letters count once.
pub(super) fn sounds(name: &str) -> Vec<char> {
    let mut kept = Vec::new();
    for word in name.split(' ') {
        let mut before = None;
        let mut letters = word.chars().enumerate().peekable();
        while let Some((at, letter)) = letters.next() {
            let heard = match letter {
                'y' if at == 0 => 'j',
                vowel if is_vowel(vowel) && at == 0 => 'a',
                vowel if is_vowel(vowel) => {
                    before = None;
                    continue;
                }
                'h' if at > 0 => continue,
                'p' if letters.peek().is_some_and(|(_, next)| *next == 'h') => 'f',
                other => sound(other),
            };
            if before != Some(heard) {
                kept.push(heard);
            }
            before = Some(heard);
        }
    }
    kept.truncate(MAX_SOUNDS);
    kept
}

/// The phonetic letters of the consonants, each independent of its neighbours.
pub(super) fn consonants(text: &str) -> Vec<char> {
    let heard = text.chars().filter(|c| !is_vowel(*c) && !matches!(c, 'h' | ' '));
    heard.map(sound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sound_alike_have_the_same_sounds() {
        for (sound, names) in [
            ("skmt", &["schmidt", "schmitt", "schmid", "schmied"][..]),
            ("mr", &["meyer", "meier", "mayr", "maier"]),
            ("stfn", &["stephen", "steven", "stefan"]),
            ("ktrn", &["catherine", "kathryn", "qatrin"]),
            ("flp", &["philip", "filip", "phillip"]),
            ("jmt", &["yamada"]),
            ("ant", &["anna taa"]),
            ("nn", &["nana"]),
        ] {
            for name in names {
                assert_eq!(sounds(name).into_iter().collect::<String>(), sound, "{name}");
            }
        }
    }
}
