//! Teaching: phrases that trusted people add to tools and playbooks. They take effect at once, are stored and audited,
//! and can be removed.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use brain_core::{Millis, TenantId, Timestamp};
use brain_nlu::learn::{BLOCKED_AT, Blocked, Blocklist, Known, Teach, check_teach, plain};
use brain_nlu::{Taught, TaughtPhrase};
use brain_store::Scope;
use serde::{Deserialize, Serialize};

use super::corpora::{Effect, Scale, Words};
use super::records::{Changes, StoredRow, because};
use crate::error::KernelError;
use crate::kernel::Kernel;

/// The record type of a taught phrase.
const PHRASE: &str = "brain.phrase";
/// Maximum number of taught phrases per tenant.
const MAX_PHRASES: usize = 5000;
/// Maximum staleness of the cache for phrases taught by another process.
const FRESH: Millis = Millis(1000);

/// A phrase to teach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The phrase, with `{slots}`.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// The person it is for; `None`: the whole tenant.
    pub own: Option<String>,
    /// Whether to override refusals: the phrase belongs to another target, is blocked, or makes a corpus row
    /// misunderstood.
    pub replace: bool,
}

/// A taught phrase and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaughtRow {
    /// The phrase and its target.
    #[serde(flatten)]
    pub phrase: TaughtPhrase,
    /// Who taught it; `learning` if it was promoted automatically.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Whether it was learned from requests instead of taught directly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub learned: bool,
}

/// The outcome of teaching.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Learned {
    /// The phrase.
    pub phrase: String,
    /// Its new target.
    pub target: String,
    /// Its previous target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// Warnings: similar phrases, and corpus rows that get worse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether it was already taught.
    pub already: bool,
}

/// Cached phrases of a tenant.
#[derive(Default)]
pub(crate) struct Lessons {
    /// When changes by other processes were last looked for; `None` if the phrases were changed here since.
    at: Option<Timestamp>,
    /// The number of changes made here.
    changes: u64,
    /// The mark of the last change that they include.
    mark: String,
    taught: Arc<Taught>,
}

/// Adds a taught phrase to changes.
pub(super) fn put(kernel: &Kernel, changes: &mut Changes, row: &TaughtRow) {
    kernel.add(changes, PHRASE, row, ("target", &row.phrase.target));
}

impl Kernel {
    /// Teaches a phrase. Bypasses the gates of learning, but not the corpora.
    pub fn teach(&self, scope: &Scope, teacher: &str, lesson: &Lesson) -> Result<Learned, KernelError> {
        let phrase = lesson.phrase.trim();
        let known = self.taught_rows(scope)?;
        if known.len() >= MAX_PHRASES {
            return Err(KernelError::Refused(format!("{MAX_PHRASES} phrases are already taught; unteach some first")));
        }
        let before = self.words(scope)?;
        let said = self.check_lesson(phrase, &lesson.target, &before);
        let mut learned = Learned {
            phrase: phrase.to_owned(),
            target: lesson.target.clone(),
            replaced: None,
            notes: Vec::new(),
            already: false,
        };
        match said {
            Teach::Fine => {}
            Teach::Near { .. } => learned.notes.push(said.to_string()),
            Teach::Already => {
                learned.already = true;
                return Ok(learned);
            }
            Teach::Belongs { to } if lesson.replace => learned.replaced = Some(to),
            Teach::Belongs { to } => {
                return Err(KernelError::Conflict(format!(
                    "“{phrase}” is a phrase of `{to}`; teach it with --replace to move it"
                )));
            }
            Teach::Blocked { .. } if lesson.replace => {
                learned.notes.push(format!("{said} The phrase is no longer blocked."))
            }
            Teach::Blocked { .. } => {
                return Err(KernelError::Conflict(format!(
                    "“{phrase}” was not taught: {said} Teach it with --replace to unblock it"
                )));
            }
            other => return Err(KernelError::Refused(format!("“{phrase}” cannot be taught: {other}"))),
        }
        let row = TaughtRow {
            phrase: TaughtPhrase { text: phrase.to_owned(), target: lesson.target.clone(), actor: lesson.own.clone() },
            by: teacher.to_owned(),
            at: self.clock().now(),
            learned: false,
        };
        let same = |text: &str| plain(text) == plain(phrase);
        let blocks = |blocked: &Blocked| {
            let alike = || f64::from(brain_nlu::alike(&blocked.phrase, phrase)) >= BLOCKED_AT;
            blocked.target == lesson.target && (same(&blocked.phrase) || alike())
        };
        let mut after = before.clone();
        after.phrases.retain(|one| !same(&one.text));
        after.phrases.push(row.phrase.clone());
        after.blocked.retain(|blocked| !blocks(blocked));
        match Scale::new(self, scope, row.phrase.actor.as_deref())?.effect(&before, &after) {
            Effect::None => {}
            Effect::Worse(what) => learned.notes.push(what),
            Effect::Wrong(what) if lesson.replace => learned.notes.push(what),
            Effect::Wrong(what) => {
                return Err(KernelError::Conflict(format!(
                    "“{phrase}” was not taught. {what} Teach it with --replace if that is intended"
                )));
            }
        }
        let mut changes = Changes::default();
        // The same phrase of another target is removed in the same commit.
        for old in known.iter().filter(|old| same(&old.value.phrase.text)) {
            changes.delete(PHRASE, old);
        }
        self.lift_blocks(scope, &blocks, &mut changes)?;
        put(self, &mut changes, &row);
        self.commit_learning(scope, changes)?;
        let from = learned.replaced.as_deref().map(|to| format!(", taken from {to}")).unwrap_or_default();
        self.note_learning(scope, teacher, "teach", &format!("“{phrase}” for {}{from}", lesson.target))?;
        Ok(learned)
    }

