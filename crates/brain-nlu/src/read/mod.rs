//! Reads an utterance: splits it, matches each clause against phrases, searches if nothing matches, and chooses.

pub(crate) mod account;
pub(crate) mod align;
mod carry;
pub(crate) mod choose;
mod contrast;
mod coordination;
mod courtesy;
pub(crate) mod fill;
pub(crate) mod generated;
mod joined;
pub(crate) mod matcher;
pub(crate) mod modality;
mod named;
pub(crate) mod near;
mod object;
pub(crate) mod rank;
pub(crate) mod shortlist;
pub(crate) mod split;
mod tidy;
mod tiers;

use std::cell::RefCell;
use std::ops::Range;

use self::account::{Account, Usage, account};
use self::choose::Candidate;
use self::near::Look;
use crate::context::Context;
use crate::entity::is_name_like;
use crate::lookup::MatchType;
use crate::phrase::Phrase;
use crate::phrase::labels::Label;
use crate::phrase::vocabulary::{SlotSpec, Target, TargetKind, Vocabulary};
use crate::read::matcher::{Capture, MENTION, Matcher, skip_marks};
use crate::read::split::{Seam, seams, strong_parts};
use crate::small_talk::small_talk;
use crate::text::speller::is_word;
use crate::tier::TierId;
use crate::understanding::{
    Confidence, Evidence, Intent, InvalidSlot, Question, SlotValue, Source, Stage, Suggestion, Understanding,
};
use brain_english::actions::is_action;
use brain_english::clauses;
use brain_english::function_words::is_function_word;
use brain_english::questions::PLACES;
use brain_slot::{Normal, SlotKind};
use serde_json::Value;

/// An utterance with more parts is prose, not a list of requests.
const MAX_PARTS: usize = 100;

/// Reads an utterance.
pub fn understand(vocabulary: &Vocabulary, text: &str, context: &Context<'_>) -> Understanding {
    let is_whole = |found: &Understanding| is_whole(vocabulary, found);
    let read = |text: &str| read(vocabulary, text, context, true);
    let first = read(text);
    let first = contrast::without_ruled_out(vocabulary, text, &first, &read).unwrap_or(first);
    let mut found = coordination::expand(vocabulary, text, first, &read);
    carry::carry(vocabulary, text, &mut found);
    let is_unclear =
        |intents: &[Intent]| intents.iter().any(|intent| intent.invalid.iter().any(|slot| slot.why.is_some()));
    let is_settled = match &found {
        Understanding::Clear { intents } => is_whole(&found) || is_unclear(intents),
        Understanding::SmallTalk { .. } => true,
        Understanding::Ask(_) | Understanding::Unknown { .. } => false,
    };
    if !is_settled {
        let joined = joined::Joined { vocabulary, text, read: &read, is_whole: &is_whole };
        found = joined.requests().unwrap_or(found);
    }
    found
}

/// Whether requests were found, and none lacks a value.
fn is_whole(vocabulary: &Vocabulary, found: &Understanding) -> bool {
    let Understanding::Clear { intents } = found else { return false };
    let is_said = |intent: &Intent, name: &String| intent.slots.iter().any(|slot| slot.name == *name);
    intents.iter().all(|intent| {
        let target = vocabulary.number_of(&intent.target).map(|number| &vocabulary.targets[number]);
        intent.invalid.is_empty()
            && target.is_some_and(|target| {
                target.slots.iter().all(|(name, slot)| !slot.required || slot.has_default || is_said(intent, name))
            })
    })
}

