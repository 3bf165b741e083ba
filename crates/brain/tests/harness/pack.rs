//! The pack of the servers: external tools of every idempotency, record tools, undo.

use std::path::Path;

const RECORD: &str = "record: mark\ntitle: Mark\nfields:\n  job: {type: string, indexed: true}\n  place: string\n";

const TOOLS: &str = r#"domain: crash
tools:
  mark:
    title: Leave a mark
    input: {job: string, place: string}
    phrases: ["mark {job} {place}"]
    behavior: {record: {insert: mark}}
    undo: {tool: crash.unmark, args: {mark_id: "{{ result.mark_id }}"}}
  unmark:
    title: Take a mark away
    input: {mark_id: {type: uuid, entity: mark}}
    phrases: ["unmark {mark_id}"]
    behavior: {record: {delete: mark}}
    undo: none
  pay:
    title: Pay
    input: {job: string}
    phrases: ["pay {job}"]
    behavior: {http: {method: POST, url: "http://ADDR/pay"}}
    idempotency: key
    RETRY
    undo: {tool: crash.refund, args: {job: "{{ input.job }}"}}
  refund:
    title: Pay back
    input: {job: string}
    phrases: ["refund {job}"]
    behavior: {http: {method: POST, url: "http://ADDR/refund"}}
    idempotency: key
    RETRY
    undo: none
  book:
    title: Book
    input: {job: string}
    phrases: ["book {job}"]
    behavior: {http: {method: POST, url: "http://ADDR/book"}}
    idempotency: {check: crash.booked}
    timeout: 1s
    RETRY
    undo: none
  booked:
    title: Was it booked
    input: {job: string, idempotency_key: string}
    phrases: ["was {job} booked with {idempotency_key}"]
    behavior: {http: {method: POST, url: "http://ADDR/booked"}}
    effect: read
    RETRY
  send:
    title: Send
    input: {job: string}
    phrases: ["send {job}"]
    behavior: {http: {method: POST, url: "http://ADDR/send"}}
    idempotency: none
    RETRY
    undo: none
  refuse:
    title: Refuse
    input: {job: string}
    phrases: ["refuse {job}"]
    behavior: {http: {method: POST, url: "http://ADDR/refuse", not_done: {status: [409]}}}
    idempotency: key
    RETRY
    undo: none
"#;

/// Short delays keep the test fast; many attempts prevent exhaustion by bad luck.
const RETRY: &str = "retry: {attempts: 30, delay: 10ms, max_delay: 50ms, backoff: fixed, jitter: 0}";

/// A job that succeeds: two records, and one call for each kind of idempotency.
const JOB: &str = r#"playbook: crash.job
title: Job
phrases: ["job {job}"]
slots: {job: string}
steps:
  - {id: first, tool: crash.mark, args: {job: "= slots.job", place: first}}
  - {id: pay, tool: crash.pay}
  - {id: book, tool: crash.book}
  - {id: send, tool: crash.send}
  - {id: last, tool: crash.mark, args: {job: "= slots.job", place: last}}
"#;

/// A job whose last step fails, so that it is compensated.
const BACK: &str = r#"playbook: crash.back
title: Job that is undone
phrases: ["take back {job}"]
slots: {job: string}
steps:
  - {id: first, tool: crash.mark, args: {job: "= slots.job", place: first}}
  - {id: pay, tool: crash.pay}
  - {id: last, tool: crash.mark, args: {job: "= slots.job", place: last}}
  - {id: refuse, tool: crash.refuse, on_failure: undo}
"#;

pub fn write(folder: &Path, addr: &str) {
    let pack = format!("name: crash\nversion: 1.0.0\ntitle: Crash\nhosts: [\"{addr}\"]\n");
    let tools = TOOLS.replace("ADDR", addr).replace("RETRY", RETRY);
    let files = [
        ("pack.yaml", pack.as_str()),
        ("records/mark.yaml", RECORD),
        ("tools/crash.yaml", &tools),
        ("playbooks/job.yaml", JOB),
        ("playbooks/back.yaml", BACK),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}
