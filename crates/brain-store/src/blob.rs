//! Moves large values out of logs and records. A long text or list is stored as a blob and replaced by a reference:
//! `{"$blob": hash, "size": n, "media_type": t}`.
//!
//! [`offload`] makes references, [`inflate`] resolves them. Files that people upload are references too
//! ([`file_reference`]), but [`inflate`] leaves those alone: readers fetch their content explicitly.

use std::sync::Arc;

use brain_core::Digest;
use serde_json::{Map, Value, json};

use crate::{BlobRow, Blobs, Scope, StoreError};

/// Values larger than this many bytes are stored as blobs.
pub const BLOB_LIMIT: usize = 64 * 1024;
/// Minimum depth at which objects are moved out. Objects above it stay inline, because readers of a log look at them
/// first.
const OBJECTS_FROM: usize = 3;
/// Maximum size of a value with its references resolved. References are short and may repeat, so a few kilobytes could
/// otherwise expand to more than memory holds.
pub const INFLATE_LIMIT: usize = 512 * 1024 * 1024;
/// Maximum nesting of a value with its references resolved. Parsed JSON nests at most 128 levels.
const INFLATE_DEPTH: usize = 512;

const TEXT: &str = "text/plain";
const JSON: &str = "application/json";

/// A blob to be written: its hash, its bytes, its media type.
pub type Offloaded = (Digest, Arc<[u8]>, &'static str);

/// Replaces large parts of a value by references, innermost first, and adds the blobs to `out`. `depth` is the depth of
/// `value` itself. These parts are replaced:
///
/// - a text longer than [`BLOB_LIMIT`];
/// - a list that is still larger than that after its items were offloaded;
/// - an object that is likewise still larger than [`BLOB_LIMIT`], at depth 3 or more.
///
/// A small value costs one walk. It estimates sizes, counting an escaped character as one byte, and serialises only the
/// parts that it replaces.
pub fn offload(value: &mut Value, depth: usize, out: &mut Vec<Offloaded>) {
    walk(value, depth, BLOB_LIMIT, out);
}

/// A quick check whether [`offload`] might move something. It may say yes for a value that stays inline.
pub fn is_large(value: &Value) -> bool {
    fn spend(value: &Value, left: &mut usize) -> bool {
        let cost = match value {
            Value::String(text) => text.len() + 2,
            _ => 8,
        };
        if *left < cost {
            return false;
        }
        *left -= cost;
        match value {
            Value::Array(items) => items.iter().all(|item| spend(item, left)),
            Value::Object(fields) => fields.iter().all(|(name, field)| {
                *left = left.saturating_sub(name.len());
                spend(field, left)
            }),
            _ => true,
        }
    }
    !spend(value, &mut { BLOB_LIMIT })
}

/// Implements [`offload`]; returns the approximate size of the value as JSON afterwards.
fn walk(value: &mut Value, depth: usize, limit: usize, out: &mut Vec<Offloaded>) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => {
            let digits = |n: u64| n.checked_ilog10().map_or(1, |digits| digits as usize + 1);
            match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => digits(whole),
                (None, Some(below)) => 1 + digits(below.unsigned_abs()),
                // An upper bound for most fractions; the estimate may be off by a few bytes.
                (None, None) => 17,
            }
        }
        Value::String(text) if text.len() > limit => {
            let text = std::mem::take(text).into_bytes();
            replace(value, text, TEXT, out)
        }
        Value::String(text) => text.len() + 2,
        Value::Array(items) => {
            let inner: usize = items.iter_mut().map(|item| walk(item, depth + 1, limit, out) + 1).sum();
            if inner < limit { inner + 2 } else { replace_json(value, out) }
        }
        Value::Object(fields) => {
            let names: usize = fields.keys().map(|name| name.len() + 4).sum();
            let inner: usize = fields.values_mut().map(|field| walk(field, depth + 1, limit, out)).sum();
            if names + inner < limit || depth < OBJECTS_FROM || is_reference(value) {
                names + inner + 2
            } else {
                replace_json(value, out)
            }
        }
    }
}

fn replace_json(value: &mut Value, out: &mut Vec<Offloaded>) -> usize {
    let text = value.to_string().into_bytes();
    replace(value, text, JSON, out)
}

fn replace(value: &mut Value, bytes: Vec<u8>, media_type: &'static str, out: &mut Vec<Offloaded>) -> usize {
    let hash = Digest::of(&bytes);
    *value = json!({"$blob": hash, "size": bytes.len(), "media_type": media_type});
    if !out.iter().any(|(there, ..)| *there == hash) {
        out.push((hash, bytes.into(), media_type));
    }
    // The hash, the keys and about seven digits.
    64 + 40 + media_type.len() + 7
}

