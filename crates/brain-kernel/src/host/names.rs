//! What the expressions of a step see. Steps that a result brought along see the call that did so as their `slots`, and
//! the results of their siblings before those of everyone else.

use std::collections::BTreeMap;

use brain_engine::{RunData, RunView};
use brain_lang::binding::Binding;
use brain_lang::feel::Value as FeelValue;
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::model::Behavior;
use brain_tools::Evaluation;
use brain_vm::JobId;
use serde_json::{Value, json};

use super::KernelHost;
use crate::plan;

impl KernelHost {
    /// What the expressions of a step see. Only what they name is prepared.
    pub(super) fn evaluation(
        &self,
        view: RunView<'_>,
        step: &PlanStep,
        job: Option<JobId>,
        binding: &Binding,
    ) -> Evaluation {
        self.evaluation_in(view, &view.step_id(step), job, binding)
    }

    /// [`KernelHost::evaluation`] for something inside the view's scope that is no step of it.
    pub(super) fn evaluation_in(
        &self,
        view: RunView<'_>,
        id: &str,
        job: Option<JobId>,
        binding: &Binding,
    ) -> Evaluation {
        let seed =
            [view.run.as_uuid().as_bytes().as_slice(), id.as_bytes(), &job.map_or(0, |job| job.item).to_be_bytes()]
                .concat();
        let mut evaluation = Evaluation::new(view.now, self.toolbox.zone().clone(), &seed);
        let data = view.data;
        let path = Some(view.path).filter(|path| !path.is_empty());
        let mut named: Vec<String> = binding.paths().into_iter().filter_map(|path| path.into_iter().next()).collect();
        named.sort_unstable();
        named.dedup();
        for name in named {
            let value = match name.as_str() {
                "settings" => self.toolbox.settings().clone(),
                "calls" => FeelValue::from_json(&self.whole(view.scope, data.input["calls"].clone())),
                "slots" | "input" => self.slots(view, path),
                "roles" => self.roles(data, path),
                "state" => FeelValue::from_json(&self.whole(view.scope, Value::Object(data.state.clone()))),
                "steps" => self.steps(view, path),
                "item" => item(data, path, job)
                    .map_or(FeelValue::Null, |(value, _)| FeelValue::from_json(&self.whole(view.scope, value))),
                "index" => FeelValue::from_json(&json!(item(data, path, job).map(|(_, index)| index + 1))),
                _ => continue,
            };
            evaluation.set(&name, value);
        }
        evaluation
    }

    fn slots(&self, view: RunView<'_>, path: Option<&str>) -> FeelValue {
        let data = view.data;
        let fragment = path.and_then(|path| data.fragments.get(path));
        let (mut slots, schema, placeholders) = match fragment {
            Some((job, tool)) => {
                let args = data.args.get(job).cloned().unwrap_or(Value::Null);
                let schema = self.tool(tool).map_or(Value::Null, |tool| tool.def.input.clone());
                let placeholders = self.placeholders(tool, &args);
                (args, schema, placeholders)
            }
            None => {
                (data.input["slots"].clone(), data.input["slots_schema"].clone(), data.input["placeholders"].clone())
            }
        };
        for (slot, field) in placeholders.as_object().into_iter().flatten() {
            let prefix = path.map_or_else(String::new, |path| format!("{path}/"));
            let made = data.steps.get(&format!("{prefix}{}", plan::step_id(slot)));
            if let (Some(made), Some(field), Some(map)) = (made, field.as_str(), slots.as_object_mut()) {
                map.insert(slot.clone(), made[field].clone());
            }
        }
        FeelValue::from_typed_json(&self.whole(view.scope, slots), &schema)
    }

    /// `steps.ID.result` for every finished step.
    fn steps(&self, view: RunView<'_>, path: Option<&str>) -> FeelValue {
        let results = &view.data.steps;
        let entry = |result: &Value| {
            let result = FeelValue::from_json(&self.whole(view.scope, result.clone()));
            FeelValue::context(BTreeMap::from([("result", result)]))
        };
        let mut entries: BTreeMap<String, FeelValue> =
            results.iter().map(|(id, result)| (id.clone(), entry(result))).collect();
        if let Some(path) = path {
            let prefix = format!("{path}/");
            let inside = results.range(prefix.clone()..).take_while(|(id, _)| id.starts_with(&prefix));
            for (id, result) in inside {
                entries.insert(id[prefix.len()..].to_owned(), entry(result));
            }
        }
        FeelValue::context(entries)
    }

    /// The stand-ins that a playbook needed when a tool expanded to it with these arguments.
    fn placeholders(&self, tool: &ToolRef, args: &Value) -> Value {
        let Ok(tool) = self.tool(tool) else { return Value::Null };
        let Behavior::Playbook(behavior) = &tool.def.behavior else { return Value::Null };
        match behavior.definition.as_deref() {
            Some(playbook) if !playbook.rules.is_empty() => {
                let checked = plan::check_slots(self.toolbox.registry(), playbook, args.clone());
                checked.map_or(Value::Null, |(_, placeholders)| placeholders.to_json())
            }
            _ => Value::Null,
        }
    }

    fn roles(&self, data: &RunData, path: Option<&str>) -> FeelValue {
        let Some((job, tool)) = path.and_then(|path| data.fragments.get(path)) else {
            return FeelValue::from_json(&data.input["roles"]);
        };
        let list = self.tool(tool).ok().and_then(|tool| match &tool.def.behavior {
            Behavior::Playbook(behavior) => {
                let playbook = behavior.definition.as_deref()?;
                Some(plan::roles(playbook, data.args.get(job)?))
            }
            _ => None,
        });
        FeelValue::from_json(&list.unwrap_or_else(|| json!([])))
    }
}

/// The item of a `foreach` that a job is about: its own, or that of the step that brought it along.
fn item(data: &RunData, path: Option<&str>, job: Option<JobId>) -> Option<(Value, u32)> {
    let own = job.and_then(|job| Some((data.items.get(&job.at())?.get(job.item as usize)?.clone(), job.item)));
    own.or_else(|| {
        let path = path?;
        let (job, _) = data.fragments.get(path)?;
        item(data, path.rsplit_once('/').map(|(outer, _)| outer), Some(*job))
    })
}
