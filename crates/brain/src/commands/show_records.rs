//! `brain records list` and `brain records get`.

use anyhow::Result;
use brain_core::RecordId;
use brain_server::wire::{Page, RecordField, RecordType, RunResponse};
use serde_json::{Map, Value};

use crate::cli::{Global, ListRecordsArgs};
use crate::remote::{Client, Need};
use crate::show::{BOLD, DIM};
use crate::table::{self, Table};
use crate::{hint, show};

/// The definition of a type.
pub(super) async fn record_type(client: &Client, name: &str) -> Result<RecordType> {
    client.get(&format!("/v1/record-types/{}", name.replace('/', "%2F"))).await
}

pub(crate) fn list(global: &Global, args: &ListRecordsArgs) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let def = record_type(client, &args.record_type).await?;
        let query = [
            ("state", args.state.clone()),
            ("limit", Some(args.limit.clamp(1, 200).to_string())),
            ("cursor", args.cursor.clone()),
            ("labels", (!global.json).then(|| "true".to_owned())),
        ];
        let page: Page<Value> = client.ask(&format!("/v1/records/{}", def.name), &query).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No {} records.", def.title.to_lowercase());
        } else if has_long_names(&def, &page.items) {
            page.items.iter().for_each(|record| entry(&def, record));
        } else {
            in_columns(&def, &page.items).print(0);
        }
        if let Some(next) = page.next_cursor {
            let state = args.state.as_ref().map(|state| format!(" --state {state}")).unwrap_or_default();
            let words = format!("records list {} --limit {}{state} --cursor {next}", def.name, args.limit);
            outln!("{DIM}more: {}{DIM:#}", hint::command(&words));
        }
        Ok(true)
    })
}

/// The name of a record: borrowed from the one that its label refers to, else the label itself.
fn name_of<'a>(def: &RecordType, record: &'a Value) -> Option<&'a str> {
    record["$label"].as_str().or_else(|| record[def.label.as_deref()?].as_str())
}

/// Whether names leave no room for an id next to them.
fn has_long_names(def: &RecordType, records: &[Value]) -> bool {
    const ID: usize = 36;
    let names = records.iter().filter_map(|record| name_of(def, record));
    names.map(table::wide).max().unwrap_or(0) + 2 + ID > table::width()
}

/// One record over several lines.
fn entry(def: &RecordType, record: &Value) {
    let name = name_of(def, record).unwrap_or("(no name)");
    let state = record["state"].as_str().map(show::status).unwrap_or_default();
    let others = def.fields.iter().filter(|field| Some(&field.name) != def.label.as_ref() && field.reference.is_none());
    let others = others.filter(|field| !record[&field.name].is_null());
    let mut facts = vec![state];
    facts.extend(others.map(|field| format!("{}: {}", field.name, shown(field, &record[&field.name]))));
    table::entry(name, &facts, record["id"].as_str().unwrap_or_default());
}

/// Records in columns: the name, the state, the id, then the fields in the order of the pack, references last. The id is
/// third so that it is shown where there is room for little else.
fn in_columns(def: &RecordType, records: &[Value]) -> Table {
    let is_label = |field: &&RecordField| Some(&field.name) == def.label.as_ref();
    let label = def.fields.iter().filter(is_label);
    let plain = def.fields.iter().filter(|field| !is_label(field) && field.reference.is_none());
    let references = def.fields.iter().filter(|field| !is_label(field) && field.reference.is_some());
    let fields: Vec<&RecordField> = label.chain(plain).chain(references).collect();
    let named = usize::from(def.label.is_some());
    let mut heads: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    heads.insert(named, "id");
    if !def.states.is_empty() {
        heads.insert(named, "state");
    }
    let mut table = Table::new(heads.iter().copied());
    for record in records {
        let cell = |head: &&str| match def.fields.iter().find(|field| field.name == **head) {
            Some(field) if is_label(&field) => match &record["$label"] {
                Value::String(name) => name.clone(),
                _ => shown(field, &record[*head]),
            },
            Some(field) => shown(field, &record[*head]),
            None => record[*head].as_str().unwrap_or_default().to_owned(),
        };
        table.push(heads.iter().map(cell).collect());
    }
    table
}

