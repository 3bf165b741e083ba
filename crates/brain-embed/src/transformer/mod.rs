//! BERT-family sentence encoders on the CPU, from a folder with `config.json`, `tokenizer.json` and
//! `model.safetensors`.

mod bert;
mod linear;
mod math;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use self::bert::Bert;
pub use self::linear::Precision;
pub(crate) use self::linear::quantised;
use crate::models::{Description, FILES, Pooling};
use crate::tokenizer::Tokenizer;
use crate::vector::to_unit;
use crate::weights::Weights;
use crate::{EmbedError, Encoder};

/// Tokens per batch: enough to amortise reading the weights.
const BATCH_TOKENS: usize = 128;

/// Which token rows become the text's vector.
#[derive(Clone, Copy)]
pub(crate) enum Pick {
    /// The mean of all.
    Mean,
    /// The row of one token.
    Token(usize),
}

/// A sentence encoder.
pub struct Transformer {
    id: String,
    description: Description,
    tokenizer: Tokenizer,
    bert: Bert,
}

impl Transformer {
    /// Loads a model with 8-bit weights.
    pub fn load(dir: &Path) -> Result<Self, EmbedError> {
        Self::load_with(dir, Precision::Q8)
    }

    /// Loads a model.
    pub fn load_with(dir: &Path, precision: Precision) -> Result<Self, EmbedError> {
        let description = Description::of(dir)?;
        let tokenizer = Tokenizer::load(&dir.join(FILES[1]))?;
        let weights = Weights::open(&dir.join(FILES[2]))?;
        let bert = Bert::load(&weights, &description.shape, precision)?;
        // The trailing number versions this implementation.
        let precision = if precision == Precision::Q8 { "q8" } else { "f32" };
        let id = format!("{}-{precision}-1", description.id());
        Ok(Self { id, description, tokenizer, bert })
    }

    /// The vectors of tokenised texts, in batches, on all cores.
    pub(crate) fn encode_all(&self, texts: &[Vec<u32>], pick: Pick) -> Vec<Vec<f32>> {
        let batches = batches(texts);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut tokens = Vec::new();
                let mut places = Vec::new();
                for n in batch {
                    places.push(tokens.len()..tokens.len() + texts[*n].len());
                    tokens.extend(&texts[*n]);
                }
                self.encode_tokens(&tokens, &places, pick, |n, vector| done.push((batch[n], vector)));
            }
            done
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(batches.len());
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut keep = |done: Vec<(usize, Vec<f32>)>| done.into_iter().for_each(|(n, vector)| vectors[n] = vector);
        if threads <= 1 {
            keep(work());
            return vectors;
        }
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                keep(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
        vectors
    }

    /// The vectors of tokenised texts, in one pass.
    fn encode_tokens(&self, tokens: &[u32], texts: &[Range<usize>], pick: Pick, mut each: impl FnMut(usize, Vec<f32>)) {
        let dim = self.dim();
        let state = self.bert.forward(tokens, texts);
        for (n, text) in texts.iter().enumerate() {
            let rows = &state[text.start * dim..text.end * dim];
            let mut vector = vec![0.0; dim];
            match pick {
                Pick::Token(n) => vector.copy_from_slice(&rows[n * dim..][..dim]),
                // The mean has the direction of the sum.
                Pick::Mean => {
                    for row in rows.chunks(dim) {
                        vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                    }
                }
            }
            to_unit(&mut vector);
            each(n, vector);
        }
    }

    /// Tokens between the special tokens.
    pub(crate) fn between_marks(&self, tokens: &[u32]) -> Vec<u32> {
        let [begin, end] = self.tokenizer.marks();
        [&[begin], tokens, &[end]].concat()
    }

    fn pick(&self) -> Pick {
        match self.description.pooling {
            Pooling::Mean => Pick::Mean,
            Pooling::Cls => Pick::Token(0),
        }
    }

    fn tokens(&self, prefix: &str, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        self.tokenizer.encode(prefix, text, self.description.max_tokens(), &mut tokens);
        tokens
    }
}

impl Encoder for Transformer {
    fn id(&self) -> &str {
        &self.id
    }

    fn dim(&self) -> usize {
        self.description.shape.hidden_size
    }

    fn encode(&self, text: &str, out: &mut [f32]) {
        assert_eq!(out.len(), self.dim(), "the length of `out`");
        let tokens = self.tokens(&self.description.query_prefix, text);
        self.encode_tokens(&tokens, std::slice::from_ref(&(0..tokens.len())), self.pick(), |_, vector| {
            out.copy_from_slice(&vector)
        });
    }

    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let prefix = &self.description.target_prefix;
        let texts: Vec<Vec<u32>> = texts.iter().map(|text| self.tokens(prefix, text)).collect();
        self.encode_all(&texts, self.pick())
    }
}

/// Batches of texts, by index. A vector does not depend on its batch.
fn batches(texts: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for (n, text) in texts.iter().enumerate() {
        match batches.last_mut().filter(|_| text.len() <= room) {
            Some(batch) => batch.push(n),
            None => {
                batches.push(vec![n]);
                room = BATCH_TOKENS;
            }
        }
        room = room.saturating_sub(text.len());
    }
    batches
}
