//! Resolves records mentioned by name, before anything is planned. One match becomes its id, several become a question,
//! none is a refusal. Ids come only from lookups.

mod differences;
mod existing;
mod group;
mod lookup;
mod reference;
mod reindex;
mod several;

use std::ops::Range;

use brain_core::{RecordId, RunStatus};
use brain_nlu::Confidence;
use brain_nlu::entity::{Asked, Candidate, Card, Count, Kind, Linked, Reference, Resolution, conclude, link};
use brain_registry::model::{Effect, RecordDef};
use brain_store::{RecordRow, Scope};
use serde_json::{Map, Value, json};

use self::lookup::StoreLookup;
pub use self::reindex::{Reindexed, is_behind, reindex};
use self::several::{Each, expand};
use crate::NextAction;
use crate::draft::Draft;
use crate::error::KernelError;
use crate::intake::Request;
use crate::kernel::Kernel;
use crate::narrate::Problem;
use crate::plan::Wanted;

/// The code of a name that no record has.
const NOT_FOUND: &str = "record_not_found";
/// Maximum number of records per slot that can be mentioned by name.
const MAX_MENTIONS: usize = 100;
/// Maximum number of options and suggestions shown.
const MAX_OPTIONS: usize = 5;
/// Maximum number of context values considered as focus.
const MAX_FOCUS: usize = 20;

/// The position of a name: which request, which argument, where in the message.
pub(crate) struct NamePosition {
    pub(crate) call: usize,
    pub(crate) slot: String,
    pub(crate) span: Range<usize>,
}

/// The results for the names of a request.
#[derive(Default)]
pub(crate) struct Links {
    /// Matches and reasons, for the run's log.
    pub(crate) evidence: Vec<Value>,
    confidence: Option<Confidence>,
    /// Questions, each with possible answers.
    questions: Vec<(String, Vec<NextAction>)>,
    problems: Vec<Problem>,
    /// Whether a name may have been missed because its index is stale.
    is_behind: bool,
}

impl Links {
    /// Whether all that is wrong is that there is no record of a name.
    pub(crate) fn lacks_record(&self) -> bool {
        let is_absent = |problem: &Problem| problem.code == NOT_FOUND;
        self.questions.is_empty() && !self.problems.is_empty() && self.problems.iter().all(is_absent)
    }

    /// A record was described instead of named.
    fn weaken(&mut self) {
        self.confidence = Some(Confidence::Medium);
    }

    /// Puts the outcome into the run. Returns whether the request ends here.
    pub(crate) fn settle(self, draft: &mut Draft) -> bool {
        if let Some(confidence) = self.confidence {
            draft.confidence = draft.confidence.min(confidence);
        }
        if !self.problems.is_empty() {
            let then = if self.is_behind { vec![NextAction::Reindex] } else { Vec::new() };
            draft.refuse_and_suggest(&self.problems, &then);
            return true;
        }
        if self.questions.is_empty() {
            return false;
        }
        let (texts, options): (Vec<String>, Vec<Vec<NextAction>>) = self.questions.into_iter().unzip();
        draft.confidence = Confidence::Low;
        draft.reason = "More than one record matches".into();
        draft.status = RunStatus::NeedsInput;
        draft.answer(&format!("Nothing was done yet. {}", texts.join("\n")), options.concat());
        true
    }
}

/// A name and what its argument accepts.
struct Named<'a> {
    request: &'a Request,
    target: &'a str,
    place: Option<&'a NamePosition>,
    call: usize,
    slot: &'a str,
    kinds: &'a [Kind],
    /// The role in which a group member is meant.
    anchor: Option<&'a str>,
    /// The other arguments of the call.
    args: &'a Map<String, Value>,
    has_effect: bool,
}

impl Named<'_> {
    /// What people call a record of the accepted types.
    fn noun(&self) -> String {
        self.kinds.iter().map(|kind| kind.nouns[0].as_str()).collect::<Vec<_>>().join(" or ")
    }

    /// Every noun of the accepted types.
    fn nouns(&self) -> Vec<String> {
        self.kinds.iter().flat_map(|kind| kind.nouns.iter().cloned()).collect()
    }
}

