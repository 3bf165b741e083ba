//! The kernel: the pipe from a request to a report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{Clock, Digest, Failure, Millis, Random, RunId, TenantId};
use brain_engine::{Engine, EngineConfig, Liveness, Outside};
use brain_lang::plan::ToolRef;
use brain_nlu::Vocabulary;
use brain_nlu::learn::Score;
use brain_registry::{Registry, Tool};
use brain_store::{Lane, Store};
use brain_tools::{Toolbox, ToolboxConfig};

use crate::budget::SpendCaps;
use crate::error::KernelError;
use crate::host::KernelHost;
use crate::learning::Lessons;
use crate::vocabulary::{LanguageConfig, load_vocabulary, save_snapshot};

/// Configuration of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelConfig {
    /// The engine.
    pub engine: EngineConfig,
    /// The tools.
    pub tools: ToolboxConfig,
    /// Language configuration.
    pub language: LanguageConfig,
    /// Deadlines for people's decisions.
    pub expiry: Expiry,
    /// Daily spending caps.
    pub caps: SpendCaps,
}

/// How long people have to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// For the answer to a question.
    pub questions: Millis,
    /// For the approval of a plan.
    pub staged: Millis,
    /// For a dead letter; `None`: forever.
    pub letters: Option<Millis>,
}

impl Default for Expiry {
    fn default() -> Self {
        let days = |days: u64| Millis::from_secs(days * 24 * 60 * 60);
        Self { questions: days(1), staged: days(7), letters: Some(days(90)) }
    }
}

/// Takes requests through the pipe, from text to receipts, over one store and one set of packs.
pub struct Kernel {
    pub(crate) registry: Arc<Registry>,
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) language: LanguageConfig,
    pub(crate) expiry: Expiry,
    /// Whether the search index was saved to, or loaded from, a snapshot.
    pub(crate) snapshot_saved: AtomicBool,
    /// Taught phrases, by tenant.
    pub(crate) lessons: Mutex<std::collections::HashMap<TenantId, Lessons>>,
    /// The latest corpus scores, by tenant, and the digest of the phrases they are for.
    pub(crate) scores: Mutex<std::collections::HashMap<TenantId, (Digest, Arc<Score>)>>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) host: Arc<KernelHost>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<Mutex<Box<dyn Random>>>,
    /// Runs whose logs have reached the maximum of forged callbacks.
    pub(crate) forged: Mutex<std::collections::HashSet<RunId>>,
    /// Definitions known to be in the store.
    pub(crate) defined: Mutex<std::collections::HashSet<Digest>>,
    /// The programs that plans compile to, by the shape of the plan.
    pub(crate) shapes: Mutex<crate::program::Shapes>,
    /// What runs of a program redact, by the hash of the program.
    pub(crate) redactors: Mutex<crate::redaction::Redactors>,
}

impl Kernel {
    /// Starts a kernel with its engine. Must be called inside a Tokio runtime.
    pub fn start(
        config: &KernelConfig,
        registry: Arc<Registry>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        random: Box<dyn Random>,
        liveness: Arc<dyn Liveness>,
    ) -> Result<Arc<Self>, KernelError> {
        Self::start_with(config, registry, store, clock, random, liveness, &|outside| outside)
    }

    /// [`Kernel::start`] with a replacement for the outside world, for benchmarks.
    pub fn start_with(
        config: &KernelConfig,
        registry: Arc<Registry>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        mut random: Box<dyn Random>,
        liveness: Arc<dyn Liveness>,
        wrap: &dyn Fn(Arc<dyn Outside>) -> Arc<dyn Outside>,
    ) -> Result<Arc<Self>, KernelError> {
        let host = host(&registry, &config.tools, &config.caps, &store)?;
        let outside = wrap(host.clone());
        let seed = random.next_u64();
        let engine_random = Box::new(brain_core::SeededRandom::new(seed));
        let engine = Engine::start(
            &config.engine,
            store.clone(),
            host.clone(),
            outside,
            clock.clone(),
            engine_random,
            liveness,
        )?;
        Self::over(engine, registry, &host, random, &config.language, config.expiry)
    }

