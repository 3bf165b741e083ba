//! A model's tokenizer, from its `tokenizer.json`. Supports lower-case WordPiece, which English BERT-family sentence
//! encoders use; others are rejected with the reason.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::EmbedError;
use crate::vocabulary::Vocabulary;
use crate::wordpiece;

/// Maps texts to token ids.
pub(crate) struct Tokenizer {
    vocabulary: Vocabulary,
    /// The token id of each piece.
    numbers: Vec<u32>,
    unknown: u32,
    begin: u32,
    end: u32,
}

#[derive(Deserialize)]
struct File {
    normalizer: Option<Normalizer>,
    model: Model,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    lowercase: Option<bool>,
    strip_accents: Option<bool>,
}

#[derive(Deserialize)]
struct Model {
    /// Absent in old files, which use WordPiece if they have such a vocabulary.
    #[serde(rename = "type")]
    kind: Option<String>,
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    vocab: serde_json::Value,
}

impl Tokenizer {
    pub(crate) fn load(path: &Path) -> Result<Self, EmbedError> {
        let text = std::fs::read(path).map_err(EmbedError::file(path))?;
        Self::parse(&text).map_err(|problem| EmbedError::content(path, problem))
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let file: File = serde_json::from_slice(text).map_err(|error| format!("is not a tokenizer: {error}"))?;
        let kind = file.model.kind.as_deref().unwrap_or("WordPiece");
        if kind != "WordPiece" || file.model.continuing_subword_prefix.is_some_and(|prefix| prefix != "##") {
            return Err(format!("is a {kind} tokenizer; only word pieces (`WordPiece`, `##`) are supported"));
        }
        if let Some(normalizer) = file.normalizer {
            let lower = normalizer.lowercase != Some(false) && normalizer.strip_accents != Some(false);
            if normalizer.kind != "BertNormalizer" || !lower {
                return Err(
                    "keeps capitals or accents; only lower-casing tokenizers (`BertNormalizer`) are supported".into()
                );
            }
        }
        let vocab: BTreeMap<String, u32> =
            serde_json::from_value(file.model.vocab).map_err(|error| format!("has no vocabulary: {error}"))?;
        let special = |name: &str| vocab.get(name).copied().ok_or_else(|| format!("its vocabulary has no `{name}`"));
        let (unknown, begin, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        let pieces: Vec<(&String, u32)> = vocab.iter().map(|(piece, number)| (piece, *number)).collect();
        let texts: Vec<&str> = pieces.iter().map(|(piece, _)| piece.as_str()).collect();
        let (vocabulary, order) = Vocabulary::build(&texts);
        let numbers = order.into_iter().map(|n| pieces[n].1).collect();
        Ok(Self { vocabulary, numbers, unknown, begin, end })
    }

    /// The largest token id.
    pub(crate) fn largest(&self) -> u32 {
        self.numbers.iter().copied().max().unwrap_or(0)
    }

    /// All pieces with their token ids.
    pub(crate) fn pieces(&self) -> Vec<(String, u32)> {
        let piece = |(n, number): (usize, &u32)| (self.vocabulary.text(n as u32).to_owned(), *number);
        self.numbers.iter().enumerate().map(piece).collect()
    }

    /// The special tokens before and after every text.
    pub(crate) fn marks(&self) -> [u32; 2] {
        [self.begin, self.end]
    }

    /// Appends the token ids of a text between its special tokens, truncated to `most` ids.
    pub(crate) fn encode(&self, prefix: &str, text: &str, most: usize, out: &mut Vec<u32>) {
        let limit = out.len() + most.saturating_sub(1);
        out.push(self.begin);
        for part in [prefix, text] {
            wordpiece::pieces(&self.vocabulary, part, |piece, _| {
                if out.len() < limit {
                    out.push(piece.map_or(self.unknown, |piece| self.numbers[piece as usize]));
                }
            });
        }
        out.push(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r###"{"normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null},
        "model": {"type": "WordPiece", "continuing_subword_prefix": "##",
            "vocab": {"[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "pay": 7, "##ing": 9, "bob": 8}}}"###;

    #[test]
    fn a_text_stands_between_its_marks_and_is_cut_off_before_the_last() {
        let tokenizer = Tokenizer::parse(FILE.as_bytes()).unwrap();
        let numbers = |prefix: &str, text: &str, most: usize| {
            let mut out = Vec::new();
            tokenizer.encode(prefix, text, most, &mut out);
            out
        };
        assert_eq!(numbers("", "Paying BOB zoë", 9), [2, 7, 9, 8, 1, 3]);
        assert_eq!(numbers("pay: ", "bob", 9), [2, 7, 1, 8, 3]);
        assert_eq!(numbers("", "Paying BOB zoë", 4), [2, 7, 9, 3]);
        assert_eq!((tokenizer.marks(), tokenizer.largest(), tokenizer.pieces().len()), ([2, 3], 9, 6));
    }

    #[test]
    fn what_is_not_known_is_refused_with_the_reason() {
        for (from, to, reason) in [
            ("WordPiece", "Unigram", "is a Unigram tokenizer"),
            ("\"lowercase\": true", "\"lowercase\": false", "keeps capitals"),
            ("[CLS]", "<s>", "has no `[CLS]`"),
            ("{\"normalizer\"", "[", "is not a tokenizer"),
        ] {
            let problem = Tokenizer::parse(FILE.replacen(from, to, 1).as_bytes()).err().unwrap();
            assert!(problem.contains(reason), "{problem}");
        }
    }
}
