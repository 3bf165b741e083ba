//! `decide`: evaluates a decision table. It reads and writes no records, and may inject steps.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::Failure;
use brain_engine::{JobContext, RecordView};
use brain_lang::binding::Binding;
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{DecideBehavior, DecideRule, HitPolicy};
use brain_registry::{ToolResult, ValidatedCall};
use serde_json::{Map, Value, json};

use crate::Toolbox;
use crate::values::{Evaluation, to_failure};

/// A rule that matched: its number in the table (from 1), the rule, and its values.
struct Hit<'t> {
    place: usize,
    rule: &'t DecideRule,
    values: BTreeMap<String, Value>,
}

impl Toolbox {
    pub(crate) fn decide_table(
        &self,
        behavior: &DecideBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let mut evaluation = self.evaluation(call, job)?;
        self.check_requires(call, job, &mut evaluation, records)?;
        let hits = matching(behavior, &mut evaluation)?;
        let columns = result_columns(behavior);
        let (data, rules) = if hits.is_empty() {
            nothing(behavior, &columns, &mut evaluation)?
        } else {
            settle(behavior, &columns, hits, &mut evaluation)?
        };
        let mut result = ToolResult::ok(Value::Object(data));
        for step in rules.into_iter().flat_map(|rule| &rule.steps) {
            let step = serde_json::to_value(step)
                .map_err(|error| Failure::contract("bad_step", format!("A step cannot be serialised: {error}")))?;
            result.new_steps.push(step);
        }
        Ok(result)
    }
}

/// The result of a table, and the rules that contributed to it.
type Answer<'t> = (Map<String, Value>, Vec<&'t DecideRule>);

/// The matching rules, in table order. The hit policy `first` stops at the first of them.
fn matching<'t>(table: &'t DecideBehavior, evaluation: &mut Evaluation) -> Result<Vec<Hit<'t>>, Failure> {
    let mut tested = BTreeMap::new();
    for (name, column) in &table.inputs {
        let value = evaluation.value(column).map_err(|error| to_failure(&format!("inputs.{name}"), &error))?;
        tested.insert(name.as_str(), value);
    }
    let mut hits = Vec::new();
    for (index, rule) in table.rules.iter().enumerate() {
        let place = index + 1;
        if !matches(rule, place, &tested, evaluation)? {
            continue;
        }
        hits.push(Hit { place, rule, values: values(rule, &format!("rule {place}"), evaluation)? });
        if table.hit == HitPolicy::First {
            break;
        }
    }
    Ok(hits)
}

