//! Tools by candidate names, and the question for the kind of action.

use std::net::{Ipv4Addr, SocketAddr};

use brain_server::ServerConfig;
use serde_json::{Value, json};

use crate::support::{TestServer, pack};

const TOOLS: &str = r#"
domain: fund
noun: [fund book]
tools:
  load_book: {title: Load, input: {}, phrases: ["load the fund book"], intent_tier: navigate.book, behavior: {expr: {result: {done: true}}}, output: {done: boolean}}
  browse_book: {title: Browse, input: {}, phrases: ["browse the fund book"], intent_tier: navigate.book, behavior: {expr: {result: {done: true}}}, output: {done: boolean}}
  print_book: {title: Print, input: {}, phrases: ["print the fund book"], intent_tier: navigate.one, behavior: {expr: {result: {done: true}}}, output: {done: boolean}}
  create_book: {title: Set up, synonyms: [open a ledger], input: {}, phrases: ["create the fund book"], behavior: {expr: {result: {done: true}}}, output: {done: boolean}}
  update_book: {title: Correct, input: {}, phrases: ["update the fund book"], behavior: {expr: {result: {done: true}}}, output: {done: boolean}}
  calculate_book: {title: Work out, input: {}, phrases: ["calculate the fund book"], behavior: {expr: {result: {done: true}}}, output: {done: boolean}}
"#;
const PACK: &str = r#"
name: funds
version: 1.0.0
intent_tiers:
  - id: navigate
    label: Navigate and view
    description: Load or explore
    hint: load the book
    kinds: [{id: one, label: One structure}, {id: book, label: A client's book}]
"#;
const PLAYBOOK: &str =
    "playbook: fund.tidy\ntitle: Tidy up\naliases: [spring clean]\nsteps:\n  - {id: a, tool: fund.load_book}\n";

async fn start() -> TestServer {
    let files = [
        ("pack.yaml", PACK.to_owned()),
        ("tools/fund.yaml", TOOLS.to_owned()),
        ("playbooks/tidy.yaml", PLAYBOOK.to_owned()),
    ];
    TestServer::with(pack(&files), ServerConfig::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))).await
}

#[tokio::test]
async fn a_tool_is_found_by_up_to_three_candidate_names() {
    let server = start().await;
    let find = async |query: &str| -> (Value, Value) {
        let found = server.get(&format!("/v1/tools/lookup?{query}")).await.ok();
        (found["tool"].clone(), found["match_type"].clone())
    };
    assert_eq!(find("name=fund.create_book").await, (json!("fund.create_book"), json!("exact")));
    assert_eq!(find("name=creat_book").await, (json!("fund.create_book"), json!("fuzzy")));
    assert_eq!(find("name=Open%20a%20ledger").await, (json!("fund.create_book"), json!("synonym")));
    assert_eq!(find("name=spring_clean").await, (json!("fund.tidy"), json!("synonym")));
    assert_eq!(find("name=x&name=y&name=z").await, (Value::Null, json!("not_found")));
    // The first name that finds anything wins, even if a later one is exact.
    assert_eq!(find("name=nothing&name=open+a+ledger&name=fund.load_book").await.0, "fund.create_book");
    for query in ["", "name=a&name=b&name=c&name=d", "name=", "nmae=a", &format!("name={}", "x".repeat(201))] {
        server.get(&format!("/v1/tools/lookup?{query}")).await.problem(422, "invalid_request");
    }
}

#[tokio::test]
async fn a_playbook_is_asked_for_by_its_alias() {
    let server = start().await;
    let done = server.say("spring clean", "enqueue_and_wait").await;
    assert_eq!((&done["ok"], &done["decision"]["confidence"]), (&json!(true), &json!("high")), "{done}");
}

#[tokio::test]
async fn the_kind_of_action_is_asked_for_and_a_choice_goes_on() {
    let server = start().await;
    let asked = server.say("the fund book", "enqueue_and_wait").await;
    let message = asked["assistant_message"].as_str().unwrap();
    assert!(message.starts_with("What are you trying to do?"), "{asked}");
    assert!(message.contains("Navigate and view (3 tools): Load or explore. load the book"), "{message}");
    assert!(message.contains("create something new (1 tool)"), "{message}");
    let next = asked["next_actions"].to_string();
    assert!(next.contains("context.intent_tier navigate"), "{next}");
    let choose = async |tier: &str| {
        let body = json!({"message": "the fund book", "mode": "enqueue_and_wait", "context": {"intent_tier": tier}});
        server.post("/v1/runs", &body).await.ok()
    };
    let done = choose("create").await;
    assert_eq!((&done["ok"], &done["status"]), (&json!(true), &json!("completed")), "{done}");
    assert_eq!(done["planned_tool_calls"][0]["tool_name"], "fund.create_book", "{done}");
    let asked = choose("navigate").await;
    assert!(asked["assistant_message"].as_str().unwrap().starts_with("Do you mean “"), "{asked}");
    let refused = choose("shopping").await;
    assert!(refused["errors"].to_string().contains("unknown_tier"), "{refused}");
    let explained = server.post("/v1/explain", &json!({"text": "the fund book"})).await.ok();
    let first = &explained["understanding"]["tiers"][0];
    assert_eq!((&first["tier"], &first["targets"].as_array().unwrap().len()), (&json!("navigate"), &3), "{explained}");
}
