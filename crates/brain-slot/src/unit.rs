//! Units of measure and their conversion factors.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_decimal::Decimal;

use super::cursor::Cursor;
use brain_english::units::{CUBIC, SQUARE, UNITS};

/// A physical dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Length,
    Area,
    Volume,
    Mass,
    Time,
    Power,
    Energy,
}

/// A unit of measure.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its symbol, in lower case.
    pub(super) symbol: &'static str,
    dimension: Dimension,
    /// Factor to the base unit: digits, and how many of them are decimals.
    factor: (i64, u32),
}

impl Unit {
    fn factor(&self) -> Decimal {
        Decimal::new(self.factor.0, self.factor.1)
    }

    /// Converts a value to another unit; `None` if the dimensions differ. Rounded to six decimals.
    pub(super) fn convert(&self, value: Decimal, to: &Self) -> Option<Decimal> {
        if self == to {
            return Some(value);
        }
        if self.dimension != to.dimension {
            return None;
        }
        let result = value.checked_mul(self.factor())?.checked_div(to.factor())?;
        Some(result.round_dp(6).normalize())
    }
}

const fn unit(symbol: &'static str, dimension: Dimension, digits: i64, decimals: u32) -> Unit {
    Unit { symbol, dimension, factor: (digits, decimals) }
}

static MM: Unit = unit("mm", Dimension::Length, 1, 3);
static CM: Unit = unit("cm", Dimension::Length, 1, 2);
static M: Unit = unit("m", Dimension::Length, 1, 0);
static KM: Unit = unit("km", Dimension::Length, 1_000, 0);
static INCH: Unit = unit("in", Dimension::Length, 254, 4);
static FT: Unit = unit("ft", Dimension::Length, 3_048, 4);
static YD: Unit = unit("yd", Dimension::Length, 9_144, 4);
static MI: Unit = unit("mi", Dimension::Length, 1_609_344, 3);
static MM2: Unit = unit("mm2", Dimension::Area, 1, 6);
static CM2: Unit = unit("cm2", Dimension::Area, 1, 4);
static M2: Unit = unit("m2", Dimension::Area, 1, 0);
static HA: Unit = unit("ha", Dimension::Area, 10_000, 0);
static KM2: Unit = unit("km2", Dimension::Area, 1_000_000, 0);
static FT2: Unit = unit("ft2", Dimension::Area, 9_290_304, 8);
static YD2: Unit = unit("yd2", Dimension::Area, 83_612_736, 8);
static ACRE: Unit = unit("acre", Dimension::Area, 40_468_564_224, 7);
static ML: Unit = unit("ml", Dimension::Volume, 1, 6);
static L: Unit = unit("l", Dimension::Volume, 1, 3);
static M3: Unit = unit("m3", Dimension::Volume, 1, 0);
static FT3: Unit = unit("ft3", Dimension::Volume, 28_316_846_592, 12);
static YD3: Unit = unit("yd3", Dimension::Volume, 764_554_857_984, 12);
static MG: Unit = unit("mg", Dimension::Mass, 1, 6);
static G: Unit = unit("g", Dimension::Mass, 1, 3);
static KG: Unit = unit("kg", Dimension::Mass, 1, 0);
static T: Unit = unit("t", Dimension::Mass, 1_000, 0);
static OZ: Unit = unit("oz", Dimension::Mass, 28_349_523_125, 12);
static LB: Unit = unit("lb", Dimension::Mass, 45_359_237, 8);
static S: Unit = unit("s", Dimension::Time, 1, 0);
static MIN: Unit = unit("min", Dimension::Time, 60, 0);
static H: Unit = unit("h", Dimension::Time, 3_600, 0);
static D: Unit = unit("d", Dimension::Time, 86_400, 0);
static WK: Unit = unit("wk", Dimension::Time, 604_800, 0);
static W: Unit = unit("w", Dimension::Power, 1, 0);
static KW: Unit = unit("kw", Dimension::Power, 1_000, 0);
static WH: Unit = unit("wh", Dimension::Energy, 1, 0);
static KWH: Unit = unit("kwh", Dimension::Energy, 1_000, 0);

/// Every unit.
static ALL: [&Unit; 36] = [
    &MM, &CM, &M, &KM, &INCH, &FT, &YD, &MI, &MM2, &CM2, &M2, &HA, &KM2, &FT2, &YD2, &ACRE, &ML, &L, &M3, &FT3, &YD3,
    &MG, &G, &KG, &T, &OZ, &LB, &S, &MIN, &H, &D, &WK, &W, &KW, &WH, &KWH,
];

