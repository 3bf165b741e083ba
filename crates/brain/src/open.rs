//! Opens packs, the store and the kernel for a command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_embed::models::ModelsDir;
use brain_embed::{Encoder, StaticTable};
use brain_engine::EngineConfig;
use brain_kernel::{Kernel, KernelConfig};
use brain_registry::{Loaded, PackSource, Registry, Report};
use brain_store::{MemoryStore, PostgresStore, Scope, SqliteStore, Store};

use crate::cli::{Global, TierArg};
use crate::commands::Usage;
use crate::system::{ProcessLiveness, SystemClock, SystemRandom};

/// The files of the built-in pack.
const TRADES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/trades.rs"));

/// The packs of a command: those it names, else those of `--pack`, else the built-in one. They may use the native
/// functions of this program.
pub(crate) fn load_packs(named: &[PathBuf], global: &Global) -> Result<Loaded, Report> {
    let folders = if named.is_empty() { &global.packs } else { named };
    let times = global.config().times();
    let load = |sources| brain_registry::load_sources_within(sources, &brain_tools::natives(), times);
    if folders.is_empty() {
        let files = TRADES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        return load(vec![PackSource::new("trades", files)]);
    }
    load(folders.iter().map(|folder| PackSource::read(folder)).collect())
}

/// Packs with errors. With `--json` the problem document lists them; otherwise they were printed already.
#[derive(Debug)]
pub(crate) struct PacksRefused(pub(crate) Box<Report>);

impl std::fmt::Display for PacksRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the packs cannot be used: {}", crate::show::count(self.0.errors(), "error"))
    }
}

impl std::error::Error for PacksRefused {}

/// A checked registry, or [`PacksRefused`].
pub(crate) fn registry(global: &Global) -> Result<Arc<Registry>> {
    match load_packs(&[], global) {
        Ok(loaded) => {
            if !loaded.warnings.is_empty() {
                anstream::eprintln!("{}", loaded.warnings.render(true));
            }
            Ok(Arc::new(loaded.registry))
        }
        Err(report) => {
            if !global.json {
                anstream::eprintln!("{}", report.render(true));
            }
            Err(PacksRefused(Box::new(report)).into())
        }
    }
}

/// Brain's data folder of this user.
fn data_folder() -> Result<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share"));
    Ok(data.or(home).context("neither HOME nor XDG_DATA_HOME is set")?.join("brain"))
}

fn default_store() -> Result<PathBuf> {
    Ok(data_folder().context("name a store with --store sqlite:PATH")?.join("brain.db"))
}

/// The folder of installed models.
pub(crate) fn models() -> Result<ModelsDir> {
    Ok(ModelsDir::new(data_folder()?.join("models")))
}

/// The URL of the store without its password.
pub(crate) fn store_url(global: &Global) -> Result<String> {
    Ok(brain_store::redact(&full_url(global)?))
}

fn full_url(global: &Global) -> Result<String> {
    match &global.store {
        Some(url) => Ok(url.clone()),
        None => Ok(format!("sqlite:{}", default_store()?.display())),
    }
}

pub(crate) enum StoreLocation {
    /// A file.
    Sqlite(PathBuf),
    /// A database, with its connection string.
    Postgres(String),
    /// Memory.
    Memory,
}

/// The store of a command.
pub(crate) fn location(global: &Global) -> Result<StoreLocation> {
    location_at(full_url(global)?)
}

/// Parses the URL of a store.
fn location_at(url: String) -> Result<StoreLocation> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err(Usage(format!("`{url}` names no file; write sqlite:PATH")).into());
        }
        return Ok(StoreLocation::Sqlite(path.into()));
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        brain_store::check_url(&url).map_err(Usage)?;
        return Ok(StoreLocation::Postgres(url));
    }
    if url == "memory:" {
        return Ok(StoreLocation::Memory);
    }
    let shown = brain_store::redact(&url);
    let help = "write sqlite:PATH, postgres://USER@HOST/DATABASE or memory:";
    Err(Usage(format!("`{shown}` is not a store; {help}")).into())
}

/// Refuses a missing store file: commands that only read must not create one.
pub(crate) fn expect_store(global: &Global) -> Result<()> {
    if let StoreLocation::Sqlite(path) = location(global)?
        && !path.exists()
    {
        bail!(
            "there is no store at {}. `brain do` and `brain serve` create one; --store names another",
            path.display()
        );
    }
    Ok(())
}

/// Opens the store.
pub(crate) fn store(global: &Global) -> Result<Arc<dyn Store>> {
    open(location(global)?)
}

/// Opens the store at a URL.
pub(crate) fn store_at(url: &str) -> Result<Arc<dyn Store>> {
    open(location_at(url.to_owned())?)
}

fn open(location: StoreLocation) -> Result<Arc<dyn Store>> {
    Ok(match location {
        StoreLocation::Sqlite(path) => Arc::new(SqliteStore::open(&path)?),
        StoreLocation::Postgres(url) => Arc::new(PostgresStore::connect(&url)?),
        StoreLocation::Memory => Arc::new(MemoryStore::new()),
    })
}

/// The scope of a command.
pub(crate) fn scope(global: &Global) -> Result<Scope> {
    let tenant = global.tenant().parse::<TenantId>().map_err(|error| Usage(error.to_string()))?;
    Ok(Scope::of(tenant))
}

/// A kernel with its engine. `keep`: whether this process also fires timers and takes over runs of dead nodes.
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
    let file = global.config();
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

/// The cache folder; `None` if the system does not define one.
fn cache_folder() -> Option<PathBuf> {
    let own = std::env::var_os("BRAIN_CACHE").map(PathBuf::from);
    let shared = || std::env::var_os("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("brain"));
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/brain"));
    own.or_else(shared).or_else(home).filter(|folder| folder.is_absolute())
}

/// The encoder that the command line asks for. Falls back to the built-in table, with a warning, if the model is not
/// available.
pub(crate) fn default_encoder(global: &Global) -> Result<Arc<dyn Encoder>> {
    encoder(None, global)
}

/// The encoder of a tier. The transformer tier is the named model, or the only one installed; a named model is never
/// replaced by the built-in table.
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

/// The async runtime of a command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// Number of deciding threads: one, or more if there are cores to spare after the store's and the external calls'
/// threads.
fn deciders() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 4).clamp(1, 4))
}
