//! The answer, and how it is found: split, match, decide.

use std::fmt;
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use crate::matcher::{Capture, Matcher};
use crate::normalise::Normal;
use crate::slot::Surroundings;
use crate::split::{Seam, seams, strong_parts};
use crate::vocabulary::{Phrase, TargetKind, Vocabulary};

/// Suggestions given at most.
const MAX_SUGGESTIONS: usize = 3;
/// How alike two words must be (Damerau–Levenshtein, 0 to 1) to count as the same in a suggestion.
const ALIKE: f64 = 0.75;

/// What an utterance means.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Understanding {
    /// One or more requests, in order.
    Clear {
        /// The requests.
        intents: Vec<Intent>,
    },
    /// Several readings: ask.
    Ask(Question),
    /// Out of scope: say so, offer the nearest.
    Unknown {
        /// The nearest.
        nearest: Vec<Suggestion>,
    },
}

/// How sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Nothing matched.
    None,
    /// Several things matched equally well, or a value is not what its slot holds.
    Low,
    /// Something was inferred or filled in by default.
    Medium,
    /// A phrase matched whole and said everything.
    High,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// What one clause asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Intent {
    /// The tool or playbook.
    pub target: String,
    /// Whether it is a playbook.
    pub playbook: bool,
    /// Its slots.
    pub slots: Vec<SlotValue>,
    /// Slots whose text is not what they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invalid: Vec<InvalidSlot>,
    /// How sure it is.
    pub confidence: Confidence,
    /// The clause, in bytes of the utterance.
    pub span: Range<usize>,
    /// Why.
    pub evidence: Evidence,
}

/// A slot and where its value stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlotValue {
    /// The slot.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Where it stands, in bytes of the utterance.
    pub span: Range<usize>,
}

/// A slot with a text that is not of its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InvalidSlot {
    /// The slot.
    pub name: String,
    /// What stands there.
    pub text: String,
}

/// Why a clause was read so.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The stage that found it.
    pub tier: &'static str,
    /// The phrase that matched.
    pub phrase: String,
    /// The next best reading, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<String>,
}

/// Several readings to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// What to ask.
    pub text: String,
    /// The readings.
    pub options: Vec<Intent>,
}

/// Something near what was said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The tool or playbook.
    pub target: String,
    /// One of its phrases.
    pub phrase: String,
}

/// Reads an utterance.
pub fn understand(vocabulary: &Vocabulary, text: &str, around: &Surroundings) -> Understanding {
    let normal = Normal::new(text);
    let reader = Reader { vocabulary, normal: &normal, text, around };
    let seams = seams(&normal.chars);
    for lenient in [false, true] {
        if let Some(found) = reader.requests(&seams, lenient) {
            return found;
        }
    }
    Understanding::Unknown { nearest: nearest(vocabulary, &normal) }
}

struct Reader<'a> {
    vocabulary: &'a Vocabulary,
    normal: &'a Normal,
    text: &'a str,
    around: &'a Surroundings,
}

/// A phrase that matched a clause.
struct Hit<'a> {
    phrase: &'a Phrase,
    captures: Vec<Capture>,
}

