//! Native functions through the toolbox, as the engine calls them.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use brain_core::{Failure, FailureClass, Millis, Timestamp};
use brain_engine::{JobContext, JobOutcome, RecordView};
use brain_macros::tool;
use brain_registry::{NATIVE_PACK, PackSource, Registry, ToolResult, load_sources_with};
use brain_store::{MemoryStore, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NativeContext, natives};
use crate::{Toolbox, ToolboxConfig};

#[derive(Deserialize, JsonSchema)]
struct Words {
    /// The text to count.
    text: String,
    least: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Count {
    words: u64,
    attempt: Option<u32>,
}

/// Counts words.
#[tool(crate = crate, name = "native_test.count", phrases = ["count the words of {text}"])]
fn count(input: Words, cx: &NativeContext) -> Result<Count, Failure> {
    let words = input.text.split_whitespace().count() as u64;
    if input.least.is_some_and(|least| words < least) {
        return Err(Failure::business("too_short", "That is not enough words."));
    }
    Ok(Count { words, attempt: Some(cx.attempt) })
}

/// Returns the context of the call.
#[tool(crate = crate, name = "native_test.ask", idempotency = "key")]
async fn ask(input: Words, cx: NativeContext) -> Result<Value, Failure> {
    match input.text.as_str() {
        "later" => Err(Failure::transient("busy", "Not now.")),
        _ => Ok(json!({"tenant": cx.tenant, "key": cx.key})),
    }
}

/// Returns a whole result.
#[tool(crate = crate, name = "native_test.whole", may_inject)]
fn whole(input: Words) -> Result<ToolResult, Failure> {
    match input.text.as_str() {
        "fail" => Ok(ToolResult::failed(Failure::business("no", "No."))),
        text => Ok(ToolResult { summary: Some(text.to_owned()), ..ToolResult::ok(json!({})) }),
    }
}

/// Returns nothing.
#[tool(crate = crate, name = "native_test.nothing", effect = "write", no_undo = "It is nothing.")]
fn nothing(_: Words, _: NativeContext) -> Result<(), Failure> {
    Ok(())
}

fn registry(files: &[(&str, &str)]) -> Arc<Registry> {
    let pack = [("pack.yaml", "name: t\nversion: 1\n")];
    let files = pack.iter().chain(files).map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let loaded = load_sources_with(vec![PackSource::new("t", files)], &natives());
    Arc::new(loaded.unwrap_or_else(|report| panic!("{report}")).registry)
}

fn job() -> JobContext {
    JobContext {
        conversation: None,
        trace: None,
        scope: Scope::of("acme".parse().unwrap()),
        run: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
        key: "01890a5d-ac96-774b-bcce-b302099a8058".parse().unwrap(),
        job: serde_json::from_value(json!({"step": 0})).unwrap(),
        step: "t".into(),
        attempt: 2,
        started: Timestamp::from_millis(0),
        now: Timestamp::from_millis(0),
        timeout: Millis::from_secs(1),
        settings: None,
    }
}

fn toolbox(registry: Arc<Registry>) -> Arc<Toolbox> {
    Arc::new(Toolbox::new(registry, &ToolboxConfig::default()).unwrap())
}

fn decide(registry: Arc<Registry>, tool: &str, input: Value) -> Result<ToolResult, Failure> {
    let toolbox = toolbox(registry);
    let call = toolbox.registry().tool(tool).unwrap().validate(input).unwrap();
    let (job, store) = (job(), MemoryStore::new());
    let scope = job.scope.clone();
    toolbox.decide(&call, &job, &mut RecordView::new(&store, &scope))
}

fn perform(tool: &str, input: Value) -> JobOutcome {
    let toolbox = toolbox(registry(&[]));
    let call = toolbox.registry().tool(tool).unwrap().validate(input).unwrap();
    let mut work = pin!(toolbox.perform(call, job()));
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("these futures are ready at once"),
    }
}

