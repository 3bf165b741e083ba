//! Learning: taught phrases, candidates, and corrections.

use brain_kernel::{Judged, TaughtRow};
use brain_nlu::learn::{Blocked, Expect, LearnedCase, State, Week};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Figures about learning.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningHealth {
    /// The weeks with requests or decisions, oldest first.
    pub weeks: Vec<LearningWeek>,
    /// Number of candidates by state: `gathering`, `ready`, `review`, `promoted`, `rejected`.
    #[schema(value_type = Object)]
    pub states: Value,
}

/// One ISO 8601 week, in UTC.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningWeek {
    /// The week, such as `2026-W07`.
    pub week: String,
    /// Requests in words.
    pub asked: u32,
    /// Requests that were understood and not corrected.
    pub right: u32,
    /// Requests that somebody corrected.
    pub corrected: u32,
    /// Candidates that became phrases.
    pub promoted: u32,
    /// Phrases that were rejected.
    pub rejected: u32,
}

impl From<Week> for LearningWeek {
    fn from(week: Week) -> Self {
        Self {
            week: format!("{}-W{:02}", week.year, week.week),
            asked: week.asked,
            right: week.right,
            corrected: week.corrected,
            promoted: week.promoted,
            rejected: week.rejected,
        }
    }
}

/// A candidate: a text that people use for a tool or playbook and that is not a phrase of it yet.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PhraseCandidate {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// `gathering`, `ready`, `review`, `promoted` or `rejected`.
    pub state: String,
    /// The reasons of the gates, as sentences.
    pub why: Vec<String>,
    /// How often it was used.
    pub turns: u32,
    /// How many of those uses count: a few per person.
    pub seen: u32,
    /// How many counted uses succeeded.
    pub succeeded: u32,
    /// The success rate, from 0 to 1.
    pub success: f64,
    /// Number of people with successful uses.
    pub people: usize,
    /// When it was first used.
    #[schema(format = DateTime)]
    pub first_seen: String,
    /// When it was last used.
    #[schema(format = DateTime)]
    pub last_seen: String,
}

/// The spelling of a candidate's state.
pub(crate) fn state_word(state: State) -> &'static str {
    match state {
        State::Gathering => "gathering",
        State::Ready => "ready",
        State::Review => "review",
        State::Promoted => "promoted",
        State::Rejected => "rejected",
    }
}

impl From<Judged> for PhraseCandidate {
    fn from(one: Judged) -> Self {
        let Judged { candidate, success, why } = one;
        Self {
            state: state_word(candidate.state).to_owned(),
            phrase: candidate.phrase,
            target: candidate.target,
            why,
            turns: candidate.turns,
            seen: candidate.seen,
            succeeded: candidate.succeeded,
            success,
            people: candidate.actors.len(),
            first_seen: candidate.first_seen.to_string(),
            last_seen: candidate.last_seen.to_string(),
        }
    }
}

/// A phrase to teach.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"phrase": "ring {title}", "target": "os.create_task"}))]
pub struct TeachRequest {
    /// The phrase, with `{slots}` for values.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// Whether it applies to the caller only, not to the whole tenant.
    #[serde(default)]
    pub own: Option<bool>,
    /// Teaches it even if it belongs to another target, was rejected, or breaks a corpus row.
    #[serde(default)]
    pub replace: Option<bool>,
}

/// The response to teaching.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaughtAnswer {
    /// The phrase.
    pub phrase: String,
    /// Its target from now on.
    pub target: String,
    /// Its previous target, or null.
    #[schema(required)]
    pub replaced: Option<String>,
    /// Notes: similar phrases, and corpus rows that break.
    pub notes: Vec<String>,
    /// Whether it was already known.
    pub already: bool,
}

impl From<brain_kernel::Learned> for TaughtAnswer {
    fn from(learned: brain_kernel::Learned) -> Self {
        let brain_kernel::Learned { phrase, target, replaced, notes, already } = learned;
        Self { phrase, target, replaced, notes, already }
    }
}

/// A phrase to remove.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnteachRequest {
    /// The phrase.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The reason, for the log.
    #[serde(default, alias = "why")]
    pub note: Option<String>,
}

