//! An append-only file of phrase embeddings. It only saves time: a damaged file is replaced, and one that cannot
//! be written is ignored.
//!
//! The file: `BRAINVEC`, `u32` version, `u32` dimensions; then rows of a SHA-256 of encoder and text, the components
//! as `f32`, and a checksum of both as `u32`; little-endian.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::Encoder;

const MAGIC: &[u8; 8] = b"BRAINVEC";
const VERSION: u32 = 1;
const HEADER: usize = 16;
const KEY: usize = 32;
/// Maximum size; a larger file is replaced by one with the current rows.
const MAX_BYTES: u64 = 1 << 30;

type Key = [u8; KEY];

/// A file of embeddings.
#[derive(Clone, Debug)]
pub struct Cache {
    path: PathBuf,
}

impl Cache {
    /// A cache in this file, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The embeddings of texts: from the file, or from the encoder and then stored.
    pub fn encode_targets(&self, encoder: &dyn Encoder, texts: &[&str]) -> Vec<Vec<f32>> {
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&self.path);
        let mut file = match opened.and_then(|file| file.lock().map(|()| file)) {
            Ok(file) => file,
            Err(error) => {
                self.warn(&format!("cannot be used: {error}"));
                return encoder.encode_targets(texts);
            }
        };
        let mut known = self.read(&mut file, encoder.dim());
        let keys: Vec<Key> = texts.iter().map(|text| key(encoder.id(), text)).collect();
        let mut missing: BTreeMap<&Key, &str> = BTreeMap::new();
        for (key, text) in keys.iter().zip(texts).filter(|(key, _)| !known.contains_key(*key)) {
            missing.insert(key, text);
        }
        let made = encoder.encode_targets(&missing.values().copied().collect::<Vec<_>>());
        let mut rows = Vec::new();
        for (key, vector) in missing.into_keys().zip(made) {
            push_row(&mut rows, key, &vector);
            known.insert(*key, vector);
        }
        if let Err(error) = write(&mut file, encoder.dim(), &rows) {
            self.warn(&format!("cannot be written: {error}"));
        }
        keys.iter().map(|key| known.get(key).cloned().unwrap_or_default()).collect()
    }

    /// All valid rows. The file is truncated at the first invalid one.
    fn read(&self, file: &mut File, dim: usize) -> BTreeMap<Key, Vec<f32>> {
        let mut bytes = Vec::new();
        if let Err(error) = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)) {
            self.warn(&format!("cannot be read: {error}"));
        }
        let (rows, good) = parse(&bytes, dim);
        if good < bytes.len() {
            self.warn(&format!("is damaged after {good} of {} bytes; the rest will be recomputed", bytes.len()));
        }
        if (good < bytes.len() || good as u64 > MAX_BYTES)
            && let Err(error) = file.set_len(if good as u64 > MAX_BYTES { 0 } else { good as u64 })
        {
            self.warn(&format!("cannot be written: {error}"));
        }
        rows
    }

    fn warn(&self, what: &str) {
        tracing::warn!(file = %self.path.display(), "the cache of embeddings {what}");
    }
}

/// The valid rows of a file, and their length in bytes.
fn parse(bytes: &[u8], dim: usize) -> (BTreeMap<Key, Vec<f32>>, usize) {
    let mut rows = BTreeMap::new();
    let Some(body) = bytes.strip_prefix(header(dim).as_slice()) else { return (rows, 0) };
    let mut good = HEADER;
    for row in body.chunks_exact(KEY + 4 * dim + 4) {
        let (content, sum) = row.split_at(row.len() - 4);
        if checksum(content).to_le_bytes() != sum {
            break;
        }
        if let Some((key, numbers)) = content.split_first_chunk::<KEY>() {
            rows.insert(*key, numbers.as_chunks::<4>().0.iter().copied().map(f32::from_le_bytes).collect());
        }
        good += row.len();
    }
    (rows, good)
}

fn write(file: &mut File, dim: usize, rows: &[u8]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    if file.metadata()?.len() == 0 {
        file.write_all(&header(dim))?;
    }
    file.write_all(rows)
}

fn header(dim: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..].copy_from_slice(&u32::try_from(dim).unwrap_or(u32::MAX).to_le_bytes());
    header
}

