//! The compiled vocabulary: every phrase of every tool and playbook, ready to be matched and searched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use brain_core::Digest;
use brain_embed::Encoder;
use serde::{Deserialize, Serialize};

use crate::english::actions::{Tier, generate, tier_of};
use crate::english::background::BACKGROUND;
use crate::english::function_words::is_function_word;
use crate::english::spelling::american;
use crate::model::encoder::CombinedEncoder;
use crate::model::{Model, Training};
use crate::phrase::pattern::{PatternError, Piece};
use crate::phrase::{Beginnings, Phrase};
use crate::slot::SlotKind;
use crate::text::normalise::folded;
use crate::text::speller::Speller;
use crate::text::tokens::quick_hash;
use crate::text::words::{ADDRESS, ID, NUMBER, words};

/// Changes whenever the same phrases would give another snapshot.
const SNAPSHOT: u32 = 7;
/// Phrases are not looked for by a word that so many have.
const MAX_WITH_WORD: usize = 300;
/// How much a phrase counts that nobody wrote.
const GENERATED: f32 = 0.25;
/// How much the name and the title of a target count.
const NAMED: f32 = 0.5;
/// How alike something must be to a phrase to say nothing about what is out of scope.
const TOO_NEAR: f32 = 0.55;

/// What an utterance can ask for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// `domain.name`.
    pub name: String,
    /// A tool or a playbook.
    pub kind: TargetKind,
    /// What people read.
    pub title: String,
    /// What people call the things of its domain.
    pub nouns: Vec<String>,
    /// Other names of it.
    pub synonyms: Vec<String>,
    /// Whether it takes something away for good.
    pub destructive: bool,
    /// Its slots.
    pub slots: BTreeMap<String, SlotSpec>,
    /// How people ask for it.
    pub phrases: Vec<String>,
}

impl Target {
    /// The action in its name, and what it acts on: `create_note` is `create`, `note`.
    fn action(&self) -> (String, String) {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        let mut parts = name.split(['_', '-']);
        let action = parts.next().unwrap_or_default().to_owned();
        (action, parts.collect::<Vec<_>>().join(" "))
    }

    /// What kind of thing it does.
    pub fn tier(&self) -> Tier {
        if self.destructive {
            return Tier::Remove;
        }
        tier_of(&self.action().0).unwrap_or(Tier::Workflow)
    }
}

/// What kind of target it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TargetKind {
    Tool,
    Playbook,
}

/// One slot of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotSpec {
    /// What it holds.
    pub kind: SlotKind,
    /// Whether the target cannot do without it.
    pub required: bool,
    /// Whether there is a value if nobody says one.
    pub has_default: bool,
    /// The kind of entity that it names.
    pub entity: Option<String>,
}

impl SlotSpec {
    /// Whether people may give a name where the slot holds an id.
    pub(crate) fn is_named(&self) -> bool {
        self.entity.is_some() && self.kind == SlotKind::Uuid
    }
}

/// What tells how sure to be, beside the phrases: both are held out, nothing is ever matched against them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Utterances that nothing here answers.
    pub outside: Vec<String>,
}

/// Every phrase, ready to be matched.
pub struct Vocabulary {
    pub(crate) targets: Vec<Target>,
    pub(crate) phrases: Vec<Phrase>,
    /// The target of each phrase: many are looked at for each utterance, and the phrases themselves lie far apart.
    pub(crate) target_of: Vec<u16>,
    beginnings: Beginnings,
    /// Titles and names of targets, and by the hashes of their words which say what; sorted.
    labels: Vec<Phrase>,
    by_label: Vec<(u32, u32)>,
    ears: CombinedEncoder,
    tuning: Tuning,
    /// Made when it is first needed, or loaded: phrases that match whole do without.
    search: OnceLock<Search>,
}

/// What search needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Search {
    pub(crate) model: Model,
    pub(crate) speller: Speller,
    /// Phrases by each of their words, without small ones and those that too many have.
    by_word: BTreeMap<String, Vec<u32>>,
    /// By how many words each phrase is found.
    words_of: Vec<u8>,
    /// The text of each example that the model was fitted to, as people read it.
    pub(crate) examples: Examples,
}

/// Many texts, one behind the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Examples {
    text: String,
    ends: Vec<u32>,
}

impl Examples {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
    }

    pub(crate) fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)? as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..end)
    }
}

impl Vocabulary {
    /// Compiles targets. A phrase that cannot be taken apart, or names a slot that its target has not, is an error (the
    /// pack check finds it first). What search needs is made when it is first needed.
    pub fn compile(targets: Vec<Target>, encoder: Arc<dyn Encoder>, tuning: Tuning) -> Result<Self, PatternError> {
        let mut found = Self {
            targets: Vec::new(),
            phrases: Vec::new(),
            target_of: Vec::new(),
            beginnings: Beginnings::default(),
            labels: Vec::new(),
            by_label: Vec::new(),
            ears: CombinedEncoder::new(encoder),
            tuning,
            search: OnceLock::new(),
        };
        for (number, target) in targets.iter().enumerate() {
            for text in &target.phrases {
                let (phrase, beginning) = Phrase::new(number, text, target)?;
                found.beginnings.add(found.phrases.len(), beginning);
                found.target_of.push(number as u16);
                found.phrases.push(phrase);
            }
            for text in [&target.title, &target.name] {
                // A title need not be a phrase: one with signs of its own is never said to the letter.
                if let Ok((label, _)) = Phrase::new(number, text, target) {
                    found.by_label.push((quick_hash(&said_words(&folded(text))), found.labels.len() as u32));
                    found.labels.push(label);
                }
            }
        }
        found.beginnings.finish();
        found.by_label.sort_unstable();
        found.targets = targets;
        Ok(found)
    }

