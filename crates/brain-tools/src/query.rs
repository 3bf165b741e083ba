//! `query`: answers questions about the records of one type. It only reads: it lists, counts, adds up, compares, or shows
//! one record. The store answers what it has an index for; the rest is compared here, in at most [`MAX_LISTED`] records.

mod compare;
mod measure;
mod naming;
mod period;
mod sentence;

use brain_core::Failure;
use brain_engine::{JobContext, MAX_LISTED, RecordView};
use brain_registry::model::{QueryBehavior, RecordDef};
use brain_registry::{Artifact, ArtifactRole, ToolResult, ValidatedCall};
use brain_store::RecordRow;
use serde_json::{Map, Value, json};

use self::compare::{Test, store_filter};
use self::measure::{Measured, Summary};
use self::naming::Naming;
use crate::Toolbox;
use crate::record::{not_found, parse_id, record_json, store_failed};
use crate::toolbox::RecordType;

/// Default number of records in an answer.
const DEFAULT_ROWS: usize = 20;
/// Number of records that a sentence names.
const NAMED: usize = 5;

/// What is asked, and what it needs to be answered.
struct Query<'a> {
    behavior: &'a QueryBehavior,
    kind: &'a RecordType,
    args: &'a Map<String, Value>,
    /// Schemas of the inputs: labels of choices.
    inputs: &'a Value,
    tests: Vec<Test<'a>>,
    zone: jiff::tz::TimeZone,
    currency: String,
}

impl Toolbox {
    pub(crate) fn query(
        &self,
        behavior: &QueryBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let settings = self.settings().pinned(job.settings)?;
        let none = Map::new();
        let args = call.args().as_object().unwrap_or(&none);
        let kind = self.record_type(&behavior.record)?;
        let currency = settings.text("currency").unwrap_or_default();
        let inputs = &call.tool().def.input["properties"];
        let zone = settings.zone.clone();
        let tests = compare::tests(behavior, kind, args, inputs, &zone, job.now);
        let query = Query { behavior, kind, args, inputs, tests, zone, currency };
        let mut naming = Naming::new(self, records);
        match query.text("id") {
            Some(id) => query.show(id, &mut naming),
            None => query.answer(&mut naming),
        }
    }
}

impl<'a> Query<'a> {
    fn text(&self, input: &str) -> Option<&'a str> {
        self.args.get(input).and_then(Value::as_str)
    }

    fn def(&self) -> &'a RecordDef {
        &self.kind.def
    }

    /// What people call a value of an input that is a choice.
    fn label(&self, input: &str, token: &str) -> String {
        let label = self.inputs[input]["x-labels"][token].as_str();
        label.map_or_else(|| token.replace('_', " "), str::to_owned)
    }

    /// One record, one field of it, or whether it is what was asked.
    fn show(&self, id: &str, naming: &mut Naming<'_, '_>) -> Result<ToolResult, Failure> {
        let id = parse_id(id, &self.def().name)?;
        let row = naming.get(&self.def().name, id)?.ok_or_else(|| not_found(&self.def().title, &id.to_string()))?;
        let name = naming.name(self.kind, &row)?;
        let matches = (!self.tests.is_empty()).then(|| self.tests.iter().all(|test| test.holds(&row)));
        let field = self.text("field");
        let summary = match (field, matches) {
            (Some(field), _) => sentence::field(self, &row, &name, field, naming)?,
            (None, Some(matches)) => sentence::is_it(self, &row, &name, matches),
            (None, None) => sentence::whole(self, &row, &name, naming)?,
        };
        let mut data = json!({"measure": "show", "count": 1, "records": [self.row_json(&row)]});
        if let Some(matches) = matches {
            data["matches"] = Value::from(matches);
        }
        Ok(self.result(data, summary, &[&row], naming))
    }

    fn answer(&self, naming: &mut Naming<'_, '_>) -> Result<ToolResult, Failure> {
        let filter = store_filter(self.def(), &self.tests);
        let (mut rows, is_partial) = naming.records.scan(&self.def().name, &filter).map_err(store_failed)?;
        rows.retain(|row| self.tests.iter().all(|test| test.holds(row)));
        let measure = self.text("measure").unwrap_or("list");
        let of = self.of(measure)?;
        let summary = Summary::of(self, measure, of, rows)?;
        let limit = self.args.get("limit").and_then(Value::as_u64).map_or(DEFAULT_ROWS, |limit| limit as usize);
        let mut text = sentence::answer(self, &summary, naming)?;
        if is_partial {
            text.push_str(&format!(
                " Only the first {} {} were looked at.",
                sentence::grouped(MAX_LISTED),
                self.behavior.many
            ));
        }
        let shown: Vec<&RecordRow> =
            if measure == "count" { Vec::new() } else { summary.rows.iter().take(limit).collect() };
        let mut data = json!({
            "measure": measure, "count": summary.count,
            "records": shown.iter().map(|row| self.row_json(row)).collect::<Vec<_>>(),
            "more": summary.rows.len().saturating_sub(shown.len()),
            "complete": !is_partial,
        });
        if let Some(of) = of {
            data["of"] = Value::from(of);
            // Under the name of its field, so that it is redacted like the field.
            data["value"] = json!({of: summary.value.as_ref().map(Measured::json)});
        }
        Ok(self.result(data, text, &shown, naming))
    }

    /// The field that is compared or added up.
    fn of(&self, measure: &str) -> Result<Option<&'a str>, Failure> {
        let named = self.text("of").or(self.behavior.worth.as_deref());
        let sorts = self.text("of").is_some() || matches!(self.text("order"), Some("highest" | "lowest"));
        match measure {
            "sum" | "average" | "highest" | "lowest" => {}
            "list" if sorts => {}
            _ => return Ok(None),
        }
        let adds = matches!(measure, "sum" | "average");
        let possible = self.inputs["of"]["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let possible: Vec<&str> = possible.filter(|field| !adds || !measure::is_time(self.def(), field)).collect();
        match (named, possible.as_slice()) {
            (Some(of), _) if possible.contains(&of) => Ok(Some(of)),
            (None, [only]) => Ok(Some(self.own(only))),
            _ => {
                let names: Vec<String> = possible.iter().map(|field| self.label("of", field)).collect();
                let message = format!("Say which of these it is about: {}.", names.join(", "));
                Err(Failure::business("which_field", message))
            }
        }
    }

    /// The same field name, as long-lived as the query.
    fn own(&self, field: &str) -> &'a str {
        self.def().field(field).map_or("", |field| field.name.as_str())
    }

    /// A record without the fields about which nothing may be asked.
    fn row_json(&self, row: &RecordRow) -> Value {
        let mut shown = record_json(row);
        if let Some(fields) = shown.as_object_mut() {
            for hidden in self.def().fields.iter().filter(|field| !field.ask) {
                fields.remove(&hidden.name);
            }
        }
        shown
    }

    fn result(&self, mut data: Value, summary: String, rows: &[&RecordRow], naming: &Naming<'_, '_>) -> ToolResult {
        if !naming.named.is_empty() {
            data["names"] = Value::from(naming.named.clone());
        }
        let mut result = ToolResult::ok(data);
        result.summary = Some(summary);
        result.artifacts = rows
            .iter()
            .map(|row| Artifact {
                record_type: row.kind.clone(),
                id: row.id.to_string(),
                role: ArtifactRole::Input,
                revision: None,
            })
            .collect();
        result
    }
}
