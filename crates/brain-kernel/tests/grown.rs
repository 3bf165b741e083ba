//! Steps that a worker injects, and what they may contain.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::RunStatus;
use std::sync::Arc;
use std::time::Duration;

use brain_engine::JobOutcome;
use brain_kernel::{Kernel, Mode, Report, Request};
use brain_registry::ToolResult;
use brain_store::MemoryStore;
use common::{kernel, registry, scope};
use serde_json::{Value, json};

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\n";

const TOOLS: &str = r#"domain: t
tools:
  plan:
    title: Plan
    input: {}
    behavior: {worker: plan}
    may_inject: true
    undo: none
  add:
    title: Add
    input: {n: integer}
    behavior: {expr: "= {n: input.n}"}
    output: {n: integer}
"#;

fn start() -> Arc<Kernel> {
    kernel(registry(&[("pack.yaml", PACK), ("tools/t.yaml", TOOLS)]), Arc::new(MemoryStore::new()), false)
}

/// Lets a worker inject these steps.
async fn bring(kernel: &Kernel, new_steps: Value) -> Report {
    let calls = vec![("t.plan".to_owned(), json!({}))];
    let report = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    let topics = ["plan".to_owned()];
    let taken = kernel.activate(&scope(), &topics, "w", 1, None, Duration::from_secs(30)).await.unwrap();
    let result = ToolResult { new_steps: serde_json::from_value(new_steps).unwrap(), ..ToolResult::ok(json!({})) };
    kernel.answer_job(&scope(), taken[0].key, &taken[0].lease, None, JobOutcome::Done(result)).await.unwrap();
    kernel.report(&scope(), report.run).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_keys_of_injected_steps_are_rejected_by_name() {
    let kernel = start();
    for (key, value) in [("foreach", json!([1, 2, 3])), ("when", json!(false)), ("retry", json!({"attempts": 9}))] {
        let mut step = json!({"tool": "t.add", "args": {"n": 1}});
        step[key] = value;
        let report = bring(&kernel, json!([{"tool": "t.add", "args": {"n": 7}}, step])).await;
        assert!(!report.receipts.iter().any(|receipt| receipt.tool == "t.add"), "none of them ran: {report:#?}");
        let problem = &report.errors[0];
        assert!(problem.message.contains(&format!("`{key}`")), "{}", problem.message);
        assert!(problem.message.contains("step 2"), "{}", problem.message);
    }
    let report =
        bring(&kernel, json!([{"id": "x", "tool": "t.add", "args": {"n": 1}, "on_failure": "continue"}])).await;
    assert_eq!(report.status, RunStatus::Completed, "{report:#?}");
}
