//! Check: permissions, contradictions, costs, and whether named records exist.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use brain_core::RecordId;
use brain_lang::binding::Binding;
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{Cost, Precondition};
use brain_registry::{Registry, Tool};
use brain_store::{Records, Scope};
use brain_tools::{Evaluation, Toolbox};
use serde_json::{Value, json};

use crate::intake::Actor;
use crate::narrate::{PlannedCall, Problem};

/// Reasons to refuse these calls for a person; empty if there are none.
pub(crate) fn problems(registry: &Registry, actor: &Actor, calls: &[PlannedCall]) -> Vec<Problem> {
    let mut found = not_for(registry, actor, calls);
    let names: BTreeSet<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    for name in &names {
        let Some(tool) = registry.tool(name) else { continue };
        // Two tools that name each other as opposites are reported once.
        let is_named = |other: &str| {
            other < *name && registry.tool(other).is_some_and(|tool| tool.def.opposites.iter().any(|one| one == name))
        };
        for opposite in tool.def.opposites.iter().filter(|other| names.contains(other.as_str()) && !is_named(other)) {
            let message = format!("`{name}` and `{opposite}` are opposites: choose one of them.");
            found.push(Problem { tool: Some((*name).to_owned()), ..Problem::new("opposites", message) });
        }
    }
    found
}

/// Calls that this person may not make: a permission is missing, or the tier does not match.
pub(crate) fn not_for(registry: &Registry, actor: &Actor, calls: &[PlannedCall]) -> Vec<Problem> {
    let mut found = Vec::new();
    let names: BTreeSet<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    for name in names {
        let Some(tool) = registry.tool(name) else { continue };
        let mut refuse = |code: &str, message: String| {
            found.push(Problem { tool: Some(name.to_owned()), ..Problem::new(code, message) });
        };
        if let Some(permission) = tool.def.permission.as_deref().filter(|permission| !actor.may(permission)) {
            let message = format!(
                "{} may not use `{name}`: it needs the permission `{permission}`. Ask for a token that has it.",
                actor.name
            );
            refuse("not_permitted", message);
        }
        if let Some(tier) = &actor.tier
            && !tool.def.tiers.is_empty()
            && !tool.def.tiers.contains(tier)
        {
            let tiers = tool.def.tiers.join(" or ");
            refuse("wrong_tier", format!("`{name}` requires tier {tiers}; {} has tier {tier}.", actor.name));
        }
    }
    found
}

/// Records named by an id that does not exist.
pub(crate) fn unknown_records(
    registry: &Registry,
    store: &dyn Records,
    scope: &Scope,
    calls: &[PlannedCall],
) -> Vec<Problem> {
    let mut found = Vec::new();
    for call in calls {
        let Some(tool) = registry.tool(&call.tool) else { continue };
        found.extend(unknown_in(
            registry, store, scope, &tool.def.name, &tool.def.input, &call.input, &tool.def.requires,
        ));
    }
    found
}

/// [`unknown_records`] for the values of one schema: the arguments of a tool, the slots of a playbook.
pub(crate) fn unknown_in(
    registry: &Registry,
    store: &dyn Records,
    scope: &Scope,
    name: &str,
    schema: &Value,
    values: &Value,
    requires: &[Precondition],
) -> Vec<Problem> {
    let mut found = Vec::new();
    for (field, property) in schema["properties"].as_object().into_iter().flatten() {
        let Some(kind) = property["x-entity"].as_str().or(property["items"]["x-entity"].as_str()) else { continue };
        let Some(record) = registry.record(kind) else { continue };
        // The pack has its own message for this; it is shown when the call is decided.
        if requires.iter().any(|one| one.record.as_ref() == Some(field)) {
            continue;
        }
        let named = match &values[field] {
            Value::Array(many) => many.clone(),
            one => vec![one.clone()],
        };
        for text in named.iter().filter_map(Value::as_str) {
            let Ok(id) = text.parse::<RecordId>() else { continue };
            if store.record(scope, &record.name, id).is_ok_and(|row| row.is_none()) {
                let message = brain_tools::not_found(&record.title, text).message;
                found.push(Problem {
                    tool: Some(name.to_owned()),
                    field: Some(field.clone()),
                    ..Problem::new("record_not_found", message)
                });
            }
        }
    }
    found
}

