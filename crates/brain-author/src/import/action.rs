//! Converts an action of an action registry to a tool.

use std::collections::BTreeMap;

use super::Notes;
use super::action_http::how;
use super::naming::{phrases, snake, title};
use super::param::{Param, inputs, params};
use super::source::{entries, flag, shown, text, text_of, texts};
use super::writer::{Map, Yaml, list, map, raw};
use brain_registry::yaml::Node;

/// Known keys of an action; others are listed in the report.
const KNOWN: [&str; 33] = [
    "action_id",
    "action_name",
    "description",
    "category",
    "display_name",
    "synonyms",
    "params_required",
    "params_optional",
    "param_validation",
    "eligibility_criteria",
    "blockers",
    "dependencies",
    "opposites",
    "timeout_seconds",
    "estimated_duration_seconds",
    "retry_policy",
    "rollback_possible",
    "rollback_action_id",
    "requires_user_acknowledgement",
    "acknowledgement_timeout_seconds",
    "execution_type",
    "api_endpoint",
    "api_method",
    "api_auth_type",
    "workflow_id",
    "sequence_id",
    "triggers_workflow",
    "success_criteria",
    "failure_criteria",
    "priority",
    "is_active",
    "name",
    "id",
];

/// An action with its names.
pub(super) struct Action<'n> {
    pub(super) node: &'n Node,
    /// Its id in the registry.
    pub(super) id: String,
    pub(super) domain: String,
    pub(super) name: String,
    pub(super) params: Vec<Param>,
}

/// The result of converting an action.
pub(super) struct Made {
    pub(super) tool: Map,
    pub(super) host: Option<String>,
}

impl<'n> Action<'n> {
    /// Reads names and parameters. `None` if it has no id.
    pub(super) fn read(node: &'n Node, notes: &mut Notes) -> Option<Self> {
        let id = ["action_id", "id", "action_name", "name"].iter().find_map(|key| text_of(node, key))?;
        notes.about(&id);
        let (first, rest) = id.split_once('.').map_or((None, id.as_str()), |(domain, name)| (Some(domain), name));
        let word = || id.split(['_', '-', ' ']).next().unwrap_or("actions").to_owned();
        let domain = first.map(str::to_owned).or_else(|| text_of(node, "category")).unwrap_or_else(word);
        let (domain, name) = (snake(&domain), snake(rest));
        let params = params(node, notes);
        Some(Self { node, id, domain, name, params })
    }

    /// The tool's name.
    pub(super) fn full(&self) -> String {
        format!("{}.{}", self.domain, self.name)
    }

    /// Its title for people.
    pub(super) fn title(&self) -> String {
        let name = ["display_name", "action_name"].iter().find_map(|key| text_of(self.node, key));
        name.unwrap_or_else(|| title(&self.id))
    }

    fn required(&self) -> Vec<String> {
        self.params.iter().filter(|param| param.required).map(|param| param.ours.clone()).collect()
    }

    /// The tool. `all` are the file's actions by id; `taken` the phrases of earlier tools.
    pub(super) fn tool(&self, all: &BTreeMap<String, &Action<'_>>, taken: &mut Vec<String>, notes: &mut Notes) -> Made {
        notes.about(&self.id);
        for (key, value) in entries(Some(self.node)).filter(|(key, _)| !KNOWN.contains(key)) {
            notes.add(key, format!("`{}` is not recognised; dropped", shown(value)));
        }
        let mut tool = Map::open();
        tool.set("title", self.title());
        if let Some(text) = text_of(self.node, "description") {
            tool.set("description", text);
        }
        tool.set("input", inputs(&self.params));
        self.words(&mut tool, taken, notes);
        let how = how(self.node, &self.id, &self.domain, &self.params, notes);
        tool.set("behavior", how.behavior);
        if let Some(effect) = how.effect {
            tool.set("effect", effect);
        }
        self.undo(&mut tool, all, how.effect, notes);
        self.eligibility(&mut tool, notes);
        self.constraints(&mut tool, all, notes);
        self.execution(&mut tool, notes);
        Made { tool, host: how.host }
    }

