//! Word pieces and their ids, usable without any setup: the pieces are stored in the order of their hashes, with an
//! index of the ranges of hashes.
//!
//! Layout, little-endian: `u32` count, `u32` bits of the index, `u32` bytes of the longest piece; then `2^bits + 1` ×
//! `u32`, the first piece of each range; `count + 1` × `u32`, where each piece's text begins; the texts.

use std::borrow::Cow;

/// Initial hash of a piece that begins a word, and of a continuation.
pub(crate) const HASH_START: [u32; 2] = [0x811c_9dc5, 0x3c6e_f35f];

/// BERT's prefix of a continuation.
const CONTINUED: &str = "##";
const HEADER: usize = 12;

/// FNV-1a, one byte at a time: one pass over a text yields the hashes of all its prefixes.
#[inline]
pub(crate) fn hash_step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// The pieces.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    bytes: Cow<'static, [u8]>,
    count: usize,
    bits: u32,
    longest: usize,
}

impl Vocabulary {
    /// Parses the layout above; `None` if it is truncated.
    pub(crate) fn read(bytes: impl Into<Cow<'static, [u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        let field = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..at + 4)?.as_array()?));
        let (count, bits, longest) = (field(0)? as usize, field(4)?, field(8)? as usize);
        if bits > 24 {
            return None;
        }
        let this = Self { count, bits, longest, bytes };
        (this.bytes.len() >= this.texts()
            && this.bytes.len() == this.texts() + this.number(this.ends() + 4 * count) as usize)
            .then_some(this)
    }

    /// Builds the layout from pieces; also returns which of these each stored piece is.
    pub(crate) fn build(pieces: &[impl AsRef<str>]) -> (Self, Vec<usize>) {
        let bits = pieces.len().max(2).ilog2();
        let mut order: Vec<(u32, &str, usize)> = pieces
            .iter()
            .enumerate()
            .map(|(n, piece)| (range_of(hash(piece.as_ref()), bits), piece.as_ref(), n))
            .collect();
        order.sort_unstable();
        let longest = pieces.iter().map(|piece| bare(piece.as_ref()).0.len()).max().unwrap_or(0);
        let mut bytes = Vec::new();
        let mut put = |number: usize| bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        [pieces.len(), bits as usize, longest].into_iter().for_each(&mut put);
        for range in 0..=1 << bits {
            put(order.partition_point(|(of, ..)| *of < range));
        }
        let mut end = 0;
        put(0);
        for (_, text, _) in &order {
            end += text.len();
            put(end);
        }
        for (_, text, _) in &order {
            bytes.extend(text.bytes());
        }
        let vocabulary = Self { count: pieces.len(), bits, longest, bytes: bytes.into() };
        (vocabulary, order.into_iter().map(|(.., n)| n).collect())
    }

    /// The piece with this text, without its prefix, and this hash.
    #[inline]
    pub(crate) fn find(&self, hash: u32, text: &[u8], continued: bool) -> Option<u32> {
        let range = HEADER + 4 * range_of(hash, self.bits) as usize;
        let mark = if continued { CONTINUED.as_bytes() } else { &[] };
        (self.number(range)..self.number(range + 4)).find(|piece| {
            let stored = self.stored(*piece);
            stored.len() == mark.len() + text.len() && stored.starts_with(mark) && stored.ends_with(text)
        })
    }

    /// The number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Length of the longest piece in bytes, without its prefix.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The text of a piece, with its prefix.
    pub(crate) fn text(&self, piece: u32) -> &str {
        std::str::from_utf8(self.stored(piece)).unwrap_or_default()
    }

    /// The layout, to write to a file.
    #[cfg(feature = "transformer")]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn stored(&self, piece: u32) -> &[u8] {
        let at = self.ends() + 4 * piece as usize;
        let texts = self.texts();
        &self.bytes[texts + self.number(at) as usize..texts + self.number(at + 4) as usize]
    }

    fn number(&self, at: usize) -> u32 {
        self.bytes[at..at + 4].as_array().copied().map_or(0, u32::from_le_bytes)
    }

    fn ends(&self) -> usize {
        HEADER + 4 * ((1 << self.bits) + 1)
    }

    fn texts(&self) -> usize {
        self.ends() + 4 * (self.count + 1)
    }
}

/// The range of a hash in the index: its upper bits after mixing.
fn range_of(hash: u32, bits: u32) -> u32 {
    (hash ^ (hash >> 15)).wrapping_mul(0x9e37_79b1) >> (32 - bits)
}

/// A piece without its prefix, and whether it had one.
fn bare(piece: &str) -> (&str, bool) {
    match piece.strip_prefix(CONTINUED) {
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (piece, false),
    }
}

fn hash(piece: &str) -> u32 {
    let (text, continued) = bare(piece);
    text.bytes().fold(HASH_START[usize::from(continued)], hash_step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_found_and_no_other() {
        let pieces: Vec<String> = (0..500).map(|n| format!("{}w{n}", if n % 3 == 0 { "##" } else { "" })).collect();
        let (vocabulary, order) = Vocabulary::build(&pieces);
        let vocabulary = Vocabulary::read(vocabulary.bytes.to_vec()).unwrap();
        for piece in &pieces {
            let (text, continued) = bare(piece);
            let found = vocabulary.find(hash(piece), text.as_bytes(), continued).unwrap();
            assert_eq!((vocabulary.text(found), &pieces[order[found as usize]]), (piece.as_str(), piece));
            assert_eq!(vocabulary.find(hash(piece), text.as_bytes(), !continued), None);
        }
        assert_eq!((vocabulary.count(), vocabulary.longest()), (500, 4));
        assert_eq!(vocabulary.find(hash("w500"), b"w500", false), None);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let bytes = Vocabulary::build(&["a", "##b"]).0.bytes.to_vec();
        assert!((0..bytes.len()).all(|length| Vocabulary::read(bytes[..length].to_vec()).is_none()));
        assert!(Vocabulary::read(bytes).is_some());
    }
}
