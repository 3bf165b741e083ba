//! Asks for the kind of action before naming targets, and goes on when a choice leaves one target.

use crate::phrase::vocabulary::Target;
use crate::read::Reader;
use crate::read::choose::{Likely, MAX_OPTIONS};
use crate::read::object::objection;
use crate::tier::TierOption;
use crate::understanding::{Confidence, Intent, Understanding};
use brain_english::clauses;

/// With at least this many kinds of action, the question asks for the kind first.
const MANY_TIERS: usize = 3;
/// The same where packs declare kinds: their authors want them to be asked for.
const MANY_DECLARED: usize = 2;

/// The question for the kind of action and its answers, if there are too many targets of too many kinds.
pub(crate) fn kind_first(reader: &Reader<'_>, targets: &[usize]) -> Option<(String, Vec<TierOption>)> {
    if targets.len() <= MAX_OPTIONS {
        return None;
    }
    let all = &reader.vocabulary.targets;
    let targets: Vec<&Target> = targets.iter().map(|number| &all[*number]).collect();
    let tiers = &reader.vocabulary.tiers;
    let chosen = reader.context.tier.as_ref();
    let options = tiers.options(&targets, chosen)?;
    let many = if tiers.is_declared() { MANY_DECLARED } else { MANY_TIERS };
    let text = || chosen.map_or_else(|| clauses::WHICH_KIND.to_owned(), |of| clauses::which_kind_of(&tiers.title(of)));
    (options.len() >= many).then(|| (text(), options))
}

/// The request if a chosen kind of action leaves one reading, and nothing speaks against it. A destructive target is
/// asked about all the same.
pub(crate) fn only_one_left(reader: &Reader<'_>, likely: &[Likely<'_, '_>]) -> Option<Understanding> {
    let ([only], Some(_)) = (likely, &reader.context.tier) else { return None };
    let reading = &only.reading;
    let is_safe = !reader.vocabulary.targets[reading.number].destructive && objection(reader, reading).is_none();
    let confidence = reading.intent.confidence.min(Confidence::Medium);
    is_safe.then(|| Understanding::Clear { intents: vec![Intent { confidence, ..reading.intent.clone() }] })
}
