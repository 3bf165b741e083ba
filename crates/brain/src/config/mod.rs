//! The configuration: `brain.yaml`, environment variables and flags, in one schema.
//!
//! [`Config`] is the schema. [`keys`] lists every key with its variable and its default. [`file`] finds and reads
//! `brain.yaml`. [`settings`] merges the layers and remembers the origin of every value.

mod file;
mod keys;
mod settings;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use brain_core::{Millis, Rate, TenantId};
use brain_engine::{FlowConfig, Limits, Slow, TenantLimits};
use brain_kernel::{Expiry, SpendCap, SpendCaps};
use brain_registry::Times;
use serde::{Deserialize, Deserializer};

pub(crate) use self::file::NAME;
pub(crate) use self::keys::{KEYS, Key};
pub(crate) use self::settings::{Given, Origin, Settings};
use crate::cli::LogFormatArg;
use crate::notify::NotifyConfig;

/// Applies to all tenants that are not named.
const OTHERS: &str = "*";

/// Default grace period for external calls when a server is stopped.
const DRAIN: Millis = Millis(30_000);

/// Minimum request timeout.
const SHORTEST_REQUEST: Millis = Millis::from_secs(5);

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// URL of the store.
    pub(crate) store: Option<String>,
    /// Folders of the packs.
    #[serde(default, deserialize_with = "one_or_many")]
    pub(crate) packs: Vec<PathBuf>,
    /// Tenant to act for.
    pub(crate) tenant: Option<String>,
    /// Name of the actor.
    #[serde(rename = "as")]
    pub(crate) acting_as: Option<String>,
    /// Sentence encoder.
    pub(crate) model: Option<String>,
    /// Address that a server listens on.
    pub(crate) address: Option<SocketAddr>,
    /// Path of the Unix socket of a server, or `off`.
    pub(crate) socket: Option<String>,
    /// Base URL under which other systems reach the server.
    pub(crate) public_url: Option<String>,
    /// Whether tools may call loopback and private addresses.
    pub(crate) allow_private_hosts: Option<bool>,
    /// Maximum size of an uploaded file, in mebibytes.
    pub(crate) max_blob_mib: Option<u64>,
    /// Log levels.
    pub(crate) log: Option<String>,
    /// Format of log lines.
    pub(crate) log_format: Option<LogFormatArg>,
    /// URL of the server that commands talk to.
    pub(crate) server: Option<String>,
    /// Token for that server.
    pub(crate) token: Option<String>,
    /// Name of the profile to use.
    pub(crate) profile: Option<String>,
    /// Servers by name.
    #[serde(default)]
    pub(crate) profiles: BTreeMap<String, Profile>,
    /// References that replace environment variables of secrets.
    #[serde(default)]
    pub(crate) secrets: BTreeMap<String, String>,
    /// Maximum number of concurrent external calls on this server.
    slots: Option<usize>,
    /// Maximum number of requests that wait to be written, in total and per tenant. Further ones are refused with 503.
    waiting: Option<usize>,
    waiting_of_tenant: Option<usize>,
    /// Grace period for external calls in flight when the server is stopped; default 30 seconds.
    drain: Option<Millis>,
    /// Retention of audit entries; by default forever.
    audit: Option<Millis>,
    /// Limits and retention per tenant; `*` applies to all that are not named.
    #[serde(default)]
    tenants: BTreeMap<String, TenantConfig>,
    /// Deadlines for people's decisions.
    #[serde(default)]
    expire: Expire,
    /// Timeouts of requests and tools.
    #[serde(default)]
    times: TimesConfig,
    /// Thresholds of the slow log.
    #[serde(default)]
    slow: SlowConfig,
    /// Receivers of notifications.
    #[serde(default)]
    notify: NotifyConfig,
}

/// A server with its token.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// URL of the server.
    pub(crate) server: String,
    /// Reference of the token: `env:NAME` or `file:PATH`.
    pub(crate) token: Option<String>,
    /// Tenant to act for.
    pub(crate) tenant: Option<String>,
}

/// One folder, or a list of them.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a folder or a list of folders")]
    enum Folders {
        One(PathBuf),
        Many(Vec<PathBuf>),
    }
    Ok(match Folders::deserialize(deserializer)? {
        Folders::One(one) => vec![one],
        Folders::Many(many) => many,
    })
}

