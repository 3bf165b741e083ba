//! Reads the weights of a BERT encoder from an ONNX file, with 32-bit or dynamically quantised 8-bit numbers, as the usual
//! exporters write them, and stores them as `model.safetensors`. The graph itself is not run: a matrix gets its name from
//! the node that multiplies with it.

mod tensor;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use self::tensor::Tensor;
use self::wire::{Field, Fields};
use crate::EmbedError;

/// Maximum size of an ONNX file: a Protocol Buffers message cannot be larger.
pub const MAX_ONNX: u64 = (1 << 31) - 1;
/// Maximum number of tensors and of nodes.
const MAX_PARTS: usize = 100_000;

/// A matrix multiplication.
struct Product<'b> {
    /// The path of its layer: `encoder.layer.0.output.dense`.
    layer: String,
    /// The tensor that it multiplies with.
    by: &'b str,
}

/// The weights of an ONNX file.
struct Model<'b> {
    tensors: BTreeMap<&'b str, Tensor<'b>>,
    products: Vec<Product<'b>>,
}

/// Reads an ONNX file and writes its weights as `model.safetensors`.
pub fn convert(onnx: &Path, to: &Path) -> Result<(), EmbedError> {
    let length = onnx.metadata().map_err(EmbedError::file(onnx))?.len();
    if length > MAX_ONNX {
        return Err(EmbedError::content(onnx, format!("has more than {MAX_ONNX} bytes")));
    }
    let bytes = std::fs::read(onnx).map_err(EmbedError::file(onnx))?;
    let written = safetensors(&bytes).map_err(|problem| EmbedError::content(onnx, problem))?;
    let mut file = std::fs::File::create(to).map_err(EmbedError::file(to))?;
    file.write_all(&written).and_then(|()| file.sync_all()).map_err(EmbedError::file(to))
}

/// The weights of an ONNX file in the format of `safetensors`. 8-bit weights stay as they are; their scales and zero
/// points are tensors of their own, `NAME.scale` and `NAME.zero`.
pub fn safetensors(onnx: &[u8]) -> Result<Vec<u8>, String> {
    let model = read(onnx)?;
    let mut header = Map::new();
    let mut data = Vec::new();
    let mut add = |name: String, kind: &str, shape: &[usize], bytes: &[u8]| {
        let from = data.len();
        data.extend_from_slice(bytes);
        let entry = json!({"dtype": kind, "shape": shape, "data_offsets": [from, data.len()]});
        header.insert(name, entry);
    };
    let (mut known, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (name, source, turned) in model.named() {
        if !known.insert(name.clone()) {
            return Err(format!("has two tensors for `{name}`"));
        }
        // Otherwise a small file could have weights of any size.
        if !used.insert(source) {
            return Err(format!("uses `{source}` twice"));
        }
        let tensor = &model.tensors[source];
        let (shape, bytes) = if turned { tensor.turned()? } else { (tensor.shape.clone(), tensor.bytes.to_vec()) };
        add(name.clone(), tensor.kind.name(), &shape, &bytes);
        if tensor.kind.is_quantised() {
            let (scales, zeros) = model.scales_of(source, tensor, if turned { shape[0] } else { 1 })?;
            let flat = |list: Vec<f32>| list.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
            add(format!("{name}.scale"), "F32", &[scales.len()], &flat(scales));
            add(format!("{name}.zero"), "F32", &[zeros.len()], &flat(zeros));
        }
    }
    if known.is_empty() {
        return Err("has no weights of a BERT encoder".into());
    }
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    Ok(file)
}

fn read(onnx: &[u8]) -> Result<Model<'_>, String> {
    const NOT_ONNX: &str = "is not an ONNX file, or is truncated";
    let mut fields = Fields::new(onnx);
    let graph = fields.find_map(|(number, field)| match field {
        Field::Bytes(bytes) if number == 7 => Some(bytes),
        _ => None,
    });
    let graph = graph.ok_or(NOT_ONNX)?;
    let mut model = Model { tensors: BTreeMap::new(), products: Vec::new() };
    let mut fields = Fields::new(graph);
    for (count, (number, field)) in fields.by_ref().enumerate() {
        let Field::Bytes(bytes) = field else { continue };
        if count > MAX_PARTS {
            return Err(format!("has more than {MAX_PARTS} parts"));
        }
        match number {
            1 => model.products.extend(product(bytes)),
            5 => {
                let (name, tensor) = Tensor::read(bytes)?;
                model.tensors.insert(name, tensor);
            }
            _ => {}
        }
    }
    if fields.is_broken() { Err(NOT_ONNX.into()) } else { Ok(model) }
}

