//! `{http: {method, url, …}}`: a templated request to an external API.

use serde_json::Value;

use super::Context;
use crate::code::Code;
use crate::model::{Also, Auth, Criteria, HttpBehavior, Method};
use crate::yaml::{Node, Span};

/// Default header for the idempotency key.
const IDEMPOTENCY_HEADER: &str = "Idempotency-Key";
pub(super) const AUTH_KEYS: [&str; 3] = ["bearer", "header", "basic"];
pub(super) const HEADER_KEYS: [&str; 2] = ["name", "value"];
pub(super) const BASIC_KEYS: [&str; 2] = ["user", "password"];
pub(super) const CRITERIA_KEYS: [&str; 4] = ["status", "contains", "expr", "note"];
pub(super) const ALSO_KEYS: [&str; 5] = ["summary", "artifacts", "new_steps", "review", "token_usage"];
pub(super) const KEYS: [&str; 13] = [
    "method", "url", "query", "headers", "body", "auth", "success", "failure", "not_done", "unknown", "result", "also",
    "idempotency_header",
];

/// Decodes the behavior.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node) -> Option<HttpBehavior> {
    let fields = cx.fields(node, "`http`", &KEYS)?;
    let methods = [
        ("GET", Method::Get),
        ("POST", Method::Post),
        ("PUT", Method::Put),
        ("PATCH", Method::Patch),
        ("DELETE", Method::Delete),
    ];
    let method = match fields.get("method") {
        Some(node) => cx.choice(node, "method", &methods),
        None => Some(Method::Get),
    };
    let url = fields.need(cx, "url", "`http`").and_then(|node| cx.text(node, "`url`").and_then(|_| cx.binding(node)));
    for part in ["query", "headers"] {
        secrets(cx, part, fields.get(part));
    }
    let query = fields.get("query").map(|node| cx.bindings(node, "`query`")).unwrap_or_default();
    let headers = fields.get("headers").map(|node| cx.bindings(node, "`headers`")).unwrap_or_default();
    let body = fields.get("body").and_then(|node| cx.binding(node));
    let auth = fields.get("auth").and_then(|node| auth(cx, node));
    let header = fields.get("idempotency_header").and_then(|node| cx.text(node, "`idempotency_header`"));
    let success = fields.get("success").and_then(|node| criteria(cx, node));
    let failure = fields.get("failure").and_then(|node| criteria(cx, node));
    let not_done = fields.get("not_done").and_then(|node| criteria(cx, node));
    let unknown = fields.get("unknown").and_then(|node| criteria(cx, node));
    let result = fields.get("result").and_then(|node| cx.binding(node));
    Some(HttpBehavior {
        method: method?,
        url: url?,
        query,
        headers,
        body,
        auth,
        idempotency_header: header.unwrap_or_else(|| IDEMPOTENCY_HEADER.to_owned()),
        success,
        failure,
        not_done,
        unknown,
        result,
        also: fields.get("also").and_then(|node| also(cx, node)).unwrap_or_default(),
    })
}

/// `{summary, artifacts, new_steps, review, token_usage}`.
fn also(cx: &mut Context<'_>, node: &Node) -> Option<Also> {
    let fields = cx.fields(node, "`also`", &ALSO_KEYS)?;
    let mut one = |key: &str| fields.get(key).and_then(|node| cx.binding(node));
    Some(Also {
        summary: one("summary"),
        artifacts: one("artifacts"),
        new_steps: one("new_steps"),
        review: one("review"),
        token_usage: one("token_usage"),
    })
}

/// Headers and query parameters. One with a secret belongs in `auth`.
fn secrets(cx: &mut Context<'_>, part: &str, node: Option<&Node>) {
    for (key, value) in node.and_then(Node::as_map).unwrap_or(&[]) {
        let literal =
            value.as_scalar().is_some_and(|scalar| !scalar.text.starts_with('=') && !scalar.text.contains("{{"));
        if literal && names_a_secret(&key.text) {
            let help = format!(
                "use `auth: {{header: {{name: {}, value: env:NAME}}}}` or `auth: {{bearer: env:NAME}}`",
                key.text
            );
            cx.report(
                Code::SecretValue,
                value.span,
                format!("`{}` in `{part}` seems to hold a secret", key.text),
                Some(help),
            );
        }
    }
}

/// Whether a name suggests a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    let squeezed: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    ["password", "secret", "token", "apikey", "authorization", "credential", "privatekey"]
        .iter()
        .any(|part| squeezed.contains(part))
}

