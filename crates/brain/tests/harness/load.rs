//! The clients: each repeats its requests under a key until they are answered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Dice;

/// Number of concurrent clients.
const CLIENTS: usize = 16;
/// How long a client retries before the test fails.
const PATIENCE: Duration = Duration::from_secs(90);

/// The answers of the clients.
#[derive(Default)]
pub struct Told {
    /// The run of each job.
    pub runs: Mutex<BTreeMap<usize, String>>,
    /// Number of retries, and number of deliberate repetitions.
    pub asked_again: AtomicU64,
    pub repeated: AtomicU64,
    /// Codes of the problems that servers returned.
    pub problems: Mutex<BTreeMap<String, u64>>,
}

/// Whether a job is compensated at its end: one in eight.
pub fn is_taken_back(job: usize) -> bool {
    job % 8 == 7
}

pub fn name(job: usize) -> String {
    format!("J{job}")
}

pub struct Load {
    /// Number of jobs, and the period over which they are spread.
    pub jobs: usize,
    pub over: Duration,
    pub seed: u64,
}

impl Load {
    /// Submits all jobs. Every one is accepted in the end, or the test fails.
    pub async fn run(&self, any: impl Fn() -> String + Clone + Send + Sync + 'static) -> Arc<Told> {
        drop(rustls::crypto::ring::default_provider().install_default());
        let told = Arc::new(Told::default());
        let dice = Arc::new(Dice::new(self.seed ^ 0x6c6f_6164));
        let next = Arc::new(AtomicUsize::new(0));
        let began = Instant::now();
        let (jobs, over) = (self.jobs, self.over);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (told, dice, next, any) = (told.clone(), dice.clone(), next.clone(), any.clone());
                tokio::spawn(async move {
                    let client = reqwest::Client::builder().no_proxy().build().unwrap();
                    loop {
                        let job = next.fetch_add(1, Ordering::Relaxed);
                        if job >= jobs {
                            return;
                        }
                        let due = over.mul_f64(job as f64 / jobs as f64);
                        tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
                        let run = ask(&client, &any, &told, &dice, job).await;
                        if dice.percent(10) {
                            told.repeated.fetch_add(1, Ordering::Relaxed);
                            let again = ask(&client, &any, &told, &dice, job).await;
                            assert_eq!(run, again, "one key, one run");
                        }
                        told.runs.lock().unwrap().insert(job, run);
                    }
                })
            })
            .collect();
        for client in clients {
            client.await.unwrap();
        }
        told
    }
}

/// Repeats a job until it is answered; returns the run.
async fn ask(client: &reqwest::Client, any: &impl Fn() -> String, told: &Told, dice: &Dice, job: usize) -> String {
    let began = Instant::now();
    let verb = if is_taken_back(job) { "take back" } else { "job" };
    let wait = job.is_multiple_of(3);
    let mode = if wait { "enqueue_and_wait" } else { "enqueue" };
    let body = json!({"message": format!("{verb} {}", name(job)), "mode": mode, "limits": {"wait_timeout_ms": 2000}});
    loop {
        let mut request =
            client.post(format!("{}/v1/runs", any())).header("idempotency-key", format!("key-{job}")).json(&body);
        // Some clients cut their connection in the middle.
        let hurry = dice.percent(4);
        request = request.timeout(Duration::from_millis(if hurry { 1 + dice.below(15) } else { 20_000 }));
        match read(request).await {
            Ok((200 | 202, answer)) => {
                let run = answer["run_id"].as_str().unwrap_or_else(|| panic!("no run: {answer:#}"));
                return run.to_owned();
            }
            Ok((status, answer)) if status >= 500 => {
                let code = answer["code"].as_str().unwrap_or("not a problem document").to_owned();
                *told.problems.lock().unwrap().entry(format!("{status} {code}")).or_default() += 1;
            }
            Ok((status, answer)) => panic!("job {job} was refused with {status}: {answer:#}"),
            Err(_) => {}
        }
        told.asked_again.fetch_add(1, Ordering::Relaxed);
        assert!(began.elapsed() < PATIENCE, "job {job} was never accepted: {:?}", told.problems.lock().unwrap());
        tokio::time::sleep(Duration::from_millis(10 + dice.below(40))).await;
    }
}

async fn read(request: reqwest::RequestBuilder) -> reqwest::Result<(u16, Value)> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    Ok((status, response.json().await?))
}
