//! `brain do`: one request in plain words.

use anyhow::{Context, Result};
use brain_core::RunStatus;
use brain_kernel::{Actor, INTENT_TIER, Incoming};
use brain_server::wire::{Confidence, LimitsRequest, Mode, Policy, RunRequest, RunResponse};
use serde_json::{Map, Value};

use super::Usage;
use crate::cli::{DoArgs, Global, ModeArg, PolicyArg};
use crate::remote::{Client, Need};
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &DoArgs) -> Result<bool> {
    let mode = match args.mode {
        ModeArg::Answer => Mode::Answer,
        ModeArg::Plan => Mode::Plan,
        ModeArg::Enqueue => Mode::Enqueue,
        ModeArg::EnqueueAndWait => Mode::EnqueueAndWait,
    };
    let context = match &args.context {
        Some(text) => {
            let context = serde_json::from_str::<Map<String, Value>>(text);
            Some(context.map_err(|error| Usage(format!("--context must be a JSON object: {error}")))?)
        }
        None => None,
    };
    let context = match &args.intent_tier {
        Some(tier) => {
            let mut context: Map<String, Value> = context.unwrap_or_default();
            context.insert(INTENT_TIER.to_owned(), Value::from(tier.as_str()));
            Some(context)
        }
        None => context,
    };
    let message = match args.message.as_str() {
        "-" => std::io::read_to_string(std::io::stdin()).map_err(not_read)?.trim_end().to_owned(),
        text => text.to_owned(),
    };
    check(global, args, &message, context.as_ref())?;
    let conversation = args.conversation.as_deref().map(str::parse).transpose();
    let conversation = conversation.map_err(|error| Usage(format!("--conversation must be a UUID: {error}")))?;
    super::talk(global, Need::Writable, async |client| {
        let mut attachments = Vec::new();
        for file in &args.attach {
            let blob = super::blob::upload(global, client, file, None).await?;
            attachments.extend(serde_json::to_value(blob)?.as_object().cloned());
        }
        let request = RunRequest {
            message,
            mode: Some(mode),
            conversation_id: conversation,
            context,
            attachments: Some(attachments).filter(|files| !files.is_empty()),
            limits: Some(LimitsRequest {
                max_tool_calls: Some(u64::from(args.max_tool_calls)),
                wait_timeout_ms: Some(args.wait_timeout_ms),
                max_cost: args.max_cost.clone(),
            }),
            calls: None,
            policy: Some(match args.policy {
                PolicyArg::Plain => Policy::Plain,
                PolicyArg::Atomic => Policy::Atomic,
                PolicyArg::BestEffort => Policy::BestEffort,
            }),
        };
        let mut answer = ask(client, &request, args.idempotency_key.as_deref()).await?;
        let done = is_done(&answer, args.mode);
        // For a script, `ok` and the exit code say the same.
        answer.ok &= done || !global.json;
        if !global.json {
            super::show_records::with_names(client, &mut answer).await;
        }
        show::answer(global, answer);
        Ok(done)
    })
}

/// Refuses what every surface refuses, before anything is opened or sent, and names the flags.
fn check(global: &Global, args: &DoArgs, message: &str, context: Option<&Map<String, Value>>) -> Result<()> {
    let incoming = Incoming {
        message: message.to_owned(),
        conversation: args.conversation.clone(),
        context: context.cloned().map(Value::Object),
        max_tool_calls: Some(u64::from(args.max_tool_calls)),
        wait_timeout_ms: Some(args.wait_timeout_ms),
        max_cost: args.max_cost.clone(),
        key: args.idempotency_key.clone(),
        ..Incoming::default()
    };
    let Err(problems) = incoming.check(open::scope(global)?, Actor::local(), "cli") else { return Ok(()) };
    let lines = problems.iter().map(|problem| format!("{}: {}", flag(&problem.field), problem.message));
    Err(Usage(lines.collect::<Vec<_>>().join("\n")).into())
}

/// The error for standard input that cannot be read as a request.
fn not_read(error: std::io::Error) -> anyhow::Error {
    match error.kind() {
        std::io::ErrorKind::InvalidData => Usage("standard input must be UTF-8 text".into()).into(),
        _ => anyhow::Error::new(error).context("standard input cannot be read"),
    }
}

/// Sends a request.
pub(super) async fn ask(client: &Client, request: &RunRequest, key: Option<&str>) -> Result<RunResponse> {
    let mut sent = client.request(reqwest::Method::POST, "/v1/runs", &[])?;
    let headers = sent.headers_mut();
    headers.insert("content-type", "application/json".parse()?);
    if let Some(key) = key {
        headers.insert("idempotency-key", key.parse().context("--idempotency-key")?);
    }
    *sent.body_mut() = Some(serde_json::to_vec(request)?.into());
    let bytes = client.send(sent).await?.bytes().await?;
    serde_json::from_slice(&bytes)
        .context("the server's response cannot be parsed; it may run another version of Brain")
}

/// Whether the request was carried out; `false` if it failed, was not understood, or waits for a decision.
fn is_done(answer: &RunResponse, mode: ModeArg) -> bool {
    let staged = answer.status == RunStatus::Staged && !matches!(mode, ModeArg::Plan);
    let asks = answer.status == RunStatus::NeedsInput || staged;
    answer.ok && !asks && answer.decision.confidence != Confidence::None
}

/// The flag that sets a field of a request.
fn flag(field: &str) -> String {
    match field.strip_prefix("limits.").unwrap_or(field) {
        "conversation_id" => "--conversation".into(),
        "message" => "the request".into(),
        name => format!("--{}", name.replace('_', "-")),
    }
}
