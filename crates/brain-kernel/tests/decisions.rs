//! Who may decide what: approvals, dead letters, callbacks.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{ApprovalStatus, JobKey, RunId, RunStatus, Timestamp};
use brain_engine::LetterDecision;
use brain_engine::log::entries;
use brain_kernel::{Actor, Decision, Expiry, FoundByKey, Kernel, KernelError, Mode, Report, Request, sign_callback};
use brain_store::{ApprovalRow, MemoryStore, Scope};
use common::{call, kernel_that, registry, scope, until};
use serde_json::json;

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\nhosts: [\"ADDR\"]\n";

const TOOLS: &str = r#"domain: t
tools:
  gate:
    title: Gate
    input: {name: string}
    behavior: {expr: "= {passed: input.name}"}
    output: {passed: string}
    consent: approver
  pass:
    title: Pass
    input: {name: string}
    behavior: {expr: "= {passed: input.name}"}
    output: {passed: string}
  book:
    title: Book
    input: {name: string}
    behavior: {expr: "= {booked: input.name}"}
    output: {booked: string}
    effect: write
    undo: {tool: t.unbook, args: {name: "{{ result.booked }}"}}
  unbook:
    title: Unbook
    input: {name: string}
    behavior: {expr: "= {gone: input.name}"}
    effect: write
    consent: approver
    undo: none
  build:
    title: Build
    input: {name: string}
    behavior: {expr: "= {built: input.name}"}
    output: {built: string}
    effect: write
    undo: {tool: t.unbuild, args: {name: "{{ result.built }}"}}
  unbuild:
    title: Unbuild
    input: {name: string}
    behavior: {playbook: t.unbuilding}
    effect: write
    undo: none
  break:
    title: Break
    input: {}
    behavior: {expr: "= {n: 1 / 0}"}
    output: {n: integer}
  gates:
    title: Two gates at once
    input: {}
    may_inject: true
    behavior:
      decide:
        rules:
          - steps:
              - {id: left, tool: t.gate, args: {name: left}}
              - {id: right, tool: t.gate, args: {name: right}, after: []}
  send:
    title: Send
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/send"}}
    output: {number: integer}
    undo: none
  hire:
    title: Hire
    input: {name: string}
    behavior: {expr: "= {hired: input.name}"}
    output: {hired: string}
    effect: write
    undo: {tool: t.dismiss, args: {name: "{{ result.hired }}"}}
  dismiss:
    title: Dismiss
    input: {name: string}
    behavior: {http: {method: POST, url: "http://ADDR/dismiss"}}
    output: {gone: boolean}
    idempotency: key
    consent: user
    undo: none
  hang:
    title: Hang
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/hang"}}
    undo: none
  nag:
    title: Nag
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/hang"}}
    timeout: 2s
    retry: {attempts: 1}
    delegate: {secret: "file:SECRET"}
    output: {reply: string}
    undo: none
  chase:
    title: Chase
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/chase"}}
    delegate: {secret: "file:SECRET"}
    idempotency: key
    output: {reply: string}
    undo: none
"#;

const LATE: &str = r#"playbook: t.late
title: A gate whose value only a step can tell
slots: {name: string}
steps:
  - {id: first, tool: t.pass, args: {name: "= slots.name"}}
  - {id: second, tool: t.gate, after: [first], args: {name: "= steps.first.result.passed + \"!\""}}
"#;

const TWICE: &str = r#"playbook: t.twice
title: Two gates whose values only a step can tell
slots: {name: string}
steps:
  - {id: first, tool: t.pass, args: {name: "= slots.name"}}
  - {id: left, tool: t.gate, after: [first], args: {name: "= steps.first.result.passed + \"<\""}}
  - {id: right, tool: t.gate, after: [first], args: {name: "= steps.first.result.passed + \">\""}}
"#;

const BACK: &str = r#"playbook: t.back
title: Two bookings and a step that fails
slots: {name: string}
steps:
  - {id: first, tool: t.book, args: {name: "= slots.name + \"1\""}}
  - {id: second, tool: t.book, args: {name: "= slots.name + \"2\""}}
  - {id: third, tool: t.break, on_failure: undo}
"#;

const BUILT: &str = r#"playbook: t.built
title: A step that is undone by a playbook
slots: {name: string}
steps:
  - {id: first, tool: t.build, args: {name: "= slots.name"}}
  - {id: second, tool: t.break, on_failure: undo}
"#;

const UNBUILDING: &str = r#"playbook: t.unbuilding
title: How it is unbuilt
slots: {name: string}
steps:
  - {id: one, tool: t.unbook, args: {name: "= slots.name"}}
"#;

const HIRED: &str = r#"playbook: t.hired
title: A step whose undo is answered badly
slots: {name: string}
steps:
  - {id: first, tool: t.hire, args: {name: "= slots.name"}}
  - {id: second, tool: t.break, on_failure: undo}
"#;

const PARENT: &str = r#"playbook: t.parent
title: A step that another run does
slots: {name: string}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.send, args: {}}}
"#;

