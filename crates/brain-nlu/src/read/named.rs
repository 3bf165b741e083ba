//! Clauses that are nothing but a misspelt name: `leads.creat`. People and programs that know a tool's name type it.

use std::ops::Range;

use crate::lookup::{MatchType, look_up};
use crate::read::object::{instead, objection};
use crate::read::{Hit, Reader};
use crate::understanding::{Confidence, Intent, Source, Stage, Understanding};

/// The request of a clause that is similar to one name. A destructive target is only asked about.
pub(crate) fn by_similar_name(reader: &Reader<'_>, clause: &Range<usize>) -> Option<Understanding> {
    let said = reader.text.get(reader.normal.span(clause.clone()))?.trim();
    if !is_name(said) {
        return None;
    }
    let found = look_up(reader.vocabulary.targets(), &[said]).filter(|found| found.match_type == MatchType::Fuzzy)?;
    let target = found.target;
    let number = reader.vocabulary.number_of(&target.name)?;
    if reader.is_excluded(target) {
        return None;
    }
    let label = reader.vocabulary.label_of(number)?;
    let hit = Hit { phrase: label, captures: Vec::new(), source: Source::Label, named: Some(MatchType::Fuzzy) };
    let mut reading = reader.exact_reading(&hit, clause, None);
    let evidence = &mut reading.intent.evidence;
    evidence.tier = Stage::Pattern;
    evidence.phrase.clone_from(&target.name);
    evidence.score = found.ratio as f32 / 100.0;
    evidence.distance = Some((100 - found.ratio) as f32 / 100.0);
    reading.intent.confidence = reading.intent.confidence.min(Confidence::Medium);
    if target.destructive {
        let option = Intent { confidence: Confidence::Low, ..reading.intent };
        return Some(Understanding::Ask(reader.which(vec![option])));
    }
    Some(match objection(reader, &reading) {
        None => Understanding::Clear { intents: vec![reading.intent] },
        Some(objection) => instead(reader, clause, reading, &objection, &[], &[]),
    })
}

/// Whether a text has the form of a name: `domain.name`, or several words joined by `_`.
fn is_name(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['.', '_']).collect();
    let is_word = |part: &&str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric())
            && part.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    parts.len() > 1 && parts.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn only_a_text_with_the_form_of_a_name_is_compared_with_names() {
        assert!(["leads.creat", "create_lead", "Leads.Create"].into_iter().all(is_name));
        assert!(!["create", "4.63", "see example.com/x", "bob@example.com", "a. b", ".x", ""].into_iter().any(is_name));
    }
}
