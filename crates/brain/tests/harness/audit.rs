//! The audit: nothing accepted is lost, nothing happened twice, nothing is stuck, and everything that waits is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::load::{Told, is_taken_back, name};
use super::world::{Effects, World};

/// Time limit until all runs have settled.
const PATIENCE: Duration = Duration::from_secs(120);
/// Polling interval.
const LOOK: Duration = Duration::from_millis(200);
const OVER: [&str; 4] = ["completed", "failed", "compensated", "cancelled"];

/// The counts of the audit.
#[derive(Debug)]
pub struct Found {
    pub runs: usize,
    pub by_status: BTreeMap<String, usize>,
    pub letters: usize,
    pub effects: usize,
    pub marks: usize,
    pub settled_after: Duration,
}

/// Checks everything through a live server. First all runs must end or wait for a person; then the person decides
/// according to the state of the outside world; then the rest is checked.
pub async fn audit(url: &str, told: &Told, world: &World) -> Found {
    let api = Api { url: url.to_owned(), client: reqwest::Client::builder().no_proxy().build().unwrap() };
    let began = Instant::now();
    let runs = told.runs.lock().unwrap().clone();
    api.settle(&runs, true).await;
    let settled_after = began.elapsed();
    world.at_rest().await;
    // Jobs in doubt are decided by looking at the other system, as a person would.
    let letters = api.list("/v1/dead-letters?open=true").await;
    for letter in &letters {
        assert_eq!(letter["in_doubt"], true, "attempts were used up: {letter:#}");
        let tool = letter["tool_name"].as_str().unwrap_or_default();
        assert!(matches!(tool, "crash.send" | "crash.book"), "{tool} can be asked again: {letter:#}");
        let job = runs.iter().find(|(_, run)| **run == letter["run_id"]).map(|(job, _)| name(*job)).expect("a run");
        let what = tool.trim_start_matches("crash.").to_owned();
        let happened = world.effects().contains_key(&(what, job));
        let id = letter["letter_id"].as_str().unwrap_or_default();
        let (verb, body) = if happened {
            ("resolve", json!({"note": "it happened", "outcome": "done", "result": {"done": true}}))
        } else {
            ("retry", json!({"note": "it did not happen"}))
        };
        let (status, answer) = api.post(&format!("/v1/dead-letters/{id}/{verb}"), &body).await;
        assert_eq!(status, 200, "{answer:#}");
    }
    let by_status = api.settle(&runs, false).await;
    let effects = world.effects();
    each_effect_is_there_once(&runs, &effects);
    let marks = api.each_mark_is_there_once(&runs).await;
    api.each_end_is_in_the_feed_once(&runs).await;
    let effects = effects.values().map(Vec::len).sum();
    Found { runs: runs.len(), by_status, letters: letters.len(), effects, marks, settled_after }
}

fn each_effect_is_there_once(runs: &BTreeMap<usize, String>, effects: &Effects) {
    let mut expected = BTreeSet::new();
    for job in runs.keys() {
        let done: &[&str] = if is_taken_back(*job) { &["pay", "refund"] } else { &["pay", "book", "send"] };
        expected.extend(done.iter().map(|what| ((*what).to_owned(), name(*job))));
    }
    let twice: Vec<_> = effects.iter().filter(|(_, keys)| keys.len() != 1).collect();
    assert!(twice.is_empty(), "done more than once: {twice:#?}");
    let found: BTreeSet<_> = effects.keys().cloned().collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(missing.is_empty(), "their steps succeeded, but nothing was done: {missing:?}");
    let foreign: Vec<_> = found.difference(&expected).collect();
    assert!(foreign.is_empty(), "nobody asked for this: {foreign:?}");
}

struct Api {
    url: String,
    client: reqwest::Client,
}