/// The total cost of calls by currency: decimals as text. Empty if none of them costs anything. A call whose count
/// depends on an earlier step counts `unknown` times.
pub(crate) fn cost(
    registry: &Registry,
    toolbox: &Toolbox,
    calls: &[PlannedCall],
    unknown: u32,
) -> BTreeMap<String, String> {
    let mut totals: BTreeMap<String, String> = BTreeMap::new();
    for call in calls {
        let Some(tool) = registry.tool(&call.tool) else { continue };
        let Some(cost) = &tool.def.cost else { continue };
        let units = units_of(toolbox, tool, cost, &call.input);
        let total = totals.entry(cost.currency.clone().unwrap_or_else(|| own_currency(registry))).or_default();
        let parts = json!({
            "total": if total.is_empty() { "0" } else { total.as_str() },
            "fixed": cost.fixed.as_deref().unwrap_or("0"),
            "per_unit": cost.per_unit.as_deref().unwrap_or("0"),
            // A number that only an earlier step can supply counts as one unit.
            "units": units.as_deref().unwrap_or("1"),
            "times": call.times.unwrap_or(unknown).to_string(),
        });
        let sum = "= string(number(total) + (number(fixed) + number(per_unit) * number(units)) * number(times))";
        if let Some(sum) = compute(toolbox, &parts, sum) {
            *total = sum;
        }
    }
    totals
}

/// The number of units that a call is charged for; `None` if an earlier step has yet to supply it.
fn units_of(toolbox: &Toolbox, tool: &Tool, cost: &Cost, input: &Value) -> Option<String> {
    let Some(units) = &cost.units else { return Some("1".to_owned()) };
    let mut evaluation = Evaluation::new(brain_core::Timestamp::default(), toolbox.zone().clone(), b"cost");
    evaluation.set("input", FeelValue::from_typed_json(input, &tool.def.input));
    evaluation.set("settings", toolbox.settings().current().values.clone());
    brain_core::decimal_text(&evaluation.json(units).ok()?)
}

/// The tools whose price an earlier step has yet to supply.
pub(crate) fn unpriced(registry: &Registry, toolbox: &Toolbox, calls: &[PlannedCall]) -> Vec<Arc<Tool>> {
    let tools = calls.iter().filter_map(|call| Some((registry.tool(&call.tool)?, &call.input)));
    let open = tools.filter(|(tool, input)| {
        tool.def.cost.as_ref().is_some_and(|cost| units_of(toolbox, tool, cost, input).is_none())
    });
    let mut open: Vec<Arc<Tool>> = open.map(|(tool, _)| tool.clone()).collect();
    open.dedup_by(|a, b| a.def.name == b.def.name);
    open
}

/// What one call costs, in words; `None` if it costs nothing.
pub(crate) fn price(registry: &Registry, toolbox: &Toolbox, tool: &Tool, input: &Value) -> Option<String> {
    tool.def.cost.as_ref()?;
    let call = PlannedCall {
        tool: tool.def.name.clone(),
        step: String::new(),
        input: input.clone(),
        times: Some(1),
        conditional: false,
    };
    Some(cost_in_words(&cost(registry, toolbox, std::slice::from_ref(&call), 1)))
}

/// The currency of the settings.
pub(crate) fn own_currency(registry: &Registry) -> String {
    registry.settings().get("currency").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Costs as text: `60.00 EUR`, `60.00 EUR and 3 USD`.
pub(crate) fn cost_in_words(costs: &BTreeMap<String, String>) -> String {
    let each: Vec<String> = costs.iter().map(|(currency, amount)| in_currency(amount, currency)).collect();
    each.join(" and ")
}

/// An amount with its currency, if there is one: `60.00 EUR`, `60.00`.
pub(crate) fn in_currency(amount: &str, currency: &str) -> String {
    format!("{amount} {currency}").trim_end().to_owned()
}

/// Why these costs exceed the limit of a request, if they do. The limit is in the currency of the settings; costs in
/// other currencies cannot be compared with it.
pub(crate) fn too_expensive(
    registry: &Registry,
    toolbox: &Toolbox,
    costs: &BTreeMap<String, String>,
    limit: &str,
) -> Option<Problem> {
    let own = own_currency(registry);
    let over = |(currency, amount): (&String, &String)| *currency != own || exceeds(toolbox, amount, limit);
    costs.iter().any(over).then(|| {
        let (cost, limit) = (cost_in_words(costs), in_currency(limit, &own));
        let message = format!("This would cost {cost}; the limit of the request is {limit}.");
        Problem::new("too_expensive", message)
    })
}

/// Whether a cost exceeds a limit.
fn exceeds(toolbox: &Toolbox, cost: &str, limit: &str) -> bool {
    let parts = json!({"cost": cost, "limit": limit});
    compute(toolbox, &parts, "= if number(cost) > number(limit) then \"yes\" else \"no\"").as_deref() != Some("no")
}

fn compute(toolbox: &Toolbox, parts: &Value, expression: &str) -> Option<String> {
    let binding = Binding::parse(&Value::from(expression)).ok()?;
    let mut evaluation = Evaluation::new(brain_core::Timestamp::default(), toolbox.zone().clone(), b"cost");
    for (name, value) in parts.as_object()? {
        evaluation.set(name, FeelValue::from_json(value));
    }
    evaluation.json(&binding).ok()?.as_str().map(str::to_owned)
}
