//! Groups: members exist, and roles can be filled.

use serde_json::Value;

use super::records::{field, unknown_record};
use crate::code::Code;
use crate::decode::Context;
use crate::located::Located;
use crate::model::{GroupDef, RecordDef};
use crate::suggest::{did_you_mean, quoted};
use crate::world::World;
use crate::yaml::Node;

/// Checks the group declaration of a record type.
pub(super) fn group(cx: &mut Context<'_>, world: &World, record: &Located<RecordDef>) {
    let Some(group) = &record.value.group else { return };
    let at = |key: &str| record.at(&["group", key]).span;
    let Some(members) = world.record(&group.members) else {
        return unknown_record(cx, world, &group.members, at("members"));
    };
    if field(cx, members, &group.of, at("of")) && points_to(members, &group.of) != Some(record.value.name.as_str()) {
        let message = format!("`{}` of `{}` does not point to a `{}`", group.of, members.name, record.value.name);
        let help = format!("declare it there: `{}: {{entity: {}}}`", group.of, record.value.name);
        cx.report(Code::BadAttribute, at("of"), message, Some(help));
    }
    if let Some(entity) = &group.entity
        && field(cx, members, entity, at("entity"))
        && points_to(members, entity).is_none()
    {
        let message = format!("`{entity}` of `{}` points to no record", members.name);
        let help = format!("declare its record type: `{entity}: {{entity: TYPE}}`, or leave `entity` out");
        cx.report(Code::BadAttribute, at("entity"), message, Some(help));
    }
    for (key, name) in [("role", &group.role), ("jurisdiction", &group.jurisdiction)] {
        if let Some(name) = name {
            field(cx, members, name, at(key));
        }
    }
}

fn points_to<'a>(record: &'a RecordDef, name: &str) -> Option<&'a str> {
    record.field(name)?.reference.as_deref()
}

/// Checks the role that an input asks for: some group leads to such records, and its members can have the role.
pub(super) fn anchor(cx: &mut Context<'_>, world: &World, node: &Node, name: &str, property: &Value) {
    let (Some(role), Some(entity)) = (property["x-anchor"].as_str(), property["x-entity"].as_str()) else { return };
    let span = node.nearest([name, "anchor"]).span;
    let leads =
        |group: &&GroupDef| world.record(&group.members).is_some_and(|members| group.acting(members) == Some(entity));
    let mut groups = world.records.iter().filter_map(|record| record.value.group.as_ref()).filter(leads).peekable();
    if groups.peek().is_none() {
        let message = format!("no group leads to a `{entity}`");
        let help = "a record type is a group if it declares its members: `group: {members: TYPE, of: FIELD}`";
        return cx.report(Code::BadAttribute, span, message, Some(help.into()));
    }
    let mut known: Vec<&str> = Vec::new();
    for group in groups {
        let field = world.record(&group.members).and_then(|members| members.field(group.role.as_deref()?));
        // Any text is possible for a free-text role.
        let Some(values) = field.and_then(|field| field.schema["enum"].as_array()) else { return };
        known.extend(values.iter().filter_map(Value::as_str));
    }
    if !known.contains(&role) {
        let help = did_you_mean(role, known.iter().copied()).unwrap_or_else(|| format!("roles are {}", quoted(&known)));
        cx.report(Code::BadAttribute, span, format!("no member of a group has the role `{role}`"), Some(help));
    }
}