/// Reads a whole blob, for [`inflate`]. `None` if the tenant has no such blob.
pub fn read_whole(store: &(impl Blobs + ?Sized), scope: &Scope, hash: Digest) -> Result<Option<Vec<u8>>, StoreError> {
    store.blob(scope, hash)?.map(|_| store.blob_part(scope, hash, 0, usize::MAX)).transpose()
}

/// The reference to an uploaded file.
pub fn file_reference(row: &BlobRow) -> Value {
    json!({"$blob": row.hash, "size": row.size, "media_type": row.media_type, "file": true})
}

/// Whether an object is a reference to a blob of any kind.
fn is_reference(value: &Value) -> bool {
    value.get("$blob").and_then(Value::as_str).is_some_and(|hash| hash.len() == 64)
}

/// Parses a reference that [`offload`] made.
fn offloaded(fields: &Map<String, Value>) -> Option<(Digest, usize, bool)> {
    if fields.len() != 3 {
        return None;
    }
    let hash = fields.get("$blob")?.as_str()?.parse().ok()?;
    let size = usize::try_from(fields.get("size")?.as_u64()?).ok()?;
    match fields.get("media_type")?.as_str()? {
        TEXT => Some((hash, size, true)),
        JSON => Some((hash, size, false)),
        _ => None,
    }
}

/// Whether a value contains references that [`inflate`] would resolve.
pub fn has_blobs(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_blobs),
        Value::Object(fields) => offloaded(fields).is_some() || fields.values().any(has_blobs),
        _ => false,
    }
}

/// Resolves the references that [`offload`] made. Other references stay: to a file, to a missing blob, or with a size
/// that differs. Fails if the store fails, or if the value would exceed [`INFLATE_LIMIT`].
pub fn inflate(
    value: &mut Value,
    read: &dyn Fn(Digest) -> Result<Option<Vec<u8>>, StoreError>,
) -> Result<(), StoreError> {
    let mut left = INFLATE_LIMIT;
    fill(value, read, &mut left, 0)
}

