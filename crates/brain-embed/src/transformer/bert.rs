//! The forward pass of a BERT encoder. Texts of a batch are concatenated: linear layers see one long input, attention
//! sees each text alone. Nothing is padded or masked.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::linear::{Linear, Precision, quantised};
use super::math::{gelu, layer_norm, softmax};
use crate::EmbedError;
use crate::models::Shape;
use crate::vector::dot;
use crate::weights::Weights;

/// An encoder with its weights.
pub(super) struct Bert {
    shape: Shape,
    words: Words,
    /// Position embeddings, with the first segment type added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// The word embeddings, one row per piece.
enum Words {
    F32(Vec<f32>),
    Q8 { values: Vec<i8>, scales: Vec<f32> },
}

impl Words {
    fn load(weights: &Weights, shape: [usize; 2], precision: Precision) -> Result<Self, EmbedError> {
        const NAME: &str = "embeddings.word_embeddings.weight";
        // Read in parts: the table is half of the file and must not be in memory twice.
        const PART: usize = 1024;
        if precision == Precision::F32 {
            return Ok(Self::F32(weights.read(NAME, &shape)?));
        }
        let (mut values, mut scales) = (Vec::with_capacity(shape[0] * shape[1]), Vec::with_capacity(shape[0]));
        for begin in (0..shape[0]).step_by(PART) {
            let part = weights.read_rows(NAME, &shape, begin..shape[0].min(begin + PART))?;
            let (part_values, part_scales) = quantised(&part, shape[1]);
            values.extend(part_values);
            scales.extend(part_scales);
        }
        Ok(Self::Q8 { values, scales })
    }
}

struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

struct Layer {
    /// Query, key and value projections, fused.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    inner: Linear,
    output: Linear,
    output_norm: Norm,
}

impl Bert {
    pub(super) fn load(weights: &Weights, shape: &Shape, precision: Precision) -> Result<Self, EmbedError> {
        let (hidden, inner) = (shape.hidden_size, shape.intermediate_size);
        let table = |name: &str, rows| weights.read(&format!("embeddings.{name}.weight"), &[rows, hidden]);
        let words = Words::load(weights, [shape.vocab_size, hidden], precision)?;
        let mut positions = table("position_embeddings", shape.max_position_embeddings)?;
        let types = table("token_type_embeddings", shape.type_vocab_size)?;
        for row in positions.chunks_mut(hidden) {
            row.iter_mut().zip(&types).for_each(|(value, of_type)| *value += of_type);
        }
        let norm = |name: &str| {
            let read = |part: &str| weights.read(&format!("{name}.{part}"), &[hidden]);
            Ok::<_, EmbedError>(Norm { scale: read("weight")?, shift: read("bias")? })
        };
        let layer = |n: usize| {
            let linear = |names: &[&str], outputs: usize, inputs: usize| {
                let (mut matrix, mut bias) = (Vec::new(), Vec::new());
                for name in names {
                    matrix.extend(weights.read(&format!("encoder.layer.{n}.{name}.weight"), &[outputs, inputs])?);
                    bias.extend(weights.read(&format!("encoder.layer.{n}.{name}.bias"), &[outputs])?);
                }
                Ok::<_, EmbedError>(Linear::new(matrix, bias, precision))
            };
            let attention = ["attention.self.query", "attention.self.key", "attention.self.value"];
            Ok::<_, EmbedError>(Layer {
                attention: linear(&attention, hidden, hidden)?,
                attention_output: linear(&["attention.output.dense"], hidden, hidden)?,
                attention_norm: norm(&format!("encoder.layer.{n}.attention.output.LayerNorm"))?,
                inner: linear(&["intermediate.dense"], inner, hidden)?,
                output: linear(&["output.dense"], hidden, inner)?,
                output_norm: norm(&format!("encoder.layer.{n}.output.LayerNorm"))?,
            })
        };
        let layers = (0..shape.num_hidden_layers).map(layer).collect::<Result<_, _>>()?;
        Ok(Self { words, positions, norm: norm("embeddings.LayerNorm")?, layers, shape: shape.clone() })
    }

