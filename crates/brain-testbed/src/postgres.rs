//! A temporary PostgreSQL cluster: created from the installed programs on a free loopback port, and deleted when the
//! test ends or dies.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Timeout for starting or stopping a server.
const PATIENCE: Duration = Duration::from_secs(60);
/// The role that tests connect as, a superuser, and its password.
const USER: &str = "tester";
const PASSWORD: &str = "a pass:word";
/// The same password, encoded for a URL.
const PASSWORD_IN_URL: &str = "a%20pass%3Aword";

/// Runs the server and waits. A line on its input means stop; the end of the input means that the test has ended, and
/// the data is deleted too. It works even if the test's process cannot clean up.
const GUARD: &str = r#"
"$1/postgres" -D "$2/data" -p "$3" >>"$2/log" 2>&1 </dev/null &
server=$!
if read -r _; then over=; else over=yes; fi
kill -QUIT $server 2>/dev/null
wait $server
if [ -n "$over" ]; then rm -rf "$2"; fi
"#;

/// A running cluster. Dropping it stops the server at once, without a checkpoint, and deletes its files.
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    guard: Mutex<Option<Child>>,
    databases: AtomicU32,
}

impl Postgres {
    /// Starts a cluster without fsync: fast, and suitable for everything except tests of machine crashes.
    pub fn start() -> Result<Self, String> {
        Self::start_with("off")
    }

    /// Starts a cluster with fsync, as in production.
    pub fn start_durable() -> Result<Self, String> {
        Self::start_with("on")
    }

    fn start_with(fsync: &str) -> Result<Self, String> {
        let programs = programs().ok_or(
            "PostgreSQL is not installed. `cargo xtask test` installs it where it can; by hand: apt-get install postgresql",
        )?;
        let template = template(&programs)?;
        let folder = fresh_folder("brain-testbed")?;
        let copied = Command::new("cp").arg("-a").arg(&template).arg(folder.join("data")).status();
        if !copied.is_ok_and(|status| status.success()) {
            return Err(format!("{} cannot be copied to {}", template.display(), folder.display()));
        }
        let mut settings = std::fs::OpenOptions::new()
            .append(true)
            .open(folder.join("data/postgresql.conf"))
            .map_err(|error| format!("postgresql.conf: {error}"))?;
        writeln!(
            settings,
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = {fsync}\nmax_connections = 100\n\
             shared_buffers = 64MB\nlogging_collector = off"
        )
        .map_err(|error| format!("postgresql.conf: {error}"))?;
        hand_over(&folder)?;
        let mut last = String::new();
        // Another process may take the port between choosing and using it.
        for _ in 0..5 {
            let port = free_port()?;
            let (programs, folder) = (programs.clone(), folder.clone());
            let cluster = Self { programs, folder, port, guard: Mutex::new(None), databases: AtomicU32::new(0) };
            match cluster.start_again() {
                Ok(()) => return Ok(cluster),
                Err(error) => last = error,
            }
            cluster.stop();
            std::mem::forget(cluster);
        }
        Err(last)
    }

    /// Restarts the server on the same port after [`Postgres::stop`].
    pub fn start_again(&self) -> Result<(), String> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = unprivileged("sh");
        command.args(["-c", GUARD, "guard"]).arg(&self.programs).arg(&self.folder).arg(self.port.to_string());
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("sh: {error}"))?;
        let began = Instant::now();
        while !self.answers() {
            let ended = !matches!(child.try_wait(), Ok(None));
            if ended || began.elapsed() > PATIENCE {
                *guard = Some(child);
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                return Err(format!("the server did not come up:\n{log}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        *guard = Some(child);
        Ok(())
    }

    fn answers(&self) -> bool {
        // Another server on this port would answer too, but would not know our password.
        self.try_sql("postgres", "SELECT 1").is_ok()
    }

    /// Kills the server like a crash: no checkpoint, connections cut.
    pub fn stop(&self) {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut child) = guard.take() {
            if let Some(mut input) = child.stdin.take() {
                drop(input.write_all(b"stop\n"));
            }
            drop(child.wait());
        }
    }

    /// Terminates every other connection to a database.
    pub fn kill_connections(&self, database: &str) {
        let sql = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        );
        self.sql("postgres", &sql);
    }

    /// Creates an empty database and returns its name.
    pub fn new_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        name
    }

    /// The URL of a database, for the superuser of this cluster.
    pub fn url(&self, database: &str) -> String {
        self.url_as(USER, PASSWORD_IN_URL, database)
    }

    /// The URL of a database, for another role.
    pub fn url_as(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs statements in a database as the superuser; returns one line per row, columns separated by `|`.
    ///
    /// # Panics
    ///
    /// If the server rejects them.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        self.try_sql(database, statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    /// A command for a program of this PostgreSQL, such as `pg_dump`, that connects as the superuser.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.env("PGHOST", "127.0.0.1").env("PGPORT", self.port.to_string()).env("PGUSER", USER);
        command.env("PGPASSWORD", PASSWORD).current_dir("/").stdin(Stdio::null());
        command
    }

    fn try_sql(&self, database: &str, statements: &str) -> Result<String, String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", USER, "-d", database])
            .args(["-p", &self.port.to_string(), "-c", statements])
            .env("PGPASSWORD", PASSWORD)
            .env("PGCONNECT_TIMEOUT", "5")
            .current_dir("/")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("psql: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let guard = self.guard.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut child) = guard.take() {
            drop(child.stdin.take());
            drop(child.wait());
        }
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// The folder with `postgres`, `initdb` and `psql`: that of `pg_config`, or the newest of Debian's packages.
fn programs() -> Option<PathBuf> {
    let said = Command::new("pg_config").arg("--bindir").output().ok();
    let said = said.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort();
    let candidates = said.into_iter().chain(versions.into_iter().rev().map(|(_, path)| path));
    candidates
        .into_iter()
        .find(|path| ["postgres", "initdb", "psql"].iter().all(|program| path.join(program).is_file()))
}

