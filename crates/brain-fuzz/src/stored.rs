//! Values read from a store, and small values within texts.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use brain_core::{Digest, JobKey, Key, Millis, Rate, RunId, TenantId};
use brain_store::blob;
use brain_vm::{Event, Program, VM_EVENTS};
use serde_json::Value;
use serde_json::value::RawValue;

/// The data of an event, parsed as each event type. A parsed event round-trips.
pub(crate) fn event(data: &[u8]) {
    let Some(raw) = crate::text(data).and_then(|text| RawValue::from_string(text.to_owned()).ok()) else { return };
    for number in VM_EVENTS {
        if let Ok(event) = Event::read(number, 1, &raw) {
            let again = Event::read(event.number(), event.version(), &event.data());
            assert_eq!(again.as_ref(), Ok(&event), "an event round-trips");
        }
    }
}

/// A program: its check rejects what cannot be executed, and accepted programs can be listed.
pub(crate) fn program(data: &[u8]) {
    if let Ok(program) = serde_json::from_slice::<Program>(data)
        && program.check().is_ok()
    {
        drop(program.listing());
        let _ = program.id();
    }
}

/// A value with references to blobs. Offloaded values are restored.
pub(crate) fn blob(data: &[u8]) {
    let Ok(mut value) = serde_json::from_slice::<Value>(data) else { return };
    if blob::has_blobs(&value) {
        drop(blob::inflate(&mut value, &|_| Ok(Some(data.to_vec()))));
        return;
    }
    let before = value.clone();
    let mut out = Vec::new();
    blob::offload(&mut value, 0, &mut out);
    let blobs: BTreeMap<String, Vec<u8>> =
        out.iter().map(|(hash, bytes, _)| (hash.to_string(), bytes.to_vec())).collect();
    let read = |hash: Digest| Ok(blobs.get(&hash.to_string()).cloned());
    blob::inflate(&mut value, &read).expect("every offloaded value is available");
    assert_eq!(value, before, "offloaded values are restored");
}

/// Durations, rates, digests, ids and keys. Each round-trips.
pub(crate) fn value(data: &[u8]) {
    let Some(text) = crate::text(data) else { return };
    same::<Rate>(text);
    same::<Digest>(text);
    same::<RunId>(text);
    same::<JobKey>(text);
    same::<TenantId>(text);
    same::<Millis>(text);
    if let Some(key) = text.parse().ok().and_then(Key::from_i64) {
        assert_eq!(key.to_i64(), text.parse().ok(), "a key round-trips");
    }
}

fn same<T: FromStr + Display + Debug + PartialEq>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        let written = value.to_string();
        assert_eq!(written.parse::<T>().ok(), Some(value), "`{text}` was written as `{written}`");
    }
}

/// A file of weights. The tensors are never much larger than the file.
pub(crate) fn onnx(data: &[u8]) {
    brain_embed::onnx::fuzz(data);
}
