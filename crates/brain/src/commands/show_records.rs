//! `brain records list` and `brain records get`.

use anyhow::{Context, Result, bail};
use brain_core::{Clock as _, RecordId};
use brain_registry::model::RecordDef;
use brain_store::{RecordFilter, RecordRow};
use serde_json::{Value, json};

use crate::cli::{Global, ListRecordsArgs};
use crate::show::{BOLD, DIM};
use crate::system::SystemClock;
use crate::{open, show};

/// Maximum line width.
const WIDTH: usize = 80;

fn record_type<'a>(registry: &'a brain_registry::Registry, name: &str) -> Result<&'a RecordDef> {
    registry.record(name).map(AsRef::as_ref).with_context(|| {
        let names: Vec<&str> = registry.records().keys().map(String::as_str).collect();
        format!("there is no record type `{name}`; there are: {}", names.join(", "))
    })
}

fn to_json(row: &RecordRow) -> Value {
    let mut body = row.body.clone();
    body["id"] = json!(row.id);
    body["revision"] = json!(row.revision);
    if let Some(state) = &row.state {
        body["state"] = json!(state);
    }
    body
}

pub(crate) fn list(global: &Global, args: &ListRecordsArgs) -> Result<bool> {
    let registry = open::registry(global)?;
    let def = record_type(&registry, &args.record_type)?;
    let store = open::store(global)?;
    let filter = RecordFilter { state: args.state.clone(), ..RecordFilter::default() };
    let limit = args.limit.clamp(1, 200);
    let page = store.records(&open::scope(global)?, &def.name, &filter, limit, args.cursor.as_deref())?;
    if global.json {
        let items: Vec<Value> = page.items.iter().map(to_json).collect();
        show::json(&json!({"items": items, "next_cursor": page.next}));
        return Ok(true);
    }
    if page.items.is_empty() {
        anstream::println!("No {} records.", def.title.to_lowercase());
    }
    for row in &page.items {
        let name = def.label.as_deref().and_then(|field| row.body[field].as_str()).unwrap_or_default();
        let state = row.state.as_deref().map_or_else(String::new, |state| format!("  {}", show::status(state)));
        let skipped = [def.label.as_deref().unwrap_or_default(), "id"];
        let fields = row.body.as_object().into_iter().flatten();
        let mut rest = String::new();
        let used = name.chars().count() + row.state.as_deref().map_or(0, |state| state.len() + 2) + 2;
        for (field, value) in fields.filter(|(field, value)| !skipped.contains(&field.as_str()) && !value.is_null()) {
            let part = format!("{field}: {}", show::plain(value));
            // Values are never truncated.
            if used + rest.chars().count() + part.chars().count() + 2 > WIDTH {
                break;
            }
            rest = if rest.is_empty() { part } else { format!("{rest}, {part}") };
        }
        anstream::println!("{BOLD}{name}{BOLD:#}{state}  {rest}");
        anstream::println!("  {DIM}{}{DIM:#}", row.id);
    }
    if let Some(next) = page.next {
        anstream::println!("{DIM}more: brain records list {} --cursor {next}{DIM:#}", def.name);
    }
    Ok(true)
}

pub(crate) fn get(global: &Global, record_type_name: &str, id: &str) -> Result<bool> {
    let registry = open::registry(global)?;
    let def = record_type(&registry, record_type_name)?;
    let id: RecordId = id.parse().with_context(|| format!("`{id}` is not the id of a record"))?;
    let Some(row) = open::store(global)?.record(&open::scope(global)?, &def.name, id)? else {
        bail!("there is no {} with the id {id}", def.title.to_lowercase());
    };
    if global.json {
        show::json(&to_json(&row));
        return Ok(true);
    }
    let state = row.state.as_deref().map_or_else(String::new, |state| format!("  {}", show::status(state)));
    anstream::println!("{BOLD}{} {id}{BOLD:#}{state}", def.title);
    let width = row.body.as_object().into_iter().flatten().map(|(field, _)| field.len()).max().unwrap_or(0);
    for (field, value) in row.body.as_object().into_iter().flatten() {
        anstream::println!("  {DIM}{field:width$}{DIM:#}  {}", show::plain(value));
    }
    let changed = show::span(SystemClock.now().since(row.updated_at));
    anstream::println!("{DIM}revision {} · changed {changed} ago{DIM:#}", row.revision);
    Ok(true)
}
