//! Reads tensors from `model.safetensors`: a length, a JSON header, then the numbers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::EmbedError;

/// Maximum safetensors header size; larger headers are rejected.
const MAX_HEADER: u64 = 16 * 1024 * 1024;

/// Suffixes of the scales and zero points of an 8-bit tensor.
const SCALE: &str = ".scale";
const ZERO: &str = ".zero";

/// An open file of tensors.
pub(crate) struct Weights {
    path: PathBuf,
    file: File,
    tensors: BTreeMap<String, Tensor>,
    /// Offset of the numbers.
    start: u64,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl Weights {
    /// Reads the header and checks it against the length of the file.
    pub(crate) fn open(path: &Path) -> Result<Self, EmbedError> {
        let mut file = File::open(path).map_err(EmbedError::file(path))?;
        let length = file.metadata().map_err(EmbedError::file(path))?.len();
        let bad = |problem: String| EmbedError::content(path, problem);
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(EmbedError::file(path))?;
        let size = u64::from_le_bytes(size);
        if size > MAX_HEADER || size + 8 > length {
            return Err(bad("is not a safetensors file, or is truncated".into()));
        }
        let mut header = vec![0; size as usize];
        file.read_exact(&mut header).map_err(EmbedError::file(path))?;
        let mut entries: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(&header).map_err(|error| bad(format!("is not a safetensors file: {error}")))?;
        entries.remove("__metadata__");
        let start = size + 8;
        let mut tensors = BTreeMap::new();
        for (name, entry) in entries {
            let tensor: Tensor = serde_json::from_value(entry).map_err(|error| bad(format!("`{name}`: {error}")))?;
            if tensor.data_offsets[1] > length - start {
                return Err(bad(format!("is cut off: `{name}` ends after the end of the file")));
            }
            // Some files prefix every tensor's name.
            tensors.insert(name.strip_prefix("bert.").map_or_else(|| name.clone(), str::to_owned), tensor);
        }
        Ok(Self { path: path.to_owned(), file, tensors, start })
    }

    /// Checks that a tensor exists with this shape in a supported format.
    pub(crate) fn check(&self, name: &str, shape: &[usize]) -> Result<(), EmbedError> {
        self.find(name, shape).map(|_| ())
    }

    fn find(&self, name: &str, shape: &[usize]) -> Result<(&Tensor, usize), EmbedError> {
        let bad = |problem: String| EmbedError::content(&self.path, problem);
        let tensor = self.tensors.get(name).ok_or_else(|| bad(format!("has no tensor `{name}`")))?;
        if tensor.shape != shape {
            return Err(bad(format!("`{name}` has the shape {:?}, not {shape:?} as config.json says", tensor.shape)));
        }
        let width = match tensor.dtype.as_str() {
            "F32" => 4,
            "F16" | "BF16" => 2,
            // 8-bit numbers, with their scale in a tensor of its own, as a conversion from ONNX stores them.
            "I8" | "U8" if self.tensors.contains_key(&format!("{name}{SCALE}")) => 1,
            other => return Err(bad(format!("`{name}` has numbers of type {other}; F32, F16 and BF16 are supported"))),
        };
        let [begin, end] = tensor.data_offsets;
        if end.checked_sub(begin) != Some((width * shape.iter().product::<usize>()) as u64) {
            return Err(bad(format!("`{name}` has fewer or more numbers than its shape says")));
        }
        Ok((tensor, width))
    }

    /// The numbers of a tensor.
    pub(crate) fn read(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        self.read_rows(name, shape, 0..shape[0])
    }

    /// The numbers of some rows of a tensor.
    pub(crate) fn read_rows(&self, name: &str, shape: &[usize], rows: Range<usize>) -> Result<Vec<f32>, EmbedError> {
        let (tensor, width) = self.find(name, shape)?;
        let row = width * shape[1..].iter().product::<usize>();
        let mut bytes = vec![0; row * rows.len()];
        let mut file = &self.file;
        let at = self.start + tensor.data_offsets[0] + (row * rows.start) as u64;
        file.seek(SeekFrom::Start(at)).map_err(EmbedError::file(&self.path))?;
        file.read_exact(&mut bytes).map_err(EmbedError::file(&self.path))?;
        if width == 1 {
            return self.scaled(name, &tensor.dtype, &bytes, &rows);
        }
        let halves = || bytes.as_chunks::<2>().0.iter().copied().map(u16::from_le_bytes);
        Ok(match (width, tensor.dtype.as_str()) {
            (4, _) => bytes.as_chunks::<4>().0.iter().copied().map(f32::from_le_bytes).collect(),
            (_, "BF16") => halves().map(|half| f32::from_bits(u32::from(half) << 16)).collect(),
            _ => halves().map(from_half).collect(),
        })
    }

    /// The numbers of some rows of an 8-bit tensor.
    fn scaled(&self, name: &str, dtype: &str, bytes: &[u8], rows: &Range<usize>) -> Result<Vec<f32>, EmbedError> {
        let part = |suffix: &str| {
            let name = format!("{name}{suffix}");
            let length = self.tensors.get(&name).and_then(|tensor| tensor.shape.first().copied()).unwrap_or(1);
            if length != 1 && length < rows.end {
                return Err(EmbedError::content(&self.path, format!("`{name}` has too few numbers")));
            }
            self.read(&name, &[length])
        };
        let (scales, zeros) = (part(SCALE)?, part(ZERO)?);
        // One for the whole tensor, or one per row.
        let of_row = |list: &[f32], row: usize| if let [one] = list { *one } else { list[row] };
        let signed = dtype == "I8";
        let count = bytes.len() / rows.len().max(1);
        let mut numbers = Vec::with_capacity(bytes.len());
        for (row, bytes) in rows.clone().zip(bytes.chunks(count.max(1))) {
            let (scale, zero) = (of_row(&scales, row), of_row(&zeros, row));
            let value = |byte: u8| if signed { f32::from(byte.cast_signed()) } else { f32::from(byte) };
            numbers.extend(bytes.iter().map(|byte| scale * (value(*byte) - zero)));
        }
        Ok(numbers)
    }
}

/// Converts a half-precision float.
fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let rest = u32::from(half & 0x7fff);
    let magnitude = match rest >> 10 {
        // 2^-24 times the whole number.
        0 => rest as f32 * f32::from_bits(103 << 23),
        0x1f => f32::from_bits(0x7f80_0000 | (rest & 0x3ff) << 13),
        _ => f32::from_bits((rest << 13) + (112 << 23)),
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_halves_are_known_numbers() {
        let known =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x2e66, 0.099_975_586), (0x7bff, 65_504.0), (1, 5.960_464_5e-8), (0, 0.0)];
        for (half, value) in known {
            assert_eq!(from_half(half), value, "{half:#x}");
        }
        assert!(from_half(0xfc00).is_infinite() && from_half(0x7e00).is_nan());
    }

    #[test]
    fn tensors_of_all_three_types_are_read_and_cut_off_files_are_refused() {
        let header = br#"{"__metadata__":{"format":"pt"},"bert.a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[1,2],"data_offsets":[8,12]},"c":{"dtype":"F16","shape":[1],"data_offsets":[12,14]}}"#;
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        bytes.extend([1.5_f32, -2.0].iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend([0x80, 0x3f, 0x00, 0xc0, 0x00, 0x3c]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        std::fs::write(&path, &bytes).unwrap();
        let weights = Weights::open(&path).unwrap();
        assert_eq!(weights.read("a", &[2]).unwrap(), [1.5, -2.0]);
        assert_eq!(weights.read("b", &[1, 2]).unwrap(), [1.0, -2.0]);
        assert_eq!(weights.read("c", &[1]).unwrap(), [1.0]);
        assert_eq!(weights.read_rows("a", &[2], 1..2).unwrap(), [-2.0]);
        let refusal = |name: &str, shape: &[usize]| weights.check(name, shape).unwrap_err().to_string();
        assert!(refusal("a", &[3]).contains("not [3]") && refusal("d", &[1]).contains("no tensor `d`"));
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(Weights::open(&path).is_err(), "{length}");
        }
    }
}
