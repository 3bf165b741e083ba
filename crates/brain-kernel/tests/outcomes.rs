//! External calls whose response leaves the outcome open: a real loopback server that acts, counts its effects, and
//! responds as real ones do.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use brain_core::{Millis, RunId};
use brain_kernel::{Kernel, Report};
use brain_store::MemoryStore;
use common::{call, eventually, kernel, registry, scope};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How the server responds to the first call of a tool; later ones succeed.
#[derive(Clone, Copy, Debug)]
enum First {
    /// Acts and responds with this status.
    Does(u16, &'static str),
    /// Does not act and responds with this status.
    DoesNot(u16, &'static str),
    /// Acts and closes the connection.
    Cuts,
    /// Acts and closes the connection within its response.
    CutsTheAnswer,
    /// Does nothing and closes the connection in the middle of its refusal.
    CutsTheRefusal,
    /// Does nothing, responds without reading the body, and sends no more.
    ReadsNothing(u16),
    /// Acts without reading the body, responds, and sends no more.
    DoesUnread,
    /// Does nothing, responds without reading the body, and closes the connection, which resets it.
    AnswersAndResets(u16),
    /// Resets the connection without reading the body or responding.
    Resets,
}

#[derive(Default)]
struct World {
    /// The keys of every call and of every effect, in order.
    calls: Mutex<Vec<String>>,
    effects: Mutex<Vec<String>>,
    /// Whether a known key is not acted on again.
    knows_keys: bool,
    /// Number of calls of the check tool, and how many of them fail first.
    checks: AtomicUsize,
    failing_checks: usize,
    /// Connections with a request that was not read. Closing one resets it.
    unread: Mutex<Vec<BufReader<TcpStream>>>,
}

impl World {
    fn act(&self, key: &str) {
        let mut effects = self.effects.lock().unwrap();
        if !self.knows_keys || !effects.iter().any(|known| known == key) {
            effects.push(key.to_owned());
        }
    }

    fn counts(&self) -> (usize, usize) {
        (self.calls.lock().unwrap().len(), self.effects.lock().unwrap().len())
    }
}

async fn serve(world: Arc<World>, first: First, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = BTreeMap::new();
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let close = "connection: close\r\n";
        if let First::ReadsNothing(_) | First::DoesUnread | First::AnswersAndResets(_) | First::Resets = first {
            world.calls.lock().unwrap().push(headers["idempotency-key"].clone());
            match first {
                First::ReadsNothing(status) | First::AnswersAndResets(status) => {
                    answer(&mut stream, status, close, "no").await?;
                }
                First::DoesUnread => {
                    world.act(&headers["idempotency-key"]);
                    answer(&mut stream, 200, close, r#"{"ok": true}"#).await?;
                }
                _ => {}
            }
            if let First::ReadsNothing(_) | First::DoesUnread = first {
                stream.shutdown().await?;
                world.unread.lock().unwrap().push(stream);
            }
            return Ok(());
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        if path == "/was" && world.checks.fetch_add(1, Ordering::SeqCst) < world.failing_checks {
            answer(&mut stream, 503, "", "busy").await?;
            continue;
        }
        if path == "/was" {
            let body: Value = serde_json::from_slice(&body).unwrap();
            let happened = world.effects.lock().unwrap().iter().any(|key| body["idempotency_key"] == *key);
            answer(&mut stream, 200, "", &json!({"happened": happened, "result": {"ok": true}}).to_string()).await?;
            continue;
        }
        let key = headers["idempotency-key"].clone();
        let nth = {
            let mut calls = world.calls.lock().unwrap();
            calls.push(key.clone());
            calls.len()
        };
        if nth > 1 || !matches!(first, First::DoesNot(..) | First::CutsTheRefusal) {
            world.act(&key);
        }
        match first {
            _ if nth > 1 => answer(&mut stream, 200, "", r#"{"ok": true}"#).await?,
            First::Does(status, headers) | First::DoesNot(status, headers) => {
                answer(&mut stream, status, headers, r#"{"ok": "not a boolean"}"#).await?;
            }
            First::Cuts | First::ReadsNothing(_) | First::DoesUnread | First::AnswersAndResets(_) | First::Resets => {
                return Ok(());
            }
            First::CutsTheRefusal => {
                stream.write_all(b"HTTP/1.1 403 No\r\ncontent-length: 100\r\n\r\nNot ").await?;
                return stream.flush().await;
            }
            First::CutsTheAnswer => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"ok\"").await?;
                return stream.flush().await;
            }
        }
    }
}

async fn answer(stream: &mut BufReader<TcpStream>, status: u16, headers: &str, body: &str) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 {status} Answer\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    stream.write_all((head + body).as_bytes()).await?;
    stream.flush().await
}

async fn world(first: First, knows_keys: bool) -> (SocketAddr, Arc<World>) {
    listen(first, World { knows_keys, ..World::default() }).await
}

async fn listen(first: First, world: World) -> (SocketAddr, Arc<World>) {
    let world = Arc::new(world);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let served = world.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(served.clone(), first, stream));
        }
    });
    (addr, world)
}

