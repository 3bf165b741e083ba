//! Every key of the configuration, with its environment variable, its default and its meaning.

use brain_engine::{FlowConfig, Slow};
use brain_kernel::Expiry;
use brain_registry::Times;

/// A key of the configuration.
pub(crate) struct Key {
    /// Its path in `brain.yaml`.
    pub(crate) path: &'static str,
    /// The environment variable that overrides the file.
    pub(crate) env: &'static str,
    /// How a text from the environment or a flag is read.
    pub(super) form: Form,
    /// The default, in words or as a value.
    pub(crate) default: fn() -> String,
    /// Its meaning, in one line.
    pub(crate) about: &'static str,
    /// A line for the starter file.
    pub(crate) example: &'static str,
}

/// How a text becomes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Text,
    /// As YAML: a number, a flag, a duration, or a map such as `{acme: {running: 3}}`.
    Yaml,
    /// Folders with `:` between them.
    Folders,
}

impl Key {
    /// The key with this path.
    pub(crate) fn at(path: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.path == path)
    }

    /// The keys of its path.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('.')
    }
}

macro_rules! keys {
    ($($path:literal $env:literal $form:ident $default:expr, $about:literal, $example:literal;)*) => {
        &[$(Key { path: $path, env: $env, form: Form::$form, default: || $default.to_string(), about: $about, example: $example }),*]
    };
}

/// Every key, in the order in which `brain config show` prints them.
pub(crate) const KEYS: &[Key] = keys! {
    "store" "BRAIN_STORE" Text "sqlite: in the data folder",
        "Store of runs and records: sqlite:PATH, postgres://USER@HOST/DATABASE or memory:", "sqlite:brain.db";
    "packs" "BRAIN_PACK" Folders "trades (built in)", "Folders of packs; `:` separates them in the environment", "[pack]";
    "tenant" "BRAIN_TENANT" Text "default", "Tenant to act for", "acme";
    "as" "BRAIN_AS" Text "your user name", "Name of the actor, for caps, consent and the log", "maria";
    "model" "BRAIN_MODEL" Text "built-in table", "Installed sentence encoder", "all-MiniLM-L6-v2";
    "address" "BRAIN_ADDRESS" Text "127.0.0.1:7700", "Address that a server listens on", "127.0.0.1:7700";
    "socket" "BRAIN_SOCKET" Text "next to the store", "Unix socket of a server; `off` opens none", "brain.sock";
    "public_url" "BRAIN_PUBLIC_URL" Text "the address", "Base URL under which other systems reach the server",
        "https://brain.example.com";
    "allow_private_hosts" "BRAIN_ALLOW_PRIVATE_HOSTS" Yaml false,
        "Let tools call loopback and private addresses that their pack declares", "true";
    "max_blob_mib" "BRAIN_MAX_BLOB_MIB" Yaml 1024, "Maximum size of an uploaded file, in mebibytes", "64";
    "log" "BRAIN_LOG" Text "warn; a server: warn,brain=info", "Log levels, for everything or by target", "info";
    "log_format" "BRAIN_LOG_FORMAT" Text "text", "Format of log lines: text or json", "json";
    "server" "BRAIN_SERVER" Text "none", "URL of the server that commands talk to", "https://brain.example.com";
    "token" "BRAIN_TOKEN" Text "none", "Token for that server; in the file only env:NAME or file:PATH",
        "env:MY_TOKEN";
    "profile" "BRAIN_PROFILE" Text "none", "Profile whose server and token commands use", "production";
    "profiles" "BRAIN_PROFILES" Yaml "none", "Servers by name: {NAME: {server: URL, token: REFERENCE, tenant: NAME}}",
        "{production: {server: https://brain.example.com, token: env:MY_TOKEN}}";
    "secrets" "BRAIN_SECRETS" Yaml "none",
        "Files to read a secret from when its environment variable is unset: {VARIABLE: file:PATH}",
        "{SMS_KEY: file:/run/secrets/sms}";
    "slots" "BRAIN_SLOTS" Yaml FlowConfig::default().slots, "Maximum number of concurrent external calls", "64";
    "waiting" "BRAIN_WAITING" Yaml FlowConfig::default().waiting,
        "Maximum number of requests that wait to be written; further ones get 503", "8192";
    "waiting_of_tenant" "BRAIN_WAITING_OF_TENANT" Yaml FlowConfig::default().waiting_of_tenant, "The same for one tenant",
        "2048";
    "tenants" "BRAIN_TENANTS" Yaml "none", "Limits, caps, retention and learning of tenants; \"*\" applies to all others",
        "{\"*\": {running: 10, keep: {payloads: 30d, runs: 365d}}}";
    "drain" "BRAIN_DRAIN" Yaml super::DRAIN, "How long a stopping server waits for external calls", "30s";
    "audit" "BRAIN_AUDIT" Yaml "forever", "Retention of audit entries", "365d";
    "expire.questions" "BRAIN_EXPIRE_QUESTIONS" Yaml Expiry::default().questions, "Deadline to answer a question", "1d";
    "expire.staged" "BRAIN_EXPIRE_STAGED" Yaml Expiry::default().staged, "Deadline to approve a plan or a step", "7d";
    "expire.letters" "BRAIN_EXPIRE_LETTERS" Yaml "90d",
        "Time after which an undecided dead letter expires; `0s`: never", "90d";
    "times.request" "BRAIN_TIMES_REQUEST" Yaml "120s", "Timeout of an HTTP request", "120s";
    "times.tool" "BRAIN_TIMES_TOOL" Yaml Times::default().tool, "Timeout of one attempt of a tool that declares none", "30s";
    "times.tool_max" "BRAIN_TIMES_TOOL_MAX" Yaml Times::default().tool_max, "Maximum timeout of one attempt of any tool",
        "60s";
    "slow.commit" "BRAIN_SLOW_COMMIT" Yaml brief(Slow::default().commit), "Commits that take longer are logged as slow",
        "1s";
    "slow.outside" "BRAIN_SLOW_OUTSIDE" Yaml brief(Slow::default().outside),
        "External calls that take longer are logged as slow", "10s";
    "slow.request" "BRAIN_SLOW_REQUEST" Yaml "5s", "Requests that take longer are logged as slow", "5s";
    "notify.webhook" "BRAIN_NOTIFY_WEBHOOK" Text "none",
        "URL that receives a POST for each dead letter, approval and review", "https://hooks.example.com/brain";
    "notify.secret" "BRAIN_NOTIFY_SECRET" Text "none", "Secret that signs notifications: env:NAME or file:PATH",
        "env:HOOK_SECRET";
    "notify.command" "BRAIN_NOTIFY_COMMAND" Text "none", "Shell command that gets each notification on standard input",
        "mail -s Brain ops@example.com";
    "notify.on" "BRAIN_NOTIFY_ON" Yaml "all", "Events to notify about: dead_letter, approval, review", "[dead_letter]";
};

fn brief(length: std::time::Duration) -> brain_core::Millis {
    brain_core::Millis(u64::try_from(length.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_lists_every_key_with_its_variable() {
        let page = include_str!("../../../../docs/reference/configuration.md");
        for key in KEYS {
            let row = format!("| `{}` | `{}` |", key.path, key.env);
            assert!(page.contains(&row), "docs/reference/configuration.md lacks {row}");
        }
    }
}