fn fill(
    value: &mut Value,
    read: &dyn Fn(Digest) -> Result<Option<Vec<u8>>, StoreError>,
    left: &mut usize,
    depth: usize,
) -> Result<(), StoreError> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, read, left, depth + 1)),
        Value::Object(fields) => {
            let Some((hash, size, is_text)) = offloaded(fields) else {
                return fields.values_mut().try_for_each(|field| fill(field, read, left, depth + 1));
            };
            *left = left.checked_sub(size).filter(|_| depth < INFLATE_DEPTH).ok_or_else(|| {
                let most = INFLATE_LIMIT >> 20;
                StoreError::Unreadable(format!(
                    "a value with its blobs resolved exceeds {most} MiB or nests too deeply"
                ))
            })?;
            let Some(bytes) = read(hash)?.filter(|bytes| bytes.len() == size) else { return Ok(()) };
            if is_text {
                if let Ok(text) = String::from_utf8(bytes) {
                    *value = Value::String(text);
                }
                return Ok(());
            }
            let Ok(content) = serde_json::from_slice(&bytes) else { return Ok(()) };
            *value = content;
            fill(value, read, left, depth + 1)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn reader(out: &[Offloaded]) -> impl Fn(Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let blobs: BTreeMap<Digest, Vec<u8>> = out.iter().map(|(hash, bytes, _)| (*hash, bytes.to_vec())).collect();
        move |hash| Ok(blobs.get(&hash).cloned())
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1000i32..1000).prop_map(|n| Value::from(f64::from(n) / 8.0)),
            "[a-zé\"\\\\\n]{0,60}".prop_map(Value::from),
            "x{100,400}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 60, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map("[a-e$]{1,6}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn offloaded_values_are_inflated_again(value in values(), depth in 0usize..5, limit in 8usize..600) {
            let (mut small, mut out) = (value.clone(), Vec::new());
            walk(&mut small, depth, limit, &mut out);
            prop_assert_eq!(has_blobs(&small), !out.is_empty());
            for (hash, bytes, _) in &out {
                prop_assert_eq!(*hash, Digest::of(bytes));
            }
            // Offloading again changes nothing.
            if limit > 200 {
                let (mut again, mut more) = (small.clone(), Vec::new());
                walk(&mut again, depth, limit, &mut more);
                prop_assert_eq!(&again, &small);
            }
            inflate(&mut small, &reader(&out)).unwrap();
            prop_assert_eq!(small, value);
        }

        #[test]
        fn the_size_estimate_is_within_a_factor_of_two(value in values()) {
            let size = walk(&mut value.clone(), 0, usize::MAX, &mut Vec::new());
            let truth = value.to_string().len();
            prop_assert!(size <= truth * 2 + 32 && truth <= size * 2, "{} for {}", size, truth);
        }
    }

    fn moved(mut value: Value) -> (Value, Vec<Offloaded>) {
        let mut out = Vec::new();
        offload(&mut value, 0, &mut out);
        (value, out)
    }

    #[test]
    fn long_texts_lists_and_deep_objects_are_offloaded_and_small_values_are_not() {
        let long = "x".repeat(BLOB_LIMIT + 1);
        let fits = "x".repeat(BLOB_LIMIT);
        let (value, out) = moved(json!({"a": {"text": long, "fits": fits}}));
        assert_eq!(
            value["a"]["text"],
            json!({"$blob": Digest::of(long.as_bytes()), "size": 65537, "media_type": TEXT})
        );
        assert_eq!((value["a"]["fits"].as_str(), out.len()), (Some(fits.as_str()), 1));

        let (value, out) = moved(json!({"list": vec!["word"; 20_000]}));
        assert_eq!((value["list"]["media_type"].as_str(), out.len()), (Some(JSON), 1));
        assert_eq!(value["list"]["size"], out[0].1.len());

        let wide: Value = (0..9000).map(|n| (format!("field{n}"), json!(n))).collect::<Map<_, _>>().into();
        let (value, out) = moved(json!({"one": wide, "two": {"three": {"four": wide}}}));
        assert!(value["one"]["field1"] == 1, "an object near the top stays");
        assert_eq!((value["two"]["three"]["four"]["media_type"].as_str(), out.len()), (Some(JSON), 1));
    }

    #[test]
    fn the_same_content_is_written_once() {
        let long = "x".repeat(BLOB_LIMIT + 1);
        let (value, out) = moved(json!([long, long, {"again": long}]));
        assert_eq!((out.len(), &value[0]), (1, &value[1]));
    }

    #[test]
    fn lists_of_references_are_offloaded_and_inflated_too() {
        let value: Value = (0..700).map(|n| "x".repeat(BLOB_LIMIT + 1 + n)).collect();
        let (mut small, out) = moved(value.clone());
        assert_eq!((small["media_type"].as_str(), out.len()), (Some(JSON), 701));
        inflate(&mut small, &reader(&out)).unwrap();
        assert!(small == value);
    }

    #[test]
    fn references_that_offload_did_not_make_stay() {
        let hash = Digest::of(b"content");
        let read = |asked: Digest| Ok((asked == hash).then(|| b"content".to_vec()));
        for stays in [
            json!({"$blob": hash, "size": 7, "media_type": TEXT, "file": true}),
            json!({"$blob": hash, "size": 7, "media_type": "image/png"}),
            json!({"$blob": hash, "size": 8, "media_type": TEXT}),
            json!({"$blob": hash, "size": 7, "media_type": JSON}),
            json!({"$blob": Digest::of(b"gone"), "size": 7, "media_type": TEXT}),
            json!({"$blob": "nonsense", "size": 7, "media_type": TEXT}),
            json!({"$blob": 5}),
        ] {
            let mut value = json!([stays]);
            inflate(&mut value, &read).unwrap();
            assert_eq!(value[0], stays);
        }
        let mut value = json!({"a": {"$blob": hash, "size": 7, "media_type": TEXT}});
        inflate(&mut value, &read).unwrap();
        assert_eq!(value, json!({"a": "content"}));
    }

    #[test]
    fn nested_references_cannot_expand_without_bound() {
        // Each level contains ten references to the level below: ten million texts of a hundred bytes.
        let (mut below, mut blobs) = (json!("x".repeat(100)), Vec::new());
        for _ in 0..8 {
            let text = if let Value::String(text) = &below { text.clone() } else { below.to_string() }.into_bytes();
            let media_type = if below.is_string() { TEXT } else { JSON };
            let reference = json!({"$blob": Digest::of(&text), "size": text.len(), "media_type": media_type});
            blobs.push((Digest::of(&text), Arc::from(text), media_type));
            below = Value::from(vec![reference; 10]);
        }
        let reads = Cell::new(0u64);
        let stored = reader(&blobs);
        let counted = |hash: Digest| {
            reads.set(reads.get() + 1);
            stored(hash)
        };
        let mut left = 1 << 20;
        let error = fill(&mut below, &counted, &mut left, 0).unwrap_err();
        assert!(matches!(error, StoreError::Unreadable(_)), "{error}");
        assert!(reads.get() < 20_000, "{} blobs were read", reads.get());
    }
}