const QUICK: &str = "retry: {attempts: 3, delay: 1ms, max_delay: 2ms, backoff: fixed, jitter: 0}";

fn pack(addr: SocketAddr, idempotency: &str, more: &str) -> Vec<(&'static str, String)> {
    let tools = format!(
        "domain: out
tools:
  act:
    title: Act
    input: {{text: {{type: string, optional: true, max_length: 100000000}}}}
    behavior: {{http: {{method: POST, url: \"http://{addr}/act\"{more}}}}}
    output: {{ok: boolean}}
    idempotency: {idempotency}
    {QUICK}
    undo: none
  read: {{title: Read, input: {{}}, behavior: {{http: {{url: \"http://{addr}/read\"}}}}, effect: read, {QUICK}}}
  was:
    title: Was it done
    input: {{idempotency_key: string}}
    behavior: {{http: {{method: POST, url: \"http://{addr}/was\"}}}}
    effect: read
    {QUICK}
"
    );
    let pack = format!("name: out\nversion: 1.0.0\ntitle: Out\nhosts: [\"{addr}\"]\n");
    vec![("pack.yaml", pack), ("tools/out.yaml", tools)]
}

fn start(files: &[(&'static str, String)]) -> Arc<Kernel> {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    kernel(registry(&files), Arc::new(MemoryStore::new()), true)
}

/// Calls `out.act` once, with this behaviour of the server.
async fn act(first: First, idempotency: &str) -> (Report, Arc<World>, Arc<Kernel>) {
    let (addr, world) = world(first, idempotency == "key").await;
    let kernel = start(&pack(addr, idempotency, ""));
    let report = call(&kernel, "out.act", json!({})).await;
    (report, world, kernel)
}

/// Ways in which an effect happens without a usable response: statuses, a cut connection, and a cut response.
const DONE_UNKNOWN: [First; 8] = [
    First::Does(408, ""),
    First::Does(500, ""),
    First::Does(502, ""),
    First::Does(503, ""),
    First::Does(504, ""),
    First::Does(500, "retry-after: 1\r\n"),
    First::Cuts,
    First::CutsTheAnswer,
];

#[tokio::test(flavor = "multi_thread")]
async fn without_idempotency_nothing_is_repeated_and_a_person_decides() {
    for first in DONE_UNKNOWN {
        let (report, world, kernel) = act(first, "none").await;
        assert_eq!(world.counts(), (1, 1), "{first:?}");
        assert_eq!((report.ok, report.errors[0].code.as_str()), (false, "in_doubt"), "{first:?}");
        let letters = kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
        assert_eq!(letters.len(), 1, "{first:?}");
    }
    for status in [408, 500, 502, 503, 504] {
        let (report, world, _) = act(First::DoesNot(status, ""), "none").await;
        assert_eq!(world.counts(), (1, 0), "{status}: the outcome is unknown");
        assert_eq!(report.errors[0].code, "in_doubt", "{status}");
    }
}

/// More than a connection holds before the other side reads.
const LARGE: usize = 24 << 20;

/// Calls `out.act` once, with a large body.
async fn act_at_length(first: First) -> (Report, Arc<World>, Arc<Kernel>) {
    let (addr, world) = world(first, false).await;
    let kernel = start(&pack(addr, "none", ""));
    let report = call(&kernel, "out.act", json!({"text": "x".repeat(LARGE)})).await;
    (report, world, kernel)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_although_the_request_was_not_read() {
    for (status, code) in [(413, "http_413"), (401, "http_401")] {
        let (report, world, kernel) = act_at_length(First::ReadsNothing(status)).await;
        assert_eq!((report.errors[0].code.as_str(), world.counts()), (code, (1, 0)), "{report:#?}");
        assert!(kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items.is_empty(), "{status}");
    }
    let (report, world, _) = act_at_length(First::DoesUnread).await;
    assert_eq!((report.ok, world.counts()), (true, (1, 1)), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_before_any_answer_leaves_it_open() {
    let (report, world, _) = act_at_length(First::Resets).await;
    assert_eq!((report.errors[0].code.as_str(), world.counts()), ("in_doubt", (1, 0)), "{report:#?}");
    // The reset may overtake the response: then nobody knows, and nothing is repeated.
    let (report, world, _) = act_at_length(First::AnswersAndResets(413)).await;
    let code = report.errors[0].code.as_str();
    assert!(["http_413", "in_doubt"].contains(&code) && world.counts() == (1, 0), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_that_breaks_off_is_a_refusal_unless_the_pack_reads_its_body() {
    let (report, world, _) = act(First::CutsTheRefusal, "none").await;
    assert_eq!((report.errors[0].code.as_str(), world.counts()), ("http_403", (1, 0)), "{report:#?}");
    let (addr, _) = listen(First::CutsTheRefusal, World::default()).await;
    let kernel = start(&pack(addr, "none", ", unknown: {contains: [perhaps]}"));
    let report = call(&kernel, "out.act", json!({})).await;
    assert_eq!(report.errors[0].code, "in_doubt", "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_the_call_is_repeated_and_done_once() {
    for first in DONE_UNKNOWN {
        let (report, world, _) = act(first, "key").await;
        assert!(report.ok, "{first:?}: {report:#?}");
        assert_eq!(world.counts(), (2, 1), "{first:?}");
        let calls = world.calls.lock().unwrap();
        assert_eq!(calls[0], calls[1], "{first:?}: the same key");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_check_the_call_is_checked_and_done_once() {
    for first in DONE_UNKNOWN {
        let (report, world, _) = act(first, "{check: out.was}").await;
        assert!(report.ok, "{first:?}: {report:#?}");
        assert_eq!(world.counts(), (1, 1), "{first:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_check_is_retried_by_its_own_policy() {
    for (failing_checks, checks, ok) in [(2, 3, true), (9, 3, false)] {
        let (addr, world) = listen(First::Cuts, World { failing_checks, ..World::default() }).await;
        let kernel = start(&pack(addr, "{check: out.was}", ""));
        let report = call(&kernel, "out.act", json!({})).await;
        assert_eq!((report.ok, world.checks.load(Ordering::SeqCst)), (ok, checks), "{report:#?}");
        assert_eq!(world.counts(), (1, 1), "the call itself is never repeated");
        let letters = kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
        assert_eq!(letters.len(), usize::from(!ok));
        for letter in letters {
            assert_eq!(letter.body["happened"], "maybe");
            let history = letter.body["history"].to_string();
            assert_eq!(history.matches("http_503").count(), checks, "every check that failed is listed: {history}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_known_not_to_have_happened_is_retried_whatever_the_idempotency() {
    for first in [First::DoesNot(429, ""), First::DoesNot(425, "")] {
        for idempotency in ["none", "key", "{check: out.was}"] {
            let (report, world, _) = act(first, idempotency).await;
            assert!(report.ok, "{first:?} {idempotency}: {report:#?}");
            assert_eq!(world.counts(), (2, 1), "{first:?} {idempotency}");
        }
    }
}

/// The delay between a response and the next attempt.
async fn pause_after_first(kernel: &Kernel, run: RunId) -> Option<Millis> {
    eventually(|| {
        let first = kernel.engine().run_state(&scope(), run).unwrap().receipts().unwrap().into_iter().next();
        first.map(|first| first.retry_at.map(|at| at.since(first.finished_at)))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_respected() {
    let date = "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:30:00 GMT\r\n";
    for (status, headers, told) in [
        (503, "retry-after: 120\r\n", 120),
        (429, "retry-after: 120\r\n", 120),
        (425, "retry-after: 120\r\n", 120),
        (503, date, 120),
        (429, "retry-after: 99999999\r\n", 24 * 60 * 60),
    ] {
        let (addr, world) = world(First::DoesNot(status, headers), false).await;
        let kernel = start(&pack(addr, "none", ""));
        let request = brain_kernel::Request {
            calls: vec![("out.act".to_owned(), json!({}))],
            ..brain_kernel::Request::say(scope(), "", brain_kernel::Mode::Enqueue)
        };
        let report = kernel.handle(&request).await.unwrap();
        let waits = pause_after_first(&kernel, report.run).await;
        assert_eq!(waits, Some(Millis::from_secs(told)), "{status} {headers}");
        assert_eq!(world.counts(), (1, 0), "{status} {headers}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_connection_had_no_effect_and_is_retried() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let kernel = start(&pack(addr, "none", ""));
    let report = call(&kernel, "out.act", json!({})).await;
    assert_eq!(report.errors[0].code, "dead_letter", "not in doubt: {report:#?}");
    assert_eq!(report.receipts.len(), 3, "every attempt was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_call_is_simply_retried() {
    for first in [First::Does(500, ""), First::Does(503, ""), First::Does(408, ""), First::Cuts, First::CutsTheAnswer] {
        let (addr, world) = world(first, false).await;
        let kernel = start(&pack(addr, "none", ""));
        let report = call(&kernel, "out.read", json!({})).await;
        assert!(report.ok, "{first:?}: {report:#?}");
        assert_eq!(world.counts().0, 2, "{first:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_may_declare_a_status_as_not_done() {
    let (addr, world) = world(First::DoesNot(500, ""), false).await;
    let kernel = start(&pack(addr, "none", ", not_done: {status: [500]}"));
    let report = call(&kernel, "out.act", json!({})).await;
    assert!(report.ok, "{report:#?}");
    assert_eq!(world.counts(), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_may_declare_a_status_as_unknown() {
    let (addr, world) = world(First::Does(409, ""), false).await;
    let kernel = start(&pack(addr, "none", ", unknown: {status: [409]}"));
    let report = call(&kernel, "out.act", json!({})).await;
    assert_eq!(report.errors[0].code, "in_doubt", "{report:#?}");
    assert_eq!(world.counts(), (1, 1));
}

/// The response's `ok` is not a boolean: the effect happened, and the response does not match the tool's declaration.
#[tokio::test(flavor = "multi_thread")]
async fn an_effect_with_an_unusable_answer_counts_as_done() {
    for more in ["", ", result: {ok: \"= 1 + response.body.ok.nothing\"}"] {
        for idempotency in ["none", "key"] {
            let (addr, world) = world(First::Does(200, ""), true).await;
            let kernel = start(&pack(addr, idempotency, more));
            let report = call(&kernel, "out.act", json!({})).await;
            assert_eq!(world.counts(), (1, 1), "{more} {idempotency}");
            assert_eq!(report.receipts[0].status, "done_badly", "{more} {idempotency}: {report:#?}");
            let letters = kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
            assert_eq!(letters.len(), 1, "{more} {idempotency}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_echoed_secret_is_not_stored() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    // Longer than the excerpt, so that the excerpt would cut it.
    let value = format!("s3cret-{}", "x".repeat(300));
    std::fs::write(secret.path(), &value).unwrap();
    let router = axum::Router::new().fallback(|headers: axum::http::HeaderMap| async move {
        (axum::http::StatusCode::FORBIDDEN, format!("no access with {:?}", headers["authorization"]))
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let path = secret.path().display();
    for auth in [format!("{{bearer: \"file:{path}\"}}"), format!("{{basic: {{user: u, password: \"file:{path}\"}}}}")] {
        let kernel = start(&pack(addr, "none", &format!(", auth: {auth}")));
        let report = call(&kernel, "out.act", json!({})).await;
        assert_eq!(report.errors[0].code, "http_403", "{report:#?}");
        assert!(report.message.contains("[secret]"), "{}", report.message);
        let log = kernel.store().log(&scope(), report.run).unwrap();
        let written = format!("{log:?} {report:?}");
        assert!(!written.contains("s3cret") && !written.contains("xxxx"), "{written}");
    }
}