/// Reads an utterance in which every list is one value. What no phrase matches whole is read without the courtesies
/// around it, if it has any.
fn read(vocabulary: &Vocabulary, text: &str, context: &Context<'_>, has_courtesies: bool) -> Understanding {
    let normal = Normal::new(text);
    let reader = Reader::new(vocabulary, &normal, text, context);
    let seams = seams(&normal.chars);
    let mut found = [false, true].iter().find_map(|lenient| reader.requests(&seams, &Exactly { lenient: *lenient }));
    if let Some(whole) = found.take_if(|found| is_whole(vocabulary, found)) {
        return whole;
    }
    if found.is_none()
        && let Some(talk) = small_talk(text)
    {
        return Understanding::SmallTalk { talk };
    }
    let bare = has_courtesies.then(|| courtesy::without(text, &|text: &str| read(vocabulary, text, context, false)));
    let mut found = bare.flatten().or(found);
    // A phrase that matches only with a value of the wrong type may be the wrong phrase.
    if found.as_ref().is_none_or(has_broken_value) {
        let near = reader.requests(&seams, &Nearly);
        if found.is_none() || near.as_ref().is_some_and(|near| is_whole(vocabulary, near)) {
            found = near;
        }
    }
    found.unwrap_or_else(|| Understanding::Unknown { nearest: reader.nearest.take() })
}

/// Whether a slot got a text that is no value of its type, for no reason that could be named.
fn has_broken_value(found: &Understanding) -> bool {
    let Understanding::Clear { intents } = found else { return false };
    intents.iter().flat_map(|intent| &intent.invalid).any(|slot| slot.why.is_none())
}

pub(crate) struct Reader<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) normal: &'a Normal,
    pub(crate) text: &'a str,
    pub(crate) context: &'a Context<'a>,
    /// Suggestions for an utterance that was not understood.
    nearest: RefCell<Vec<Suggestion>>,
    /// Clauses that no phrase matches, and whether a lenient match could.
    missed: RefCell<Vec<(Range<usize>, bool)>>,
}

/// A strategy for reading one clause.
trait Stages {
    /// The request in a clause.
    fn one(&self, reader: &Reader<'_>, clause: Range<usize>) -> Option<Understanding>;

    /// Whether a complete request begins here.
    fn begins_request(&self, reader: &Reader<'_>, from: usize, end: usize) -> bool;
}

/// Exact matching. If lenient, values may have the wrong type, so that they can be asked for.
struct Exactly {
    lenient: bool,
}

/// Approximate matching and search.
struct Nearly;

/// A reading of a clause, and the account of its words.
pub(crate) struct Reading {
    /// The number of the target.
    pub(crate) number: usize,
    pub(crate) intent: Intent,
    pub(crate) account: Account,
    /// Whether a name or text was guessed from its place in the sentence.
    pub(crate) guessed: bool,
}

impl Reading {
    /// The number of required values that were not said.
    pub(crate) fn missing(&self, reader: &Reader<'_>) -> usize {
        let target = &reader.vocabulary.targets[self.number];
        let has = |name: &str| {
            self.intent.slots.iter().any(|slot| slot.name == name)
                || self.intent.invalid.iter().any(|slot| slot.name == name)
        };
        target.slots.iter().filter(|(name, slot)| slot.required && !slot.has_default && !has(name)).count()
    }

    /// Whether a required value was not said.
    pub(crate) fn lacks_value(&self, reader: &Reader<'_>) -> bool {
        self.missing(reader) > 0
    }

    /// Whether every word is explained, no value is guessed or unclear, and none is missing.
    pub(crate) fn accounts_for_all(&self, reader: &Reader<'_>) -> bool {
        let account = &self.account;
        let is_whole = account.leftover.is_empty() && account.minor == 0 && !account.drops_name;
        is_whole && !self.guessed && self.intent.invalid.is_empty() && self.missing(reader) == 0
    }

    /// How well the reading uses its clause, 0 to 1: words left over, values missing or unclear lower it.
    pub(crate) fn fullness(&self, reader: &Reader<'_>) -> f32 {
        let missing = self.missing(reader);
        let leftover = self.account.leftover.len();
        0.7_f32.powi(missing as i32) * 0.75_f32.powi(leftover as i32) * 0.93_f32.powi(self.account.minor as i32)
    }
}

/// A phrase that matched a clause.
struct Hit<'a> {
    phrase: &'a Phrase,
    captures: Vec<Capture>,
    source: Source,
    /// How the name of the target was matched, if the clause is one.
    named: Option<MatchType>,
}

impl Hit<'_> {
    /// Number of captures that match almost anything: free texts and names.
    fn loose(&self) -> usize {
        self.phrase.free_texts + self.captures.iter().filter(|capture| capture.mention().is_some()).count()
    }

