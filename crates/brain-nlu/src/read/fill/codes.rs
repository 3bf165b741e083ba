//! Codes, files and units: what a value looks like says which slot takes it.

use std::ops::Range;

use serde_json::Value;

use crate::phrase::vocabulary::Target;
use crate::read::Reader;
use crate::read::matcher::Capture;
use crate::text::tokens::Token;
use brain_english::units::UNITS;
use brain_slot::SlotKind;

/// Whether a slot for text takes codes, by its name.
pub(crate) fn is_code_slot(name: &str) -> bool {
    name.split('_').any(|part| matches!(part, "number" | "code" | "ref" | "file" | "slug" | "id"))
}

/// Whether a text is the name of a file.
pub(crate) fn is_file(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (2..=4).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
    }) && !text.contains(' ')
}

/// The unit behind a number goes to the slot for units: “the fence is 22 metres long”.
pub(crate) fn units(reader: &Reader<'_>, target: &Target, tokens: &[Token], captures: &mut Vec<Capture>) {
    let Some((name, _)) = target.slots.iter().find(|(name, slot)| *name == "unit" && slot.kind == SlotKind::Text)
    else {
        return;
    };
    let is_unit = |word: &str| UNITS.iter().any(|(symbol, names)| *symbol == word || names.contains(&word));
    let numbers: Vec<Range<usize>> = captures
        .iter()
        .filter(|one| target.slots.get(&one.slot).is_some_and(|slot| slot.kind.is_number()) && one.value.is_some())
        .map(|one| one.range.clone())
        .collect();
    let [number] = numbers.as_slice() else { return };
    let chars = &reader.normal.chars;
    let mut behind = tokens.iter().filter(|token| token.range.start >= number.end);
    let range = if chars.get(number.end) == Some(&'%') {
        number.end..number.end + 1
    } else {
        match (behind.next(), behind.next()) {
            (Some(first), _) if is_unit(&first.word) || first.word == "degrees" => first.range.clone(),
            (Some(first), Some(second))
                if is_unit(&second.word) && matches!(first.word.as_str(), "square" | "cubic" | "sq" | "a" | "an") =>
            {
                if matches!(first.word.as_str(), "a" | "an") {
                    second.range.clone()
                } else {
                    first.range.start..second.range.end
                }
            }
            _ => return,
        }
    };
    let known = captures.iter().position(|one| one.slot == *name);
    if known.is_some_and(|at| captures[at].range == range) {
        return;
    }
    if let Some(at) = known {
        captures.remove(at);
    }
    let overlaps = |one: &Capture| one.range.start < range.end && range.start < one.range.end;
    if !captures.iter().any(overlaps) {
        let value = Value::from(&reader.text[reader.normal.span(range.clone())]);
        captures.push(Capture { slot: name.clone(), range, value: Some(value), guessed: None });
    }
}

/// Reduces a value to its code if it has one, and drops a value without a code: “T-77 from the person who has it”.
pub(crate) fn codes(reader: &Reader<'_>, target: &Target, tokens: &[Token], captures: &mut Vec<Capture>) {
    let is_code = |token: &&Token| {
        token.word.contains(|c: char| c.is_ascii_digit()) && token.word.contains(|c: char| c.is_alphabetic())
    };
    captures.retain_mut(|capture| {
        let is_text = target.slots.get(&capture.slot).is_some_and(|slot| slot.kind == SlotKind::Text);
        if !is_text || !is_code_slot(&capture.slot) || capture.value.is_none() {
            return true;
        }
        let inside: Vec<&Token> = tokens.iter().filter(|token| capture.range.contains(&token.range.start)).collect();
        if inside.len() < 2 || inside.iter().any(|token| token.quoted || token.glued) {
            return true;
        }
        match inside.iter().copied().filter(is_code).collect::<Vec<_>>().as_slice() {
            [code] => {
                capture.range = code.range.clone();
                capture.value = Some(Value::from(&reader.text[reader.normal.span(code.range.clone())]));
                true
            }
            // Several are asked about; none is no code.
            codes => !codes.is_empty(),
        }
    });
}