    /// Phrases and synonyms.
    fn words(&self, tool: &mut Map, taken: &mut Vec<String>, notes: &mut Notes) {
        let synonyms = texts(self.node.get("synonyms"));
        let names = ["display_name", "action_name"].iter().filter_map(|key| text_of(self.node, key));
        let names: Vec<String> = names.chain(synonyms.iter().cloned()).collect();
        for name in names.iter().map(|name| super::naming::words(name)).filter(|name| taken.contains(name)) {
            if synonyms.iter().any(|synonym| super::naming::words(synonym) == name) {
                notes.add("synonyms", format!("“{name}” is already a phrase of another tool, so it was not added"));
            }
        }
        let phrases = phrases(names.iter().map(String::as_str), &self.required(), taken);
        if !phrases.is_empty() {
            tool.set("phrases", list(phrases.iter().map(String::as_str)));
        }
        if !synonyms.is_empty() {
            tool.set("synonyms", list(synonyms.iter().map(String::as_str)));
        }
    }

    fn undo(&self, tool: &mut Map, all: &BTreeMap<String, &Action<'_>>, effect: Option<&str>, notes: &mut Notes) {
        let possible = flag(self.node.get("rollback_possible"));
        let by = text_of(self.node, "rollback_action_id");
        match (by.as_ref().and_then(|by| all.get(by)), by, possible) {
            (_, by, Some(false)) => {
                if let Some(by) = by {
                    let note = format!("`{by}`, but `rollback_possible` is false; it has no undo");
                    notes.add("rollback_action_id", note);
                }
                if effect != Some("read") {
                    tool.set("undo", map([("cannot", "It cannot be rolled back.".into())]));
                }
            }
            (Some(back), ..) => {
                let mut args = Map::default();
                for param in back.params.iter().filter(|param| param.required) {
                    let ours = self.params.iter().any(|one| one.ours == param.ours);
                    if !ours {
                        let note = format!(
                            "`{}` needs `{}`, which is assumed to be in the result: please check",
                            back.id, param.ours
                        );
                        notes.add("rollback_action_id", note);
                    }
                    args.set(&param.ours, format!("= {}.{}", if ours { "input" } else { "result" }, param.ours));
                }
                tool.set("undo", map([("tool", back.full().into()), ("args", args.into())]));
            }
            (None, Some(by), _) => {
                notes.add(
                    "rollback_action_id",
                    format!("`{by}` is not an active action in this file; write `undo` by hand"),
                );
                tool.comment(format!("undo: {by} was not imported"));
            }
            (None, None, Some(true)) => notes.add("rollback_possible", "true, but no rollback action is named"),
            (None, None, _) => {}
        }
    }

    fn eligibility(&self, tool: &mut Map, notes: &mut Notes) {
        for (key, value) in entries(self.node.get("eligibility_criteria")) {
            match key {
                "user_tier" => tool.set("tiers", list(texts(Some(value)).iter().map(String::as_str))),
                "requires_auth" => notes.add(
                    "eligibility_criteria",
                    format!(
                        "`requires_auth: {}` is not needed: HTTP callers are already authenticated; restrict a tool with `permission`",
                        shown(value)
                    ),
                ),
                "schema_dependencies" => {
                    let needs = needs(value, notes);
                    tool.set("needs", list(needs.iter().map(String::as_str)));
                }
                other => notes.add(
                    "eligibility_criteria",
                    format!("`{other}: {}` has no equivalent in a pack; dropped", shown(value)),
                ),
            }
        }
    }

    fn constraints(&self, tool: &mut Map, all: &BTreeMap<String, &Action<'_>>, notes: &mut Notes) {
        let blockers: Vec<String> = texts(self.node.get("blockers")).iter().map(|one| snake(one)).collect();
        if !blockers.is_empty() {
            tool.set("blockers", list(blockers.iter().map(String::as_str)));
        }
        for key in ["dependencies", "opposites"] {
            let mut known = Vec::new();
            for id in texts(self.node.get(key)) {
                match all.get(&id).filter(|other| other.id != self.id) {
                    Some(other) => known.push(other.full()),
                    None => notes.add(key, format!("`{id}` is not an active action in this file; dropped")),
                }
            }
            if !known.is_empty() {
                tool.set(key, list(known.iter().map(String::as_str)));
            }
        }
    }

