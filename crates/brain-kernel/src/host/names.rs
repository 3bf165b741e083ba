//! The evaluation scope of a step's expressions. Steps that a result added see the adding call as their `slots`, and
//! the results of their siblings before all others.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::Failure;
use brain_engine::{PlaybookInput, RunData, RunView};
use brain_lang::binding::Binding;
use brain_lang::feel::Value as FeelValue;
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::model::Behavior;
use brain_tools::Evaluation;
use brain_vm::JobId;
use serde_json::{Map, Value, json};

use super::KernelHost;
use crate::plan;

impl KernelHost {
    /// The evaluation scope of a step. Only the names it uses are prepared.
    pub(super) fn evaluation(
        &self,
        view: RunView<'_>,
        step: &PlanStep,
        job: Option<JobId>,
        binding: &Binding,
    ) -> Result<Evaluation, Failure> {
        self.evaluation_in(view, &view.step_id(step), job, binding)
    }

    /// [`KernelHost::evaluation`] for something inside the view's scope that is not a step.
    pub(super) fn evaluation_in(
        &self,
        view: RunView<'_>,
        id: &str,
        job: Option<JobId>,
        binding: &Binding,
    ) -> Result<Evaluation, Failure> {
        let seed =
            [view.run.as_uuid().as_bytes().as_slice(), id.as_bytes(), &job.map_or(0, |job| job.item).to_be_bytes()]
                .concat();
        let settings = self.toolbox().settings().pinned(view.settings)?;
        let mut evaluation = Evaluation::new(view.now, settings.zone.clone(), &seed);
        let data = view.data;
        let path = Some(view.path).filter(|path| !path.is_empty());
        let paths = binding.paths();
        let mut named: Vec<&String> = paths.iter().filter_map(|path| path.first()).collect();
        named.dedup();
        for name in named {
            let value = match name.as_str() {
                "settings" => settings.values.clone(),
                "slots" | "input" => self.slots(view, path),
                "roles" => self.roles(data, path),
                "state" => self.state(view, &paths),
                "steps" => self.steps(view, path, &paths),
                "item" => item(data, path, job)
                    .map_or(FeelValue::Null, |(value, _)| FeelValue::from_json(&self.whole(view.scope, value))),
                "index" => FeelValue::from_json(&json!(item(data, path, job).map(|(_, index)| index + 1))),
                _ => continue,
            };
            evaluation.set(name, value);
        }
        Ok(evaluation)
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
                let PlaybookInput { slots, schema, placeholders, .. } =
                    data.input.playbook().cloned().unwrap_or_default();
                (slots, schema, placeholders)
            }
        };
        for (slot, field) in &placeholders {
            let prefix = path.map_or_else(String::new, |path| format!("{path}/"));
            let made = data.steps.get(&format!("{prefix}{}", plan::step_id(slot)));
            if let (Some(made), Some(field), Some(map)) = (made, field.as_str(), slots.as_object_mut()) {
                map.insert(slot.clone(), made[field].clone());
            }
        }
        FeelValue::from_typed_json(&self.whole(view.scope, slots), &schema)
    }

    /// `steps.ID.result` for the finished steps in the paths, with only those parts of their results that the paths
    /// read.
    fn steps(&self, view: RunView<'_>, path: Option<&str>, paths: &[Vec<String>]) -> FeelValue {
        let results = &view.data.steps;
        let wanted = Wanted::of(paths, "steps");
        let prefix = path.map(|path| format!("{path}/"));
        let mut entries: BTreeMap<String, FeelValue> = BTreeMap::new();
        let mut add = |id: &str, result: &Value| {
            let Some(parts) = wanted.parts_of(id) else { return };
            // After the id comes `result`, then the path into it.
            let parts: Vec<&[String]> = parts.into_iter().map(|part| part.get(1..).unwrap_or_default()).collect();
            let result = FeelValue::from_json(&self.whole(view.scope, pick(result, &parts)));
            entries.insert(id.to_owned(), FeelValue::context(BTreeMap::from([("result", result)])));
        };
        match wanted.names() {
            Some(ids) => {
                for id in ids {
                    // A sibling shadows a step of the same name outside.
                    let inside = prefix.as_ref().and_then(|prefix| results.get(&format!("{prefix}{id}")));
                    if let Some(result) = inside.or_else(|| results.get(id)) {
                        add(id, result);
                    }
                }
            }
            None => {
                results.iter().for_each(|(id, result)| add(id, result));
                if let Some(prefix) = &prefix {
                    let inside = results.range(prefix.clone()..).take_while(|(id, _)| id.starts_with(prefix));
                    inside.for_each(|(id, result)| add(&id[prefix.len()..], result));
                }
            }
        }
        FeelValue::context(entries)
    }

    /// The fields of the state that the paths name.
    fn state(&self, view: RunView<'_>, paths: &[Vec<String>]) -> FeelValue {
        let state = &view.data.state;
        let wanted = Wanted::of(paths, "state");
        let fields = match wanted.names() {
            Some(names) => {
                names.into_iter().filter_map(|name| Some((name.to_owned(), state.get(name)?.clone()))).collect()
            }
            None => state.clone(),
        };
        FeelValue::from_json(&self.whole(view.scope, Value::Object(fields)))
    }

    /// The placeholders that a playbook needed when a tool expanded to it with these arguments.
    fn placeholders(&self, tool: &ToolRef, args: &Value) -> Map<String, Value> {
        let Ok(tool) = self.tool(tool) else { return Map::new() };
        let Behavior::Playbook(behavior) = &tool.def.behavior else { return Map::new() };
        match behavior.definition.as_deref() {
            Some(playbook) if !playbook.rules.is_empty() => {
                let checked = plan::check_slots(self.toolbox().registry(), playbook, args.clone());
                checked.map(|(_, placeholders)| placeholders.to_map()).unwrap_or_default()
            }
            _ => Map::new(),
        }
    }

    fn roles(&self, data: &RunData, path: Option<&str>) -> FeelValue {
        let Some((job, tool)) = path.and_then(|path| data.fragments.get(path)) else {
            return FeelValue::from_json(data.input.playbook().map_or(&Value::Null, |playbook| &playbook.roles));
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

/// What paths read below one name: everything, or certain parts.
struct Wanted<'p> {
    /// The rest of each path after the name.
    rests: Vec<&'p [String]>,
}

impl<'p> Wanted<'p> {
    fn of(paths: &'p [Vec<String>], name: &str) -> Self {
        let rests = paths.iter().filter(|path| path.first().is_some_and(|first| first == name)).map(|path| &path[1..]);
        Self { rests: rests.collect() }
    }

    /// The properties that are read; `None`: all of them.
    fn names(&self) -> Option<BTreeSet<&'p str>> {
        self.rests.iter().map(|rest| rest.first().map(String::as_str)).collect()
    }

    /// What is read below one property; `None`: nothing.
    fn parts_of(&self, name: &str) -> Option<Vec<&'p [String]>> {
        let all = self.rests.iter().any(|rest| rest.is_empty());
        let parts: Vec<&[String]> = self
            .rests
            .iter()
            .filter(|rest| rest.first().is_some_and(|first| first == name))
            .map(|rest| &rest[1..])
            .collect();
        match (all, parts.is_empty()) {
            (true, _) => Some(vec![&[]]),
            (false, true) => None,
            (false, false) => Some(parts),
        }
    }
}

