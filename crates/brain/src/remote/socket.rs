//! Where the server of a store opens its Unix socket, and whether one listens there.

use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use anyhow::Result;
use brain_core::Digest;

use crate::cli::Global;
use crate::open::{self, StoreLocation};
use crate::system::user_id;

/// The longest path of a socket, with some room for the place where it is made.
const LONGEST: usize = 90;
/// Switches the socket off.
const OFF: &str = "off";

/// The path of the socket: as configured, else `STORE.sock` next to a store in a file, else in the user's runtime
/// folder.
/// `None` if there is no socket.
pub(crate) fn path(global: &Global) -> Result<Option<PathBuf>> {
    if let Some(path) = &global.config().socket {
        return Ok(if path == OFF { None } else { Some(PathBuf::from(path)) });
    }
    let name = match open::location(global)? {
        StoreLocation::Sqlite(file) => {
            let file = resolved(&file);
            let mut beside = file.clone().into_os_string();
            beside.push(".sock");
            if beside.len() <= LONGEST {
                return Ok(Some(beside.into()));
            }
            file.display().to_string()
        }
        StoreLocation::Postgres(url) => brain_store::redact(&url),
        StoreLocation::Memory => return Ok(None),
    };
    let digest = Digest::of(name.as_bytes()).to_string();
    Ok(runtime_folder().map(|folder| folder.join(format!("{}.sock", &digest[..16]))))
}

/// The socket, if a server listens.
pub(super) fn of_running_server(global: &Global) -> Result<Option<PathBuf>> {
    let Some(path) = path(global)? else { return Ok(None) };
    Ok(UnixStream::connect(&path).is_ok().then_some(path))
}

/// A path without links, also for a file that does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().map(Path::canonicalize), absolute.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

/// A folder that only this user may enter.
fn runtime_folder() -> Option<PathBuf> {
    let given = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_dir());
    let folder = match given {
        Some(folder) => folder.join("brain"),
        None => std::env::temp_dir().join(format!("brain-{}", user_id())),
    };
    drop(std::fs::DirBuilder::new().mode(0o700).create(&folder));
    // Another user may have made it first, to listen in.
    let there = std::fs::symlink_metadata(&folder).ok()?;
    (there.is_dir() && there.uid() == user_id() && there.mode() & 0o077 == 0).then_some(folder)
}
