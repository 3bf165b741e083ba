//! Generated tools: each record type has one that answers questions about its records, without its author writing any.
//!
//! A generated tool is an ordinary definition that only reads. It is named `ask.TYPE`; a pack's own tool of that name
//! takes its place. It is as restricted as the pack's own tools on that type.

mod input;
mod phrases;

use std::collections::{BTreeMap, BTreeSet};

use brain_english::questions::plural;
use brain_lang::binding::Binding;
use serde_json::{Map, Value};

use self::input::Inputs;
use self::phrases::{Asked, phrases};
use crate::model::{
    Behavior, Consent, Effect, Idempotency, Lookup, QueryBehavior, QueryTest, RecordBehavior, RecordDef, RecordOp,
    RetryPolicy, ToolDef,
};
use crate::phrase::Part;
use crate::world::World;

/// The domain of generated tools.
pub const ASK_DOMAIN: &str = "ask";
/// Priority, between 1 and 10.
const PRIORITY: u8 = 5;
/// Maximum number of generated phrases of one tool; the plainest are kept.
const MAX_PHRASES: usize = 60;
/// Maximum number of nouns for one record type.
const MAX_NOUNS: usize = 3;
/// A longer title is a description, not a noun.
const MAX_NOUN_WORDS: usize = 2;

/// Phrases and the values that they imply.
pub(crate) type Says = BTreeMap<String, Map<String, Value>>;

/// The generated tools of all record types, and the generated phrases that a pack's own tools answer, by tool.
pub(crate) fn generate(world: &World) -> (Vec<ToolDef>, BTreeMap<String, Says>) {
    let mut seen = BTreeSet::new();
    let mut lent = BTreeMap::new();
    let asked = world.records.iter().map(|record| &record.value).filter(|def| def.ask && seen.insert(&def.name));
    let tools = asked.filter_map(|def| tool(world, def, &mut lent)).collect();
    (tools, lent)
}

fn tool(world: &World, def: &RecordDef, lent: &mut BTreeMap<String, Says>) -> Option<ToolDef> {
    let name = format!("{ASK_DOMAIN}.{}", def.name);
    let is_alias = || world.playbooks.iter().any(|playbook| playbook.value.aliases.contains(&name));
    if world.tool(&name).is_some() || world.playbook(&name).is_some() || world.broken.contains(&name) || is_alias() {
        return None;
    }
    let access = access(world, def)?;
    let nouns = nouns(world, def);
    let one = nouns.first().cloned().unwrap_or_else(|| said(&def.name));
    let inputs = Inputs::of(world, def);
    let getter = getter(world, def);
    let shown = getter.as_ref().is_some_and(|own| !own.tool.phrases.is_empty());
    let all = phrases(&Asked { nouns: &nouns, inputs: &inputs, shown, def });
    let own: Vec<Own<'_>> = getter.into_iter().chain(lister(world, def)).collect();
    let (mut phrases, mut says) = (Vec::new(), Says::new());
    for (phrase, implied) in all {
        match own.iter().find_map(|own| Some((own, own.says(&phrase, &implied, &inputs)?))) {
            Some((own, (phrase, implied))) => {
                let of_tool = lent.entry(own.tool.name.clone()).or_default();
                if of_tool.len() < MAX_PHRASES {
                    of_tool.insert(phrase, implied);
                }
            }
            None if phrases.len() == MAX_PHRASES => {}
            None => {
                phrases.push(phrase.clone());
                says.insert(phrase, implied);
            }
        }
    }
    let many = plural(&one);
    let behavior = QueryBehavior {
        record: def.name.clone(),
        one,
        many: many.clone(),
        worth: inputs.worth,
        filters: inputs.filters,
        says,
    };
    Some(ToolDef {
        name,
        pack: def.pack.clone(),
        title: format!("Questions about {many}"),
        description: format!(
            "Lists, counts, adds up and compares {many}. Generated from the record type `{}`.",
            def.name
        ),
        input: inputs.schema,
        output: None,
        phrases,
        synonyms: Vec::new(),
        intent_tier: None,
        behavior: Behavior::Query(Box::new(behavior)),
        effect: Effect::Read,
        consent: Consent::None,
        undo: None,
        requires: Vec::new(),
        retry: RetryPolicy::default(),
        timeout: world.times.tool,
        limits: None,
        idempotency: Idempotency::Key,
        priority: PRIORITY,
        summary: None,
        next: Vec::new(),
        tags: Vec::new(),
        permission: access.permission,
        tiers: access.tiers,
        needs: Vec::new(),
        blockers: Vec::new(),
        opposites: Vec::new(),
        cost: None,
        acknowledge: None,
        may_inject: false,
        capability: None,
        delegate: None,
        review: None,
        no_undo: None,
    })
}

/// What an actor needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    permission: Option<String>,
    tiers: Vec<String>,
}

/// What the pack's own tools on this type need: those that read, else all. `None` if they disagree, because then nothing
/// says who may ask.
fn access(world: &World, def: &RecordDef) -> Option<Access> {
    let on_type = |tool: &&ToolDef| record_behavior(tool).is_some_and(|behavior| works_on(behavior, &def.name));
    let all: Vec<&ToolDef> = world.tools.iter().map(|tool| &tool.value).filter(on_type).collect();
    let reads = |tool: &&ToolDef| record_behavior(tool).is_some_and(|behavior| is_read(behavior.op));
    let needs = |tools: &[&ToolDef]| -> BTreeSet<Access> {
        tools.iter().map(|tool| Access { permission: tool.permission.clone(), tiers: tool.tiers.clone() }).collect()
    };
    let readers: Vec<&ToolDef> = all.iter().copied().filter(reads).collect();
    let mut needed = needs(if readers.is_empty() { &all } else { &readers });
    match needed.len() {
        0 => Some(Access::default()),
        1 => needed.pop_first(),
        _ => None,
    }
}

