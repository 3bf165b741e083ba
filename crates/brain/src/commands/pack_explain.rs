//! `brain pack explain`: the page for an error code, or the list of all codes.

use anyhow::Result;
use brain_registry::{Code, Severity};
use serde_json::{Value, json};

use super::Usage;
use crate::cli::Global;
use crate::show::{self, BOLD, DIM};

pub(crate) fn run(global: &Global, code: Option<&str>) -> Result<bool> {
    let Some(code) = code else {
        list(global);
        return Ok(true);
    };
    let code = Code::parse(code)
        .ok_or_else(|| Usage(format!("there is no pack problem `{code}`; `brain pack explain` lists all codes")))?;
    if global.json {
        let mut page = summary(code);
        page["page"] = code.page().into();
        show::json(&page);
    } else {
        outln!("{}", code.page().trim_end());
    }
    Ok(true)
}

fn list(global: &Global) {
    if global.json {
        show::json(&json!({"items": Code::all().map(summary).collect::<Vec<_>>()}));
        return;
    }
    for code in Code::all() {
        outln!("{BOLD}{}{BOLD:#}  {}", code.id(), code.title());
    }
    outln!("{DIM}→{DIM:#} brain pack explain {}", Code::UnknownKey.id());
}

fn summary(code: Code) -> Value {
    let severity = match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({"code": code.id(), "title": code.title(), "severity": severity})
}