    /// Whether a captured name does not look like one.
    fn has_odd_name(&self) -> bool {
        self.captures.iter().filter_map(Capture::mention).any(|name| !is_name_like(name))
    }
}

impl Stages for Exactly {
    fn one(&self, reader: &Reader<'_>, clause: Range<usize>) -> Option<Understanding> {
        reader.exact(clause, self.lenient)
    }

    fn begins_request(&self, reader: &Reader<'_>, from: usize, end: usize) -> bool {
        let Some(word) = first_word(&reader.normal.chars[from..end]) else { return false };
        let begins = reader.vocabulary.begins_phrase(&word)
            || reader.context.taught.is_some_and(|taught| taught.begins_phrase(&word, reader.context.actor));
        // A single word may be the end of a value. Text that only might be a name does not start a request: `… and
        // show lead times`.
        let exact = begins
            && reader.hits(from..end, self.lenient).iter().any(|hit| hit.phrase.words >= 2 && !hit.has_odd_name());
        exact || (!self.lenient && Nearly.begins_request_by_pattern(reader, from, end, &word))
    }
}

impl Nearly {
    /// Whether text that begins with a verb is nearly a phrase of at least two content words.
    fn begins_request_by_pattern(&self, reader: &Reader<'_>, from: usize, end: usize, word: &str) -> bool {
        if !is_action(word) && !reader.vocabulary.begins_phrase(word) {
            return false;
        }
        let Some(Understanding::Clear { intents }) = reader.near(from..end) else { return false };
        intents.iter().all(|intent| {
            let evidence = &intent.evidence;
            let words = evidence.phrase.split_whitespace().filter(|word| !word.starts_with('{'));
            let name = |slot: &SlotValue| slot.value.get(MENTION).and_then(serde_json::Value::as_str).map(is_name_like);
            let has_odd_name = intent.slots.iter().filter_map(name).any(|is_name| !is_name);
            evidence.tier == Stage::Pattern
                && !has_odd_name
                && words.filter(|word| !is_function_word(word)).count() >= 2
        })
    }
}

impl Stages for Nearly {
    fn one(&self, reader: &Reader<'_>, clause: Range<usize>) -> Option<Understanding> {
        if let Some(found @ Understanding::Clear { .. }) = reader.exact(clause.clone(), false) {
            return Some(found);
        }
        reader.near(clause)
    }

