//! The server's Unix socket, for local users who have access to its store.
//!
//! The file has mode 0600. The server that holds the lock on `<path>.lock` owns the socket, which distinguishes a
//! stale socket from one in use without a race between servers. Both files are removed when the server stops. The
//! next server also removes sockets left behind in the runtime folder by servers that were killed. (There, a socket is
//! named after its store's URL.)

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::guard::Peer;
use crate::serve::Listener;

/// A listening socket. Its file is removed when this is dropped.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Held as long as the socket is open.
    _lock: Lock,
}

/// The lock of a socket. Its file is removed when this is dropped.
struct Lock {
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a socket; `None` if another server has it.
    fn take(socket: &Path) -> io::Result<Option<Self>> {
        let mut path = socket.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        loop {
            let file = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The file may have been removed after it was opened; then its lock says nothing.
            let inode = file.metadata()?.ino();
            if std::fs::metadata(&path).is_ok_and(|there| there.ino() == inode) {
                return Ok(Some(Self { _file: file, path }));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

/// Removes sockets and locks in the runtime folder whose servers are gone. Failures leave them for the next server.
fn remove_stale(folder: &Path, own: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let digest = name.to_str().and_then(|name| name.strip_suffix(".sock"));
        let is_ours = digest.is_some_and(|digest| digest.len() == 16 && digest.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_ours
            && path != own
            && let Ok(Some(_lock)) = Lock::take(&path)
        {
            drop(std::fs::remove_file(&path));
        }
    }
}

impl Socket {
    /// Opens the socket; `None` if another server has it.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Some(lock) = Lock::take(path)? else { return Ok(None) };
        remove_stale(folder, path);
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
    async fn what_killed_servers_left_in_the_runtime_folder_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["00112233445566aa.sock", "s.db.sock"] {
            drop(std::os::unix::net::UnixListener::bind(at(name)).unwrap());
            std::fs::write(at(&format!("{name}.lock")), "").unwrap();
        }
        let other = Socket::open(&at("ffffffffffffffff.sock")).unwrap().expect("nobody has it");
        assert!(!at("00112233445566aa.sock").exists() && !at("00112233445566aa.sock.lock").exists());
        let own = Socket::open(&at("0123456789abcdef.sock")).unwrap().expect("nobody has it");
        assert!(at("ffffffffffffffff.sock").exists(), "a server has it");
        assert!(at("s.db.sock").exists(), "files next to a store belong to that store");
        drop((own, other));
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
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
