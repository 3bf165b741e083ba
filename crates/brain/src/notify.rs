//! Notifications: sends dead letters, approvals and reviews to a webhook or a command.
//!
//! The notifier reads the durable feed and stores its progress, so events from a time without a server or receiver are
//! delivered later. Delivery is at least once, in feed order, by one server at a time. Runs never wait for it.

mod deliver;
mod progress;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use brain_core::{Clock, TenantId};
use brain_engine::{Engine, Happening, Observer, What};
use brain_store::{Scope, Sudo};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

pub(crate) use self::deliver::Receivers;
use self::progress::Progress;
use crate::system::SystemClock;

/// How often the feed is polled without a hint, to find events of other processes.
const POLL: Duration = Duration::from_secs(5);
/// Page size when reading the feed.
const PAGE: usize = 200;

/// `notify` in the configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotifyConfig {
    /// URL that receives a POST for each notification.
    pub(crate) webhook: Option<String>,
    /// Reference of the signing secret: `env:NAME` or `file:PATH`.
    pub(crate) secret: Option<String>,
    /// A shell command that gets the notification on standard input.
    pub(crate) command: Option<String>,
    /// The kinds to notify; all by default.
    #[serde(default)]
    pub(crate) on: Option<Vec<Kind>>,
}

/// Kinds of notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A dead letter was opened.
    DeadLetter,
    /// A plan or a step waits for approval.
    Approval,
    /// A result waits for a review.
    Review,
}

impl Kind {
    fn of(what: &What) -> Option<Self> {
        match what {
            What::LetterOpened { .. } => Some(Self::DeadLetter),
            What::ApprovalAsked { .. } => Some(Self::Approval),
            What::ReviewAsked { .. } => Some(Self::Review),
            _ => None,
        }
    }
}

/// Wakes the notifier when this process has committed something.
struct Hint(Arc<Notify>);

impl Observer for Hint {
    fn happened(&self, happening: &Happening) {
        if Kind::of(&happening.what).is_some() {
            self.0.notify_one();
        }
    }
}

/// The configured receivers. Fails if one cannot be used; nothing is started yet.
pub(crate) fn receivers(config: &NotifyConfig) -> Result<Option<Receivers>> {
    Receivers::of(config)
}

/// Starts the notifier if a receiver is configured.
pub(crate) fn start(
    config: &NotifyConfig,
    receivers: Option<Receivers>,
    engine: &Arc<Engine>,
    public_url: &str,
) -> Result<()> {
    let Some(receivers) = receivers else { return Ok(()) };
    let (store, now) = (engine.store(), SystemClock.now());
    let sudo = Sudo::because(store.as_ref(), now, "server", "notify", None, "reads the feeds of all tenants")?;
    let progress = Progress::begin(engine).context("cannot store the progress of notifications")?;
    let hint = Arc::new(Notify::new());
    engine.observe(Arc::new(Hint(hint.clone())));
    let notifier = Notifier {
        engine: engine.clone(),
        receivers,
        progress,
        sudo,
        on: config.on.clone(),
        public_url: public_url.trim_end_matches('/').to_owned(),
    };
    tokio::spawn(async move {
        loop {
            if let Err(error) = notifier.round().await {
                tracing::warn!(error = %format!("{error:#}"), "notifications are delayed; will retry");
            }
            tokio::select! {
                () = hint.notified() => {}
                () = tokio::time::sleep(POLL) => {}
                () = notifier.engine.retired() => return,
            }
        }
    });
    Ok(())
}

struct Notifier {
    engine: Arc<Engine>,
    receivers: Receivers,
    progress: Progress,
    sudo: Sudo,
    on: Option<Vec<Kind>>,
    public_url: String,
}

impl Notifier {
    /// Delivers everything since the last round.
    async fn round(&self) -> Result<()> {
        let tenants = self.blocking(|this| Ok(this.engine.store().tenants(&this.sudo)?))?;
        for tenant in tenants {
            self.tenant(tenant).await?;
        }
        Ok(())
    }

    async fn tenant(&self, tenant: TenantId) -> Result<()> {
        let scope = Scope::of(tenant);
        // Another server holds the claim on this tenant.
        let Some(mut after) = self.blocking(|this| this.progress.begin_at(&scope))? else { return Ok(()) };
        let mut delivered = false;
        loop {
            let page = self.blocking(|this| Ok(this.engine.store().feed(&scope, after, PAGE)?))?;
            for (position, row) in &page.items {
                let all = self.blocking(|this| match this.engine.happenings(&scope, row) {
                    Ok(all) => Ok(all),
                    // A run that was deleted or cannot be read must not block the others.
                    Err(error) => {
                        tracing::debug!(run = %row.run, %error, "no notification about this run");
                        Ok(Vec::new())
                    }
                })?;
                for (n, happening) in all.iter().enumerate() {
                    if let Some(message) = self.message(*position, n, happening) {
                        self.blocking(|this| this.progress.keep(&scope, position.saturating_sub(1)))?;
                        self.receivers.deliver(&message).await;
                        delivered = true;
                    }
                }
            }
            if page.upto == after {
                return Ok(());
            }
            after = page.upto;
            self.blocking(|this| this.progress.advance(&scope, after, delivered))?;
        }
    }

    /// The store may block, and this task shares its thread with requests.
    fn blocking<T>(&self, work: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        tokio::task::block_in_place(|| work(self))
    }

    /// The message: ids, names and URLs; no values and no texts.
    fn message(&self, position: u64, n: usize, happening: &Happening) -> Option<Value> {
        let kind = Kind::of(&happening.what)?;
        if self.on.as_ref().is_some_and(|on| !on.contains(&kind)) {
            return None;
        }
        let Happening { tenant, run, trace, at, what } = happening;
        let url = &self.public_url;
        let mut message = json!({
            "id": format!("{position}-{n}"), "event": what.name(), "tenant": tenant, "run_id": run, "at": at,
            "url": format!("{url}/v1/runs/{run}"),
        });
        if let Some(trace) = trace {
            message["trace_id"] = json!(trace);
        }
        match what {
            What::LetterOpened { letter, tool, intervention } => {
                message["tool"] = json!(tool);
                message["letter_id"] = json!(letter);
                message["intervention_type"] = json!(intervention);
                message["url"] = json!(format!("{url}/v1/dead-letters/{letter}"));
            }
            What::ApprovalAsked { tool: Some(tool) } | What::ReviewAsked { tool } => message["tool"] = json!(tool),
            _ => {}
        }
        Some(message)
    }
}
