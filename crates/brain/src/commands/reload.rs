//! `brain reload`: makes a running server reload its packs.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cli::{Global, ReloadArgs};
use crate::show::{BOLD, DIM, RED};
use crate::{open, show};

/// Request timeout. Compiling a large vocabulary takes a while.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn run(global: &Global, args: &ReloadArgs) -> Result<bool> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = format!("{}/v1/packs/reload", args.server.trim_end_matches('/'));
    let answer = open::runtime()?.block_on(async {
        let client = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build()?;
        let mut request = client.post(&url);
        if let Some(token) = &args.token {
            request = request.bearer_auth(token);
        }
        let answer = request
            .send()
            .await
            .with_context(|| format!("no server answers at {}; name another one with --server URL", args.server))?;
        let ok = answer.status().is_success();
        let body: Value = answer.json().await.with_context(|| format!("{} is not a Brain server", args.server))?;
        anyhow::Ok((ok, body))
    });
    let (ok, body) = answer?;
    if global.json {
        show::json(&body);
        return Ok(ok);
    }
    if !ok {
        for one in body["errors"].as_array().into_iter().flatten() {
            let text = |name: &str| one[name].as_str().unwrap_or_default();
            anstream::eprintln!("{RED}✗{RED:#} {}  {}", text("field"), text("message"));
        }
        anstream::eprintln!("{}", body["detail"].as_str().unwrap_or("The packs were not reloaded."));
        return Ok(false);
    }
    for (name, version) in body["packs"].as_object().into_iter().flatten() {
        anstream::println!("{BOLD}{name}{BOLD:#} {}", version.as_str().unwrap_or_default());
    }
    for (field, label) in [("changed", "new or changed"), ("removed", "removed")] {
        let names: Vec<&str> = body[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !names.is_empty() {
            anstream::println!("{DIM}{label}: {}{DIM:#}", names.join(", "));
        }
    }
    anstream::println!("Reloaded {} tools.", body["tools"]);
    Ok(true)
}
