//! Teaching: phrases that trusted people give to tools and playbooks, used at once, kept, audited, and taken back.
//!
//! They are records of a type that no pack can declare, so that they are a tenant's, move with `store copy`, and last.

use std::sync::{Arc, PoisonError};

use brain_core::{Millis, RecordId, TenantId, Timestamp};
use brain_nlu::learn::{Blocklist, Known, OwnedPhrase, Teach, check_teach, plain};
use brain_nlu::{Taught, TaughtPhrase};
use brain_store::{AuditRow, IndexEntry, Member, Outcome, Precondition, RecordFilter, RecordRow, Scope, Write};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::kernel::{Kernel, KernelError};

/// The type of record that a taught phrase is.
const PHRASE: &str = "brain.phrase";
/// Phrases that a tenant may have.
const MAX_PHRASES: usize = 5000;
/// How long phrases that another process taught may stay unknown here.
const FRESH: Millis = Millis(1000);

/// What is to be taught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The phrase, with `{slots}`.
    pub phrase: String,
    /// The tool or playbook.
    pub target: String,
    /// Whether it is for the one who teaches only.
    pub own: bool,
    /// Whether it may be taken away from where it belongs.
    pub replace: bool,
}

/// A phrase that was taught, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaughtRow {
    /// The phrase and what it asks for.
    #[serde(flatten)]
    pub phrase: TaughtPhrase,
    /// Who taught it.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// What came of teaching.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Learned {
    /// The phrase.
    pub phrase: String,
    /// What it asks for from now on.
    pub target: String,
    /// What it asked for before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// What to know about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether it was known already.
    pub already: bool,
}

/// Phrases of a tenant as they were at a moment.
pub(crate) struct Lessons {
    at: Timestamp,
    taught: Arc<Taught>,
}

impl Kernel {
    /// Teaches a phrase.
    pub fn teach(&self, scope: &Scope, teacher: &str, lesson: &Lesson) -> Result<Learned, KernelError> {
        let phrase = lesson.phrase.trim();
        let known = self.taught_rows(scope)?;
        if known.len() >= MAX_PHRASES {
            return Err(KernelError::Refused(format!("{MAX_PHRASES} phrases are taught already; unteach some first")));
        }
        let said = self.check_lesson(phrase, &lesson.target, &known);
        let mut learned = Learned {
            phrase: phrase.to_owned(),
            target: lesson.target.clone(),
            replaced: None,
            note: None,
            already: false,
        };
        match said {
            Teach::Fine => {}
            Teach::Near { .. } => learned.note = Some(said.to_string()),
            Teach::Already => {
                learned.already = true;
                return Ok(learned);
            }
            Teach::Belongs { to } if lesson.replace => learned.replaced = Some(to),
            Teach::Belongs { to } => {
                return Err(KernelError::Conflict(format!(
                    "“{phrase}” is a phrase of `{to}`; teach it with --replace to take it away from there"
                )));
            }
            other => return Err(KernelError::Refused(format!("“{phrase}” cannot be taught: {other}"))),
        }
        let now = self.clock().now();
        let row = TaughtRow {
            phrase: TaughtPhrase {
                text: phrase.to_owned(),
                target: lesson.target.clone(),
                actor: lesson.own.then(|| teacher.to_owned()),
            },
            by: teacher.to_owned(),
            at: now,
        };
        let mut writes = Vec::new();
        let mut preconditions = Vec::new();
        // The same words of another target, taught before, are forgotten in the same commit.
        for (id, revision, _) in known.iter().filter(|(_, _, old)| plain(&old.phrase.text) == plain(phrase)) {
            preconditions.push(Precondition::Record { kind: PHRASE.into(), id: *id, revision: Some(*revision) });
            writes.push(Write::DeleteRecord { kind: PHRASE.into(), id: *id });
        }
        let id = self.draw(|random| RecordId::generate(now, random));
        let record = RecordRow {
            kind: PHRASE.into(),
            id,
            revision: 1,
            state: None,
            created_at: now,
            updated_at: now,
            body: json!(row),
        };
        let index = vec![IndexEntry { field: "target".into(), value: lesson.target.clone(), unique: false }];
        writes.push(Write::PutRecord { row: record, index, text: None });
        self.commit_lesson(scope, preconditions, writes)?;
        let from = learned.replaced.as_deref().map(|to| format!(", taken from {to}")).unwrap_or_default();
        self.note_lesson(scope, teacher, "teach", &format!("“{phrase}” for {}{from}", lesson.target))?;
        Ok(learned)
    }

