//! References to blobs.

use brain_store::BlobRow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A reference to a file. It can be used in place of a value.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Blob {
    /// The SHA-256 of its bytes, 64 hexadecimal digits.
    #[serde(rename = "$blob")]
    pub hash: String,
    /// Size in bytes.
    pub size: u64,
    /// The media type.
    pub media_type: String,
    /// Always `true`: the content is fetched only on request.
    pub file: bool,
}

impl From<BlobRow> for Blob {
    fn from(row: BlobRow) -> Self {
        Self { hash: row.hash.to_string(), size: row.size, media_type: row.media_type, file: true }
    }
}

/// The response to an upload.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BlobStored {
    /// The reference to the file.
    pub blob: Blob,
}

#[cfg(test)]
mod tests {
    use brain_core::{Digest, Timestamp};

    use super::*;

    #[test]
    fn the_reference_equals_that_of_the_store() {
        let row =
            BlobRow { hash: Digest::of(b"x"), size: 1, media_type: "image/png".into(), at: Timestamp::from_millis(0) };
        let expected = brain_store::blob::file_reference(&row);
        assert_eq!(serde_json::to_value(Blob::from(row)).unwrap(), expected);
    }
}
