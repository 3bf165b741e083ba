//! The tree as JSON.

use serde_json::Value;

use super::{Node, NodeValue, Resolved, resolve};

/// The JSON value of a node. Whole numbers become JSON integers; other numbers become exact text, because a JSON
/// number would pass through a float.
pub fn to_json(node: &Node) -> Value {
    match &node.value {
        NodeValue::Scalar(scalar) => match resolve(scalar) {
            Resolved::Null => Value::Null,
            Resolved::Bool(flag) => Value::Bool(flag),
            Resolved::Integer(number) => Value::from(number),
            Resolved::Decimal(text) | Resolved::Text(text) => Value::String(text),
        },
        NodeValue::Seq(items) => items.iter().map(to_json).collect(),
        NodeValue::Map(entries) => entries.iter().map(|(key, node)| (key.text.clone(), to_json(node))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::parse;

    #[test]
    fn a_document_becomes_json_without_losing_a_digit() {
        let node = parse("a: 1\nb: 0.10\nc: [true, ~, '2']\nd: {e: yes}\n").unwrap();
        assert_eq!(to_json(&node), json!({"a": 1, "b": "0.10", "c": [true, null, "2"], "d": {"e": "yes"}}));
    }
}
