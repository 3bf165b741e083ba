//! `brain demo`: a short demo on the built-in pack, then a server to try.

use std::io::IsTerminal;
use std::sync::Arc;

use anyhow::{Context, Result};
use brain_core::{RunStatus, TenantId};
use brain_kernel::{Decision, Kernel, Mode, Report, Request};
use brain_server::ServerConfig;
use brain_store::{Scope, SqliteStore, Store};

use crate::cli::{DemoArgs, Global};
use crate::show::{BOLD, DIM};
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &DemoArgs) -> Result<bool> {
    let once = args.once || !std::io::stdout().is_terminal();
    let runtime = open::runtime()?;
    runtime.block_on(async {
        let folder = tempfile::Builder::new().prefix("brain-demo-").tempdir()?;
        let file = folder.path().join("demo.db");
        let (store, url): (Arc<dyn Store>, String) = match &global.store {
            Some(url) => (open::store(global)?, url.clone()),
            None => (Arc::new(SqliteStore::open(&file)?), format!("sqlite:{}", file.display())),
        };
        let kernel = open::kernel_over(global, open::registry(global)?, store, true)?;
        let story = Story { kernel: &kernel, scope: Scope::of(TenantId::default_tenant()) };
        let ok = story.tell().await?;
        if once {
            if global.store.is_none() {
                anstream::println!("{DIM}The demo's store is deleted when it ends. To keep your work: brain do \"create task: Call Bob\"{DIM:#}");
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
        let (addr, serving) = bound.context("cannot listen")?;
        anstream::println!("{BOLD}Where to look next{BOLD:#}");
        anstream::println!("  curl -s http://{addr}/v1/runs -H 'content-type: application/json' -d '{{\"message\": \"list tasks\"}}'");
        anstream::println!("  curl -s http://{addr}/v1/records/quote");
        anstream::println!("  brain --store {url} inspect {}", story.last_run()?);
        anstream::println!("  brain pack new shop            a pack of your own");
        anstream::println!("\nServing on {BOLD}http://{addr}{BOLD:#} {DIM}(Ctrl-C ends the demo){DIM:#}");
        serving.await?;
        kernel.engine().stop();
        Ok(ok)
    })
}

struct Story<'a> {
    kernel: &'a Kernel,
    scope: Scope,
}

impl Story<'_> {
    async fn tell(&self) -> Result<bool> {
        anstream::println!("{BOLD}A sentence becomes a durable, receipted tool call{BOLD:#}");
        anstream::println!(
            "{DIM}No language model, no network, no set-up: one binary and the built-in `trades` pack.{DIM:#}\n"
        );
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
        if let Some(approval) = &staged.approval {
            let actor = brain_kernel::Actor::local();
            anstream::println!("{BOLD}$ brain approve {approval}{BOLD:#}");
            let run = self.kernel.decide(&self.scope, approval, None, Decision::Approve, &actor, "").await?.run;
            drop(self.kernel.engine().wait(&self.scope, run).await?);
            show::report(&self.kernel.report(&self.scope, run)?);
            anstream::println!();
        }

        self.heading("Invalid requests are refused, with the reason, and change nothing");
        self.say(&format!("add item to quote {quote}: 1x gold leaf $999"), Mode::EnqueueAndWait).await?;
        self.say("complete task 12345", Mode::EnqueueAndWait).await?;

        self.heading("Everything has a receipt");
        super::inspect::timeline(self.kernel, &self.scope, task.run)?;
        anstream::println!();
        Ok(task.ok && job.ok && staged.ok)
    }

    fn heading(&self, text: &str) {
        anstream::println!("{BOLD}{text}{BOLD:#}\n");
    }

    async fn say(&self, text: &str, mode: Mode) -> Result<Report> {
        anstream::println!("{BOLD}“{text}”{BOLD:#}");
        let report = self.kernel.handle(&Request::say(self.scope.clone(), text, mode)).await?;
        show::report(&report);
        anstream::println!();
        Ok(report)
    }

    fn last_run(&self) -> Result<String> {
        let page = self.kernel.store().runs(&self.scope, Some(RunStatus::Completed), 1, None)?;
        Ok(page.items.first().map(|row| row.id.to_string()).unwrap_or_default())
    }
}

/// A field of a run's result.
fn result(report: &Report, name: &str) -> String {
    let found = report.receipts.iter().rev().find_map(|receipt| receipt.result[name].as_str());
    found.unwrap_or_default().to_owned()
}
