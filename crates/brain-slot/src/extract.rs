//! Finds values of a type anywhere in a text, in one pass; positions where no value can begin cost almost nothing.

use std::ops::Range;

use serde_json::Value;

use super::cursor::Cursor;
use super::hint::Hint;
use super::number::stands_alone;
use super::unit::unit_at;
use super::{SlotKind, Surroundings, choice, date, ends_word, moment, money, phone, quantity, text, time};
use brain_english::calendar::{AMBIGUOUS_WEEKDAYS, BEFORE_WEEKDAY};
use brain_english::values::{BEFORE_PRONOUN_ONE, SWITCHING};

/// Values of a type, in order. Of overlapping values, the first and longest wins. A value never starts inside a word
/// or inside a value of a more specific type: the digits of a date are not a number, the digits of an identifier not a
/// phone number.
///
/// A value that is only part of a wider expression is left out; [`super::unclear_in`] finds those.
///
/// The text is folded; [`SlotKind::original`] restores the original letters.
pub fn extract(kind: &SlotKind, chars: &[char], around: &Surroundings) -> Vec<(Range<usize>, Value)> {
    let mut found = extract_any(kind, chars, around);
    found.retain(|(range, _)| kind.unclear_around(chars, range.clone(), around).is_none());
    found
}

/// Values of a type, in order, whatever surrounds them.
pub(super) fn extract_any(kind: &SlotKind, chars: &[char], around: &Surroundings) -> Vec<(Range<usize>, Value)> {
    match kind {
        SlotKind::Text => Vec::new(),
        SlotKind::Enum(values) => choice::near(chars, values),
        SlotKind::List(item) => lists(item, chars, around),
        SlotKind::Money => amounts(chars, around),
        kind if kind.is_number() => numbers(kind, chars, around),
        kind => {
            let starts = starts(chars);
            plain(kind, chars, around, &starts, &claims(kind, chars, around, &starts))
        }
    }
}

