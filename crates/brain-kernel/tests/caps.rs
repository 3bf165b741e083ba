//! Caps on tool calls and money, for a run with everything it starts, for a user and for a tenant.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{Clock, RunStatus, SeededRandom};
use brain_engine::{EngineConfig, LetterDecision};
use brain_kernel::{Actor, Decision, Kernel, KernelConfig, Limits, Mode, Report, Request, SpendCap, SpendCaps};
use brain_store::{Accounts, MemoryStore, SqliteStore, Store};
use common::{Alone, SystemClock, scope};
use serde_json::{Value, json};

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\nsettings: {currency: EUR}\n";

const TOOLS: &str = r#"domain: t
tools:
  buy:
    title: Buy
    input: {name: string}
    behavior: {expr: "= {bought: input.name}"}
    output: {bought: string}
    effect: write
    undo: none
    cost: "10.00"
  decline:
    title: Decline
    input: {}
    behavior: {expr: "= 1 + \"x\""}
    effect: write
    undo: none
    cost: "10.00"
  check:
    title: Check
    input: {name: string}
    behavior: {expr: "= {checked: input.name}"}
    output: {checked: string}
  more:
    title: Injects steps
    input: {}
    may_inject: true
    behavior:
      decide:
        rules:
          - steps:
              - {id: a, tool: t.check, args: {name: a}}
              - {id: b, tool: t.check, args: {name: b}}
              - {id: c, tool: t.check, args: {name: c}}
  weigh:
    title: Weigh
    input: {}
    behavior: {expr: "= {n: 4}"}
    output: {n: integer}
  ship:
    title: Ship
    input: {n: integer}
    behavior: {expr: "= {shipped: input.n}"}
    output: {shipped: integer}
    effect: write
    consent: approver
    undo: none
    cost: {fixed: "1.00", per_unit: "1.00", units: "= input.n"}
  names:
    title: A list that only a step can tell
    input: {}
    behavior: {expr: {result: {names: ["a", "b", "c"]}}}
"#;

const PLAYBOOKS: &str = r#"playbook: t.buy_all
title: Buy all
slots: {names: {type: list, items: string}}
steps:
  - {id: each, tool: t.buy, foreach: "= slots.names", args: {name: "= item"}}
---
playbook: t.buy_few
title: Buy a few
slots: {names: {type: list, items: string}}
max_steps: 6
steps:
  - {id: each, tool: t.buy, foreach: "= slots.names", args: {name: "= item"}}
  - {id: then, tool: t.buy, when: "= count(slots.names) > 10", args: {name: more}}
---
playbook: t.buy_found
title: Buy what is found
slots: {}
steps:
  - {id: names, tool: t.names, args: {}}
  - {id: each, tool: t.buy, after: [names], foreach: "= steps.names.result.names", args: {name: "= item"}}
---
playbook: t.shipped
title: Ship what was weighed
slots: {}
steps:
  - {id: weigh, tool: t.weigh, args: {}}
  - {id: ship, tool: t.ship, after: [weigh], args: {n: "= steps.weigh.result.n"}}
---
playbook: t.family
title: Two child runs
slots: {}
steps:
  - {id: one, tool: core.spawn_child_run, args: {run: t.pair, args: {}}}
  - {id: two, tool: core.spawn_child_run, after: [one], args: {run: t.pair, args: {}}}
---
playbook: t.brood
title: A child run, with few steps
slots: {}
max_steps: 5
steps:
  - {id: one, tool: core.spawn_child_run, args: {run: t.pair, args: {}}}
  - {id: two, tool: core.spawn_child_run, after: [one], args: {run: t.pair, args: {}}}
---
playbook: t.pair
title: Two checks
slots: {}
steps:
  - {id: one, tool: t.check, args: {name: one}}
  - {id: two, tool: t.check, args: {name: two}}
"#;

