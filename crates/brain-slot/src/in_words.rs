//! Numbers in words: `two hundred and five`, `half a dozen`, `two and a half`.

use rust_decimal::Decimal;

use super::cursor::Cursor;
use brain_english::lookup;
use brain_english::numbers::{AFTER_OTHER_HALF, ARTICLES, CARDINALS, COUPLE, Cardinal, FRACTIONS, HALF};

fn part(word: &str) -> Option<Cardinal> {
    lookup(&CARDINALS, word)
}

/// The factor of a word after a number: `3 dozen`, `1.2 million`.
pub(super) fn multiplier(word: &str) -> Option<u64> {
    match part(word)? {
        Cardinal::Hundred => Some(100),
        Cardinal::Dozen => Some(12),
        Cardinal::Scale(scale) => Some(scale),
        Cardinal::Small(_) | Cardinal::Tens(_) => None,
    }
}

/// The value of a fraction word.
fn fraction(word: &str) -> Option<Decimal> {
    lookup(&FRACTIONS, word).map(|(digits, decimals)| Decimal::new(digits, decimals))
}

/// `and a half`, `and three quarters`, after a number.
pub(super) fn and_a_fraction(mut cursor: Cursor<'_>) -> Option<(usize, Decimal)> {
    if !cursor.eat(&["and"]) {
        return None;
    }
    let count = match cursor.next_word()?.as_str() {
        "a" | "one" => 1,
        "two" => 2,
        "three" => 3,
        _ => return None,
    };
    let share = fraction(cursor.next_word()?.as_str())?;
    Some((cursor.at, share * Decimal::from(count)))
}

/// The number in words at this position.
pub(super) fn in_words(chars: &[char], at: usize) -> Option<(usize, Decimal)> {
    let start = Cursor::new(chars, at);
    let mut cursor = start;
    let first = cursor.word().filter(|_| cursor.ends_word())?;
    match first.as_str() {
        HALF => half(cursor),
        word if ARTICLES.contains(&word) => with_article(cursor),
        COUPLE => cursor.eat(&["of"]).then_some((cursor.at, Decimal::TWO)),
        "dozen" => Some((cursor.at, Decimal::from(12))),
        word => {
            part(word).filter(|part| matches!(part, Cardinal::Small(_) | Cardinal::Tens(_)))?;
            counted(start)
        }
    }
}

/// `half`, `half a dozen`, `half a million`; not `half past three`, not `half as many`.
fn half(cursor: Cursor<'_>) -> Option<(usize, Decimal)> {
    let mut next = cursor;
    if next.eat(&["a"])
        && let Some(by) = next.next_word().and_then(|word| multiplier(word.as_str()))
    {
        return Some((next.at, Decimal::from(by) / Decimal::TWO));
    }
    let mut next = cursor;
    let other = next.eat(&AFTER_OTHER_HALF);
    (!other).then(|| (cursor.at, Decimal::new(5, 1)))
}

/// `a hundred`, `a dozen`, `a couple of`, `a quarter`.
fn with_article(cursor: Cursor<'_>) -> Option<(usize, Decimal)> {
    let mut next = cursor;
    let word = next.next_word()?;
    match word.as_str() {
        "couple" | "pair" => {
            next.eat(&["of"]);
            Some((next.at, Decimal::TWO))
        }
        "dozen" => Some((next.at, Decimal::from(12))),
        "hundred" | "thousand" | "million" | "billion" => counted_from(cursor, Some(1)),
        word => {
            let share = fraction(word)?;
            // `a quarter to five` is a time.
            let mut further = next;
            let other = further.eat(&["to", "past", "after", "before", "as"]);
            (!other).then_some((next.at, share))
        }
    }
}

fn counted(cursor: Cursor<'_>) -> Option<(usize, Decimal)> {
    counted_from(cursor, None)
}

