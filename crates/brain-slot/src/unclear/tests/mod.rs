//! What is read whole, and what is never half taken.

mod any_text;
mod never_half;
mod read_whole;

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