fn start(store: Arc<dyn Store>, caps: SpendCap) -> Arc<Kernel> {
    let parts: Vec<&str> = PLAYBOOKS.split("---\n").collect();
    let names = [
        "playbooks/a.yaml", "playbooks/b.yaml", "playbooks/c.yaml", "playbooks/d.yaml", "playbooks/e.yaml",
        "playbooks/f.yaml", "playbooks/g.yaml",
    ];
    let mut files = vec![("pack.yaml", PACK), ("tools/t.yaml", TOOLS)];
    files.extend(names.into_iter().zip(parts));
    let config = KernelConfig {
        engine: EngineConfig { keep: true, ..EngineConfig::default() },
        caps: SpendCaps { others: caps, ..SpendCaps::default() },
        ..KernelConfig::default()
    };
    let random = Box::new(SeededRandom::new(SystemClock.now().as_millis() as u64));
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let sources = vec![brain_registry::PackSource::new("test", files)];
    let loaded = brain_registry::load_sources_with(sources, &brain_tools::natives());
    let registry = Arc::new(loaded.map_err(|report| report.render(false)).unwrap().registry);
    Kernel::start(&config, registry, store, Arc::new(SystemClock), random, Arc::new(Alone)).unwrap()
}

fn memory() -> Arc<Kernel> {
    start(Arc::new(MemoryStore::new()), SpendCap::default())
}

fn request(target: &str, input: Value, limits: Limits) -> Request {
    Request { calls: vec![(target.to_owned(), input)], limits, ..Request::say(scope(), "", Mode::EnqueueAndWait) }
}

async fn ask(kernel: &Kernel, target: &str, input: Value, limits: Limits) -> Report {
    kernel.handle(&request(target, input, limits)).await.unwrap()
}

fn calls(max_tool_calls: u32) -> Limits {
    Limits { max_tool_calls, ..Limits::default() }
}

fn money(max_cost: &str) -> Limits {
    Limits { max_cost: Some(max_cost.to_owned()), ..Limits::default() }
}

fn done(report: &Report) -> usize {
    report.receipts.iter().filter(|receipt| receipt.status == "succeeded").count()
}

