//! Learning as a whole: good streams teach, poisoned ones do not.

use std::collections::BTreeSet;

use brain_core::Timestamp;

use super::*;

const DAY: i64 = 86_400_000;

/// An outcome of one of Ann's turns.
pub(super) fn outcome(turn: &str, said: &str, chosen: &str, how: How) -> Outcome {
    Outcome {
        turn: turn.into(),
        said: said.into(),
        slots: Vec::new(),
        chosen: Some(chosen.into()),
        meant: None,
        offered: Vec::new(),
        how,
        tenant: "acme".parse().unwrap(),
        actor: "ann".into(),
        trusted: false,
        at: Timestamp::from_millis(0),
    }
}

pub(super) fn by(actor: &str, outcome: Outcome) -> Outcome {
    Outcome { actor: actor.into(), ..outcome }
}

pub(super) fn corrected(turn: &str, said: &str, chosen: &str, meant: Option<&str>, actor: &str) -> Outcome {
    Outcome { meant: meant.map(str::to_owned), ..by(actor, outcome(turn, said, chosen, How::Corrected)) }
}

/// A toy reader: the target of the phrase that shares the most words with the utterance.
struct World {
    phrases: Vec<OwnedPhrase>,
    corpus: Vec<(&'static str, &'static str)>,
}

