//! `brain demo`: a short demo with the built-in pack, then a server to experiment with.

use std::cell::RefCell;
use std::io::IsTerminal;
use std::sync::Arc;

use anyhow::{Context, Result};
use brain_server::ServerConfig;
use brain_server::wire::{Decide, Decision, Mode, Page, RunRequest, RunResponse, RunSummary};
use brain_store::{SqliteStore, Store};
use serde_json::json;

use crate::cli::{DemoArgs, Global};
use crate::remote::Client;
use crate::show::{BOLD, DIM};
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &DemoArgs) -> Result<bool> {
    let once = args.once || !std::io::stdout().is_terminal();
    let runtime = open::runtime()?;
    runtime.block_on(async {
        let folder = tempfile::Builder::new().prefix("brain-demo-").tempdir()?;
        let file = folder.path().join("demo.db");
        // The demo does not write into the store of a project.
        let own = global.settings.is_given("store");
        let (store, url): (Arc<dyn Store>, String) = match global.store.as_ref().filter(|_| own) {
            Some(url) => (open::store(global)?, url.clone()),
            None => (Arc::new(SqliteStore::open(&file)?), format!("sqlite:{}", file.display())),
        };
        // The demo uses the built-in pack, whichever packs a project has.
        let global = &Global { tenant: None, packs: Vec::new(), ..global.clone() };
        let kernel = open::kernel_over(global, open::registry(global)?, store, true)?;
        let story = Story { client: Client::over(global, kernel.clone())?, quiet: global.json, runs: RefCell::default() };
        let ok = story.tell().await?;
        if global.json {
            show::json(&json!({"ok": ok, "store": brain_store::redact(&url), "runs": story.runs.take()}));
        }
        if once {
            if !own && !global.json {
                outln!("{DIM}The demo's store is deleted when it ends. To keep your work: brain do \"create task: Call Bob\"{DIM:#}");
            }
            kernel.engine().stop();
            return Ok(ok);
        }
        let config = ServerConfig::new(args.addr);
        let bound = match brain_server::bind(kernel.clone(), config, super::serve::stop_signal()).await {
            Ok(bound) => Ok(bound),
            // The port is in use; any free one will do for a demo.
            Err(_) => {
                let free = ServerConfig::new((args.addr.ip(), 0).into());
                brain_server::bind(kernel.clone(), free, super::serve::stop_signal()).await
            }
        };
        let (bound, serving) = bound.context("cannot listen")?;
        let addr = bound.addr;
        if global.json {
            crate::out::text(format_args!("{}\n", json!({"listening": addr})));
            serving.await?;
            kernel.engine().stop();
            return Ok(ok);
        }
        outln!("{BOLD}Where to look next{BOLD:#}");
        outln!("  curl -s http://{addr}/v1/runs -H 'content-type: application/json' -d '{{\"message\": \"list tasks\"}}'");
        outln!("  curl -s http://{addr}/v1/records/quote");
        outln!("  brain --store {url} runs show {}", story.last_run().await?);
        outln!("  brain pack new shop            a pack of your own");
        outln!("\nServing on {BOLD}http://{addr}{BOLD:#} {DIM}(Ctrl-C ends the demo){DIM:#}");
        serving.await?;
        kernel.engine().stop();
        Ok(ok)
    })
}

struct Story {
    client: Client,
    /// Whether only the final JSON is printed.
    quiet: bool,
    /// The answers so far.
    runs: RefCell<Vec<RunResponse>>,
}

impl Story {
    async fn tell(&self) -> Result<bool> {
        if !self.quiet {
            outln!("{BOLD}Type a request in plain words; Brain checks it, runs it once and keeps a receipt{BOLD:#}");
            outln!(
                "{DIM}No language model, no network, no set-up: one binary and the built-in `trades` pack.{DIM:#}\n"
            );
        }
        let task = self.say("create task: Call Bob about the roof", Mode::EnqueueAndWait).await?;

        self.heading("A whole job, from the first call to a quote");
        let job = self.say("new job for Bob Smith 0412 345 678 in Parramatta", Mode::EnqueueAndWait).await?;
        let inspection = result(&job, "inspection_id");
        self.say(&format!("add measurement to {inspection}: ridge length 12.5 m"), Mode::EnqueueAndWait).await?;
        self.say(&format!("submit inspection {inspection}"), Mode::EnqueueAndWait).await?;
        let quote = self.say(&format!("create quote from inspection {inspection}"), Mode::EnqueueAndWait).await?;
        let quote = result(&quote, "quote_id");
        self.say(&format!("add item to quote {quote}: 12x ridge capping $45.55"), Mode::EnqueueAndWait).await?;

        self.heading("See it before it happens: with mode `plan` a request waits for your approval");
        let staged = self.say(&format!("close quote {quote}"), Mode::Plan).await?;
        if let Some(approval) = &staged.approval_id {
            let decide = Decide { decision: Decision::Approve, note: None, digest: None, wait_timeout_ms: None };
            let answer: RunResponse = self.client.post(&format!("/v1/approvals/{approval}"), &decide).await?;
            self.show(&format!("$ brain approve {approval}"), answer);
        }

        self.heading("Invalid requests are refused, with the reason, and change nothing");
        self.say(&format!("add item to quote {quote}: 1x gold leaf $999"), Mode::EnqueueAndWait).await?;
        self.say("complete task 12345", Mode::EnqueueAndWait).await?;

        self.heading("Everything has a receipt");
        if !self.quiet {
            super::inspect::timeline(&self.client, &task.run_id).await?;
            outln!();
        }
        Ok(task.ok && job.ok && staged.ok)
    }

    fn heading(&self, text: &str) {
        if !self.quiet {
            outln!("{BOLD}{text}{BOLD:#}\n");
        }
    }

    /// Prints a request and its answer, and keeps the answer.
    fn show(&self, head: &str, answer: RunResponse) {
        if !self.quiet {
            outln!("{BOLD}{head}{BOLD:#}");
            show::report(&answer, true);
            outln!();
        }
        self.runs.borrow_mut().push(answer);
    }

    async fn say(&self, text: &str, mode: Mode) -> Result<RunResponse> {
        let request = RunRequest { message: text.to_owned(), mode: Some(mode), ..RunRequest::default() };
        let answer = super::do_::ask(&self.client, &request, None).await?;
        self.show(&format!("“{text}”"), answer.clone());
        Ok(answer)
    }

    async fn last_run(&self) -> Result<String> {
        let query = [("status", Some("completed".to_owned())), ("limit", Some("1".to_owned()))];
        let page: Page<RunSummary> = self.client.ask("/v1/runs", &query).await?;
        Ok(page.items.first().map(|run| run.run_id.clone()).unwrap_or_default())
    }
}

/// A field of a run's result.
fn result(answer: &RunResponse, name: &str) -> String {
    let found = answer.receipts.iter().rev().find_map(|receipt| receipt.result[name].as_str());
    found.unwrap_or_default().to_owned()
}
