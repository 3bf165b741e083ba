//! Punctuation between two slots. Costs ignore it; where phrase and clause both have it, the values meet there: “refund
//! for Fenna Albers: paid twice”.

use serde_json::Value;

use super::Aligner;
use crate::entity::naming;
use crate::phrase::pattern::Piece;
use crate::phrase::vocabulary::Target;
use crate::read::matcher::{Capture, mention_value};

/// Moves the boundary between two neighbouring names or texts to the mark that the phrase has between them.
pub(super) fn split_at_marks(aligner: &Aligner<'_>, pieces: &[Piece], target: &Target, captures: &mut [Capture]) {
    for at in 0..pieces.len() {
        let [Piece::Slot(first), rest @ ..] = &pieces[at..] else { continue };
        // The kind of a record may follow its name: `{ticket_id} ticket: {body}`.
        let rest = match rest {
            [Piece::Word(_), rest @ ..] => rest,
            rest => rest,
        };
        let [Piece::Mark(mark), Piece::Slot(second), ..] = rest else { continue };
        move_boundary(aligner, target, captures, [first, second], *mark);
    }
}

fn move_boundary(
    aligner: &Aligner<'_>,
    target: &Target,
    captures: &mut [Capture],
    [first, second]: [&String; 2],
    mark: char,
) {
    let chars = &aligner.normal.chars;
    let is_loose = |slot: &str| target.slots.get(slot).is_some_and(|slot| slot.kind.is_text() || slot.is_named());
    let find = |captures: &[Capture], slot: &str| captures.iter().position(|one| one.slot == *slot);
    let (Some(a), Some(b)) = (find(captures, first), find(captures, second)) else { return };
    if !is_loose(first) || !target.slots.get(second).is_some_and(|slot| slot.kind.is_text()) {
        return;
    }
    let (from, end) = (captures[a].range.start, captures[b].range.end);
    if from >= captures[b].range.start {
        return;
    }
    let Some(mark_at) =
        (from + 1..end.saturating_sub(2)).find(|at| chars[*at] == mark && chars[*at + 1].is_whitespace())
    else {
        return;
    };
    // Already there, or words of the phrase stand between: leave it.
    if captures[a].range.end >= mark_at || captures[b].range.start >= mark_at {
        return;
    }
    let text = |range: &std::ops::Range<usize>| aligner.text[aligner.normal.span(range.clone())].trim();
    let before = from..mark_at;
    let after = (mark_at + 2..end).find(|at| !chars[*at].is_whitespace()).unwrap_or(mark_at + 2)..end;
    let Some(spec) = target.slots.get(first) else { return };
    let value = if spec.is_named() {
        let kind = spec.entity.as_deref().unwrap_or_default();
        match naming(text(&before), kind, &target.nouns) {
            Some(name) => mention_value(name),
            None => return,
        }
    } else {
        Value::from(text(&before))
    };
    (captures[a].range, captures[a].value) = (before, Some(value));
    captures[b].value = Some(Value::from(text(&after)));
    captures[b].range = after;
}
