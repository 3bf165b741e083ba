//! The outside world: a loopback server that performs and counts effects, with adjustable unreliability.
//!
//! It implements HTTP by hand, so that it can cut a connection at any point.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::Dice;

/// Probabilities of faults, in percent of all calls.
const BUSY: u64 = 4;
const CUT_BEFORE: u64 = 2;
const CUT_AFTER: u64 = 2;
/// The connection is cut at once, and the effect happens later.
const LATE: u64 = 2;
/// Maximum delay of an answer.
const SLOWEST: u64 = 12;
/// Maximum delay of a late effect, in milliseconds: less than the timeout of every tool plus the engine's grace.
const LATEST: u64 = 3_000;
/// Statuses of a gateway, whether or not the effect happened.
const GATEWAY: [u16; 4] = [500, 502, 503, 504];

/// The effects of each operation and job: the key of every effect.
pub type Effects = BTreeMap<(String, String), Vec<String>>;

pub struct World {
    pub addr: String,
    effects: Mutex<Effects>,
    dice: Dice,
    calm: AtomicBool,
    pub calls: AtomicU64,
    pub cuts: AtomicU64,
    /// Number of pending late effects.
    late: AtomicU64,
}

impl World {
    pub async fn start(seed: u64) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let world = Arc::new(Self {
            addr: listener.local_addr().unwrap().to_string(),
            effects: Mutex::default(),
            dice: Dice::new(seed ^ 0x0077_6f72_6c64),
            calm: AtomicBool::new(false),
            calls: AtomicU64::new(0),
            cuts: AtomicU64::new(0),
            late: AtomicU64::new(0),
        });
        let served = world.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(served.clone(), stream));
            }
        });
        world
    }

    /// From now on everything is answered.
    pub fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    /// Waits until every late effect has landed.
    pub async fn at_rest(&self) {
        while self.late.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn effects(&self) -> Effects {
        self.effects.lock().unwrap().clone()
    }

    fn bad_luck(&self, chance: u64) -> bool {
        !self.calm.load(Ordering::Relaxed) && self.dice.percent(chance)
    }

    /// Performs an operation. One that knows keys is performed once per key; others every time.
    fn act(&self, what: &str, job: &str, key: &str) {
        let knows_keys = matches!(what, "pay" | "refund");
        let mut effects = self.effects.lock().unwrap();
        let done = effects.entry((what.to_owned(), job.to_owned())).or_default();
        if !knows_keys || !done.iter().any(|known| known == key) {
            done.push(key.to_owned());
        }
    }

    /// The answer to a call; `None` cuts the connection.
    async fn answer(self: &Arc<Self>, what: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let job = body["job"].as_str().unwrap_or_default();
        let cut = || {
            self.cuts.fetch_add(1, Ordering::Relaxed);
            None
        };
        if self.bad_luck(CUT_BEFORE) {
            return cut();
        }
        let answer = match what {
            "refuse" => (409, json!({"error": "never"})),
            // It reports the effects so far; pending ones are unknown to it.
            "booked" => {
                let asked = body["idempotency_key"].as_str().unwrap_or_default();
                let effects = self.effects.lock().unwrap();
                let known = effects.get(&("book".to_owned(), job.to_owned()));
                let happened = known.is_some_and(|keys| keys.iter().any(|key| key == asked));
                (200, json!({"happened": happened, "result": {"done": true}}))
            }
            _ if self.bad_luck(LATE) => {
                self.late.fetch_add(1, Ordering::SeqCst);
                let (world, what, job, key) = (self.clone(), what.to_owned(), job.to_owned(), key.to_owned());
                let wait = Duration::from_millis(self.dice.below(LATEST));
                tokio::spawn(async move {
                    tokio::time::sleep(wait).await;
                    world.act(&what, &job, &key);
                    world.late.fetch_sub(1, Ordering::SeqCst);
                });
                return cut();
            }
            _ => {
                let busy = self.bad_luck(BUSY);
                // A gateway's error says nothing about the system behind it.
                if !busy || self.dice.percent(50) {
                    self.act(what, job, key);
                }
                if busy {
                    let status = GATEWAY[self.dice.below(GATEWAY.len() as u64) as usize];
                    return Some((status, json!({"error": "upstream"})));
                }
                (200, json!({"done": true}))
            }
        };
        if self.bad_luck(CUT_AFTER) {
            return cut();
        }
        tokio::time::sleep(Duration::from_millis(self.dice.below(SLOWEST))).await;
        Some(answer)
    }
}

/// Serves one persistent connection.
async fn serve(world: Arc<World>, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let what = line.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
        let (mut length, mut key) = (0, String::new());
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap_or(0),
                "idempotency-key" => value.clone_into(&mut key),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let Some((status, answer)) = world.answer(&what, &key, &body).await else { return Ok(()) };
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).await?;
        stream.flush().await?;
    }
}