impl Reader<'_> {
    /// The requests, if the whole utterance consists of some.
    fn requests(&self, seams: &[Seam], lenient: bool) -> Option<Understanding> {
        let parts = strong_parts(&self.normal.chars, seams);
        let mut intents = Vec::new();
        if parts.len() > 1 && parts.len() <= 100 {
            for part in &parts {
                match self.clauses(part.clone(), seams, lenient) {
                    Some(Understanding::Clear { intents: more }) => intents.extend(more),
                    Some(other) => return Some(other),
                    None => {
                        intents.clear();
                        break;
                    }
                }
            }
            if !intents.is_empty() {
                return Some(Understanding::Clear { intents });
            }
        }
        // Line breaks may also stand inside one long value.
        self.clauses(0..self.normal.len(), seams, lenient)
    }

    /// The requests of a part: as many as its words allow, else one.
    fn clauses(&self, part: Range<usize>, seams: &[Seam], lenient: bool) -> Option<Understanding> {
        let inner: Vec<&Seam> =
            seams.iter().filter(|seam| !seam.strong && part.contains(&seam.end) && seam.start < part.end).collect();
        let mut intents = Vec::new();
        let mut from = part.start;
        for seam in &inner {
            if seam.end <= from || !self.begins_request(seam.start, part.end, lenient) {
                continue;
            }
            // What comes before must be a request of its own, and what comes after must begin one.
            match self.one(from..seam.end, lenient) {
                Some(Understanding::Clear { intents: mut found }) => {
                    intents.append(&mut found);
                    from = seam.start;
                }
                _ => continue,
            }
        }
        let last = self.one(from..part.end, lenient);
        match last {
            Some(Understanding::Clear { intents: mut found }) if !intents.is_empty() => {
                intents.append(&mut found);
                for intent in &mut intents {
                    // That these are separate requests was inferred.
                    intent.confidence = intent.confidence.min(Confidence::Medium);
                }
                Some(Understanding::Clear { intents })
            }
            other if intents.is_empty() => other,
            _ => self.one(part, lenient),
        }
    }

    /// Whether a request with at least two words of its own (or one that is all of it) begins here.
    fn begins_request(&self, start: usize, end: usize, lenient: bool) -> bool {
        let Some(word) = first_word(&self.normal.chars[start..end]) else { return false };
        if !self.vocabulary.begins_phrase(&word) {
            return false;
        }
        self.hits(start..end, lenient).iter().any(|hit| hit.phrase.words >= 2)
    }

    /// The one request of a clause.
    fn one(&self, clause: Range<usize>, lenient: bool) -> Option<Understanding> {
        let mut hits = self.hits(clause.clone(), lenient);
        // More of its own words, then fewer free texts, then fewer values that are not what they should be.
        hits.sort_by_key(|hit| {
            let broken = hit.captures.iter().filter(|capture| capture.value.is_none()).count();
            (broken, std::cmp::Reverse(hit.phrase.weight), hit.phrase.free_texts, hit.phrase.target)
        });
        let best = hits.first()?;
        let rival = hits.iter().find(|hit| hit.phrase.target != best.phrase.target);
        let equal = rival.filter(|rival| {
            rival.phrase.weight == best.phrase.weight && rival.phrase.free_texts == best.phrase.free_texts
        });
        let intent = self.intent(best, &clause, rival);
        match equal {
            Some(equal) => {
                let mut options = vec![intent, self.intent(equal, &clause, Some(best))];
                for option in &mut options {
                    option.confidence = Confidence::Low;
                }
                let titles: Vec<&str> =
                    [best, equal].iter().map(|hit| self.vocabulary.targets[hit.phrase.target].title.as_str()).collect();
                let text = format!("Do you mean “{}” or “{}”?", titles[0], titles[1]);
                Some(Understanding::Ask(Question { text, options }))
            }
            None => Some(Understanding::Clear { intents: vec![intent] }),
        }
    }

    fn hits(&self, clause: Range<usize>, lenient: bool) -> Vec<Hit<'_>> {
        let Some(word) = first_word(&self.normal.chars[clause.clone()]) else { return Vec::new() };
        let mut matcher = Matcher::new(self.normal, self.text, self.around, lenient);
        let mut hits = Vec::new();
        for phrase in self.vocabulary.candidates(&word) {
            let target = &self.vocabulary.targets[phrase.target];
            if let Some(captures) = matcher.match_whole(phrase, target, clause.clone()) {
                hits.push(Hit { phrase, captures });
            }
        }
        hits
    }

    fn intent(&self, hit: &Hit<'_>, clause: &Range<usize>, rival: Option<&Hit<'_>>) -> Intent {
        let target = &self.vocabulary.targets[hit.phrase.target];
        let mut slots = Vec::new();
        let mut invalid = Vec::new();
        for capture in &hit.captures {
            let span = self.normal.span(capture.range.clone());
            match &capture.value {
                Some(value) => slots.push(SlotValue { name: capture.slot.clone(), value: value.clone(), span }),
                None => invalid.push(InvalidSlot { name: capture.slot.clone(), text: self.text[span].to_owned() }),
            }
        }
        let said = |name: &str| hit.captures.iter().any(|capture| capture.slot == name);
        let broken = !invalid.is_empty();
        let filled_in = target.slots.iter().any(|(name, slot)| !said(name) && (slot.has_default || slot.required));
        let confidence = match (broken, filled_in) {
            (true, _) => Confidence::Low,
            (false, true) => Confidence::Medium,
            (false, false) => Confidence::High,
        };
        Intent {
            target: target.name.clone(),
            playbook: target.kind == TargetKind::Playbook,
            slots,
            invalid,
            confidence,
            span: self.normal.span(clause.clone()),
            evidence: Evidence {
                tier: "exact",
                phrase: hit.phrase.text.clone(),
                runner_up: rival.map(|hit| self.vocabulary.targets[hit.phrase.target].name.clone()),
            },
        }
    }
}

fn first_word(chars: &[char]) -> Option<String> {
    let start = chars.iter().position(|c| c.is_alphanumeric())?;
    let word: String = chars[start..].iter().take_while(|c| c.is_alphanumeric() || **c == '\'').collect();
    Some(word)
}

/// The phrases that share the most words with what was said, a typo aside.
fn nearest(vocabulary: &Vocabulary, normal: &Normal) -> Vec<Suggestion> {
    let said: String = normal.chars.iter().take(500).collect();
    let said: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).take(20).collect();
    let mut scored: Vec<(f64, usize)> = Vec::new();
    for (number, phrase) in vocabulary.phrases.iter().enumerate() {
        let words: Vec<&String> = phrase
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                crate::pattern::Piece::Word(word) if word.len() > 2 => Some(word),
                _ => None,
            })
            .collect();
        let mut score = 0.0;
        for word in &words {
            let best = said.iter().map(|other| strsim::normalized_damerau_levenshtein(word, other)).fold(0.0, f64::max);
            if best >= ALIKE {
                score += best;
            }
        }
        if score > 0.0 {
            scored.push((score / words.len().max(1) as f64, number));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut list: Vec<Suggestion> = Vec::new();
    for (_, number) in scored {
        let phrase = &vocabulary.phrases[number];
        let target = vocabulary.targets[phrase.target].name.clone();
        if list.iter().all(|one| one.target != target) {
            list.push(Suggestion { target, phrase: phrase.text.clone() });
        }
        if list.len() == MAX_SUGGESTIONS {
            break;
        }
    }
    list
}

#[cfg(test)]
mod tests;
