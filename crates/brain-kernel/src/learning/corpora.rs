//! Scores the corpora with changed phrases: the packs' own corpora and the tenant's corrections.

use std::sync::{Arc, PoisonError};

use brain_core::{Digest, canonical_digest};
use brain_nlu::learn::{Blocked, CorpusResult, LearnedCase, Reading, Row, Score, may_promote, newly_wrong};
use brain_nlu::{Context, Taught, TaughtPhrase, Understanding, understand};
use brain_registry::model::CorpusSet;
use brain_store::Scope;
use serde_json::json;

use super::cases;
use crate::error::KernelError;
use crate::implied::imply;
use crate::kernel::Kernel;
use crate::scenario::CORPUS_DAY;
use crate::scenario::corpus::{Grade, score};
use crate::vocabulary::{surroundings, thresholds};

/// A tenant's phrases: taught and blocked ones.
#[derive(Clone)]
pub(super) struct Words {
    pub(super) phrases: Vec<TaughtPhrase>,
    pub(super) blocked: Vec<Blocked>,
}

/// The effect of a change on the corpora.
pub(super) enum Effect {
    /// Nothing gets worse.
    None,
    /// A row gets worse, but Brain asks.
    Worse(String),
    /// A row would be misunderstood and executed.
    Wrong(String),
}

/// Measures changes of a tenant's phrases against all corpora.
pub(super) struct Scale<'a> {
    kernel: &'a Kernel,
    scope: &'a Scope,
    /// The actor whose own phrases count.
    actor: Option<String>,
    cases: Vec<LearnedCase>,
}

impl<'a> Scale<'a> {
    pub(super) fn new(kernel: &'a Kernel, scope: &'a Scope, actor: Option<&str>) -> Result<Self, KernelError> {
        let cases = kernel.learned_cases(scope)?.into_iter().filter(LearnedCase::counts).collect();
        Ok(Self { kernel, scope, actor: actor.map(str::to_owned), cases })
    }

    /// The corpus scores with these phrases.
    pub(super) fn weigh(&self, words: &Words) -> Arc<Score> {
        let key = canonical_digest(&json!([words.phrases, words.blocked, self.actor, self.cases]));
        let known = &self.kernel.scores;
        if let Some((of, score)) = known.lock().unwrap_or_else(PoisonError::into_inner).get(self.scope.tenant())
            && *of == key
        {
            return score.clone();
        }
        let score = Arc::new(self.measure(words));
        let entry: (Digest, Arc<Score>) = (key, score.clone());
        known.lock().unwrap_or_else(PoisonError::into_inner).insert(self.scope.tenant().clone(), entry);
        score
    }

    /// The effect of changing the phrases from `before` to `after`.
    pub(super) fn effect(&self, before: &Words, after: &Words) -> Effect {
        let (before, after) = (self.weigh(before), self.weigh(after));
        if let Some(wrong) = newly_wrong(&before, &after) {
            return Effect::Wrong(wrong);
        }
        may_promote(&before, &after).map_or_else(Effect::Worse, |()| Effect::None)
    }

    fn measure(&self, words: &Words) -> Score {
        let registry = self.kernel.registry();
        let compiled = self.kernel.compiled(self.scope);
        let taught = self.kernel.ready(words, compiled.as_deref());
        // Corpora are written for a fixed day and place; corrections apply on any day.
        let around = surroundings(registry, &crate::vocabulary::zone(registry), CORPUS_DAY);
        let context = Context {
            taught: Some(&taught),
            actor: self.actor.as_deref(),
            thresholds: thresholds(registry),
            ..Context::fresh(around)
        };
        let read = |text: &str| -> Understanding {
            let mut found = understand(self.kernel.vocabulary(), text, &context);
            imply(&mut found, |tool, phrase| registry.implied(tool, phrase));
            found
        };
        let of_packs = [("the packs' tuning rows", CorpusSet::Tune), ("the packs' test rows", CorpusSet::Test)];
        let mut corpora: Vec<CorpusResult> = of_packs
            .into_iter()
            .map(|(name, set)| {
                let rows = score(registry, set, read).rows.into_iter().map(|row| Row {
                    say: row.say,
                    reading: match row.verdict {
                        Grade::Right => Reading::Right,
                        Grade::Offered | Grade::Asked | Grade::NotUnderstood => Reading::Asked,
                        Grade::Wrong => Reading::Wrong,
                    },
                });
                CorpusResult { name: name.to_owned(), rows: rows.collect() }
            })
            .collect();
        let own = self.cases.iter().map(|case| cases::read(case, &read(&case.say)));
        corpora.push(CorpusResult { name: "corrections made here".into(), rows: own.collect() });
        Score { corpora }
    }
}

impl Kernel {
    /// Compiles phrases for matching. Phrases that no longer fit their tool, for example after a pack change, are left
    /// out.
    pub(super) fn ready(&self, words: &Words, previous: Option<&Taught>) -> Taught {
        let mut phrases = words.phrases.clone();
        loop {
            match Taught::build(self.vocabulary(), &phrases, &words.blocked, previous) {
                Ok(taught) => return taught,
                Err((text, error)) => {
                    tracing::warn!(phrase = text, error = error.message, "a taught phrase no longer fits its tool");
                    let count = phrases.len();
                    phrases.retain(|phrase| phrase.text != text);
                    if phrases.len() == count {
                        return Taught::default();
                    }
                }
            }
        }
    }
}
