//! Mentions of several records: “both bowls”, “all of Tom's quotes”. Each record gets a call of its own, or becomes an item of
//! a list. More than a few are asked about, and so are several that would be deleted.

use brain_nlu::entity::{Candidate, Card, Count, How, Linked, Reference, Resolution, conclude};
use serde_json::Value;

use super::lookup::StoreLookup;
use super::reference::{described, newest, some};
use super::{Links, MAX_OPTIONS, Named, differences, evidence, not_called, options};
use crate::kernel::Kernel;
use crate::plan::Wanted;

/// Maximum number of calls that one mention becomes without a question.
const MAX_EACH: usize = 5;
/// Maximum number of records that are counted for “both”.
const MAX_LISTED: usize = 50;
/// Number of records that “both” means.
const BOTH: usize = 2;

/// A mention that means several records.
pub(super) struct Each {
    /// The call it is in.
    pub(super) call: usize,
    /// The argument.
    pub(super) slot: String,
    /// The ids of the records.
    pub(super) ids: Vec<String>,
}

/// Makes a call for each record that a mention means.
pub(super) fn expand(wanted: &mut Vec<Wanted>, each: &[Each]) {
    for one in each.iter().rev() {
        let Some(first) = wanted.get(one.call) else { continue };
        let copies = one.ids.iter().map(|id| {
            let mut args = first.args.clone();
            args.insert(one.slot.clone(), Value::from(id.as_str()));
            Wanted { target: first.target.clone(), args, unclear: first.unclear.clone(), in_words: first.in_words }
        });
        let copies: Vec<Wanted> = copies.collect();
        wanted.splice(one.call..=one.call, copies);
    }
}

impl Kernel {
    /// The record that was made last, for “the last one”.
    pub(super) fn last(&self, named: &Named<'_>, said: &str, lookup: &StoreLookup<'_>) -> Linked {
        let cards = named.kinds.iter().filter_map(|kind| newest(kind, &named.request.actor.name, lookup));
        let candidate =
            |card: Card| Candidate { evidence: vec!["was made last".to_owned()], card, how: How::Words, score: 0.7 };
        conclude(said, cards.map(candidate).collect())
    }

    /// The ids of the records that a mention of several means; `None` if a question or a problem was recorded instead.
    pub(super) fn each(
        &self,
        named: &Named<'_>,
        said: &str,
        reference: &Reference,
        lookup: &StoreLookup<'_>,
        links: &mut Links,
    ) -> Option<Vec<String>> {
        let noun = named.noun();
        let candidates: Vec<Candidate> = if reference.rest.is_empty() {
            let all = named.kinds.iter().flat_map(|kind| some(kind, MAX_LISTED, lookup));
            let candidate =
                |card: Card| Candidate { evidence: vec![format!("is a {noun}")], card, how: How::Words, score: 0.7 };
            all.map(candidate).collect()
        } else {
            let found: Vec<Candidate> =
                named.kinds.iter().flat_map(|kind| described(kind, reference, lookup)).collect();
            if found.is_empty() { self.named(named, &reference.rest, lookup).candidates } else { found }
        };
        let verdict = if candidates.is_empty() { Resolution::None } else { Resolution::Several };
        let linked = Linked { mention: said.to_owned(), candidates, near: Vec::new(), verdict };
        links.evidence.push(evidence(named, &linked));
        let count = linked.candidates.len();
        if count == 0 {
            links.problems.push(not_called(named, &noun, said, &linked));
            return None;
        }
        let is_wrong_number = reference.count == Count::Both && count != BOTH;
        let is_destructive = self.is_destructive(named.target) && count > 1;
        if !is_wrong_number && !is_destructive && count <= MAX_EACH {
            links.weaken();
            return Some(linked.candidates.iter().map(|one| one.card.id.clone()).collect());
        }
        let cards: Vec<&Card> = linked.candidates.iter().take(MAX_OPTIONS).map(|one| &one.card).collect();
        let labels = differences::labels(&cards, lookup);
        let names: Vec<String> = labels.iter().map(|label| format!("\n  {label}")).collect();
        let more = if count > MAX_OPTIONS { "\n  and others" } else { "" };
        let records = if count == 1 { noun.clone() } else { format!("{noun}s") };
        let text = format!("“{said}” could be {count} {records}. Say which you mean:{}{more}", names.concat());
        links.questions.push((text, options(named, &linked.candidates, &labels)));
        None
    }

    fn is_destructive(&self, target: &str) -> bool {
        self.vocabulary().targets().iter().any(|one| one.name == target && one.destructive)
    }
}