    /// Search, made now if it was not yet.
    pub(crate) fn search(&self) -> &Search {
        self.search.get_or_init(|| self.fit(None))
    }

    /// Makes what search needs, unless it is there.
    pub fn prepare(&self) {
        self.search();
    }

    /// Makes what search needs after a small change: how far scores can be trusted is taken over, which saves most of
    /// the time. Where too much has changed, everything is made anew.
    pub fn prepare_from(&self, previous: &Self) {
        let changed = self.phrases.len().abs_diff(previous.phrases.len()) + {
            let known: BTreeSet<&str> = previous.phrases.iter().map(|phrase| &*phrase.text).collect();
            self.phrases.iter().filter(|phrase| !known.contains(&*phrase.text)).count()
        };
        let same_ears = self.ears.id() == previous.ears.id() && self.tuning == previous.tuning;
        match previous.search.get() {
            Some(search) if same_ears && changed * 20 <= self.phrases.len() => {
                self.search.get_or_init(|| self.fit(Some(&search.model)));
            }
            _ => self.prepare(),
        }
    }

    /// Whether what search needs is there.
    pub fn is_ready(&self) -> bool {
        self.search.get().is_some()
    }

    /// Names what a snapshot is made of: the same name, the same snapshot.
    pub fn key(&self) -> Digest {
        let parts = postcard::to_allocvec(&(SNAPSHOT, self.ears.id(), &self.targets, &self.tuning));
        Digest::of(&parts.expect("numbers and texts can be written"))
    }

    /// What search needs, as bytes; made now if it was not yet.
    pub fn snapshot(&self) -> Vec<u8> {
        postcard::to_allocvec(self.search()).expect("numbers and texts can be written")
    }

    /// Takes over a snapshot of a vocabulary with the same key. Bytes that are not one are refused.
    pub fn load(&self, bytes: &[u8]) -> Result<(), String> {
        let search: Search = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.search.set(search).map_err(|_| "search is there already".to_owned())
    }

    fn fit(&self, previous: Option<&Model>) -> Search {
        let mut examples = self.examples();
        examples.retain(|example| !example.words.is_empty());
        let plain: Vec<&str> = examples.iter().map(|example| example.plain.as_str()).collect();
        let vectors = self.ears.encode_targets(&plain);
        let mut training = Training { dim: self.ears.dim(), count: self.targets.len(), ..Training::default() };
        let mut shown = Examples::default();
        let mut speller = Speller::default();
        for (example, vector) in examples.into_iter().zip(vectors) {
            training.labels.push(example.label);
            training.weights.push(example.weight);
            training.vectors.extend(vector);
            example.words.iter().for_each(|word| speller.add(word));
            training.words.push(example.words);
            shown.push(&example.shown);
        }
        speller.finish();
        let model = match previous {
            Some(previous) => previous.refit(&training),
            None => Model::fit(&training, &self.outside(&training)),
        };
        let by_word = self.by_word();
        let mut words_of = vec![0_u8; self.phrases.len()];
        for number in by_word.values().flatten() {
            let words = &mut words_of[*number as usize];
            *words = words.saturating_add(1);
        }
        Search { model, speller, by_word, words_of, examples: shown }
    }

    fn by_word(&self) -> BTreeMap<String, Vec<u32>> {
        let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (number, phrase) in self.phrases.iter().enumerate() {
            for piece in phrase.pieces() {
                if let Piece::Word(word) = piece
                    && !is_function_word(word)
                {
                    let of_word = found.entry(american(word.replace('\'', ""))).or_default();
                    if of_word.last() != Some(&(number as u32)) {
                        of_word.push(number as u32);
                    }
                }
            }
        }
        found.retain(|_, of_word| of_word.len() <= MAX_WITH_WORD);
        found
    }

