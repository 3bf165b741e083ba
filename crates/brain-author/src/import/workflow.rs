//! Actions of the same workflow become a playbook, in their order.

use std::collections::BTreeMap;

use super::Notes;
use super::action::Action;
use super::naming::{phrases, snake, title};
use super::source::text_of;
use super::writer::{Map, Yaml, document, list, map};

/// The playbooks: their file names and texts.
pub(super) fn playbooks(actions: &[Action<'_>], taken: &mut Vec<String>, notes: &mut Notes) -> Vec<(String, String)> {
    let mut flows: BTreeMap<String, Vec<(f64, &Action<'_>)>> = BTreeMap::new();
    for action in actions {
        let Some(flow) = text_of(action.node, "workflow_id") else {
            if text_of(action.node, "sequence_id").is_some() {
                notes.about(&action.id);
                notes.add("sequence_id", "there is no `workflow_id` to go with it; dropped");
            }
            continue;
        };
        let place = text_of(action.node, "sequence_id").and_then(|text| text.parse().ok());
        let steps = flows.entry(flow).or_default();
        notes.about(&action.id);
        match place {
            None => notes.add("sequence_id", "missing or not a number: it comes last in its workflow"),
            Some(place) if steps.iter().any(|(other, _)| *other == place) => {
                notes.add("sequence_id", format!("{place} appears twice; one comes after the other"));
            }
            Some(_) => {}
        }
        steps.push((place.unwrap_or(f64::INFINITY), action));
    }
    let mut files = Vec::new();
    for (flow, mut steps) in flows {
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let steps: Vec<&Action<'_>> = steps.into_iter().map(|(_, action)| action).collect();
        files.push(playbook(&flow, &steps, actions, taken));
    }
    files
}

fn playbook(flow: &str, steps: &[&Action<'_>], all: &[Action<'_>], taken: &mut Vec<String>) -> (String, String) {
    let domain = steps.first().map_or("flows", |first| first.domain.as_str());
    let mut name = snake(flow);
    if all.iter().any(|action| action.domain == domain && action.name == name) {
        name.push_str("_flow");
    }
    // A slot for each input. If two steps use one name for different things, the later one is renamed.
    let mut slots: Vec<(String, Yaml, bool)> = Vec::new();
    let mut done = Vec::new();
    for (index, action) in steps.iter().enumerate() {
        let id = if steps[..index].iter().any(|other| other.name == action.name) {
            format!("{}_{}", action.name, action.domain)
        } else {
            action.name.clone()
        };
        let mut args = Map::default();
        let mut renamed = false;
        for param in &action.params {
            let same = slots.iter_mut().find(|(slot, ..)| *slot == param.ours);
            let slot = match same {
                Some((_, field, _)) if *field != param.field => {
                    renamed = true;
                    let own = format!("{id}_{}", param.ours);
                    slots.push((own.clone(), param.field.clone(), param.required));
                    own
                }
                Some(_) => param.ours.clone(),
                None => {
                    slots.push((param.ours.clone(), param.field.clone(), param.required));
                    param.ours.clone()
                }
            };
            args.set(&param.ours, format!("= slots.{slot}"));
        }
        let mut step = Map::default();
        step.set("id", id);
        step.set("tool", action.full());
        if renamed {
            step.set("args", args);
        }
        done.push(Yaml::from(step));
    }
    let required: Vec<String> =
        slots.iter().filter(|(.., required)| *required).map(|(name, ..)| name.clone()).collect();
    let words = title(flow);
    let mut root = Map::open();
    root.set("playbook", format!("{domain}.{name}"));
    root.set("title", words.as_str());
    let phrases = phrases([words.as_str(), &format!("run {words}")], &required, taken);
    if !phrases.is_empty() {
        root.set("phrases", list(phrases.iter().map(String::as_str)));
    }
    let mut fields = Map::open();
    for (name, field, _) in &slots {
        fields.set(name, field.clone());
    }
    if slots.is_empty() {
        root.set("slots", map([]));
    } else {
        root.set("slots", fields);
    }
    root.set("steps", done);
    (format!("playbooks/{name}.yaml"), document(&format!("The workflow `{flow}` of the registry."), root))
}
