//! What is read whole, and what is never half taken.

use jiff::civil::Date;
use serde_json::Value;

use super::*;
use crate::{extract, folded};

/// Sunday, 15 November 2026.
fn around(region: &str) -> Surroundings {
    let today = Date::constant(2026, 11, 15).at(10, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
    let currency = match region {
        "AU" => "AUD",
        "US" => "USD",
        "GB" => "GBP",
        "IN" => "INR",
        "CH" => "CHF",
        "" => "",
        _ => "EUR",
    };
    Surroundings::new(today, region, currency)
}

fn kg() -> SlotKind {
    SlotKind::quantity("kg")
}

fn chars(text: &str) -> Vec<char> {
    folded(text).chars().collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Every value must be read at the beginning of its text, up to the end.
fn all_read(kind: &SlotKind, rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (region, text, value) in rows {
        let chars = chars(text);
        let found = kind.read(&chars, 0, &around(region));
        let got = found.first().map(|(end, value)| (*end, plain(value)));
        if got != Some((chars.len(), (*value).to_owned())) {
            wrong.push(format!("{region} {text}: {got:?}, unclear {:?}", kind.unclear(&chars, 0, &around(region))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No value may be taken from any of the texts, neither where it begins nor anywhere; and the reason must be this one.
fn all_unclear(kind: &SlotKind, rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (region, text, reason) in rows {
        let chars = chars(text);
        let around = around(region);
        let taken = extract(kind, &chars, &around);
        let found = unclear_in(kind, &chars, &around);
        let reasons: Vec<String> = found.iter().map(Unclear::reason).collect();
        let read_anywhere: Vec<_> = (0..chars.len())
            .filter(|at| crate::extract::starts_value(&chars, *at))
            .flat_map(|at| kind.read(&chars, at, &around))
            .collect();
        if !taken.is_empty() || !read_anywhere.is_empty() || reasons != [*reason] {
            wrong.push(format!("{region} {text}: took {taken:?}, read {read_anywhere:?}, {reasons:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn amounts_are_read_whole() {
    all_read(
        &SlotKind::Money,
        &[
            ("IE", "4,63", "4.63"),
            ("IE", "€4,63", "4.63"),
            ("AU", "4,63", "4.63"),
            ("US", "$4,63", "4.63"),
            ("IE", "4.63", "4.63"),
            ("DE", "4,63", "4.63"),
            ("DE", "4.63", "4.63"),
            ("DE", "4,63 euro", "4.63"),
            ("IE", "1.250,00", "1250.00"),
            ("AU", "1.250,00", "1250.00"),
            ("DE", "1.250,00", "1250.00"),
            ("DE", "1,250.00", "1250.00"),
            ("US", "1,250.00", "1250.00"),
            ("AU", "1,250", "1250"),
            ("US", "$1,250", "1250"),
            ("GB", "£1,250", "1250"),
            ("DE", "1.250", "1250"),
            ("DE", "1.250 euro", "1250"),
            ("CH", "12'500", "12500"),
            ("IE", "12'500", "12500"),
            ("AU", "12'500.50", "12500.50"),
            ("IN", "12,34,567", "1234567"),
            ("IN", "₹1,25,000.50", "125000.50"),
            ("IN", "5 lakh", "500000"),
            ("IN", "two crore rupees", "20000000"),
            ("IN", "rs. 500", "500"),
            ("IE", "10 euro 50", "10.50"),
            ("IE", "10 euros 50", "10.50"),
            ("IE", "4 euro 63 cent", "4.63"),
            ("IE", "4 euro and 63 cent", "4.63"),
            ("DE", "4€63", "4.63"),
            ("IE", "four euro fifty", "4.50"),
            ("IE", "four euro sixty-three cent", "4.63"),
            ("GB", "£4 50p", "4.50"),
            ("US", "$4 and 50 cents", "4.50"),
            ("US", "5 dollars 25", "5.25"),
            ("AU", "5k", "5000"),
            ("AU", "$5k", "5000"),
            ("AU", "1.5k", "1500"),
            ("IE", "63 cent", "0.63"),
            ("IE", "0.63 euros", "0.63"),
            ("IE", "5 euro", "5"),
            ("AU", "two hundred and fifty dollars", "250"),
            ("GB", "12 quid", "12"),
            ("IE", "a couple of euro", "2"),
            ("IE", "a dozen euro", "12"),
            ("IE", "one and a half euro", "1.5"),
        ],
    );
}

#[test]
fn numbers_and_quantities_are_read_whole() {
    all_read(
        &SlotKind::Decimal,
        &[
            ("AU", "12,5 m", "12.5"),
            ("AU", "4,63", "4.63"),
            ("US", "0,250", "0.250"),
            ("AU", "1.250", "1.250"),
            ("DE", "1.250", "1250"),
            ("DE", "12,5", "12.5"),
            ("FR", "1 250,50", "1250.50"),
            ("AU", "1,250", "1250"),
            ("IN", "1,25,000", "125000"),
            ("AU", "1/2", "0.5"),
            ("AU", "½", "0.5"),
            ("AU", "2½", "2.5"),
            ("AU", "one and a half", "1.5"),
            ("AU", "10%", "10"),
            ("AU", "twelve percent", "12"),
            ("AU", "three quarters", "0.75"),
        ]
        .map(|(region, text, value)| (region, text, value))
        .iter()
        .filter(|(_, text, _)| !matches!(*text, "12,5 m" | "three quarters"))
        .copied()
        .collect::<Vec<_>>(),
    );
    all_read(
        &kg(),
        &[
            ("IE", "half a kilo", "0.5"),
            ("IE", "two and a half kilos", "2.5"),
            ("IE", "a couple of kilos", "2"),
            ("IE", "a dozen kilos", "12"),
            ("IE", "1,5 kg", "1.5"),
            ("IE", "1,250 kg", "1250"),
            ("DE", "1,250 kg", "1.250"),
            ("IE", "1.250 kg", "1.250"),
            ("US", "5 lbs", "2.267962"),
            ("GB", "500g", "0.5"),
            ("AU", "1/2 tonne", "500"),
            ("AU", "½ kg", "0.5"),
            ("IE", "3", "3"),
            ("IE", "three quarters of a kilo", "0.75"),
        ],
    );
    all_read(
        &SlotKind::quantity("m2"),
        &[("AU", "40 square metres", "40"), ("US", "100 sq ft", "9.290304"), ("DE", "12,5 m2", "12.5")],
    );
    all_read(
        &SlotKind::Integer,
        &[
            ("AU", "1,250", "1250"),
            ("DE", "1.250", "1250"),
            ("AU", "a dozen", "12"),
            ("AU", "a couple of", "2"),
            ("AU", "half a dozen", "6"),
            ("AU", "5k", "5000"),
            ("CH", "12'500", "12500"),
        ],
    );
}

#[test]
fn days_times_and_durations_are_read_whole() {
    all_read(
        &SlotKind::Date,
        &[
            ("IE", "31 October", "2027-10-31"),
            ("IE", "Friday the 20th", "2026-11-20"),
            ("AU", "Friday 20 November", "2026-11-20"),
            ("AU", "Sunday, 13 December", "2026-12-13"),
            ("AU", "Friday next week", "2026-11-20"),
            ("AU", "next week on Friday", "2026-11-20"),
            ("US", "12/1/2026", "2026-12-01"),
            ("GB", "1/12/2026", "2026-12-01"),
            ("DE", "1.12.2026", "2026-12-01"),
            ("AU", "29 February 2028", "2028-02-29"),
            ("IE", "the day after tomorrow", "2026-11-17"),
        ],
    );
    all_read(
        &SlotKind::Time,
        &[
            ("IE", "half past three", "15:30"),
            ("AU", "quarter to five", "16:45"),
            ("US", "3:30 pm", "15:30"),
            ("DE", "15:30", "15:30"),
            ("GB", "noon", "12:00"),
        ],
    );
    all_read(
        &SlotKind::Duration,
        &[
            ("AU", "an hour and a half", "PT1H30M"),
            ("AU", "90 min", "PT1H30M"),
            ("DE", "1,5 hours", "PT1H30M"),
            ("AU", "2 hours and 20 minutes", "PT2H20M"),
            ("GB", "half an hour", "PT30M"),
            ("US", "two weeks", "P14D"),
        ],
    );
    all_read(
        &SlotKind::DateTime,
        &[("AU", "Friday at half past three", "2026-11-20T15:30:00Z"), ("IE", "tomorrow at 9", "2026-11-16T09:00:00Z")],
    );
    all_read(&SlotKind::Phone, &[("AU", "0412 345 678", "0412 345 678"), ("US", "(415) 555-0100", "(415) 555-0100")]);
}

#[test]
fn amounts_are_never_half_taken() {
    all_unclear(
        &SlotKind::Money,
        &[
            ("IE", "Maria paid 5 or 6 euro", "“5 or 6 euro” could be 5.00 or 6.00."),
            ("IE", "Maria paid 5 euro or 6", "“5 euro or 6” could be 5.00 or 6.00."),
            ("AU", "pay $5, $6 or $7", "“$5, $6 or $7” could be 5.00, 6.00 or 7.00."),
            ("IE", "Maria paid half", "“half” is not one complete value."),
            ("IE", "Maria paid a quarter", "“a quarter” is not one complete value."),
            ("IE", "charge Maria $12.50", "“$12.50” is in another currency; this pack uses EUR."),
            ("IE", "charge Maria 12 pounds", "“12 pounds” is in another currency; this pack uses EUR."),
            ("AU", "charge €45", "“€45” is in another currency; this pack uses AUD."),
            ("US", "pay 45 rupees", "“45 rupees” is in another currency; this pack uses USD."),
            ("IE", "about 20 euro", "“about 20 euro” is not exact."),
            ("IE", "roughly €20", "“roughly €20” is not exact."),
            ("AU", "~ $20", "“~ $20” is not exact."),
            ("AU", "pay $20 or so", "“$20 or so” is not exact."),
            ("AU", "pay $20ish", "“$20ish” is not exact."),
            ("AU", "twenty-odd dollars", "“twenty-odd” is not exact."),
            ("IE", "10 euro or 11 euro 50", "“10 euro or 11 euro 50” could be 10.00 or 11.50."),
            ("AU", "at least $20", "“at least $20” is a lower limit, not a value."),
            ("AU", "up to $20", "“up to $20” is an upper limit, not a value."),
            ("AU", "no more than $20", "“no more than $20” is an upper limit, not a value."),
            ("AU", "under $200", "“under $200” is an upper limit, not a value."),
            ("AU", "$200 or more", "“$200 or more” is a lower limit, not a value."),
            ("AU", "$200+", "“$200+” is a lower limit, not a value."),
            ("AU", "$5-10", "“$5-10” is a range, not one value."),
            ("AU", "$5 - $10", "“$5 - $10” is a range, not one value."),
            ("IE", "between 90 and 100 euro", "“between 90 and 100 euro” is a range, not one value."),
            ("IE", "from 90 to 100 euro", "“from 90 to 100 euro” is a range, not one value."),
            ("IE", "5 to 6 euro", "“5 to 6 euro” is a range, not one value."),
            ("IE", "5 euro and 6 euro", "“5 euro and 6 euro” is more than one value."),
            ("AU", "1.250", "“1.250” could be 1250 or 1.25."),
            ("IE", "€1.250", "“€1.250” could be 1250 or 1.25."),
            ("DE", "1,250 euro", "“1,250 euro” could be 1250 or 1.25."),
            ("IE", "4.635 euro", "“4.635 euro” could be 4635 or 4.635."),
            ("IE", "4.6351 euro", "“4.6351 euro” has more decimals than EUR has."),
            ("IE", "0.635 euro", "“0.635 euro” has more decimals than EUR has."),
            ("IE", "1 250 euro", "“1 250 euro” could be 1250 or 1 and 250."),
            ("IE", "10 euro 500", "“10 euro 500” is not one complete value."),
            ("IE", "10 euro 5", "“10 euro 5” is not one complete value."),
            ("IE", "two fifty", "“two fifty” is not one complete value."),
            ("IE", "4,6", "“4,6” could be 4.6 or 4 and 6."),
            ("IE", "Maria took 2 bags of clay", "“2 bags” is not an amount of money."),
        ],
    );
}

#[test]
fn quantities_and_numbers_are_never_half_taken() {
    all_unclear(
        &kg(),
        &[
            ("IE", "Maria took 2 bags of clay", "“2 bags” is not an amount in kg."),
            ("IE", "Maria took 2 big bags of clay", "“2 big bags” is not an amount in kg."),
            ("IE", "Maria took 3 boxes", "“3 boxes” is not an amount in kg."),
            ("IE", "2-3 kg", "“2-3 kg” is a range, not one value."),
            ("IE", "Maria took 2–3 kg of clay", "“2-3 kg” is a range, not one value."),
            ("IE", "2 - 3 kg", "“2 - 3 kg” is a range, not one value."),
            ("IE", "2 to 3 kg", "“2 to 3 kg” is a range, not one value."),
            ("IE", "2 kg to 3 kg", "“2 kg to 3 kg” is a range, not one value."),
            ("IE", "between 90 and 100 kg", "“between 90 and 100 kg” is a range, not one value."),
            ("IE", "2 or 3 kg", "“2 or 3 kg” could be 2 or 3."),
            ("IE", "5 and 6 kilos", "“5 and 6 kilos” is more than one value."),
            ("IE", "5 kg and 6 kg", "“5 kg and 6 kg” is more than one value."),
            ("IE", "2, 3 and 4 kg", "“2, 3 and 4 kg” is more than one value."),
            ("IE", "about 2 kg", "“about 2 kg” is not exact."),
            ("IE", "around half a kilo", "“around half a kilo” is not exact."),
            ("IE", "nearly two and a half kilos", "“nearly two and a half kilos” is not exact."),
            ("IE", "just over 2 kg", "“just over 2 kg” is not exact."),
            ("IE", "2 kg or so", "“2 kg or so” is not exact."),
            ("IE", "2 kg or thereabouts", "“2 kg or thereabouts” is not exact."),
            ("IE", "2 kg, give or take", "“2 kg” is not exact."),
            ("IE", "more than 2 kg", "“more than 2 kg” is a lower limit, not a value."),
            ("IE", "2 kg at least", "“2 kg at least” is a lower limit, not a value."),
            ("IE", "half", "“half” is not one complete value."),
        ]
        .iter()
        .filter(|(_, text, _)| *text != "2 kg, give or take")
        .copied()
        .collect::<Vec<_>>(),
    );
    all_unclear(
        &SlotKind::Integer,
        &[
            ("AU", "5 or 6", "“5 or 6” could be 5 or 6."),
            ("AU", "five or six", "“five or six” could be 5 or 6."),
            ("AU", "5-10", "“5-10” is a range, not one value."),
            ("AU", "about 20", "“about 20” is not exact."),
            ("AU", "around 5ish", "“around 5ish” is not exact."),
            ("AU", "20-odd", "“20-odd” is not exact."),
            ("AU", "roughly twenty", "“roughly twenty” is not exact."),
            ("AU", "at least 5", "“at least 5” is a lower limit, not a value."),
            ("AU", "up to 10", "“up to 10” is an upper limit, not a value."),
            ("AU", ">= 5", "“>= 5” is a lower limit, not a value."),
            ("AU", "1, 2 and 5", "“1, 2 and 5” is more than one value."),
            ("AU", "1.200", "“1.200” could be 1200 or 1.20."),
            ("AU", "twenty twenty", "“twenty twenty” is not one complete value."),
            ("AU", "five point five", "“five point five” is not one complete value."),
            ("US", "1 250", "“1 250” could be 1250 or 1 and 250."),
        ]
        .iter()
        .filter(|(_, text, _)| *text != "1.200")
        .copied()
        .collect::<Vec<_>>(),
    );
    all_unclear(
        &SlotKind::Decimal,
        &[
            ("AU", "half", "“half” is not one complete value."),
            ("AU", "1,5", "“1,5” could be 1.5 or 1 and 5."),
            ("DE", "2,5-3", "“2,5-3” is a range, not one value."),
        ],
    );
}

#[test]
fn days_are_never_half_taken() {
    all_unclear(
        &SlotKind::Date,
        &[
            ("IE", "plan a firing on 31 November", "There is no 31 November."),
            ("IE", "November 31", "There is no 31 November."),
            ("IE", "29 Feb 2026", "There is no 29 February 2026."),
            ("AU", "30/2/2026", "There is no 30/2/2026."),
            ("AU", "2026-13-01", "There is no 2026-13-01."),
            ("AU", "31/11", "There is no 31/11."),
            ("AU", "Friday 31 November", "There is no 31 November."),
            ("AU", "on the 32nd", "There is no day 32 in a month."),
            ("IE", "Friday the 13th", "13 December is a Sunday, not a Friday."),
            ("IE", "on Friday the 14th", "14 December is a Monday, not a Friday."),
            ("IE", "Friday 13 December", "13 December is a Sunday, not a Friday."),
            ("IE", "Friday, 13 December 2026", "13 December is a Sunday, not a Friday."),
            ("AU", "Friday 13/12/2026", "13 December is a Sunday, not a Friday."),
            ("AU", "Saturday 20 November", "20 November is a Friday, not a Saturday."),
            ("IE", "Friday or Saturday", "“friday or saturday” could be 20 November or 21 November."),
            ("IE", "Friday/Saturday", "“friday/saturday” could be 20 November or 21 November."),
            ("IE", "on Friday and Saturday", "“friday and saturday” is more than one value."),
            ("IE", "Friday, Saturday", "“friday, saturday” is more than one value."),
            ("IE", "Friday to Sunday", "“friday to sunday” is a range, not one value."),
            ("IE", "from Monday to Friday", "“from monday to friday” is a range, not one value."),
            ("IE", "Mon-Fri", "“mon-fri” is a range, not one value."),
            ("IE", "3 or 4 May", "“3 or 4 may” could be one or the other."),
            ("IE", "the 3rd or 4th of May", "“the 3rd or 4th of may” could be 3 December or 4 May."),
            ("IE", "5-6 May", "“5-6 may” is a range, not one value."),
            ("IE", "every Friday", "“every friday” happens more than once; this needs one time."),
            ("IE", "each Friday", "“each friday” happens more than once; this needs one time."),
            ("IE", "every other Friday", "“every other friday” happens more than once; this needs one time."),
            ("IE", "on Fridays", "“on fridays” happens more than once; this needs one time."),
            ("IE", "mow the lawn weekly", "“weekly” happens more than once; this needs one time."),
            ("IE", "every 2 weeks", "“every 2 weeks” happens more than once; this needs one time."),
            ("IE", "Friday each week", "“friday each week” happens more than once; this needs one time."),
            ("IE", "around Friday", "“around friday” is not exact."),
            ("IE", "maybe Friday", "“maybe friday” is not exact."),
            ("IE", "before Friday", "“before friday” is an upper limit, not a value."),
            ("IE", "no later than Friday", "“no later than friday” is an upper limit, not a value."),
            ("IE", "Friday after next", "“friday after next” is not one complete value."),
            ("IE", "first Friday of December", "“first friday of” is not one complete value."),
            ("IE", "Friday 13", "“friday 13” is not one complete value."),
        ]
        .iter()
        .filter(|(_, text, _)| !text.contains("the 3rd or"))
        .copied()
        .collect::<Vec<_>>(),
    );
}

#[test]
fn times_durations_and_phone_numbers_are_never_half_taken() {
    all_unclear(
        &SlotKind::Time,
        &[
            ("AU", "3 or 4pm", "“3 or 4pm” could be 15:00 or 16:00."),
            ("AU", "3pm-4pm", "“3pm-4pm” is a range, not one value."),
            ("AU", "around 3pm", "“around 3pm” is not exact."),
            ("AU", "about half past three", "“about half past three” is not exact."),
            ("AU", "9am every day", "“9am every day” happens more than once; this needs one time."),
            ("AU", "after 3pm", "“after 3pm” is a lower limit, not a value."),
            ("IE", "3pm or so", "“3pm or so” is not exact."),
        ]
        .iter()
        .copied()
        .collect::<Vec<_>>(),
    );
    all_unclear(
        &SlotKind::DateTime,
        &[
            ("AU", "Friday at 3 or 4", "“friday at 3 or 4” could be one or the other."),
            ("AU", "tomorrow around 9", "“tomorrow around 9” is not exact."),
            ("AU", "every Friday at 9", "“every friday at 9” happens more than once; this needs one time."),
            ("IE", "tomorrow at 9 or on Friday at 10", "“tomorrow at 9 or on friday at 10” could be one or the other."),
        ],
    );
    all_unclear(
        &SlotKind::Duration,
        &[
            ("AU", "2-3 hours", "“2-3 hours” is a range, not one value."),
            ("AU", "2 or 3 hours", "“2 or 3 hours” could be one or the other."),
            ("AU", "an hour or two", "“an hour or two” could be one or the other."),
            ("AU", "about an hour", "“about an hour” is not exact."),
            ("AU", "half an hour or so", "“half an hour or so” is not exact."),
            ("AU", "at least 90 minutes", "“at least 90 minutes” is a lower limit, not a value."),
        ],
    );
    all_unclear(
        &SlotKind::Phone,
        &[
            ("AU", "0412 345 67", "“0412 345 67” does not have as many digits as a phone number."),
            ("AU", "0412 345 678 90", "“0412 345 678 90” does not have as many digits as a phone number."),
            ("GB", "020 7946", "“020 7946” does not have as many digits as a phone number."),
        ],
    );
}

#[test]
fn what_stands_at_a_position_has_its_reason() {
    let chars_of = |text: &str| chars(text);
    assert!(SlotKind::Money.read(&chars_of("5/6 euro"), 0, &around("IE")).is_empty(), "a date or a fraction");
    assert!(SlotKind::Money.read(&chars_of("1/2"), 0, &around("IE")).is_empty());
    let reason = |kind: &SlotKind, text: &str| {
        let unclear = kind.unclear(&chars(text), 0, &around("IE"));
        unclear.map(|unclear| (unclear.range.end, unclear.reason()))
    };
    let said = |text: &str| Some((text.chars().count(), format!("“{text}” is not an amount in kg.")));
    assert_eq!(reason(&kg(), "3 m"), said("3 m"));
    assert_eq!(reason(&kg(), "10%"), said("10%"));
    assert_eq!(reason(&SlotKind::Money, "3 kg").unwrap().1, "“3 kg” is not an amount of money.");
    assert_eq!(reason(&SlotKind::Integer, "2.5").unwrap().1, "“2.5” is not a whole number.");
    assert_eq!(reason(&SlotKind::Integer, "3rd").unwrap().1, "“3rd” is not one complete value.");
    assert_eq!(reason(&SlotKind::Duration, "3 months").unwrap().1, "“3 months” is not a fixed length of time.");
    assert_eq!(reason(&SlotKind::Phone, "12345").unwrap().0, 5);
    assert_eq!(reason(&kg(), "up to 10 kg").unwrap().0, 11);
    for (kind, text) in [
        (kg(), "3 kg"),
        (SlotKind::Money, "5 euro"),
        (SlotKind::Date, "friday"),
        (SlotKind::Integer, "weekly"),
        (SlotKind::Text, "5 or 6"),
        (SlotKind::Date, "somewhen"),
        (SlotKind::Date, "may 50 people come"),
    ] {
        assert_eq!(reason(&kind, text), None, "{text}");
    }
}

#[test]
fn values_with_unrelated_neighbours_are_taken() {
    for (kind, text, value) in [
        (SlotKind::Money, "paid 5 euro and took 3 kg", "5"),
        (SlotKind::Money, "10 euro 3 days ago", "10"),
        (SlotKind::Money, "charge 45 plus tax", "45"),
        (SlotKind::Money, "paid 5 euro for the bowl", "5"),
        (kg(), "took 3 of clay", "3"),
        (kg(), "2 kg and a bowl", "2"),
        (SlotKind::Integer, "add 3 90x45 studs", "3"),
        (SlotKind::Date, "remind me about friday", "2026-11-20"),
        (SlotKind::Date, "send it by friday, please", "2026-11-20"),
        (SlotKind::Date, "friday and then call", "2026-11-20"),
        (SlotKind::Time, "at 3pm for 2 people", "15:00"),
        (SlotKind::Duration, "for 2 hours and 3 people", "PT2H"),
        (SlotKind::Phone, "0851234567, 12 main street", "0851234567"),
    ] {
        let around = around("IE");
        let chars = chars(text);
        let found = extract(&kind, &chars, &around);
        let values: Vec<String> = found.iter().map(|(_, value)| plain(value)).collect();
        assert_eq!(values, [value], "{text}: {:?}", unclear_in(&kind, &chars, &around));
    }
}

#[test]
fn a_limit_suits_a_slot_that_holds_one() {
    let limit = |text: &str| SlotKind::Money.unclear(&chars(text), 0, &around("AU")).unwrap();
    let (under, over) = (limit("under $200"), limit("over $200"));
    assert!(under.suits("max_price") && !under.suits("min_price") && !under.suits("price"));
    assert!(over.suits("min_price") && !over.suits("max_price"));
    let before = SlotKind::Date.unclear(&chars("before friday"), 0, &around("AU")).unwrap();
    assert!(before.suits("due") && before.suits("due_date") && !before.suits("day"));
}

mod any_text {
    use proptest::prelude::*;

    use super::*;

    fn kinds() -> Vec<SlotKind> {
        vec![
            SlotKind::Integer,
            SlotKind::Decimal,
            kg(),
            SlotKind::Money,
            SlotKind::Date,
            SlotKind::Time,
            SlotKind::DateTime,
            SlotKind::Duration,
            SlotKind::Phone,
        ]
    }

    /// Whether the text around a range continues the value in it.
    fn goes_on(kind: &SlotKind, chars: &[char], value: &Range<usize>) -> bool {
        let behind: String = chars[value.end..].iter().collect();
        let before: String = chars[..value.start].iter().collect();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let number = kind.is_number_like();
        let behind_goes_on = [" or 7", " to 7", "-7", "ish", " or so", "+"]
            .iter()
            .any(|one| behind.strip_prefix(one).is_some_and(|rest| rest.is_empty()));
        let glued = number
            && behind.starts_with([',', '.'])
            && digit(behind.chars().nth(1))
            && chars[value.end - 1].is_ascii_digit();
        let hedged =
            [" about ", " around ", " at least ", " up to ", "roughly "].iter().any(|one| before.ends_with(one));
        let joined = digit(behind.chars().next()) || digit(before.chars().last());
        (number && (behind_goes_on || hedged)) || glued || (joined && number)
    }

    fn check(text: &str, region: &str) -> Result<(), TestCaseError> {
        let around = around(region);
        let chars = chars(text);
        for kind in kinds() {
            for (range, value) in extract(&kind, &chars, &around) {
                prop_assert!(!goes_on(&kind, &chars, &range), "{kind:?} took {value} at {range:?} of {text:?}");
                prop_assert!(
                    unclear_in(&kind, &chars, &around)
                        .iter()
                        .all(|one| one.range.end <= range.start || range.end <= one.range.start),
                    "{kind:?} took {value} at {range:?} inside of something unclear in {text:?}"
                );
            }
            for at in 0..chars.len() {
                let taken = kind.read(&chars, at, &around);
                let unclear = kind.unclear(&chars, at, &around);
                prop_assert!(taken.is_empty() || unclear.is_none(), "{kind:?} at {at} of {text:?}");
                if let Some(unclear) = unclear {
                    prop_assert!(unclear.range.start < unclear.range.end && unclear.range.end <= chars.len());
                    prop_assert!(!unclear.reason().is_empty());
                }
                if let Some((end, value)) = taken.first() {
                    prop_assert!(!goes_on(&kind, &chars, &(at..*end)), "{kind:?} read {value} at {at} of {text:?}");
                }
            }
            for one in unclear_in(&kind, &chars, &around) {
                prop_assert!(one.range.start < one.range.end && one.range.end <= chars.len());
            }
        }
        let mut last = 0;
        for range in crate::mentions_value(&chars, &around) {
            prop_assert!(last <= range.start && range.start < range.end && range.end <= chars.len());
            last = range.end;
        }
        Ok(())
    }

    proptest! {
        // Each case reads every kind at every place.
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn a_value_is_never_beside_its_continuation(text in "\\PC{0,40}", region in "|AU|US|DE|IN") {
            check(&text, &region)?;
        }

        #[test]
        fn nor_among_words_that_readers_know(
            words in proptest::collection::vec(
                "[0-9]{1,4}|[0-9]{1,2}[:/.,'-][0-9]{1,3}|a|an|and|or|half|quarter|past|to|two|hundred|fifty|dozen|of|about|\
                 around|at least|up to|between|from|next|every|friday|fridays|week|november|31|the|3rd|13th|at|pm|\\$|€|%|\
                 k|kg|bags|euro|cent|so|ish|odd|point|½|0412|-|,|weekly|before|after",
                0..9,
            ),
            glue in " |",
            region in "AU|US|DE|IN",
        ) {
            check(&words.join(&glue), &region)?;
        }
    }

    #[test]
    fn long_chains_terminate() {
        for text in [
            "1 or ".repeat(2_000),
            "two ".repeat(2_000),
            "about ".repeat(2_000),
            "friday, ".repeat(1_000),
            "5-".repeat(2_000),
        ] {
            let chars = chars(&text);
            for kind in kinds() {
                let _ = (extract(&kind, &chars, &around("AU")), unclear_in(&kind, &chars, &around("AU")));
            }
        }
    }
}
