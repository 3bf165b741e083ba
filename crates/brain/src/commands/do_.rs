//! `brain do`: one request in plain words.

use anyhow::{Context, Result, anyhow};
use brain_core::{Confidence, RunStatus};
use brain_kernel::{Incoming, Mode, Report};
use brain_registry::model::BatchPolicy;
use serde_json::Value;

use crate::cli::{DoArgs, Global, ModeArg, PolicyArg};
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &DoArgs) -> Result<bool> {
    let mode = match args.mode {
        ModeArg::Answer => Mode::Answer,
        ModeArg::Plan => Mode::Plan,
        ModeArg::Enqueue => Mode::Enqueue,
        ModeArg::EnqueueAndWait => Mode::EnqueueAndWait,
    };
    let context = match &args.context {
        Some(text) => Some(serde_json::from_str::<Value>(text).context("--context must be a JSON object")?),
        None => None,
    };
    let message = match args.message.as_str() {
        "-" => std::io::read_to_string(std::io::stdin()).context("standard input is not text")?.trim_end().to_owned(),
        text => text.to_owned(),
    };
    let scope = open::scope(global)?;
    let mut attachments = Vec::new();
    if !args.attach.is_empty() {
        let store = open::store(global)?;
        for file in &args.attach {
            let row = super::blob::keep(store.as_ref(), &scope, file, None)?;
            attachments.push(brain_store::blob::file_reference(&row));
        }
    }
    let incoming = Incoming {
        message,
        mode: Some(mode),
        conversation: args.conversation.clone(),
        context,
        attachments,
        max_tool_calls: Some(u64::from(args.max_tool_calls)),
        wait_timeout_ms: Some(args.wait_timeout_ms),
        max_cost: args.max_cost.clone(),
        key: args.idempotency_key.clone(),
        policy: match args.policy {
            PolicyArg::Plain => BatchPolicy::Plain,
            PolicyArg::Atomic => BatchPolicy::Atomic,
            PolicyArg::BestEffort => BatchPolicy::BestEffort,
        },
        ..Incoming::default()
    };
    let request = incoming.check(scope, open::actor(global), "cli").map_err(|problems| {
        let lines = problems.iter().map(|problem| format!("{}: {}", flag(&problem.field), problem.message));
        anyhow!(lines.collect::<Vec<_>>().join("\n"))
    })?;
    let runtime = open::runtime()?;
    runtime.block_on(async {
        let kernel = open::kernel(global, false)?;
        let report = kernel.handle(&request).await?.as_accepted();
        let done = is_done(&report, mode);
        if global.quiet && !global.json {
            println!("{}", report.message);
        } else if global.json {
            show::report_as_json(report);
        } else {
            show::report(&report);
        }
        kernel.engine().stop();
        Ok(done)
    })
}

/// Whether the request was carried out; `false` if it failed, was not understood, or waits for a decision.
fn is_done(report: &Report, mode: Mode) -> bool {
    let asks = report.status == RunStatus::NeedsInput || (report.status == RunStatus::Staged && mode != Mode::Plan);
    let understood = report.confidence != Confidence::None;
    report.ok && !asks && understood
}

/// The flag that sets a field of a request.
fn flag(field: &str) -> String {
    match field.strip_prefix("limits.").unwrap_or(field) {
        "conversation_id" => "--conversation".into(),
        name => format!("--{}", name.replace('_', "-")),
    }
}
