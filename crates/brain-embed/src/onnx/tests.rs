//! Files as exporters write them, in miniature.

use super::*;
use crate::weights::Weights;

/// A message from its fields.
fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut out = varint(number << 3 | 2);
    out.extend(varint(bytes.len() as u64));
    out.extend(bytes);
    out
}

fn number(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

fn tensor(name: &str, kind: u64, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = shape.iter().flat_map(|size| number(1, *size)).collect();
    out.extend([number(2, kind), field(8, name.as_bytes())].concat());
    out.extend(match (kind, shape) {
        // Scalars are listed, as exporters do.
        (1, []) => field(4, bytes),
        (2 | 3, []) => field(5, &varint(bytes[0].into())),
        _ => field(9, bytes),
    });
    field(5, &out)
}

fn node(operation: &str, name: &str, inputs: &[&str]) -> Vec<u8> {
    let mut out: Vec<u8> = inputs.iter().flat_map(|input| field(1, input.as_bytes())).collect();
    out.extend([field(3, name.as_bytes()), field(4, operation.as_bytes())].concat());
    field(1, &out)
}

fn file() -> Vec<u8> {
    let floats = |list: &[f32]| list.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>();
    let graph = [
        node("MatMulInteger", "/encoder/layer.0/output/dense/MatMul_quant", &["x", "onnx::MatMul_7_quantized"]),
        node("MatMul", "/encoder/layer.0/attention/self/MatMul", &["q", "k"]),
        tensor("embeddings.LayerNorm.weight", 1, &[2], &floats(&[1.5, -2.0])),
        tensor("embeddings.word_embeddings.weight_quantized", 2, &[2, 2], &[100, 110, 90, 130]),
        tensor("embeddings.word_embeddings.weight_scale", 1, &[], &floats(&[0.5])),
        tensor("embeddings.word_embeddings.weight_zero_point", 2, &[], &[100]),
        tensor("onnx::MatMul_7_quantized", 3, &[2, 3], &[1, 2, 3, 0xff, 0xfe, 0xfd]),
        tensor("onnx::MatMul_7_scale", 1, &[3], &floats(&[1.0, 2.0, 0.5])),
        tensor("onnx::MatMul_7_zero_point", 3, &[], &[0]),
        tensor("elsewhere", 1, &[1], &floats(&[7.0])),
    ];
    [number(1, 8), field(7, &graph.concat())].concat()
}

#[test]
fn quantised_weights_are_read_back_transposed_and_scaled() {
    let folder = tempfile::tempdir().unwrap();
    let (onnx, to) = (folder.path().join("model_quantized.onnx"), folder.path().join("model.safetensors"));
    std::fs::write(&onnx, file()).unwrap();
    convert(&onnx, &to).unwrap();
    let weights = Weights::open(&to).unwrap();
    assert_eq!(weights.read("embeddings.LayerNorm.weight", &[2]).unwrap(), [1.5, -2.0]);
    assert_eq!(weights.read("embeddings.word_embeddings.weight", &[2, 2]).unwrap(), [0.0, 5.0, -5.0, 15.0]);
    let dense = "encoder.layer.0.output.dense.weight";
    assert_eq!(weights.read(dense, &[3, 2]).unwrap(), [1.0, -1.0, 4.0, -4.0, 1.5, -1.5]);
    assert_eq!(weights.read_rows(dense, &[3, 2], 1..2).unwrap(), [4.0, -4.0]);
    assert!(weights.check("elsewhere", &[1]).is_err(), "only tensors of the encoder are taken");
}

#[test]
fn broken_files_are_refused_with_a_reason() {
    let bytes = file();
    for length in 0..bytes.len() {
        assert!(safetensors(&bytes[..length]).is_err(), "{length}");
    }
    let graph = |parts: &[Vec<u8>]| field(7, &parts.concat());
    let refusal = |parts: &[Vec<u8>]| safetensors(&graph(parts)).unwrap_err();
    assert!(refusal(&[]).contains("no weights"));
    let no_scale = tensor("embeddings.x_quantized", 3, &[1, 1], &[1]);
    assert!(refusal(&[no_scale]).contains("no scale"));
    let odd = [node("MatMul", "/encoder/layer.0/x/MatMul", &["a", "m"]), tensor("m", 1, &[2, 2], &[0; 4])];
    assert!(refusal(&odd).contains("4 bytes"));
    let huge = [node("MatMul", "/encoder/layer.0/x/MatMul", &["a", "m"]), tensor("m", 1, &[1 << 62, 1 << 62], &[0; 4])];
    assert!(refusal(&huge).contains("4 bytes"));
    let elsewhere = field(5, &[field(8, b"embeddings.w"), number(14, 1)].concat());
    assert!(refusal(&[elsewhere]).contains("another file"));
}
