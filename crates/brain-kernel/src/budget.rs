//! Caps on tool calls and money: per run with its child runs, per user and day, per tenant and day. Each cap is an
//! account in the store, and a call is charged to it in the commit that starts it.

use std::collections::BTreeMap;

use brain_core::{Failure, RunId, TenantId};
use brain_engine::{Budget, Charge, JobContext, RunView};
use brain_registry::model::Behavior;
use brain_registry::{Registry, SPAWN_CHILD_RUN, Tool, ValidatedCall};

use crate::eligible;
use crate::host::KernelHost;
use crate::intake::Request;
use crate::narrate::PlannedCall;
use crate::plan::Planned;

/// Daily spending caps in the currency of the settings: decimals as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendCap {
    /// Per user.
    pub per_user: Option<String>,
    /// For the whole tenant.
    pub per_tenant: Option<String>,
}

/// The caps of all tenants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendCaps {
    /// Tenants with their own caps.
    pub tenants: BTreeMap<TenantId, SpendCap>,
    /// The cap of all other tenants.
    pub others: SpendCap,
}

impl SpendCaps {
    fn of(&self, tenant: &TenantId) -> &SpendCap {
        self.tenants.get(tenant).unwrap_or(&self.others)
    }
}

/// The budget of a request, as stored with its run. `None` if no call of it can be charged or counted.
pub(crate) fn budget(
    registry: &Registry,
    request: &Request,
    run: RunId,
    planned: &Planned,
    ceiling: Option<&str>,
) -> Option<Budget> {
    let calls = planned.calls.as_slice();
    let tools = || calls.iter().filter_map(|call| registry.tool(&call.tool));
    let grows = tools().any(|tool| may_grow(tool));
    let costs = tools().any(|tool| tool.def.cost.is_some());
    let lists = calls.iter().any(|call| call.times != Some(1));
    if !grows && !costs && !lists && request.budget.is_none() {
        return None;
    }
    let calls = Some(request.limits.max_tool_calls).filter(|calls| *calls < u32::MAX);
    let cost = ceiling.or(request.limits.max_cost.as_deref()).map(str::to_owned);
    Some(match &request.budget {
        // A child run shares its parent's budget.
        Some(inherited) => {
            let calls = inherited.calls.or(calls);
            let cost = inherited.cost.clone().or(cost);
            Budget { calls, shared: calls.is_some(), cost, ..inherited.clone() }
        }
        None => {
            // Only runs that may start others share an account; all others count for themselves.
            let spawns = tools().any(|tool| may_spawn(tool));
            let (shared, steps) = (calls.is_some() && spawns, spawns.then(|| planned.max_steps()));
            Budget { root: run, actor: request.actor.key().to_owned(), calls, shared, steps, cost }
        }
    })
}

/// Whether a call of a tool may lead to calls that the plan does not show.
fn may_grow(tool: &Tool) -> bool {
    tool.def.may_inject || matches!(tool.def.behavior, Behavior::Decide(_)) || may_spawn(tool)
}

/// Whether a call of a tool may start other runs, itself or through steps that it adds.
fn may_spawn(tool: &Tool) -> bool {
    tool.def.may_inject || matches!(&tool.def.behavior, Behavior::Native(native) if native.function == SPAWN_CHILD_RUN)
}

impl KernelHost {
    /// The charges of a call.
    pub(crate) fn charges_of(
        &self,
        view: RunView<'_>,
        call: &ValidatedCall,
        job: &JobContext,
    ) -> Result<Vec<Charge>, Failure> {
        let budget = view.data.input.budget.as_ref();
        if budget.is_none() && call.tool().def.cost.is_none() {
            return Ok(Vec::new());
        }
        let root = budget.map_or(job.run, |budget| budget.root);
        let mut charges = Vec::new();
        if let Some(limit) = budget.filter(|budget| budget.shared).and_then(|budget| budget.calls) {
            let limit = i64::from(limit);
            let otherwise = format!("This request is limited to {limit} tool calls, including those of child runs.");
            let account = format!("calls of {root}");
            charges.push(Charge { account, amount: 1, limit, code: "too_many_tool_calls", otherwise });
        }
        if let Some(limit) = budget.and_then(|budget| budget.steps) {
            let limit = i64::from(limit);
            let otherwise =
                format!("This would take more than {limit} steps (`max_steps`), including those of child runs.");
            let account = format!("steps of {root}");
            charges.push(Charge { account, amount: 1, limit, code: "max_steps", otherwise });
        }
        if call.tool().def.cost.is_none() {
            return Ok(charges);
        }
        let caps = self.caps().of(view.scope.tenant());
        let day = view.now.to_string().chars().take(10).collect::<String>();
        let actor = budget.map_or("local", |budget| budget.actor.as_str());
        let limits = [
            (budget.and_then(|budget| budget.cost.as_deref()), format!("cost of {root}"), "of the request".to_owned()),
            (caps.per_user.as_deref(), format!("cost of user {actor} on {day}"), format!("of {actor} for {day}")),
            (caps.per_tenant.as_deref(), format!("cost on {day}"), format!("for {day}")),
        ];
        let toolbox = self.toolbox();
        let registry = toolbox.registry();
        let own = eligible::own_currency(registry);
        let planned = PlannedCall {
            tool: call.tool().def.name.clone(),
            step: job.step.clone(),
            input: call.args().clone(),
            times: Some(1),
            conditional: false,
        };
        let costs = eligible::cost(registry, &toolbox, std::slice::from_ref(&planned), 1);
        for (limit, account, whose) in limits {
            let Some(limit) = limit else { continue };
            if let Some(other) = costs.keys().find(|currency| **currency != own) {
                let own = if own.is_empty() { "no currency (`settings: {currency: …}` says which)" } else { &own };
                let message = format!(
                    "`{}` costs {other}, but the limit {whose} is in {own}; the two cannot be compared.",
                    planned.tool
                );
                return Err(Failure::business("cost_estimate_failed", message));
            }
            let amount = costs.get(&own).map_or("0", String::as_str);
            let (Some(amount), Some(most)) = (micros(amount), micros(limit)) else {
                let message = format!("The cost of `{}` cannot be computed.", planned.tool);
                return Err(Failure::business("cost_estimate_failed", message));
            };
            let words = eligible::cost_in_words(&costs);
            let limit = eligible::in_currency(limit, &own);
            let otherwise =
                format!("This would cost {words}, which exceeds what is left of the {limit} limit {whose}.");
            charges.push(Charge { account, amount, limit: most, code: "budget_exceeded", otherwise });
        }
        Ok(charges)
    }
}

/// A decimal in millionths, rounded up; `None` if it is not a decimal, negative, or too large.
fn micros(text: &str) -> Option<i64> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let (kept, rest) = fraction.split_at(fraction.len().min(6));
    let fraction: i64 = format!("{kept:0<6}").parse().ok()?;
    let up = i64::from(rest.bytes().any(|byte| byte != b'0'));
    whole.parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(fraction)?.checked_add(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_counted_exactly() {
        assert_eq!(micros("12.50"), Some(12_500_000));
        assert_eq!(micros("0.0000001"), Some(1), "rounded up");
        assert_eq!(micros("7"), Some(7_000_000));
        for wrong in ["", ".5", "-1", "1e3", "99999999999999999999"] {
            assert_eq!(micros(wrong), None, "{wrong}");
        }
    }
}
