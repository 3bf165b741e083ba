//! The table inside the binary: a vector and a weight for each word piece. A text's vector is their weighted mean.
//!
//! The file, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BRAINTAB` |
//! | 5 × `u32` | version (1), dimensions, rows, bytes of the note, bytes of the vocabulary |
//! | … | the note: what it was made of and how, as text |
//! | rows × `f32` | the scale of each row: what a step of its numbers is worth |
//! | rows × `f32` | the weight of each row: how informative its piece is, relative to the most informative one |
//! | rows × dimensions × `i8` | the rows |
//! | … | the vocabulary (see `vocabulary.rs`); its order is that of the rows |
//! | 32 | SHA-256 of everything before |
//!
//! It is read where it lies. Nothing is unpacked or indexed at start.

use std::ops::Range;
use std::sync::LazyLock;

use crate::vector::to_unit;
use crate::vocabulary::Vocabulary;
use crate::{Encoder, wordpiece};

static BUILT_IN: LazyLock<StaticTable> =
    LazyLock::new(|| StaticTable::read(include_bytes!("../data/static-en.bin")).expect("a test has read this file"));

pub(crate) const MAGIC: &[u8; 8] = b"BRAINTAB";
pub(crate) const VERSION: u32 = 1;
pub(crate) const HASH_BYTES: usize = 32;
const HEADER: usize = MAGIC.len() + 5 * 4;

/// A table of word pieces.
pub struct StaticTable {
    id: String,
    dim: usize,
    bytes: u64,
    note: &'static str,
    scales: &'static [u8],
    weights: &'static [u8],
    rows: &'static [u8],
    vocabulary: Vocabulary,
}

/// A known word piece in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its row in the table.
    pub row: u32,
    /// Its weight relative to the most informative piece: near 0 for a full stop, 0.2 for `the`, 0.8 for `pump`.
    pub weight: f32,
    /// The position of its word, in bytes.
    pub word: Range<usize>,
}

impl StaticTable {
    /// The built-in table for English.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the format above; `None` if it is invalid.
    pub(crate) fn read(file: &'static [u8]) -> Option<Self> {
        let (body, hash) = file.split_at_checked(file.len().checked_sub(HASH_BYTES)?)?;
        let (header, mut rest) = body.split_at_checked(HEADER)?;
        let (magic, fields) = header.split_at(MAGIC.len());
        let (fields, _) = fields.as_chunks::<4>();
        let [version, dim, rows, note, vocabulary] = fields.as_array::<5>()?.map(u32::from_le_bytes);
        if magic != MAGIC || version != VERSION {
            return None;
        }
        let (dim, count) = (dim as usize, rows as usize);
        let mut take = |length: usize| {
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken)
        };
        let note = std::str::from_utf8(take(note as usize)?).ok()?;
        let (scales, weights) = (take(4 * count)?, take(4 * count)?);
        let rows = take(count * dim)?;
        let vocabulary = Vocabulary::read(take(vocabulary as usize)?)?;
        let id = format!("static-en-{}", hex::encode(&hash[..6]));
        let whole = rest.is_empty() && vocabulary.count() == count;
        whole.then_some(Self { id, dim, bytes: file.len() as u64, note, scales, weights, rows, vocabulary })
    }

    /// How the table was made.
    pub fn note(&self) -> &str {
        self.note
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of pieces.
    pub fn rows(&self) -> usize {
        self.vocabulary.count()
    }

    /// Calls `each` with the known pieces of a text, in order.
    pub fn pieces(&self, text: &str, mut each: impl FnMut(Piece)) {
        wordpiece::pieces(&self.vocabulary, text, |row, word| {
            if let Some(row) = row {
                each(Piece { row, weight: self.weight(row), word });
            }
        });
    }

    /// The text of a row's piece; a continuation begins with `##`.
    pub fn piece_text(&self, row: u32) -> &str {
        self.vocabulary.text(row)
    }

    /// Adds a row, times a factor, to `out`.
    ///
    /// # Panics
    ///
    /// If the table has no such row.
    pub fn add_row(&self, row: u32, factor: f32, out: &mut [f32]) {
        let factor = factor * number(self.scales, row);
        let at = row as usize * self.dim;
        for (out, value) in out.iter_mut().zip(&self.rows[at..at + self.dim]) {
            *out += factor * f32::from(value.cast_signed());
        }
    }

    /// The weight of a row.
    pub fn weight(&self, row: u32) -> f32 {
        number(self.weights, row)
    }
}