/// Units by their names.
static BY_NAME: LazyLock<BTreeMap<&str, &Unit>> = LazyLock::new(|| {
    let named = UNITS.iter().filter_map(|(symbol, names)| {
        let unit = ALL.iter().find(|unit| unit.symbol == *symbol)?;
        Some(names.iter().map(move |name| (*name, *unit)))
    });
    named.flatten().collect()
});

/// The unit of a word in lower case.
fn by_word(word: &str) -> Option<&'static Unit> {
    BY_NAME.get(word).copied()
}

/// The square or the cube of a length.
fn power(unit: &Unit, power: char) -> Option<&'static Unit> {
    Some(match (unit.symbol, power) {
        ("mm", '2') => &MM2,
        ("cm", '2') => &CM2,
        ("m", '2') => &M2,
        ("km", '2') => &KM2,
        ("ft", '2') => &FT2,
        ("yd", '2') => &YD2,
        ("m", '3') => &M3,
        ("ft", '3') => &FT3,
        ("yd", '3') => &YD3,
        _ => return None,
    })
}

/// The unit at this position, and its end: `m`, `m2`, `square metres`.
pub(super) fn unit_at(chars: &[char], at: usize) -> Option<(usize, &'static Unit)> {
    let mut cursor = Cursor::new(chars, at);
    let said = if cursor.eat(&SQUARE) {
        Some('2')
    } else if cursor.eat(&CUBIC) {
        Some('3')
    } else {
        None
    };
    if said.is_some() {
        cursor.sign(&['.']);
    }
    cursor.space();
    let word = cursor.word()?;
    // `3 in Ryde` has no unit, `12in` has.
    let unit = match word.as_str() {
        "in" if at > 0 && cursor.at == at + 2 && chars[at - 1].is_ascii_digit() => &INCH,
        word => by_word(word)?,
    };
    let mut end = cursor;
    let written = end.peek().filter(|c| matches!(c, '2' | '3'));
    end.at += usize::from(written.is_some());
    let (cursor, power_said) = match written {
        Some(_) if end.ends_word() => (end, written),
        _ => (cursor, said),
    };
    let unit = match power_said {
        Some(sign) => power(unit, sign)?,
        None => unit,
    };
    cursor.ends_word().then_some((cursor.at, unit))
}

/// The unit that a text names.
pub(super) fn unit_of(text: &str) -> Option<&'static Unit> {
    let chars: Vec<char> = crate::normalise::folded(text.trim()).chars().collect();
    if chars.as_slice() == ['i', 'n'] {
        return Some(&INCH);
    }
    unit_at(&chars, 0).filter(|(end, _)| *end == chars.len()).map(|(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_name_belongs_to_a_unit() {
        for (symbol, names) in UNITS {
            assert!(ALL.iter().any(|unit| unit.symbol == symbol), "{symbol}: {names:?}");
        }
    }

    #[test]
    fn a_unit_has_many_names() {
        for (text, symbol) in [
            ("m", "m"),
            ("Metres", "m"),
            ("m2", "m2"),
            ("m²", "m2"),
            ("sqm", "m2"),
            ("square metres", "m2"),
            ("sq. m", "m2"),
            ("sq ft", "ft2"),
            ("cubic yards", "yd3"),
            ("in", "in"),
            ("hrs", "h"),
            ("kWh", "kwh"),
        ] {
            assert_eq!(unit_of(text).map(|unit| unit.symbol), Some(symbol), "{text}");
        }
        for text in ["", "mx", "square", "square kg", "m4", "metres long"] {
            assert!(unit_of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn conversions_are_exact_where_possible() {
        for (value, from, to, expected) in [
            ("12.5", "m", "m", "12.5"),
            ("1250", "mm", "m", "1.25"),
            ("5", "ft", "m", "1.524"),
            ("90", "min", "h", "1.5"),
            ("1", "ha", "m2", "10000"),
            ("1", "lb", "kg", "0.453592"),
            ("2", "t", "kg", "2000"),
        ] {
            let value = Decimal::from_str_exact(value).unwrap();
            let got = unit_of(from).unwrap().convert(value, unit_of(to).unwrap());
            assert_eq!(got.map(|got| got.to_string()).as_deref(), Some(expected), "{value} {from}");
        }
        assert_eq!(unit_of("kg").unwrap().convert(Decimal::ONE, unit_of("m").unwrap()), None);
    }
}
