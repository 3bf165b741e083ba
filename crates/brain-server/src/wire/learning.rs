//! Learning: phrases that are taught, candidates for them, and what people correct.

use brain_kernel::{Judged, TaughtRow};
use brain_nlu::learn::{Blocked, Expect, LearnedCase, State, Week};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// How learning goes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningHealth {
    /// The weeks in which something was asked or decided, oldest first.
    pub weeks: Vec<LearningWeek>,
    /// How many candidates stand where: `gathering`, `ready`, `review`, `promoted`, `rejected`.
    #[schema(value_type = Object)]
    pub states: Value,
}

/// One week, as ISO 8601 counts them, in UTC.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LearningWeek {
    /// The week, such as `2026-W07`.
    pub week: String,
    /// Requests in words.
    pub asked: u32,
    /// Of them, those that were understood and not corrected.
    pub right: u32,
    /// Of them, those that somebody corrected.
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

/// What people say for a tool or playbook that is no phrase of it yet.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PhraseCandidate {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// `gathering`, `ready`, `review`, `promoted` or `rejected`.
    pub state: String,
    /// What the gates say, in sentences.
    pub why: Vec<String>,
    /// How often it was said.
    pub turns: u32,
    /// Of those, how many count: a few of each person.
    pub seen: u32,
    /// Of those that count, how many were right.
    pub succeeded: u32,
    /// How often it was right, from 0 to 1.
    pub success: f64,
    /// How many people were right with it.
    pub people: usize,
    /// When it was first said.
    #[schema(format = DateTime)]
    pub first_seen: String,
    /// When it was last said.
    #[schema(format = DateTime)]
    pub last_seen: String,
}

/// The word for where a candidate stands.
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
    /// The phrase, with `{slots}` where values stand.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// For the caller only, not for everybody of the tenant.
    #[serde(default)]
    pub own: Option<bool>,
    /// Also if it is taken away from another tool or playbook, was rejected, or makes a row of a corpus be read wrongly.
    #[serde(default)]
    pub replace: Option<bool>,
}

/// What came of teaching.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaughtAnswer {
    /// The phrase.
    pub phrase: String,
    /// What it asks for from now on.
    pub target: String,
    /// What it asked for before, or null.
    #[schema(required)]
    pub replaced: Option<String>,
    /// What to know about it: what it is like, what the corpora lose by it.
    pub notes: Vec<String>,
    /// Whether it was known already.
    pub already: bool,
}

impl From<brain_kernel::Learned> for TaughtAnswer {
    fn from(learned: brain_kernel::Learned) -> Self {
        let brain_kernel::Learned { phrase, target, replaced, notes, already } = learned;
        Self { phrase, target, replaced, notes, already }
    }
}

/// A phrase to take back.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnteachRequest {
    /// The phrase.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
}

/// A phrase that was taught or learned.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TaughtItem {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// Whose it is; null if everybody's.
    #[schema(required)]
    pub actor: Option<String>,
    /// Who taught it; `learning` if the gates let it pass.
    pub by: String,
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// Whether it was learned from what people said.
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

/// A candidate to decide about, or a rejection to take back.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhraseFor {
    /// The phrase.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
}

/// A phrase to reject.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectRequest {
    /// The phrase.
    #[schema(max_length = 500)]
    pub phrase: String,
    /// The tool or playbook that it must not lead to.
    pub target: String,
    /// Why: whoever comes upon it later reads this.
    pub why: String,
}

/// A phrase that was rejected.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BlockedPhrase {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook that it must not lead to.
    pub target: String,
    /// Why.
    pub why: String,
    /// Who rejected it.
    pub by: String,
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// What the corpora lose by it, if it was rejected just now and they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl From<Blocked> for BlockedPhrase {
    fn from(row: Blocked) -> Self {
        let Blocked { phrase, target, why, by, at } = row;
        Self { phrase, target, why, by, at: at.to_string(), note: None }
    }
}

/// How the cycle is to go.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CycleRequest {
    /// Only say what would become of each.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

/// What became of a candidate.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PromotionItem {
    /// The phrase.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// Whether it became a phrase, or would.
    pub promoted: bool,
    /// Why not, or null.
    #[schema(required)]
    pub why: Option<String>,
}

impl From<brain_kernel::Promotion> for PromotionItem {
    fn from(one: brain_kernel::Promotion) -> Self {
        let brain_kernel::Promotion { phrase, target, promoted, why } = one;
        Self { phrase, target, promoted, why }
    }
}

/// What was meant by a request, or that it was not what was chosen.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectionRequest {
    /// The run that heard the request.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// The tool or playbook that was meant. Needed if nothing was chosen.
    #[serde(default)]
    pub meant: Option<String>,
    /// Which request of several in the run, from 1.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1)]
    pub request: Option<u64>,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
}

/// What came of a correction.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CorrectionAnswer {
    /// What was said.
    pub said: String,
    /// What it was taken for, or null.
    #[schema(required)]
    pub chosen: Option<String>,
    /// What was meant, or null.
    #[schema(required)]
    pub meant: Option<String>,
    /// Whether it answers a question that Brain had asked.
    pub answer: bool,
    /// Whether it counts in the tenant's corpus by itself; otherwise somebody else has to say the same.
    pub counts: bool,
}

impl From<brain_kernel::Corrected> for CorrectionAnswer {
    fn from(told: brain_kernel::Corrected) -> Self {
        let brain_kernel::Corrected { said, chosen, meant, answer, counts } = told;
        Self { said, chosen, meant, answer, counts }
    }
}

/// An utterance that was corrected, and what it must be read as.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CaseItem {
    /// The utterance.
    pub say: String,
    /// The tool or playbook that it must be read as, or null.
    #[schema(required)]
    pub target: Option<String>,
    /// The one that it must not be read as, or null.
    #[schema(required)]
    pub not_target: Option<String>,
    /// How many people said so.
    pub people: usize,
    /// Whether others said something else.
    pub contested: bool,
    /// Whether it counts when a corpus is measured.
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
