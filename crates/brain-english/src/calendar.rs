//! Words for days, weekdays, months and periods.

/// Monday to Sunday, each with its abbreviations.
pub const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon"],
    &["tuesday", "tue", "tues"],
    &["wednesday", "wed", "weds"],
    &["thursday", "thu", "thur", "thurs"],
    &["friday", "fri"],
    &["saturday", "sat"],
    &["sunday", "sun"],
];

/// January to December, each with its abbreviations.
pub const MONTHS: [&[&str]; 12] = [
    &["january", "jan"],
    &["february", "feb"],
    &["march", "mar"],
    &["april", "apr"],
    &["may"],
    &["june", "jun"],
    &["july", "jul"],
    &["august", "aug"],
    &["september", "sept", "sep"],
    &["october", "oct"],
    &["november", "nov"],
    &["december", "dec"],
];

/// Whether a word is the name of a weekday or a month.
pub fn is_day_word(word: &str) -> bool {
    WEEKDAYS.iter().chain(&MONTHS).any(|names| names.contains(&word))
}

/// What a word that starts a relative date says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayWord {
    /// `today`.
    Today,
    /// `tomorrow`.
    Tomorrow,
    /// `yesterday`.
    Yesterday,
    /// `eow`.
    EndOfWeek,
    /// `eom`.
    EndOfMonth,
    /// `eoq`.
    EndOfQuarter,
    /// `eoy`.
    EndOfYear,
    /// `month end`.
    Month,
    /// `the 20th`, `the day after tomorrow`.
    The,
    /// `day after tomorrow`.
    Day,
    /// `end of the month`.
    End,
    /// `start of next week`.
    Start,
    /// `next Tuesday`.
    Next,
    /// `last Friday`.
    Last,
    /// `this Friday`.
    This,
    /// `on Friday`.
    On,
    /// `in two weeks`.
    In,
}

/// Words that start a relative date.
pub const DAY_WORDS: [(&str, DayWord); 24] = [
    ("today", DayWord::Today),
    ("tonight", DayWord::Today),
    ("eod", DayWord::Today),
    ("tomorrow", DayWord::Tomorrow),
    ("tomorow", DayWord::Tomorrow),
    ("tmrw", DayWord::Tomorrow),
    ("yesterday", DayWord::Yesterday),
    ("eow", DayWord::EndOfWeek),
    ("eom", DayWord::EndOfMonth),
    ("eoq", DayWord::EndOfQuarter),
    ("eoy", DayWord::EndOfYear),
    ("month", DayWord::Month),
    ("the", DayWord::The),
    ("day", DayWord::Day),
    ("end", DayWord::End),
    ("start", DayWord::Start),
    ("beginning", DayWord::Start),
    ("next", DayWord::Next),
    ("last", DayWord::Last),
    ("past", DayWord::Last),
    ("this", DayWord::This),
    ("coming", DayWord::This),
    ("on", DayWord::On),
    ("in", DayWord::In),
];

/// A length of calendar time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// Days.
    Days(i64),
    /// Months.
    Months(i64),
}

/// What is counted in `3 weeks ago`.
pub const PERIODS: [(&str, Period); 14] = [
    ("day", Period::Days(1)),
    ("days", Period::Days(1)),
    ("week", Period::Days(7)),
    ("weeks", Period::Days(7)),
    ("wk", Period::Days(7)),
    ("wks", Period::Days(7)),
    ("fortnight", Period::Days(14)),
    ("fortnights", Period::Days(14)),
    ("month", Period::Months(1)),
    ("months", Period::Months(1)),
    ("quarter", Period::Months(3)),
    ("quarters", Period::Months(3)),
    ("year", Period::Months(12)),
    ("years", Period::Months(12)),
];

/// Words before `days` that leave out weekends.
pub const WORKING: [&str; 3] = ["business", "working", "work"];

/// Abbreviations of weekdays that are also other words: `the cat sat in the sun`.
pub const AMBIGUOUS_WEEKDAYS: [&str; 4] = ["sat", "sun", "wed", "mon"];
/// Words before which an ambiguous abbreviation is a weekday.
pub const BEFORE_WEEKDAY: [&str; 15] = [
    "on", "this", "next", "last", "by", "until", "till", "before", "after", "since", "from", "to", "every", "for",
    "and",
];
/// Words before a day that make its start a moment: `since Monday`.
pub const BEFORE_START_OF_DAY: [&str; 5] = ["since", "from", "before", "starting", "after"];