    fn begins_request(&self, reader: &Reader<'_>, from: usize, end: usize) -> bool {
        let Some(word) = first_word(&reader.normal.chars[from..end]) else { return false };
        let begins = is_action(&word) || reader.vocabulary.begins_phrase(&word);
        begins && matches!(self.one(reader, from..end), Some(Understanding::Clear { .. }))
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(vocabulary: &'a Vocabulary, normal: &'a Normal, text: &'a str, context: &'a Context<'a>) -> Self {
        Self { vocabulary, normal, text, context, nearest: RefCell::default(), missed: RefCell::default() }
    }
}

impl Reader<'_> {
    /// The requests, if the whole utterance consists of requests.
    fn requests(&self, seams: &[Seam], stages: &dyn Stages) -> Option<Understanding> {
        let parts = strong_parts(&self.normal.chars, seams);
        let mut intents = Vec::new();
        if parts.len() > 1 && parts.len() <= MAX_PARTS {
            for part in &parts {
                match self.clauses(part.clone(), seams, stages) {
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
        // A long value may contain line breaks.
        self.clauses(0..self.normal.len(), seams, stages)
    }

    /// The requests of a part: as many as the conjunctions allow, else one.
    fn clauses(&self, part: Range<usize>, seams: &[Seam], stages: &dyn Stages) -> Option<Understanding> {
        let inner: Vec<&Seam> =
            seams.iter().filter(|seam| !seam.strong && part.contains(&seam.end) && seam.start < part.end).collect();
        let mut intents = Vec::new();
        let mut from = part.start;
        for seam in &inner {
            if seam.end <= from
                || !self.says_something(from..seam.end)
                || !stages.begins_request(self, seam.start, part.end)
            {
                continue;
            }
            // The text before the seam must be a complete request, and the text after it must start one.
            match stages.one(self, from..seam.end) {
                Some(Understanding::Clear { intents: mut found }) => {
                    intents.append(&mut found);
                    from = seam.start;
                }
                _ => continue,
            }
        }
        let last = stages.one(self, from..part.end).or_else(|| self.near_after(from, part.end, &intents));
        match last {
            Some(Understanding::Clear { intents: mut found }) if !intents.is_empty() => {
                intents.append(&mut found);
                for intent in &mut intents {
                    // The split was inferred.
                    intent.confidence = intent.confidence.min(Confidence::Medium);
                }
                Some(Understanding::Clear { intents })
            }
            other if intents.is_empty() => other,
            _ => stages.one(self, part),
        }
    }

    /// The last clause may match nearly if those before it matched exactly.
    fn near_after(&self, from: usize, end: usize, before: &[Intent]) -> Option<Understanding> {
        if before.is_empty() { None } else { self.near(from..end) }
    }

    /// Whether a clause has a content word. Reading `hey` costs as much as reading a request.
    fn says_something(&self, clause: Range<usize>) -> bool {
        let said = self.normal.chars[clause].split(|c| !c.is_alphanumeric() && *c != '\'');
        said.filter(|word| !word.is_empty()).any(|word| !is_function_word(&word.iter().collect::<String>()))
    }

    /// The request of a clause that matches a phrase exactly.
    fn exact(&self, clause: Range<usize>, lenient: bool) -> Option<Understanding> {
        let mut hits = self.hits(clause.clone(), lenient);
        // Precedence: who taught the phrase, fewer invalid values, more specific words, fewer free texts.
        hits.sort_by_key(|hit| {
            let broken = hit.captures.iter().filter(|capture| capture.value.is_none()).count();
            (hit.source, broken, std::cmp::Reverse(hit.phrase.weight), hit.loose(), hit.phrase.target)
        });
        let best = hits.first()?;
        let rival = hits.iter().find(|hit| hit.phrase.target != best.phrase.target);
        let equal = rival.filter(|rival| {
            rival.source == best.source && rival.phrase.weight == best.phrase.weight && rival.loose() == best.loose()
        });
        let reading = self.exact_reading(best, &clause, rival);
        match equal {
            Some(equal) => {
                let mut options = vec![reading.intent, self.exact_reading(equal, &clause, Some(best)).intent];
                for option in &mut options {
                    option.confidence = Confidence::Low;
                }
                Some(Understanding::Ask(self.which(options)))
            }
            None => Some(match object::objection(self, &reading) {
                None => Understanding::Clear { intents: vec![reading.intent] },
                Some(objection) => object::instead(self, &clause, reading, &objection, &[], &[]),
            }),
        }
    }

    /// A question that asks which option is meant.
    pub(crate) fn which(&self, options: Vec<Intent>) -> Question {
        let title = |intent: &Intent| {
            let target = self.vocabulary.targets.iter().find(|target| target.name == intent.target);
            format!("“{}”", target.map_or(intent.target.as_str(), |target| target.title.as_str()))
        };
        let titles: Vec<String> = options.iter().map(title).collect();
        let text = clauses::which(&titles);
        Question { text, options, leftover: Vec::new(), tiers: Vec::new(), within: None }
    }

    fn hits(&self, clause: Range<usize>, lenient: bool) -> Vec<Hit<'_>> {
        let missed = self.missed.borrow().iter().any(|(other, hope)| *other == clause && !(lenient && *hope));
        if missed {
            return Vec::new();
        }
        let (word, second) = first_words(&self.normal.chars[clause.clone()]);
        let Some(word) = word else { return Vec::new() };
        let mut matcher = Matcher::new(self.normal, self.text, &self.context.around, lenient);
        let mut hits = Vec::new();
        let taught = self
            .context
            .taught
            .into_iter()
            .flat_map(|taught| taught.candidates(&word, second.as_deref(), self.context.actor));
        let taught =
            taught.map(|entry| (&entry.phrase, if entry.actor.is_some() { Source::Own } else { Source::Taught }));
        let pack = self.vocabulary.candidates(&word, second.as_deref());
        let is_out = |phrase: &Phrase| {
            let target = &self.vocabulary.targets[phrase.target];
            self.is_blocked(phrase, &clause) || self.is_excluded(target)
        };
        // An exact title, name or synonym always matches its target. “Stop” and “thanks” stay small talk.
        let said: String = self.normal.chars[clause.clone()].iter().collect();
        let is_meant = |label: &&Label| label.named == MatchType::Exact || small_talk(&said).is_none();
        let labels = self.vocabulary.labelled(&said).filter(|label| !is_out(&label.phrase)).filter(is_meant);
        hits.extend(labels.map(|label| Hit {
            phrase: &label.phrase,
            captures: Vec::new(),
            source: Source::Label,
            named: Some(label.named),
        }));
        let of_pack = |phrase: &Phrase| {
            if phrase.generated { Source::Generated } else { Source::Pack }
        };
        for (phrase, source) in taught.chain(pack.map(|phrase| (phrase, of_pack(phrase)))) {
            let target = &self.vocabulary.targets[phrase.target];
            if is_out(phrase) {
                continue;
            }
            if let Some(captures) = matcher.match_whole(phrase, target, clause.clone()) {
                if (source == Source::Generated && !generated::has_plain_values(self, phrase, &captures))
                    || !generated::has_plain_names(self, phrase, &captures)
                {
                    continue;
                }
                hits.push(Hit { phrase, captures, source, named: None });
            }
        }
        if hits.is_empty() && !lenient {
            self.missed.borrow_mut().push((clause, matcher.refused_value));
        }
        hits
    }

    /// Whether a target is no candidate in this conversation.
    pub(crate) fn is_excluded(&self, target: &Target) -> bool {
        let is_chosen = |tier: &TierId| tier.contains(&self.vocabulary.tiers.of(target));
        self.context.excluded.contains_key(&target.name) || !self.context.tier.as_ref().is_none_or(is_chosen)
    }

    /// Whether a phrase, or the exact wording of this clause, is blocked for the phrase's target.
    pub(crate) fn is_blocked(&self, phrase: &Phrase, clause: &Range<usize>) -> bool {
        self.context.taught.is_some_and(|taught| {
            taught.blocks_phrase(phrase.target, phrase.shown(), &self.text[self.normal.span(clause.clone())])
        })
    }

    fn exact_reading(&self, hit: &Hit<'_>, clause: &Range<usize>, rival: Option<&Hit<'_>>) -> Reading {
        let evidence = Evidence {
            tier: Stage::Exact,
            phrase: hit.phrase.shown().to_owned(),
            source: hit.source,
            match_type: hit.named,
            score: 1.0,
            distance: None,
            search: None,
            described: None,
            account: None,
            taken_for: Vec::new(),
            doubt: None,
            modality: None,
            runner_up: rival.map(|hit| self.vocabulary.targets[hit.phrase.target].name.clone()),
            runner_up_score: None,
            excluded: Vec::new(),
        };
        self.reading(hit.phrase.target, &hit.captures, clause, evidence, &[])
    }

    /// A reading from captures, with its account, confidence and context. `matched` are the positions of tokens that
    /// match words of the phrase.
    pub(crate) fn reading(
        &self,
        number: usize,
        captures: &[Capture],
        clause: &Range<usize>,
        evidence: Evidence,
        matched: &[usize],
    ) -> Reading {
        let target = &self.vocabulary.targets[number];
        let tidied = (evidence.tier != Stage::Exact).then(|| tidy::tidied(self, clause, target, captures));
        let captures = tidied.as_deref().unwrap_or(captures);
        let mut slots = Vec::new();
        let mut invalid = Vec::new();
        for capture in captures {
            let mut span = self.normal.span(capture.range.clone());
            match &capture.value {
                Some(value) => {
                    let (name, inferred) = (capture.slot.clone(), capture.guessed.clone());
                    let bare = matches!(value, Value::String(_))
                        .then(|| without_joint(target, &name, &self.text[span.clone()]));
                    let value = match bare.flatten() {
                        Some(bare) => {
                            span.start = span.end - bare.len();
                            Value::from(bare.trim())
                        }
                        None => value.clone(),
                    };
                    let spec = target.slots.get(&name);
                    let past =
                        spec.and_then(|spec| tidy::in_the_past(self, &name, spec, &value, &self.text[span.clone()]));
                    let value = past.unwrap_or(value);
                    slots.push(SlotValue { name, value, span, inferred });
                }
                None if let Some(token) = self.misspelt_choice(target, capture) => {
                    let inferred = Some(format!("“{}” was read as it", &self.text[span.clone()]));
                    slots.push(SlotValue { name: capture.slot.clone(), value: Value::from(token), span, inferred });
                }
                None => {
                    let (name, why) = (capture.slot.clone(), capture.guessed.clone());
                    invalid.push(InvalidSlot { name, text: self.text[span].to_owned(), why });
                }
            }
        }
        let whole = evidence.tier == Stage::Exact;
        let usage = Usage { number, captures, phrase: &evidence.phrase, matched, whole };
        let account = account(self, clause, &usage);
        let mut found = Intent {
            target: target.name.clone(),
            playbook: target.kind == TargetKind::Playbook,
            slots,
            invalid,
            confidence: Confidence::High,
            span: self.normal.span(clause.clone()),
            account: account.parts.clone(),
            evidence,
        };
        let inferred = fill::from_focus(self, target, &mut found, clause);
        let said = |name: &str| captures.iter().any(|capture| capture.slot == name);
        // A name that does not look like one may be something else.
        let odd_name = captures.iter().filter_map(Capture::mention).any(|name| !is_name_like(name));
        let filled_in = target.slots.iter().any(|(name, slot)| !said(name) && (slot.has_default || slot.required));
        found.confidence = if !found.invalid.is_empty() {
            Confidence::Low
        } else if filled_in || inferred || odd_name || found.evidence.tier != Stage::Exact {
            Confidence::Medium
        } else {
            Confidence::High
        };
        let guessed = captures.iter().any(|capture| self.is_guess(target, capture));
        Reading { number, intent: found, account, guessed }
    }

    /// The only choice of a slot that a text is a misspelling of.
    fn misspelt_choice<'t>(&self, target: &'t Target, capture: &Capture) -> Option<&'t str> {
        let SlotKind::Enum(values) = &target.slots.get(&capture.slot)?.kind else { return None };
        let said: String = self.normal.chars[capture.range.clone()].iter().collect();
        let is_meant = |label: &str| align::misspelt(&said, &label.to_lowercase()).is_some();
        let mut meant =
            values.iter().filter(|(token, labels)| is_meant(token) || labels.iter().any(|label| is_meant(label)));
        match (meant.next(), meant.next()) {
            (Some((token, _)), None) if !is_word(&said) => Some(token),
            _ => None,
        }
    }