struct World {
    kernel: Arc<Kernel>,
    store: Arc<MemoryStore>,
    _secret: tempfile::NamedTempFile,
}

async fn start() -> World {
    start_with(Expiry::default()).await
}

async fn start_with(expiry: Expiry) -> World {
    let router = axum::Router::new()
        .route("/chase", axum::routing::post(|| async { axum::Json(json!({"workflow": "w"})) }))
        .route("/hang", axum::routing::post(std::future::pending::<()>))
        .route("/dismiss", axum::routing::post(|| async { axum::Json(json!({"gone": "perhaps"})) }))
        .route("/send", axum::routing::post(|| async { axum::http::StatusCode::BAD_GATEWAY }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "s3cret").unwrap();
    let fill = |text: &str| text.replace("ADDR", &addr).replace("SECRET", &secret.path().display().to_string());
    let registry = registry(&[
        ("pack.yaml", &fill(PACK)),
        ("tools/t.yaml", &fill(TOOLS)),
        ("playbooks/late.yaml", LATE),
        ("playbooks/twice.yaml", TWICE),
        ("playbooks/back.yaml", BACK),
        ("playbooks/built.yaml", BUILT),
        ("playbooks/unbuilding.yaml", UNBUILDING),
        ("playbooks/hired.yaml", HIRED),
        ("playbooks/parent.yaml", PARENT),
    ]);
    let store = Arc::new(MemoryStore::new());
    World { kernel: kernel_that(registry, store.clone(), true, expiry), store, _secret: secret }
}

fn person(name: &str, approver: bool) -> Actor {
    Actor { name: name.into(), approver, ..Actor::local() }
}

impl World {
    fn pending(&self, run: RunId) -> Vec<ApprovalRow> {
        let mut rows = self.kernel.store().approvals_of(&scope(), run).unwrap();
        rows.retain(|row| row.status == ApprovalStatus::Pending);
        rows
    }

    async fn approve(&self, id: &str, seen: Option<&str>, actor: &Actor) -> Result<Report, KernelError> {
        self.kernel.decide(&scope(), id, seen, Decision::Approve, actor, "").await
    }

    async fn plan(&self, asker: &Actor) -> Report {
        let calls = vec![("t.send".to_owned(), json!({}))];
        let request = Request { calls, actor: asker.clone(), ..Request::say(scope(), "", Mode::Plan) };
        self.kernel.handle(&request).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_two_pending_approvals_asks_which_one() {
    let world = start().await;
    let report = call(&world.kernel, "t.gates", json!({})).await;
    let pending = world.pending(report.run);
    assert_eq!(pending.len(), 2, "{report:#?}");
    let (run, boss) = (report.run.to_string(), person("boss", true));
    let refused = world.approve(&run, None, &boss).await.unwrap_err().to_string();
    for row in &pending {
        assert!(refused.contains(&row.id.to_string()), "{refused}");
    }
    assert!(refused.contains("name: left") && refused.contains("name: right"), "{refused}");
    assert_eq!(world.pending(report.run).len(), 2, "nothing was decided");
    world.approve(&pending[0].id.to_string(), None, &boss).await.unwrap();
    let last = world.approve(&run, None, &boss).await.unwrap();
    assert_eq!(last.status, RunStatus::Completed, "only one is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_with_another_digest_is_rejected() {
    let world = start().await;
    let (ann, boss) = (person("ann", false), person("boss", true));
    let staged = world.plan(&ann).await;
    let row = world.pending(staged.run).remove(0);
    let (id, digest) = (row.id.to_string(), row.body["digest"].as_str().unwrap().to_owned());
    let other = digest.chars().rev().collect::<String>();
    let refused = world.approve(&id, Some(&other), &boss).await.unwrap_err();
    assert!(matches!(&refused, KernelError::Conflict(why) if why.contains(&digest)), "{refused}");
    assert_eq!(world.pending(staged.run).len(), 1);
    world.approve(&id, Some(&digest), &boss).await.unwrap();
    assert_eq!(world.pending(staged.run).len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_approved_by_its_requester_or_an_approver() {
    let world = start().await;
    let (ann, bob, boss) = (person("ann", false), person("bob", false), person("boss", true));
    for may in [&ann, &boss] {
        let staged = world.plan(&ann).await;
        let id = staged.approval.clone().unwrap();
        let refused = world.approve(&id, None, &bob).await.unwrap_err();
        assert!(matches!(&refused, KernelError::NotAllowed(why) if why.contains("ann made this request")), "{refused}");
        let rejected = world.kernel.decide(&scope(), &id, None, Decision::Reject, &bob, "").await.unwrap_err();
        assert!(matches!(rejected, KernelError::NotAllowed(_)));
        world.approve(&id, None, may).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_given_by_hand_must_match_the_tools_output() {
    let world = start().await;
    let report = call(&world.kernel, "t.send", json!({})).await;
    assert_eq!(report.errors[0].code, "in_doubt", "{report:#?}");
    let letter = world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    let ours = scope();
    for wrong in [json!({"number": "many"}), json!({}), json!("sent")] {
        let decision = LetterDecision::Resolve(Some(wrong.clone()));
        let refused = world.kernel.decide_letter(&ours, letter.id, decision, "ann", "").await.unwrap_err();
        assert!(matches!(&refused, KernelError::Refused(why) if why.contains("t.send")), "{wrong}: {refused}");
    }
    let decision = LetterDecision::Resolve(Some(json!({"number": 7})));
    let done = world.kernel.decide_letter(&ours, letter.id, decision, "ann", "I looked").await.unwrap();
    assert_eq!((done.status.as_str(), &done.receipts.last().unwrap().result), ("completed", &json!({"number": 7})));
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_jobs_and_incidents_have_integer_keys() {
    let world = start().await;
    let report = call(&world.kernel, "t.send", json!({})).await;
    let (kernel, ours) = (&world.kernel, scope());
    let letter = kernel.store().dead_letters(&ours, Some(true), 10, None).unwrap().items.remove(0);
    let state = kernel.engine().run_state(&ours, report.run).unwrap();
    let job = *state.state.as_ref().unwrap().jobs.keys().next().expect("the step waits for a person");
    let keys = [
        kernel.key_of_run(&ours, report.run).unwrap(),
        kernel.key_of_job(&ours, &state, job).unwrap(),
        kernel.key_of_incident(&ours, &letter).unwrap(),
    ];
    assert_eq!(kernel.key_of_run(&ours, report.run).unwrap(), keys[0], "a key is stable");
    let found = keys.map(|key| kernel.find_key(&ours, key).unwrap());
    let expected = [
        FoundByKey::Run(report.run),
        FoundByKey::Job(report.run, letter.id),
        FoundByKey::Incident(report.run, letter.id),
    ];
    assert_eq!(found, expected.map(Some), "{keys:?}");
    let theirs = Scope::of("theirs".parse().unwrap());
    assert_eq!(kernel.find_key(&theirs, keys[0]).unwrap(), None, "another tenant's key");
    assert_eq!(kernel.find_key(&ours, keys[2] + 1).unwrap(), None, "an unknown key");
}

fn forged(world: &World, run: RunId) -> usize {
    let log = world.kernel.store().log(&scope(), run).unwrap();
    entries(&log).filter(|entry| entry.value()["code"] == "forged").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_callbacks_neither_fill_a_log_nor_load_it() {
    let world = start().await;
    let calls = vec![("t.chase".to_owned(), json!({}))];
    let request = Request { calls, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let report = world.kernel.handle(&request).await.unwrap();
    assert_eq!(report.status, RunStatus::Delegated, "{report:#?}");
    let key: JobKey = report.enqueued[0].call_id.parse().unwrap();
    let body = json!({"result": {"reply": "yes"}}).to_string();
    let now = brain_core::Clock::now(&common::SystemClock).as_millis() / 1000;
    let send = async |secret: &str| {
        let signature = sign_callback(secret, now, body.as_bytes());
        world.kernel.callback(&scope(), report.run, key, &signature, body.as_bytes()).await
    };
    for _ in 0..30 {
        assert!(matches!(send("guess").await, Err(KernelError::NotAllowed(_))));
    }
    assert_eq!(forged(&world, report.run), 20, "a bounded number of events");
    assert!(send("s3cret").await.unwrap(), "a genuine callback still counts");
    assert_eq!(world.kernel.report(&scope(), report.run).unwrap().status, RunStatus::Completed);
    // An unreadable log is not loaded for a forged callback.
    common::spoil(world.store.as_ref(), report.run);
    assert!(matches!(send("guess").await, Err(KernelError::NotAllowed(_))));
    assert!(matches!(send("s3cret").await, Err(KernelError::Conflict(_))), "and only then");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unstarted_run_expires_or_is_cancelled_and_retention_deletes_it() {
    let world = start().await;
    let ann = person("ann", false);
    let asked = call(&world.kernel, "t.gate", json!({})).await;
    let planned = world.plan(&ann).await;
    assert_eq!((asked.status.as_str(), planned.status.as_str()), ("needs_input", "staged"));
    let listed = world.kernel.awaiting_person(&scope(), 10).unwrap();
    let on: Vec<_> = listed.iter().map(|one| (one.run, one.on, one.until.is_some())).collect();
    assert_eq!(on, [(planned.run, "approval", true), (asked.run, "input", true)]);
    for run in [planned.run, asked.run] {
        assert!(world.kernel.why_waiting(&scope(), run).unwrap()[0].until.is_some(), "it shows when it expires");
    }
    let in_doubt = call(&world.kernel, "t.send", json!({})).await;
    world.kernel.cancel(&scope(), in_doubt.run).await.unwrap();
    let second = || brain_core::Millis(1);
    let keep = brain_engine::Keep {
        payloads: Some(second()),
        runs: Some(second()),
        blobs: second(),
        long: brain_engine::LONG,
    };
    let later = brain_core::Clock::now(&common::SystemClock).plus(brain_core::Millis::from_secs(3600));
    let swept = |what: &str, deleted: u64| {
        let swept = brain_engine::sweep(world.store.as_ref(), &scope(), later, keep, false).unwrap();
        assert_eq!(swept.runs_deleted, deleted, "{what}: {swept:?}");
    };
    swept("what waits for somebody is kept", 0);
    let dropped = world.kernel.cancel(&scope(), asked.run).await.unwrap();
    assert_eq!(dropped.status, RunStatus::Cancelled);
    let given_up = world.kernel.abort(&scope(), planned.run, "ann", "no").await.unwrap();
    assert_eq!((given_up.status.as_str(), world.pending(planned.run).len()), ("cancelled", 0));
    assert!(world.kernel.awaiting_person(&scope(), 10).unwrap().iter().all(|one| one.on == "letter"));
    assert!(
        matches!(world.kernel.cancel(&scope(), asked.run).await, Err(KernelError::Conflict(_))),
        "a second cancellation conflicts"
    );
    swept("both are over", 2);
    assert!(
        world.kernel.store().approvals_of(&scope(), planned.run).unwrap().is_empty(),
        "its approval is deleted too"
    );
    // A dead letter outlives its ended run, which is retained until the letter is decided.
    let letter = world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    assert_eq!(world.kernel.report(&scope(), in_doubt.run).unwrap().status, RunStatus::Cancelled);
    let decision = LetterDecision::Resolve(None);
    world.kernel.decide_letter(&scope(), letter.id, decision, "ann", "I looked").await.unwrap();
    swept("its letter is closed", 1);
    assert!(world.kernel.store().dead_letters(&scope(), None, 10, None).unwrap().items.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_from_a_step_is_approved_when_it_is_known() {
    let world = start().await;
    let boss = person("boss", true);
    let staged = call(&world.kernel, "t.late", json!({"name": "bob"})).await;
    assert_eq!(staged.status, RunStatus::Staged, "{staged:#?}");
    let waiting = world.approve(&staged.run.to_string(), None, &boss).await.unwrap();
    let pending = world.pending(waiting.run);
    assert_eq!(pending.len(), 1, "approving the plan does not approve a value that was unknown: {waiting:#?}");
    assert!(pending[0].body["asks"].to_string().contains("bob!"), "{:#}", pending[0].body);
    let done = world.approve(&pending[0].id.to_string(), None, &boss).await.unwrap();
    assert_eq!(done.status, RunStatus::Completed, "{done:#?}");
    let gates = done.receipts.iter().filter(|receipt| receipt.tool == "t.gate").count();
    assert_eq!(gates, 1, "one grant, one effect");
    let again = world.approve(&pending[0].id.to_string(), None, &boss).await;
    assert!(matches!(again, Err(KernelError::AlreadyDecided)), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_steps_that_wait_for_approval_name_their_own() {
    let world = start().await;
    let boss = person("boss", true);
    let staged = call(&world.kernel, "t.twice", json!({"name": "bob"})).await;
    world.approve(&staged.run.to_string(), None, &boss).await.unwrap();
    let pending = world.pending(staged.run);
    assert_eq!(pending.len(), 2);
    let meant = |id: &str| pending.iter().find(|row| row.id.to_string() == id).unwrap().body["step"].clone();
    let listed = world.kernel.awaiting_person(&scope(), 10).unwrap();
    let listed: Vec<String> = listed.iter().filter_map(|one| one.approval.map(|id| id.to_string())).collect();
    assert_eq!(listed.len(), 2);
    assert_ne!(listed[0], listed[1]);
    for one in world.kernel.why_waiting(&scope(), staged.run).unwrap() {
        let [brain_kernel::NextAction::Approve { approval }] = one.then.as_slice() else { panic!("{one:?}") };
        assert_eq!(meant(approval), one.step);
    }
}

fn undone(report: &Report) -> Vec<&str> {
    let of = report.receipts.iter().filter(|receipt| receipt.tool == "t.unbook" && receipt.status == "succeeded");
    of.filter_map(|receipt| receipt.result["gone"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_that_needs_approval_asks_with_its_real_values() {
    let world = start().await;
    let (ann, boss) = (person("ann", false), person("boss", true));
    let waiting = call(&world.kernel, "t.back", json!({"name": "room"})).await;
    assert_eq!(undone(&waiting), Vec::<&str>::new(), "nothing is undone without approval: {waiting:#?}");
    let first = world.pending(waiting.run);
    assert_eq!(first.len(), 1, "one at a time, the last step first: {first:#?}");
    assert!(first[0].body["asks"].to_string().contains("room2"), "{:#}", first[0].body);
    let id = first[0].id.to_string();
    assert!(matches!(world.approve(&id, None, &ann).await, Err(KernelError::NotAllowed(_))));
    let half = world.approve(&id, None, &boss).await.unwrap();
    assert_eq!(undone(&half), ["room2"], "{half:#?}");
    // A rejection leaves the undo as a dead letter.
    let second = world.pending(waiting.run).remove(0);
    let refused = world.kernel.decide(&scope(), &second.id.to_string(), None, Decision::Reject, &boss, "keep it").await;
    let refused = refused.unwrap();
    assert_eq!(undone(&refused), ["room2"], "{refused:#?}");
    let letter = world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    assert_eq!((&letter.body["undo"], &letter.body["happened"]), (&json!(true), &json!("no")), "{:#}", letter.body);
    assert!(refused.message.starts_with("2 of 3 steps done, 1 failed."), "an undo is not a step: {}", refused.message);
    // A retry asks again.
    world.kernel.decide_letter(&scope(), letter.id, LetterDecision::Retry, "ann", "").await.unwrap();
    let third = world.pending(waiting.run).remove(0);
    assert_ne!(third.id, second.id);
    let over = world.approve(&third.id.to_string(), None, &boss).await.unwrap();
    assert_eq!((over.status.as_str(), undone(&over)), ("compensated", vec!["room2", "room1"]), "{over:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_stop_closes_its_approval_and_leaves_dead_letters() {
    let world = start().await;
    let waiting = call(&world.kernel, "t.back", json!({"name": "room"})).await;
    assert_eq!(world.pending(waiting.run).len(), 1);
    let over = world.kernel.cancel(&scope(), waiting.run).await.unwrap();
    assert_eq!((over.status.as_str(), undone(&over)), ("failed", Vec::new()), "{over:#?}");
    assert_eq!(world.pending(waiting.run), [], "no approval is left pending");
    let letters = world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
    assert_eq!(letters.len(), 2, "each step that was not undone has a letter: {letters:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_by_a_playbook_with_a_step_for_an_approver_asks_once() {
    let world = start().await;
    let waiting = call(&world.kernel, "t.built", json!({"name": "wall"})).await;
    assert_eq!(undone(&waiting), Vec::<&str>::new(), "{waiting:#?}");
    let pending = world.pending(waiting.run);
    assert_eq!(pending.len(), 1, "{waiting:#?}");
    let over = world.approve(&pending[0].id.to_string(), None, &person("boss", true)).await.unwrap();
    assert_eq!((over.status.as_str(), undone(&over)), ("compensated", vec!["wall"]), "{over:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_with_an_unusable_answer_becomes_a_dead_letter() {
    let world = start().await;
    for decision in
        [LetterDecision::Resolve(Some(json!({"gone": true}))), LetterDecision::Abandon, LetterDecision::Resolve(None)]
    {
        let report = call(&world.kernel, "t.hired", json!({"name": "bob"})).await;
        let letter = world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
        assert_eq!((&letter.body["undo"], &letter.body["happened"]), (&json!(true), &json!("yes")), "{report:#?}");
        let over = world.kernel.decide_letter(&scope(), letter.id, decision, "ann", "I looked").await.unwrap();
        assert_eq!(over.status, RunStatus::Compensated, "it was undone, whatever its answer: {over:#?}");
    }
    let report = call(&world.kernel, "t.hired", json!({"name": "bob"})).await;
    let over = world.kernel.cancel(&scope(), report.run).await.unwrap();
    assert_eq!(over.status, RunStatus::Compensated, "a forced stop leaves the letter: {over:#?}");
    assert_eq!(world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn doubt_in_a_child_run_puts_its_parents_step_in_doubt() {
    let world = start().await;
    let calls = vec![("t.parent".to_owned(), json!({"name": "x"}))];
    let report = world.kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    let letters = || world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
    until(|| letters().len() == 1).await;
    let child = letters().remove(0);
    assert_ne!(child.run, report.run);
    world.kernel.cancel(&scope(), report.run).await.unwrap();
    until(|| world.kernel.report(&scope(), report.run).unwrap().status == RunStatus::Cancelled).await;
    let doubts: Vec<_> = letters().iter().map(|row| (row.run, row.body["happened"].clone())).collect();
    assert!(doubts.contains(&(child.run, json!("maybe"))), "{doubts:?}");
    assert!(doubts.contains(&(report.run, json!("maybe"))), "{doubts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parent_names_what_may_have_happened_in_its_child_run() {
    let world = start().await;
    let calls = vec![("t.parent".to_owned(), json!({"name": "x"}))];
    let parent = world.kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap().run;
    let letters = || world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
    until(|| letters().len() == 1).await;
    let letter = letters().remove(0);
    world.kernel.decide_letter(&scope(), letter.id, LetterDecision::Resolve(None), "ann", "").await.unwrap();
    until(|| world.kernel.report(&scope(), parent).unwrap().status.is_over()).await;
    let report = world.kernel.report(&scope(), parent).unwrap();
    assert_eq!((report.status, report.ok), (RunStatus::Completed, false), "{report:#?}");
    assert!(report.errors.iter().any(|error| error.code == "in_doubt"), "{report:#?}");
    assert!(report.message.contains(&format!("of the child run {}) happened", letter.run)), "{}", report.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_doubt_that_is_settled_in_a_child_run_is_settled_in_its_parent() {
    let world = start().await;
    let calls = vec![("t.parent".to_owned(), json!({"name": "x"}))];
    let parent = world.kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap().run;
    let letters = || world.kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
    until(|| letters().len() == 1).await;
    let first = letters().remove(0).run;
    world.kernel.cancel(&scope(), first).await.unwrap();
    until(|| letters().iter().any(|letter| letter.run == parent)).await;
    let letter = letters().into_iter().find(|letter| letter.run == parent).unwrap();
    let refused = world.kernel.decide_letter(&scope(), letter.id, LetterDecision::Retry, "ann", "").await.unwrap_err();
    assert!(refused.to_string().contains("a retry would do it again"), "the first child is in doubt: {refused}");
    let doubt = letters().into_iter().find(|letter| letter.run == first).unwrap();
    world.kernel.decide_letter(&scope(), doubt.id, LetterDecision::Abandon, "ann", "").await.unwrap();
    until(|| letters().is_empty()).await;
    let report = world.kernel.report(&scope(), parent).unwrap();
    assert_eq!(report.status, RunStatus::Failed, "{report:#?}");
    assert!(report.message.contains(&format!("The child run {first} ended cancelled")), "{}", report.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_approval_says_that_it_expired_and_when() {
    let soon = brain_core::Millis(1);
    let world = start_with(Expiry { questions: soon, staged: soon, ..Expiry::default() }).await;
    let asked = call(&world.kernel, "t.gate", json!({})).await;
    let planned = world.plan(&person("ann", false)).await;
    for (run, what) in [(asked.run, "nobody answered by"), (planned.run, "nobody approved it by")] {
        until(|| world.kernel.report(&scope(), run).unwrap().status == RunStatus::Cancelled).await;
        let over = world.kernel.report(&scope(), run).unwrap();
        assert_eq!((over.ok, over.errors[0].code.as_str()), (false, "expired"), "{over:#?}");
        let (_, when) = over.message.split_once(what).unwrap_or_else(|| panic!("{}", over.message));
        let when: Timestamp = serde_json::from_value(json!(when.split(',').next().unwrap().trim())).unwrap();
        assert!(when <= over.updated_at, "{}", over.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_run_reports_it() {
    let world = start().await;
    let calls = vec![("t.hang".to_owned(), json!({}))];
    let report = world.kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    until(|| world.kernel.engine().outside_jobs() == 1).await;
    let stopping = world.kernel.cancel(&scope(), report.run).await.unwrap();
    assert_eq!(stopping.status, RunStatus::Stopping, "{stopping:#?}");
    assert!(stopping.message.contains("is stopping"), "{}", stopping.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_is_faster_than_the_acknowledgement_is_taken() {
    let world = start().await;
    let calls = vec![("t.nag".to_owned(), json!({}))];
    let request = Request { calls, ..Request::say(scope(), "", Mode::Enqueue) };
    let begun = world.kernel.handle(&request).await.unwrap();
    let key: JobKey = begun.enqueued[0].call_id.parse().unwrap();
    let body = json!({"result": {"reply": "yes"}}).to_string();
    let now = brain_core::Clock::now(&common::SystemClock).as_millis() / 1000;
    let running = || world.kernel.why_waiting(&scope(), begun.run).unwrap().iter().any(|one| one.on == "call");
    until(running).await;
    let signature = sign_callback("s3cret", now, body.as_bytes());
    assert!(world.kernel.callback(&scope(), begun.run, key, &signature, body.as_bytes()).await.unwrap());
    // The acknowledgement never comes; the answer settles the call.
    until(|| world.kernel.report(&scope(), begun.run).unwrap().status.is_over()).await;
    let report = world.kernel.report(&scope(), begun.run).unwrap();
    assert_eq!(report.status, RunStatus::Completed, "{report:#?}");
    assert_eq!(report.receipts.last().unwrap().result["reply"], "yes", "{report:#?}");
}