/// Cardinal words in sequence. `group` is the value since the last power of a thousand.
fn counted_from(mut cursor: Cursor<'_>, mut group: Option<u64>) -> Option<(usize, Decimal)> {
    let mut total: u64 = 0;
    let mut last_scale = u64::MAX;
    let mut end = None;
    loop {
        let mut next = cursor;
        if end.is_some() && next.peek() == Some('-') {
            next.at += 1;
        }
        let after_hundreds = group.is_some_and(|group| group > 0 && group % 100 == 0);
        if after_hundreds || (group.is_none() && total > 0) {
            next.eat(&["and"]);
        }
        let Some(word) = next.next_word() else { break };
        let fitting = match (part(word.as_str()), group) {
            (Some(Cardinal::Small(n)), None) => Some(n),
            (Some(Cardinal::Small(n)), Some(group)) if after_hundreds && n > 0 => Some(group + n),
            (Some(Cardinal::Small(n @ 1..=9)), Some(group)) if group % 10 == 0 && group % 100 >= 20 => Some(group + n),
            (Some(Cardinal::Tens(n)), None) => Some(n),
            (Some(Cardinal::Tens(n)), Some(group)) if after_hundreds => Some(group + n),
            (Some(Cardinal::Hundred), Some(group @ 1..=99)) => Some(group * 100),
            (Some(Cardinal::Dozen), Some(group @ 1..)) if total == 0 => {
                return Some((next.at, Decimal::from(group * 12)));
            }
            (Some(Cardinal::Scale(scale)), Some(count)) if count > 0 && scale < last_scale => {
                total += count * scale;
                last_scale = scale;
                group = None;
                end = Some(next.at);
                cursor = next;
                continue;
            }
            (None, Some(count)) if total == 0 && count < 20 => {
                // `three quarters` is a number; `quarter to five` is a time.
                let share = fraction(word.as_str()).map(|share| share * Decimal::from(count));
                let mut further = next;
                let other = word.as_str().starts_with("quarter") && further.eat(&["to", "past"]);
                match share {
                    Some(share) if !other => return Some((next.at, share)),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(value) = fitting else { break };
        group = Some(value);
        end = Some(next.at);
        cursor = next;
    }
    let end = end?;
    let whole = Decimal::from(total + group.unwrap_or(0));
    match and_a_fraction(Cursor::new(cursor.chars, end)) {
        Some((end, share)) => Some((end, whole + share)),
        None => Some((end, whole)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(usize, String)> {
        let chars: Vec<char> = text.chars().collect();
        in_words(&chars, 0).map(|(end, value)| (end, value.normalize().to_string()))
    }

    #[test]
    fn numbers_in_words_are_read_to_their_end() {
        for (text, value) in [
            ("twelve", "12"),
            ("zero", "0"),
            ("twenty-five", "25"),
            ("forty two", "42"),
            ("two hundred", "200"),
            ("two hundred and five", "205"),
            ("one hundred twenty three", "123"),
            ("a hundred", "100"),
            ("a hundred and ten", "110"),
            ("three thousand and six", "3006"),
            ("two million three hundred thousand", "2300000"),
            ("nineteen hundred", "1900"),
            ("a dozen", "12"),
            ("dozen", "12"),
            ("two dozen", "24"),
            ("half a dozen", "6"),
            ("half a million", "500000"),
            ("a couple of", "2"),
            ("a couple", "2"),
            ("couple of", "2"),
            ("half", "0.5"),
            ("a half", "0.5"),
            ("a quarter", "0.25"),
            ("three quarters", "0.75"),
            ("two thirds", "0.6666"),
            ("two and a half", "2.5"),
            ("one and three quarters", "1.75"),
        ] {
            assert_eq!(read(text), Some((text.chars().count(), value.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_number_ends_where_the_next_thing_begins() {
        for (text, end, value) in [
            ("two and three", 3, "2"),
            ("five hundred and", 12, "500"),
            ("twenty twenty", 6, "20"),
            ("one two", 3, "1"),
            ("half a metre", 4, "0.5"),
            ("two million two million", 15, "2000002"),
        ] {
            assert_eq!(read(text), Some((end, value.to_owned())), "{text}");
        }
        for text in [
            "a", "an hour", "a lot", "half past three", "half as many", "hundred", "oneself", "tent",
            "a quarter to five",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
