//! Ranges: `between 5 and 10`, `from Monday to Friday`, `at least 5`, `under $200`; and the pairs of slots they fill.

use rust_decimal::Decimal;
use serde_json::Value;

use super::cursor::Cursor;
use super::extract::{scan, starts_value};
use super::hint::Hint;
use super::{SlotKind, Surroundings};
use brain_english::bounds::{AFTER, BEFORE, BETWEEN, End, FROM, TO};

/// One end of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The bound.
    pub value: Value,
    /// Whether the bound is part of the range: yes for `at least 5`, no for `more than 5`.
    pub included: bool,
}

/// A range; either end may be open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound.
    pub least: Option<Bound>,
    /// The upper bound.
    pub most: Option<Bound>,
}

fn open(end: End, value: Value) -> Bounds {
    match end {
        End::Least(included) => Bounds { least: Some(Bound { value, included }), most: None },
        End::Most(included) => Bounds { least: None, most: Some(Bound { value, included }) },
    }
}

fn closed(least: Value, most: Value) -> Bounds {
    let bound = |value| Some(Bound { value, included: true });
    Bounds { least: bound(least), most: bound(most) }
}

/// Whether the values of a type are ordered.
fn is_ordered(kind: &SlotKind) -> bool {
    kind.is_number()
        || matches!(kind, SlotKind::Date | SlotKind::Time | SlotKind::DateTime | SlotKind::Duration | SlotKind::Money)
}

/// The range at this position.
fn bounds_at(kind: &SlotKind, chars: &[char], at: usize, around: &Surroundings) -> Option<(usize, Bounds)> {
    let start = Cursor::new(chars, at);
    if !start.peek()?.is_alphabetic() {
        return signed(kind, start, around).or_else(|| bare(kind, start, around));
    }
    let mut cursor = start;
    if cursor.eat(&BETWEEN) {
        let (cursor, low) = value(kind, cursor, around)?;
        return second(kind, cursor, low, &["and"], around);
    }
    let opening = BEFORE.iter().find(|(words, _)| {
        cursor = start;
        cursor.eat_all(words)
    });
    let Some((words, end)) = opening else { return bare(kind, start, around) };
    let (cursor, low) = value(kind, cursor, around)?;
    if *words == FROM.as_slice()
        && let Some(found) = second(kind, cursor, low.clone(), &TO, around)
    {
        return Some(found);
    }
    Some((cursor.at, open(*end, low)))
}

/// The next value, in its longest reading.
fn value<'a>(kind: &SlotKind, mut cursor: Cursor<'a>, around: &Surroundings) -> Option<(Cursor<'a>, Value)> {
    cursor.space();
    let (end, value) = kind.readings(cursor.chars, cursor.at, around).into_iter().next()?;
    Some((Cursor::new(cursor.chars, end), value))
}

