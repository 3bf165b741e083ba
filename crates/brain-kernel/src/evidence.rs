//! How a stored reading refers to the message of its request instead of repeating it.

use serde_json::{Map, Value};

/// Removes the values of slots that occur word for word at their span of the message.
pub(crate) fn by_reference(evidence: &mut Value, message: &str) {
    each_slot(evidence, &mut |slot| {
        if slot.get("value").and_then(Value::as_str).is_some_and(|value| said(slot, message) == Some(value)) {
            slot.remove("value");
        }
    });
}

/// A stored reading with the values of all its slots.
pub(crate) fn restored(mut evidence: Value, message: &str) -> Value {
    each_slot(&mut evidence, &mut |slot| {
        if !slot.contains_key("value")
            && let Some(value) = said(slot, message).map(Value::from)
        {
            slot.insert("value".into(), value);
        }
    });
    evidence
}

/// The text at the span of a slot.
pub(crate) fn said<'m>(slot: &Map<String, Value>, message: &'m str) -> Option<&'m str> {
    let span = slot.get("span")?;
    let end = |name: &str| usize::try_from(span[name].as_u64()?).ok();
    message.get(end("start")?..end("end")?)
}

fn each_slot(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(map) if map.contains_key("name") && map.contains_key("span") => change(map),
        Value::Object(map) => map.values_mut().for_each(|inner| each_slot(inner, change)),
        Value::Array(items) => items.iter_mut().for_each(|item| each_slot(item, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_the_message_holds_are_stored_as_spans_and_come_back() {
        let message = "pay Zoë 5 euro";
        let slot = |name: &str, value: Value, start: usize, end: usize| json!({"name": name, "value": value, "span": {"start": start, "end": end}});
        let whole = json!({"intents": [{"slots": [slot("who", json!("Zoë"), 4, 8), slot("amount", json!("5.00"), 9, 15), slot("odd", json!("x"), 6, 99)]}]});
        let mut stored = whole.clone();
        by_reference(&mut stored, message);
        assert_eq!(stored["intents"][0]["slots"][0].get("value"), None);
        assert_eq!(stored["intents"][0]["slots"][1]["value"], "5.00", "a value that differs from the text is kept");
        assert_eq!(restored(stored, message), whole);
    }
}
