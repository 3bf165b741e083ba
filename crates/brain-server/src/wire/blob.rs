//! A large value on the wire: a reference to it.

use brain_store::BlobRow;
use serde::Serialize;
use utoipa::ToSchema;

/// A reference to a file. It can stand wherever a value stands.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Blob {
    /// The SHA-256 of its bytes, 64 hexadecimal digits.
    #[serde(rename = "$blob")]
    pub hash: String,
    /// How many bytes it has.
    pub size: u64,
    /// What they are.
    pub media_type: String,
    /// Always `true`: the content stays where it is until somebody asks for it.
    pub file: bool,
}

impl From<BlobRow> for Blob {
    fn from(row: BlobRow) -> Self {
        Self { hash: row.hash.to_string(), size: row.size, media_type: row.media_type, file: true }
    }
}

/// What became of a file that was sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BlobStored {
    /// How it is referred to.
    pub blob: Blob,
}

#[cfg(test)]
mod tests {
    use brain_core::{Digest, Timestamp};

    use super::*;

    #[test]
    fn the_reference_is_the_one_that_the_store_makes() {
        let row =
            BlobRow { hash: Digest::of(b"x"), size: 1, media_type: "image/png".into(), at: Timestamp::from_millis(0) };
        let expected = brain_store::blob::file_reference(&row);
        assert_eq!(serde_json::to_value(Blob::from(row)).unwrap(), expected);
    }
}
