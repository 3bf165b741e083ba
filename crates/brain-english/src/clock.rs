//! Words for times of day and lengths of time.

/// Times with a name, and their hour.
pub const NAMED_TIMES: [(&str, i64); 3] = [("noon", 12), ("midday", 12), ("midnight", 0)];
/// `quarter to five`.
pub const QUARTER: &str = "quarter";
/// Words for the morning.
pub const MORNING: [&str; 1] = ["morning"];
/// Words for the half of the day after noon.
pub const AFTER_NOON: [&str; 4] = ["afternoon", "evening", "night", "tonight"];
/// A day word that also says the half of the day.
pub const TONIGHT: &str = "tonight";
/// `at 9`.
pub const AT: &str = "at";
/// Ways to say now.
pub const NOW: [&[&str]; 2] = [&["now"], &["right", "now"]];

const DAY: u64 = 86_400_000;

/// Milliseconds in a unit. Months and years have no fixed length.
pub const DURATIONS: [(&[&str], u64); 7] = [
    (&["ms", "millisecond", "milliseconds"], 1),
    (&["s", "sec", "secs", "second", "seconds"], 1_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000),
    (&["d", "day", "days"], DAY),
    (&["w", "wk", "wks", "week", "weeks"], 7 * DAY),
    (&["fortnight", "fortnights"], 14 * DAY),
];
/// Units of minutes in `5 minutes to nine`.
pub const MINUTES: [&str; 4] = ["minutes", "minute", "mins", "min"];