    /// Whether a capture is a name or text that only its place in the sentence assigns. A quotation is no guess, nor
    /// is what stands behind a colon.
    fn is_guess(&self, target: &Target, capture: &Capture) -> bool {
        let is_loose = target.slots.get(&capture.slot).is_some_and(|slot| slot.kind.is_text() || slot.is_named());
        let before = capture.range.start.checked_sub(1).map(|at| self.normal.chars[at]);
        let announced = capture.range.start >= 2 && self.normal.chars[..capture.range.start].ends_with(&[':', ' ']);
        let is_said = announced || matches!(before, Some('"' | '“' | '\''));
        // An id that was written out is the value of its slot and nothing else.
        let is_id = capture.mention().is_none() && target.slots.get(&capture.slot).is_some_and(SlotSpec::is_named);
        is_loose && !is_id && capture.value.is_some() && capture.guessed.is_some() && !is_said
    }

    /// The request of a clause by approximate matching and search.
    fn near(&self, clause: Range<usize>) -> Option<Understanding> {
        if let Some(found) = named::by_similar_name(self, &clause) {
            return Some(found);
        }
        let look = near::look(self, clause.clone());
        let found = choose::choose(self, &clause, &look);
        let is_clear = matches!(found, Some(Understanding::Clear { .. }));
        if let Some(intent) = (!is_clear).then(|| generated::nearly(self, &clause, &look)).flatten() {
            return Some(Understanding::Clear { intents: vec![intent] });
        }
        if found.is_none() {
            self.nearest.replace(self.suggestions(&look));
        }
        found
    }