fn number(list: &[u8], row: u32) -> f32 {
    list.as_chunks::<4>().0.get(row as usize).copied().map_or(0.0, f32::from_le_bytes)
}

impl Encoder for StaticTable {
    fn id(&self) -> &str {
        &self.id
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn encode(&self, text: &str, out: &mut [f32]) {
        assert_eq!(out.len(), self.dim, "the length of `out`");
        out.fill(0.0);
        self.pieces(text, |piece| self.add_row(piece.row, piece.weight, out));
        to_unit(out);
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    const FILE: &[u8] = include_bytes!("../data/static-en.bin");
    const README: &str = include_str!("../data/README.md");

    fn vector(text: &str) -> Vec<f32> {
        let mut out = vec![0.0; StaticTable::built_in().dim()];
        StaticTable::built_in().encode(text, &mut out);
        out
    }

    fn cosine(a: &str, b: &str) -> f32 {
        crate::vector::dot(&vector(a), &vector(b))
    }

    #[test]
    fn the_file_is_whole_small_and_says_where_it_comes_from() {
        let (body, hash) = FILE.split_at(FILE.len() - HASH_BYTES);
        assert_eq!(Sha256::digest(body).as_slice(), hash);
        assert!(FILE.len() <= 8_000_000, "{} bytes", FILE.len());
        let table = StaticTable::built_in();
        assert_eq!(table.id(), format!("static-en-{}", hex::encode(&hash[..6])));
        assert!(README.contains(&hex::encode(hash)), "README.md has another hash than {}", hex::encode(hash));
        assert!(table.note().contains("all-MiniLM-L6-v2 (Apache-2.0)") && README.contains("Apache License 2.0"));
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused() {
        for length in [0, 8, 100, 1_000_000, FILE.len() - 1] {
            assert!(StaticTable::read(&FILE[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn near_in_meaning_is_near_in_direction() {
        let near = cosine("cancel my order", "I want to call off my purchase");
        assert!(near > cosine("cancel my order", "what is the weather") + 0.1);
        assert!(cosine("send the invoice", "mail the bill") > cosine("send the invoice", "book a flight"));
        assert!((cosine("Écoute, ZOË!", "ecoute zoe") - 1.0).abs() < 0.1);
    }

    #[test]
    fn vectors_have_length_one_and_unknown_texts_zero() {
        assert!((cosine("create task: Call Bob", "create task: Call Bob") - 1.0).abs() < 1e-5);
        for text in ["", "  ", "漢字"] {
            assert!(vector(text).iter().all(|value| *value == 0.0), "{text:?}");
        }
    }

    #[test]
    fn pieces_say_where_their_word_stands_and_what_it_weighs() {
        let table = StaticTable::built_in();
        let text = "the Unfixable pump";
        let mut found = Vec::new();
        table.pieces(text, |piece| {
            found.push((table.piece_text(piece.row), &text[piece.word.clone()], piece.weight));
        });
        let texts: Vec<_> = found.iter().map(|(piece, word, _)| (*piece, *word)).collect();
        let expected = [
            ("the", "the"),
            ("un", "Unfixable"),
            ("##fi", "Unfixable"),
            ("##xa", "Unfixable"),
            ("##ble", "Unfixable"),
            ("pump", "pump"),
        ];
        assert_eq!(texts, expected);
        assert!(found[0].2 < 0.3 && found[5].2 > 0.7, "{found:?}");
    }
}