#[test]
fn a_plain_function_runs_in_process() {
    let result = decide(registry(&[]), "native_test.count", json!({"text": "hello big world"})).unwrap();
    assert_eq!(result.data, json!({"words": 3, "attempt": 2}));
    let failure = decide(registry(&[]), "native_test.count", json!({"text": "x", "least": 2})).unwrap_err();
    assert_eq!((failure.class, failure.code.as_str()), (FailureClass::Business, "too_short"));
    assert_eq!(decide(registry(&[]), "native_test.nothing", json!({"text": ""})).unwrap().data, Value::Null);
}

#[test]
fn an_async_function_runs_outside() {
    let JobOutcome::Done(result) = perform("native_test.ask", json!({"text": "who"})) else { panic!("not done") };
    assert_eq!(result.data, json!({"tenant": "acme", "key": "01890a5d-ac96-774b-bcce-b302099a8058"}));
    let JobOutcome::Failed(failure) = perform("native_test.ask", json!({"text": "later"})) else {
        panic!("not failed")
    };
    assert_eq!((failure.class, failure.code.as_str()), (FailureClass::Transient, "busy"));
    let spawn = perform("core.spawn_child_run", json!({"run": "a.b"}));
    assert!(matches!(&spawn, JobOutcome::Failed(failure) if failure.code == "not_here"), "{spawn:?}");
}

#[test]
fn a_whole_result_is_passed_on_and_its_failure_fails_the_call() {
    let result = decide(registry(&[]), "native_test.whole", json!({"text": "Said."})).unwrap();
    assert_eq!(result.summary.as_deref(), Some("Said."));
    let failure = decide(registry(&[]), "native_test.whole", json!({"text": "fail"})).unwrap_err();
    assert_eq!(failure.code, "no");
}

#[test]
fn a_pack_gives_a_function_other_phrases_and_preconditions() {
    let tools = "domain: t\ntools:\n  length:\n    title: How long\n    phrases: [\"how long is {text}\"]\n    \
                 summary: \"{{ result.words }} words\"\n    behavior: {native: native_test.count}\n    \
                 requires:\n      - {expr: \"= input.text != \\\"\\\"\", else: \"Say something.\"}\n";
    let registry = registry(&[("tools/t.yaml", tools)]);
    let tool = registry.tool("t.length").unwrap();
    assert_eq!(
        (tool.def.pack.as_str(), &tool.def.input),
        ("t", &registry.tool("native_test.count").unwrap().def.input)
    );
    let result = decide(registry.clone(), "t.length", json!({"text": "a b"})).unwrap();
    assert_eq!(result.summary.as_deref(), Some("2 words"));
    let refused = decide(registry, "t.length", json!({"text": ""})).unwrap_err();
    assert_eq!(refused.message, "Say something.");
}

#[test]
fn the_declaration_of_a_function_becomes_its_tool() {
    let registry = registry(&[]);
    let def = &registry.tool("native_test.count").unwrap().def;
    assert_eq!((def.pack.as_str(), def.title.as_str()), (NATIVE_PACK, "Counts words"));
    assert_eq!(def.input["properties"]["text"]["description"], "The text to count.");
    assert_eq!(def.input["required"], json!(["text"]));
    assert_eq!(def.phrases, ["count the words of {text}"]);
    assert!(registry.tool("native_test.whole").unwrap().def.may_inject);
    let def = &registry.tool("native_test.nothing").unwrap().def;
    assert_eq!((def.no_undo.as_deref(), &def.output), (Some("It is nothing."), &None));
    // The core tools have no phrases.
    let core: Vec<_> = registry.tools().values().filter(|tool| tool.name().starts_with("core.")).collect();
    assert!(core.len() >= 3 && core.iter().all(|tool| tool.def.phrases.is_empty()));
}

#[test]
fn invalid_functions_are_reported() {
    let load = |natives: &[_]| load_sources_with(Vec::new(), natives).unwrap_err().to_string();
    let one = natives().into_iter().find(|one| one.name == "native_test.count").unwrap();
    let twice = load(&[one.clone(), one.clone()]);
    assert!(twice.contains("the native function `native_test.count` is registered twice"), "{twice}");
    let text = load(&[brain_registry::NativeDecl { input: json!({"type": "string"}), ..one }]);
    assert!(text.contains("the input of the native function `native_test.count` is not an object"), "{text}");
}
