//! Of several readings of a request, the one whose records exist: in “show Kim Park”, a lead rather than a quote.
//!
//! A reading is replaced only by one that a phrase gives too, and that only reads or matches the phrase word for word.

use std::collections::BTreeMap;

use brain_nlu::entity::{Count, Reference, Resolution};
use brain_nlu::{Confidence, Intent, Question, Stage, TierId, Understanding};

use super::lookup::StoreLookup;
use super::{Named, item, mention};
use crate::error::KernelError;
use crate::intake::Request;
use crate::kernel::Kernel;

/// What the log says about a reading that was given up.
const NO_RECORD: &str = "there is no record of that name";

impl Kernel {
    /// The understanding of a request: of several readings, the only one whose names belong to records.
    pub(crate) fn with_existing_names(
        &self,
        request: &Request,
        found: Understanding,
    ) -> Result<Understanding, KernelError> {
        let Understanding::Ask(question) = &found else { return Ok(found) };
        let lookup = StoreLookup::new(self.registry(), self.store().as_ref(), &request.scope);
        let only = self.by_existing(request, question, &lookup);
        match lookup.away.take() {
            Some(error) => Err(error.into()),
            None => Ok(only.map_or(found, |intent| Understanding::Clear { intents: vec![intent] })),
        }
    }

    /// Another reading than one with a name that no record has.
    pub(crate) fn instead_of(
        &self,
        request: &Request,
        tier: Option<TierId>,
        first: &Intent,
    ) -> Result<Option<Intent>, KernelError> {
        let excluded = BTreeMap::from([(first.target.clone(), NO_RECORD.to_owned())]);
        let (scope, actor, text) = (&request.scope, &request.actor.name, &request.message);
        let Understanding::Clear { intents } = self.understand_among(scope, actor, text, tier, excluded) else {
            return Ok(None);
        };
        let [other] = intents.as_slice() else { return Ok(None) };
        let Some(known) = self.vocabulary().targets().iter().find(|target| target.name == other.target) else {
            return Ok(None);
        };
        let by_phrase = match other.evidence.tier {
            Stage::Exact => !known.destructive,
            Stage::Pattern => known.reads_only,
            Stage::Search => false,
        };
        let lookup = StoreLookup::new(self.registry(), self.store().as_ref(), &request.scope);
        let exists = by_phrase && self.names_exist(request, other, &lookup) == Some(true);
        match lookup.away.take() {
            Some(error) => Err(error.into()),
            None => Ok(exists.then(|| Intent { confidence: Confidence::Medium, ..other.clone() })),
        }
    }

    /// The only reading whose names all belong to records. `None` unless every reading has a name, nothing is left over and
    /// nothing would be deleted.
    fn by_existing(&self, request: &Request, question: &Question, lookup: &StoreLookup<'_>) -> Option<Intent> {
        let readings = &question.options;
        if readings.len() < 2 || !question.leftover.is_empty() || !question.tiers.is_empty() {
            return None;
        }
        let may_be_meant = |intent: &Intent| {
            let known = self.vocabulary().targets().iter().find(|target| target.name == intent.target);
            let by_phrase = intent.evidence.tier != Stage::Search;
            known.is_some_and(|target| !target.destructive && (by_phrase || target.reads_only))
                && intent.invalid.is_empty()
                && intent.evidence.modality.is_none()
        };
        if !readings.iter().all(may_be_meant) {
            return None;
        }
        let mut existing = Vec::new();
        for intent in readings {
            // A reading without a name may be meant whatever exists.
            if self.names_exist(request, intent, lookup)? {
                existing.push(intent);
            }
        }
        let [only] = existing.as_slice() else { return None };
        Some(Intent { confidence: Confidence::Medium, ..(*only).clone() })
    }

    /// Whether every name of a reading belongs to exactly one record or to several; `None` if it has no name.
    fn names_exist(&self, request: &Request, intent: &Intent, lookup: &StoreLookup<'_>) -> Option<bool> {
        let schema = self.schema_of(&intent.target);
        let mut is_named = false;
        let mut all = true;
        for slot in &intent.slots {
            let Some(said) = mention(&slot.value) else { continue };
            let property = &schema["properties"][slot.name.as_str()];
            let kinds = self.kinds(property);
            if kinds.is_empty() {
                return None;
            }
            is_named = true;
            let args = serde_json::Map::new();
            let named = Named {
                request,
                target: &intent.target,
                place: None,
                call: 0,
                slot: &slot.name,
                kinds: &kinds,
                anchor: item(property)["x-anchor"].as_str(),
                args: &args,
                has_effect: true,
            };
            // Several are looked up when they are needed.
            let count = Reference::new(said, &named.nouns()).count;
            if count != Count::One {
                return None;
            }
            let linked = self.named(&named, said, lookup);
            all &= linked.verdict != Resolution::None && !linked.is_guess();
        }
        is_named.then_some(all)
    }
}
