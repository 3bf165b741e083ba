//! Opens what a command needs: packs, the store, the kernel.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_embed::models::ModelsDir;
use brain_embed::{Encoder, StaticTable};
use brain_engine::EngineConfig;
use brain_kernel::{Actor, Kernel, KernelConfig};
use brain_registry::{Loaded, PackSource, Registry};
use brain_store::{MemoryStore, PostgresStore, Scope, SqliteStore, Store};

use crate::cli::{Global, TierArg};
use crate::config::Config;
use crate::system::{ProcessLiveness, SystemClock, SystemRandom};

/// The files of the built-in pack.
const TRADES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/trades.rs"));

/// The packs that a command works with: those that are named, else those of `--pack`, else the built-in one. They may
/// use the native functions of this program.
pub(crate) fn load_packs(named: &[PathBuf], global: &Global) -> Result<Loaded, brain_registry::Report> {
    let folders = if named.is_empty() { &global.packs } else { named };
    // A configuration that cannot be read is told by whoever starts something with it.
    let times = Config::read(global.config.as_deref()).map(|config| config.times()).unwrap_or_default();
    let load = |sources| brain_registry::load_sources_within(sources, &brain_tools::natives(), times);
    if folders.is_empty() {
        let files = TRADES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        return load(vec![PackSource::new("trades", files)]);
    }
    load(folders.iter().map(|folder| PackSource::read(folder)).collect())
}

/// A checked registry, or every mistake shown and an error.
pub(crate) fn registry(global: &Global) -> Result<Arc<Registry>> {
    match load_packs(&[], global) {
        Ok(loaded) => {
            if !loaded.warnings.is_empty() {
                anstream::eprintln!("{}", loaded.warnings.render(true));
            }
            Ok(Arc::new(loaded.registry))
        }
        Err(report) => {
            if global.json {
                println!("{}", serde_json::json!({"ok": false, "diagnostics": report.diagnostics()}));
            } else {
                anstream::eprintln!("{}", report.render(true));
            }
            bail!("the packs have {}; nothing was started", crate::show::count(report.errors(), "error"))
        }
    }
}

/// Where Brain keeps things for this user.
fn data_folder() -> Result<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share"));
    Ok(data.or(home).context("neither HOME nor XDG_DATA_HOME is set")?.join("brain"))
}

/// Where the store is by default.
fn default_store() -> Result<PathBuf> {
    Ok(data_folder().context("name a store with --store sqlite:PATH")?.join("brain.db"))
}

/// Where models are.
pub(crate) fn models() -> Result<ModelsDir> {
    Ok(ModelsDir::new(data_folder()?.join("models")))
}

/// What the store is called, for people: without a password.
pub(crate) fn store_url(global: &Global) -> Result<String> {
    Ok(brain_store::redact(&full_url(global)?))
}

fn full_url(global: &Global) -> Result<String> {
    match &global.store {
        Some(url) => Ok(url.clone()),
        None => Ok(format!("sqlite:{}", default_store()?.display())),
    }
}

/// Where a store is.
pub(crate) enum Place {
    /// In a file.
    Sqlite(PathBuf),
    /// In a database, with everything that it takes to connect.
    Postgres(String),
    /// Nowhere that lasts.
    Memory,
}

/// The store that is meant.
pub(crate) fn place(global: &Global) -> Result<Place> {
    place_at(full_url(global)?)
}

/// The store at an address.
fn place_at(url: String) -> Result<Place> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            bail!("`{url}` names no file; write sqlite:PATH");
        }
        return Ok(Place::Sqlite(path.into()));
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Place::Postgres(url));
    }
    if url == "memory:" {
        return Ok(Place::Memory);
    }
    let shown = brain_store::redact(&url);
    bail!("`{shown}` is not a store; write sqlite:PATH, postgres://USER@HOST/DATABASE or memory:")
}

/// Refuses a store in a file that is not there: whoever only reads must not make one.
pub(crate) fn expect_store(global: &Global) -> Result<()> {
    if let Place::Sqlite(path) = place(global)?
        && !path.exists()
    {
        bail!(
            "there is no store at {}, and none was made: `brain do` and `brain serve` make one, --store names another",
            path.display()
        );
    }
    Ok(())
}

