//! Learning, end to end: requests, choices and corrections become phrases, and nothing gets worse.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{Clock, Millis, RunId, RunStatus, SeededRandom, Timestamp, VirtualClock};
use brain_engine::{BLOB_GRACE, EngineConfig, Keep, LONG, sweep};
use brain_kernel::{
    Actor, Judged, Kernel, KernelConfig, KernelError, Lesson, Mode, Promotion, Report, Request, sweep_corrections,
};
use brain_nlu::Understanding;
use brain_nlu::learn::{Expect, LearnedCase, State};
use brain_registry::model::CorpusSet;
use brain_store::{MemoryStore, SystemScope};
use common::{Alone, scope, trades};
use serde_json::json;

const DAY: Millis = Millis::from_secs(24 * 60 * 60);
/// Unlike any phrase of the pack.
const SAID: &str = "people worth ringing back";

struct World {
    kernel: Arc<Kernel>,
    clock: Arc<VirtualClock>,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(VirtualClock::new(Timestamp::from_millis(1_772_442_000_000)));
        let engine = EngineConfig { keep: false, ..EngineConfig::default() };
        let config = KernelConfig { engine, ..KernelConfig::default() };
        let store = Arc::new(MemoryStore::new());
        let random = Box::new(SeededRandom::new(7));
        let kernel = Kernel::start(&config, trades(), store, clock.clone(), random, Arc::new(Alone)).unwrap();
        Self { kernel, clock }
    }

    async fn say(&self, who: &str, text: &str) -> Report {
        self.clock.advance(Millis(10));
        let request = Request { actor: someone(who), ..Request::say(scope(), text, Mode::EnqueueAndWait) };
        self.kernel.handle(&request).await.unwrap()
    }

    fn correct(&self, who: &Actor, run: RunId, meant: Option<&str>) {
        self.kernel.correct(&scope(), who, run, None, meant, "").unwrap();
    }

    /// Somebody sends it, is not understood, and corrects it.
    async fn meant(&self, who: &str, text: &str, target: &str) {
        let run = self.say(who, text).await.run;
        self.correct(&someone(who), run, Some(target));
    }

    fn candidate(&self, phrase: &str, target: &str) -> Option<Judged> {
        let all = self.kernel.learning(&scope()).unwrap().candidates;
        all.into_iter().find(|one| one.candidate.phrase == phrase && one.candidate.target == target)
    }

    fn reads_as(&self, text: &str) -> Option<String> {
        match self.kernel.understand(&scope(), "anyone", text) {
            Understanding::Clear { intents } => Some(intents[0].target.clone()),
            _ => None,
        }
    }

    /// Number of correct rows of the packs' corpora with this tenant's learned phrases.
    fn right_rows(&self) -> usize {
        use brain_kernel::scenario::corpus::{Grade, score};
        let read = |text: &str| self.kernel.understand(&scope(), "anyone", text);
        let sets = [CorpusSet::Tune, CorpusSet::Test];
        sets.iter().map(|set| score(self.kernel.registry(), *set, read).count(Grade::Right)).sum()
    }

    fn counting(&self) -> Vec<LearnedCase> {
        self.kernel.learned_cases(&scope()).unwrap().into_iter().filter(LearnedCase::counts).collect()
    }

    fn audit(&self) -> Vec<(String, String, String)> {
        let rows = self.kernel.store().audit(SystemScope, 50).unwrap();
        rows.into_iter().map(|row| (row.who, row.what, row.detail)).collect()
    }
}

fn someone(name: &str) -> Actor {
    Actor { name: name.into(), id: None, approver: false, permissions: None, tier: None }
}

fn trusted(name: &str) -> Actor {
    Actor { approver: true, ..someone(name) }
}

