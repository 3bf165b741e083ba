//! Number words: cardinals, ordinals, fractions.

/// What a cardinal word contributes to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinal {
    /// Zero to nineteen.
    Small(u64),
    /// A multiple of ten.
    Tens(u64),
    /// `hundred`.
    Hundred,
    /// A power of a thousand.
    Scale(u64),
    /// `dozen`.
    Dozen,
}

use Cardinal::{Dozen, Hundred, Scale, Small, Tens};

/// Cardinal words.
pub const CARDINALS: [(&str, Cardinal); 39] = [
    ("zero", Small(0)),
    ("one", Small(1)),
    ("two", Small(2)),
    ("three", Small(3)),
    ("four", Small(4)),
    ("five", Small(5)),
    ("six", Small(6)),
    ("seven", Small(7)),
    ("eight", Small(8)),
    ("nine", Small(9)),
    ("ten", Small(10)),
    ("eleven", Small(11)),
    ("twelve", Small(12)),
    ("thirteen", Small(13)),
    ("fourteen", Small(14)),
    ("fifteen", Small(15)),
    ("sixteen", Small(16)),
    ("seventeen", Small(17)),
    ("eighteen", Small(18)),
    ("nineteen", Small(19)),
    ("twenty", Tens(20)),
    ("thirty", Tens(30)),
    ("forty", Tens(40)),
    ("fourty", Tens(40)),
    ("fifty", Tens(50)),
    ("sixty", Tens(60)),
    ("seventy", Tens(70)),
    ("eighty", Tens(80)),
    ("ninety", Tens(90)),
    ("hundred", Hundred),
    ("dozen", Dozen),
    ("thousand", Scale(1_000)),
    ("lakh", Scale(100_000)),
    ("lakhs", Scale(100_000)),
    ("crore", Scale(10_000_000)),
    ("crores", Scale(10_000_000)),
    ("million", Scale(1_000_000)),
    ("billion", Scale(1_000_000_000)),
    ("trillion", Scale(1_000_000_000_000)),
];

/// `a hundred`, `an eighth`.
pub const ARTICLES: [&str; 2] = ["a", "an"];
/// `half a dozen`, `half past three`.
pub const HALF: &str = "half";
/// `couple of`.
pub const COUPLE: &str = "couple";
/// What `half` means if one of these follows: not a number.
pub const AFTER_OTHER_HALF: [&str; 6] = ["past", "as", "way", "time", "that", "the"];

/// Fractions: digits, and how many of them are decimals. A third has no exact decimal; four digits are enough.
pub const FRACTIONS: [(&str, (i64, u32)); 12] = [
    ("half", (5, 1)),
    ("halves", (5, 1)),
    ("third", (3333, 4)),
    ("thirds", (3333, 4)),
    ("quarter", (25, 2)),
    ("quarters", (25, 2)),
    ("fifth", (2, 1)),
    ("fifths", (2, 1)),
    ("eighth", (125, 3)),
    ("eighths", (125, 3)),
    ("tenth", (1, 1)),
    ("tenths", (1, 1)),
];

/// Ordinals that are one word. `twenty-first` is made of two.
pub const ORDINALS: [(&str, i64); 21] = [
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
    ("thirteenth", 13),
    ("fourteenth", 14),
    ("fifteenth", 15),
    ("sixteenth", 16),
    ("seventeenth", 17),
    ("eighteenth", 18),
    ("nineteenth", 19),
    ("twentieth", 20),
    ("thirtieth", 30),
];

/// Endings of ordinals in digits: `20th`.
pub const ORDINAL_ENDINGS: [&str; 4] = ["st", "nd", "rd", "th"];
/// Words for the percent sign.
pub const PERCENT: [&str; 2] = ["percent", "pct"];

/// Whether a word names a number.
pub fn is_number_word(word: &str) -> bool {
    !ARTICLES.contains(&word)
        && (CARDINALS.iter().any(|(name, _)| *name == word)
            || word == HALF
            || ["dozen", "dozens", "couple"].contains(&word))
}
