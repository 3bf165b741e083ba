//! The servers: one or more on one store, killed and restarted.

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Dice;
use crate::common::{Server, brain_on};

pub struct Fleet {
    store: String,
    args: Vec<String>,
    servers: Vec<Mutex<Option<Server>>>,
    urls: Mutex<Vec<String>>,
    dice: Dice,
    /// The log of the servers, which would otherwise bury the reason of a failure.
    log: tempfile::NamedTempFile,
    pub kills: AtomicU64,
}

impl Fleet {
    /// Starts `count` servers on one store with one pack.
    pub fn start(store: &str, pack: &std::path::Path, count: usize, seed: u64) -> Self {
        let args = vec!["--pack".to_owned(), pack.display().to_string(), "--allow-private-hosts".to_owned()];
        let fleet = Self {
            store: store.to_owned(),
            args,
            servers: (0..count).map(|_| Mutex::new(None)).collect(),
            urls: Mutex::new(vec![String::new(); count]),
            dice: Dice::new(seed ^ 0x6b69_6c6c),
            log: tempfile::NamedTempFile::new().unwrap(),
            kills: AtomicU64::new(0),
        };
        for number in 0..count {
            fleet.start_one(number);
        }
        fleet
    }

    fn command(&self) -> Command {
        let mut command = brain_on(&self.store);
        let log = std::fs::OpenOptions::new().append(true).open(self.log.path()).unwrap();
        command.stderr(Stdio::from(log));
        command
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    fn start_one(&self, number: usize) {
        let server = Server::from_command(self.command(), &self.args());
        self.urls.lock().unwrap()[number].clone_from(&server.url);
        *self.servers[number].lock().unwrap() = Some(server);
    }

    /// The address of one of them, which may be dead.
    pub fn any(&self) -> String {
        let urls = self.urls.lock().unwrap();
        urls[self.dice.below(urls.len() as u64) as usize].clone()
    }

    /// Kills servers one at a time, at random times, and restarts each. Some die again while they start, because
    /// take-over must survive that too. Ends with all of them alive.
    pub fn kill_for(&self, time: Duration, at_least: u64) {
        let began = Instant::now();
        while began.elapsed() < time || self.kills.load(Ordering::Relaxed) < at_least {
            std::thread::sleep(Duration::from_millis(200 + self.dice.below(1200)));
            let number = self.dice.below(self.servers.len() as u64) as usize;
            if let Some(server) = self.servers[number].lock().unwrap().take() {
                server.kill();
                self.kills.fetch_add(1, Ordering::Relaxed);
            }
            if self.dice.percent(25) {
                let starting = Server::begin(&mut self.command(), &self.args());
                std::thread::sleep(Duration::from_millis(self.dice.below(250)));
                starting.kill();
                self.kills.fetch_add(1, Ordering::Relaxed);
            }
            self.start_one(number);
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.log.path()).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            println!("the last that the servers logged, of {} lines:", lines.len());
            lines.iter().rev().take(30).rev().for_each(|line| println!("{line}"));
        }
    }
}