    fn execution(&self, tool: &mut Map, notes: &mut Notes) {
        let seconds = |key: &str| text_of(self.node, key).map(|text| (duration(&text), text));
        for (key, ours) in [("timeout_seconds", "timeout")] {
            match seconds(key) {
                Some((Some(length), _)) => tool.set(ours, length),
                Some((None, text)) => notes.add(key, format!("`{text}` is not a number of seconds")),
                None => {}
            }
        }
        if let Some(text) = text_of(self.node, "estimated_duration_seconds") {
            notes.add("estimated_duration_seconds", format!("{text}: kept as a comment"));
            tool.comment(format!("It takes about {text} s."));
        }
        if let Some(retry) = self.node.get("retry_policy").filter(|node| node.as_map().is_some()) {
            tool.set("retry", retries(retry, notes));
        }
        let within = seconds("acknowledgement_timeout_seconds");
        if flag(self.node.get("requires_user_acknowledgement")) == Some(true) {
            let about = text_of(self.node, "description")
                .unwrap_or_else(|| self.title())
                .replace("{{", "{ {")
                .replace("{%", "{ %");
            let mut acknowledge = Map::default();
            acknowledge.set("text", about);
            if let Some(length) = within.and_then(|(length, _)| length) {
                acknowledge.set("within", length);
            }
            tool.set("acknowledge", acknowledge);
        } else if within.is_some() {
            notes.add("acknowledgement_timeout_seconds", "no acknowledgement is required, so the timeout was dropped");
        }
        if let Some(priority) = text_of(self.node, "priority") {
            match rank(&priority) {
                Some(rank) => tool.set("priority", raw(rank)),
                None => notes.add("priority", format!("`{priority}` is not recognised; the default priority was used")),
            }
        }
        if flag(self.node.get("triggers_workflow")) == Some(true) {
            notes.add("triggers_workflow", "this action starts a workflow; request the workflow's playbook instead");
        }
    }
}

/// Keys of user data: `profile.email`.
fn needs(node: &Node, notes: &mut Notes) -> Vec<String> {
    let mut needs = Vec::new();
    for (schema, rules) in entries(Some(node)) {
        let keys = texts(rules.get("required_keys"));
        if keys.is_empty() {
            needs.push(schema.to_owned());
        }
        needs.extend(keys.iter().map(|key| format!("{schema}.{key}")));
        for (key, value) in entries(Some(rules)) {
            // `needs` means that all of them are complete.
            let usual = key == "required_keys" || (key == "all_must_be" && text(value).as_deref() == Some("complete"));
            if !usual {
                notes.add(
                    "eligibility_criteria",
                    format!("`{schema}.{key}: {}` has no equivalent in a pack; dropped", shown(value)),
                );
            }
        }
    }
    needs
}

fn retries(node: &Node, notes: &mut Notes) -> Yaml {
    let mut retry = Map::default();
    for (key, value) in entries(Some(node)) {
        let given = shown(value);
        match (key, given.parse::<u32>().ok(), duration(&given)) {
            // Attempts are one more than retries.
            ("max_retries", Some(count), _) => retry.set("attempts", raw((count + 1).min(100))),
            ("backoff_strategy", ..) if ["fixed", "linear", "exponential"].contains(&given.as_str()) => {
                retry.set("backoff", given)
            }
            ("backoff_strategy", ..) if given == "constant" => retry.set("backoff", "fixed"),
            ("initial_delay_seconds", _, Some(length)) => retry.set("delay", length),
            ("max_delay_seconds", _, Some(length)) => retry.set("max_delay", length),
            ("retry_on_errors", ..) => notes.add(
                "retry_policy",
                format!(
                    "`retry_on_errors: {given}` was dropped: Brain retries calls that certainly did not happen; for \
                     calls with an unknown outcome, `idempotency` decides"
                ),
            ),
            _ => notes.add("retry_policy", format!("`{key}: {given}` has no equivalent in a pack; dropped")),
        }
    }
    retry.into()
}

/// Seconds as a duration; parts of seconds in milliseconds.
fn duration(seconds: &str) -> Option<String> {
    let number: f64 = seconds.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite())?;
    if number.fract() == 0.0 { Some(format!("{number:.0}s")) } else { Some(format!("{:.0}ms", number * 1000.0)) }
}

fn rank(priority: &str) -> Option<u8> {
    match priority.to_lowercase().as_str() {
        "critical" | "urgent" | "highest" => Some(10),
        "high" => Some(8),
        "medium" | "normal" => Some(5),
        "low" => Some(3),
        "lowest" => Some(1),
        number => number.parse().ok().filter(|number| (1..=10).contains(number)),
    }
}