impl Kernel {
    /// Looks up a name among records of these kinds.
    pub fn look_up(&self, scope: &Scope, kinds: &[&str], name: &str) -> Result<Linked, KernelError> {
        let lookup = StoreLookup::new(self.registry(), self.store().as_ref(), scope);
        let kinds = self.named_kinds(kinds.iter().copied());
        let now = self.clock().now();
        let linked = link(&Asked { mention: name, kinds: &kinds, now, focus: &[], in_scope: &|_| false }, &lookup);
        match lookup.away.take() {
            Some(error) => Err(error.into()),
            None => Ok(linked),
        }
    }

    /// The name that a record borrows from the one its label refers to; `None` if its type has a name of its own.
    pub fn borrowed_name(&self, scope: &Scope, def: &RecordDef, row: &RecordRow) -> Option<String> {
        lookup::borrowed(def)?;
        let lookup = StoreLookup::new(self.registry(), self.store().as_ref(), scope);
        Some(lookup.card(def, row, 0).name).filter(|name| !name.is_empty())
    }

    /// Looks up every `{"mention": …}` where the id of a record belongs.
    pub(crate) fn link_names(
        &self,
        request: &Request,
        wanted: &mut Vec<Wanted>,
        places: &[NamePosition],
    ) -> Result<Links, KernelError> {
        let mut links = Links::default();
        let mut each: Vec<Each> = Vec::new();
        let lookup = StoreLookup::new(self.registry(), self.store().as_ref(), &request.scope);
        for (call, one) in wanted.iter_mut().enumerate() {
            if !one.args.values().any(holds_mention) {
                continue;
            }
            let schema = self.schema_of(&one.target);
            let has_effect = self.has_effect(&one.target);
            let args = one.args.clone();
            for (slot, value) in one.args.iter_mut().filter(|(_, value)| holds_mention(value)) {
                let property = &schema["properties"][slot.as_str()];
                let kinds = self.kinds(property);
                let place = places.iter().find(|place| place.call == call && place.slot == *slot);
                let anchor = item(property)["x-anchor"].as_str();
                let target = &one.target;
                let named =
                    Named { request, target, place, call, slot, kinds: &kinds, anchor, args: &args, has_effect };
                let is_list = value.is_array();
                let values: Vec<&mut Value> = match &mut *value {
                    Value::Array(many) => many.iter_mut().take(MAX_MENTIONS).collect(),
                    _ => vec![&mut *value],
                };
                let mut of_list = Vec::new();
                for (at, value) in values.into_iter().enumerate() {
                    let Some(said) = mention(value).map(str::to_owned) else { continue };
                    let reference = Reference::new(&said, &named.nouns());
                    if matches!(reference.count, Count::Both | Count::All) && !kinds.is_empty() {
                        *value = Value::from(said.as_str());
                        if let Some(ids) = self.each(&named, &said, &reference, &lookup, &mut links) {
                            *value = Value::from(ids[0].as_str());
                            if is_list {
                                of_list.push((at, ids));
                            } else {
                                each.push(Each { call, slot: slot.clone(), ids });
                            }
                        }
                        continue;
                    }
                    // Record types without names keep the text: the schema then reports that it is not an id.
                    *value = Value::from(self.resolve(&named, &said, &lookup, &mut links).unwrap_or(said));
                }
                if let Value::Array(many) = value {
                    for (at, ids) in of_list.into_iter().rev() {
                        many.splice(at..=at, ids.into_iter().map(Value::from));
                    }
                }
            }
        }
        expand(wanted, &each);
        match lookup.away.take() {
            Some(error) => Err(error.into()),
            None => Ok(links),
        }
    }

