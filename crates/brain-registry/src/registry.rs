//! The checked registry of tools, playbooks and record types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use brain_core::{Digest, DigestBuilder, Redactor, canonical_digest};
use serde_json::{Map, Value, json};

use crate::ask::Says;
use crate::call::Tool;
use crate::check::check;
use crate::code::Code;
use crate::complete::complete;
use crate::model::{Behavior, CorpusRow, PackDef, Playbook, Precondition, RecordDef, Scenario};
use crate::native::NativeDecl;
use crate::report::Report;
use crate::source::PackSource;
use crate::times::Times;
use crate::world::World;

/// The checked registry. It can be made only by loading packs without errors.
#[derive(Clone, Debug)]
pub struct Registry {
    packs: BTreeMap<String, PackDef>,
    tools: BTreeMap<String, Arc<Tool>>,
    /// By name; the variants of one name in order of precedence.
    playbooks: BTreeMap<String, Vec<Arc<Playbook>>>,
    /// Aliases of playbooks, with the name of each one's playbook.
    aliases: BTreeMap<String, String>,
    records: BTreeMap<String, Arc<RecordDef>>,
    /// Generated phrases that a pack's own tool answers, with the values that they imply.
    lent: BTreeMap<String, Says>,
    corpus: Vec<CorpusRow>,
    scenarios: Vec<Scenario>,
    settings: Map<String, Value>,
    remembered: BTreeSet<String>,
    names_flags: bool,
    redactor: OnceLock<Redactor>,
    hash: Digest,
}

/// A registry and its warnings.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The checked definitions of all packs.
    pub registry: Registry,
    /// Problems that do not prevent loading.
    pub warnings: Report,
}

/// Loads packs from folders. On errors, the report has every problem in every file.
pub fn load(folders: &[PathBuf]) -> Result<Loaded, Report> {
    load_with(folders, &[])
}

/// Loads packs from memory.
pub fn load_sources(packs: Vec<PackSource>) -> Result<Loaded, Report> {
    load_sources_with(packs, &[])
}

/// [`load`] with Rust functions; each also becomes a tool of its own.
pub fn load_with(folders: &[PathBuf], natives: &[NativeDecl]) -> Result<Loaded, Report> {
    load_sources_with(folders.iter().map(|folder| PackSource::read(folder)).collect(), natives)
}

/// [`load_sources`] with Rust functions; each also becomes a tool of its own.
pub fn load_sources_with(packs: Vec<PackSource>, natives: &[NativeDecl]) -> Result<Loaded, Report> {
    load_sources_within(packs, natives, Times::default())
}

/// [`load_sources_with`] with the operator's limits on timeouts.
pub fn load_sources_within(packs: Vec<PackSource>, natives: &[NativeDecl], times: Times) -> Result<Loaded, Report> {
    let mut world = World { natives: natives.to_vec(), times, ..World::default() };
    for pack in &packs {
        world.read(pack);
    }
    world.add_natives();
    complete(&mut world);
    (world.generated, world.lent) = crate::ask::generate(&world);
    let found = check(&world);
    world.found.extend(found);
    Registry::build(world)
}

impl Registry {
    fn build(mut world: World) -> Result<Loaded, Report> {
        let mut tools = BTreeMap::new();
        for tool in std::mem::take(&mut world.tools) {
            match Tool::from_def(tool.value) {
                Ok(ready) => {
                    tools.insert(ready.def.name.clone(), ready);
                }
                Err(error) => world.complain(&tool.file, Code::BadSchema, error.to_string(), None),
            }
        }
        // They are made of checked parts, and a pack is not at fault if one does not fit.
        let generated = std::mem::take(&mut world.generated).into_iter().filter_map(|def| Tool::from_def(def).ok());
        tools.extend(generated.map(|tool| (tool.def.name.clone(), tool)));
        let report = Report::new(world.found, world.sources);
        if report.errors() > 0 {
            return Err(report);
        }
        let packs: BTreeMap<String, PackDef> =
            world.packs.into_iter().map(|pack| (pack.value.name.clone(), pack.value)).collect();
        let records =
            world.records.into_iter().map(|record| (record.value.name.clone(), Arc::new(record.value))).collect();
        let mut playbooks: BTreeMap<String, Vec<Arc<Playbook>>> = BTreeMap::new();
        for playbook in world.playbooks {
            playbooks.entry(playbook.value.name.clone()).or_default().push(Arc::new(playbook.value));
        }
        for variants in playbooks.values_mut() {
            variants.sort_by_key(|one| std::cmp::Reverse((one.priority, one.version)));
        }
        let named = |one: &Arc<Playbook>| one.aliases.iter().map(|alias| (alias.clone(), one.name.clone())).collect();
        let aliases = playbooks.values().flatten().flat_map::<Vec<_>, _>(named).collect();
        let settings = packs.values().flat_map(|pack| pack.settings.clone()).collect();
        let defs = || tools.values().map(|tool| &tool.def);
        let mut remembered = BTreeSet::new();
        for precondition in defs().flat_map(|def| &def.requires) {
            remembered_in(precondition, &mut remembered);
        }
        remembered.extend(defs().filter(|def| def.delegate.is_some()).map(|def| def.name.clone()));
        let names_flags = defs().any(|def| def.blockers.iter().any(|blocker| blocker.when.is_none()));
        let mut registry = Self {
            packs,
            tools,
            playbooks,
            aliases,
            records,
            lent: world.lent,
            corpus: world.corpus.into_iter().map(|row| row.value).collect(),
            scenarios: world.scenarios.into_iter().map(|one| one.value).collect(),
            settings,
            remembered,
            names_flags,
            redactor: OnceLock::new(),
            hash: Digest::of(b""),
        };
        registry.hash = registry.digest();
        Ok(Loaded { registry, warnings: report })
    }