    /// A kernel over an engine that the caller moves.
    pub(crate) fn over(
        engine: Arc<Engine>,
        registry: Arc<Registry>,
        host: &Arc<KernelHost>,
        random: Box<dyn Random>,
        language: &LanguageConfig,
        expiry: Expiry,
    ) -> Result<Arc<Self>, KernelError> {
        let vocabulary = load_vocabulary(&registry, language).map_err(|error| KernelError::Internal(error.message))?;
        let (store, clock) = (engine.store().clone(), engine.clock().clone());
        let snapshot_saved = AtomicBool::new(vocabulary.is_ready());
        let kernel = Arc::new(Self {
            registry,
            vocabulary: Arc::new(vocabulary),
            language: language.clone(),
            expiry,
            snapshot_saved,
            lessons: Mutex::default(),
            scores: Mutex::default(),
            toolbox: host.toolbox(),
            host: host.clone(),
            engine,
            store,
            clock,
            random: Arc::new(Mutex::new(random)),
            forged: Mutex::default(),
            defined: Mutex::default(),
            shapes: Mutex::default(),
            redactors: Mutex::default(),
        });
        host.belongs_to(&kernel);
        Ok(kernel)
    }

    /// Sets the base URL under which other systems reach this server, used for callbacks.
    pub fn set_public_url(&self, url: &str) {
        self.toolbox.set_public_url(url);
    }

    /// The host, which also knows definitions that are no longer in the registry.
    pub(crate) fn host(&self) -> &Arc<KernelHost> {
        &self.host
    }

    /// The tools of the packs that this kernel plans with.
    pub(crate) fn toolbox(&self) -> &Arc<Toolbox> {
        &self.toolbox
    }

    /// A kernel for other versions of the packs, over the same engine and store. The host switches to them; runs in
    /// progress keep the definitions that they pin.
    pub(crate) fn succeeded_by(&self, registry: Arc<Registry>) -> Result<Arc<Self>, KernelError> {
        let vocabulary = load_vocabulary(&registry, &self.language);
        let vocabulary = vocabulary.map_err(|error| KernelError::Internal(error.message))?;
        let toolbox = self.toolbox.reloaded(registry.clone());
        let toolbox = Arc::new(toolbox.map_err(|failure| KernelError::Internal(failure.message))?);
        let kernel = Arc::new(Self {
            registry,
            snapshot_saved: AtomicBool::new(vocabulary.is_ready()),
            vocabulary: Arc::new(vocabulary),
            language: self.language.clone(),
            expiry: self.expiry,
            lessons: Mutex::default(),
            scores: Mutex::default(),
            toolbox: toolbox.clone(),
            host: self.host.clone(),
            engine: self.engine.clone(),
            store: self.store.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            forged: Mutex::default(),
            defined: Mutex::default(),
            shapes: Mutex::default(),
            redactors: Mutex::default(),
        });
        self.host.reload(toolbox);
        self.host.belongs_to(&kernel);
        Ok(kernel)
    }

    /// The definition that a program pins.
    pub(crate) fn tool_of(&self, reference: &ToolRef) -> Result<Arc<Tool>, KernelError> {
        self.host.tool(reference).map_err(|failure| KernelError::Internal(failure.message))
    }

    /// The tools and playbooks.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The compiled phrases.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Builds the search index in advance, so that the first request does not wait for it. Takes seconds for a large
    /// vocabulary without a snapshot.
    pub fn warm_up(&self) {
        self.vocabulary.prepare();
        self.save_vocabulary();
    }

    /// Builds the search index from that of the kernel before: after a small change to the packs, most of it is reused.
    pub(crate) fn warm_up_from(&self, before: &Self) {
        let loaded = self.vocabulary.is_ready();
        let refitted = self.vocabulary.prepare_from(&before.vocabulary);
        // A snapshot holds what the packs alone determine; what a refitted index holds depends on the packs before.
        if refitted && !loaded {
            self.snapshot_saved.store(true, Ordering::Relaxed);
        }
        self.save_vocabulary();
    }

    /// Saves the search index for the next start, once it was built.
    pub(crate) fn save_vocabulary(&self) {
        if self.vocabulary.is_ready() && !self.snapshot_saved.swap(true, Ordering::Relaxed) {
            save_snapshot(&self.vocabulary, &self.language);
        }
    }

    /// The store, for reading.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    pub(crate) fn draw<T>(&self, work: impl FnOnce(&mut dyn Random) -> T) -> T {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        work(random.as_mut())
    }
}

/// The host of a kernel.
pub(crate) fn host(
    registry: &Arc<Registry>,
    config: &ToolboxConfig,
    caps: &SpendCaps,
    store: &Arc<dyn Store>,
) -> Result<Arc<KernelHost>, KernelError> {
    let internal = |failure: Failure| KernelError::Internal(failure.message);
    let toolbox = Arc::new(Toolbox::new(registry.clone(), config).map_err(internal)?);
    Ok(Arc::new(KernelHost::new(toolbox, store.clone().lane(Lane::Deciding), caps.clone())))
}
