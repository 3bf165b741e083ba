//! The Unix socket of a server: for the users of its machine who may use its store.
//!
//! The file has mode 0600. The server that holds the lock on `<path>.lock` owns the socket, which distinguishes a
//! stale socket from one in use without a race between servers.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::guard::Peer;
use crate::serve::Listener;

/// A listening socket. Its file is removed when this is dropped.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Held as long as the socket is open.
    _lock: File,
}

impl Socket {
    /// Opens the socket; `None` if another server has it.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(lock)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        match std::fs::symlink_metadata(path) {
            // Left behind by a server that was killed.
            Ok(there) if there.file_type().is_socket() => {}
            Ok(_) => return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file that is not a socket")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // Made in a folder that only we may enter, so that nobody connects before the mode is right.
        let hidden = tempfile::Builder::new().prefix(".b").rand_bytes(4).tempdir_in(folder)?;
        let made = hidden.path().join("s");
        let listener = UnixListener::bind(&made)?;
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o600))?;
        std::fs::rename(&made, path)?;
        Ok(Some(Self { listener, path: path.to_owned(), _lock: lock }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Listener for Socket {
    type Stream = UnixStream;

    async fn next(&self) -> io::Result<(UnixStream, Peer)> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let uid = nix::unistd::Uid::from_raw(stream.peer_cred()?.uid());
            // The mode lets nobody else in; this holds also where a file system ignores modes.
            if uid == nix::unistd::geteuid() || uid.is_root() {
                return Ok((stream, Peer::User(user_name(uid).into())));
            }
            tracing::warn!(%uid, "another user tried to use the Unix socket");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

/// The name of an account, or its number.
fn user_name(uid: nix::unistd::Uid) -> String {
    let account = nix::unistd::User::from_uid(uid).ok().flatten();
    account.map_or_else(|| uid.to_string(), |user| user.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_that_a_killed_server_left_is_replaced_and_one_in_use_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "the file outlives its listener");
        let first = Socket::open(&path).unwrap().expect("nobody has it");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(Socket::open(&path).unwrap().is_none(), "the first has it");
        let (client, accepted) = tokio::join!(UnixStream::connect(&path), first.next());
        client.unwrap();
        assert!(matches!(accepted.unwrap().1, Peer::User(_)));
        drop(first);
        assert!(!path.exists());
        assert!(Socket::open(&path).unwrap().is_some());
    }

    #[tokio::test]
    async fn a_file_that_is_no_socket_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db.sock");
        std::fs::write(&path, "mine").unwrap();
        assert!(Socket::open(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
}