/// A copy of a value with only the fields on these paths; other values are copied whole.
fn pick(value: &Value, paths: &[&[String]]) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    // A reference to a large value replaces all of it.
    if paths.iter().any(|path| path.is_empty()) || fields.contains_key("$blob") {
        return value.clone();
    }
    let mut picked = serde_json::Map::new();
    for name in paths.iter().filter_map(|path| path.first()) {
        if let (Some(field), false) = (fields.get(name), picked.contains_key(name)) {
            let below: Vec<&[String]> =
                paths.iter().filter(|path| path.first() == Some(name)).map(|path| &path[1..]).collect();
            picked.insert(name.clone(), pick(field, &below));
        }
    }
    Value::Object(picked)
}

/// The `foreach` item of a job: its own, or that of the step that added it.
fn item(data: &RunData, path: Option<&str>, job: Option<JobId>) -> Option<(Value, u32)> {
    let own = job.and_then(|job| Some((data.items.get(&job.at())?.get(job.item as usize)?.clone(), job.item)));
    own.or_else(|| {
        let path = path?;
        let (job, _) = data.fragments.get(path)?;
        item(data, path.rsplit_once('/').map(|(outer, _)| outer), Some(*job))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_paths_name_is_copied() {
        let paths = [path("steps.a.result.id"), path("steps.a.result.lead.name"), path("steps.b"), path("now")];
        let wanted = Wanted::of(&paths, "steps");
        assert_eq!(wanted.names(), Some(BTreeSet::from(["a", "b"])));
        assert_eq!(wanted.parts_of("c"), None);
        assert_eq!(wanted.parts_of("b"), Some(vec![&[] as &[String]]));
        assert_eq!(Wanted::of(&[path("steps")], "steps").names(), None, "all of them");
        let value = json!({"id": 1, "lead": {"name": "Bob", "phone": "1"}, "large": "x"});
        let (id, name) = (path("id"), path("lead.name"));
        assert_eq!(pick(&value, &[&id, &name]), json!({"id": 1, "lead": {"name": "Bob"}}));
        assert_eq!(pick(&value, &[&id, &[]]), value);
        assert_eq!(pick(&json!([1]), &[&id]), json!([1]), "a list is read as a whole");
    }
}