/// A value that fits its type and is wrong all the same.
pub(crate) struct Wrong {
    /// The key, or the key of the map that has it.
    path: String,
    message: String,
}

fn wrong(path: impl Into<String>, message: impl Into<String>) -> Result<(), Wrong> {
    Err(Wrong { path: path.into(), message: message.into() })
}

/// Durations above which something is logged as slow.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SlowConfig {
    /// A commit; default 1 second.
    commit: Option<Millis>,
    /// An external call; default 10 seconds.
    outside: Option<Millis>,
    /// An HTTP request, not counting the time it waits for its run; default 5 seconds.
    request: Option<Millis>,
}

/// Timeouts.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimesConfig {
    /// An HTTP request, including the time it waits for its run; default 120 seconds.
    request: Option<Millis>,
    /// One attempt of a tool that declares no timeout; default 30 seconds.
    tool: Option<Millis>,
    /// Upper bound for one attempt of any tool, except workers and delegated steps; default 60 seconds.
    tool_max: Option<Millis>,
}

/// Deadlines for people's decisions.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expire {
    /// To answer a question; default 1 day.
    questions: Option<Millis>,
    /// To approve a plan; default 7 days.
    staged: Option<Millis>,
    /// To resolve a dead letter; default 90 days; `0s`: forever.
    letters: Option<Millis>,
}

/// Configuration of one tenant.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TenantConfig {
    /// Weight where tenants compete; default 1.
    weight: Option<u32>,
    /// Maximum number of concurrent external calls, over all servers.
    running: Option<u32>,
    /// Rate limit for external calls, over all servers.
    rate: Option<Rate>,
    /// Spending caps for tools with a cost.
    spend: Option<Spend>,
    /// Retention of its runs.
    keep: Option<Keep>,
    /// Whether ready phrases are learned automatically, once an hour.
    learn: Option<bool>,
}

/// Daily spending caps, in the currency of the packs' settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spend {
    /// Per user.
    per_user: Option<Amount>,
    /// For the whole tenant.
    per_day: Option<Amount>,
}

/// An exact decimal, written as a number or as text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Amount {
    Text(String),
    Number(serde_json::Number),
}

impl Amount {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }

    fn is_decimal(&self) -> bool {
        let text = self.text();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
        let digits = |text: &str| (1..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole) && digits(fraction)
    }
}

/// Retention of finished runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keep {
    /// Payloads: messages, arguments, results. Afterwards only their digests remain.
    pub(crate) payloads: Option<Millis>,
    /// The runs themselves, with their receipts.
    pub(crate) runs: Option<Millis>,
}

impl Config {
    /// Checks what the types cannot say.
    fn check(&self) -> Result<(), Wrong> {
        for name in self.tenants.keys().filter(|name| *name != OTHERS) {
            if let Err(error) = name.parse::<TenantId>() {
                return wrong(format!("tenants.{name}"), error.to_string());
            }
        }
        const ZERO: &str =
            "a limit of 0 would block everything; to start without running anything, use brain serve --paused";
        let limits = [("slots", self.slots), ("waiting", self.waiting), ("waiting_of_tenant", self.waiting_of_tenant)];
        if let Some((name, _)) = limits.iter().find(|(_, limit)| *limit == Some(0)) {
            return wrong(*name, ZERO);
        }
        for (name, tenant) in &self.tenants {
            if tenant.running == Some(0) {
                return wrong(format!("tenants.{name}.running"), ZERO);
            }
            let spend = tenant.spend.iter().flat_map(|spend| [&spend.per_user, &spend.per_day]);
            if let Some(amount) = spend.flatten().find(|amount| !amount.is_decimal()) {
                let message = format!("`{}` is not an amount such as 12.50", amount.text());
                return wrong(format!("tenants.{name}.spend"), message);
            }
        }
        if [self.expire.questions, self.expire.staged].contains(&Some(Millis(0))) {
            return wrong("expire", "the time must be longer than 0");
        }
        if let Some(name) = self.profile.as_ref().filter(|name| !self.profiles.contains_key(*name)) {
            let known: Vec<&str> = self.profiles.keys().map(String::as_str).collect();
            let near = brain_registry::nearest(name, known.iter().copied());
            let help = match (near, known.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => format!("write it under `profiles` in {NAME}"),
                (None, false) => format!("there are: {}", known.join(", ")),
            };
            return wrong("profile", format!("there is no profile `{name}`; {help}"));
        }
        if self.max_blob_mib.is_some_and(|size| !(1..=262_144).contains(&size)) {
            return wrong("max_blob_mib", "the size must be between 1 and 262144");
        }
        let (times, request) = (self.times(), self.request_time());
        if times.tool > times.tool_max {
            let message =
                format!("the default timeout of a tool, {}, exceeds the maximum, {}", times.tool, times.tool_max);
            return wrong("times", message);
        }
        if times.tool.0 == 0 {
            return wrong("times.tool", "the timeout of a tool must be longer than 0");
        }
        if request.is_some_and(|request| request < SHORTEST_REQUEST) {
            return wrong("times.request", format!("the timeout of a request must be at least {SHORTEST_REQUEST}"));
        }
        Ok(())
    }

