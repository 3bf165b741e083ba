//! Values by what a sentence is about: “anything about the Wongs?”, “the ticket about the flickering screen”.

use std::ops::Range;

use serde_json::Value;

use super::Filling;
use super::codes::is_code_slot;
use crate::entity::{Shape, is_name_like, mentions, naming};
use crate::read::matcher::Capture;
use crate::text::tokens::tokens;
use brain_english::actions::is_action;
use brain_english::modality::PRONOUNS;
use brain_slot::SlotKind;

/// Why a value was taken.
pub(crate) const ABOUT_IT: &str = "it is what the question is about";
pub(crate) const ONLY_NAME: &str = "it is the only name in the question";
/// Words before what a question is about.
const ABOUT: [&str; 13] = [
    "about", "regarding", "concerning", "mentioning", "mention", "mentions", "called", "named", "on", "with", "re",
    "containing", "contain",
];
/// Words at the end of a question that are not part of what it is about.
const AFTERTHOUGHTS: [&str; 9] =
    ["before", "yet", "already", "again", "anywhere", "somewhere", "please", "now", "lately"];

impl Filling<'_, '_> {
    /// What a question is about goes to the only text that a target that reads needs: “… anything about the Wongs?”, “do
    /// we have a client called Huber”.
    pub(super) fn about(&mut self) {
        let mut texts = self.target.slots.iter().filter(|(_, slot)| slot.required && !slot.has_default);
        let (Some((name, slot)), None) = (texts.next(), texts.next()) else { return };
        if !self.target.reads_only || slot.kind != SlotKind::Text || !self.is_open(name) || is_code_slot(name) {
            return;
        }
        let all = tokens(self.reader.normal, self.clause.clone());
        let chars = &self.reader.normal.chars;
        let at = (1..all.len()).rev().find(|at| {
            let before = &all[at - 1];
            !before.quoted && ABOUT.contains(&before.word.as_str()) && !PRONOUNS.contains(&all[*at].word.as_str())
        });
        let why = if at.is_some() { ABOUT_IT } else { ONLY_NAME };
        let range = match at {
            Some(at) => {
                let mut end = at + 1;
                while end < all.len()
                    && chars[all[end - 1].range.end..all[end].range.start]
                        .iter()
                        .all(|c| c.is_whitespace() || matches!(c, '-' | '\'' | '&' | '.' | '/'))
                {
                    end += 1;
                }
                while end > at + 1 && AFTERTHOUGHTS.contains(&all[end - 1].word.as_str()) {
                    end -= 1;
                }
                all[at].range.start..all[end - 1].range.end
            }
            // The only name in it.
            None => {
                let whole = self.reader.normal.span(self.clause.clone());
                let text = &self.reader.text[whole.clone()];
                let names = mentions(text, &self.target.nouns, &[], &|word| is_action(word));
                let mut names = names.into_iter().filter(|one| one.shape == Shape::Capitalised);
                let (Some(one), None) = (names.next(), names.next()) else { return };
                let said = naming(&text[one.span.clone()], "", &self.target.nouns).unwrap_or_default();
                let Some(inside) = text[one.span.clone()].find(said).filter(|_| is_name_like(said)) else { return };
                let from = whole.start + one.span.start + inside;
                self.reader.normal.position(from)..self.reader.normal.position(from + said.len())
            }
        };
        if !range.is_empty() && self.is_free(&range) {
            let said = self.reader.text[self.reader.normal.span(range.clone())].trim();
            let value = Value::from(said.strip_suffix("'s").or_else(|| said.strip_suffix("’s")).unwrap_or(said));
            self.captures.push(Capture {
                slot: name.clone(),
                range,
                value: Some(value),
                guessed: Some(why.to_owned()),
            });
        }
    }

    /// What stands behind the kind of a record and “about”: “the ticket about the flickering screen”.
    pub(super) fn record_about(&self, kind: &str) -> Option<(Range<usize>, String)> {
        let all = tokens(self.reader.normal, self.clause.clone());
        let chars = &self.reader.normal.chars;
        let is_kind = |word: &str| word == kind || self.target.nouns.iter().any(|noun| noun == word);
        let at = (1..all.len().saturating_sub(1)).find(|at| {
            matches!(all[*at].word.as_str(), "about" | "regarding" | "concerning" | "re") && is_kind(&all[at - 1].word)
        })?;
        let from = at + 1;
        let mut end = from;
        while end < all.len()
            && (end == from
                || chars[all[end - 1].range.end..all[end].range.start]
                    .iter()
                    .all(|c| !matches!(c, ',' | ';' | ':' | '.' | '(' | '"')))
            && !matches!(all[end].word.as_str(), "and" | "to" | "as" | "into" | "please" | "that")
        {
            end += 1;
        }
        if end == from || end - from > 6 {
            return None;
        }
        let range = all[from].range.start..all[end - 1].range.end;
        let said = self.reader.text[self.reader.normal.span(range.clone())].trim().to_owned();
        self.is_free(&range).then_some((range, said))
    }
}
