//! The real clock, the real randomness, and how to tell whether another process on this machine is alive.

use brain_core::{Clock, Random, Timestamp};
use brain_engine::Liveness;

use crate::cli::Global;

/// The clock of this machine.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The randomness of this machine.
pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    fn next_u64(&mut self) -> u64 {
        getrandom::u64().expect("the operating system gives random numbers")
    }
}

/// Tells processes on this machine apart by number and start time, so that a number that is used again is no
/// mistake.
pub(crate) struct ProcessLiveness;

impl ProcessLiveness {
    /// `host/pid/start`, as far as this system tells.
    fn describe(pid: u32) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may hold spaces and brackets: what follows its last bracket is plain.
        let start = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.to_owned();
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(format!("{}/{pid}/{start}", boot.trim()))
    }
}

impl Liveness for ProcessLiveness {
    fn own(&self) -> String {
        Self::describe(std::process::id()).unwrap_or_default()
    }

    fn is_gone(&self, other: &str) -> bool {
        let mut parts = other.split('/');
        let (Some(boot), Some(pid)) = (parts.next(), parts.next().and_then(|pid| pid.parse::<u32>().ok())) else {
            return false;
        };
        // A process of another machine, or from before a reboot, is judged by its lease alone.
        let here = self.own();
        if here.is_empty() || !here.starts_with(boot) {
            return false;
        }
        Self::describe(pid).is_none_or(|alive| alive != other)
    }
}

/// Logs go to standard error: warnings by default, more with `BRAIN_LOG`.
pub(crate) fn start_logging(global: &Global) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("BRAIN_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if global.json {
        builder.json().init();
    } else {
        builder.with_target(false).init();
    }
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
        let (before, start) = own.rsplit_once('/').unwrap();
        assert!(liveness.is_gone(&format!("{before}/{start}0")), "the same number, another start");
        assert!(!liveness.is_gone("another-machine/1/1"));
        assert!(!liveness.is_gone("nonsense"));
    }
}