/// A template cluster, initialised once per machine. Copying it takes a tenth of the time of `initdb`.
fn template(programs: &Path) -> Result<PathBuf, String> {
    let version = Command::new(programs.join("postgres")).arg("--version").output();
    let version = version.map_err(|error| format!("postgres: {error}"))?;
    let version: String =
        String::from_utf8_lossy(&version.stdout).chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let owner = if is_root() { unprivileged_user() } else { user_id() };
    let place = std::env::temp_dir().join(format!("brain-testbed-template-{version}-{owner}"));
    if place.join("PG_VERSION").is_file() {
        return Ok(place);
    }
    let folder = fresh_folder("brain-testbed-new")?;
    std::fs::write(folder.join("password"), PASSWORD).map_err(|error| format!("{}: {error}", folder.display()))?;
    hand_over(&folder)?;
    let made = unprivileged(programs.join("initdb"))
        .arg("-D")
        .arg(folder.join("data"))
        .args(["-U", USER, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"])
        .arg(format!("--pwfile={}", folder.join("password").display()))
        .current_dir("/")
        .output()
        .map_err(|error| format!("initdb: {error}"))?;
    if !made.status.success() {
        return Err(format!("initdb: {}", String::from_utf8_lossy(&made.stderr)));
    }
    // Another test may have been faster; its template is as good.
    if std::fs::rename(folder.join("data"), &place).is_err() && !place.join("PG_VERSION").is_file() {
        return Err(format!("{} cannot be made", place.display()));
    }
    drop(std::fs::remove_dir_all(&folder));
    Ok(place)
}

fn fresh_folder(name: &str) -> Result<PathBuf, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("{name}-{}-{n}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Gives a folder to the user that the server runs as.
fn hand_over(folder: &Path) -> Result<(), String> {
    if !is_root() {
        return Ok(());
    }
    let owner = unprivileged_user();
    let done = Command::new("chown").arg("-R").arg(&owner).arg(folder).status();
    if done.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(format!("{} cannot be given to {owner}", folder.display()))
    }
}

/// PostgreSQL refuses to run as root, so run it as an unprivileged user.
fn unprivileged(program: impl AsRef<std::ffi::OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let user = unprivileged_user();
    let mut command = Command::new("setpriv");
    command.args([&format!("--reuid={user}"), &format!("--regid={}", group_of(&user)), "--clear-groups", "--"]);
    command.arg(program);
    command
}

fn unprivileged_user() -> String {
    let there =
        |name: &str| Command::new("id").arg("-u").arg(name).output().is_ok_and(|output| output.status.success());
    if there("postgres") { "postgres".into() } else { "nobody".into() }
}

fn group_of(user: &str) -> String {
    let group = Command::new("id").args(["-g", user]).output();
    group.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn user_id() -> String {
    let id = Command::new("id").arg("-u").output();
    id.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn is_root() -> bool {
    user_id() == "0"
}

/// A free port below the ephemeral range, so that neither another listener nor an outgoing connection takes it while
/// the server is down on purpose.
fn free_port() -> Result<u16, String> {
    const PORTS: std::ops::Range<u16> = 20_000..32_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let span = u32::from(PORTS.end - PORTS.start);
    // Each test process starts at a different port.
    let first = std::process::id().wrapping_mul(97);
    for _ in 0..span {
        let offset = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % span;
        let port = PORTS.start + u16::try_from(offset).unwrap_or_default();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(format!("no port of {PORTS:?} is free on 127.0.0.1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_works_again_after_it_was_killed() {
        let cluster = Postgres::start().unwrap();
        let database = cluster.new_database();
        assert_eq!(cluster.sql(&database, "SELECT 1 + 1"), "2");
        cluster.stop();
        assert!(!cluster.answers());
        cluster.start_again().unwrap();
        assert_eq!(cluster.sql(&database, "SELECT current_database()"), database);
        let folder = cluster.folder.clone();
        drop(cluster);
        assert!(!folder.exists());
    }
}