fn push_row(rows: &mut Vec<u8>, key: &Key, vector: &[f32]) {
    let begin = rows.len();
    rows.extend(key);
    rows.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
    let sum = checksum(&rows[begin..]);
    rows.extend(sum.to_le_bytes());
}

fn key(encoder: &str, text: &str) -> Key {
    // An encoder's id has no zero byte, so the two parts are unambiguous.
    Sha256::new().chain_update(encoder).chain_update([0]).chain_update(text).finalize().into()
}

/// FNV-1a over words of four bytes.
fn checksum(bytes: &[u8]) -> u32 {
    let words = bytes.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes);
    words.fold(0x811c_9dc5, |sum, word| (sum ^ word).wrapping_mul(0x0100_0193))
}

/// An encoder that caches the embeddings of phrases in a file. Requests are not stored.
pub struct CachedEncoder<E> {
    encoder: E,
    cache: Cache,
}

impl<E: Encoder> CachedEncoder<E> {
    /// Adds a cache to an encoder.
    pub fn new(encoder: E, path: impl Into<PathBuf>) -> Self {
        Self { encoder, cache: Cache::new(path) }
    }
}

impl<E: Encoder> Encoder for CachedEncoder<E> {
    fn id(&self) -> &str {
        self.encoder.id()
    }

    fn dim(&self) -> usize {
        self.encoder.dim()
    }

    fn encode(&self, text: &str, out: &mut [f32]) {
        self.encoder.encode(text, out);
    }

    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.cache.encode_targets(&self.encoder, texts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts its calls. A vector encodes the length of its text.
    struct Counting(&'static str, AtomicUsize);

    impl Encoder for Counting {
        fn id(&self) -> &str {
            self.0
        }

        fn dim(&self) -> usize {
            2
        }

        fn encode(&self, text: &str, out: &mut [f32]) {
            self.1.fetch_add(1, Ordering::Relaxed);
            out.copy_from_slice(&[text.len() as f32, 1.0]);
        }
    }

    /// How many of these texts were embedded, after checking their vectors.
    fn embedded(path: &Path, id: &'static str, texts: &[&str]) -> usize {
        let encoder = CachedEncoder::new(Counting(id, AtomicUsize::new(0)), path);
        for (text, vector) in texts.iter().zip(encoder.encode_targets(texts)) {
            assert_eq!(vector, [text.len() as f32, 1.0], "{text}");
        }
        encoder.encoder.1.into_inner()
    }

    #[test]
    fn only_what_is_new_is_embedded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        assert_eq!(embedded(&path, "one", &["a", "bb", "a"]), 2);
        assert_eq!(embedded(&path, "one", &["bb", "ccc", "a"]), 1);
        assert_eq!(embedded(&path, "one", &["ccc", "bb", "a"]), 0);
        assert_eq!(embedded(&path, "two", &["a"]), 1, "another encoder");
        assert_eq!(embedded(&path, "one", &["a"]), 0);
    }

    #[test]
    fn a_damaged_file_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        let texts = ["a", "bb", "ccc"];
        embedded(&path, "one", &texts);
        let good = std::fs::read(&path).unwrap();
        let row = KEY + 8 + 4;
        assert_eq!(good.len(), HEADER + 3 * row);
        let mut turned = good.clone();
        turned[HEADER + row + KEY] ^= 1;
        for (bytes, made_again) in [
            (good[..good.len() - 1].to_vec(), 1),
            (good[..HEADER + row + 3].to_vec(), 2),
            (turned, 2),
            (good[..7].to_vec(), 3),
            (b"something else that is long enough to have a header".to_vec(), 3),
            (Vec::new(), 3),
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(embedded(&path, "one", &texts), made_again);
            assert_eq!(embedded(&path, "one", &texts), 0);
            assert_eq!(std::fs::read(&path).unwrap().len(), good.len());
        }
    }

    #[test]
    fn without_a_file_everything_is_embedded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/folder");
        assert_eq!(embedded(&path, "one", &["a", "bb"]), 2);
        assert_eq!(embedded(&path, "one", &["a", "bb"]), 2);
    }
}