fn lesson(phrase: &str, target: &str, replace: bool) -> Lesson {
    Lesson { phrase: phrase.into(), target: target.into(), own: None, replace }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrected_request_becomes_a_phrase() {
    let world = World::new();
    for who in ["ann", "bob", "ann", "bob", "kim"] {
        world.meant(who, SAID, "leads.list_by_stage").await;
    }
    let young = world.candidate(SAID, "leads.list_by_stage").unwrap();
    assert_eq!((young.candidate.state, young.candidate.seen), (State::Gathering, 5));
    assert_eq!(young.why, ["It was first used less than an hour ago; it needs at least 24 hours."]);
    assert!(
        world.kernel.promote_ready(&scope(), false).unwrap().is_empty(),
        "a burst within one afternoon is not promoted"
    );
    world.clock.advance(DAY);
    let would = world.kernel.promote_ready(&scope(), true).unwrap();
    assert!(would[0].promoted && would.len() == 1, "{would:?}");
    assert_eq!(world.reads_as(SAID), None, "a dry run changes nothing");
    assert_eq!(world.kernel.promote_ready(&scope(), false).unwrap(), would);
    assert_eq!(world.reads_as("please, people worth ringing back?").as_deref(), Some("leads.list_by_stage"));
    let row = &world.kernel.taught(&scope()).unwrap()[0];
    assert_eq!((row.by.as_str(), row.learned), ("learning", true));
    assert!(world.audit().iter().any(|(who, what, _)| who == "learning" && what == "promote"));
    assert_eq!(world.candidate(SAID, "leads.list_by_stage").unwrap().candidate.state, State::Promoted);
    assert!(world.kernel.promote_ready(&scope(), false).unwrap().is_empty(), "nothing is left to promote");
    let week = world.kernel.learning(&scope()).unwrap().weeks.pop().unwrap();
    assert_eq!(week.promoted, 1);
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn values_become_slots_and_outcomes_of_runs_count() {
    let world = World::new();
    // Close to a phrase of the pack; the part that varies is a slot.
    for (who, title) in [("ann", "Call Bob"), ("bob", "Order paint"), ("kim", "Fix the gate")] {
        let report = world.say(who, &format!("pls creat a task: {title}")).await;
        assert!(report.ok, "{report:#?}");
    }
    world.say("ann", "create task: this is a phrase, word for word").await;
    let learning = world.kernel.learning(&scope()).unwrap();
    let found = &learning.candidates[0];
    assert_eq!(
        (found.candidate.phrase.as_str(), found.candidate.succeeded),
        ("create a task {title}", 3),
        "slips are not learned"
    );
    assert_eq!(learning.candidates.len(), 1, "what is a phrase teaches nothing: {:#?}", learning.candidates);
    let week = &learning.weeks[0];
    assert_eq!((week.asked, week.right, week.corrected), (4, 4, 0), "the figures count it");
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn calling_a_tool_after_a_question_answers_it() {
    let world = World::new();
    let asked = world.say("ann", "anything about leads").await;
    assert_eq!(asked.status, RunStatus::NeedsInput);
    let left = world.candidate("anything about leads", "leads.list_by_stage").unwrap();
    assert_eq!((left.candidate.seen, left.candidate.succeeded), (1, 0), "nobody chose yet");
    world.clock.advance(Millis(10));
    let chosen = Request {
        actor: someone("ann"),
        calls: vec![("leads.list_by_stage".into(), json!({}))],
        ..Request::say(scope(), "Anything about leads?", Mode::EnqueueAndWait)
    };
    assert!(world.kernel.handle(&chosen).await.unwrap().ok);
    let picked = world.candidate("anything about leads", "leads.list_by_stage").unwrap();
    assert_eq!((picked.candidate.seen, picked.candidate.succeeded, picked.candidate.chosen), (1, 1, 1));
    // Another user answers by referring to the run.
    let asked = world.say("bob", "anything about leads").await;
    let told = world.kernel.correct(&scope(), &someone("bob"), asked.run, None, Some("leads.list_by_stage"), "");
    assert!(told.unwrap().answer);
    let picked = world.candidate("anything about leads", "leads.list_by_stage").unwrap();
    assert_eq!((picked.candidate.seen, picked.candidate.chosen), (2, 2));
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction_is_a_corpus_case_until_its_run_is_erased() {
    let world = World::new();
    let run = world.say("ann", "create task: show the sun").await.run;
    let refused = |meant: Option<&str>| world.kernel.correct(&scope(), &someone("ann"), run, None, meant, "");
    assert!(matches!(refused(Some("no.tool")), Err(KernelError::Refused(why)) if why.contains("no.tool")));
    assert!(matches!(refused(Some("os.create_task")), Err(KernelError::Refused(why)) if why.contains("already")));
    world.correct(&someone("ann"), run, Some("os.create_note"));
    assert!(world.counting().is_empty(), "one person alone does not count");
    world.correct(&trusted("boss"), run, Some("os.create_note"));
    let counting = world.counting();
    assert_eq!(counting[0].expect, Expect::Target("os.create_note".into()));
    assert_eq!(counting[0].say, "create task: show the sun");
    let week = world.kernel.learning(&scope()).unwrap().weeks.pop().unwrap();
    assert_eq!((week.asked, week.right, week.corrected), (1, 0, 1));
    // Retention erases the texts; no copy is left.
    world.clock.advance(Millis::from_secs(40 * 24 * 60 * 60));
    let keep = Keep { payloads: Some(Millis::from_secs(30 * 24 * 60 * 60)), runs: None, blobs: BLOB_GRACE, long: LONG };
    let swept = sweep(world.kernel.store().as_ref(), &scope(), world.clock.now(), keep, false).unwrap();
    assert_eq!(swept.runs_erased, 1);
    assert!(world.counting().is_empty());
    let forgotten = |dry_run: bool| sweep_corrections(world.kernel.store().as_ref(), &scope(), dry_run).unwrap();
    assert_eq!((forgotten(true), forgotten(false), forgotten(false)), (2, 2, 0));
    assert!(matches!(
        world.kernel.correct(&scope(), &someone("ann"), run, None, None, ""),
        Err(KernelError::Conflict(why)) if why.contains("erased")
    ));
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn malicious_corrections_make_nothing_worse() {
    let world = World::new();
    let golden = world.right_rows();
    // One person repeats a wrong correction of requests that were understood.
    for _ in 0..30 {
        let run = world.say("mallory", "show leads").await.run;
        world.correct(&someone("mallory"), run, Some("os.create_task"));
    }
    // Several untrusted people contradict each other and everybody else.
    for (who, meant) in [("eve", "os.create_note"), ("trudy", "os.list_tasks"), ("mallory", "os.create_task")] {
        for text in ["show leads", "list leads", "status"] {
            for _ in 0..6 {
                let run = world.say(who, text).await.run;
                if world.reads_as(text).as_deref() != Some(meant) {
                    world.correct(&someone(who), run, Some(meant));
                }
            }
        }
    }
    // Two agree on something that the golden corpus contradicts, long enough to pass every gate.
    for who in ["eve", "trudy", "eve", "trudy", "eve", "trudy"] {
        let run = world.say(who, "order a pizza for the crew").await.run;
        world.correct(&someone(who), run, Some("os.list_tasks"));
    }
    world.clock.advance(DAY);
    let decided = world.kernel.promote_ready(&scope(), false).unwrap();
    let by_corpus = |one: &Promotion| one.why.as_ref().is_some_and(|why| why.contains("In the corpus"));
    let candidates = || world.kernel.learning(&scope()).unwrap().candidates;
    assert!(decided.iter().any(by_corpus), "the corpora were asked: {decided:#?} {:#?}", candidates());
    assert!(decided.iter().all(|one| !one.promoted && one.why.is_some()), "{decided:#?}");
    assert!(world.kernel.taught(&scope()).unwrap().is_empty());
    assert_eq!(world.right_rows(), golden);
    let against_one = world.counting().into_iter().filter(|case| case.actors.len() < 2).count();
    assert_eq!(against_one, 0, "no case of one person alone counts");
    // A trusted person cannot promote it either, because promotion always checks the corpora.
    let forced = world.kernel.promote(&scope(), "boss", "show leads", "os.create_task");
    assert!(matches!(&forced, Err(KernelError::Conflict(why)) if why.contains("leads")), "{forced:?}");
    assert_eq!(world.right_rows(), golden);
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_phrase_stays_blocked_until_it_is_unblocked() {
    let world = World::new();
    for who in ["ann", "bob", "ann", "bob", "kim"] {
        world.meant(who, SAID, "leads.list_by_stage").await;
    }
    world.clock.advance(DAY);
    let target = "leads.list_by_stage";
    world.kernel.reject(&scope(), "boss", SAID, target, "prospects are not leads here").unwrap();
    let judged = world.candidate(SAID, target).unwrap();
    assert_eq!(judged.candidate.state, State::Rejected);
    assert!(judged.why[0].contains("prospects are not leads here"), "{:?}", judged.why);
    assert!(world.kernel.promote_ready(&scope(), false).unwrap().is_empty());
    let refused = world.kernel.teach(&scope(), "ann", &lesson(SAID, target, false));
    assert!(matches!(&refused, Err(KernelError::Conflict(why)) if why.contains("boss rejected")), "{refused:?}");
    world.kernel.teach(&scope(), "ann", &lesson(SAID, target, true)).unwrap();
    assert!(world.kernel.blocklist(&scope()).unwrap().is_empty(), "teaching it with `replace` unblocks it");
    assert_eq!(world.reads_as(SAID).as_deref(), Some(target));
    // Rejecting a taught phrase removes it.
    world.kernel.reject(&scope(), "boss", SAID, target, "").unwrap();
    assert_eq!(world.reads_as(SAID), None);
    world.kernel.unblock(&scope(), "boss", SAID, target).unwrap();
    assert!(world.kernel.unblock(&scope(), "boss", SAID, target).is_err());
    let count = |what: &str| world.audit().iter().filter(|(_, of, _)| of == what).count();
    assert_eq!((count("reject"), count("teach"), count("unblock")), (2, 1, 1), "all of it is audited");
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn teaching_checks_the_corpora_too() {
    let world = World::new();
    // No target owns it, but a corpus row says that it means nothing here.
    let pizza = |replace: bool| lesson("order a pizza for the crew", "os.list_tasks", replace);
    let refused = world.kernel.teach(&scope(), "ann", &pizza(false));
    let Err(KernelError::Conflict(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("misunderstood: “order a pizza for the crew”") && why.contains("--replace"), "{why}");
    assert!(world.kernel.taught(&scope()).unwrap().is_empty());
    let learned = world.kernel.teach(&scope(), "ann", &pizza(true)).unwrap();
    assert!(learned.notes.iter().any(|note| note.contains("misunderstood")), "{learned:?}");
    world.kernel.engine().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_explains_how_its_request_was_understood() {
    let world = World::new();
    let run = world.say("ann", "pls creat a task: Call Bob").await.run;
    let reading = world.kernel.run_reading(&scope(), run).unwrap().unwrap();
    assert_eq!(reading.message, "pls creat a task: Call Bob");
    assert_eq!(reading.understanding, world.kernel.understand(&scope(), "ann", &reading.message), "all of it is kept");
    world.kernel.engine().stop();
}
