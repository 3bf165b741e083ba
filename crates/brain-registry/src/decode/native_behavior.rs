//! `{native: FUNCTION}`: a Rust function.

use super::Context;
use crate::code::Code;
use crate::model::Behavior;
use crate::suggest::did_you_mean;
use crate::yaml::Node;

/// `FUNCTION`, which must be registered.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node) -> Option<Behavior> {
    let name = cx.text(node, "`native`")?;
    if let Some(known) = cx.natives.iter().find(|native| native.name == name) {
        return Some(known.behavior());
    }
    let names = cx.natives.iter().map(|native| native.name.as_str());
    let near = did_you_mean(&name, names).map(|text| format!("{text} ")).unwrap_or_default();
    let help = format!("{near}native functions are registered by the program that embeds Brain, before it loads packs");
    cx.report(Code::UnknownFunction, node.span, format!("there is no native function `{name}`"), Some(help));
    None
}
