//! Many small numbers in a snapshot, as one run of bytes: read in one go, not one by one.

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

#[expect(clippy::ptr_arg, reason = "serde passes the field")]
pub(super) fn serialize<S: Serializer>(values: &Vec<i8>, to: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = values.iter().map(|value| value.cast_unsigned()).collect();
    to.serialize_bytes(&bytes)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<i8>, D::Error> {
    from.deserialize_bytes(Bytes)
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<i8>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<i8>, E> {
        Ok(bytes.iter().map(|byte| byte.cast_signed()).collect())
    }
}