/// `{bearer: env:NAME}`, `{header: {name, value}}`, `{basic: {user, password}}`.
fn auth(cx: &mut Context<'_>, node: &Node) -> Option<Auth> {
    let fields = cx.fields(node, "`auth`", &AUTH_KEYS)?;
    if let Some(node) = fields.get("bearer") {
        return secret(cx, node).map(Auth::Bearer);
    }
    if let Some(node) = fields.get("header") {
        let fields = cx.fields(node, "`header`", &HEADER_KEYS)?;
        let name = fields.need(cx, "name", "`header`").and_then(|node| cx.text(node, "`name`"));
        let value = fields.need(cx, "value", "`header`").and_then(|node| secret(cx, node));
        return Some(Auth::Header { name: name?, value: value? });
    }
    if let Some(node) = fields.get("basic") {
        let fields = cx.fields(node, "`basic`", &BASIC_KEYS)?;
        let user = fields.need(cx, "user", "`basic`").and_then(|node| cx.text(node, "`user`"));
        let password = fields.need(cx, "password", "`basic`").and_then(|node| secret(cx, node));
        return Some(Auth::Basic { user: user?, password: password? });
    }
    let help = "write `{bearer: env:NAME}`, `{header: {name: …, value: env:NAME}}` or `{basic: {user: …, password: env:NAME}}`";
    cx.report(Code::MissingKey, fields.first(), "`auth` needs a method", Some(help.into()));
    None
}

/// A reference to a secret, never the secret itself.
pub(super) fn secret(cx: &mut Context<'_>, node: &Node) -> Option<String> {
    let text = cx.text(node, "a secret")?;
    let name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let good =
        text.strip_prefix("env:").is_some_and(name) || text.strip_prefix("file:").is_some_and(|path| !path.is_empty());
    if !good {
        let help = "write `env:NAME` for an environment variable or `file:PATH` for a file";
        cx.report(Code::SecretValue, node.span, "a secret is given by reference, never by value", Some(help.into()));
        return None;
    }
    Some(text)
}

/// `{status: 200 | [..], contains: x | [..], expr: "= …"}`; other keys are kept as a note.
pub(super) fn criteria(cx: &mut Context<'_>, node: &Node) -> Option<Criteria> {
    let fields = cx.fields(node, "criteria", &CRITERIA_KEYS)?;
    let statuses: Vec<&Node> = match fields.get("status") {
        Some(node) => node.as_seq().map_or_else(|| vec![node], |items| items.iter().collect()),
        None => Vec::new(),
    };
    Some(Criteria {
        status: statuses
            .into_iter()
            .filter_map(|node| cx.whole(node, "a status code", 100..=599).and_then(|code| u16::try_from(code).ok()))
            .collect(),
        contains: fields.get("contains").map(|node| cx.texts(node, "`contains`")).unwrap_or_default(),
        expr: fields.get("expr").and_then(|node| cx.condition(node, "`expr`")),
        note: fields.get("note").map_or(Value::Null, |node| cx.value(node)),
    })
}

/// The host and port of a literal URL: `https://api.example.com:8443/x` → `api.example.com:8443`.
pub(crate) fn host_of(url: &str) -> Result<String, &'static str> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
        .ok_or("a URL must start with `https://` or `http://`")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or("");
    if host.contains("{{") || host.contains("{%") || host.is_empty() {
        return Err("the host must be written out: it cannot come from a template");
    }
    if host.contains('@') {
        return Err("a URL must not contain a user name or password: use `auth`");
    }
    Ok(host.to_ascii_lowercase())
}

/// Whether a declared host covers a URL's host: exactly, or without the port if that is the default.
pub fn host_declared(declared: &[String], host: &str) -> bool {
    let usual = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80"));
    declared
        .iter()
        .any(|one| one.eq_ignore_ascii_case(host) || usual.is_some_and(|usual| one.eq_ignore_ascii_case(usual)))
}

/// Checks that the host of a literal URL is declared.
pub(crate) fn check_host(cx: &mut Context<'_>, url: &str, span: Span, declared: &[String]) {
    match host_of(url) {
        Err(problem) => cx.report(Code::UndeclaredHost, span, problem, None),
        Ok(host) if !host_declared(declared, &host) => {
            let help = format!("add it to `hosts` in pack.yaml: `hosts: [{host}]`");
            cx.report(Code::UndeclaredHost, span, format!("this pack may not call `{host}`"), Some(help));
        }
        Ok(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_is_what_is_called() {
        assert_eq!(host_of("https://API.example.com/a/{{ input.x }}"), Ok("api.example.com".into()));
        assert_eq!(host_of("http://localhost:8080?x=1"), Ok("localhost:8080".into()));
        assert!(host_of("https://{{ input.host }}/").is_err());
        assert!(host_of("https://evil.com@good.com/").is_err());
        assert!(host_of("ftp://x").is_err());
    }

    #[test]
    fn a_usual_port_needs_no_mention() {
        let declared = vec!["api.example.com".to_owned(), "localhost:9".to_owned()];
        assert!(host_declared(&declared, "api.example.com:443"));
        assert!(host_declared(&declared, "localhost:9"));
        assert!(!host_declared(&declared, "localhost:8"));
        assert!(!host_declared(&declared, "example.com"));
        assert!(!host_declared(&declared, "api.example.com.evil.com"));
    }
}
