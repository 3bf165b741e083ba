//! `brain do`: one request in plain words.

use anyhow::{Context, Result};
use brain_kernel::{Limits, Mode, Request};
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
        Some(text) => serde_json::from_str(text).context("--context must be a JSON object")?,
        None => Value::Null,
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
    let request = Request {
        actor: open::actor(global),
        attachments,
        conversation: args.conversation.clone(),
        context,
        limits: Limits {
            max_tool_calls: args.max_tool_calls,
            wait_timeout_ms: args.wait_timeout_ms,
            max_cost: args.max_cost.clone(),
        },
        policy: match args.policy {
            PolicyArg::Plain => BatchPolicy::Plain,
            PolicyArg::Atomic => BatchPolicy::Atomic,
            PolicyArg::BestEffort => BatchPolicy::BestEffort,
        },
        key: args.idempotency_key.clone(),
        ..Request::say(scope, &args.message, mode)
    };
    let runtime = open::runtime()?;
    runtime.block_on(async {
        let kernel = open::kernel(global, false)?;
        let report = kernel.handle(&request).await?;
        let ok = report.ok;
        if global.json {
            show::json(&brain_server::wire::RunResponse::accepted(report));
        } else {
            show::report(&report);
        }
        kernel.engine().stop();
        Ok(ok)
    })
}