/// The upper bound of a closed range.
fn second(
    kind: &SlotKind,
    mut cursor: Cursor<'_>,
    low: Value,
    words: &[&str],
    around: &Surroundings,
) -> Option<(usize, Bounds)> {
    let dash = {
        let mut dash = cursor;
        dash.space();
        let there = dash.sign(&['-']);
        there.then_some(dash)
    };
    match dash {
        Some(dash) => cursor = dash,
        None => cursor.eat(words).then_some(())?,
    }
    let (end, high) = value(kind, cursor, around)?;
    if kind == &SlotKind::Date && text(&high) < text(&low) {
        // From Friday to Monday: the Monday after that Friday.
        let day: jiff::civil::Date = text(&low).parse().ok()?;
        let then = day.to_zoned(around.now.time_zone().clone()).ok()?;
        let then = Surroundings { now: then, ..around.clone() };
        let (end, high) = value(kind, cursor, &then)?;
        return (text(&high) >= text(&low)).then(|| (end.at, closed(low, high)));
    }
    match (number(&low), number(&high)) {
        (Some(a), Some(b)) if a > b => Some((end.at, closed(high, low))),
        _ => Some((end.at, closed(low, high))),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> Option<Decimal> {
    brain_core::decimal_text(value).and_then(|text| Decimal::from_str_exact(&text).ok())
}

/// `>= 5`, `< 10`.
fn signed(kind: &SlotKind, start: Cursor<'_>, around: &Surroundings) -> Option<(usize, Bounds)> {
    let mut cursor = start;
    let least = match cursor.peek()? {
        '>' | '\u{2265}' => true,
        '<' | '\u{2264}' => false,
        _ => return None,
    };
    let included = cursor.peek().is_some_and(|c| matches!(c, '\u{2265}' | '\u{2264}'));
    cursor.at += 1;
    let included = cursor.sign(&['=']) || included;
    let end = if least { End::Least(included) } else { End::Most(included) };
    let (cursor, value) = value(kind, cursor, around)?;
    Some((cursor.at, open(end, value)))
}

/// `5-10`, `5 to 10`, `5 or more`, `5+`.
fn bare(kind: &SlotKind, start: Cursor<'_>, around: &Surroundings) -> Option<(usize, Bounds)> {
    let (cursor, low) = value(kind, start, around)?;
    if let Some(found) = second(kind, cursor, low.clone(), &["to", "until", "till", "through"], around) {
        return Some(found);
    }
    let mut plus = cursor;
    if plus.sign(&['+']) && plus.ends_word() {
        return Some((plus.at, open(End::Least(true), low)));
    }
    AFTER.iter().find_map(|(words, end)| {
        let mut behind = cursor;
        behind.eat_all(words).then(|| (behind.at, open(*end, low.clone())))
    })
}

/// Ranges anywhere in a text, in order.
pub fn ranges(kind: &SlotKind, chars: &[char], around: &Surroundings) -> Vec<(std::ops::Range<usize>, Bounds)> {
    if !is_ordered(kind) {
        return Vec::new();
    }
    let signs = |at: &usize| matches!(chars[*at], '<' | '>' | '\u{2264}' | '\u{2265}');
    let places =
        (0..chars.len()).filter(|at| starts_value(chars, *at) || signs(at)).map(|at| (at, Hint::at(chars, at)));
    let places: Vec<_> = places.collect();
    scan(&places, |at, _| bounds_at(kind, chars, at, around).filter(|(end, _)| super::ends_word(chars, *end)))
}

/// Two slots that hold the ends of one range: `min_price` and `max_price`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The slot of the lower end.
    pub low: &'a str,
    /// The slot of the upper end.
    pub high: &'a str,
    /// What the range is about: `price`; empty for plain `from` and `to`.
    pub subject: &'a str,
    /// Whether the slots hold inclusive bounds. `after` and `before` hold exclusive ones.
    included: bool,
}

/// Name parts of such slots, before or after the subject, and whether their bounds are inclusive.
const NAMES: [(&str, &str, bool); 10] = [
    ("min", "max", true),
    ("minimum", "maximum", true),
    ("from", "to", true),
    ("start", "end", true),
    ("since", "until", true),
    ("least", "most", true),
    ("lower", "upper", true),
    ("earliest", "latest", true),
    ("gte", "lte", true),
    ("after", "before", false),
];

/// The pairs among the slots of a target.
pub fn pairs<'a>(slots: impl IntoIterator<Item = &'a str>) -> Vec<Pair<'a>> {
    let slots: Vec<&str> = slots.into_iter().collect();
    let mut found = Vec::new();
    for &low in &slots {
        for (name, other, included) in NAMES {
            let Some((subject, before)) = subject(low, name) else { continue };
            let partner = |slot: &&&str| match self::subject(slot, other) {
                Some((of, in_front)) => of == subject && (in_front == before || subject.is_empty()),
                None => false,
            };
            if let Some(&high) = slots.iter().find(partner) {
                found.push(Pair { low, high, subject, included });
                break;
            }
        }
    }
    found
}

/// Whether a slot's name says that it holds a lower bound, and an upper one: `min_price`, `due_before`. A slot for when
/// something is due holds either.
pub(super) fn bounds_named(slot: &str) -> (bool, bool) {
    let has = |wanted: &str| slot.split('_').any(|part| part == wanted);
    let due = ["due", "deadline", "expires", "expiry", "by", "limit"].into_iter().any(has);
    let least = due || NAMES.iter().any(|(low, _, _)| has(low));
    let most = due || NAMES.iter().any(|(_, high, _)| has(high));
    (least, most)
}

/// The subject of a slot, and whether the name part comes first.
fn subject<'a>(slot: &'a str, name: &str) -> Option<(&'a str, bool)> {
    if slot == name {
        return Some(("", true));
    }
    let front = slot.strip_prefix(name).and_then(|rest| rest.strip_prefix('_')).map(|rest| (rest, true));
    front.or_else(|| slot.strip_suffix(name).and_then(|rest| rest.strip_suffix('_')).map(|rest| (rest, false)))
}

impl<'a> Pair<'a> {
    /// Two slots that a phrase has as the ends of a period; `None` if their names are those of a pair anyway.
    pub fn of(low: &'a str, high: &'a str) -> Option<Self> {
        pairs([low, high]).is_empty().then_some(Self { low, high, subject: "", included: true })
    }