/// A phrase that was taught or learned.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaughtItem {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// The actor it applies to; null for the whole tenant.
    #[schema(required)]
    pub actor: Option<String>,
    /// Who taught it; `learning` if it was promoted automatically.
    pub by: String,
    /// When it was taught.
    #[schema(format = DateTime)]
    pub at: String,
    /// Whether it was learned from requests.
    pub learned: bool,
}

impl From<TaughtRow> for TaughtItem {
    fn from(row: TaughtRow) -> Self {
        Self {
            phrase: row.phrase.text,
            target: row.phrase.target,
            actor: row.phrase.actor,
            by: row.by,
            at: row.at.to_string(),
            learned: row.learned,
        }
    }
}

/// A phrase and its target: a candidate to decide on, or a phrase to unblock.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhraseFor {
    /// The phrase.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
}

/// A phrase to block.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectRequest {
    /// The phrase.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The tool or playbook that it must not match.
    pub target: String,
    /// The reason; the blocklist shows it.
    #[serde(alias = "why")]
    pub note: String,
}

/// A phrase that a person rejected for a target.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BlockedPhrase {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook that it must not match.
    pub target: String,
    /// The reason.
    pub why: String,
    /// Who blocked it.
    pub by: String,
    /// When it was blocked.
    #[schema(format = DateTime)]
    pub at: String,
    /// Corpus rows that break, if it was blocked just now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl From<Blocked> for BlockedPhrase {
    fn from(row: Blocked) -> Self {
        let Blocked { phrase, target, why, by, at } = row;
        Self { phrase, target, why, by, at: at.to_string(), note: None }
    }
}

/// Options of a promotion cycle.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CycleRequest {
    /// Only report what would be promoted.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

/// The result of a candidate.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PromotionItem {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// Whether it was promoted, or would be.
    pub promoted: bool,
    /// The reason why not, or null.
    #[schema(required)]
    pub why: Option<String>,
}

impl From<brain_kernel::Promotion> for PromotionItem {
    fn from(one: brain_kernel::Promotion) -> Self {
        let brain_kernel::Promotion { phrase, target, promoted, why } = one;
        Self { phrase, target, promoted, why }
    }
}

/// A correction of how a request was understood.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectionRequest {
    /// The run with the request.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// The tool or playbook that was meant. Required if nothing was chosen.
    #[serde(default)]
    pub meant: Option<String>,
    /// The number of the request within the run, from 1.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1)]
    pub request: Option<u64>,
    /// The reason, for the log.
    #[serde(default, alias = "why")]
    pub note: Option<String>,
}

/// The response to a correction.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CorrectionAnswer {
    /// The text of the request.
    pub said: String,
    /// The target that was chosen, or null.
    #[schema(required)]
    pub chosen: Option<String>,
    /// The target that was meant, or null.
    #[schema(required)]
    pub meant: Option<String>,
    /// Whether it answers a question of Brain.
    pub answer: bool,
    /// Whether it counts in the tenant's corpus by itself; otherwise a second person must agree.
    pub counts: bool,
    /// The phrase to teach, with its values as `{slots}`; null if a value that the target requires is not in it.
    #[serde(default)]
    #[schema(required)]
    pub phrase: Option<String>,
}

impl From<brain_kernel::Corrected> for CorrectionAnswer {
    fn from(corrected: brain_kernel::Corrected) -> Self {
        let brain_kernel::Corrected { said, chosen, meant, answer, counts, phrase } = corrected;
        Self { said, chosen, meant, answer, counts, phrase }
    }
}

/// A corrected utterance and its expected target.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CaseItem {
    /// The utterance.
    pub say: String,
    /// The expected tool or playbook, or null.
    #[schema(required)]
    pub target: Option<String>,
    /// The target that it must not match, or null.
    #[schema(required)]
    pub not_target: Option<String>,
    /// Number of people who agree.
    pub people: usize,
    /// Whether other corrections disagree.
    pub contested: bool,
    /// Whether it counts when the corpus is measured.
    pub counts: bool,
}

impl From<LearnedCase> for CaseItem {
    fn from(case: LearnedCase) -> Self {
        let counts = case.counts();
        let (target, not_target) = match case.expect {
            Expect::Target(target) => (Some(target), None),
            Expect::NotTarget(target) => (None, Some(target)),
        };
        let (people, contested) = (case.actors.len(), case.contested);
        Self { say: case.say, target, not_target, people, contested, counts }
    }
}