    fn suggestions(&self, look: &Look<'_>) -> Vec<Suggestion> {
        // A destructive target is never suggested: somebody might try it.
        let is_safe = |candidate: &&Candidate<'_>| !self.vocabulary.targets[candidate.target].destructive;
        let worth = look.candidates.iter().filter(|candidate| candidate.is_worth_naming()).filter(is_safe);
        let suggestion = |candidate: &Candidate<'_>| Suggestion {
            target: self.vocabulary.targets[candidate.target].name.clone(),
            phrase: self.example(candidate),
        };
        worth.take(choose::MAX_SUGGESTIONS).map(suggestion).collect()
    }

    /// An example request for a candidate.
    pub(crate) fn example(&self, candidate: &Candidate) -> String {
        let own = self.vocabulary.targets[candidate.target].phrases.first();
        candidate
            .aligned
            .as_ref()
            .map(|(phrase, _)| phrase.shown().to_owned())
            .or_else(|| own.cloned())
            .unwrap_or_default()
    }
}

/// A value without the word that joins it to what stands before: “for Noor Haidari”, “in Mosman”, “on T-905”, “to call Bob”.
fn without_joint<'t>(target: &Target, slot: &str, said: &'t str) -> Option<&'t str> {
    let spec = target.slots.get(slot).filter(|spec| spec.kind.is_text())?;
    let (first, rest) = said.split_once(' ')?;
    let first = first.to_lowercase();
    let is_preposition = matches!(first.as_str(), "for" | "in" | "from" | "at" | "of" | "to" | "over" | "on" | "about");
    let has = |parts: &[&str]| slot.split('_').any(|part| parts.contains(&part));
    let is_name = (has(&["name"]) || has(&PLACES)) && is_name_like(rest);
    let is_code =
        has(&["number", "code", "ref", "slug"]) && !rest.contains(' ') && rest.contains(|c: char| c.is_ascii_digit());
    // Where a phrase has “to {title}”, the word belongs to the phrase, not to the value.
    let is_joined = first == "to" && target.phrases.iter().any(|phrase| phrase.contains(&format!("to {{{slot}}}")));
    (spec.required && is_preposition && (is_name || is_code || is_joined)).then_some(rest)
}

fn first_word(chars: &[char]) -> Option<String> {
    first_words(chars).0
}

/// The first word, and the second if only skippable punctuation is between them.
fn first_words(chars: &[char]) -> (Option<String>, Option<String>) {
    let word =
        |from: usize| -> String { chars[from..].iter().take_while(|c| c.is_alphanumeric() || **c == '\'').collect() };
    let Some(start) = chars.iter().position(|c| c.is_alphanumeric()) else { return (None, None) };
    let first = word(start);
    let second = word(skip_marks(chars, start + first.chars().count()));
    (Some(first), Some(second).filter(|second| !second.is_empty()))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod value_tests;
#[cfg(test)]
mod word_tests;