    /// Timeouts of tools.
    pub(crate) fn times(&self) -> Times {
        let usual = Times::default();
        // If only the maximum is lowered, the default is lowered with it.
        let tool_max = self.times.tool_max.unwrap_or(usual.tool_max);
        Times { tool: self.times.tool.unwrap_or_else(|| usual.tool.min(tool_max)), tool_max }
    }

    /// The timeout of HTTP requests, if configured.
    pub(crate) fn request_time(&self) -> Option<Millis> {
        self.times.request
    }

    /// Receivers of notifications.
    pub(crate) fn notify(&self) -> &NotifyConfig {
        &self.notify
    }

    /// Thresholds above which commits and external calls are logged as slow.
    pub(crate) fn slow(&self) -> Slow {
        let usual = Slow::default();
        Slow {
            commit: self.slow.commit.map_or(usual.commit, Millis::as_std),
            outside: self.slow.outside.map_or(usual.outside, Millis::as_std),
        }
    }

    /// Threshold above which requests are logged as slow, if configured.
    pub(crate) fn slow_request(&self) -> Option<Millis> {
        self.slow.request
    }

    /// Deadlines for people's decisions.
    pub(crate) fn expiry(&self) -> Expiry {
        let usual = Expiry::default();
        Expiry {
            questions: self.expire.questions.unwrap_or(usual.questions),
            staged: self.expire.staged.unwrap_or(usual.staged),
            letters: self.expire.letters.or(usual.letters).filter(|after| after.0 > 0),
        }
    }

    /// Format of log lines.
    pub(crate) fn log_format(&self) -> LogFormatArg {
        self.log_format.unwrap_or(LogFormatArg::Text)
    }

    /// How tenants share external calls.
    pub(crate) fn flow(&self) -> FlowConfig {
        let defaults = FlowConfig::default();
        let limits = |tenant: &TenantConfig| TenantLimits {
            weight: tenant.weight.unwrap_or(1).max(1),
            limits: Limits { running: tenant.running, rate: tenant.rate },
        };
        let named = self.tenants.iter().filter_map(|(name, tenant)| Some((name.parse().ok()?, limits(tenant))));
        FlowConfig {
            slots: self.slots.unwrap_or(defaults.slots),
            tenants: named.collect(),
            others: self.tenants.get(OTHERS).map_or(defaults.others, limits),
            waiting: self.waiting.unwrap_or(defaults.waiting),
            waiting_of_tenant: self.waiting_of_tenant.unwrap_or(defaults.waiting_of_tenant),
        }
    }

    /// Grace period for external calls in flight when the server is stopped.
    pub(crate) fn drain(&self) -> Millis {
        self.drain.unwrap_or(DRAIN)
    }

    /// Retention of audit entries; `None`: forever.
    pub(crate) fn audit(&self) -> Option<Millis> {
        self.audit
    }

    /// Spending caps of tenants.
    pub(crate) fn caps(&self) -> SpendCaps {
        let cap = |tenant: &TenantConfig| {
            let spend = tenant.spend.clone().unwrap_or_default();
            let text = |amount: Option<Amount>| amount.map(|amount| amount.text());
            SpendCap { per_user: text(spend.per_user), per_tenant: text(spend.per_day) }
        };
        let named = self.tenants.iter().filter_map(|(name, tenant)| Some((name.parse().ok()?, cap(tenant))));
        SpendCaps { tenants: named.collect(), others: self.tenants.get(OTHERS).map(cap).unwrap_or_default() }
    }

