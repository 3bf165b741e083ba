//! Blobs.

use std::sync::Arc;

use brain_core::Digest;

use super::sample::{at, scope};
use super::{Outcome, Scope, Store, Write, commit};
use crate::BlobRow;

/// Bytes that do not repeat, so that a wrong offset shows.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).take(len).collect()
}

fn put(store: &dyn Store, scope: &Scope, bytes: &[u8], media_type: &str, millis: u64) -> Digest {
    let hash = Digest::of(bytes);
    let write = Write::PutBlob { hash, media_type: media_type.into(), at: at(millis), bytes: Arc::from(bytes) };
    assert_eq!(commit(store, scope, vec![], vec![write]), Outcome::Committed);
    hash
}

pub(super) fn a_blob_reads_back_whole_and_in_parts(store: &dyn Store) {
    let scope = scope("default");
    for len in [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_500_000] {
        let content = bytes(len);
        let hash = put(store, &scope, &content, "text/plain", 1);
        let row = BlobRow { hash, size: len as u64, media_type: "text/plain".into(), at: at(1) };
        assert_eq!(store.blob(&scope, hash).expect("reads"), Some(row.clone()));
        put(store, &scope, &content, "image/png", 2);
        assert_eq!(store.blob(&scope, hash).expect("reads"), Some(row), "the same bytes are stored once");
        let part = |offset: usize, max| store.blob_part(&scope, hash, offset as u64, max).expect("reads");
        assert!(part(0, usize::MAX) == content, "{len} bytes, whole");
        for (offset, max) in [(0, 0), (0, 1), (len / 2, 10), (262_140, 300_000), (len, 5), (len + 7, 5)] {
            let from = offset.min(len);
            let expected = &content[from..(from + max).min(len)];
            assert!(part(offset, max) == expected, "{max} of {len} bytes from {offset} on");
        }
    }
    let unknown = Digest::of(b"unknown");
    assert_eq!(store.blob(&scope, unknown).expect("reads"), None);
    assert!(store.blob_part(&scope, unknown, 0, 10).expect("reads").is_empty());
}

pub(super) fn a_blob_written_in_pieces_is_the_same_blob(store: &dyn Store) {
    let scope = scope("default");
    for (len, piece) in [(0, 1), (10, 3), (1024 * 1024, 1024 * 1024), (2_500_000, 70_001), (3_000_000, 3_000_000)] {
        let content = bytes(len);
        let mut writer = store.begin_blob(&scope, "video/mp4", at(3)).expect("begins");
        for piece in content.chunks(piece) {
            writer.write(piece).expect("writes");
        }
        let row = writer.finish().expect("finishes");
        let expected =
            BlobRow { hash: Digest::of(&content), size: len as u64, media_type: "video/mp4".into(), at: at(3) };
        assert_eq!(row, expected);
        assert_eq!(store.blob(&scope, row.hash).expect("reads"), Some(expected.clone()));
        assert!(store.blob_part(&scope, row.hash, 0, usize::MAX).expect("reads") == content, "{len} in {piece}s");
        let mut again = store.begin_blob(&scope, "text/plain", at(9)).expect("begins");
        again.write(&content).expect("writes");
        assert_eq!(again.finish().expect("finishes"), expected, "the second upload returns the existing blob");
        assert!(store.blob_part(&scope, row.hash, 0, usize::MAX).expect("reads") == content);
    }
}

pub(super) fn a_blob_is_visible_when_it_is_finished(store: &dyn Store) {
    let scope = scope("default");
    let content = bytes(3_000_000);
    let hash = Digest::of(&content);
    let mut dropped = store.begin_blob(&scope, "text/plain", at(1)).expect("begins");
    dropped.write(&content).expect("writes");
    assert_eq!(store.blob(&scope, hash).expect("reads"), None);
    assert!(store.blob_part(&scope, hash, 0, 10).expect("reads").is_empty());
    drop(dropped);
    assert_eq!(store.blob(&scope, hash).expect("reads"), None, "an abandoned upload leaves nothing");
    // Two concurrent uploads of the same content do not interfere.
    let mut one = store.begin_blob(&scope, "text/plain", at(1)).expect("begins");
    let mut two = store.begin_blob(&scope, "text/plain", at(2)).expect("begins");
    for piece in content.chunks(500_000) {
        one.write(piece).expect("writes");
        two.write(piece).expect("writes");
    }
    assert_eq!(one.finish().expect("finishes"), two.finish().expect("finishes"));
    assert!(store.blob_part(&scope, hash, 0, usize::MAX).expect("reads") == content);
}

pub(super) fn blobs_belong_to_one_tenant(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    let hash = put(store, &ours, b"secret", "text/plain", 1);
    assert_eq!(store.blob(&theirs, hash).expect("reads"), None);
    assert!(store.blob_part(&theirs, hash, 0, 10).expect("reads").is_empty());
    put(store, &theirs, b"secret", "image/png", 2);
    let types = [&ours, &theirs].map(|scope| store.blob(scope, hash).expect("reads").expect("is there").media_type);
    assert_eq!(types, ["text/plain", "image/png"]);
}