fn joined(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word begins here, neither inside another nor after its apostrophe.
pub(super) fn starts_word(chars: &[char], at: usize) -> bool {
    if !chars[at].is_alphanumeric() {
        return false;
    }
    match at.checked_sub(1).map(|i| chars[i]) {
        None | Some(' ') => true,
        Some('\'') => at < 2 || !joined(chars[at - 2]),
        Some(before) => !joined(before),
    }
}

/// Whether a value may begin here: at a word or at a sign before one.
pub(super) fn starts_value(chars: &[char], at: usize) -> bool {
    if !matches!(chars[at], '-' | '+' | '(' | '$' | '€' | '£' | '¥' | '₹' | '₩') {
        return starts_word(chars, at);
    }
    at == 0 || chars[at - 1].is_whitespace() || matches!(chars[at - 1], '(' | ':' | ',' | '=' | '"')
}

/// A position where a value may begin, with its hint.
type Start = (usize, Hint);

/// The positions of a text where a value may begin, in order.
pub(super) fn starts(chars: &[char]) -> Vec<Start> {
    (0..chars.len()).filter(|&at| starts_value(chars, at)).map(|at| (at, Hint::at(chars, at))).collect()
}

/// What `read` finds at each position; matches do not overlap.
pub(super) fn scan<T>(
    starts: &[Start],
    mut read: impl FnMut(usize, Hint) -> Option<(usize, T)>,
) -> Vec<(Range<usize>, T)> {
    let mut found: Vec<(Range<usize>, T)> = Vec::new();
    let mut end = 0;
    for &(at, hint) in starts {
        if at >= end
            && let Some((next, value)) = read(at, hint)
        {
            found.push((at..next, value));
            end = next;
        }
    }
    found
}

/// Values at positions that no claim covers.
fn plain(
    kind: &SlotKind,
    chars: &[char],
    around: &Surroundings,
    starts: &[Start],
    claims: &[Range<usize>],
) -> Vec<(Range<usize>, Value)> {
    let mut claims = claims.iter().peekable();
    scan(starts, |at, hint| {
        while claims.peek().is_some_and(|claim| claim.end <= at) {
            claims.next();
        }
        let limit = claims.peek().map_or(usize::MAX, |claim| claim.start);
        let free = limit > at && kind.may_begin(chars[at], hint);
        free.then(|| read(kind, chars, at, limit, around)).flatten()
    })
}

/// The longest complete value here that ends before a limit.
fn read(kind: &SlotKind, chars: &[char], at: usize, limit: usize, around: &Surroundings) -> Option<(usize, Value)> {
    let cursor = Cursor::new(chars, at);
    let whole = |end: usize| end <= limit && ends_word(chars, end);
    let readings = match kind {
        SlotKind::Integer | SlotKind::Decimal | SlotKind::Quantity(_) => {
            let readings = kind.readings(chars, at, around);
            return readings.into_iter().find(|(end, _)| *end <= limit && is_number(chars, at, *end));
        }
        // The date begins after `on`.
        SlotKind::Date if chars[at..].starts_with(&['o', 'n', ' ']) || is_word_for_other_things(chars, at) => {
            return None;
        }
        SlotKind::Time => {
            let bare = cursor.word_before().is_some_and(|word| word.as_str() == "at");
            let clock = time::clock(chars, at, around, bare)?;
            let time = clock.1.time(None)?;
            vec![(clock.0, Value::from(time::text(time)))]
        }
        SlotKind::Phone => phone::certain(chars, at, around).into_iter().collect(),
        SlotKind::Boolean => {
            let switched = cursor.word_before().is_some_and(|word| SWITCHING.contains(&word.as_str()));
            if matches!(chars[at], 'o') && !switched {
                return None;
            }
            kind.readings(chars, at, around)
        }
        kind => kind.readings(chars, at, around),
    };
    readings.into_iter().find(|(end, _)| whole(*end))
}

/// Whether a number counts something: it ends its word, or a unit or multiplication sign follows directly, and it is
/// not the pronoun `one`.
pub(super) fn is_number(chars: &[char], at: usize, end: usize) -> bool {
    let times = chars.get(end) == Some(&'x') && ends_word(chars, end + 1);
    let unit = || unit_at(chars, end).is_some();
    (stands_alone(chars, end) || times || unit()) && !(chars[at] == 'o' && end - at == 3 && is_pronoun(chars, at, end))
}

/// Whether `one` is a pronoun: `this one`, `the second one`, `one of them`.
fn is_pronoun(chars: &[char], at: usize, end: usize) -> bool {
    let before = Cursor::new(chars, at).word_before();
    let mut behind = Cursor::new(chars, end);
    let pointing = |word: &str| BEFORE_PRONOUN_ONE.contains(&word);
    before.is_some_and(|word| pointing(word.as_str())) || behind.eat(&["of"])
}

/// `sat` and `sun` are weekdays only in certain contexts.
pub(super) fn is_word_for_other_things(chars: &[char], at: usize) -> bool {
    let cursor = Cursor::new(chars, at);
    let mut next = cursor;
    let Some(word) = next.next_word() else { return false };
    let ambiguous = AMBIGUOUS_WEEKDAYS.contains(&word.as_str());
    let expected = |word: &str| BEFORE_WEEKDAY.contains(&word);
    // `Sun 20 November` is unambiguous.
    next.gap();
    let dated = next.peek().is_some_and(|c| c.is_ascii_digit());
    ambiguous && !dated && !cursor.word_before().is_some_and(|word| expected(word.as_str()))
}

/// Numbers; if there are only amounts of money, those.
fn numbers(kind: &SlotKind, chars: &[char], around: &Surroundings) -> Vec<(Range<usize>, Value)> {
    let starts = starts(chars);
    let mut claims = claims(kind, chars, around, &starts);
    let sums = sums_with_currency(chars, around, &starts, &claims);
    claims.extend(sums.iter().map(|(range, _)| range.clone()));
    claims.sort_by_key(|range| range.start);
    let found = plain(kind, chars, around, &starts, &claims);
    if !found.is_empty() || matches!(kind, SlotKind::Quantity(_)) {
        return found;
    }
    let as_number = |(range, sum): (Range<usize>, money::Sum)| {
        let value = match kind {
            SlotKind::Integer => i64::try_from(sum.value).ok().filter(|_| sum.value.fract().is_zero())?.into(),
            _ => Value::from(sum.value.to_string()),
        };
        Some((range, value))
    };
    sums.into_iter().filter_map(as_number).collect()
}

/// Amounts of money. If some have a currency, bare numbers are not amounts.
fn amounts(chars: &[char], around: &Surroundings) -> Vec<(Range<usize>, Value)> {
    let starts = starts(chars);
    let mut claims = claims(&SlotKind::Money, chars, around, &starts);
    let sums = sums_with_currency(chars, around, &starts, &claims);
    if !sums.is_empty() {
        let ours = sums.into_iter().filter(|(range, _)| !money::money(chars, range.start, around).is_empty());
        return ours.map(|(range, sum)| (range, Value::from(sum.value.to_string()))).collect();
    }
    // A measure is not an amount of money.
    let measures = scan(&starts, |at, hint| {
        let measure = hint.has(Hint::NUMBER).then(|| quantity::measure(chars, at, around)).flatten();
        measure.map(|measure| (measure.end, ()))
    });
    claims.extend(measures.into_iter().map(|(range, ())| range));
    claims.sort_by_key(|range| range.start);
    let found = plain(&SlotKind::Money, chars, around, &starts, &claims);
    found.into_iter().filter(|(range, _)| is_number(chars, range.start, range.end)).collect()
}

/// Amounts with a currency, of any currency.
pub(super) fn sums_with_currency(
    chars: &[char],
    around: &Surroundings,
    starts: &[Start],
    claims: &[Range<usize>],
) -> Vec<(Range<usize>, money::Sum)> {
    let mut claims = claims.iter().peekable();
    scan(starts, |at, hint| {
        while claims.peek().is_some_and(|claim| claim.end <= at) {
            claims.next();
        }
        let free = claims.peek().is_none_or(|claim| at < claim.start) && SlotKind::Money.may_begin(chars[at], hint);
        let sums = if free { money::sums(chars, at, around) } else { Vec::new() };
        sums.into_iter().find(|(_, sum)| sum.currency.is_some())
    })
}

/// Lists: values separated only by commas and `and`.
fn lists(item: &SlotKind, chars: &[char], around: &Surroundings) -> Vec<(Range<usize>, Value)> {
    let mut found: Vec<(Range<usize>, Vec<Value>)> = Vec::new();
    for (range, value) in extract_any(item, chars, around) {
        match found.last_mut() {
            Some((list, items)) if super::list::joins(&chars[list.end..range.start]) => {
                list.end = range.end;
                items.push(value);
            }
            _ => found.push((range, vec![value])),
        }
    }
    found.into_iter().map(|(range, items)| (range, Value::Array(items))).collect()
}

/// Ranges that belong to more specific types, where this type is not looked for; in order.
pub(super) fn claims(kind: &SlotKind, chars: &[char], around: &Surroundings, starts: &[Start]) -> Vec<Range<usize>> {
    let has_at = !matches!(kind, SlotKind::Email | SlotKind::Url) && chars.contains(&'@');
    let has_link = kind != &SlotKind::Url && chars.windows(3).any(|signs| signs == [':', '/', '/']);
    let has_id =
        !matches!(kind, SlotKind::Uuid | SlotKind::Email | SlotKind::Url) && chars.iter().any(char::is_ascii_digit);
    let counts = kind.is_number() || kind == &SlotKind::Money;
    let day = counts || matches!(kind, SlotKind::Phone | SlotKind::Duration);
    if !(has_at || has_link || has_id || day) {
        return Vec::new();
    }
    let found = scan(starts, |at, hint| {
        let mut end = None;
        let mut claim = |other: Option<usize>| end = end.max(other);
        if has_link && chars[at] == 'h' {
            claim(text::url(chars, at).map(|(end, _)| end));
        }
        if has_at {
            claim(text::email(chars, at).map(|(end, _)| end));
        }
        if has_id {
            claim(text::uuid(chars, at).map(|(end, _)| end));
            claim(identifier_end(chars, at));
        }
        if day && hint.has(Hint::DAY) {
            claim(day_end(chars, at, around));
        }
        if counts && hint.has(Hint::TIME) {
            claim(time::clock(chars, at, around, false).map(|(end, _)| end));
        }
        if counts && has_id {
            claim(phone::certain(chars, at, around).map(|(end, _)| end));
        }
        if kind == &SlotKind::Duration && hint.has(Hint::MOMENT) {
            claim(moment::from_now(Cursor::new(chars, at), around).map(|(end, _)| end));
        }
        end.map(|end| (end, ()))
    });
    found.into_iter().map(|(range, ())| range).collect()
}

/// End of the date starting at `at`. `1/2 tonne` is a quantity, not a date.
fn day_end(chars: &[char], at: usize, around: &Surroundings) -> Option<usize> {
    let (end, _) = date::days(chars, at, around).into_iter().next()?;
    let mut behind = Cursor::new(chars, end);
    behind.space();
    let measure = chars[at].is_ascii_digit() && chars[end - 1].is_ascii_digit() && unit_at(chars, behind.at).is_some();
    (!measure && !is_word_for_other_things(chars, at)).then_some(end)
}

/// End of the identifier starting at `at`: a word with digits, such as `INV-2041`.
pub(super) fn identifier_end(chars: &[char], at: usize) -> Option<usize> {
    if !chars[at].is_alphabetic() {
        return None;
    }
    let joined = |i: usize| {
        let sign = matches!(chars[i], '-' | '_') && chars.get(i + 1).is_some_and(|c| c.is_alphanumeric());
        chars[i].is_alphanumeric() || sign
    };
    let end = (at..chars.len()).find(|&i| !joined(i)).unwrap_or(chars.len());
    let word = &chars[at..end];
    let has_digit = word.iter().any(char::is_ascii_digit);
    let is_sum = || super::currency::by_code(&word.iter().take(3).collect::<String>()).is_some();
    (has_digit && !is_sum()).then_some(end)
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use serde_json::json;

    use super::*;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn around() -> Surroundings {
        Surroundings { currency: "AUD".to_owned(), ..Surroundings::at(Date::constant(2026, 11, 15), "AU") }
    }

    fn found(kind: &SlotKind, text: &str) -> Vec<(String, Value)> {
        let chars: Vec<char> = text.chars().collect();
        let values = extract(kind, &chars, &around()).into_iter();
        values.map(|(range, value)| (chars[range].iter().collect(), value)).collect()
    }

    fn values(kind: &SlotKind, text: &str) -> Value {
        found(kind, text).into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn numbers_are_found_where_they_count_something() {
        let int = SlotKind::Integer;
        assert_eq!(values(&int, "add 3 gutter brackets at $7.25 to quote"), json!([3]));
        assert_eq!(values(&int, "put two brackets and twelve screws"), json!([2, 12]));
        assert_eq!(values(&int, "2x tiles, 10mm thick"), json!([2, 10]));
        assert_eq!(values(&SlotKind::Decimal, "the fence is 22.5 metres long"), json!(["22.5"]));
        assert_eq!(values(&SlotKind::Decimal, "price it at $7.25"), json!(["7.25"]), "where there is nothing else");
        assert_eq!(values(&int, "half a dozen eggs"), json!([6]));
    }

    #[test]
    fn digits_of_other_values_are_not_numbers() {
        for text in [
            "by 20/11/2026", "on 20 november", "in 3 days", "at 3pm", "at 15:30", "call 0412 345 678",
            "invoice inv-2041", "unit b12", ID, "the 3rd", "a 2-bedroom flat", "room 7b", "this one", "one of them",
            "mail a1@b2.example", "https://a.b/5",
        ] {
            assert_eq!(values(&SlotKind::Integer, text), json!([]), "{text}");
        }
    }

    #[test]
    fn amounts_with_a_currency_leave_out_other_numbers() {
        let money = SlotKind::Money;
        assert_eq!(values(&money, "add 3 gutter brackets at $7.25"), json!(["7.25"]));
        assert_eq!(values(&money, "two hundred dollars, or rather aud 250"), json!(["200", "250"]));
        assert_eq!(values(&money, "charge 45"), json!(["45"]));
        assert_eq!(values(&money, "12 m of gutter for 45"), json!(["45"]));
        assert_eq!(values(&money, "charge €45"), json!([]), "another currency");
        assert_eq!(values(&money, "10% on 20 november"), json!([]));
    }

    #[test]
    fn days_times_and_moments_are_found() {
        assert_eq!(
            found(&SlotKind::Date, "remind me on friday, not 20 november 2027"),
            [("friday".to_owned(), json!("2026-11-20")), ("20 november 2027".to_owned(), json!("2027-11-20"))]
        );
        assert_eq!(values(&SlotKind::Date, "the cat sat in the sun in march"), json!([]));
        assert_eq!(values(&SlotKind::Date, "move it to sat"), json!(["2026-11-21"]));
        assert_eq!(values(&SlotKind::Time, "meet at 9, the others at 15:30, for 2 people"), json!(["09:00", "15:30"]));
        assert_eq!(values(&SlotKind::DateTime, "call bob tomorrow at 9 please"), json!(["2026-11-16T09:00:00Z"]));
        assert_eq!(values(&SlotKind::Duration, "for 2 hours, not in 3 days"), json!(["PT2H"]));
    }

    #[test]
    fn other_kinds_are_found_too() {
        assert_eq!(values(&SlotKind::Phone, "bob, 0412 345 678, from 12345678 ryde"), json!(["0412 345 678"]));
        assert_eq!(values(&SlotKind::Email, "write to bob@example.com."), json!(["bob@example.com"]));
        assert_eq!(values(&SlotKind::Url, "see https://a.b/c, ok"), json!(["https://a.b/c"]));
        assert_eq!(values(&SlotKind::Uuid, &format!("lead {ID}!")), json!([ID]));
        assert_eq!(values(&SlotKind::Boolean, "yes, turn it to off on friday"), json!([true, false]));
        assert_eq!(values(&SlotKind::Text, "anything"), json!([]));
        let severity = SlotKind::Enum(vec![("low".to_owned(), vec![]), ("critical".to_owned(), vec![])]);
        assert_eq!(values(&severity, "a critcal one, below"), json!(["critical"]));
        assert_eq!(values(&SlotKind::quantity("m"), "2400 mm and 3 kg"), json!(["2.4"]));
        let list = SlotKind::List(Box::new(SlotKind::Integer));
        assert_eq!(values(&list, "delete rows 1, 2 and 5 of table 7"), json!([[1, 2, 5], [7]]));
    }

    #[test]
    fn long_texts_terminate() {
        for text in ["1 ".repeat(5_000), "in a week from ".repeat(700), "half past ".repeat(1_000), "-".repeat(10_000)]
        {
            let chars: Vec<char> = text.chars().collect();
            for kind in [SlotKind::Integer, SlotKind::Money, SlotKind::Phone, SlotKind::DateTime, SlotKind::Duration] {
                let _ = extract(&kind, &chars, &around());
            }
        }
    }

    mod any_text {
        use proptest::prelude::*;

        use super::*;

        fn kinds() -> Vec<SlotKind> {
            let choice = SlotKind::Enum(vec![("in_progress".to_owned(), vec!["Under way".to_owned()])]);
            vec![
                SlotKind::Uuid,
                SlotKind::Integer,
                SlotKind::Decimal,
                SlotKind::quantity("m"),
                SlotKind::Money,
                SlotKind::Phone,
                SlotKind::Email,
                SlotKind::Url,
                SlotKind::Date,
                SlotKind::Time,
                SlotKind::DateTime,
                SlotKind::Duration,
                SlotKind::Boolean,
                choice,
                SlotKind::List(Box::new(SlotKind::Integer)),
                SlotKind::List(Box::new(SlotKind::Text)),
            ]
        }

        fn check(text: &str, region: &str) -> Result<(), TestCaseError> {
            let around = Surroundings::at(Date::constant(2026, 11, 15), region);
            let chars: Vec<char> = crate::normalise::folded(text).chars().collect();
            for kind in kinds() {
                let mut last = 0;
                for (range, _) in extract(&kind, &chars, &around) {
                    prop_assert!(
                        last <= range.start && range.start < range.end && range.end <= chars.len(),
                        "{:?}",
                        kind
                    );
                    last = range.end;
                }
                for at in 0..chars.len() {
                    for (end, _) in kind.read(&chars, at, &around) {
                        prop_assert!(at < end && end <= chars.len(), "{:?} at {}", kind, at);
                    }
                }
                let _ = super::super::super::range::ranges(&kind, &chars, &around);
            }
            let _ = super::super::super::relative::relatives(&chars, &around);
            Ok(())
        }

        proptest! {
            // Each case reads every kind at every place.
            #![proptest_config(ProptestConfig::with_cases(100))]

            #[test]
            fn spans_lie_inside_and_nothing_panics(text in "\\PC{0,60}", region in "|AU|US|DE|FR|CH") {
                check(&text, &region)?;
            }

            #[test]
            fn nor_on_words_that_readers_know(
                words in proptest::collection::vec(
                    "[0-9]{1,5}|[0-9]{1,2}[:/.,-][0-9]{1,3}|a|an|and|half|quarter|past|to|two|hundred|million|dozen|of|\
                     next|last|friday|week|month|november|the|3rd|end|in|at|pm|noon|\\$|€|%|k|m|kg|dollars|cents|from|ago|\
                     between|least|more|twice|as|many|½|\\+61|0412|-|,|'|T",
                    0..12,
                ),
                glue in " |",
            ) {
                check(&words.join(&glue), "AU")?;
                check(&words.join(&glue), "DE")?;
            }
        }
    }
}
