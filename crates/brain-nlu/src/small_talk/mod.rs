//! Small talk: utterances without a request, which Brain answers itself.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use brain_english::small_talk::{AROUND, PHRASES, SmallTalk};
use brain_slot::folded;

/// Longer utterances, in words, are never small talk.
const MAX_WORDS: usize = 14;
/// Longer utterances, in characters, are never small talk.
const MAX_CHARS: usize = 120;

/// The kind of small talk, if the utterance consists of nothing else: “hi, create a task” and “cancel order 5” are
/// requests. A bare “yes”, “no” or “ok” is the answer to a question, not small talk.
pub fn small_talk(text: &str) -> Option<SmallTalk> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let words = words(text)?;
    let mut found: Vec<SmallTalk> = Vec::new();
    let mut refused = false;
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (kind, length) = step(rest)?;
        refused |= kind.is_none() && matches!(rest[0].as_str(), "no" | "nope");
        found.extend(kind);
        rest = &rest[length..];
    }
    let best = found.iter().min().copied()?;
    let mixed = found.iter().any(|kind| kind.asks() && *kind != best);
    // "No thanks" refuses an offer; "no, stop" stops.
    let answers = refused && !matches!(best, SmallTalk::Cancel | SmallTalk::Undo);
    (!mixed && !answers).then_some(best)
}

/// The longest phrase or filler at the start of `rest`: its kind (`None` for fillers) and its length in words.
fn step(rest: &[String]) -> Option<(Option<SmallTalk>, usize)> {
    let mut best: Option<(Option<SmallTalk>, usize)> = None;
    let first = rest.first()?.as_bytes().first();
    let mut offer = |kind: Option<SmallTalk>, phrase: &str| {
        // Cheap test that rules out most phrases.
        if phrase.as_bytes().first() != first {
            return;
        }
        let length = begins_with(rest, phrase);
        if length > best.map_or(0, |(_, length)| length) {
            best = Some((kind, length));
        }
    };
    for (kind, phrases) in PHRASES {
        phrases.iter().for_each(|phrase| offer(Some(*kind), phrase));
    }
    AROUND.iter().for_each(|phrase| offer(None, phrase));
    best
}

/// Length of a phrase in words if `rest` starts with it, else 0.
fn begins_with(rest: &[String], phrase: &str) -> usize {
    let mut length = 0;
    for wanted in phrase.split(' ') {
        match rest.get(length) {
            Some(said) if alike(said, wanted) => length += 1,
            _ => return 0,
        }
    }
    length
}

/// Every word of every phrase, sorted.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let phrases = PHRASES.iter().flat_map(|(_, phrases)| phrases.iter()).chain(AROUND);
    let mut words: Vec<&str> = phrases.flat_map(|phrase| phrase.split(' ')).collect();
    words.sort_unstable();
    words.dedup();
    words
});

fn is_known(word: &str) -> bool {
    let drawn_out = || word.as_bytes().windows(2).any(|pair| pair[0] == pair[1]);
    WORDS.binary_search(&word).is_ok() || (drawn_out() && WORDS.iter().any(|known| alike(word, known)))
}

/// The words of an utterance, without apostrophes; `None` if any is not a word of small talk. Two emojis count as
/// words, others are skipped.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for part in text.split_whitespace() {
        let part = folded(part).replace('\'', "").replace('\u{1f44b}', " hello ").replace('\u{1f64f}', " thanks ");
        for word in part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if words.len() == MAX_WORDS || !is_known(word) {
                return None;
            }
            words.push(word.to_owned());
        }
    }
    Some(words)
}

/// Whether a word is equal to another or drawn out: `heyyy`, `thankss`, `goood`.
fn alike(said: &str, wanted: &str) -> bool {
    if said == wanted {
        return true;
    }
    if said.len() <= wanted.len() {
        return false;
    }
    let (mut said, mut wanted) = (runs(said), runs(wanted));
    loop {
        match (said.next(), wanted.next()) {
            (None, None) => return true,
            (Some((c, length, last)), Some((d, least, _))) if c == d => {
                let drawn_out = length > least && (length >= 3 || last);
                if length != least && !drawn_out {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// Runs of equal letters: the letter, the length, and whether the run is the last.
fn runs(word: &str) -> impl Iterator<Item = (char, usize, bool)> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        let after = rest.trim_start_matches(c);
        let length = (rest.len() - after.len()) / c.len_utf8();
        rest = after;
        Some((c, length, after.is_empty()))
    })
}
