//! Arrays of numbers in a snapshot as one run of bytes, which deserialises in one copy.

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// A number with a fixed little-endian size.
pub(crate) trait Number: Copy {
    type Bytes: AsRef<[u8]>;
    fn bytes(self) -> Self::Bytes;
    fn read(bytes: &[u8]) -> Option<Vec<Self>>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            type Bytes = [u8; size_of::<$number>()];

            fn bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            fn read(bytes: &[u8]) -> Option<Vec<Self>> {
                let (numbers, rest) = bytes.as_chunks();
                rest.is_empty().then(|| numbers.iter().map(|number| Self::from_le_bytes(*number)).collect())
            }
        }
    )*};
}

numbers!(i8, u16, u32, u64, f32);

pub(crate) fn serialize<S: Serializer, N: Number>(values: &[N], to: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(size_of_val(values));
    values.iter().for_each(|value| bytes.extend_from_slice(value.bytes().as_ref()));
    to.serialize_bytes(&bytes)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>, N: Number>(from: D) -> Result<Vec<N>, D::Error> {
    from.deserialize_bytes(Bytes(std::marker::PhantomData))
}

struct Bytes<N>(std::marker::PhantomData<N>);

impl<N: Number> Visitor<'_> for Bytes<N> {
    type Value = Vec<N>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes of whole numbers")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<N>, E> {
        N::read(bytes).ok_or_else(|| E::invalid_length(bytes.len(), &self))
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Lists {
        #[serde(with = "super")]
        small: Vec<i8>,
        #[serde(with = "super")]
        large: Vec<u64>,
        #[serde(with = "super")]
        broken: Vec<f32>,
    }

    #[test]
    fn arrays_round_trip_and_truncated_bytes_are_rejected() {
        let lists = Lists { small: vec![-128, 0, 127], large: vec![0, u64::MAX, 7], broken: vec![0.5, -1e30] };
        let bytes = postcard::to_allocvec(&lists).unwrap();
        assert_eq!(postcard::from_bytes::<Lists>(&bytes).unwrap(), lists);
        let cut = postcard::to_allocvec(&(vec![1_u8], vec![1_u8; 9], vec![0_u8; 4])).unwrap();
        assert!(postcard::from_bytes::<Lists>(&cut).is_err());
    }
}