/// Opens the store.
pub(crate) fn store(global: &Global) -> Result<Arc<dyn Store>> {
    open(place(global)?)
}

/// Opens the store at an address.
pub(crate) fn store_at(url: &str) -> Result<Arc<dyn Store>> {
    open(place_at(url.to_owned())?)
}

fn open(place: Place) -> Result<Arc<dyn Store>> {
    Ok(match place {
        Place::Sqlite(path) => Arc::new(SqliteStore::open(&path)?),
        Place::Postgres(url) => Arc::new(PostgresStore::connect(&url)?),
        Place::Memory => Arc::new(MemoryStore::new()),
    })
}

/// The scope that the command line asks for.
pub(crate) fn scope(global: &Global) -> Result<Scope> {
    Ok(Scope::of(global.tenant().parse::<TenantId>()?))
}

/// A kernel with its engine. `keep` says whether this process also looks after what others left behind.
pub(crate) fn kernel(global: &Global, keep: bool) -> Result<Arc<Kernel>> {
    let registry = registry(global)?;
    let store = store(global)?;
    kernel_over(global, registry, store, keep)
}

/// A kernel over a store that is open already.
pub(crate) fn kernel_over(
    global: &Global,
    registry: Arc<Registry>,
    store: Arc<dyn Store>,
    keep: bool,
) -> Result<Arc<Kernel>> {
    let file = Config::read(global.config.as_deref())?;
    let engine = EngineConfig {
        flow: file.flow(),
        keep,
        paused: global.paused,
        deciders: deciders(),
        slow: file.slow(),
        ..EngineConfig::default()
    };
    let mut config = KernelConfig { engine, expiry: file.expiry(), caps: file.caps(), ..KernelConfig::default() };
    config.tools.allow_private_hosts = global.allow_private_hosts;
    config.tools.public_url.clone_from(&global.public_url);
    config.language.encoder = default_encoder(global)?;
    config.language.snapshots = cache_folder().map(|folder| folder.join("vocabularies"));
    let kernel = Kernel::start(
        &config,
        registry,
        store,
        Arc::new(SystemClock),
        Box::new(SystemRandom),
        Arc::new(ProcessLiveness),
    )?;
    Ok(kernel)
}

/// Where things are kept that can be made again; nowhere if the system does not say.
fn cache_folder() -> Option<PathBuf> {
    let own = std::env::var_os("BRAIN_CACHE").map(PathBuf::from);
    let shared = || std::env::var_os("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("brain"));
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/brain"));
    own.or_else(shared).or_else(home).filter(|folder| folder.is_absolute())
}

/// What tells how texts are alike, as the command line asks for it. If a model cannot be had, the table in the binary
/// takes its place, with one line that says why.
pub(crate) fn default_encoder(global: &Global) -> Result<Arc<dyn Encoder>> {
    encoder(None, global)
}

/// What tells how texts are alike. The transformer tier is the model that is named, or the only one; a model that is
/// named is meant.
pub(crate) fn encoder(tier: Option<TierArg>, global: &Global) -> Result<Arc<dyn Encoder>> {
    let named = if global.model.is_some() { TierArg::Transformer } else { TierArg::Static };
    if tier.unwrap_or(named) == TierArg::Static {
        return Ok(Arc::new(StaticTable::built_in()));
    }
    let models = models()?;
    let name = match (&global.model, models.names()?.as_slice()) {
        (Some(name), _) => name.clone(),
        (None, [only]) => only.clone(),
        (None, []) => bail!("no model is installed; see `brain model install --help`"),
        (None, several) => bail!("there are several models, name one with --model: {}", several.join(", ")),
    };
    let (encoder, fell_back) = brain_embed::models::open(Some(&name), &models);
    if let Some(why) = fell_back {
        anstream::eprintln!("{why}");
    }
    Ok(Arc::from(encoder))
}

/// The runtime for commands that work.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// Deciding threads: one, and more where there are cores to spare for them beside the store's and the outside calls'.
fn deciders() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 4).clamp(1, 4))
}

/// Who asks on the command line.
pub(crate) fn actor(global: &Global) -> Actor {
    match &global.acting_as {
        Some(name) => Actor { name: name.clone(), id: Some(format!("as {name}")), ..Actor::local() },
        None => Actor::local(),
    }
}
