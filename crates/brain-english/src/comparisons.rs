//! Words that relate an amount to another: `twice as many`, `10 more`, `10% off`.

/// Multiples, in tenths.
pub const MULTIPLES: [(&str, i64); 7] =
    [("twice", 20), ("double", 20), ("thrice", 30), ("triple", 30), ("treble", 30), ("quadruple", 40), ("half", 5)];
/// What may follow a multiple: then it relates to something. `double glazing` does not.
pub const RELATED: [&str; 9] = ["as", "that", "the", "this", "it", "what", "them", "those", "my"];
/// `as many`, `as long`.
pub const MEASURES: [&str; 6] = ["many", "much", "long", "big", "large", "high"];
/// `another 5`.
pub const PLUS: [&str; 2] = ["another", "plus"];
/// `minus 5`.
pub const MINUS: [&str; 1] = ["minus"];
/// `three times`.
pub const TIMES: [&str; 2] = ["times", "x"];
/// `10 more`.
pub const INCREASES: [&str; 5] = ["more", "extra", "additional", "higher", "longer"];
/// `10 less`.
pub const DECREASES: [&str; 6] = ["less", "fewer", "off", "lower", "discount", "shorter"];