fn matches(
    rule: &DecideRule,
    place: usize,
    tested: &BTreeMap<&str, FeelValue>,
    evaluation: &mut Evaluation,
) -> Result<bool, Failure> {
    for (column, tests) in &rule.when {
        let value = tested.get(column.as_str()).unwrap_or(&FeelValue::Null);
        let holds = evaluation.holds(tests, value).map_err(|error| {
            let message = format!("The cell `{column}` of rule {place} cannot be computed: {error}");
            Failure::contract("expression", message)
        })?;
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

fn values(rule: &DecideRule, what: &str, evaluation: &mut Evaluation) -> Result<BTreeMap<String, Value>, Failure> {
    let value = |(column, binding): (&String, &Binding)| {
        let value = evaluation.json(binding).map_err(|error| to_failure(&format!("{what}: {column}"), &error))?;
        Ok((column.clone(), value))
    };
    rule.then.iter().map(value).collect()
}

/// The result columns: the declared ones, or every column that a rule sets.
fn result_columns(table: &DecideBehavior) -> Vec<String> {
    if !table.outputs.is_empty() {
        return table.outputs.iter().map(|(name, _)| name.clone()).collect();
    }
    let named = table.rules.iter().chain(&table.otherwise).flat_map(|rule| rule.then.keys().cloned());
    named.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The result if no rule matches.
fn nothing<'t>(
    table: &'t DecideBehavior,
    columns: &[String],
    evaluation: &mut Evaluation,
) -> Result<Answer<'t>, Failure> {
    if let Some(rule) = &table.otherwise {
        let values = values(rule, "otherwise", evaluation)?;
        return settle(table, columns, vec![Hit { place: 0, rule, values }], evaluation);
    }
    let empty = match table.hit {
        HitPolicy::Collect | HitPolicy::RuleOrder | HitPolicy::OutputOrder => json!([]),
        HitPolicy::CollectCount => json!(0),
        _ => Value::Null,
    };
    Ok((columns.iter().map(|column| (column.clone(), empty.clone())).collect(), Vec::new()))
}

/// Applies the hit policy to the matching rules, of which there is at least one.
fn settle<'t>(
    table: &'t DecideBehavior,
    columns: &[String],
    mut hits: Vec<Hit<'t>>,
    evaluation: &mut Evaluation,
) -> Result<Answer<'t>, Failure> {
    match table.hit {
        HitPolicy::First => {}
        HitPolicy::Unique => {
            if let [one, two, ..] = hits.as_slice() {
                let message = format!("The rules {} and {} both match; only one may.", one.place, two.place);
                return Err(Failure::contract("decision_overlap", message));
            }
        }
        HitPolicy::Any => {
            let differs = |hit: &&Hit<'_>| hit.values != hits[0].values || hit.rule.steps != hits[0].rule.steps;
            if let Some(other) = hits.iter().find(differs) {
                let message =
                    format!("The rules {} and {} both match and have different results.", hits[0].place, other.place);
                return Err(Failure::contract("decision_conflict", message));
            }
        }
        // Sorting is stable, so rules of equal priority stay in table order.
        HitPolicy::Priority | HitPolicy::OutputOrder => hits.sort_by_key(|hit| importance(table, &hit.values)),
        _ => {}
    }
    if matches!(table.hit, HitPolicy::First | HitPolicy::Unique | HitPolicy::Any | HitPolicy::Priority) {
        hits.truncate(1);
        let value = |column: &String| hits[0].values.get(column).cloned().unwrap_or(Value::Null);
        let data = columns.iter().map(|column| (column.clone(), value(column))).collect();
        return Ok((data, vec![hits[0].rule]));
    }
    let mut data = Map::new();
    for column in columns {
        let list = hits.iter().map(|hit| hit.values.get(column).cloned().unwrap_or(Value::Null));
        data.insert(column.clone(), together(table.hit, column, list.collect(), evaluation)?);
    }
    Ok((data, hits.into_iter().map(|hit| hit.rule).collect()))
}

/// The sort key of a rule's values: the rank of each column's value, most important column first. Lower sorts first.
fn importance(table: &DecideBehavior, values: &BTreeMap<String, Value>) -> Vec<usize> {
    let place = |(column, ranked): &(String, Vec<Value>)| {
        let value = values.get(column).map(as_number);
        ranked.iter().position(|one| Some(as_number(one)) == value).unwrap_or(ranked.len())
    };
    table.outputs.iter().map(place).collect()
}

/// Aggregates all values of one column.
fn together(hit: HitPolicy, column: &str, list: Vec<Value>, evaluation: &mut Evaluation) -> Result<Value, Failure> {
    let function = match hit {
        HitPolicy::CollectSum => "sum",
        HitPolicy::CollectMin => "min",
        HitPolicy::CollectMax => "max",
        HitPolicy::CollectCount => {
            let mut different: Vec<FeelValue> = Vec::new();
            for value in list.iter().filter(|value| !value.is_null()).map(as_number) {
                if !different.contains(&value) {
                    different.push(value);
                }
            }
            return Ok(json!(different.len()));
        }
        _ => return Ok(Value::Array(list)),
    };
    let numbers = list.iter().filter(|value| !value.is_null()).map(as_number);
    evaluation.set("collected", FeelValue::list(numbers));
    let total = Binding::parse(&json!(format!("= {function}(collected)")))
        .and_then(|total| evaluation.json(&total))
        .map_err(|error| to_failure(&format!("{function} of {column}"), &error))?;
    Ok(total)
}

/// Converts a value for comparing and adding. Decimal text, the form of non-integer numbers, becomes a number.
fn as_number(value: &Value) -> FeelValue {
    FeelValue::from_typed_json(value, &json!({"format": "decimal"}))
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
