//! Typos are corrected before learning, so that no typo becomes a phrase.

use super::outcome::SaidSlot;
use crate::text::speller::is_word;
use brain_slot::folded;

/// The utterance with corrected typos. Values are left alone, and slot positions follow the correction.
pub fn without_slips(said: &str, slots: &[SaidSlot], taken_for: &[(String, String)]) -> (String, Vec<SaidSlot>) {
    let slips: Vec<&(String, String)> = taken_for.iter().filter(|(wrong, _)| !is_word(wrong)).collect();
    let mut slots = slots.to_vec();
    let mut text = said.to_owned();
    // From the end, so that earlier positions stay valid.
    for (start, word) in words(said).into_iter().rev() {
        let range = start..start + word.len();
        let is_value = slots.iter().any(|slot| slot.span.start < range.end && range.start < slot.span.end);
        let Some((_, meant)) = slips.iter().find(|(wrong, _)| *wrong == folded(word)).filter(|_| !is_value) else {
            continue;
        };
        text.replace_range(range.clone(), meant);
        for slot in slots.iter_mut().filter(|slot| slot.span.start >= range.end) {
            let moved = |at: usize| at + meant.len() - word.len();
            slot.span = moved(slot.span.start)..moved(slot.span.end);
        }
    }
    (text, slots)
}

/// The words of a text with their positions.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'';
    let mut list = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (from, is_part(c)) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                list.push((start, &text[start..at]));
                from = None;
            }
            _ => {}
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_corrected_and_values_are_not() {
        let said = "Pls creat a task: creat a lsit, remove it";
        let slot = SaidSlot { name: "title".into(), span: 18..30 };
        let taken = |wrong: &str, meant: &str| (wrong.to_owned(), meant.to_owned());
        let taken_for = [taken("creat", "create"), taken("lsit", "list"), taken("remove", "delete")];
        let (text, slots) = without_slips(said, &[slot], &taken_for);
        assert_eq!(text, "Pls create a task: creat a lsit, remove it");
        assert_eq!(&text[slots[0].span.clone()], "creat a lsit");
        let (text, _) = without_slips("shwo my tsks", &[], &[taken("shwo", "show"), taken("tsks", "tasks")]);
        assert_eq!(text, "show my tasks");
    }
}
