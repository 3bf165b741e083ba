//! Distils the static table from a transformer's weights; `cargo xtask distill` runs it. The same weights give the
//! same bytes on every machine.

mod pca;
mod refit;
mod sentences;

use std::path::Path;

use sha2::{Digest, Sha256};

use self::sentences::Sentences;
use crate::models::FILES;
use crate::static_table::{MAGIC, VERSION};
use crate::tokenizer::Tokenizer;
use crate::transformer::{Pick, quantised};
use crate::vector::{dot, to_unit};
use crate::vocabulary::Vocabulary;
use crate::{EmbedError, Encoder, Transformer};

/// Components of a row.
const DIM: usize = 256;
/// SIF weights are `A / (A + frequency)`.
const A: f64 = 1e-3;
/// Number of sentences for the fit.
const SENTENCES: usize = 80_000;
/// BERT's vocabulary is sorted by frequency from here on; special tokens and single characters come before.
const FIRST_WORD: u32 = 1996;
/// Maximum size of the file.
const MAX_BYTES: usize = 8_000_000;

/// Makes `static-en.bin` from a model's folder.
pub fn distill(dir: &Path) -> Result<Vec<u8>, EmbedError> {
    let model = Transformer::load(dir)?;
    let pieces = pieces(dir)?;
    let sentences = Sentences::over(&pieces, FIRST_WORD).take(SENTENCES).collect();
    let path = dir.join(FILES[2]);
    let hash = std::fs::read(&path).map_err(EmbedError::file(&path)).map(|bytes| hex::encode(Sha256::digest(bytes)))?;
    let table = write(&pieces, &rows(&model, &pieces, sentences), &note(&hash));
    if table.len() > MAX_BYTES {
        return Err(EmbedError::content("static-en.bin", format!("has {} bytes, more than {MAX_BYTES}", table.len())));
    }
    Ok(table)
}