    /// A digest of everything that affects understanding and execution; corpora and scenarios do not.
    fn digest(&self) -> Digest {
        let mut digest = DigestBuilder::new("registry");
        for pack in self.packs.values() {
            digest = digest.part(canonical_digest(pack).as_bytes());
        }
        for tool in self.tools.values() {
            digest = digest.part(tool.hash.as_bytes());
        }
        for record in self.records.values() {
            digest = digest.part(record.hash().as_bytes());
        }
        for playbook in self.playbooks.values().flatten() {
            digest = digest.part(canonical_digest(playbook.as_ref()).as_bytes());
        }
        digest.finish()
    }

    /// All packs by name.
    pub fn packs(&self) -> &BTreeMap<String, PackDef> {
        &self.packs
    }

    /// All tools by name.
    pub fn tools(&self) -> &BTreeMap<String, Arc<Tool>> {
        &self.tools
    }

    /// A tool by name.
    pub fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// The tool name most similar to a wrong one.
    pub fn nearest_tool(&self, name: &str) -> Option<&str> {
        crate::suggest::nearest(name, self.tools.keys().map(String::as_str))
    }

    /// The generated phrases of a tool: those of a generated one, or questions that a pack's own tool answers.
    pub fn generated_phrases(&self, tool: &str) -> impl Iterator<Item = &str> {
        let def = self.tool(tool).map(|tool| &tool.def).filter(|def| def.is_generated());
        let own = def.into_iter().flat_map(|def| &def.phrases);
        own.chain(self.lent.get(tool).into_iter().flat_map(BTreeMap::keys)).map(String::as_str)
    }

    /// The values that a generated phrase of a tool implies.
    pub fn implied(&self, tool: &str, phrase: &str) -> Option<&Map<String, Value>> {
        match self.tool(tool).map(|tool| &tool.def.behavior) {
            Some(Behavior::Query(query)) => query.says.get(phrase),
            _ => self.lent.get(tool)?.get(phrase),
        }
    }

    /// All playbooks by name, variants included.
    pub fn playbooks(&self) -> impl Iterator<Item = &Arc<Playbook>> {
        self.playbooks.values().flatten()
    }

    /// Any variant of a playbook, by name or alias: all variants take the same slots.
    pub fn playbook(&self, name: &str) -> Option<&Arc<Playbook>> {
        self.variants(name)?.first()
    }

    fn variants(&self, name: &str) -> Option<&Vec<Arc<Playbook>>> {
        self.playbooks.get(name).or_else(|| self.playbooks.get(self.aliases.get(name)?))
    }

    /// The variant of a playbook for a tenant: the tenant's own before shared ones, then higher priority, then higher
    /// version.
    pub fn playbook_for(&self, tenant: &str, name: &str) -> Option<&Arc<Playbook>> {
        let variants = self.variants(name)?;
        let own = variants.iter().find(|one| one.tenant.as_deref() == Some(tenant));
        own.or_else(|| variants.iter().find(|one| one.tenant.is_none()))
    }

    /// Whether past calls of this tool are looked up later, by `prior` and `never` preconditions or as a dispatch.
    pub fn is_remembered(&self, tool: &str) -> bool {
        self.remembered.contains(tool)
    }

    /// Whether any tool is blocked by flags in a request's context.
    pub fn names_flags(&self) -> bool {
        self.names_flags
    }

    /// All record types by name.
    pub fn records(&self) -> &BTreeMap<String, Arc<RecordDef>> {
        &self.records
    }

    /// A record type by name.
    pub fn record(&self, name: &str) -> Option<&Arc<RecordDef>> {
        self.records.get(name)
    }

    /// The held-out utterances.
    pub fn corpus(&self) -> &[CorpusRow] {
        &self.corpus
    }

    /// The end-to-end tests.
    pub fn scenarios(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// The settings of all packs; if two packs set the same key, the later pack (by name) wins.
    pub fn settings(&self) -> &Map<String, Value> {
        &self.settings
    }

    /// JSON Schema of the settings, so that expressions read decimals as numbers (`Value::from_typed_json`).
    pub fn settings_schema(&self) -> Value {
        let decimals = self.packs.values().flat_map(|pack| &pack.decimal_settings);
        let properties: Map<String, Value> =
            decimals.map(|name| (name.clone(), json!({"format": "decimal"}))).collect();
        json!({"type": "object", "properties": properties})
    }

    /// The redactor for fields and inputs declared as personal.
    pub fn redactor(&self) -> &Redactor {
        self.redactor.get_or_init(|| self.make_redactor())
    }

    fn make_redactor(&self) -> Redactor {
        let of_records = self
            .records
            .values()
            .flat_map(|record| record.fields.iter().filter(|field| field.personal).map(|field| field.name.clone()));
        let of_inputs = self.tools.values().flat_map(|tool| personal(&tool.def.input));
        let of_slots = self.playbooks().flat_map(|playbook| personal(&playbook.slots));
        Redactor::new(of_records.chain(of_inputs).chain(of_slots))
    }

    /// The digest of everything that affects understanding and execution.
    pub fn hash(&self) -> Digest {
        self.hash
    }
}

fn remembered_in(precondition: &Precondition, found: &mut BTreeSet<String>) {
    found.extend(precondition.prior.iter().chain(&precondition.never).cloned());
    for one in &precondition.any {
        remembered_in(one, found);
    }
}

fn personal(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object();
    properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| property["x-personal"] == true)
        .map(|(name, _)| name.clone())
        .collect()
}
