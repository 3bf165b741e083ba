//! The compiled vocabulary: every phrase of every tool and playbook, ready to match and to search.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use brain_core::Digest;
use brain_embed::Encoder;
use serde::{Deserialize, Serialize};

use crate::concept::Profiles;
use crate::model::encoder::CombinedEncoder;
use crate::model::{Model, Training};
use crate::phrase::labels::{Label, Labels};
use crate::phrase::pattern::{PatternError, Piece};
use crate::phrase::{Beginnings, Phrase, with_names_first};
use crate::read::account::Known;
use crate::sequence::{SequenceModel, cases};
use crate::text::speller::Speller;
use crate::text::words::{ADDRESS, ID, NUMBER, words};
use crate::tier::{IntentTier, TierId, Tiers};
use brain_english::actions::{Tier, generate, tier_of};
use brain_english::background::BACKGROUND;
use brain_english::function_words::is_function_word;
use brain_english::spelling::american;
use brain_slot::SlotKind;

/// Version of the snapshot format. Bump it when the same phrases would yield another snapshot.
const SNAPSHOT: u32 = 10;
/// Words in more phrases than this are not indexed.
const MAX_WITH_WORD: usize = 300;
/// Training weight of a generated phrase.
const GENERATED: f32 = 0.25;
/// Training weight of a target's name and title.
const NAMED: f32 = 0.5;
/// Background sentences at least this similar to a phrase are dropped from the out-of-scope training set.
const TOO_NEAR: f32 = 0.55;

/// A tool or playbook that an utterance can request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// `domain.name`.
    pub name: String,
    /// A tool or a playbook.
    pub kind: TargetKind,
    /// Its title for people.
    pub title: String,
    /// Nouns for the records of its domain.
    pub nouns: Vec<String>,
    /// Alternative names: synonyms of a tool, aliases of a playbook. Each, said whole, asks for the target.
    pub synonyms: Vec<String>,
    /// Whether it deletes something irrevocably.
    pub destructive: bool,
    /// Whether it changes nothing. Questions may lead to it.
    #[serde(default)]
    pub reads_only: bool,
    /// The kind of action that its pack assigns.
    #[serde(default)]
    pub intent_tier: Option<TierId>,
    /// Its slots.
    pub slots: BTreeMap<String, SlotSpec>,
    /// Example requests, with `{slots}`.
    pub phrases: Vec<String>,
    /// Phrases that were generated instead of written: a written phrase that matches too is preferred, and search does not
    /// learn from them. A target that has no others is unknown to search.
    #[serde(default)]
    pub generated: Vec<String>,
}

impl Target {
    /// The action and the object in its name: `create_note` is `create`, `note`.
    pub(crate) fn action(&self) -> (String, String) {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        let mut parts = name.split(['_', '-']);
        let action = parts.next().unwrap_or_default().to_owned();
        (action, parts.collect::<Vec<_>>().join(" "))
    }

    /// Whether it has generated phrases only.
    fn is_generated(&self) -> bool {
        self.phrases.is_empty() && !self.generated.is_empty()
    }

    /// The kind of its action.
    pub fn tier(&self) -> Tier {
        if self.destructive {
            return Tier::Remove;
        }
        tier_of(&self.action().0).unwrap_or(Tier::Workflow)
    }
}

/// Whether a target is a tool or a playbook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum TargetKind {
    #[default]
    Tool,
    Playbook,
}

/// One slot of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotSpec {
    /// The type of its value.
    pub kind: SlotKind,
    /// Whether the target needs it.
    pub required: bool,
    /// Whether it has a default.
    pub has_default: bool,
    /// The entity type it refers to.
    pub entity: Option<String>,
}

impl SlotSpec {
    /// Whether a name is accepted instead of the id.
    pub(crate) fn is_named(&self) -> bool {
        self.entity.is_some() && self.kind == SlotKind::Uuid
    }
}

