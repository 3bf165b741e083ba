//! `brain config show` and `brain config init`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anstyle::Style;
use anyhow::{Context, Result};
use brain_server::wire::ProblemDocument;
use serde_json::{Value, json};

use crate::cli::{ConfigCommand, Global};
use crate::config::{KEYS, Key, NAME, Origin, Settings};
use crate::remote::{Refused, masked_url};
use crate::show;
use crate::show::{BOLD, DIM};
use crate::table;

/// What a secret is shown as.
const MASK: &str = "********";

pub(crate) fn run(global: &Global, command: &ConfigCommand) -> Result<bool> {
    match command {
        ConfigCommand::Show => show_all(global),
        ConfigCommand::Init { file } => init(global, file.as_deref()),
    }
}

fn show_all(global: &Global) -> Result<bool> {
    let settings = &global.settings;
    let items: Vec<(&Key, Value, Origin)> = KEYS.iter().map(|key| effective(settings, key)).collect();
    if global.json {
        let items: Vec<Value> = items
            .iter()
            .map(|(key, value, origin)| {
                json!({
                    "key": key.path, "value": value, "origin": word(origin), "from": from(settings, origin),
                    "env": key.env, "default": (key.default)(), "about": key.about,
                })
            })
            .collect();
        show::json(&json!({"file": settings.file(), "items": items}));
        return Ok(true);
    }
    match settings.file() {
        Some(path) => outln!("{DIM}file {}{DIM:#}", path.display()),
        None => outln!("{DIM}no {NAME} here or above; `brain config init` writes one{DIM:#}"),
    }
    let width = KEYS.iter().map(|key| key.path.len()).max().unwrap_or(0);
    for (key, value, origin) in &items {
        let text = match origin {
            Origin::Default => (key.default)(),
            _ => flow(value),
        };
        let source = from(settings, origin);
        let (lines, beside) = in_lines(&text, &source, table::width().saturating_sub(width + 2));
        let (name, value) = if *origin == Origin::Default { (DIM, DIM) } else { (BOLD, Style::new()) };
        let mut head = key.path;
        for (number, line) in lines.iter().enumerate() {
            let after = if beside && number + 1 == lines.len() { format!("  {source}") } else { String::new() };
            outln!("{name}{head:width$}{name:#}  {value}{line}{value:#}{DIM}{after}{DIM:#}");
            head = "";
        }
        if !beside {
            outln!("{:width$}  {DIM}{source}{DIM:#}", "");
        }
    }
    Ok(true)
}

/// Wraps a value to `room` columns. Also returns whether its origin fits on the last line.
fn in_lines(text: &str, source: &str, room: usize) -> (Vec<String>, bool) {
    let mut lines = table::wrap_all(text, room);
    if lines.is_empty() {
        lines.push(String::new());
    }
    let used = lines.last().map_or(0, |line| table::wide(line));
    (lines, used + 2 + table::wide(source) <= room)
}

/// The value of a key and its origin. Server and token of the profile apply unless a stronger source sets the key.
fn effective<'k>(settings: &Settings, key: &'k Key) -> (&'k Key, Value, Origin) {
    let own = (key, shown(settings, key), settings.origin(key.path));
    let config = settings.config();
    let Some(name) = config.profile.as_ref().filter(|_| settings.origin("profile") > settings.origin("server")) else {
        return own;
    };
    let Some(profile) = config.profiles.get(name) else { return own };
    let value = match key.path {
        "server" => Some(Value::from(masked_url(&profile.server))),
        "token" if !settings.is_given("token") => profile.token.clone().map(Value::from),
        _ => None,
    };
    let Some(mut value) = value else { return own };
    if key.path == "token" {
        mask(&mut value);
    }
    (key, value, Origin::Flag(format!("profile {name}")))
}

fn word(origin: &Origin) -> &'static str {
    match origin {
        Origin::Default => "default",
        Origin::File(_) => "file",
        Origin::Env(_) => "environment",
        Origin::Flag(name) if name.starts_with("profile ") => "profile",
        Origin::Flag(_) => "flag",
    }
}

fn from(settings: &Settings, origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".into(),
        Origin::File(line) => {
            let name = settings.file().and_then(Path::file_name).unwrap_or_default();
            format!("{}:{line}", name.to_string_lossy())
        }
        Origin::Env(name) => (*name).to_owned(),
        Origin::Flag(flag) => flag.clone(),
    }
}