fn code(report: &Report) -> &str {
    report.errors.first().map_or("", |error| error.code.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_a_known_list_are_counted_before_anything_runs() {
    let kernel = memory();
    let names: Vec<String> = (0..12).map(|n| n.to_string()).collect();
    let report = ask(&kernel, "t.buy_all", json!({"names": names}), calls(3)).await;
    assert_eq!((code(&report), done(&report)), ("too_many_tool_calls", 0), "{report:#?}");
    let report = ask(&kernel, "t.buy_all", json!({"names": ["a", "b"]}), money("15")).await;
    assert_eq!((code(&report), done(&report)), ("too_expensive", 0));
    assert!(report.message.contains("20"), "what all items cost: {}", report.message);
    let report = ask(&kernel, "t.buy_all", json!({"names": ["a", "b"]}), money("20")).await;
    assert_eq!((report.status.as_str(), done(&report)), ("completed", 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_exceeds_the_plan_limit_is_rejected_before_anything_runs() {
    let kernel = memory();
    let names: Vec<String> = (0..7).map(|n| n.to_string()).collect();
    let report = ask(&kernel, "t.buy_few", json!({"names": names}), calls(100)).await;
    assert_eq!((report.status.as_str(), code(&report), done(&report)), ("failed", "max_steps", 0), "{report:#?}");
    assert!(report.message.contains("7 steps") && report.message.contains("the limit is 6"), "{}", report.message);
    let report = ask(&kernel, "t.buy_few", json!({"names": names[..6]}), calls(100)).await;
    assert_eq!((report.status.as_str(), done(&report)), ("completed", 6), "a step with a condition does not count");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_from_a_step_is_counted_when_it_is_known() {
    let kernel = memory();
    let report = ask(&kernel, "t.buy_found", json!({}), calls(3)).await;
    assert_eq!((report.status.as_str(), code(&report)), ("failed", "too_many_tool_calls"), "{report:#?}");
    assert!(done(&report) <= 3);
    let report = ask(&kernel, "t.buy_found", json!({}), money("29.99")).await;
    assert_eq!((report.status.as_str(), code(&report)), ("failed", "budget_exceeded"), "{report:#?}");
    assert!(done(&report) <= 3, "{report:#?}");
    let report = ask(&kernel, "t.buy_found", json!({}), money("30")).await;
    assert_eq!((report.status.as_str(), done(&report)), ("completed", 4), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn added_steps_and_child_runs_count() {
    let kernel = memory();
    let report = ask(&kernel, "t.more", json!({}), calls(3)).await;
    assert_eq!((report.status.as_str(), code(&report)), ("failed", "too_many_tool_calls"), "{report:#?}");
    let report = ask(&kernel, "t.more", json!({}), calls(4)).await;
    assert_eq!(report.status, RunStatus::Completed, "{report:#?}");
    // Two starts and four checks.
    let report = ask(&kernel, "t.family", json!({}), calls(5)).await;
    assert_eq!(report.status, RunStatus::Failed, "{report:#?}");
    assert!(report.message.contains("limited to 5 tool calls"), "{}", report.message);
    let runs = kernel.store().runs(&scope(), Some(RunStatus::Failed), 10, None).unwrap().items;
    let child = runs.iter().find(|run| run.id != report.run && !run.request["parent"].is_null()).unwrap();
    let child = kernel.report(&scope(), child.id).unwrap();
    assert_eq!(code(&child), "too_many_tool_calls", "{child:#?}");
    let report = ask(&kernel, "t.family", json!({}), calls(6)).await;
    assert_eq!(report.status, RunStatus::Completed, "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_step_limit_of_a_run_includes_its_child_runs() {
    let kernel = memory();
    // Two starts and four checks are six steps.
    let report = ask(&kernel, "t.brood", json!({}), Limits::default()).await;
    assert_eq!(report.status, RunStatus::Failed, "{report:#?}");
    assert!(report.message.contains("more than 5 steps (`max_steps`), including those of child runs"), "{report:#?}");
    let report = ask(&kernel, "t.family", json!({}), Limits::default()).await;
    assert_eq!(report.status, RunStatus::Completed, "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shown_cost_is_the_maximum_cost() {
    let kernel = memory();
    let mut plan = request("t.buy_found", json!({}), calls(2));
    plan.mode = Mode::Plan;
    let staged = kernel.handle(&plan).await.unwrap();
    assert!(staged.message.contains("at most 20"), "two calls at most: {}", staged.message);
    let approval = staged.approval.clone().unwrap();
    kernel.decide(&scope(), &approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    kernel.engine().wait(&scope(), staged.run).await.unwrap();
    let report = kernel.report(&scope(), staged.run).unwrap();
    assert_eq!(report.status, RunStatus::Failed, "three are found: {report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_did_not_happen_costs_nothing() {
    let store = Arc::new(MemoryStore::new());
    let kernel = start(store.clone(), SpendCap { per_user: None, per_tenant: Some("10".into()) });
    for _ in 0..3 {
        assert_eq!(ask(&kernel, "t.decline", json!({}), Limits::default()).await.receipts.len(), 1);
    }
    let report = ask(&kernel, "t.buy", json!({"name": "a"}), Limits::default()).await;
    assert_eq!(report.status, RunStatus::Completed, "{report:#?}");
    let report = ask(&kernel, "t.buy", json!({"name": "b"}), Limits::default()).await;
    assert_eq!((report.status.as_str(), code(&report)), ("failed", "budget_exceeded"));
    assert!(report.message.contains("10 EUR"), "{}", report.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_spenders_never_exceed_a_cap_and_users_have_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("caps.db")).unwrap());
    let cap = SpendCap { per_user: Some("100".into()), per_tenant: Some("150".into()) };
    let kernel = start(store, cap);
    let mut spenders = Vec::new();
    for n in 0..60 {
        let kernel = kernel.clone();
        let name = if n % 2 == 0 { "ann" } else { "bob" };
        spenders.push(tokio::spawn(async move {
            let actor = Actor { name: name.into(), id: Some(name.into()), ..Actor::local() };
            let request = Request { actor, ..request("t.buy", json!({"name": "x"}), Limits::default()) };
            (name, kernel.handle(&request).await.unwrap().status)
        }));
    }
    let (mut ann, mut bob) = (0, 0);
    for spender in spenders {
        let (name, status) = spender.await.unwrap();
        if status == RunStatus::Completed {
            *(if name == "ann" { &mut ann } else { &mut bob }) += 1;
        }
    }
    assert!(ann <= 10 && bob <= 10, "a user's cap: {ann} and {bob}");
    assert_eq!(ann + bob, 15, "the tenant's cap is used up and not exceeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_without_a_currency_is_shown_without_one() {
    let text = PACK.replace("settings: {currency: EUR}\n", "");
    let registry = common::registry(&[("pack.yaml", &text), ("tools/t.yaml", TOOLS)]);
    let kernel = common::kernel(registry, Arc::new(MemoryStore::new()), false);
    let report = ask(&kernel, "t.buy", json!({"name": "a"}), money("2")).await;
    assert!(report.message.contains("This would cost 10; the limit of the request is 2."), "{}", report.message);
}

/// A tool of a system that has no time (`busy`) or answers through a gateway that gives up (`lose`).
async fn ordering(store: Arc<dyn Store>) -> Arc<Kernel> {
    let router = axum::Router::new()
        .route("/busy", axum::routing::post(|| async { axum::http::StatusCode::TOO_MANY_REQUESTS }))
        .route(
            "/later",
            axum::routing::post(|| async { (axum::http::StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "60")]) }),
        )
        .route("/lose", axum::routing::post(|| async { axum::http::StatusCode::GATEWAY_TIMEOUT }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let tool = |name: &str| {
        let url = format!("http://{addr}/{name}");
        format!(
            "  {name}: {{title: Order, input: {{}}, behavior: {{http: {{method: POST, url: \"{url}\"}}}}, retry: {{attempts: 1}}, undo: none, cost: \"10.00\"}}\n"
        )
    };
    let pack = format!("{PACK}hosts: [\"{addr}\"]\n");
    let tools = format!(
        "domain: t\ntools:\n{}{}{}",
        tool("busy"),
        tool("lose"),
        tool("later").replace("attempts: 1", "attempts: 3")
    );
    let registry = common::registry(&[("pack.yaml", &pack), ("tools/t.yaml", &tools)]);
    let others = SpendCap { per_tenant: Some("100".into()), ..SpendCap::default() };
    let mut config = KernelConfig { caps: SpendCaps { others, ..SpendCaps::default() }, ..KernelConfig::default() };
    config.tools.allow_private_hosts = true;
    let random = Box::new(SeededRandom::new(SystemClock.now().as_millis() as u64));
    Kernel::start(&config, registry, store, Arc::new(SystemClock), random, Arc::new(Alone)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn money_is_released_when_a_call_is_known_not_to_have_happened() {
    let store = Arc::new(MemoryStore::new());
    let kernel = ordering(store.clone()).await;
    let reserved = || {
        let entries = store.account_entries(&scope(), None, 100).unwrap();
        entries.iter().filter(|entry| entry.account.starts_with("cost on")).map(|entry| entry.amount).sum::<i64>()
    };
    let letter = |run| kernel.store().dead_letters_of(&scope(), run).unwrap().remove(0);
    let busy = ask(&kernel, "t.busy", json!({}), Limits::default()).await;
    assert_eq!((&letter(busy.run).body["happened"], reserved()), (&json!("no"), 0), "{busy:#?}");
    let lost = ask(&kernel, "t.lose", json!({}), Limits::default()).await;
    let row = letter(lost.run);
    assert_eq!((&row.body["happened"], reserved()), (&json!("maybe"), 10_000_000), "it may have cost that: {lost:#?}");
    kernel.decide_letter(&scope(), row.id, LetterDecision::Abandon, "ann", "it was never placed").await.unwrap();
    assert_eq!(reserved(), 0, "a person said that it did not happen");
    let later = Request { mode: Mode::Enqueue, ..request("t.later", json!({}), Limits::default()) };
    let later = kernel.handle(&later).await.unwrap();
    common::until(|| kernel.report(&scope(), later.run).unwrap().receipts.len() == 1).await;
    assert_eq!(reserved(), 10_000_000, "the next attempt is paid for");
    let over = kernel.cancel(&scope(), later.run).await.unwrap();
    assert_eq!((over.status, reserved()), (RunStatus::Cancelled, 0), "there is no next attempt: {over:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_that_an_earlier_step_decides_is_shown_with_its_own_approval() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let kernel = start(store.clone(), SpendCap::default());
    let boss = Actor { approver: true, ..Actor::local() };
    let calls = vec![("t.shipped".to_owned(), json!({}))];
    let staged = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::EnqueueAndWait) }).await.unwrap();
    let pending = || {
        let mut rows = store.approvals_of(&scope(), staged.run).unwrap();
        rows.retain(|row| row.status == brain_core::ApprovalStatus::Pending);
        rows.remove(0)
    };
    let first = pending();
    let asks = first.body["asks"].to_string();
    assert!(asks.contains("An earlier step decides what t.ship costs"), "{asks}");
    kernel.decide(&scope(), &first.id.to_string(), None, Decision::Approve, &boss, "").await.unwrap();
    let second = pending();
    assert!(second.body["asks"].to_string().contains("Cost: 5"), "{:#}", second.body);
    let done = kernel.decide(&scope(), &second.id.to_string(), None, Decision::Approve, &boss, "").await.unwrap();
    assert_eq!(done.status, RunStatus::Completed, "{done:#?}");
}
