//! Checks for a phrase that a trusted person teaches. The gates do not apply; sanity checks do.

use std::fmt;

use super::gate::{Gates, Known};
use super::phrase::{is_slot, stop_share, words};
use crate::phrase::pattern::phrase_slots;
use crate::small_talk::small_talk;

/// The result of the checks.
#[derive(Clone, Debug, PartialEq)]
pub enum Teach {
    /// It can be taught.
    Fine,
    /// The target already has this phrase.
    Already,
    /// It is a phrase of another target and would be taken from it.
    Belongs {
        /// That target.
        to: String,
    },
    /// It is very similar to a phrase of another target: the two would be confused.
    Near {
        /// That target.
        to: String,
        /// Its phrase.
        phrase: String,
        /// The similarity, 0 to 1.
        similarity: f64,
    },
    /// It, or a very similar phrase, was rejected for the target.
    Blocked {
        /// The rejected phrase.
        phrase: String,
        /// Who rejected it.
        by: String,
        /// The reason given.
        why: String,
    },
    /// It would match almost anything.
    TooGeneric {
        /// Why.
        why: String,
    },
    /// It is not a valid phrase.
    NotAPattern {
        /// Why.
        why: String,
    },
    /// The target does not exist.
    UnknownTarget,
}

impl fmt::Display for Teach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fine => f.write_str("It can be taught."),
            Self::Already => f.write_str("It is already known."),
            Self::Belongs { to } => write!(f, "It is a phrase of `{to}`; teaching it here would take it from there."),
            Self::Near { to, phrase, similarity } => {
                write!(f, "It is very similar to “{phrase}” of `{to}` ({similarity:.2}): the two would be confused.")
            }
            Self::Blocked { phrase, by, why } => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                write!(f, "{by} rejected “{phrase}” for it{why}.")
            }
            Self::TooGeneric { why } | Self::NotAPattern { why } => f.write_str(why),
            Self::UnknownTarget => f.write_str("There is no such tool or playbook."),
        }
    }
}

/// Checks a phrase that a trusted person teaches for a target. `slots_of` returns the slots of a target, if it exists.
/// Polite variants need not be taught: matching ignores politeness.
pub fn check_teach(
    phrase: &str,
    target: &str,
    slots_of: &dyn Fn(&str) -> Option<Vec<String>>,
    known: &Known<'_>,
) -> Teach {
    let Some(slots) = slots_of(target) else { return Teach::UnknownTarget };
    let named = match phrase_slots(phrase) {
        Ok(named) => named,
        Err(error) => return Teach::NotAPattern { why: format!("It is not a valid phrase: {}.", error.message) },
    };
    if let Some(name) = named.iter().find(|name| !slots.contains(name)) {
        return Teach::NotAPattern { why: format!("`{target}` has no input `{name}`.") };
    }
    if let Some(why) = too_generic(phrase) {
        return Teach::TooGeneric { why };
    }
    match known.same(phrase) {
        Some(owner) if owner.target == target => return Teach::Already,
        Some(owner) => return Teach::Belongs { to: owner.target.clone() },
        None => {}
    }
    if let Some(blocked) = known.blocked.blocks(phrase, target, known.alike) {
        let (phrase, by, why) = (blocked.phrase.clone(), blocked.by.clone(), blocked.why.clone());
        return Teach::Blocked { phrase, by, why };
    }
    match known.nearest_other(phrase, target) {
        Some((other, similarity)) if similarity >= Gates::default().collision => {
            Teach::Near { to: other.target.clone(), phrase: other.phrase.clone(), similarity }
        }
        _ => Teach::Fine,
    }
}

/// Why a phrase would match almost anything.
fn too_generic(phrase: &str) -> Option<String> {
    if small_talk(phrase).is_some() {
        return Some("People say this in all kinds of situations; Brain already answers it as small talk.".to_owned());
    }
    let words = words(phrase);
    if stop_share(phrase) >= 1.0 {
        return Some("None of its words says what to do.".to_owned());
    }
    let own = words.iter().filter(|word| !is_slot(word));
    let characters: usize = own.map(|word| word.chars().count()).sum();
    let only_slots_besides = words.len() > 1 && words.iter().filter(|word| !is_slot(word)).count() == 1;
    (characters < 3 || (only_slots_besides && characters < 4))
        .then(|| "Its words are too short to tell it from others.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Blocklist, OwnedPhrase};

    fn check(phrase: &str, target: &str) -> Teach {
        let owned = |phrase: &str, target: &str| OwnedPhrase { phrase: phrase.into(), target: target.into() };
        let phrases = [owned("create a fund called {name}", "fund.create"), owned("close the fund", "fund.close")];
        let slots = |target: &str| match target {
            "fund.create" => Some(vec!["name".to_owned()]),
            "fund.close" => Some(vec![]),
            _ => None,
        };
        let alike = |a: &str, b: &str| if a.starts_with("shut") && b.starts_with("close") { 0.95 } else { 0.3 };
        check_teach(phrase, target, &slots, &Known { phrases: &phrases, blocked: &Blocklist::default(), alike: &alike })
    }

    #[test]
    fn a_sensible_phrase_can_be_taught_however_short() {
        for phrase in ["spin up {name}", "new fund", "fund me {name}", "Please spin up a fund for {name}"] {
            assert_eq!(check(phrase, "fund.create"), Teach::Fine, "{phrase}");
        }
    }

    #[test]
    fn a_phrase_of_another_target_is_reported() {
        assert_eq!(check("please close the fund", "fund.create"), Teach::Belongs { to: "fund.close".into() });
        assert_eq!(check("close the fund", "fund.close"), Teach::Already);
        let near = check("shut the fund", "fund.create");
        assert!(matches!(&near, Teach::Near { to, .. } if to == "fund.close"), "{near}");
        assert_eq!(
            near.to_string(),
            "It is very similar to “close the fund” of `fund.close` (0.95): the two would be confused."
        );
    }

    #[test]
    fn nonsense_is_refused_with_its_reason() {
        assert_eq!(check("x", "fund.delete"), Teach::UnknownTarget);
        let why = |phrase: &str| check(phrase, "fund.create").to_string();
        assert!(why("spin up {name").starts_with("It is not a valid phrase: a slot is written"));
        assert_eq!(why("spin up {nam}"), "`fund.create` has no input `nam`.");
        assert_eq!(why("do it for me"), "None of its words says what to do.");
        assert!(why("thanks a lot").starts_with("People say this in all kinds of situations"));
        assert!(why("go {name}").starts_with("Its words are too short"));
    }
}