/// A node that multiplies with a matrix, if this is one.
fn product(node: &[u8]) -> Option<Product<'_>> {
    let (mut inputs, mut name, mut operation) = (Vec::new(), "", "");
    for (number, field) in Fields::new(node) {
        let Field::Bytes(bytes) = field else { continue };
        match number {
            1 => inputs.push(std::str::from_utf8(bytes).ok()?),
            3 => name = std::str::from_utf8(bytes).ok()?,
            4 => operation = std::str::from_utf8(bytes).ok()?,
            _ => {}
        }
    }
    if !matches!(operation, "MatMul" | "MatMulInteger") {
        return None;
    }
    let layer = name.rsplit_once('/')?.0.trim_start_matches('/').replace('/', ".");
    Some(Product { layer, by: inputs.get(1).copied()? })
}

impl<'b> Model<'b> {
    /// The tensors under the names of an ordinary BERT: name, name in the file, and whether it is stored transposed.
    fn named(&self) -> Vec<(String, &'b str, bool)> {
        let is_part = |name: &str| name.ends_with("_scale") || name.ends_with("_zero_point");
        let own = self.tensors.keys().filter(|name| !is_part(name)).filter_map(|name| {
            let bare = name.strip_suffix("_quantized").unwrap_or(name);
            let bare = bare.strip_prefix("bert.").unwrap_or(bare);
            let is_bert = bare.starts_with("embeddings.") || bare.starts_with("encoder.");
            is_bert.then(|| (bare.to_owned(), *name, false))
        });
        let multiplied = self.products.iter().filter_map(|product| {
            let (name, _) = self.tensors.get_key_value(product.by)?;
            let layer = product.layer.strip_prefix("bert.").unwrap_or(&product.layer);
            let is_own = name.starts_with("embeddings.") || name.starts_with("encoder.") || name.starts_with("bert.");
            (!is_own).then(|| (format!("{layer}.weight"), *name, true))
        });
        own.chain(multiplied).collect()
    }

    /// The scales and zero points of an 8-bit tensor: one for the whole, or one per row.
    fn scales_of(&self, name: &str, tensor: &Tensor<'_>, rows: usize) -> Result<(Vec<f32>, Vec<f32>), String> {
        let bare = name.strip_suffix("_quantized").unwrap_or(name);
        let part = |suffix: &str| {
            let part = self.tensors.get(format!("{bare}_{suffix}").as_str());
            part.map(|part| part.numbers().map_err(|problem| format!("`{bare}_{suffix}` {problem}"))).transpose()
        };
        let scales = part("scale")?.ok_or_else(|| format!("`{name}` has no scale"))?;
        let zeros = part("zero_point")?.unwrap_or_else(|| vec![0.0]);
        let fits = |list: &[f32]| (list.len() == 1 || list.len() == rows) && list.iter().all(|one| one.is_finite());
        if !fits(&scales) || !fits(&zeros) || tensor.shape.len() != 2 {
            return Err(format!("`{name}` has scales that do not fit its shape"));
        }
        Ok((scales, zeros))
    }
}

/// Reads any bytes as an ONNX file; for fuzzing.
#[doc(hidden)]
pub fn fuzz(bytes: &[u8]) {
    if let Ok(file) = safetensors(bytes) {
        assert!(file.len() <= 64 + 40 * bytes.len(), "the weights are larger than the file allows");
    }
}

#[cfg(test)]
mod tests;
