//! `brain.yaml`: where it is found and how it is read.

use std::path::{Path, PathBuf};

use brain_registry::nearest;
use brain_registry::yaml::{self, Key, Node, Span, to_json};
use serde_json::Value;

use super::Config;

/// The name of the project file.
pub(crate) const NAME: &str = "brain.yaml";

/// A file that was read.
pub(super) struct Read {
    /// Its keys and values; relative paths are resolved.
    pub(super) value: Value,
    node: Node,
}

impl Read {
    /// The line of a key.
    pub(super) fn line(&self, path: &str) -> usize {
        key_at(&self.node, path).line
    }
}

/// The project file: in the folder, in the nearest folder above it that has one, or in the user's configuration folder.
/// A file of another user is refused, because it may name commands to run.
pub(super) fn find(from: &Path, home: Option<&Path>) -> Result<Option<PathBuf>, String> {
    let above = from.ancestors().map(|folder| folder.join(NAME));
    let found = above.chain(home.map(|folder| folder.join(NAME))).find(|path| path.is_file());
    if let Some(path) = &found
        && !is_trusted(path)
    {
        return Err(format!(
            "{} belongs to another user, so it is not read. To use it, name it with --config",
            path.display()
        ));
    }
    Ok(found)
}

#[cfg(unix)]
fn is_trusted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = std::fs::metadata(path).map(|file| file.uid());
    owner.is_ok_and(|owner| owner == 0 || owner == crate::system::user_id())
}

#[cfg(not(unix))]
fn is_trusted(_: &Path) -> bool {
    true
}

/// Reads a file. Errors name line, column and key.
pub(super) fn read(path: &Path) -> Result<Read, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let (mut value, node) =
        checked(&text).map_err(|error| format!("{} is not a valid configuration:\n{error}", path.display()))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    anchor(&mut value, &folder);
    Ok(Read { value, node })
}

/// The configuration in a text.
#[cfg(test)]
pub(super) fn parse(text: &str) -> Result<Config, String> {
    let (value, _) = checked(text)?;
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// The values of a text, once they are known to be a configuration.
fn checked(text: &str) -> Result<(Value, Node), String> {
    let node = yaml::parse(text).map_err(|problems| {
        let line = |problem: &yaml::Problem| {
            let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{}: {}{help}", at(problem.span), problem.message)
        };
        problems.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    let value = match to_json(&node) {
        // A file with comments only.
        Value::Null => Value::Object(serde_json::Map::new()),
        value => value,
    };
    if !value.is_object() {
        return Err(format!("{}: expected a map of keys, not {}", at(node.span), node.kind()));
    }
    let config: Config = serde_path_to_error::deserialize(&value).map_err(|error| {
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        let why = suggest(&message);
        match why.strip_prefix("unknown key ").and_then(|rest| rest.split_once("; ")) {
            // The path ends with the key.
            Some((_, help)) => format!("{}: unknown key `{path}`; {help}", at(key_at(&node, &path))),
            None => format!("{}: `{path}`: {why}", at(place(&node, &path))),
        }
    })?;
    config
        .check()
        .map_err(|wrong| format!("{}: `{}`: {}", at(place(&node, &wrong.path)), wrong.path, wrong.message))?;
    for (path, token) in config.references() {
        if !token.starts_with("env:") && !token.starts_with("file:") {
            let message = "write env:NAME or file:PATH; secrets do not belong in this file";
            return Err(format!("{}: `{path}`: {message}", at(place(&node, &path))));
        }
    }
    Ok((value, node))
}

impl Config {
    /// The values that must be references, never the secret itself.
    fn references(&self) -> Vec<(String, &str)> {
        let mut all: Vec<(String, &str)> = Vec::new();
        all.extend(self.token.as_deref().map(|token| ("token".to_owned(), token)));
        for (name, profile) in &self.profiles {
            all.extend(profile.token.as_deref().map(|token| (format!("profiles.{name}.token"), token)));
        }
        all.extend(self.secrets.iter().map(|(name, reference)| (format!("secrets.{name}"), reference.as_str())));
        all
    }
}

fn at(span: Span) -> String {
    format!("line {}, column {}", span.line, span.column)
}

/// The position of the value of a key, or of the deepest map on the way to it.
fn place(node: &Node, path: &str) -> Span {
    walk(node, path).map_or(node.span, |(_, value)| value.span)
}

/// The position of a key.
fn key_at(node: &Node, path: &str) -> Span {
    walk(node, path).map_or(node.span, |(key, _)| key.span)
}

/// The entry at a path, or the deepest one on the way to it. Names of tenants may contain dots, so the longest key that
/// fits is taken.
fn walk<'n>(node: &'n Node, path: &str) -> Option<&'n (Key, Node)> {
    let (mut node, mut rest, mut found) = (node, path, None);
    while let Some(entries) = node.as_map() {
        let fits = |key: &str| rest == key || rest.strip_prefix(key).is_some_and(|more| more.starts_with('.'));
        let fitting = entries.iter().filter(|(key, _)| fits(&key.text));
        let Some(entry) = fitting.max_by_key(|(key, _)| key.text.len()) else { break };
        rest = rest[entry.0.text.len()..].trim_start_matches('.');
        node = &entry.1;
        found = Some(entry);
    }
    found
}

/// Rewords serde's messages, and adds "did you mean …?" to ``unknown field `a`, expected one of `b`, `c` ``.
pub(super) fn suggest(message: &str) -> String {
    let Some(rest) = message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))
    else {
        return in_words(message);
    };
    let wrong = rest.split('`').next().unwrap_or_default();
    let known: Vec<&str> = rest.split('`').skip(2).step_by(2).collect();
    let what = if message.starts_with("unknown field") { "key" } else { "value" };
    match nearest(wrong, known.iter().copied()) {
        Some(better) => format!("unknown {what} `{wrong}`; did you mean `{better}`?"),
        None => format!("unknown {what} `{wrong}`; use one of: {}", known.join(", ")),
    }
}