/// Held-out data that calibrates search. Nothing is ever matched against it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Out-of-scope utterances.
    pub outside: Vec<String>,
}

/// All phrases of all targets, compiled.
pub struct Vocabulary {
    pub(crate) targets: Vec<Target>,
    /// The words that each target is asked for with; collected when a target is first considered.
    known: Vec<OnceLock<Known>>,
    pub(crate) phrases: Vec<Phrase>,
    /// The target of each phrase, apart from the phrases for locality: many are looked up per utterance.
    pub(crate) target_of: Vec<u16>,
    beginnings: Beginnings,
    labels: Labels,
    pub(crate) tiers: Tiers,
    encoder: CombinedEncoder,
    tuning: Tuning,
    /// Fitted on first use, or loaded from a snapshot. Exact matches do not need it.
    search: OnceLock<Search>,
}

/// The search index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Search {
    pub(crate) model: Model,
    pub(crate) speller: Speller,
    /// Finds values by the words around them.
    pub(crate) sequence: SequenceModel,
    /// Phrases by word, without function words and words above `MAX_WITH_WORD`.
    by_word: BTreeMap<String, Vec<u32>>,
    /// Number of indexed words of each phrase.
    words_of: Vec<u8>,
    /// The thesaurus groups that targets are described with.
    pub(crate) profiles: Profiles,
    /// The text of each training example, for evidence.
    pub(crate) examples: Examples,
}

