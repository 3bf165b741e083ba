//! The description of a model's folder: shape, pooling, prefixes. Read from the model's files, or from
//! `brain-model.json`, which `brain model install` writes next to them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::EmbedError;
use crate::tokenizer::Tokenizer;
use crate::weights::Weights;

/// Required files of a model.
pub const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];
/// Optional files of a model.
pub const OPTIONAL_FILES: [&str; 2] = ["1_Pooling/config.json", "config_sentence_transformers.json"];
/// The file that `brain model install` adds.
pub(super) const DESCRIPTION: &str = "brain-model.json";

/// Texts are truncated to this many tokens: supported encoders were trained on no more.
const MAX_TOKENS: usize = 256;
/// The English query prefix of BGE.
const BGE_QUERY: &str = "Represent this sentence for searching relevant passages: ";

/// How token vectors are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The mean.
    Mean,
    /// The vector of the first token.
    Cls,
}

/// The shape of a BERT model, from `config.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Components of a vector.
    pub hidden_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Attention heads per layer.
    pub num_attention_heads: usize,
    /// Size of the feed-forward layer.
    pub intermediate_size: usize,
    /// Size of the vocabulary.
    pub vocab_size: usize,
    /// Maximum length of a text in tokens.
    pub max_position_embeddings: usize,
    /// Number of segment types.
    pub type_vocab_size: usize,
    /// The epsilon of layer normalisation.
    pub layer_norm_eps: f32,
}

/// A model in a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Its source, as given at installation.
    pub source: String,
    /// Its shape.
    pub shape: Shape,
    /// How token vectors are combined.
    pub pooling: Pooling,
    /// The prefix of queries.
    pub query_prefix: String,
    /// The prefix of phrases.
    pub target_prefix: String,
    /// SHA-256 of everything that affects a vector.
    pub digest: String,
    /// Size of the files in bytes.
    pub bytes: u64,
}

impl Description {
    /// Reads and checks a model's files: every tensor has the configured shape, and the tokenizer is supported.
    pub fn examine(dir: &Path, source: &str) -> Result<Self, EmbedError> {
        let config_path = dir.join(FILES[0]);
        let config = read_json(&config_path)?;
        let shape = Shape::parse(&config).map_err(|problem| EmbedError::content(&config_path, problem))?;
        let weights = Weights::open(&dir.join(FILES[2]))?;
        for (name, shape) in shape.tensors() {
            weights.check(&name, &shape)?;
        }
        let tokenizer = Tokenizer::load(&dir.join(FILES[1]))?;
        if tokenizer.largest() as usize >= shape.vocab_size {
            return Err(EmbedError::content(dir.join(FILES[1]), "has more pieces than config.json says"));
        }
        let name = config.get("_name_or_path").and_then(Value::as_str).unwrap_or_default();
        let bge = [source, name].iter().any(|name| name.to_lowercase().contains("bge"));
        let pooling = pooling(dir)?.unwrap_or(if bge { Pooling::Cls } else { Pooling::Mean });
        let prompts = read_json(&dir.join(OPTIONAL_FILES[1])).ok().and_then(|file| file.get("prompts").cloned());
        let prompt = |names: &[&str]| {
            let found = names.iter().find_map(|name| prompts.as_ref()?.get(name)?.as_str());
            found.map(str::to_owned)
        };
        let query_prefix = prompt(&["query"]).unwrap_or_else(|| if bge { BGE_QUERY.into() } else { String::new() });
        let target_prefix = prompt(&["passage", "document"]).unwrap_or_default();
        let (hash, bytes) = hash_files(dir)?;
        let depends = serde_json::json!([hash, pooling, query_prefix, target_prefix]);
        let digest = hex::encode(Sha256::digest(depends.to_string()));
        Ok(Self { source: source.to_owned(), shape, pooling, query_prefix, target_prefix, digest, bytes })
    }

    /// The description of an installed model; for other folders, derived from the files.
    pub fn of(dir: &Path) -> Result<Self, EmbedError> {
        let path = dir.join(DESCRIPTION);
        if !path.is_file() {
            return Self::examine(dir, "");
        }
        let value = read_json(&path)?;
        let this: Self = serde_json::from_value(value)
            .map_err(|error| EmbedError::content(&path, format!("{error}; install the model again")))?;
        let mut bytes = 0;
        for name in FILES {
            let path = dir.join(name);
            bytes += path.metadata().map_err(EmbedError::file(path))?.len();
        }
        if bytes != this.bytes {
            return Err(EmbedError::content(
                dir,
                "its files have changed since it was installed; install the model again",
            ));
        }
        Ok(this)
    }