fn record_behavior(tool: &ToolDef) -> Option<&RecordBehavior> {
    match &tool.behavior {
        Behavior::Record(behavior) => Some(behavior),
        _ => None,
    }
}

fn works_on(behavior: &RecordBehavior, record: &str) -> bool {
    let looks_up = |lookup: &Lookup| match lookup {
        Lookup::Get { record: of, .. } | Lookup::List { record: of, .. } => of == record,
    };
    behavior.record == record || (is_read(behavior.op) && behavior.with.iter().any(|(_, lookup)| looks_up(lookup)))
}

fn is_read(op: RecordOp) -> bool {
    matches!(op, RecordOp::Get | RecordOp::List | RecordOp::Search)
}

/// A pack's own tool that answers some of the questions.
struct Own<'w> {
    tool: &'w ToolDef,
    measure: &'static str,
    /// Its inputs, by the field that they are compared with; `id` for the record itself.
    inputs: BTreeMap<&'w str, &'w str>,
}

impl Own<'_> {
    /// A phrase and its values in the tool's own inputs; `None` if it cannot express the question, or is called by nobody.
    fn says(
        &self,
        phrase: &str,
        implied: &Map<String, Value>,
        inputs: &Inputs,
    ) -> Option<(String, Map<String, Value>)> {
        if self.tool.phrases.is_empty() || implied.get("measure").is_none_or(|measure| measure != self.measure) {
            return None;
        }
        let own_input = |input: &str| -> Option<&str> {
            let field = match inputs.filters.get(input) {
                Some(filter) if filter.test == QueryTest::Is => filter.field.as_str(),
                None if input == "id" => "id",
                _ => return None,
            };
            self.inputs.get(field).copied()
        };
        let mut text = String::new();
        for part in crate::phrase::parts(phrase).ok()? {
            match part {
                Part::Words(words) => text.push_str(words),
                Part::Slot(slot, _) => text.push_str(&format!("{{{}}}", own_input(slot)?)),
            }
        }
        let others = implied.iter().filter(|(name, _)| *name != "measure");
        let values: Option<Map<String, Value>> =
            others.map(|(name, value)| Some((own_input(name)?.to_owned(), value.clone()))).collect();
        Some((text, values?))
    }
}

/// The pack's own tool that shows a record: it reads one, and needs nothing but the record.
fn getter<'w>(world: &'w World, def: &RecordDef) -> Option<Own<'w>> {
    world.tools.iter().map(|tool| &tool.value).find_map(|tool| {
        record_behavior(tool).filter(|one| one.op == RecordOp::Get && one.record == def.name)?;
        let names = tool.input["required"].as_array()?;
        let [one] = names.as_slice() else { return None };
        let one = one.as_str().filter(|one| tool.input["properties"][*one]["x-entity"] == def.name.as_str())?;
        Some(Own { tool, measure: "show", inputs: BTreeMap::from([("id", one)]) })
    })
}

/// The pack's own tool that lists all records, and those that it can select.
fn lister<'w>(world: &'w World, def: &RecordDef) -> Option<Own<'w>> {
    world.tools.iter().map(|tool| &tool.value).find_map(|tool| {
        let behavior = record_behavior(tool).filter(|one| one.op == RecordOp::List && one.record == def.name)?;
        let needs_something = tool.input["required"].as_array().is_some_and(|names| !names.is_empty());
        let input = |(field, binding): (&'w String, &'w Binding)| {
            let input = binding.source().as_str()?.strip_prefix('=')?.trim().strip_prefix("input.")?;
            tool.input["properties"].get(input).map(|_| (field.as_str(), input))
        };
        let inputs = behavior.filter.iter().filter_map(input).collect();
        (!needs_something).then_some(Own { tool, measure: "list", inputs })
    })
}

/// What people call a record of this type: its name, its title, and the pack's nouns for it.
fn nouns(world: &World, def: &RecordDef) -> Vec<String> {
    let name = said(&def.name);
    let title = def.title.to_lowercase();
    let is_other = |noun: &str| {
        let others = world.records.iter().map(|record| &record.value).filter(|other| other.name != def.name);
        others.into_iter().any(|other| said(&other.name) == noun || other.title.to_lowercase() == noun)
    };
    let pack = world.packs.iter().find(|pack| pack.value.name == def.pack);
    let declared: BTreeMap<&String, &Vec<String>> =
        pack.into_iter().flat_map(|pack| &pack.value.nouns).filter(|(_, list)| !list.is_empty()).collect();
    let of_type = declared.iter().filter(|(key, list)| ***key == def.name || list.contains(&name));
    let mut nouns: Vec<String> = Vec::new();
    let short = title.split_whitespace().count() <= MAX_NOUN_WORDS;
    let all = short.then_some(title).into_iter().chain([name.clone()]);
    for noun in all.chain(of_type.flat_map(|(_, list)| list.iter().map(|noun| noun.to_lowercase()))) {
        let plain = noun.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\''));
        if plain && noun.chars().any(char::is_alphabetic) && !is_other(&noun) && !nouns.contains(&noun) {
            nouns.push(noun);
        }
    }
    nouns.truncate(MAX_NOUNS);
    nouns
}

/// A name as people say it.
fn said(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests;
