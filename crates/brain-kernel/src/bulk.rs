//! Bulk retry of dead letters, for when their common cause is fixed.

use brain_core::{JobKey, RunId, Timestamp};
use brain_engine::LetterDecision;
use brain_lang::plan::{Idempotency, Place};
use brain_store::{DeadLetterRow, Scope};

use crate::error::KernelError;
use crate::kernel::Kernel;

/// Maximum number of letters that one request retries.
pub const MAX_BULK: usize = 1000;
/// Page size when reading letters.
const PAGE: usize = 200;

/// Selects open dead letters.
#[derive(Clone, Debug, Default)]
pub struct LetterFilter {
    /// Only those of this tool.
    pub tool: Option<String>,
    /// Only those opened at or after this time.
    pub since: Option<Timestamp>,
}

impl LetterFilter {
    fn fits(&self, row: &DeadLetterRow) -> bool {
        self.tool.as_ref().is_none_or(|tool| *tool == row.tool) && self.since.is_none_or(|since| row.opened_at >= since)
    }
}

/// The outcome for one letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BulkOutcome {
    /// Retried, or would be in a dry run.
    Retried,
    /// Left for a person, with the reason.
    Skipped(String),
}

/// One letter of a bulk retry.
#[derive(Clone, Debug)]
pub struct BulkLetter {
    /// The letter.
    pub letter: JobKey,
    /// Its run.
    pub run: RunId,
    /// The tool.
    pub tool: String,
    /// The outcome.
    pub outcome: BulkOutcome,
}

impl Kernel {
    /// Retries open dead letters, newest first and [`MAX_BULK`] at most, each with its own idempotency key. A call that
    /// may have happened and must not be repeated is skipped for a person to check, and so is a letter whose pack is not
    /// loaded. A dry run changes nothing. The
    /// second value says whether more letters match.
    pub async fn retry_letters(
        &self,
        scope: &Scope,
        filter: &LetterFilter,
        dry_run: bool,
        by: &str,
        note: &str,
    ) -> Result<(Vec<BulkLetter>, bool), KernelError> {
        let (rows, more) = self.letters_that(scope, filter)?;
        let mut done = Vec::with_capacity(rows.len());
        for row in rows {
            let outcome = match self.unrepeatable(scope, &row) {
                Some(why) => BulkOutcome::Skipped(why),
                None if dry_run => BulkOutcome::Retried,
                None => match self.engine().decide_letter(scope, row.id, LetterDecision::Retry, by, note).await {
                    Ok(_) => BulkOutcome::Retried,
                    Err(error) => BulkOutcome::Skipped(KernelError::from(error).to_string()),
                },
            };
            done.push(BulkLetter { letter: row.id, run: row.run, tool: row.tool, outcome });
        }
        Ok((done, more))
    }

    /// Open letters that match, and whether there are more than [`MAX_BULK`].
    fn letters_that(&self, scope: &Scope, filter: &LetterFilter) -> Result<(Vec<DeadLetterRow>, bool), KernelError> {
        let mut found = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = self.store().dead_letters(scope, Some(true), PAGE, cursor.as_deref())?;
            found.extend(page.items.into_iter().filter(|row| filter.fits(row)));
            if found.len() > MAX_BULK {
                found.truncate(MAX_BULK);
                return Ok((found, true));
            }
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok((found, false)),
            }
        }
    }

    /// Why a letter must not be retried before a person has checked the external system.
    fn unrepeatable(&self, scope: &Scope, row: &DeadLetterRow) -> Option<String> {
        if let Err(missing) = self.expect_packs(scope, row.run) {
            return Some(missing.to_string());
        }
        match row.body["happened"].as_str() {
            Some("yes") => Some("it took effect; only its answer could not be used".into()),
            Some("maybe") if !self.recognises_repeats(scope, row) => Some(
                "it may have happened and must not be repeated; check the external system, then decide by hand".into(),
            ),
            _ => self.repeats_nothing(scope, row.id).err().map(|error| error.to_string()),
        }
    }

    /// Whether the external system recognises a repeated call of this letter, or a tool can check.
    fn recognises_repeats(&self, scope: &Scope, row: &DeadLetterRow) -> bool {
        let Ok(state) = self.engine().run_state(scope, row.run) else { return false };
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return false };
        let Some(at) = row.body["step"].as_str().and_then(|step| machine.find_step(code, step)) else { return false };
        let call = machine.step(code, at).call(row.body["undo"] == true);
        matches!(call.place, Place::Outside(Idempotency::Key | Idempotency::Check(_)))
    }
}