    /// What a model learns from: phrases, names, and what is made of actions and nouns.
    fn examples(&self) -> Vec<Example> {
        let mut list = Vec::new();
        for phrase in &self.phrases {
            let target = &self.targets[phrase.target];
            let words = phrase_words(phrase.pieces(), target);
            let plain = plain_text(&phrase.text);
            list.push(Example {
                label: phrase.target as u16,
                words,
                plain,
                shown: phrase.text.to_string(),
                weight: 1.0,
            });
        }
        // What two targets could be called by tells nothing about either.
        let mut made: BTreeMap<String, Vec<(u16, f32)>> = BTreeMap::new();
        for (label, target) in self.targets.iter().enumerate() {
            let (action, object) = target.action();
            let name = format!("{action} {object}");
            let named = std::iter::once(target.title.clone()).chain(target.synonyms.iter().cloned()).chain([name]);
            for text in named.filter(|text| !text.trim().is_empty()) {
                made.entry(text.to_lowercase()).or_default().push((label as u16, NAMED));
            }
            for text in generate(&action, &object, &target.nouns) {
                made.entry(text).or_default().push((label as u16, GENERATED));
            }
        }
        for (text, of) in made {
            let (label, weight) = of[0];
            if of.iter().all(|(other, _)| *other == label) {
                list.push(Example { label, words: words(&text), plain: text.clone(), shown: text, weight });
            }
        }
        list
    }

    /// Utterances that nothing here answers: what is given, and what hardly any business has a tool for.
    fn outside(&self, training: &Training) -> Vec<(Vec<String>, Vec<f32>)> {
        let mut list = Vec::new();
        let given = self.tuning.outside.iter().map(|text| (text.as_str(), true));
        for (text, given) in given.chain(BACKGROUND.iter().map(|text| (*text, false))) {
            let vector = self.vector(text);
            let alike = |phrase: &[f32]| crate::model::semantic::dot(phrase, &vector);
            if given || training.vectors.chunks_exact(training.dim).all(|phrase| alike(phrase) < TOO_NEAR) {
                list.push((words(text), vector));
            }
        }
        list
    }

    /// Phrases that could match an utterance that begins with these words.
    pub(crate) fn candidates(&self, first: &str, second: Option<&str>) -> impl Iterator<Item = &Phrase> {
        self.beginnings.candidates(first, second).map(|number| &self.phrases[number])
    }

    /// The titles and names that are said by a text, which is folded.
    pub(crate) fn labelled(&self, text: &str) -> impl Iterator<Item = &Phrase> {
        let said = said_words(text);
        let hash = quick_hash(&said);
        let from = self.by_label.partition_point(|(other, _)| *other < hash);
        let alike = self.by_label[from..].iter().take_while(move |(other, _)| *other == hash);
        let alike = alike.map(|(_, at)| &self.labels[*at as usize]);
        alike.filter(move |label| said_words(&folded(&label.text)) == said)
    }

    /// Phrases that have a word; none if too many have it.
    pub(crate) fn phrases_with(&self, word: &str) -> &[u32] {
        self.search().by_word.get(word).map_or(&[], Vec::as_slice)
    }

    /// By how many words a phrase is found.
    pub(crate) fn words_of(&self, number: u32) -> u8 {
        self.search().words_of[number as usize]
    }

    /// Whether some phrase begins with this word.
    pub(crate) fn begins_phrase(&self, word: &str) -> bool {
        self.beginnings.with_first(word).next().is_some()
    }

    /// The number of a target.
    pub(crate) fn number_of(&self, name: &str) -> Option<usize> {
        self.targets.iter().position(|target| target.name == name)
    }

    /// The place of a text among the phrases.
    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.ears.dim()];
        self.ears.encode(text, &mut vector);
        vector
    }

    /// What search alone says about a text.
    pub fn rank(&self, text: &str) -> Ranking {
        let found = self.search().model.search(&words(text), &self.vector(text), |_| false);
        let best = found.best.iter().map(|scored| (self.targets[usize::from(scored.label)].name.clone(), scored.score));
        Ranking { best: best.collect(), confidence: found.confidence, scope: found.scope }
    }

    /// Everything that can be asked for.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// How many phrases there are.
    pub fn len(&self) -> usize {
        self.phrases.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }
}

/// What search says about a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Targets and scores, best first.
    pub best: Vec<(String, f32)>,
    /// How likely the first is right, if any is.
    pub confidence: f32,
    /// How likely any is right.
    pub scope: f32,
}

/// The words of a folded text, without what stands between them.
fn said_words(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

struct Example {
    label: u16,
    words: Vec<String>,
    /// What an encoder reads.
    plain: String,
    shown: String,
    weight: f32,
}

/// The words of a phrase as search sees an utterance: values masked, free texts left out.
fn phrase_words(pieces: &[Piece], target: &Target) -> Vec<String> {
    let mut list = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Word(word) => list.extend(words(word)),
            Piece::Slot(name) => {
                let mask = match target.slots.get(name).map(|slot| &slot.kind) {
                    Some(SlotKind::Uuid) => Some(ID),
                    Some(SlotKind::Email | SlotKind::Url) => Some(ADDRESS),
                    Some(SlotKind::Integer | SlotKind::Decimal | SlotKind::Money | SlotKind::Phone) => Some(NUMBER),
                    _ => None,
                };
                list.extend(mask.map(str::to_owned));
            }
            Piece::Mark(_) => {}
        }
    }
    list
}

/// A phrase without its slots.
pub(crate) fn plain_text(phrase: &str) -> String {
    let mut text = String::with_capacity(phrase.len());
    let mut inside = false;
    for c in phrase.chars() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
