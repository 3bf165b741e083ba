//! Records that are described by what they refer to: “Maria's blue bowl”, “the bowl that Maria brought in”. The words of the
//! mention must all be words of the record, or of one that it refers to.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::RecordId;
use brain_nlu::entity::{Candidate, Card, How, Kind, Reference, words};
use brain_registry::model::{FieldDef, RecordDef};
use brain_store::{IndexValue, RecordFilter, RecordRow};
use brain_tools::names::WORD;

use super::lookup::StoreLookup;

/// Maximum number of words of a description.
const MAX_WORDS: usize = 8;
/// Maximum number of reference fields that are followed.
const MAX_FIELDS: usize = 4;
/// Maximum number of records with one word in their name.
const MAX_OWNERS: usize = 20;
/// Maximum number of records that refer to one.
const MAX_OWNED: usize = 50;
/// Maximum number of records that are read to find the newest one.
const MAX_SCANNED: usize = 2_000;
/// Maximum number of runs that are looked at for the record that was made last.
const MAX_RUNS: usize = 50;
/// Scores of a match by words: the least, and what the share of the words that are its own adds.
const SCORE: f32 = 0.6;
const OWN: f32 = 0.1;

/// The records of a kind that a description fits.
pub(super) fn described(kind: &Kind, said: &Reference, lookup: &StoreLookup<'_>) -> Vec<Candidate> {
    let Some(def) = lookup.registry.record(&kind.name) else { return Vec::new() };
    let asked: Vec<String> = said.needed.iter().chain(&said.possible).take(MAX_WORDS).cloned().collect();
    if asked.is_empty() || said.needed.len() > MAX_WORDS || said.is_turned() {
        return Vec::new();
    }
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    for field in def.fields.iter().filter(|field| field.reference.is_some()).take(MAX_FIELDS) {
        for owner in owners(field, &asked, lookup) {
            let of_owner = words_of(&owner);
            let filter = RecordFilter {
                indexed: vec![(field.name.clone(), IndexValue::of(&owner.id))],
                ..RecordFilter::default()
            };
            for row in lookup.those(&kind.name, &filter, MAX_OWNED) {
                let card = lookup.card(def, &row, 0);
                if let Some(candidate) = fit(said, card, &row, def, field, &owner, &of_owner) {
                    let known = found.entry(candidate.card.id.clone()).or_insert_with(|| candidate.clone());
                    if known.score < candidate.score {
                        *known = candidate;
                    }
                }
            }
        }
    }
    found.into_values().collect()
}

/// Whether a record fits, by its own words and those of the record that it refers to.
fn fit(
    said: &Reference,
    card: Card,
    row: &RecordRow,
    def: &RecordDef,
    field: &FieldDef,
    owner: &Card,
    of_owner: &BTreeSet<String>,
) -> Option<Candidate> {
    let mut own = words_of(&card);
    own.extend(card.hints.iter().flat_map(|hint| words(hint)));
    own.extend(row.state.iter().flat_map(|state| words(state)));
    let by_owner = said.needed.iter().chain(&said.possible).filter(|word| of_owner.contains(*word)).count();
    if by_owner == 0 || !said.needed.iter().all(|word| own.contains(word) || of_owner.contains(word)) {
        return None;
    }
    let by_itself: Vec<&str> = said.needed.iter().filter(|word| own.contains(*word)).map(String::as_str).collect();
    let share = by_itself.len() as f32 / said.needed.len().max(1) as f32;
    let mut evidence = vec![format!("its {} is {}", field.name.replace('_', " "), owner.name)];
    if !by_itself.is_empty() {
        evidence.insert(0, format!("has the words “{}”", by_itself.join(" ")));
    }
    evidence.push(format!("is a {}, as the tool expects", def.title.to_lowercase()));
    let score = ((SCORE + OWN * share) * 1000.0).round() / 1000.0;
    Some(Candidate { card, how: How::Words, score, evidence })
}

/// The records that a field may refer to with one of these words in their names.
fn owners(field: &FieldDef, asked: &[String], lookup: &StoreLookup<'_>) -> Vec<Card> {
    let owner = field.reference.as_deref().and_then(|kind| lookup.registry.record(kind));
    let Some(owner) = owner.filter(|owner| owner.is_named()) else { return Vec::new() };
    let mut found: BTreeMap<RecordId, Card> = BTreeMap::new();
    for word in asked {
        for row in lookup.called(owner, WORD, std::slice::from_ref(word), MAX_OWNERS) {
            found.entry(row.id).or_insert_with(|| lookup.card(owner, &row, 0));
        }
    }
    // Of “Maria Lopez's bowl”, only owners with both words are meant, if there are any.
    let count = |card: &Card| words_of(card).iter().filter(|word| asked.contains(word)).count();
    let most = found.values().map(count).max().unwrap_or_default();
    found.into_values().filter(|card| count(card) == most).take(MAX_OWNERS).collect()
}

fn words_of(card: &Card) -> BTreeSet<String> {
    std::iter::once(&card.name).chain(&card.aliases).flat_map(|name| words(name)).collect()
}

/// The record of a kind that was made last: by this actor, else by anybody. `None` if there are none, or too many to tell.
pub(super) fn newest(kind: &Kind, actor: &str, lookup: &StoreLookup<'_>) -> Option<Card> {
    let def = lookup.registry.record(&kind.name)?;
    let runs = lookup.noted(lookup.store.runs(lookup.scope, None, MAX_RUNS, None).map(|page| page.items));
    let made = |run: brain_core::RunId| {
        let links = lookup.noted(lookup.store.artifacts(lookup.scope, run));
        let made = links.into_iter().filter(|link| link.kind == def.name && link.role == "created");
        made.max_by_key(|link| (link.at, link.record)).map(|link| link.record)
    };
    let own = runs.iter().filter(|run| run.request["actor"] == actor);
    let others = runs.iter().filter(|run| run.request["actor"] != actor);
    let by_run = own.chain(others).filter_map(|run| made(run.id)).find_map(|id| lookup.one(def, id));
    by_run.or_else(|| {
        // Without runs, as after an import: records are listed in the order of their creation.
        let (mut last, mut cursor, mut count) = (None, None::<String>, 0);
        loop {
            let page = lookup.store.records(lookup.scope, &def.name, &RecordFilter::default(), 200, cursor.as_deref());
            let page = match page {
                Ok(page) => page,
                Err(error) => {
                    lookup.away.replace(Some(error));
                    return None;
                }
            };
            count += page.items.len();
            last = page.items.into_iter().next_back().or(last);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
            if count >= MAX_SCANNED {
                return None;
            }
        }
        last.map(|row| lookup.card(def, &row, 0))
    })
}

/// Records of a kind, up to a number.
pub(super) fn some(kind: &Kind, limit: usize, lookup: &StoreLookup<'_>) -> Vec<Card> {
    let Some(def) = lookup.registry.record(&kind.name) else { return Vec::new() };
    let rows = lookup.those(&kind.name, &RecordFilter::default(), limit);
    rows.iter().map(|row| lookup.card(def, row, 0)).collect()
}
