//! Dead letters and reviews in unusual places: a step of an undo, an item of a list, a letter that changed meanwhile.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::RunStatus;
use std::sync::Arc;

use brain_engine::LetterDecision;
use brain_engine::core::{Command, TurnInput};
use brain_kernel::{Actor, Kernel, KernelError, Verdict};
use brain_store::{DeadLetterRow, MemoryStore, Precondition, Write};
use brain_vm::JobId;
use common::{call, kernel, registry, scope};
use serde_json::json;

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\nhosts: [\"ADDR\"]\n";

const TOOLS: &str = r#"domain: t
tools:
  place:
    title: Place
    input: {}
    behavior: {expr: "= {placed: true}"}
    output: {placed: boolean}
    undo: {tool: t.displace, args: {}}
  displace:
    title: Take it away in steps
    input: {}
    behavior: {playbook: {name: t.take_away}}
    output: {}
    undo: none
  tell:
    title: Tell somebody, who answers with something else
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/tell"}}
    output: {number: integer}
    undo: none
  refuse:
    title: Ask for something that is refused
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/refuse"}}
    output: {number: integer}
    undo: none
  lose:
    title: Ask a gateway that gives up
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/lose"}}
    output: {number: integer}
    undo: none
  look:
    title: Look at something that a person looks at too
    input: {name: string}
    behavior: {http: {method: POST, url: "http://ADDR/look"}}
    output: {number: integer}
    review: "Is this right?"
    undo: none
"#;

const TAKE_AWAY: &str = r#"playbook: t.take_away
title: Take it away
steps:
  - {id: tell, tool: t.tell, args: {}}
"#;

const BACK: &str = r#"playbook: t.back
title: There and back
steps:
  - {id: place, tool: t.place, args: {}}
  - {id: refuse, tool: t.refuse, args: {}, after: [place], on_failure: undo}
"#;

const EACH: &str = r#"playbook: t.each
title: Each of several
slots: {names: {type: list, items: string}}
steps:
  - {id: look, tool: t.look, foreach: "= slots.names", at_a_time: 3, args: {name: "= item"}}
"#;

async fn start() -> Arc<Kernel> {
    use axum::routing::post;
    let router = axum::Router::new()
        .route("/tell", post(|| async { axum::Json(json!({"nonsense": true})) }))
        .route("/refuse", post(|| async { axum::http::StatusCode::UNPROCESSABLE_ENTITY }))
        .route("/lose", post(|| async { axum::http::StatusCode::BAD_GATEWAY }))
        .route("/look", post(|| async { axum::Json(json!({"number": 1})) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let fill = |text: &str| text.replace("ADDR", &addr);
    let registry = registry(&[
        ("pack.yaml", &fill(PACK)),
        ("tools/t.yaml", &fill(TOOLS)),
        ("playbooks/take_away.yaml", TAKE_AWAY),
        ("playbooks/back.yaml", BACK),
        ("playbooks/each.yaml", EACH),
    ]);
    kernel(registry, Arc::new(MemoryStore::new()), true)
}

fn letters(kernel: &Kernel) -> Vec<DeadLetterRow> {
    kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_answer_to_a_step_of_an_undo_becomes_a_dead_letter() {
    let kernel = start().await;
    let report = call(&kernel, "t.back", json!({})).await;
    let [letter] = &letters(&kernel)[..] else { panic!("one letter: {report:#?}") };
    assert_eq!((&letter.body["step"], &letter.body["happened"]), (&json!("place:undo/tell"), &json!("yes")));
    let decision = LetterDecision::Resolve(Some(json!({"number": 1})));
    let done = kernel.decide_letter(&scope(), letter.id, decision, "ann", "the customer knows").await.unwrap();
    assert_eq!(done.status, RunStatus::Compensated, "{done:#?}");
    assert!(letters(&kernel).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_about_an_outdated_letter_is_rejected() {
    let kernel = start().await;
    let report = call(&kernel, "t.lose", json!({})).await;
    let [before] = &letters(&kernel)[..] else { panic!("one letter: {report:#?}") };
    let to_bob = LetterDecision::Escalate("bob".into());
    kernel.decide_letter(&scope(), before.id, to_bob, "ann", "").await.unwrap();
    // Carol saw the letter before Ann escalated it.
    let mut late = before.clone();
    late.body["escalated"] = json!({"to": "dave", "by": "carol"});
    let command = Command {
        prelude: Vec::new(),
        preconditions: vec![Precondition::LetterOpen(before.id)],
        writes: vec![Write::PutLetter(late)],
        inputs: vec![TurnInput::Letter(
            JobId { scope: 0, step: 0, item: 0, undo: false },
            u32::try_from(before.body["attempts"].as_u64().unwrap()).unwrap(),
            before.body.clone(),
            None,
        )],
        status: None,
        program: None,
    };
    let refused = kernel.engine().command(&scope(), report.run, command).await.unwrap_err();
    assert!(matches!(refused, brain_engine::EngineError::AlreadyDecided), "{refused}");
    assert_eq!(letters(&kernel)[0].body["escalated"]["to"], "bob");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_item_of_a_list_is_reviewed_by_its_number() {
    let kernel = start().await;
    let report = call(&kernel, "t.each", json!({"names": ["a", "b", "c"]})).await;
    let person = Actor { name: "ann".into(), ..Actor::local() };
    let accept = || Verdict::Accept(json!({}));
    let review =
        async |step: Option<&str>, verdict| kernel.review(&scope(), report.run, step, verdict, &person, "").await;
    for unclear in [None, Some("look")] {
        let refused = review(unclear, accept()).await.unwrap_err();
        let says = refused.to_string();
        assert!(matches!(refused, KernelError::Conflict(_)) && says.contains("look[1], look[2], look[3]"), "{says}");
    }
    review(Some("look[2]"), Verdict::Accept(json!({"number": 7}))).await.unwrap();
    let again = review(Some("look[2]"), accept()).await;
    assert!(matches!(again, Err(KernelError::Conflict(_))), "a second review conflicts");
    review(Some("look[1]"), accept()).await.unwrap();
    let done = review(None, accept()).await.unwrap();
    assert_eq!(done.status, RunStatus::Completed, "only one was left: {done:#?}");
    let state = kernel.engine().run_state(&scope(), report.run).unwrap();
    let numbers: Vec<_> = state.data.steps["look"].as_array().unwrap().iter().map(|one| &one["number"]).collect();
    assert_eq!(numbers, [1, 7, 1]);
}
