//! The wire format of Protocol Buffers, as far as ONNX files need it. Every length is checked against the bytes that are
//! there; nothing is allocated for a declared length.

/// A field of a message.
pub(super) enum Field<'b> {
    /// A whole number: wire types 0, 1 and 5.
    Number(u64),
    /// Bytes: a text, a message, or packed numbers.
    Bytes(&'b [u8]),
}

/// Reads the fields of a message in order. Ends early at the first field that is not valid; [`Fields::is_broken`] tells.
pub(super) struct Fields<'b> {
    rest: &'b [u8],
    broken: bool,
}

impl<'b> Fields<'b> {
    pub(super) fn new(message: &'b [u8]) -> Self {
        Self { rest: message, broken: false }
    }

    /// Whether the message ended within a field, or has a field of an unknown wire type.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    fn field(&mut self) -> Option<(u64, Field<'b>)> {
        let key = varint(&mut self.rest)?;
        let value = match key & 7 {
            0 => Field::Number(varint(&mut self.rest)?),
            1 => Field::Number(u64::from_le_bytes(take(&mut self.rest, 8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(varint(&mut self.rest)?).ok()?;
                Field::Bytes(take(&mut self.rest, length)?)
            }
            5 => Field::Number(u32::from_le_bytes(take(&mut self.rest, 4)?.try_into().ok()?).into()),
            _ => return None,
        };
        Some((key >> 3, value))
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = (u64, Field<'b>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.broken {
            return None;
        }
        let found = self.field();
        self.broken = found.is_none();
        found
    }
}

/// The whole numbers of a field: one, or packed ones. `None` if the packed bytes end within a number.
pub(super) fn numbers(field: &Field<'_>) -> Option<Vec<u64>> {
    match field {
        Field::Number(number) => Some(vec![*number]),
        Field::Bytes(bytes) => {
            let (mut rest, mut list) = (*bytes, Vec::new());
            while !rest.is_empty() {
                list.push(varint(&mut rest)?);
            }
            Some(list)
        }
    }
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(taken)
}

/// A number of up to ten bytes with seven bits each, the lowest first.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_cut_off_ones_are_noticed() {
        // Field 1 is 300, field 2 is "ab", field 3 is 1.0 as 32 bits.
        let message = [0x08, 0xac, 0x02, 0x12, 0x02, b'a', b'b', 0x1d, 0, 0, 0x80, 0x3f];
        let mut fields = Fields::new(&message);
        assert!(matches!(fields.next(), Some((1, Field::Number(300)))));
        assert!(matches!(fields.next(), Some((2, Field::Bytes(b"ab")))));
        assert!(matches!(fields.next(), Some((3, Field::Number(0x3f80_0000)))));
        assert!(fields.next().is_none() && !fields.is_broken());
        for length in [1, 2, 4, 6, 8, 11] {
            let mut fields = Fields::new(&message[..length]);
            assert!(fields.by_ref().count() < 3 && fields.is_broken(), "{length}");
        }
        assert_eq!(numbers(&Field::Bytes(&[1, 0xac, 0x02])), Some(vec![1, 300]));
        assert_eq!(numbers(&Field::Bytes(&[0x80])), None);
    }
}
