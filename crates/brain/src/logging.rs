//! Logs: lines on standard error, as text or as JSON.

use tracing_subscriber::EnvFilter;

use crate::cli::{Command, Global, LogFormatArg};
use crate::config::Origin;

/// A server logs at info; a command prints its own output and logs only warnings.
const SERVER: &str = "warn,brain=info";
/// The routes that answer a command in its own process log nothing: the command prints what failed.
const COMMAND: &str = "warn,brain_server=off";

/// Starts logging. `BRAIN_LOG`, or `log` in the configuration, replaces the default levels, in the syntax of `tracing`: `debug`, or
/// `warn,brain_engine=debug` for levels per target.
pub(crate) fn start(global: &Global, command: &Command) {
    let usual = if matches!(command, Command::Serve(_)) { SERVER } else { COMMAND };
    let parsed = global.config().log.as_deref().map(|levels| EnvFilter::builder().parse(levels));
    let (filter, wrong) = match parsed {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (EnvFilter::new(usual), Some(error)),
        None => (EnvFilter::new(usual), None),
    };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match global.config().log_format() {
        LogFormatArg::Json => builder.json().flatten_event(true).init(),
        LogFormatArg::Text => builder.init(),
    }
    if let Some(error) = wrong {
        let name = match global.settings.origin("log") {
            Origin::Env(name) => name,
            _ => "`log` in the configuration",
        };
        tracing::warn!(%error, "{name} is not valid and is ignored; an example: warn,brain_engine=debug");
    }
}
