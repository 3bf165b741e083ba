//! `{expr: "= …"}` or `{expr: {result: …}}`: computes from its input.

use super::Context;
use crate::model::ExprBehavior;
use crate::yaml::Node;

pub(super) const KEYS: [&str; 1] = ["result"];

/// Decodes the behavior.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node) -> Option<ExprBehavior> {
    if node.as_map().is_none() {
        return cx.condition(node, "`expr`").map(|result| ExprBehavior { result });
    }
    let fields = cx.fields(node, "`expr`", &KEYS)?;
    let result = fields.need(cx, "result", "`expr`")?;
    cx.binding(result).map(|result| ExprBehavior { result })
}
