//! Words around ranges: `at least 5`, `5 or more`, `between 5 and 10`.

/// Which end of a range words give, and whether that end is included.
#[derive(Clone, Copy)]
pub enum End {
    /// The lower bound.
    Least(bool),
    /// The upper bound.
    Most(bool),
}

/// Words before an open range, longer ones first.
pub const BEFORE: [(&[&str], End); 34] = [
    (&["a", "minimum", "of"], End::Least(true)),
    (&["no", "less", "than"], End::Least(true)),
    (&["not", "less", "than"], End::Least(true)),
    (&["no", "fewer", "than"], End::Least(true)),
    (&["at", "least"], End::Least(true)),
    (&["minimum", "of"], End::Least(true)),
    (&["minimum"], End::Least(true)),
    (&["min"], End::Least(true)),
    (&["from"], End::Least(true)),
    (&["since"], End::Least(true)),
    (&["more", "than"], End::Least(false)),
    (&["greater", "than"], End::Least(false)),
    (&["later", "than"], End::Least(false)),
    (&["over"], End::Least(false)),
    (&["above"], End::Least(false)),
    (&["after"], End::Least(false)),
    (&["a", "maximum", "of"], End::Most(true)),
    (&["no", "more", "than"], End::Most(true)),
    (&["not", "more", "than"], End::Most(true)),
    (&["no", "later", "than"], End::Most(true)),
    (&["at", "most"], End::Most(true)),
    (&["up", "to"], End::Most(true)),
    (&["maximum", "of"], End::Most(true)),
    (&["maximum"], End::Most(true)),
    (&["max"], End::Most(true)),
    (&["until"], End::Most(true)),
    (&["till"], End::Most(true)),
    (&["by"], End::Most(true)),
    (&["less", "than"], End::Most(false)),
    (&["fewer", "than"], End::Most(false)),
    (&["earlier", "than"], End::Most(false)),
    (&["under"], End::Most(false)),
    (&["below"], End::Most(false)),
    (&["before"], End::Most(false)),
];

/// Words after an open range.
pub const AFTER: [(&[&str], End); 12] = [
    (&["or", "more"], End::Least(true)),
    (&["or", "above"], End::Least(true)),
    (&["or", "over"], End::Least(true)),
    (&["or", "later"], End::Least(true)),
    (&["and", "up"], End::Least(true)),
    (&["and", "above"], End::Least(true)),
    (&["or", "less"], End::Most(true)),
    (&["or", "fewer"], End::Most(true)),
    (&["or", "under"], End::Most(true)),
    (&["or", "below"], End::Most(true)),
    (&["or", "earlier"], End::Most(true)),
    (&["and", "under"], End::Most(true)),
];

/// `between 5 and 10`.
pub const BETWEEN: [&str; 1] = ["between"];
/// `from Monday to Friday`.
pub const FROM: [&str; 1] = ["from"];
/// Words between the two ends of a range.
pub const TO: [&str; 4] = ["to", "until", "till", "through"];