    /// The last hidden state, one row per token. `texts` are the token ranges of the texts.
    pub(super) fn forward(&self, tokens: &[u32], texts: &[Range<usize>]) -> Vec<f32> {
        let hidden = self.shape.hidden_size;
        let mut state = self.embed(tokens, texts);
        let mut fused = vec![0.0; 3 * state.len()];
        let mut mixed = vec![0.0; state.len()];
        let mut added = vec![0.0; state.len()];
        let mut inner = vec![0.0; tokens.len() * self.shape.intermediate_size];
        for layer in &self.layers {
            layer.attention.apply(&state, &mut fused);
            for text in texts {
                let rows = 3 * hidden * text.start..3 * hidden * text.end;
                self.attend(&fused[rows], &mut mixed[hidden * text.start..hidden * text.end]);
            }
            layer.attention_output.apply(&mixed, &mut added);
            self.add_and_norm(&mut state, &added, &layer.attention_norm);
            layer.inner.apply(&state, &mut inner);
            Arch::new().dispatch(Gelu(&mut inner));
            layer.output.apply(&inner, &mut added);
            self.add_and_norm(&mut state, &added, &layer.output_norm);
        }
        state
    }

    fn embed(&self, tokens: &[u32], texts: &[Range<usize>]) -> Vec<f32> {
        let hidden = self.shape.hidden_size;
        let mut state = vec![0.0; tokens.len() * hidden];
        for text in texts {
            for (position, at) in text.clone().enumerate() {
                let row = &mut state[at * hidden..][..hidden];
                row.copy_from_slice(&self.positions[position * hidden..][..hidden]);
                let word = tokens[at] as usize;
                match &self.words {
                    Words::F32(table) => {
                        row.iter_mut().zip(&table[word * hidden..]).for_each(|(value, word)| *value += word);
                    }
                    Words::Q8 { values, scales } => {
                        let scale = scales[word];
                        let word = &values[word * hidden..];
                        row.iter_mut().zip(word).for_each(|(value, word)| *value += scale * f32::from(*word));
                    }
                }
            }
        }
        self.norm_rows(&mut state, &self.norm);
        state
    }

    fn add_and_norm(&self, state: &mut [f32], added: &[f32], norm: &Norm) {
        state.iter_mut().zip(added).for_each(|(value, added)| *value += added);
        self.norm_rows(state, norm);
    }

    fn norm_rows(&self, state: &mut [f32], norm: &Norm) {
        Arch::new().dispatch(NormRows { state, norm, epsilon: self.shape.layer_norm_eps });
    }

    /// Attention within one text. Each row of `fused` has query, key and value.
    fn attend(&self, fused: &[f32], mixed: &mut [f32]) {
        let (hidden, heads) = (self.shape.hidden_size, self.shape.num_attention_heads);
        let mut scores = vec![0.0; mixed.len() / hidden];
        Arch::new().dispatch(Attention { fused, mixed, scores: &mut scores, hidden, heads });
    }
}

struct Gelu<'a>(&'a mut [f32]);

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.iter_mut().for_each(|value| *value = gelu(*value));
    }
}

struct NormRows<'a> {
    state: &'a mut [f32],
    norm: &'a Norm,
    epsilon: f32,
}

impl WithSimd for NormRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for row in self.state.chunks_mut(self.norm.scale.len()) {
            layer_norm(row, &self.norm.scale, &self.norm.shift, self.epsilon);
        }
    }
}

struct Attention<'a> {
    fused: &'a [f32],
    mixed: &'a mut [f32],
    /// Scratch space: one score per token.
    scores: &'a mut [f32],
    hidden: usize,
    heads: usize,
}

impl WithSimd for Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { fused, mixed, scores, hidden, heads } = self;
        let size = hidden / heads;
        let scale = 1.0 / (size as f32).sqrt();
        for head in 0..heads {
            let part = |token: usize, which: usize| &fused[(3 * token + which) * hidden + head * size..][..size];
            for token in 0..scores.len() {
                let query = part(token, 0);
                for (other, score) in scores.iter_mut().enumerate() {
                    *score = scale * dot(query, part(other, 1));
                }
                softmax(scores);
                let out = &mut mixed[token * hidden + head * size..][..size];
                out.fill(0.0);
                for (other, share) in scores.iter().enumerate() {
                    out.iter_mut().zip(part(other, 2)).for_each(|(out, value)| *out += share * value);
                }
            }
        }
    }
}
