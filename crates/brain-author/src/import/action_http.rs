//! The behavior of an action: an HTTP call, or a job for workers.

use super::Notes;
use super::naming::snake;
use super::param::Param;
use super::source::{entries, shown, text_of, texts};
use super::writer::{Map, Yaml, list, map, raw};
use brain_registry::yaml::Node;

/// A behavior, its effect if unusual, and the host it calls.
pub(super) struct How {
    pub(super) behavior: Yaml,
    pub(super) effect: Option<&'static str>,
    pub(super) host: Option<String>,
}

/// The behavior of an action.
pub(super) fn how(action: &Node, id: &str, domain: &str, params: &[Param], notes: &mut Notes) -> How {
    let kind = text_of(action, "execution_type");
    let url = text_of(action, "api_endpoint");
    match url.as_deref().filter(|url| url.starts_with("https://") || url.starts_with("http://")) {
        Some(url) => {
            if let Some(kind) = kind.filter(|kind| !kind.contains("api") && !kind.contains("http")) {
                notes.add("execution_type", format!("`{kind}` is not supported; the call of `{url}` is used instead"));
            }
            call(action, url, domain, params, notes)
        }
        None => {
            if let Some(url) = url {
                notes.add("api_endpoint", format!("`{url}` has no host; a job for workers was created instead"));
            }
            for key in ["api_method", "api_auth_type", "success_criteria", "failure_criteria"] {
                if action.get(key).is_some_and(|node| node.kind() != "nothing") {
                    notes.add(key, "is ignored: there is no call that it applies to");
                }
            }
            let kind = kind.unwrap_or_else(|| "nothing".into());
            notes
                .add("execution_type", format!("`{kind}` becomes a job of the topic `{}` for your workers", snake(id)));
            How { behavior: map([("worker", Yaml::from(snake(id)))]), effect: None, host: None }
        }
    }
}

fn call(action: &Node, url: &str, domain: &str, params: &[Param], notes: &mut Notes) -> How {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let method = text_of(action, "api_method").unwrap_or_else(|| "POST".into()).to_uppercase();
    let method = known.into_iter().find(|one| *one == method).unwrap_or_else(|| {
        notes.add("api_method", format!("`{method}` is not a method that tools may use; `POST` is"));
        "POST"
    });
    let (address, inside) = filled(url, params);
    let mut http = Map::default();
    http.set("method", method);
    http.set("url", address);
    let rest: Vec<&Param> = params.iter().filter(|param| !inside.contains(&param.ours)).collect();
    let renamed = params.iter().any(|param| param.ours != param.theirs);
    let unsent = matches!(method, "GET" | "DELETE");
    if !rest.is_empty() && (unsent || renamed || !inside.is_empty()) {
        let mut values = Map::default();
        for param in rest {
            values.set(&param.theirs, format!("= input.{}", param.ours));
        }
        http.set(if unsent { "query" } else { "body" }, values);
    }
    if let Some(auth) = auth(action, domain, notes) {
        http.set("auth", auth);
    }
    for (key, ours) in [("success_criteria", "success"), ("failure_criteria", "failure")] {
        if let Some(node) = action.get(key).filter(|node| node.as_map().is_some()) {
            http.set(ours, criteria(key, node, notes));
        }
    }
    let host = url.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next()).map(str::to_lowercase);
    How { behavior: map([("http", http.into())]), effect: (method == "GET").then_some("read"), host }
}

/// The URL with its placeholders `{id}`, `${id}`, `:id` replaced by inputs.
fn filled(url: &str, params: &[Param]) -> (String, Vec<String>) {
    let (mut url, mut used) = (url.to_owned(), Vec::new());
    for param in params {
        for place in [format!("${{{}}}", param.theirs), format!("{{{}}}", param.theirs), format!("/:{}", param.theirs)]
        {
            if url.contains(&place) {
                let slash = if place.starts_with('/') { "/" } else { "" };
                url = url.replace(&place, &format!("{slash}{{{{ input.{} }}}}", param.ours));
                used.push(param.ours.clone());
                break;
            }
        }
    }
    (url, used)
}

fn auth(action: &Node, domain: &str, notes: &mut Notes) -> Option<Yaml> {
    let given = text_of(action, "api_auth_type")?;
    let name = |what: &str| format!("{}_{what}", domain.to_uppercase());
    let variable = |what: &str| format!("env:{}", name(what));
    match given.to_lowercase().as_str() {
        "none" => None,
        "bearer" | "bearer_token" | "jwt" | "oauth2" | "oauth" => {
            notes.add("api_auth_type", format!("put the token into the environment variable `{}`", name("TOKEN")));
            Some(map([("bearer", variable("TOKEN").into())]))
        }
        "api_key" | "apikey" | "key" => {
            notes.add(
                "api_auth_type",
                format!("the key is sent as `X-API-Key` and comes from `{}`", variable("API_KEY")),
            );
            Some(map([("header", map([("name", "X-API-Key".into()), ("value", variable("API_KEY").into())]))]))
        }
        "basic" | "basic_auth" => {
            notes.add("api_auth_type", format!("fill in the user; the password comes from `{}`", variable("PASSWORD")));
            Some(map([("basic", map([("user", "user".into()), ("password", variable("PASSWORD").into())]))]))
        }
        _ => {
            notes.add("api_auth_type", format!("`{given}` is not recognised; set how to authenticate in `auth`"));
            None
        }
    }
}

fn criteria(about: &str, node: &Node, notes: &mut Notes) -> Yaml {
    let mut map = Map::default();
    let mut more = Map::default();
    for (key, value) in entries(Some(node)) {
        match key {
            "status_code" | "status" | "status_codes" => {
                let codes: Vec<Yaml> = texts(Some(value)).into_iter().map(raw).collect();
                map.set("status", codes);
            }
            "response_contains" | "contains" => {
                map.set("contains", list(texts(Some(value)).iter().map(String::as_str)));
            }
            other => {
                notes.add(about, format!("`{other}: {}` is kept as a note only", shown(value)));
                more.set(other, super::writer::copy(value));
            }
        }
    }
    if !more.is_empty() {
        map.set("note", more);
    }
    map.into()
}