/// A message without the names of Rust's types.
fn in_words(message: &str) -> String {
    let wrong = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    match wrong.and_then(|wrong| wrong.rsplit_once(", expected ")) {
        Some((got, "u8" | "u16" | "u32" | "u64" | "usize")) => {
            // `string "many"` is `"many"`.
            let got = got.strip_prefix("string ").unwrap_or(got);
            format!("must be a whole number, got {got}")
        }
        _ => message.to_owned(),
    }
}

/// Makes relative paths relative to the folder of the file.
fn anchor(value: &mut Value, folder: &Path) {
    let inside = |text: &str| folder.join(text).display().to_string();
    let Some(map) = value.as_object_mut() else { return };
    if let Some(Value::String(url)) = map.get_mut("store")
        && let Some(path) = url.strip_prefix("sqlite:")
    {
        *url = format!("sqlite:{}", inside(path.strip_prefix("//").unwrap_or(path)));
    }
    match map.get_mut("packs") {
        Some(Value::String(one)) => *one = inside(one),
        Some(Value::Array(many)) => {
            for one in many {
                if let Value::String(one) = one {
                    *one = inside(one);
                }
            }
        }
        _ => {}
    }
    if let Some(Value::String(socket)) = map.get_mut("socket")
        && socket != "off"
    {
        *socket = inside(socket);
    }
    let reference = |value: &mut Value| {
        if let Value::String(text) = value
            && let Some(path) = text.strip_prefix("file:")
        {
            *text = format!("file:{}", inside(path));
        }
    };
    map.get_mut("token").into_iter().for_each(reference);
    map.get_mut("notify").and_then(|notify| notify.get_mut("secret")).into_iter().for_each(reference);
    if let Some(secrets) = map.get_mut("secrets").and_then(Value::as_object_mut) {
        secrets.values_mut().for_each(reference);
    }
    if let Some(profiles) = map.get_mut("profiles").and_then(Value::as_object_mut) {
        profiles.values_mut().filter_map(|profile| profile.get_mut("token")).for_each(reference);
    }
}