    /// The id of the record that is meant, if it is unambiguous.
    fn resolve(&self, named: &Named<'_>, said: &str, lookup: &StoreLookup<'_>, links: &mut Links) -> Option<String> {
        if named.kinds.is_empty() {
            return None;
        }
        let mut linked = self.named(named, said, lookup);
        let mut nobody = None;
        if let Some(found) = self.by_group(named, said, lookup, &linked) {
            (linked, nobody) = (found.linked, found.nobody);
        }
        let noun = named.noun();
        links.evidence.push(evidence(named, &linked));
        match (linked.verdict, linked.one()) {
            (_, Some(one)) if !linked.is_guess() => return Some(one.card.id.clone()),
            (_, Some(one)) if !named.has_effect => {
                links.confidence = Some(Confidence::Medium);
                return Some(one.card.id.clone());
            }
            (_, Some(one)) => {
                let name = one.card.name.clone();
                let text = format!("There is no {noun} called “{said}”. Do you mean {name}?");
                links.questions.push((text, options(named, &linked.candidates[..1], &[name])));
            }
            (Resolution::Several, None) => {
                let cards: Vec<&Card> = linked.candidates.iter().take(MAX_OPTIONS).map(|one| &one.card).collect();
                let labels = differences::labels(&cards, lookup);
                let names: Vec<String> = labels.iter().map(|label| format!("  {label}")).collect();
                let more = if linked.candidates.len() > MAX_OPTIONS { "\n  and others" } else { "" };
                let text = format!("Which {noun} do you mean by “{said}”?\n{}{more}", names.join("\n"));
                links.questions.push((text, options(named, &linked.candidates, &labels)));
            }
            // Where only ids contain digits, this is probably a mistyped id: the schema explains the format.
            (_, None) if is_one_number(said) && !self.has_identifiers(named.kinds) => {}
            (Resolution::One | Resolution::None, None) => {
                let mut problem = not_called(named, &noun, said, &linked);
                match nobody {
                    Some(nobody) => problem.message = nobody,
                    None => {
                        let behind = self.behind(named);
                        links.is_behind |= behind.is_some();
                        problem.message.extend(behind);
                    }
                }
                links.problems.push(problem);
            }
        }
        None
    }

    /// The candidates for a name or a description of one record.
    fn named(&self, named: &Named<'_>, said: &str, lookup: &StoreLookup<'_>) -> Linked {
        let reference = Reference::new(said, &named.nouns());
        if reference.count == Count::Last {
            return self.last(named, said, lookup);
        }
        let spoken_of = spoken_of(named.request);
        let focus = self.focus(named, &spoken_of, lookup);
        // Records that refer to the focus of the request count as part of it.
        let about: Vec<String> = spoken_of.iter().map(ToString::to_string).collect();
        let in_scope = |card: &Card| card.belongs_to.iter().any(|id| about.contains(id));
        let now = self.clock().now();
        let asked = Asked { mention: said, kinds: named.kinds, now, focus: &focus, in_scope: &in_scope };
        let linked = link(&asked, lookup);
        // An exact name or a part of one needs no description.
        if linked.verdict != Resolution::None && !linked.is_guess() {
            return linked;
        }
        let described: Vec<Candidate> =
            named.kinds.iter().flat_map(|kind| reference::described(kind, &reference, lookup)).collect();
        if described.is_empty() { linked } else { conclude(said, described) }
    }

    /// The record kinds that an argument accepts, with their nouns; kinds without names are left out.
    fn kinds(&self, property: &Value) -> Vec<Kind> {
        let item = item(property);
        let one = item["x-entity"].as_str();
        let names: Vec<&str> = match item["x-kinds"].as_array() {
            Some(several) => several.iter().filter_map(Value::as_str).collect(),
            None => one.into_iter().collect(),
        };
        self.named_kinds(names.into_iter())
    }

    fn named_kinds<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Kind> {
        let defs = names.filter_map(|name| self.registry().record(name)).filter(|def| def.is_named());
        defs.map(|def| {
            let mut nouns = vec![def.title.to_lowercase(), def.name.replace('_', " ")];
            for pack in self.registry().packs().values() {
                nouns.extend(pack.nouns.get(&def.name).into_iter().flatten().cloned());
            }
            nouns.dedup();
            Kind { name: def.name.clone(), nouns }
        })
        .collect()
    }

    fn has_identifiers(&self, kinds: &[Kind]) -> bool {
        let defs = kinds.iter().filter_map(|kind| self.registry().record(&kind.name));
        defs.into_iter().any(|def| !def.identifier_fields().is_empty() || lookup::borrowed(def).is_some())
    }

