//! Reloading packs: a slot that holds the kernel of the loaded packs.
//!
//! A kernel never changes its packs. Reloading creates another kernel over the same engine and store and puts it into
//! the slot. Requests in progress finish with their kernel; later ones get the new one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use brain_core::Digest;
use brain_registry::model::{Playbook, RecordDef};
use brain_registry::{Loaded, Registry, Report};

use crate::error::KernelError;
use crate::kernel::Kernel;

/// Loads and checks the packs again.
pub type LoadPacks = dyn Fn() -> Result<Loaded, Report> + Send + Sync;

/// Why packs were not reloaded. The previous ones stay in use.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The program was started without a pack loader.
    #[error("this server was started with packs that cannot be reloaded")]
    NoPacks,
    /// A pack has errors.
    #[error("the packs have errors; the previous ones stay in use")]
    Refused(Box<Report>),
    /// Something else went wrong.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

/// What was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// The packs with their versions.
    pub packs: BTreeMap<String, String>,
    /// How many tools they have.
    pub tools: usize,
    /// Tools, playbooks and record types that are new or changed.
    pub changed: Vec<String>,
    /// Removed tools, playbooks and record types.
    pub removed: Vec<String>,
    /// Warnings about the packs.
    pub warnings: usize,
}

/// The kernel of the loaded packs. Clones share the slot.
#[derive(Clone)]
pub struct KernelSlot(Arc<Inner>);

struct Inner {
    current: RwLock<Arc<Kernel>>,
    load: Option<Box<LoadPacks>>,
    /// One reload at a time.
    reloading: Mutex<()>,
}

impl From<Arc<Kernel>> for KernelSlot {
    /// A slot whose packs cannot be reloaded.
    fn from(kernel: Arc<Kernel>) -> Self {
        Self(Arc::new(Inner { current: RwLock::new(kernel), load: None, reloading: Mutex::default() }))
    }
}

impl KernelSlot {
    /// A slot whose packs are reloaded by `load`.
    pub fn new(kernel: Arc<Kernel>, load: Box<LoadPacks>) -> Self {
        Self(Arc::new(Inner { current: RwLock::new(kernel), load: Some(load), reloading: Mutex::default() }))
    }

    /// The kernel for a new request.
    pub fn get(&self) -> Arc<Kernel> {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reloads the packs; refused as a whole if one has an error. Reads files and compiles the vocabulary, so it may
    /// take seconds; after a small change, most of the search index is reused.
    pub fn reload(&self) -> Result<Reloaded, ReloadError> {
        let _one = self.0.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let load = self.0.load.as_ref().ok_or(ReloadError::NoPacks)?;
        let Loaded { registry, warnings, .. } = load().map_err(|report| ReloadError::Refused(Box::new(report)))?;
        let old = self.get();
        let new = old.succeeded_by(Arc::new(registry))?;
        new.warm_up_from(&old);
        let done = difference(old.registry(), new.registry(), warnings.warnings());
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(done)
    }
}

fn difference(old: &Registry, new: &Registry, warnings: usize) -> Reloaded {
    let (before, after) = (definitions(old), definitions(new));
    let changed = after.iter().filter(|(name, definition)| before.get(*name) != Some(definition));
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    Reloaded {
        packs: new.packs().values().map(|pack| (pack.name.clone(), pack.version.clone())).collect(),
        tools: new.tools().values().filter(|tool| !tool.def.is_generated()).count(),
        changed: changed.map(|(name, _)| name.clone()).collect(),
        removed: removed.cloned().collect(),
        warnings,
    }
}

/// What packs define, by name.
#[derive(Default, PartialEq)]
struct Definition<'r> {
    tool: Option<Digest>,
    /// A playbook may have variants.
    playbooks: Vec<&'r Playbook>,
    record: Option<&'r RecordDef>,
}

fn definitions(registry: &Registry) -> BTreeMap<String, Definition<'_>> {
    let mut found: BTreeMap<String, Definition<'_>> = BTreeMap::new();
    // Generated tools change with their record type.
    for tool in registry.tools().values().filter(|tool| !tool.def.is_generated()) {
        found.entry(tool.def.name.clone()).or_default().tool = Some(tool.hash);
    }
    for playbook in registry.playbooks() {
        found.entry(playbook.name.clone()).or_default().playbooks.push(playbook);
    }
    for (name, record) in registry.records() {
        found.entry(name.clone()).or_default().record = Some(record);
    }
    found
}

#[cfg(test)]
mod tests {
    use brain_registry::{PackSource, Registry};

    use super::difference;

    fn registry(playbooks: &[&str]) -> Registry {
        let tool = "domain: t\ntools:\n  do: {title: Do, input: {n: string}, behavior: {expr: \"= {}\"}}\n";
        let mut files = vec![
            ("pack.yaml".to_owned(), "name: t\nversion: 1.0.0\n".to_owned()),
            ("tools/t.yaml".to_owned(), tool.to_owned()),
        ];
        for name in playbooks {
            let text = format!(
                "playbook: t.{name}\ntitle: {name}\nslots: {{n: string}}\nsteps:\n  - {{id: s, tool: t.do, args: {{n: \"= slots.n\"}}}}\n"
            );
            files.push((format!("playbooks/{name}.yaml"), text));
        }
        match brain_registry::load_sources(vec![PackSource::new("t", files)]) {
            Ok(loaded) => loaded.registry,
            Err(report) => panic!("{}", report.render(false)),
        }
    }

    #[test]
    fn an_added_playbook_is_named_beside_others_of_its_domain() {
        let done = difference(&registry(&["one"]), &registry(&["one", "two"]), 0);
        assert_eq!((done.changed, done.removed), (vec!["t.two".to_owned()], Vec::new()));
    }
}
