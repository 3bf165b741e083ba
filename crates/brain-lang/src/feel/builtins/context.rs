//! Functions on contexts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Builtin, Call, given, repeating, sig};
use crate::feel::eval::Evaluated;
use crate::feel::value::{Context, Value};

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "get value", signatures: &[sig(&["m", "key"], 2), sig(&["context", "key"], 2)], run: get_value },
    Builtin { name: "get entries", signatures: &[sig(&["m"], 1), sig(&["context"], 1)], run: get_entries },
    Builtin { name: "context", signatures: &[sig(&["entries"], 1)], run: context },
    Builtin {
        name: "context put",
        signatures: &[sig(&["context", "key", "value"], 3), sig(&["context", "keys", "value"], 3)],
        run: context_put,
    },
    Builtin { name: "context merge", signatures: &[repeating(&["contexts"], 1)], run: context_merge },
];

/// The entry of a name, or of a path of names.
fn get_value(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let context = given!(call.context(0));
    match call.arg(1) {
        Value::Null => Ok(Value::Null),
        Value::String(key) => Ok(context.get(key).cloned().unwrap_or_default()),
        Value::List(keys) => {
            let mut at = Value::Context(context);
            for key in keys.iter() {
                let Value::String(key) = key else {
                    return Err(call.wrong(1, "a list of strings"));
                };
                at = at.get(key).cloned().unwrap_or_default();
            }
            Ok(at)
        }
        _ => Err(call.wrong(1, "a string or a list of strings")),
    }
}

fn get_entries(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let context = given!(call.context(0));
    call.charge(context.len())?;
    Ok(Value::list(
        context
            .iter()
            .map(|(key, value)| Value::context([("key", Value::String(key.clone())), ("value", value.clone())])),
    ))
}

/// A context from a list of `{key, value}`.
fn context(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let entries = given!(call.list(0));
    call.charge(entries.len())?;
    let mut map: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    for entry in entries.iter() {
        let (Some(Value::String(key)), Some(value)) = (entry.get("key"), entry.get("value")) else {
            return Err(call.wrong(0, "a list of contexts with `key` and `value`"));
        };
        map.insert(key.clone(), value.clone());
    }
    Ok(Value::Context(map.into()))
}

fn context_put(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let context = given!(call.context(0));
    let value = call.arg(2).clone();
    let keys: Vec<Arc<str>> = match call.arg(1) {
        Value::Null => return Ok(Value::Null),
        Value::String(key) => vec![key.clone()],
        Value::List(keys) if !keys.is_empty() => {
            let texts = keys.iter().map(|key| match key {
                Value::String(key) => Ok(key.clone()),
                _ => Err(call.wrong(1, "a list of strings")),
            });
            texts.collect::<Result<_, _>>()?
        }
        _ => return Err(call.wrong(1, "a string or a list of strings")),
    };
    call.charge(context.len() + keys.len())?;
    if keys.len() > crate::feel::MAX_VALUE_DEPTH {
        return Err(call.wrong(1, "a shorter list of keys"));
    }
    Ok(put(Some(&context), &keys, value))
}

/// A copy of a context with a value at a path.
fn put(context: Option<&Context>, keys: &[Arc<str>], value: Value) -> Value {
    let Some((key, rest)) = keys.split_first() else {
        return value;
    };
    let mut map = context.map_or_else(BTreeMap::new, |context| (**context).clone());
    let inner = match map.get(key) {
        Some(Value::Context(inner)) => Some(inner.clone()),
        _ => None,
    };
    map.insert(key.clone(), put(inner.as_ref(), rest, value));
    Value::Context(map.into())
}

/// Merges contexts; later entries win.
fn context_merge(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let contexts = given!(call.items());
    let mut map: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    for context in contexts.iter() {
        match context {
            Value::Null => return Ok(Value::Null),
            Value::Context(context) => {
                call.charge(context.len())?;
                map.extend(context.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => return Err(call.wrong(0, "contexts")),
        }
    }
    Ok(Value::Context(map.into()))
}