    /// The records of the expected kinds that a request is about.
    fn focus(&self, named: &Named<'_>, ids: &[RecordId], lookup: &StoreLookup<'_>) -> Vec<Card> {
        let defs = named.kinds.iter().filter_map(|kind| self.registry().record(&kind.name));
        defs.flat_map(|def| ids.iter().filter_map(|id| lookup.one(def, *id))).collect()
    }

    /// A hint if the lookup indexes of these kinds are stale, so that an existing record may not be found. Also logged
    /// for the operator.
    fn behind(&self, named: &Named<'_>) -> Option<String> {
        let scope = &named.request.scope;
        let is_behind = |kind: &&Kind| {
            let def = self.registry().record(&kind.name);
            def.is_some_and(|def| {
                is_behind(self.store().as_ref(), scope, self.clock().as_ref(), def).unwrap_or_default()
            })
        };
        let kinds: Vec<&str> = named.kinds.iter().filter(is_behind).map(|kind| kind.name.as_str()).collect();
        if kinds.is_empty() {
            return None;
        }
        tracing::info!(tenant = %scope.tenant(), ?kinds, "the lookup fields of these record types changed; run `brain records reindex` so that older records are found by name");
        Some(" Older records may not be found by name: their lookup index is stale and must be rebuilt.".into())
    }

    fn has_effect(&self, target: &str) -> bool {
        let changes = |name: &str| self.registry().tool(name).is_none_or(|tool| tool.def.effect != Effect::Read);
        match self.registry().playbook(target) {
            Some(playbook) => playbook.steps.iter().any(|step| changes(&step.tool)),
            None => changes(target),
        }
    }
}

/// The ids in the context of a request: its focus.
fn spoken_of(request: &Request) -> Vec<RecordId> {
    let context = request.context.as_object().into_iter().flatten();
    context.filter_map(|(_, value)| value.as_str()?.parse().ok()).take(MAX_FOCUS).collect()
}

/// The item schema of an argument that may be a list.
fn item(property: &Value) -> &Value {
    if property["items"].is_object() { &property["items"] } else { property }
}

fn is_one_number(said: &str) -> bool {
    !said.contains(char::is_whitespace) && said.contains(|c: char| c.is_ascii_digit())
}

fn mention(value: &Value) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get("mention")?.as_str()
}

fn holds_mention(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| mention(item).is_some()),
        one => mention(one).is_some(),
    }
}

fn evidence(named: &Named<'_>, linked: &Linked) -> Value {
    let shown = linked.candidates.iter().take(MAX_OPTIONS).map(|one| {
        json!({
            "kind": one.card.kind, "id": one.card.id, "name": one.card.name, "how": one.how, "score": one.score,
            "evidence": one.evidence,
        })
    });
    json!({
        "call": named.call, "slot": named.slot, "mention": linked.mention, "verdict": linked.verdict,
        "candidates": shown.collect::<Vec<_>>(),
    })
}

/// No record has this name; suggests similar ones.
fn not_called(named: &Named<'_>, noun: &str, said: &str, linked: &Linked) -> Problem {
    let mut names: Vec<String> = linked.near.iter().map(|one| format!("“{}”", one.card.name)).collect();
    names.dedup();
    names.truncate(MAX_OPTIONS);
    let hint = match names.as_slice() {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        [first @ .., last] => format!(" Did you mean {} or {last}?", first.join(", ")),
    };
    Problem {
        tool: Some(named.target.to_owned()),
        field: Some(named.slot.to_owned()),
        ..Problem::new(NOT_FOUND, format!("There is no {noun} called “{said}”.{hint}"))
    }
    .in_call(named.call)
}

/// Suggested replies that single out one record: the message with its id, or the id alone.
fn options(named: &Named<'_>, candidates: &[Candidate], labels: &[String]) -> Vec<NextAction> {
    let option = |(one, name): (&Candidate, &String)| match named
        .place
        .and_then(|place| Some((place, named.request.message.get(place.span.clone())?)))
    {
        Some((place, _)) => {
            let mut message = named.request.message.clone();
            message.replace_range(place.span.clone(), &one.card.id);
            NextAction::say_for(name, message.trim())
        }
        None => NextAction::say_for(name, &one.card.id),
    };
    candidates.iter().zip(labels).map(option).collect()
}
