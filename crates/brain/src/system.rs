//! The real clock, the real randomness, and whether another process on this machine is alive.

use brain_core::{Clock, Random, Timestamp};
use brain_engine::Liveness;

/// The clock of this machine.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The randomness of this machine.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn next_u64(&mut self) -> u64 {
        getrandom::u64().expect("the operating system gives random numbers")
    }
}

/// The id of the user who runs this process.
#[cfg(unix)]
pub(crate) fn user_id() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// The name of the user who runs this process: the account, else `USER`, else `local`.
pub(crate) fn user_name() -> String {
    #[cfg(unix)]
    let account = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.name);
    #[cfg(not(unix))]
    let account = std::env::var("USERNAME").ok();
    let user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
    account.or_else(user).unwrap_or_else(|| "local".into())
}

/// Resident memory of this process in megabytes; 0 where `/proc` does not say.
pub fn resident_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Identifies processes of this machine by `boot/namespace/pid/start`: the boot id of the kernel, the inode of the PID
/// namespace, the process id in that namespace, and the start time, which distinguishes reused ids.
///
/// Only processes in our own namespace are judged. Process ids of another container mean nothing here, although the
/// boot id is the same. Such a process, like one on another machine, is judged by its lease alone.
pub(crate) struct ProcessLiveness;

impl ProcessLiveness {
    /// The prefix of the identity: boot id and PID namespace. `None` if `/proc` does not show our namespace.
    fn place() -> Option<String> {
        // `NSpid` lists the ids of this process from the namespace of `/proc` down to its own. With more than one,
        // `/proc` was mounted in an outer namespace, and its process ids are not ours.
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
        let own = ids.split_whitespace().collect::<Vec<_>>() == [std::process::id().to_string()];
        // With `hidepid`, live processes of other users are invisible.
        if !own || !std::path::Path::new("/proc/1").exists() {
            return None;
        }
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
        let inode: String = namespace.to_str()?.chars().filter(char::is_ascii_digit).collect();
        Some(format!("{}/{inode}", boot.trim()))
    }

    /// Whether the process with this identity certainly exists, even if it is stopped.
    pub(crate) fn is_there(&self, other: &str) -> bool {
        Self::judge(other).unwrap_or(false)
    }

    /// Whether the process exists; `None` if that cannot be determined from here.
    fn judge(other: &str) -> Option<bool> {
        // Text after a space is a comment.
        let parts: Vec<&str> = other.split(' ').next().unwrap_or_default().split('/').collect();
        let [boot, namespace, pid, start] = parts.as_slice() else { return None };
        let pid = pid.parse::<u32>().ok()?;
        let here = Self::place().is_some_and(|place| place == format!("{boot}/{namespace}"));
        here.then(|| Self::start(pid).is_some_and(|alive| alive == *start))
    }

    /// The start time of a process in ticks since boot; `None` if there is no such process.
    fn start(pid: u32) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain spaces and parentheses; the fields after the last parenthesis are plain.
        Some(stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.to_owned())
    }
}

impl Liveness for ProcessLiveness {
    fn own(&self) -> String {
        let pid = std::process::id();
        let described = Self::place().zip(Self::start(pid)).map(|(place, start)| format!("{place}/{pid}/{start}"));
        described.unwrap_or_default()
    }

    fn is_gone(&self, other: &str) -> bool {
        Self::judge(other) == Some(false)
    }
}

/// Makes a write beyond the file-size limit (`ulimit -f`) fail like one to a full disk, instead of killing the process
/// with SIGXFSZ halfway through a file. Tokio's handlers stay for the life of the process, even without their runtime.
pub(crate) fn outlive_file_size_limit() {
    #[cfg(unix)]
    {
        /// The same number on Linux and the BSDs, except on MIPS.
        const SIGXFSZ: i32 = 25;
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
        let _context = runtime.enter();
        if let Err(error) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGXFSZ)) {
            tracing::warn!(%error, "exceeding a file-size limit will kill this process with a signal");
        }
    }
}

/// The exit code of a command whose reader went away: what a shell reports for SIGPIPE.
pub(crate) const BROKEN_PIPE: u8 = 128 + 13;

/// Whether a command failed because the reader of its output went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(is_broken)
            || cause
                .downcast_ref::<csv::Error>()
                .is_some_and(|error| matches!(error.kind(), csv::ErrorKind::Io(error) if is_broken(error)))
    })
}

/// Ends the command silently when its reader goes away (`brain runs | head`), with [`BROKEN_PIPE`].
pub(crate) fn end_quietly_without_reader() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // The print macros of the standard library report this only as a panic.
        let message = info.payload_as_str().unwrap_or_default();
        if message.starts_with("failed printing to std") && message.contains("Broken pipe") {
            std::process::exit(i32::from(BROKEN_PIPE));
        }
        hook(info);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_a_reused_number_is_not() {
        let liveness = ProcessLiveness;
        let own = liveness.own();
        assert!(!own.is_empty());
        assert!(!liveness.is_gone(&own));
        assert!(liveness.is_gone(&format!("{own}0")), "the same number, another start");
        let [boot, namespace, ..] = own.split('/').collect::<Vec<_>>()[..] else { panic!("{own}") };
        assert!(liveness.is_gone(&format!("{boot}/{namespace}/4194305/1")), "no process has so high a number");
        assert!(!liveness.is_gone("another-machine/1/1/1"));
        assert!(!liveness.is_gone("nonsense"));
    }

    #[test]
    fn a_process_of_another_namespace_is_never_judged() {
        let own = ProcessLiveness.own();
        let parts: Vec<&str> = own.split('/').collect();
        let [boot, _, pid, start] = parts.as_slice() else { panic!("{own}") };
        assert!(!ProcessLiveness.is_gone(&format!("{boot}/1/{pid}/{start}0")));
        assert!(!ProcessLiveness.is_gone(&format!("{boot}/1/4194305/1")));
        assert!(!ProcessLiveness.is_gone(&format!("{boot}/{pid}/{start}")), "an old description names no namespace");
    }
}
