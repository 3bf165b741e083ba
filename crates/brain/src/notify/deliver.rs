//! Delivers a notification to the webhook and the command, with retries.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use brain_core::Clock;
use brain_kernel::sign_callback;
use serde_json::Value;
use tokio::io::AsyncWriteExt;

use super::NotifyConfig;
use crate::system::SystemClock;

/// Timeout of one delivery.
const PATIENCE: Duration = Duration::from_secs(20);
/// The first backoff; each one is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(500);
/// Maximum backoff.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Maximum number of attempts, over about an hour: a receiver that is down must not block the rest.
const ATTEMPTS: u32 = 64;
/// The header that signs a notification.
const SIGNATURE: &str = "brain-signature";

/// The configured receivers.
pub(crate) struct Receivers {
    webhook: Option<Webhook>,
    command: Option<String>,
}

struct Webhook {
    url: reqwest::Url,
    secret: Option<String>,
    client: reqwest::Client,
}

impl Receivers {
    /// The receivers in a configuration; `None` without any.
    pub(super) fn of(config: &NotifyConfig) -> Result<Option<Self>> {
        let webhook = config.webhook.as_deref().map(|url| Webhook::new(url, config.secret.as_deref())).transpose()?;
        let command = config.command.clone();
        Ok((webhook.is_some() || command.is_some()).then_some(Self { webhook, command }))
    }

    /// Delivers a notification. Drops it with a log line if a receiver never accepts it.
    pub(super) async fn deliver(&self, message: &Value) {
        let body = message.to_string();
        if let Some(webhook) = &self.webhook {
            insist("webhook", message, || webhook.send(&body)).await;
        }
        if let Some(command) = &self.command {
            insist("command", message, || run(command, &body)).await;
        }
    }
}

/// Retries until an attempt succeeds or all are used up.
async fn insist<F: Future<Output = Result<()>>>(receiver: &str, message: &Value, attempt: impl Fn() -> F) {
    let id = message["id"].as_str().unwrap_or_default();
    let mut pause = PAUSE;
    for number in 1..=ATTEMPTS {
        let done = tokio::time::timeout(PATIENCE, attempt()).await;
        let why = match done {
            Ok(Ok(())) => return,
            Ok(Err(error)) => format!("{error:#}"),
            Err(_) => format!("no answer within {} seconds", PATIENCE.as_secs()),
        };
        if number == 1 {
            tracing::warn!(receiver, id, why, "notification not delivered; will retry");
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
    tracing::error!(receiver, id, "notification dropped");
}

impl Webhook {
    fn new(url: &str, secret: Option<&str>) -> Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url: reqwest::Url = url.parse().with_context(|| format!("`{url}` is not a URL for notifications"))?;
        ensure!(matches!(url.scheme(), "http" | "https"), "notifications need an http:// or https:// URL");
        let secret = secret.map(brain_tools::resolve_secret).transpose().context("`notify.secret`")?;
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { url, secret, client })
    }

    async fn send(&self, body: &str) -> Result<()> {
        let mut request =
            self.client.post(self.url.clone()).header("content-type", "application/json").body(body.to_owned());
        if let Some(secret) = &self.secret {
            let seconds = SystemClock.now().as_millis() / 1000;
            request = request.header(SIGNATURE, sign_callback(secret, seconds, body.as_bytes()));
        }
        let status = request.send().await.map_err(|error| error.without_url())?.status();
        ensure!(status.is_success(), "the webhook answered {status}");
        Ok(())
    }
}

/// Runs the command with the notification on its standard input.
async fn run(command: &str, body: &str) -> Result<()> {
    let mut child = tokio::process::Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("the command cannot be started")?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its input is fine.
        drop(stdin.write_all(body.as_bytes()).await);
        drop(stdin.write_all(b"\n").await);
    }
    let status = child.wait().await?;
    if !status.success() {
        bail!("the command ended with {status}");
    }
    Ok(())
}
