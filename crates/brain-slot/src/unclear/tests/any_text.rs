//! Properties of every text.

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
    let hedged = [" about ", " around ", " at least ", " up to ", "roughly "].iter().any(|one| before.ends_with(one));
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