/// A value for people: money with its scale.
fn shown(field: &RecordField, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        _ if field.schema["format"] == "money" => money(&show::plain(value)),
        _ => show::plain(value),
    }
}

/// An amount with at least two digits after the point.
fn money(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    format!("{whole}.{fraction:0<2}")
}

pub(crate) fn get(global: &Global, record_type_name: &str, id: &str) -> Result<bool> {
    let id: RecordId = super::id(id, record_type_name, &format!("brain records list {record_type_name}"))?;
    super::talk(global, Need::Existing, async |client| {
        let def = record_type(client, record_type_name).await?;
        let labels = ("labels", (!global.json).then(|| "true".to_owned()));
        let record: Value = client.ask(&format!("/v1/records/{}/{id}", def.name), &[labels]).await?;
        if global.json {
            show::json(&record);
            return Ok(true);
        }
        let name = name_of(&def, &record).unwrap_or(&def.title);
        let state = record["state"].as_str().map_or_else(String::new, |state| format!("  {}", show::status(state)));
        outln!("{BOLD}{name}{BOLD:#}{state}");
        let width = def.fields.iter().map(|field| field.name.len()).max().unwrap_or(0);
        for field in def.fields.iter().filter(|field| !record[&field.name].is_null()) {
            let mut name = field.name.as_str();
            for line in table::wrap_all(&shown(field, &record[name]), table::width().saturating_sub(width + 4)) {
                outln!("  {DIM}{name:width$}{DIM:#}  {line}");
                name = "";
            }
        }
        let changed = show::ago(record["updated_at"].as_str().unwrap_or_default());
        outln!("{DIM}{} {id} · revision {} · changed {changed}{DIM:#}", def.name, record["revision"]);
        Ok(true)
    })
}

/// Adds display names to rows whose record is named by another record, so that a list of loans shows book titles
/// instead of ids.
pub(super) async fn with_names(client: &Client, answer: &mut RunResponse) {
    let lists = answer.receipts.iter_mut().filter_map(|receipt| receipt.result.as_object_mut());
    let rows = lists.flat_map(|result| result.values_mut()).filter_map(Value::as_array_mut);
    let rows = rows.flat_map(|rows| rows.iter_mut().take(show::ROWS)).filter_map(Value::as_object_mut);
    let mut rows: Vec<&mut Map<String, Value>> =
        rows.filter(|row| row.contains_key("id") && !row.contains_key("name") && !row.contains_key("title")).collect();
    if rows.is_empty() {
        return;
    }
    // The request was carried out, so an answer without names is better than an error.
    let Ok(types) = client.get::<Page<RecordType>>("/v1/record-types").await else { return };
    for row in &mut rows {
        for def in types.items.iter().filter(|def| borrows(def, row)) {
            let path = format!("/v1/records/{}/{}", def.name, row["id"].as_str().unwrap_or_default());
            // A row of another type with the same fields has no record here.
            let Ok(record) = client.ask::<Value>(&path, &[("labels", Some("true".to_owned()))]).await else { continue };
            if let Some(name) = record["$label"].as_str() {
                row.insert("name".into(), name.into());
                break;
            }
        }
    }
}

/// Whether a row could be a record of this type, and the type takes its name from a referenced record.
fn borrows(def: &RecordType, row: &Map<String, Value>) -> bool {
    let label = def.fields.iter().find(|field| Some(&field.name) == def.label.as_ref());
    label.is_some_and(|field| field.reference.is_some() && row.get(&field.name).is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests {
    use super::money;

    #[test]
    fn money_has_its_scale() {
        assert_eq!(money("77.5"), "77.50");
        assert_eq!(money("0"), "0.00");
        assert_eq!(money("1.125"), "1.125");
        assert_eq!(money("-3"), "-3.00");
    }
}