    /// Identifies the model and its weights.
    pub fn id(&self) -> String {
        format!("bert-{}", &self.digest[..12])
    }

    /// Maximum length of a text in tokens; longer texts are truncated.
    pub fn max_tokens(&self) -> usize {
        self.shape.max_position_embeddings.min(MAX_TOKENS)
    }
}

impl Shape {
    fn parse(config: &Value) -> Result<Self, String> {
        let kind = config.get("model_type").and_then(Value::as_str).unwrap_or("unknown");
        if kind != "bert" {
            return Err(format!("is a model of type `{kind}`; only `bert` is known"));
        }
        for (key, known) in [("hidden_act", "gelu"), ("position_embedding_type", "absolute")] {
            if let Some(value) = config.get(key).and_then(Value::as_str).filter(|value| *value != known) {
                return Err(format!("`{key}` is `{value}`; only `{known}` is known"));
            }
        }
        let shape: Self = serde_json::from_value(config.clone()).map_err(|error| error.to_string())?;
        let heads = shape.num_attention_heads;
        let whole = heads > 0 && shape.hidden_size.is_multiple_of(heads);
        if !whole || [shape.hidden_size, shape.intermediate_size].iter().any(|size| *size == 0 || size % 16 != 0) {
            return Err("its sizes are not multiples of 16 and of the number of heads".into());
        }
        if shape.max_position_embeddings < 3 || shape.type_vocab_size == 0 || shape.num_hidden_layers == 0 {
            return Err("it has no layers, positions or types".into());
        }
        Ok(shape)
    }

    /// The tensors of a model of this shape.
    pub(crate) fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let (hidden, inner) = (self.hidden_size, self.intermediate_size);
        let mut all = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![self.vocab_size, hidden]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![self.max_position_embeddings, hidden]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![self.type_vocab_size, hidden]),
        ];
        let mut layer = |name: String, shape: Vec<usize>| {
            all.push((format!("{name}.bias"), vec![shape[0]]));
            all.push((format!("{name}.weight"), shape));
        };
        layer("embeddings.LayerNorm".into(), vec![hidden]);
        for n in 0..self.num_hidden_layers {
            let part = |name: &str| format!("encoder.layer.{n}.{name}");
            for name in ["query", "key", "value"] {
                layer(part(&format!("attention.self.{name}")), vec![hidden, hidden]);
            }
            layer(part("attention.output.dense"), vec![hidden, hidden]);
            layer(part("attention.output.LayerNorm"), vec![hidden]);
            layer(part("intermediate.dense"), vec![inner, hidden]);
            layer(part("output.dense"), vec![hidden, inner]);
            layer(part("output.LayerNorm"), vec![hidden]);
        }
        all
    }
}

/// The configured pooling, if any.
fn pooling(dir: &Path) -> Result<Option<Pooling>, EmbedError> {
    let path = dir.join(OPTIONAL_FILES[0]);
    if !path.is_file() {
        return Ok(None);
    }
    let file = read_json(&path)?;
    let set = |key: &str| file.get(key).and_then(Value::as_bool).unwrap_or(false);
    match (set("pooling_mode_mean_tokens"), set("pooling_mode_cls_token")) {
        (true, false) => Ok(Some(Pooling::Mean)),
        (false, true) => Ok(Some(Pooling::Cls)),
        _ => Err(EmbedError::content(path, "only pooling by mean or by the first token is known")),
    }
}

fn read_json(path: &Path) -> Result<Value, EmbedError> {
    let text = std::fs::read(path).map_err(EmbedError::file(path))?;
    serde_json::from_slice(&text).map_err(|error| EmbedError::content(path, error.to_string()))
}

/// One hash over the files, and their total size.
fn hash_files(dir: &Path) -> Result<(String, u64), EmbedError> {
    let mut hash = Sha256::new();
    let mut bytes = 0;
    for name in FILES {
        let path = dir.join(name);
        let mut file = std::fs::File::open(&path).map_err(EmbedError::file(&path))?;
        let mut part = Sha256::new();
        bytes += std::io::copy(&mut file, &mut Writer(&mut part)).map_err(EmbedError::file(&path))?;
        hash.update(part.finalize());
    }
    Ok((hex::encode(hash.finalize()), bytes))
}

/// Adapts a hash to `io::Write`.
struct Writer<'a>(&'a mut Sha256);

impl std::io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