    /// Takes back what was taught; what exactly.
    pub fn unteach(
        &self,
        scope: &Scope,
        teacher: &str,
        phrase: &str,
        why: &str,
    ) -> Result<Vec<TaughtRow>, KernelError> {
        let known = self.taught_rows(scope)?;
        let same: Vec<_> = known.into_iter().filter(|(_, _, row)| plain(&row.phrase.text) == plain(phrase)).collect();
        if same.is_empty() {
            return Err(KernelError::Refused(format!("“{phrase}” was not taught; `brain teach` lists what was")));
        }
        let gone = |(id, revision, _): &(RecordId, u64, TaughtRow)| {
            (
                Precondition::Record { kind: PHRASE.into(), id: *id, revision: Some(*revision) },
                Write::DeleteRecord { kind: PHRASE.into(), id: *id },
            )
        };
        let (preconditions, writes) = same.iter().map(gone).unzip();
        self.commit_lesson(scope, preconditions, writes)?;
        let rows: Vec<TaughtRow> = same.into_iter().map(|(_, _, row)| row).collect();
        for row in &rows {
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            self.note_lesson(
                scope,
                teacher,
                "unteach",
                &format!("“{}” for {}{why}", row.phrase.text, row.phrase.target),
            )?;
        }
        Ok(rows)
    }

    /// What was taught, oldest first.
    pub fn taught(&self, scope: &Scope) -> Result<Vec<TaughtRow>, KernelError> {
        Ok(self.taught_rows(scope)?.into_iter().map(|(_, _, row)| row).collect())
    }

    /// What people of a tenant have taught, ready to be matched. As it was a second ago at most.
    pub(crate) fn lessons(&self, scope: &Scope) -> Arc<Taught> {
        let now = self.clock().now();
        let mut cache = self.lessons.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(scope.tenant())
            && now.since(known.at) < FRESH
        {
            return known.taught.clone();
        }
        let taught = match self.taught(scope) {
            Ok(rows) => {
                let phrases: Vec<TaughtPhrase> = rows.into_iter().map(|row| row.phrase).collect();
                let built = Taught::build(self.vocabulary(), &phrases, &[]);
                built.unwrap_or_else(|(phrase, error)| {
                    tracing::warn!(phrase, error = error.message, "a taught phrase does not fit its tool any more");
                    Taught::default()
                })
            }
            Err(error) => {
                tracing::warn!(%error, "what was taught could not be read; it is not used for now");
                Taught::default()
            }
        };
        let taught = Arc::new(taught);
        cache.insert(scope.tenant().clone(), Lessons { at: now, taught: taught.clone() });
        taught
    }

    fn check_lesson(&self, phrase: &str, target: &str, known: &[(RecordId, u64, TaughtRow)]) -> Teach {
        let vocabulary = self.vocabulary();
        let of_packs = vocabulary.targets().iter().flat_map(|target| {
            target.phrases.iter().map(|phrase| OwnedPhrase { phrase: phrase.clone(), target: target.name.clone() })
        });
        // What was taught last counts.
        let taught = known
            .iter()
            .rev()
            .map(|(_, _, row)| OwnedPhrase { phrase: row.phrase.text.clone(), target: row.phrase.target.clone() });
        let phrases: Vec<OwnedPhrase> = taught.chain(of_packs).collect();
        let slots = |name: &str| {
            let target = vocabulary.targets().iter().find(|target| target.name == name)?;
            Some(target.slots.keys().cloned().collect())
        };
        let alike = |a: &str, b: &str| f64::from(brain_nlu::alike(a, b));
        let known = Known { phrases: &phrases, blocked: &Blocklist::default(), alike: &alike };
        check_teach(phrase, target, &slots, &known)
    }

    fn taught_rows(&self, scope: &Scope) -> Result<Vec<(RecordId, u64, TaughtRow)>, KernelError> {
        let page = self.store().records(scope, PHRASE, &RecordFilter::default(), MAX_PHRASES, None)?;
        let rows = page.items.into_iter().filter_map(|row| {
            let taught = serde_json::from_value(row.body).ok()?;
            Some((row.id, row.revision, taught))
        });
        Ok(rows.collect())
    }

    fn commit_lesson(
        &self,
        scope: &Scope,
        preconditions: Vec<Precondition>,
        writes: Vec<Write>,
    ) -> Result<(), KernelError> {
        let member = Member { scope: scope.clone(), preconditions, writes };
        let outcomes = self.store().commit_now(vec![member])?;
        self.forget_lessons(scope.tenant());
        match outcomes.as_slice() {
            [Outcome::Committed] => Ok(()),
            _ => Err(KernelError::Conflict("somebody else is teaching just now; try again".into())),
        }
    }

    fn forget_lessons(&self, tenant: &TenantId) {
        self.lessons.lock().unwrap_or_else(PoisonError::into_inner).remove(tenant);
    }

    fn note_lesson(&self, scope: &Scope, who: &str, what: &str, detail: &str) -> Result<(), KernelError> {
        let row = AuditRow {
            at: self.clock().now(),
            who: who.to_owned(),
            what: what.to_owned(),
            tenant: Some(scope.tenant().clone()),
            detail: detail.to_owned(),
        };
        Ok(self.store().note(&row)?)
    }
}
