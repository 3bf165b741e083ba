//! Large files through the real binary: they round-trip, and the process stays small.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{Server, brain, json, run, text};
use serde_json::{Value, json};

/// The size of the file, and how much a process may grow.
const SIZE: usize = 50 * 1024 * 1024;
#[cfg(target_os = "linux")]
const GROWTH: u64 = 40 * 1024 * 1024;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("b.db");
    (folder, store)
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).take(len).collect()
}

/// The peak memory of a process so far.
#[cfg(target_os = "linux")]
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_megabytes_are_uploaded_and_downloaded_in_bounded_memory() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let (_folder, store) = folder();
    let server = Server::start(&store, &[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let content = bytes(SIZE);
    // Warm up; the language is fitted when it is first asked for, and counts as well.
    client.post(format!("{}/v1/blobs", server.url)).body("x").send().await.unwrap();
    let asked = json!({"text": "jot down that the gate is open"});
    client.post(format!("{}/v1/explain", server.url)).json(&asked).send().await.unwrap();
    #[cfg(target_os = "linux")]
    let before = peak(server.pid());
    let sent = client.post(format!("{}/v1/blobs", server.url)).body(content.clone()).send().await.unwrap();
    assert_eq!(sent.status(), 201);
    let answer: Value = sent.json().await.unwrap();
    let hash = answer["blob"]["$blob"].as_str().unwrap();
    assert_eq!(hash, brain_core::Digest::of(&content).to_string());
    let read = client.get(format!("{}/v1/blobs/{hash}", server.url)).send().await.unwrap();
    assert!(read.bytes().await.unwrap() == content);
    #[cfg(target_os = "linux")]
    {
        let grown = peak(server.pid()) - before;
        assert!(grown < GROWTH, "the server has grown by {} KiB over {} KiB", grown / 1024, SIZE / 1024);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_during_an_upload_leaves_nothing() {
    use tokio::io::AsyncWriteExt;
    let (_folder, store) = folder();
    let server = Server::start(&store, &[]);
    let addr = server.url.strip_prefix("http://").unwrap().to_owned();
    let mut stream = tokio::net::TcpStream::connect(&addr).await.unwrap();
    let head = format!("POST /v1/blobs HTTP/1.1\r\nhost: {addr}\r\ncontent-length: {SIZE}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&bytes(SIZE / 2)).await.unwrap();
    let count = |table: &str| -> i64 {
        let file = rusqlite::Connection::open(&store).unwrap();
        file.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        file.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    // Everything except the buffers of connection and server has reached the file.
    while count("blob_chunks") < 40 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    server.kill();
    assert_eq!((count("blobs"), count("blob_uploads")), (0, 1));
    // The next server cleans up when it is idle.
    let server = Server::start(&store, &[]);
    let patience = std::time::Instant::now();
    while count("blob_chunks") + count("blob_uploads") > 0 {
        assert!(patience.elapsed().as_secs() < 60, "{} chunks are left", count("blob_chunks"));
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    drop(server);
}

#[test]
fn a_file_round_trips_through_put_and_get() {
    let (folder, store) = folder();
    let file = folder.path().join("photo.JPG");
    let content = bytes(3_000_000);
    std::fs::write(&file, &content).unwrap();
    let path = |path: &Path| path.display().to_string();
    let put = run(&store, &["blob", "put", &path(&file), "--json"]);
    assert_eq!(put.status.code(), Some(0), "{}", text(&put));
    let hash = brain_core::Digest::of(&content).to_string();
    let blob = json!({"$blob": hash, "size": content.len(), "media_type": "image/jpeg", "file": true});
    assert_eq!(json(&put), json!({"blob": blob}));
    let shown = run(&store, &["blob", "put", &path(&file)]);
    assert!(text(&shown).starts_with(&hash), "{}", text(&shown));

    assert!(run(&store, &["blob", "get", &hash]).stdout == content);
    let copy = folder.path().join("copy");
    let got = run(&store, &["blob", "get", &hash, "-o", &path(&copy), "--json"]);
    assert_eq!(json(&got), json!({"blob": blob, "path": path(&copy)}));
    assert!(std::fs::read(&copy).unwrap() == content);

    // From standard input, with a media type, for another tenant.
    let mut piped = brain(&store);
    piped.args(["blob", "put", "-", "--media-type", "text/csv", "--json", "--tenant", "acme"]);
    piped.stdin(Stdio::from(std::fs::File::open(&file).unwrap()));
    assert_eq!(json(&piped.output().unwrap())["blob"]["media_type"], "text/csv");
}

#[test]
fn failed_puts_and_gets_are_reported() {
    let (folder, store) = folder();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, "a").unwrap();
    let file = file.display().to_string();
    let hash = brain_core::Digest::of(b"a").to_string();
    assert_eq!(run(&store, &["blob", "put", &file]).status.code(), Some(0));
    for (args, code, said) in [
        (vec!["blob", "put", "no/such/file"], 1, "cannot read no/such/file"),
        (vec!["blob", "put", &file, "--media-type", "text"], 1, "not a media type"),
        (vec!["blob", "get", "abc"], 2, "not a digest"),
        (vec!["blob", "get", &hash, "--json"], 2, "-o FILE"),
        (vec!["blob", "get", &hash, "--tenant", "acme"], 1, "there is no blob"),
        (vec!["blob", "get", &hash, "-o", "no/such/folder/x"], 1, "cannot write no/such/folder/x"),
    ] {
        let output = run(&store, &args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output));
        assert!(text(&output).contains(said), "{args:?}: {}", text(&output));
    }
}
