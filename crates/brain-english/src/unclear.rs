//! Words that make a value inexact, repeated, or a part of something else: `about 20`, `20 or so`, `every Friday`.

/// Words before an approximate value, longer ones first.
pub const HEDGES_BEFORE: [&[&str]; 30] = [
    &["something", "like"],
    &["in", "the", "region", "of"],
    &["more", "or", "less"],
    &["close", "to"],
    &["just", "over"],
    &["just", "under"],
    &["a", "bit", "over"],
    &["a", "bit", "under"],
    &["a", "little", "over"],
    &["a", "little", "under"],
    &["about"],
    &["around"],
    &["roughly"],
    &["approximately"],
    &["approx"],
    &["circa"],
    &["nearly"],
    &["almost"],
    &["maybe"],
    &["perhaps"],
    &["probably"],
    &["possibly"],
    &["say"],
    &["some"],
    &["early"],
    &["late"],
    &["mid"],
    &["sometime"],
    &["somewhere"],
    &["ish"],
];

/// Hedges that say nothing about a day: `talk about Friday`, `some Friday`.
pub const NOT_BEFORE_DAYS: [&str; 3] = ["about", "some", "say"];

/// Words after an approximate value, longer ones first.
pub const HEDGES_AFTER: [&[&str]; 12] = [
    &["or", "thereabouts"],
    &["or", "so"],
    &["more", "or", "less"],
    &["give", "or", "take"],
    &["and", "a", "bit"],
    &["and", "change"],
    &["something"],
    &["approximately"],
    &["approx"],
    &["roughly"],
    &["odd"],
    &["ish"],
];

/// Endings of an approximate number: `5ish`, `20-odd`.
pub const HEDGE_ENDINGS: [&str; 3] = ["ish", "odd", "something"];

/// Words after an open range, besides those of [`crate::bounds::AFTER`]: whether it is the upper bound.
pub const LIMITS_AFTER: [(&[&str], bool); 7] = [
    (&["at", "least"], false),
    (&["at", "most"], true),
    (&["minimum"], false),
    (&["maximum"], true),
    (&["min"], false),
    (&["max"], true),
    (&["tops"], true),
];

/// Words of [`crate::bounds::BEFORE`] that make a single value no limit: `by Friday` is a date for most purposes, and
/// `max 5` names a slot.
pub const NO_LIMITS: [&str; 9] = ["from", "since", "by", "until", "till", "min", "max", "minimum", "maximum"];
/// Limits of days and times only.
pub const LIMITS_OF_DAYS: [&str; 4] = ["before", "after", "later", "earlier"];
/// Limits of numbers only.
pub const LIMITS_OF_NUMBERS: [&str; 4] = ["over", "above", "under", "below"];

/// Words before something that repeats: `every Friday`.
pub const EVERY: [&str; 2] = ["every", "each"];
/// Words between those and the day: `every other Friday`.
pub const EVERY_WHICH: [&str; 4] = ["other", "second", "third", "single"];
/// What may repeat, besides weekdays.
pub const REPEATED: [&str; 19] = [
    "day", "days", "week", "weeks", "fortnight", "month", "months", "quarter", "year", "years", "hour", "hours",
    "minutes", "weekday", "weekend", "morning", "afternoon", "evening", "night",
];
/// Adverbs of repetition.
pub const REPEATEDLY: [&str; 8] =
    ["hourly", "daily", "nightly", "weekly", "fortnightly", "monthly", "quarterly", "yearly"];
/// Weekdays that repeat: `on Fridays`.
pub const WEEKDAYS_REPEATED: [&str; 9] =
    ["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "weekdays", "weekends"];

/// Words between two values of which one is meant.
pub const OR: [&str; 3] = ["or", "vs", "versus"];
/// Words between two values of which both are meant.
pub const AND: [&str; 3] = ["and", "plus", "then"];

/// Words for things in which goods are counted: `2 bags` is no weight. Plurals of other nouns are found by their ending.
pub const CONTAINERS: [&str; 24] = [
    "bag", "sack", "box", "boxes", "roll", "sheet", "bottle", "tin", "can", "bucket", "pallet", "piece", "pack",
    "packet", "crate", "carton", "jar", "tub", "bundle", "load", "tray", "cup", "slab", "lot",
];
/// Words that end like a plural and count nothing.
pub const NO_PLURALS: [&str; 13] =
    ["plus", "minus", "thanks", "pls", "yes", "as", "is", "was", "this", "its", "his", "always", "times"];

/// Words after a weekday that make it another day: `Friday after next`, `Friday of the month`.
pub const AFTER_WEEKDAY: [&[&str]; 5] =
    [&["after", "next"], &["before", "last"], &["of"], &["in", "the", "month"], &["fortnight"]];
/// Words before an amount that make it a part of another: `half of 20`, `twice 5`.
pub const PARTS_BEFORE: [&[&str]; 10] = [
    &["half", "of"],
    &["third", "of"],
    &["thirds", "of"],
    &["quarter", "of"],
    &["quarters", "of"],
    &["percent", "of"],
    &["twice"],
    &["double"],
    &["triple"],
    &["minus"],
];
