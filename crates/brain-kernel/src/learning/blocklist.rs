//! Blocked phrases: phrases, and close paraphrases, that must not match a target.

use brain_nlu::learn::{Blocked, plain};
use brain_store::Scope;

use super::corpora::{Effect, Scale};
use super::records::{Changes, StoredRow, because};
use crate::error::KernelError;
use crate::kernel::Kernel;

/// The record type of a blocked phrase.
const BLOCKED: &str = "brain.blocked";
/// Maximum number of blocked phrases per tenant.
const MAX_BLOCKED: usize = 5000;

impl Kernel {
    /// Blocks a phrase for a target: it is not learned and no longer matches. Returns the effect on the corpora;
    /// refused if a corpus row would be misunderstood.
    pub fn reject(
        &self,
        scope: &Scope,
        who: &str,
        phrase: &str,
        target: &str,
        why: &str,
    ) -> Result<Option<String>, KernelError> {
        let phrase = phrase.trim();
        if plain(phrase).is_empty() {
            return Err(KernelError::Refused("the phrase has no words".into()));
        }
        self.known_target(target)?;
        let known = self.blocked_rows(scope)?;
        if known.len() >= MAX_BLOCKED {
            return Err(KernelError::Refused(format!("{MAX_BLOCKED} phrases are already blocked; unblock some first")));
        }
        let row = Blocked {
            phrase: phrase.to_owned(),
            target: target.to_owned(),
            why: why.trim().to_owned(),
            by: who.to_owned(),
            at: self.clock().now(),
        };
        let before = self.words(scope)?;
        let mut after = before.clone();
        after.phrases.retain(|one| one.target != target || plain(&one.text) != plain(phrase));
        after.blocked.push(row.clone());
        let note = match Scale::new(self, scope, None)?.effect(&before, &after) {
            Effect::None => None,
            Effect::Worse(what) => Some(what),
            Effect::Wrong(what) => {
                return Err(KernelError::Conflict(format!("“{phrase}” cannot be blocked for {target}: {what}")));
            }
        };
        let mut changes = Changes::default();
        for again in known.iter().filter(|one| is(&one.value, phrase, target)) {
            changes.delete(BLOCKED, again);
        }
        self.untaught(scope, phrase, target, &mut changes)?;
        self.add(&mut changes, BLOCKED, &row, ("target", target));
        self.commit_learning(scope, changes)?;
        self.note_learning(scope, who, "reject", &format!("“{phrase}” for {target}{}", because(why)))?;
        Ok(note)
    }

    /// Unblocks a phrase; returns what was unblocked.
    pub fn unblock(&self, scope: &Scope, who: &str, phrase: &str, target: &str) -> Result<Blocked, KernelError> {
        let known = self.blocked_rows(scope)?;
        let found = known.into_iter().find(|one| is(&one.value, phrase, target));
        let found = found.ok_or_else(|| KernelError::Refused(format!("“{phrase}” is not blocked for {target}")))?;
        let mut changes = Changes::default();
        changes.delete(BLOCKED, &found);
        self.commit_learning(scope, changes)?;
        self.note_learning(scope, who, "unblock", &format!("“{}” for {target}", found.value.phrase))?;
        Ok(found.value)
    }

    /// Blocked phrases, oldest first.
    pub fn blocklist(&self, scope: &Scope) -> Result<Vec<Blocked>, KernelError> {
        Ok(self.blocked_rows(scope)?.into_iter().map(|one| one.value).collect())
    }

    /// Adds to a change the removal of every block that conflicts with a phrase.
    pub(super) fn lift_blocks(
        &self,
        scope: &Scope,
        stands_in_the_way: &dyn Fn(&Blocked) -> bool,
        changes: &mut Changes,
    ) -> Result<(), KernelError> {
        for one in self.blocked_rows(scope)?.iter().filter(|one| stands_in_the_way(&one.value)) {
            changes.delete(BLOCKED, one);
        }
        Ok(())
    }

    fn blocked_rows(&self, scope: &Scope) -> Result<Vec<StoredRow<Blocked>>, KernelError> {
        self.stored_rows(scope, BLOCKED, MAX_BLOCKED)
    }
}

fn is(blocked: &Blocked, phrase: &str, target: &str) -> bool {
    blocked.target == target && plain(&blocked.phrase) == plain(phrase)
}
