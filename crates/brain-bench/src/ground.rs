//! The store of a benchmark: the given one or a scratch file, and an empty one next to it for probes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use brain_store::{PostgresStore, SqliteStore, Store};

use crate::cli::Global;

/// A durable store to measure.
enum Location {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Location {
    fn of(url: &str) -> Result<Self> {
        match url.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into())),
            _ if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Ok(Self::Postgres(url.to_owned()))
            }
            _ => bail!("name a durable store: sqlite:PATH or postgres://USER@HOST/DATABASE"),
        }
    }
}

/// The store of a benchmark. Dropping it deletes a scratch file.
pub(crate) struct Ground {
    place: Location,
    /// A temporary folder, which holds the store if none was given.
    _scratch: tempfile::TempDir,
}

impl Ground {
    /// The given store, or a temporary file.
    pub(crate) fn new(global: &Global) -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let place = match &global.store {
            Some(url) => Location::of(url)?,
            None => Location::Sqlite(scratch.path().join("bench.db")),
        };
        Ok(Self { place, _scratch: scratch })
    }

    /// Opens the store.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>> {
        Ok(match &self.place {
            Location::Sqlite(path) => Arc::new(SqliteStore::open(path)?),
            Location::Postgres(url) => Arc::new(PostgresStore::connect(url)?),
        })
    }

    /// A file next to the store, for a probe. `None` if the store is not a file.
    pub(crate) fn beside(&self) -> Option<PathBuf> {
        match &self.place {
            Location::Sqlite(path) => Some(path.with_extension("append.db")),
            _ => None,
        }
    }

    /// An empty store of the same kind at the same location.
    pub(crate) fn fresh(&self) -> Result<Fresh> {
        Ok(match &self.place {
            Location::Sqlite(path) => {
                let path = path.with_extension("probe.db");
                remove(&path);
                Fresh { store: Some(Arc::new(SqliteStore::open(&path)?)), place: Location::Sqlite(path) }
            }
            Location::Postgres(url) => {
                let url = probe_schema(url);
                PostgresStore::drop_schema(&url)?;
                Fresh { store: Some(Arc::new(PostgresStore::connect(&url)?)), place: Location::Postgres(url) }
            }
        })
    }
}

/// A store that is deleted when it is dropped.
pub(crate) struct Fresh {
    store: Option<Arc<dyn Store>>,
    place: Location,
}

impl Fresh {
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        self.store.clone().expect("the store is set until it is dropped")
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        self.store = None;
        match &self.place {
            Location::Sqlite(path) => remove(path),
            Location::Postgres(url) => {
                if let Err(error) = PostgresStore::drop_schema(url) {
                    tracing::warn!(%error, "the probe's schema could not be deleted");
                }
            }
        }
    }
}

/// The same database with another schema.
fn probe_schema(url: &str) -> String {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut schema = "brain";
    let mut parts: Vec<String> = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        match part.strip_prefix("brain_schema=") {
            Some(name) => schema = name,
            None => parts.push(part.to_owned()),
        }
    }
    parts.push(format!("brain_schema={schema}_probe"));
    format!("{base}?{}", parts.join("&"))
}

/// Deletes a SQLite file with its write-ahead log and shared memory.
pub(crate) fn remove(path: &Path) {
    for end in ["", "-wal", "-shm", "-uploads"] {
        drop(std::fs::remove_file(format!("{}{end}", path.display())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_has_a_schema_of_its_own() {
        assert_eq!(probe_schema("postgres://a@h/d"), "postgres://a@h/d?brain_schema=brain_probe");
        let url = probe_schema("postgres://a@h/d?brain_schema=x&sslmode=require");
        assert_eq!(url, "postgres://a@h/d?sslmode=require&brain_schema=x_probe");
    }
}
