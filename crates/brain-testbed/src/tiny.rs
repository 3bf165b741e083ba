//! A sentence encoder of a few kilobytes, with all the parts of a real one and random weights.

use std::path::Path;

const HIDDEN: usize = 16;
const INNER: usize = 32;
const WORDS: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "pay", "##ing", "bob", "the", "bill", "call", "task", "list"];

/// Writes the model's files into a folder. The weights depend on the seed.
pub fn tiny_model(folder: &Path, seed: u32) -> Result<(), String> {
    let vocab: Vec<String> = WORDS.iter().enumerate().map(|(n, word)| format!("\"{word}\":{n}")).collect();
    let config = format!(
        r#"{{"model_type":"bert","hidden_size":{HIDDEN},"num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":{INNER},"vocab_size":{},"max_position_embeddings":24,"type_vocab_size":2,"layer_norm_eps":1e-12,"hidden_act":"gelu"}}"#,
        WORDS.len()
    );
    let tokenizer = format!(
        r###"{{"normalizer":{{"type":"BertNormalizer","lowercase":true,"strip_accents":null}},"model":{{"type":"WordPiece","continuing_subword_prefix":"##","vocab":{{{}}}}}}}"###,
        vocab.join(",")
    );
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).map_err(|error| format!("{}: {error}", folder.join(name).display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    write("config.json", config.as_bytes())?;
    write("tokenizer.json", tokenizer.as_bytes())?;
    write("model.safetensors", &weights(seed))
}

fn weights(seed: u32) -> Vec<u8> {
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![WORDS.len(), HIDDEN]),
        ("embeddings.position_embeddings.weight".into(), vec![24, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, HIDDEN]),
    ];
    for (name, shape) in [
        ("embeddings.LayerNorm", vec![HIDDEN]),
        ("encoder.layer.0.attention.self.query", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.self.key", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.self.value", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.output.dense", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.output.LayerNorm", vec![HIDDEN]),
        ("encoder.layer.0.intermediate.dense", vec![INNER, HIDDEN]),
        ("encoder.layer.0.output.dense", vec![HIDDEN, INNER]),
        ("encoder.layer.0.output.LayerNorm", vec![HIDDEN]),
    ] {
        tensors.push((format!("{name}.bias"), vec![shape[0]]));
        tensors.push((format!("{name}.weight"), shape));
    }
    let (mut entries, mut numbers) = (Vec::new(), Vec::new());
    let mut state = seed;
    for (name, shape) in tensors {
        let begin = numbers.len();
        for _ in 0..shape.iter().product::<usize>() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from((state >> 16) as u16) / 65_536.0 - 0.5;
            numbers.extend(value.to_le_bytes());
        }
        entries.push(format!(
            r#""{name}":{{"dtype":"F32","shape":{shape:?},"data_offsets":[{begin},{}]}}"#,
            numbers.len()
        ));
    }
    let header = format!("{{{}}}", entries.join(","));
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(numbers);
    file
}