    /// Removes a taught phrase; returns what was removed.
    pub fn unteach(
        &self,
        scope: &Scope,
        teacher: &str,
        phrase: &str,
        why: &str,
    ) -> Result<Vec<TaughtRow>, KernelError> {
        let known = self.taught_rows(scope)?;
        let same: Vec<_> = known.into_iter().filter(|one| plain(&one.value.phrase.text) == plain(phrase)).collect();
        if same.is_empty() {
            return Err(KernelError::Refused(format!("“{phrase}” is not a taught phrase")));
        }
        let mut changes = Changes::default();
        same.iter().for_each(|one| changes.delete(PHRASE, one));
        self.commit_learning(scope, changes)?;
        let rows: Vec<TaughtRow> = same.into_iter().map(|one| one.value).collect();
        for row in &rows {
            let detail = format!("“{}” for {}{}", row.phrase.text, row.phrase.target, because(why));
            self.note_learning(scope, teacher, "unteach", &detail)?;
        }
        Ok(rows)
    }

    /// Taught phrases, oldest first.
    pub fn taught(&self, scope: &Scope) -> Result<Vec<TaughtRow>, KernelError> {
        Ok(self.taught_rows(scope)?.into_iter().map(|one| one.value).collect())
    }

    /// Taught and blocked phrases.
    pub(super) fn words(&self, scope: &Scope) -> Result<Words, KernelError> {
        let phrases = self.taught(scope)?.into_iter().map(|row| row.phrase).collect();
        Ok(Words { phrases, blocked: self.blocklist(scope)? })
    }

    /// The taught phrases of a tenant, compiled. What was taught here counts at once, what was taught in another process
    /// within a second. They are read again only after a change, and only what changed is compiled.
    pub(crate) fn lessons(&self, scope: &Scope) -> Arc<Taught> {
        let now = self.clock().now();
        let (changes, known) = {
            let mut cache = self.lock_lessons();
            match cache.get_mut(scope.tenant()) {
                Some(known) if known.at.is_some_and(|at| now.since(at) < FRESH) => return known.taught.clone(),
                Some(known) => {
                    // Meanwhile, others may go on with what is known, unless it was changed here.
                    known.at = known.at.map(|_| now);
                    (known.changes, Some((known.mark.clone(), known.taught.clone())))
                }
                None => (0, None),
            }
        };
        // The mark is read first: a change after it is noticed the next time.
        let read = self.change_mark(scope).and_then(|mark| match &known {
            Some((before, taught)) if *before == mark => Ok((mark, taught.clone())),
            _ => {
                let previous = known.as_ref().map(|(_, taught)| &**taught);
                Ok((mark, Arc::new(self.ready(&self.words(scope)?, previous))))
            }
        });
        let (mark, taught) = read.unwrap_or_else(|error| {
            tracing::warn!(%error, "taught phrases could not be read; using the last ones read");
            known.unwrap_or_default()
        });
        let mut cache = self.lock_lessons();
        let latest = cache.get(scope.tenant()).map_or(0, |known| known.changes);
        let at = (latest == changes).then_some(now);
        cache.insert(scope.tenant().clone(), Lessons { at, changes: latest, mark, taught: taught.clone() });
        taught
    }

    fn lock_lessons(&self) -> MutexGuard<'_, HashMap<TenantId, Lessons>> {
        self.lessons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The phrases compiled last, whether or not they are up to date.
    pub(super) fn compiled(&self, scope: &Scope) -> Option<Arc<Taught>> {
        self.lock_lessons().get(scope.tenant()).map(|known| known.taught.clone())
    }

    /// Parses and checks a phrase for a target.
    pub(super) fn check_lesson(&self, phrase: &str, target: &str, words: &Words) -> Teach {
        let phrases = self.owned_phrases(&words.phrases);
        let slots = |name: &str| {
            let target = self.vocabulary().targets().iter().find(|target| target.name == name)?;
            Some(target.slots.keys().cloned().collect())
        };
        let alike = |a: &str, b: &str| f64::from(brain_nlu::alike(a, b));
        let blocked = Blocklist { entries: words.blocked.clone() };
        check_teach(phrase, target, &slots, &Known { phrases: &phrases, blocked: &blocked, alike: &alike })
    }

    /// Adds to a change the removal of a taught phrase.
    pub(super) fn untaught(
        &self,
        scope: &Scope,
        phrase: &str,
        target: &str,
        changes: &mut Changes,
    ) -> Result<(), KernelError> {
        let is_it = |row: &TaughtRow| row.phrase.target == target && plain(&row.phrase.text) == plain(phrase);
        for one in self.taught_rows(scope)?.iter().filter(|one| is_it(&one.value)) {
            changes.delete(PHRASE, one);
        }
        Ok(())
    }

    fn taught_rows(&self, scope: &Scope) -> Result<Vec<StoredRow<TaughtRow>>, KernelError> {
        self.stored_rows(scope, PHRASE, MAX_PHRASES)
    }

    pub(super) fn forget_lessons(&self, tenant: &TenantId) {
        let mut cache = self.lock_lessons();
        let known = cache.entry(tenant.clone()).or_default();
        known.at = None;
        known.changes += 1;
    }
}