/// A row for each piece: its embedding alone, weighted by rarity, refitted to sentences, reduced to the principal
/// components.
fn rows(model: &Transformer, pieces: &[(String, u32)], sentences: Vec<Vec<usize>>) -> Vec<Vec<f32>> {
    let alone: Vec<Vec<u32>> = pieces.iter().map(|(_, number)| model.between_marks(&[*number])).collect();
    let mut rows = model.encode_all(&alone, Pick::Token(1));
    let mut mean = vec![0.0_f64; model.dim()];
    for row in &rows {
        mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    for (row, (text, number)) in rows.iter_mut().zip(pieces) {
        let weight = (A / (A + frequency(text, *number))) as f32;
        let mean = mean.iter().map(|sum| (sum / pieces.len() as f64) as f32);
        row.iter_mut().zip(mean).for_each(|(value, mean)| *value = weight * (*value - mean));
    }
    let tokens =
        |sentence: &Vec<usize>| model.between_marks(&sentence.iter().map(|piece| pieces[*piece].1).collect::<Vec<_>>());
    let targets = model.encode_all(&sentences.iter().map(tokens).collect::<Vec<_>>(), Pick::Mean);
    let rows = refit::refit(&rows, &sentences, &targets);
    let directions = pca::main_directions(&rows, DIM);
    let project = |row: &Vec<f32>| directions.iter().map(|direction| dot(direction, row)).collect();
    rows.iter().map(project).collect()
}

/// The pieces for English with their token ids: ASCII, and a few other signs.
fn pieces(dir: &Path) -> Result<Vec<(String, u32)>, EmbedError> {
    let mut pieces = Tokenizer::load(&dir.join(FILES[1]))?.pieces();
    pieces.retain(|(text, _)| {
        let marker = text.len() > 1 && text.starts_with('[');
        let known = |c: char| c.is_ascii_graphic() || "£€¥¢°½¼¾ßæøœ".contains(c);
        !marker && text.chars().all(known)
    });
    pieces.sort_by_key(|(_, number)| *number);
    Ok(pieces)
}

/// Estimated frequency of a piece: by Zipf's law from its rank; for single characters, which are sorted by code, by
/// their kind.
fn frequency(text: &str, number: u32) -> f64 {
    // The sum of 1/rank over the vocabulary.
    const HARMONIC: f64 = 10.837;
    let mut chars = text.chars();
    match (number.checked_sub(FIRST_WORD), chars.next(), chars.next()) {
        (Some(rank), ..) => 1.0 / (f64::from(rank + 1) * HARMONIC),
        (None, Some('a' | 'i'), None) => 0.015,
        (None, Some(c), None) if c.is_alphanumeric() => 1e-3,
        (None, Some(_), None) => 0.02,
        // `##a` and the like.
        _ => 1e-3,
    }
}

fn note(hash: &str) -> String {
    format!(
        "Made by `cargo xtask distill` from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), model.safetensors with SHA-256 {hash}. \
         Each word piece of English alone through the encoder, SIF weights {A} over Zipf frequencies, fitted to {SENTENCES} made-up \
         sentences, {DIM} main directions, 8 bits a number."
    )
}

/// The file in the format of `static_table.rs`.
fn write(pieces: &[(String, u32)], rows: &[Vec<f32>], note: &str) -> Vec<u8> {
    let texts: Vec<&str> = pieces.iter().map(|(text, _)| text.as_str()).collect();
    let (vocabulary, order) = Vocabulary::build(&texts);
    let dim = rows.first().map_or(0, Vec::len);
    let mut file = MAGIC.to_vec();
    let vocabulary = vocabulary.bytes();
    for field in [VERSION as usize, dim, rows.len(), note.len(), vocabulary.len()] {
        file.extend(u32::try_from(field).unwrap_or(u32::MAX).to_le_bytes());
    }
    file.extend(note.bytes());
    // Rows are unit vectors; the weight of a row is its original length relative to the longest.
    let lengths: Vec<f32> = rows.iter().map(|row| dot(row, row).sqrt()).collect();
    let longest = lengths.iter().copied().fold(0.0, f32::max);
    let mut units = rows.to_vec();
    units.iter_mut().for_each(|row| to_unit(row));
    let (values, scales) = quantised(&order.iter().flat_map(|n| units[*n].iter().copied()).collect::<Vec<_>>(), dim);
    file.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
    file.extend(order.iter().flat_map(|n| (lengths[*n] / longest).to_le_bytes()));
    file.extend(values.into_iter().map(i8::cast_unsigned));
    file.extend(vocabulary);
    let hash = Sha256::digest(&file);
    file.extend(hash);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StaticTable;

    #[test]
    fn the_same_weights_give_the_same_bytes_on_every_machine() {
        let folder = tempfile::tempdir().unwrap();
        brain_testbed::tiny_model(folder.path(), 1).unwrap();
        let model = Transformer::load(folder.path()).unwrap();
        let pieces = pieces(folder.path()).unwrap();
        let texts: Vec<&str> = pieces.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["pay", "##ing", "bob", "the", "bill", "call", "task", "list"]);
        let sentences: Vec<Vec<usize>> = Sentences::over(&pieces, 0).take(40).collect();
        let file = write(&pieces, &rows(&model, &pieces, sentences), "a note");
        assert_eq!(hex::encode(&file[file.len() - 32..][..8]), "d1152234463a7b6f");
        let table = StaticTable::read(file.leak()).unwrap();
        assert_eq!((table.dim(), table.rows(), table.note()), (16, 8, "a note"));
    }

    #[test]
    fn the_table_in_the_binary_sees_likenesses_as_these_weights_do() {
        let dir = brain_testbed::minilm().unwrap();
        let model = Transformer::load(&dir).unwrap();
        let table = StaticTable::built_in();
        let hash = hex::encode(Sha256::digest(std::fs::read(dir.join(FILES[2])).unwrap()));
        assert_eq!(table.note(), note(&hash));
        let pieces = pieces(&dir).unwrap();
        assert_eq!(pieces.len(), table.rows());
        // Sentences that were not used in the fit.
        let sentences = Sentences::over(&pieces, FIRST_WORD).skip(SENTENCES).take(60);
        let texts: Vec<String> = sentences
            .map(|sentence| {
                sentence.iter().map(|piece| pieces[*piece].0.as_str()).collect::<Vec<_>>().join(" ").replace(" ##", "")
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let cosines = |vectors: Vec<Vec<f32>>| -> Vec<f32> {
            (1..vectors.len())
                .flat_map(|n| (0..n).map(move |m| (n, m)))
                .map(|(n, m)| dot(&vectors[n], &vectors[m]))
                .collect()
        };
        let agreement = correlation(&cosines(model.encode_targets(&texts)), &cosines(table.encode_targets(&texts)));
        assert!(agreement > 0.65, "{agreement}");
    }

    fn correlation(a: &[f32], b: &[f32]) -> f32 {
        let centred = |list: &[f32]| -> Vec<f32> {
            let mean = list.iter().sum::<f32>() / list.len() as f32;
            list.iter().map(|value| value - mean).collect()
        };
        let (a, b) = (centred(a), centred(b));
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
    }
}