impl Api {
    async fn get(&self, path: &str) -> Value {
        let response = self.client.get(format!("{}{path}", self.url)).send().await.unwrap();
        let status = response.status();
        let answer: Value = response.json().await.unwrap();
        assert!(status.is_success(), "{path}: {answer:#}");
        answer
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let response = self.client.post(format!("{}{path}", self.url)).json(body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// All pages of a list.
    async fn list(&self, path: &str) -> Vec<Value> {
        let join = if path.contains('?') { '&' } else { '?' };
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let mut page = self.get(&format!("{path}{join}limit=200{cursor}")).await;
            items.append(page["items"].as_array_mut().unwrap());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
    }

    /// Waits until every run has ended, or waits for a person if that is allowed. Returns the number of runs per
    /// status.
    async fn settle(&self, runs: &BTreeMap<usize, String>, letters_too: bool) -> BTreeMap<String, usize> {
        let began = Instant::now();
        loop {
            let waiting: BTreeSet<String> = self
                .list("/v1/dead-letters?open=true")
                .await
                .iter()
                .map(|letter| letter["run_id"].as_str().unwrap_or_default().to_owned())
                .collect();
            let mut listed = BTreeMap::new();
            for run in self.list("/v1/runs").await {
                let text = |field: &str| run[field].as_str().unwrap_or_default().to_owned();
                assert!(listed.insert(text("run_id"), text("status")).is_none(), "listed twice: {run}");
            }
            let lost: Vec<_> = runs.iter().filter(|(_, run)| !listed.contains_key(*run)).collect();
            assert!(lost.is_empty(), "accepted and lost: {lost:?}");
            assert_eq!(listed.len(), runs.len(), "a run for each key and no other");
            let open: Vec<_> = listed
                .iter()
                .filter(|(run, status)| {
                    let for_a_person = letters_too && waiting.contains(run.as_str());
                    !for_a_person && !OVER.contains(&status.as_str())
                })
                .collect();
            if open.is_empty() {
                let mut by_status = BTreeMap::new();
                for (job, run) in runs {
                    let status = listed[run].clone();
                    if !letters_too {
                        let expected = if is_taken_back(*job) { "compensated" } else { "completed" };
                        assert_eq!(status, expected, "run {run} of job {job}");
                    }
                    *by_status.entry(status).or_default() += 1;
                }
                return by_status;
            }
            if began.elapsed() > PATIENCE {
                let (run, status) = open[0];
                let why = self.get(&format!("/v1/runs/{run}/why")).await;
                let events = self.get(&format!("/v1/runs/{run}/events")).await;
                panic!("{} runs are stuck; {run} is {status}: {why:#}\n{events:#}", open.len());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Checks for two marks of a completed job, and none of an undone one.
    async fn each_mark_is_there_once(&self, runs: &BTreeMap<usize, String>) -> usize {
        let mut marks: BTreeMap<(String, String), usize> = BTreeMap::new();
        for mark in self.list("/v1/records/mark").await {
            let part = |field: &str| mark[field].as_str().unwrap_or_default().to_owned();
            *marks.entry((part("job"), part("place"))).or_default() += 1;
        }
        for job in runs.keys() {
            for place in ["first", "last"] {
                let count = marks.get(&(name(*job), place.to_owned())).copied().unwrap_or(0);
                let expected = usize::from(!is_taken_back(*job));
                assert_eq!(count, expected, "the {place} mark of job {job}");
            }
        }
        marks.values().sum()
    }

    /// Reads the feed from its beginning. Positions are assigned shortly after the commit (after failures, up to a
    /// second or so later), so it is read again until every end has appeared.
    async fn each_end_is_in_the_feed_once(&self, runs: &BTreeMap<usize, String>) {
        let mut ends: BTreeMap<String, u32> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut cursor = "0".to_owned();
        let began = Instant::now();
        loop {
            let page = self.get(&format!("/v1/events?limit=200&cursor={cursor}")).await;
            let items = page["items"].as_array().unwrap();
            for event in items {
                let run = event["run_id"].as_str().unwrap_or_default().to_owned();
                assert!(seen.insert((run.clone(), event["seq"].as_u64())), "in the feed twice: {event:#}");
                if event["name"] == "RunEnded" {
                    *ends.entry(run).or_default() += 1;
                }
            }
            let next = page["next_cursor"].as_str().unwrap().to_owned();
            if items.is_empty() && next == cursor {
                if runs.values().all(|run| ends.contains_key(run)) || began.elapsed() > PATIENCE {
                    break;
                }
                tokio::time::sleep(LOOK).await;
            }
            cursor = next;
        }
        for run in runs.values() {
            assert_eq!(ends.get(run), Some(&1), "the end of run {run} in the feed");
        }
    }
}