/// Strings in one allocation.
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
    /// Compiles targets. Fails on a phrase with a syntax error or an unknown slot; the pack check reports those first.
    /// The search index is fitted on first use.
    pub fn compile(mut targets: Vec<Target>, encoder: Arc<dyn Encoder>, tuning: Tuning) -> Result<Self, PatternError> {
        // Search numbers the targets that it knows, so the others come last.
        targets.sort_by_key(Target::is_generated);
        let mut found = Self {
            targets: Vec::new(),
            known: targets.iter().map(|_| OnceLock::new()).collect(),
            phrases: Vec::new(),
            target_of: Vec::new(),
            beginnings: Beginnings::default(),
            labels: Labels::default(),
            tiers: Tiers::default(),
            encoder: CombinedEncoder::new(encoder),
            tuning,
            search: OnceLock::new(),
        };
        for (number, target) in targets.iter().enumerate() {
            for text in &target.phrases {
                let (phrase, beginning) = Phrase::new(number, text, target)?;
                found.beginnings.add(found.phrases.len(), beginning);
                found.target_of.push(number as u16);
                found.phrases.push(phrase);
                if let Some(turned) = with_names_first(text, target) {
                    let (phrase, beginning) = Phrase::new(number, &turned, target)?;
                    found.beginnings.add(found.phrases.len(), beginning);
                    found.target_of.push(number as u16);
                    found.phrases.push(Phrase { written: Some(text.as_str().into()), ..phrase });
                }
            }
            found.labels.add(number, target);
        }
        for (number, target) in targets.iter().enumerate() {
            for text in &target.generated {
                let (phrase, beginning) = Phrase::new(number, text, target)?;
                found.beginnings.add(found.phrases.len(), beginning);
                found.target_of.push(number as u16);
                found.phrases.push(Phrase { generated: true, ..phrase });
            }
        }
        found.beginnings.finish();
        found.labels.finish();
        found.targets = targets;
        Ok(found)
    }

    /// Adds the kinds of action that packs declare. Search does not depend on them.
    #[must_use]
    pub fn with_tiers(mut self, declared: Vec<IntentTier>) -> Self {
        self.tiers = Tiers::new(declared);
        self
    }

    /// Whether a kind of action exists.
    pub fn has_tier(&self, id: &TierId) -> bool {
        self.tiers.has(id)
    }

    /// The search index; fitted now if it is missing.
    pub(crate) fn search(&self) -> &Search {
        self.search.get_or_init(|| self.fit(None))
    }

    /// Fits the search index unless it exists.
    pub fn prepare(&self) {
        self.search();
    }

    /// Fits the search index after a small change, reusing the calibration of `previous`, which saves most of the
    /// time. Without a change, its index is taken over; after a large one everything is fitted again. Returns whether
    /// anything was reused: then the index depends on `previous` too.
    pub fn prepare_from(&self, previous: &Self) -> bool {
        if let Some(search) = previous.search.get()
            && self.key() == previous.key()
        {
            return self.search.set(search.clone()).is_ok();
        }
        let changed = self.phrases.len().abs_diff(previous.phrases.len()) + {
            let known: BTreeSet<&str> = previous.phrases.iter().map(|phrase| &*phrase.text).collect();
            self.phrases.iter().filter(|phrase| !known.contains(&*phrase.text)).count()
        };
        let same_encoder = self.encoder.id() == previous.encoder.id() && self.tuning == previous.tuning;
        match previous.search.get() {
            Some(search) if same_encoder && changed * 20 <= self.phrases.len() => {
                let mut refitted = false;
                self.search.get_or_init(|| {
                    refitted = true;
                    self.fit(Some((previous, search)))
                });
                refitted
            }
            _ => {
                self.prepare();
                false
            }
        }
    }

    /// Whether the search index exists.
    pub fn is_ready(&self) -> bool {
        self.search.get().is_some()
    }

    /// Digest of everything that a snapshot depends on: equal keys, equal snapshots.
    pub fn key(&self) -> Digest {
        let parts = postcard::to_allocvec(&(SNAPSHOT, self.encoder.id(), &self.targets, &self.tuning));
        Digest::of(&parts.expect("numbers and texts can be written"))
    }

    /// The search index as bytes; fitted now if it is missing.
    pub fn snapshot(&self) -> Vec<u8> {
        postcard::to_allocvec(self.search()).expect("numbers and texts can be written")
    }

    /// Loads a snapshot of a vocabulary with the same key; rejects other bytes.
    pub fn load(&self, bytes: &[u8]) -> Result<(), String> {
        let search: Search = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.search.set(search).map_err(|_| "the search index has already been built".to_owned())
    }

    fn fit(&self, previous: Option<(&Self, &Search)>) -> Search {
        let mut examples = self.examples();
        examples.retain(|example| !example.words.is_empty());
        let plain: Vec<&str> = examples.iter().map(|example| example.plain.as_str()).collect();
        let vectors = self.encoder.encode_targets(&plain);
        let mut training = Training { dim: self.encoder.dim(), count: self.searched().len(), ..Training::default() };
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
        let (model, sequence) = std::thread::scope(|scope| {
            let sequence = scope.spawn(|| self.fit_sequence(previous));
            let model = match previous {
                Some((_, search)) => search.model.refit(&training),
                None => Model::fit(&training, &self.outside(&training)),
            };
            (model, sequence.join().expect("fitting does not panic"))
        });
        let by_word = self.by_word();
        let mut words_of = vec![0_u8; self.phrases.len()];
        for number in by_word.values().flatten() {
            let words = &mut words_of[*number as usize];
            *words = words.saturating_add(1);
        }
        let profiles = Profiles::new(&self.targets);
        Search { model, speller, sequence, by_word, words_of, profiles, examples: shown }
    }

    fn fit_sequence(&self, previous: Option<(&Self, &Search)>) -> SequenceModel {
        let cases = cases(&self.targets, &self.phrases);
        let again = previous.and_then(|(vocabulary, search)| {
            let known: BTreeSet<&str> = vocabulary.phrases.iter().map(|phrase| &*phrase.text).collect();
            let changed = cases.texts.iter().enumerate().filter(|(_, text)| !known.contains(*text));
            let changed: Vec<usize> = changed.map(|(number, _)| number).collect();
            SequenceModel::refit(&search.sequence, &cases.cases, &changed)
        });
        again.unwrap_or_else(|| SequenceModel::of(&cases.cases))
    }

    fn by_word(&self) -> BTreeMap<String, Vec<u32>> {
        let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (number, phrase) in self.written() {
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

    /// The targets that search knows.
    pub(crate) fn searched(&self) -> &[Target] {
        &self.targets[..self.targets.partition_point(|target| !target.is_generated())]
    }

    /// The phrases that were not generated, with their numbers.
    fn written(&self) -> impl Iterator<Item = (usize, &Phrase)> {
        self.phrases.iter().enumerate().filter(|(_, phrase)| !phrase.generated)
    }

    /// The phrases that were generated.
    pub(crate) fn generated(&self) -> impl Iterator<Item = &Phrase> {
        let first = self.phrases.partition_point(|phrase| !phrase.generated);
        self.phrases[first..].iter()
    }

    /// Training examples: phrases, names, and generated phrases.
    fn examples(&self) -> Vec<Example> {
        let mut list = Vec::new();
        for (_, phrase) in self.written().filter(|(_, phrase)| phrase.written.is_none()) {
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
        // A text that two targets share says nothing about either.
        let mut made: BTreeMap<String, Vec<(u16, f32)>> = BTreeMap::new();
        for (label, target) in self.searched().iter().enumerate() {
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

    /// Out-of-scope examples: the given ones and the background sentences.
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

    /// Phrases that could match an utterance beginning with these words.
    pub(crate) fn candidates(&self, first: &str, second: Option<&str>) -> impl Iterator<Item = &Phrase> {
        self.beginnings.candidates(first, second).map(|number| &self.phrases[number])
    }

    /// Titles, names and synonyms equal to a folded text.
    pub(crate) fn labelled(&self, text: &str) -> impl Iterator<Item = &Label> {
        self.labels.find(text)
    }

    /// A name of a target, as a phrase.
    pub(crate) fn label_of(&self, target: usize) -> Option<&Phrase> {
        self.labels.of(target)
    }

    /// Phrases that contain a word; empty if too many do.
    pub(crate) fn phrases_with(&self, word: &str) -> &[u32] {
        self.search().by_word.get(word).map_or(&[], Vec::as_slice)
    }

    /// Number of indexed words of a phrase.
    pub(crate) fn words_of(&self, number: u32) -> u8 {
        self.search().words_of[number as usize]
    }

    /// Whether some phrase begins with this word.
    pub(crate) fn begins_phrase(&self, word: &str) -> bool {
        self.beginnings.with_first(word).next().is_some()
    }

    /// The words that a target is asked for with.
    pub(crate) fn known(&self, number: usize) -> &Known {
        self.known[number].get_or_init(|| Known::new(&self.targets[number]))
    }

    /// The number of a target.
    pub(crate) fn number_of(&self, name: &str) -> Option<usize> {
        self.targets.iter().position(|target| target.name == name)
    }

    /// The embedding of a text.
    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.encoder.dim()];
        self.encoder.encode(text, &mut vector);
        vector
    }

    /// What search alone finds for a text.
    pub fn rank(&self, text: &str) -> Ranking {
        let found = self.search().model.search(&words(text), &self.vector(text), |_| false);
        let best = found.best.iter().map(|scored| (self.targets[usize::from(scored.label)].name.clone(), scored.score));
        Ranking { best: best.collect(), confidence: found.confidence, scope: found.scope }
    }

    /// All targets.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The number of phrases.
    pub fn len(&self) -> usize {
        self.phrases.len()
    }

    /// Whether there are no phrases.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }
}

/// The result of search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Targets and scores, best first.
    pub best: Vec<(String, f32)>,
    /// Probability that the first is right, given that one of them is.
    pub confidence: f32,
    /// Probability that one of them is right.
    pub scope: f32,
}

struct Example {
    label: u16,
    words: Vec<String>,
    /// The text that is embedded.
    plain: String,
    shown: String,
    weight: f32,
}

/// The words of a phrase in the form that search sees: values masked, free texts left out.
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