    /// The values of the two slots. Whole numbers are shifted by one if range and slots differ in inclusiveness; other
    /// values are not.
    pub fn fill(&self, bounds: &Bounds) -> Vec<(String, Value)> {
        let moved = |bound: &Bound, inwards: i64| match bound.value.as_i64() {
            Some(number) if self.included && !bound.included => Value::from(number.saturating_add(inwards)),
            Some(number) if !self.included && bound.included => Value::from(number.saturating_sub(inwards)),
            _ => bound.value.clone(),
        };
        let low = bounds.least.iter().map(|bound| (self.low.to_owned(), moved(bound, 1)));
        let high = bounds.most.iter().map(|bound| (self.high.to_owned(), moved(bound, -1)));
        low.chain(high).collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use serde_json::json;

    use super::*;

    fn read(kind: &SlotKind, text: &str) -> Vec<(String, Bounds)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::on(Date::constant(2026, 11, 15));
        ranges(kind, &chars, &around)
            .into_iter()
            .map(|(range, bounds)| (chars[range].iter().collect(), bounds))
            .collect()
    }

    fn ends(kind: &SlotKind, text: &str) -> (Value, Value) {
        let mut found = read(kind, text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let (_, bounds) = found.remove(0);
        let value = |bound: Option<Bound>| bound.map_or(Value::Null, |bound| bound.value);
        (value(bounds.least), value(bounds.most))
    }

    #[test]
    fn ranges_have_two_ends_or_one() {
        let int = SlotKind::Integer;
        for (text, least, most) in [
            ("between 5 and 10", json!(5), json!(10)),
            ("between ten and 5", json!(5), json!(10)),
            ("from 5 to 10", json!(5), json!(10)),
            ("rows 5-10 please", json!(5), json!(10)),
            ("5 to 10", json!(5), json!(10)),
            ("at least 5", json!(5), Value::Null),
            ("more than five", json!(5), Value::Null),
            ("5 or more", json!(5), Value::Null),
            ("5+", json!(5), Value::Null),
            (">= 5", json!(5), Value::Null),
            ("up to 10", Value::Null, json!(10)),
            ("no more than 10", Value::Null, json!(10)),
            ("fewer than 10", Value::Null, json!(10)),
            ("<10", Value::Null, json!(10)),
        ] {
            assert_eq!(ends(&int, text), (least, most), "{text}");
        }
        assert_eq!(ends(&SlotKind::Money, "under $200"), (Value::Null, json!("200")));
        assert_eq!(ends(&SlotKind::Money, "$5 - $10.50"), (json!("5"), json!("10.50")));
        assert!(read(&int, "5 apples").is_empty() && read(&SlotKind::Text, "5-10").is_empty());
    }

    #[test]
    fn ranges_of_days_go_forward() {
        let date = SlotKind::Date;
        assert_eq!(ends(&date, "from monday to friday"), (json!("2026-11-16"), json!("2026-11-20")));
        assert_eq!(ends(&date, "from friday to monday"), (json!("2026-11-20"), json!("2026-11-23")));
        assert_eq!(ends(&date, "20 november - 3 january"), (json!("2026-11-20"), json!("2027-01-03")));
        assert_eq!(ends(&date, "since 1 november"), (json!("2026-11-01"), Value::Null));
        assert_eq!(ends(&date, "before friday"), (Value::Null, json!("2026-11-20")));
    }

    #[test]
    fn pairs_are_recognised_by_slot_names() {
        let slots = ["max_price", "min_price", "due_after", "due_before", "from", "to", "name", "min_age"];
        let found = pairs(slots);
        let names: Vec<(&str, &str, &str)> = found.iter().map(|pair| (pair.low, pair.high, pair.subject)).collect();
        let expected = [("min_price", "max_price", "price"), ("due_after", "due_before", "due"), ("from", "to", "")];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_range_fills_its_pair() {
        let fill = |slots: [&'static str; 2], text: &str| {
            pairs(slots)[0].fill(&read(&SlotKind::Integer, text)[0].1).into_iter().collect::<serde_json::Map<_, _>>()
        };
        assert_eq!(Value::from(fill(["min_x", "max_x"], "more than 5")), json!({"min_x": 6}));
        assert_eq!(Value::from(fill(["min_x", "max_x"], "between 5 and 10")), json!({"min_x": 5, "max_x": 10}));
        assert_eq!(Value::from(fill(["x_after", "x_before"], "at least 5")), json!({"x_after": 4}));
        assert_eq!(Value::from(fill(["x_after", "x_before"], "under 10")), json!({"x_before": 10}));
    }
}
