//! The servers: one or more on one store, killed and started again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Dice;
use crate::common::Server;

pub struct Fleet {
    store: String,
    args: Vec<String>,
    servers: Vec<Mutex<Option<Server>>>,
    urls: Mutex<Vec<String>>,
    dice: Dice,
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
            kills: AtomicU64::new(0),
        };
        for number in 0..count {
            fleet.start_one(number);
        }
        fleet
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    fn start_one(&self, number: usize) {
        let server = Server::start_on(&self.store, &self.args());
        self.urls.lock().unwrap()[number].clone_from(&server.url);
        *self.servers[number].lock().unwrap() = Some(server);
    }

    /// The address of one of them; it may be dead.
    pub fn any(&self) -> String {
        let urls = self.urls.lock().unwrap();
        urls[self.dice.below(urls.len() as u64) as usize].clone()
    }

    /// Kills them, one at a time, at moments that nobody can foresee, and starts each again. Some die a second time
    /// while they start: taking over must survive that too. Ends with all of them alive.
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
                let starting = Server::begin_on(&self.store, &self.args());
                std::thread::sleep(Duration::from_millis(self.dice.below(250)));
                starting.kill();
                self.kills.fetch_add(1, Ordering::Relaxed);
            }
            self.start_one(number);
        }
    }
}