fn alike(a: &str, b: &str) -> f64 {
    let words = |text: &str| plain(text).split(' ').map(str::to_owned).collect::<BTreeSet<String>>();
    let (a, b) = (words(a), words(b));
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

impl World {
    fn new() -> Self {
        let owned = |(phrase, target): (&str, &str)| OwnedPhrase { phrase: phrase.into(), target: target.into() };
        let phrases = [
            ("list my open tasks", "os.list_tasks"),
            ("what do i have to do", "os.list_tasks"),
            ("delete the lead for good", "leads.delete"),
            ("show me all the leads", "leads.list"),
        ];
        let corpus = vec![
            ("list the open tasks", "os.list_tasks"),
            ("list all my open tasks now", "os.list_tasks"),
            ("what do i still have to do", "os.list_tasks"),
            ("delete that lead for good", "leads.delete"),
            ("show all the leads", "leads.list"),
        ];
        Self { phrases: phrases.map(owned).to_vec(), corpus }
    }

    fn read(&self, say: &str) -> Option<&str> {
        let scored = self.phrases.iter().map(|phrase| (alike(say, &phrase.phrase), phrase));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (best.0 >= 0.4).then_some(best.1.target.as_str())
    }

    fn score(&self) -> Score {
        let rows = self.corpus.iter().map(|(say, target)| {
            let reading = match self.read(say) {
                Some(read) if read == *target => Reading::Right,
                Some(_) => Reading::Wrong,
                None => Reading::Asked,
            };
            Row { say: (*say).to_owned(), reading }
        });
        Score { corpora: vec![CorpusResult { name: "tune".into(), rows: rows.collect() }] }
    }

    fn right(&self) -> usize {
        self.score().corpora[0].rows.iter().filter(|row| row.reading == Reading::Right).count()
    }

    /// One learning cycle: gates, then corpora. Returns what was promoted.
    fn learn(&mut self, outcomes: &[Outcome], now: Timestamp) -> Vec<String> {
        let mut promoted = Vec::new();
        for candidate in candidates(outcomes) {
            let blocked = Blocklist::default();
            let known = Known { phrases: &self.phrases, blocked: &blocked, alike: &alike };
            if gate(&candidate, now, &Gates::default(), &known) != GateResult::Promote {
                continue;
            }
            let before = self.score();
            self.phrases.push(OwnedPhrase { phrase: candidate.phrase.clone(), target: candidate.target });
            match may_promote(&before, &self.score()) {
                Ok(()) => promoted.push(candidate.phrase),
                Err(_) => {
                    self.phrases.pop();
                }
            }
        }
        promoted
    }
}

fn stream(said: &str, wrong: &str, meant: &str, actors: &[&str], turns: usize) -> Vec<Outcome> {
    let turn = |n: usize| {
        let one = corrected(&format!("t{n}"), said, wrong, Some(meant), actors[n % actors.len()]);
        Outcome { at: Timestamp::from_millis(n as i64), ..one }
    };
    (0..turns).map(turn).collect()
}

#[test]
fn a_wording_that_several_people_use_is_learned() {
    let mut world = World::new();
    let said = "pull up my worklist";
    assert_eq!(world.read(said), None);
    let outcomes = stream(said, "leads.list", "os.list_tasks", &["ann", "bob"], 6);
    assert_eq!(world.learn(&outcomes, Timestamp::from_millis(DAY - 1)), [""; 0], "not before a day has passed");
    assert_eq!(world.learn(&outcomes, Timestamp::from_millis(DAY)), [said]);
    assert_eq!(world.read(said), Some("os.list_tasks"));
    assert_eq!(world.learn(&outcomes, Timestamp::from_millis(DAY)), [""; 0], "not twice");
}

#[test]
fn a_poisoned_stream_of_one_person_teaches_nothing() {
    let mut world = World::new();
    let before = world.right();
    for said in ["list my open tasks", "list all open tasks", "show my task list now", "pull up my worklist"] {
        let outcomes = stream(said, "os.list_tasks", "leads.delete", &["eve"], 500);
        assert_eq!(world.learn(&outcomes, Timestamp::from_millis(9 * DAY)), [""; 0], "{said}");
        assert!(cases(&outcomes).iter().all(|case| !case.counts()), "nor does it bind a corpus");
    }
    assert_eq!(world.right(), before);
}

#[test]
fn one_person_cannot_block_what_others_use() {
    let good = stream("pull up my worklist", "leads.list", "os.list_tasks", &["ann", "bob", "cem", "dan"], 12);
    let mut all = good.clone();
    for (n, mut against) in
        stream("pull up my worklist", "os.list_tasks", "leads.delete", &["eve"], 500).into_iter().enumerate()
    {
        against.turn = format!("e{n}");
        all.push(against);
    }
    assert_eq!(World::new().learn(&all, Timestamp::from_millis(9 * DAY)), ["pull up my worklist"]);
}

#[test]
fn a_poisoned_stream_of_many_stops_at_the_corpora() {
    let mut world = World::new();
    let before = world.right();
    let crowd = ["eve", "mal", "oscar", "trudy"];
    for said in ["list the open tasks", "list all my open tasks now", "what do i still have to do"] {
        let outcomes = stream(said, "os.list_tasks", "leads.delete", &crowd, 400);
        let candidate = candidates(&outcomes).into_iter().find(|one| one.target == "leads.delete").unwrap();
        assert!(candidate.success() > 0.9, "the gates alone would not hold it");
        assert_eq!(world.learn(&outcomes, Timestamp::from_millis(9 * DAY)), [""; 0], "{said}");
    }
    assert_eq!(world.right(), before);
}

#[test]
fn learning_never_lowers_the_score() {
    use proptest::prelude::*;
    let said = prop::sample::select(vec![
        "list the open tasks",
        "list all my open tasks now",
        "what do i still have to do",
        "delete that lead for good",
        "show all the leads",
        "pull up my worklist",
        "drop that lead right now",
        "open tasks in my list",
    ]);
    let target = prop::sample::select(vec!["os.list_tasks", "leads.delete", "leads.list"]);
    let actor = prop::sample::select(vec!["ann", "bob", "eve"]);
    let turn = (said, target.clone(), target, actor, any::<bool>());
    proptest!(ProptestConfig::with_cases(40), |(turns in prop::collection::vec(turn, 0..80))| {
        let outcomes: Vec<Outcome> = turns
            .iter()
            .enumerate()
            .map(|(n, (said, chosen, meant, actor, trusted))| {
                let one = corrected(&format!("t{n}"), said, chosen, Some(meant), actor);
                Outcome { trusted: *trusted, at: Timestamp::from_millis(n as i64), ..one }
            })
            .collect();
        let mut world = World::new();
        let before = world.right();
        world.learn(&outcomes, Timestamp::from_millis(9 * DAY));
        prop_assert!(world.right() >= before);
    });
}