/// The value of a key without its secrets; null if it has its default.
fn shown(settings: &Settings, key: &Key) -> Value {
    let Some(value) = settings.value(key) else { return Value::Null };
    let mut value = value.clone();
    match (key.path, &mut value) {
        ("store", Value::String(url)) => *url = brain_store::redact(url),
        ("server", Value::String(url)) => *url = masked_url(url),
        ("token", token) => mask(token),
        ("notify.webhook", Value::String(url)) => *url = host_only(url),
        ("profiles", Value::Object(profiles)) => {
            for profile in profiles.values_mut() {
                profile.get_mut("token").into_iter().for_each(mask);
                if let Some(Value::String(url)) = profile.get_mut("server") {
                    *url = masked_url(url);
                }
            }
        }
        ("secrets", Value::Object(secrets)) => secrets.values_mut().for_each(mask),
        _ => {}
    }
    value
}

/// Hides a secret; a reference says nothing and stays.
fn mask(value: &mut Value) {
    let is_reference = value.as_str().is_some_and(|text| text.starts_with("env:") || text.starts_with("file:"));
    if !is_reference {
        *value = Value::from(MASK);
    }
}

/// A webhook without user, path and query, which often hold its secret.
fn host_only(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return MASK.into() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    let more = if end == rest.len() { "" } else { "/…" };
    format!("{scheme}://{host}{more}")
}

/// A value as YAML on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let parts: Vec<String> = map.iter().map(|(name, value)| format!("{name}: {}", flow(value))).collect();
            format!("{{{}}}", parts.join(", "))
        }
        other => other.to_string(),
    }
}

fn init(global: &Global, file: Option<&Path>) -> Result<bool> {
    let path = file.map_or_else(|| PathBuf::from(NAME), Path::to_owned);
    if path.exists() {
        let detail = format!("{} already exists; `brain config show` prints what it sets", path.display());
        return Err(Refused(ProblemDocument::of_existing_file(&detail)).into());
    }
    std::fs::write(&path, starter()).with_context(|| format!("cannot write {}", path.display()))?;
    if global.json {
        show::json(&json!({"file": path}));
    } else {
        outln!("Wrote {BOLD}{}{BOLD:#}. Every key is commented out.", path.display());
        outln!("{DIM}→{DIM:#} brain config show");
    }
    Ok(true)
}

/// A file with every key as a comment.
fn starter() -> String {
    let mut text = String::from(
        "# Configuration of Brain. Commands find this file from its folder and all folders below.\n\
         # Environment variables and flags override it; `brain config show` prints the values in effect.\n\
         # Relative paths are relative to this file.\n",
    );
    let mut map = "";
    for key in KEYS {
        let (head, name) = key.path.split_once('.').unwrap_or(("", key.path));
        let indent = if head.is_empty() { "" } else { "  " };
        if head != map && !head.is_empty() {
            let _ = write!(text, "\n# {head}:\n");
        }
        if head.is_empty() {
            text.push('\n');
        }
        map = head;
        let _ = writeln!(text, "# {indent}# {}. Default: {}.", key.about, (key.default)());
        let _ = writeln!(text, "# {indent}{name}: {}", key.example);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_broken_within_its_column() {
        let (lines, beside) = in_lines("{a: 1, b: 2, c: 3}", "brain.yaml:4", 12);
        assert_eq!(lines, ["{a: 1, b: 2,", "c: 3}"]);
        assert!(!beside);
        assert_eq!(in_lines("30s", "default", 12), (vec!["30s".to_owned()], true));
        assert_eq!(in_lines("", "default", 12).0, [""]);
    }

    #[test]
    fn the_starter_without_its_comment_signs_is_a_configuration() {
        let text = starter();
        let lines = text.lines().skip(3).filter_map(|line| line.strip_prefix("# "));
        let live: String = lines.map(|line| format!("{line}\n")).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, &live).unwrap();
        let settings = Settings::resolve(Some(&path), Vec::new()).unwrap_or_else(|error| panic!("{error}\n{live}"));
        for key in KEYS {
            assert_ne!(settings.origin(key.path), Origin::Default, "{}", key.path);
        }
    }

    #[test]
    fn a_webhook_is_shown_without_its_secret_path() {
        assert_eq!(host_only("https://u:p@hooks.example.com/T0/B0/secret"), "https://hooks.example.com/…");
        assert_eq!(host_only("https://hooks.example.com"), "https://hooks.example.com");
    }
}
