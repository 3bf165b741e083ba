//! One tensor of an ONNX file.

use super::wire::{Field, Fields, numbers};

/// Maximum number of dimensions.
const MAX_DIMENSIONS: usize = 8;

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    U8,
    I8,
    F16,
    Bf16,
    /// Not a type of weights.
    Other,
}

impl Kind {
    fn of(code: u64) -> Self {
        match code {
            1 => Self::F32,
            2 => Self::U8,
            3 => Self::I8,
            10 => Self::F16,
            16 => Self::Bf16,
            _ => Self::Other,
        }
    }

    /// Its name in a safetensors file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::U8 => "U8",
            Self::I8 => "I8",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::Other => "other",
        }
    }

    fn width(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::U8 | Self::I8 => 1,
            Self::Other => 0,
        }
    }

    pub(super) fn is_quantised(self) -> bool {
        matches!(self, Self::U8 | Self::I8)
    }
}

/// A tensor. Its bytes are empty if its few numbers are stored one by one.
pub(super) struct Tensor<'b> {
    pub(super) kind: Kind,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: &'b [u8],
    /// Numbers that are not stored as raw bytes.
    listed: Vec<f32>,
}

impl<'b> Tensor<'b> {
    /// Reads a tensor and its name.
    pub(super) fn read(message: &'b [u8]) -> Result<(&'b str, Self), String> {
        let mut tensor = Self { kind: Kind::Other, shape: Vec::new(), bytes: &[], listed: Vec::new() };
        let mut name = "";
        let mut fields = Fields::new(message);
        let mut whole_numbers = Vec::new();
        let mut is_elsewhere = false;
        for (number, field) in fields.by_ref() {
            match (number, &field) {
                (1, field) => {
                    let sizes = numbers(field).ok_or("has a tensor with broken dimensions")?;
                    tensor.shape.extend(sizes.into_iter().map(|size| usize::try_from(size).unwrap_or(usize::MAX)));
                }
                (2, Field::Number(code)) => tensor.kind = Kind::of(*code),
                (4, Field::Bytes(bytes)) => {
                    tensor.listed.extend(bytes.as_chunks::<4>().0.iter().copied().map(f32::from_le_bytes));
                }
                (4, Field::Number(bits)) => tensor.listed.push(f32::from_bits(*bits as u32)),
                (5, field) => whole_numbers = numbers(field).ok_or("has a tensor with broken numbers")?,
                (8, Field::Bytes(text)) => {
                    name = std::str::from_utf8(text).map_err(|_| "has a name that is no text")?
                }
                (9, Field::Bytes(bytes)) => tensor.bytes = bytes,
                (14, Field::Number(place)) => is_elsewhere = *place == 1,
                _ => {}
            }
        }
        if fields.is_broken() || tensor.shape.len() > MAX_DIMENSIONS {
            return Err("has a tensor that cannot be read".into());
        }
        if is_elsewhere {
            return Err(format!("keeps `{name}` in another file, which is not supported"));
        }
        // Negative numbers are stored as 64 bits.
        tensor.listed.extend(whole_numbers.into_iter().map(|number| number as i64 as f32));
        Ok((name, tensor))
    }

    fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size))
    }

    /// Transposed: a matrix with the outputs as rows.
    pub(super) fn turned(&self) -> Result<(Vec<usize>, Vec<u8>), String> {
        let [inputs, outputs] = *self.shape.as_slice() else {
            return Err(format!("multiplies with a tensor of the shape {:?}", self.shape));
        };
        let width = self.kind.width();
        let length = self.count().and_then(|count| count.checked_mul(width));
        if width == 0 || length != Some(self.bytes.len()) {
            return Err(format!("has a matrix of the shape {:?} with {} bytes", self.shape, self.bytes.len()));
        }
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for output in 0..outputs {
            for input in 0..inputs {
                let at = (input * outputs + output) * width;
                bytes.extend_from_slice(&self.bytes[at..at + width]);
            }
        }
        Ok((vec![outputs, inputs], bytes))
    }

    /// Its few numbers: scales and zero points.
    pub(super) fn numbers(&self) -> Result<Vec<f32>, &'static str> {
        let raw: Vec<f32> = match self.kind {
            Kind::F32 => self.bytes.as_chunks::<4>().0.iter().copied().map(f32::from_le_bytes).collect(),
            Kind::U8 => self.bytes.iter().map(|byte| f32::from(*byte)).collect(),
            Kind::I8 => self.bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect(),
            _ => return Err("is neither F32 nor 8 bits"),
        };
        let numbers = if raw.is_empty() { self.listed.clone() } else { raw };
        if self.count() == Some(numbers.len()) { Ok(numbers) } else { Err("has fewer or more numbers than its shape") }
    }
}