    /// Retention of a tenant's runs.
    pub(crate) fn keep(&self, tenant: &TenantId) -> Keep {
        let named = self.tenants.get(tenant.as_str()).and_then(|tenant| tenant.keep);
        named.or_else(|| self.tenants.get(OTHERS).and_then(|tenant| tenant.keep)).unwrap_or_default()
    }

    /// Whether a tenant learns automatically.
    pub(crate) fn learns(&self, tenant: &TenantId) -> bool {
        let named = self.tenants.get(tenant.as_str()).and_then(|tenant| tenant.learn);
        named.or_else(|| self.tenants.get(OTHERS).and_then(|tenant| tenant.learn)).unwrap_or_default()
    }

    /// Whether any tenant learns automatically.
    pub(crate) fn learns_somewhere(&self) -> bool {
        self.tenants.values().any(|tenant| tenant.learn == Some(true))
    }

    /// Whether anything expires at all.
    pub(crate) fn keeps(&self) -> bool {
        self.audit.is_some()
            || self.tenants.values().any(|tenant| tenant.keep.is_some_and(|keep| keep != Keep::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        file::parse(text).unwrap()
    }

    #[test]
    fn a_file_is_read_whole() {
        let text =
            "slots: 64\ntenants:\n  \"*\": {running: 10, keep: {payloads: 30d}}\n  acme: {weight: 4, rate: 5/s}\n";
        let flow = config(text).flow();
        let acme = flow.tenant(&"acme".parse().unwrap());
        let other = flow.tenant(&"other".parse().unwrap());
        assert_eq!((flow.slots, acme.weight, acme.limits.running), (64, 4, None));
        assert_eq!((other.weight, other.limits.running), (1, Some(10)));
    }

    #[test]
    fn times_are_the_usual_ones_unless_the_file_says_otherwise() {
        let times = |text: &str| config(text).times();
        assert_eq!(times("{}"), Times { tool: Millis::from_secs(30), tool_max: Millis::from_secs(60) });
        assert_eq!(times("times: {tool_max: 10s}").tool, Millis::from_secs(10));
        assert_eq!(times("times: {tool: 2m, tool_max: 3h}").tool_max, Millis::from_secs(3 * 3600));
        assert_eq!(config("times: {request: 300s}").request_time(), Some(Millis::from_secs(300)));
    }

    #[test]
    fn mistakes_are_reported_with_line_column_and_suggestion() {
        for (text, parts) in [
            ("store: x\nslotz: 3", &["line 2, column 1", "slotz", "did you mean `slots`?"] as &[&str]),
            ("tenants: {acme: {rate: quick}}", &["line 1, column 24", "tenants.acme.rate"]),
            ("tenants:\n  acme: {runing: 3}", &["line 2, column 10", "did you mean `running`?"]),
            ("tenants: {\"A C\": {}}", &["A C"]),
            ("tenants: [", &["line 2"]),
            ("slots: 0", &["line 1, column 8", "--paused"]),
            ("expire: {staged: 0s}", &["expire"]),
            ("expire: {plans: 1d}", &["column 10", "expire.plans"]),
            ("times: {tool: 2m}", &["exceeds the maximum, 1m"]),
            ("times: {request: 1s}", &["at least 5s"]),
            ("times: {tools: 1s}", &["did you mean `tool`?"]),
            ("packs: {a: b}", &["packs", "a folder or a list of folders"]),
            ("address: here", &["address"]),
            ("profile: prod", &["no profile `prod`"]),
            ("token: brn_abc", &["env:NAME or file:PATH"]),
            ("profiles: {prod: {server: http://x, token: hunter2}}", &["profiles.prod.token"]),
            ("- store", &["a map"]),
        ] {
            let error = file::parse(text).unwrap_err();
            for part in parts {
                assert!(error.contains(part), "{text}: {error}");
            }
            assert!(!error.contains("hunter2") && !error.contains("brn_abc"), "{error}");
        }
    }
}
