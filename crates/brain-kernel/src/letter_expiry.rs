//! Dead letters that nobody resolves expire after a time: the step fails as its `on_failure` says. A call that may have
//! happened is never declared failed; it is recorded as never decided, and a run that waits for it is stopped.

use brain_core::{Millis, Timestamp};
use brain_engine::LetterDecision;
use brain_store::{DeadLetterRow, Scope, Store, StoreError};

use crate::error::KernelError;
use crate::kernel::Kernel;

/// Maximum number of letters that one round expires per tenant; the next round continues.
const MAX_EXPIRED: usize = 1000;
/// Page size when reading letters.
const PAGE: usize = 200;
/// The actor in the log.
const BY: &str = "brain";

impl Kernel {
    /// When a letter expires; `None`: never.
    pub(crate) fn letter_expires(&self, letter: &DeadLetterRow) -> Option<Timestamp> {
        self.expiry.letters.map(|after| last_news(letter).plus(after))
    }

    /// The deadline of dead letters, if they have one.
    pub fn letter_expiry(&self) -> Option<Millis> {
        self.expiry.letters
    }

    /// Ends the letters of a tenant whose time is over; returns how many.
    pub async fn expire_letters(&self, scope: &Scope) -> Result<u64, KernelError> {
        let Some(after) = self.expiry.letters else { return Ok(0) };
        let due = overdue_letters(self.store().as_ref(), scope, after, self.clock().now())?;
        let mut expired = 0;
        let note = format!("Nobody decided within {after}.");
        for letter in due {
            match self.engine().decide_letter(scope, letter.id, LetterDecision::Expire, BY, &note).await {
                Ok(_) => expired += 1,
                // Somebody decided meanwhile, or the run cannot be read; the others are not affected.
                Err(error) => tracing::info!(letter = %letter.id, %error, "could not expire a dead letter"),
            }
        }
        Ok(expired)
    }
}

/// The open letters of a tenant about which nobody decided in time; at most 1,000.
pub fn overdue_letters(
    store: &dyn Store,
    scope: &Scope,
    after: Millis,
    now: Timestamp,
) -> Result<Vec<DeadLetterRow>, StoreError> {
    let mut due = Vec::new();
    let mut cursor: Option<String> = None;
    while due.len() < MAX_EXPIRED {
        let page = store.dead_letters(scope, Some(true), PAGE, cursor.as_deref())?;
        due.extend(page.items.into_iter().filter(|letter| last_news(letter).plus(after) <= now));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    due.truncate(MAX_EXPIRED);
    Ok(due)
}

/// When something last happened to a letter: it was opened, opened again, or escalated.
fn last_news(letter: &DeadLetterRow) -> Timestamp {
    let time = |value: &serde_json::Value| serde_json::from_value::<Timestamp>(value["at"].clone()).ok();
    let history = letter.body["history"].as_array().and_then(|list| list.last()).and_then(time);
    [history, time(&letter.body["escalated"])].into_iter().flatten().fold(letter.opened_at, Timestamp::max)
}
