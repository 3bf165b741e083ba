//! Uploads and downloads of blobs.

use brain_core::{Digest, Millis, SeededRandom, TenantId};
use brain_server::{Grants, ServerConfig, new_token};
use brain_store::Scope;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Answer, TestServer, trades};

/// Bytes that do not repeat.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).take(len).collect()
}

async fn put(server: &TestServer, content: Vec<u8>, media_type: &str) -> Answer {
    Answer::of(server.request(Method::POST, "/v1/blobs").header("content-type", media_type).body(content)).await
}

fn stored(answer: Answer) -> Value {
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
    let blob = answer.body["blob"].clone();
    assert_eq!(answer.headers["location"], format!("/v1/blobs/{}", blob["$blob"].as_str().unwrap()));
    blob
}

fn scope() -> Scope {
    Scope::of(TenantId::default_tenant())
}

#[tokio::test]
async fn a_file_round_trips() {
    let server = TestServer::start().await;
    for len in [0, 1, 300_000, 5_000_001] {
        let content = bytes(len);
        let hash = Digest::of(&content).to_string();
        let blob = stored(put(&server, content.clone(), "image/png").await);
        assert_eq!(blob, json!({"$blob": hash, "size": len, "media_type": "image/png", "file": true}));
        let again = stored(put(&server, content.clone(), "text/plain").await);
        assert_eq!(again, blob, "the same bytes are one blob");

        let path = format!("/v1/blobs/{hash}");
        let response = server.request(Method::GET, &path).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers().clone();
        assert_eq!(headers["content-type"], "image/png");
        assert_eq!(headers["content-length"], len.to_string().as_str());
        assert_eq!(headers["etag"], format!("\"{hash}\"").as_str());
        assert_eq!(headers["accept-ranges"], "bytes");
        assert_eq!(headers["content-disposition"], "attachment", "a browser must not run what somebody has sent");
        assert!(headers["content-security-policy"].to_str().unwrap().contains("sandbox"));
        assert!(response.bytes().await.unwrap() == content, "{len} bytes");

        let head = server.request(Method::HEAD, &path).send().await.unwrap();
        assert_eq!(head.status(), StatusCode::OK);
        for name in ["content-type", "content-length", "etag"] {
            assert_eq!(head.headers()[name], headers[name], "{name}");
        }
        assert!(head.bytes().await.unwrap().is_empty());
    }
    let untyped = Answer::of(server.request(Method::POST, "/v1/blobs").body("x")).await;
    assert_eq!(stored(untyped)["media_type"], "application/octet-stream");
}

#[tokio::test]
async fn a_range_of_a_file_can_be_requested() {
    let server = TestServer::start().await;
    let content = bytes(1_000_000);
    let path = format!("/v1/blobs/{}", Digest::of(&content));
    stored(put(&server, content.clone(), "video/mp4").await);
    let ask = |range: &str| server.request(Method::GET, &path).header("range", range).send();
    for (range, from, to) in
        [("bytes=0-0", 0, 1), ("bytes=262100-600000", 262_100, 600_001), ("bytes=999999-", 999_999, 1_000_000)]
    {
        let response = ask(range).await.unwrap();
        assert_eq!(response.status(), StatusCode::PARTIAL_CONTENT, "{range}");
        assert_eq!(response.headers()["content-range"], format!("bytes {from}-{}/1000000", to - 1).as_str());
        assert_eq!(response.headers()["content-length"], (to - from).to_string().as_str());
        assert!(response.bytes().await.unwrap() == content[from..to], "{range}");
    }
    let several = ask("bytes=0-1,5-6").await.unwrap();
    assert_eq!(several.status(), StatusCode::OK, "several ranges are ignored");
    assert_eq!(several.bytes().await.unwrap().len(), content.len());
    let behind = Answer::of(server.request(Method::GET, &path).header("range", "bytes=1000000-")).await;
    assert_eq!(behind.headers["content-range"], "bytes */1000000");
    behind.problem(416, "range_not_satisfiable");
    let tag = format!("\"{}\"", Digest::of(&content));
    let known = server.request(Method::GET, &path).header("if-none-match", tag).send().await.unwrap();
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    assert!(known.bytes().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_missing_blob_and_an_invalid_hash_are_problems() {
    let server = TestServer::start().await;
    server.get(&format!("/v1/blobs/{}", Digest::of(b"nothing"))).await.problem(404, "no_such_blob");
    for wrong in ["1", "nonsense", &"a".repeat(63), &"g".repeat(64)] {
        server.get(&format!("/v1/blobs/{wrong}")).await.problem(400, "bad_id");
    }
    server.get("/v1/blobs").await.problem(405, "method_not_allowed");
    for wrong in ["", "png", &format!("image/{}", "x".repeat(300))] {
        put(&server, vec![1], wrong).await.problem(422, "invalid_request");
    }
}

#[tokio::test]
async fn a_blob_belongs_to_one_tenant() {
    let server = TestServer::start().await;
    let hash = Digest::of(b"secret");
    stored(put(&server, b"secret".to_vec(), "text/plain").await);
    let kernel = &server.kernel;
    let (tenant, now) = ("acme".parse().unwrap(), kernel.clock().now());
    let ends = Some(now.plus(Millis(60_000)));
    let (row, token) = new_token(tenant, "other", Grants::default(), ends, now, &mut SeededRandom::new(7), [7; 32]);
    kernel.store().put_token(&row).unwrap();
    let path = format!("/v1/blobs/{hash}");
    let theirs = || server.request(Method::GET, &path).bearer_auth(&token);
    Answer::of(theirs()).await.problem(404, "no_such_blob");
    Answer::of(server.request(Method::GET, &path).bearer_auth("brn_wrong")).await.problem(401, "unauthorized");
    let sent = server.request(Method::POST, "/v1/blobs").bearer_auth(&token).body("secret");
    assert_eq!(stored(Answer::of(sent).await)["media_type"], "application/octet-stream", "the tenant has its own copy");
    assert_eq!(Answer::of(theirs()).await.ok(), "secret");
}

#[tokio::test]
async fn an_oversized_blob_is_rejected_with_and_without_a_declared_length() {
    let mut config = ServerConfig::new("127.0.0.1:0".parse().unwrap());
    config.max_blob = 100_000;
    let server = TestServer::with(trades(), config).await;
    stored(put(&server, bytes(100_000), "text/plain").await);
    put(&server, bytes(100_001), "text/plain").await.problem(413, "body_too_large");
    let mut stream = begin(&server, "transfer-encoding: chunked").await;
    for _ in 0..3 {
        stream.write_all(format!("{:x}\r\n", 50_000).as_bytes()).await.unwrap();
        stream.write_all(&bytes(50_000)).await.unwrap();
        stream.write_all(b"\r\n").await.unwrap();
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    assert!(answer(stream).await.starts_with("HTTP/1.1 413"));
}

/// Sends the head of an upload over its own connection.
async fn begin(server: &TestServer, header: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.addr).await.unwrap();
    let head = format!(
        "POST /v1/blobs HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: text/plain\r\n{header}\r\n\r\n",
        server.addr
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn an_interrupted_upload_leaves_nothing() {
    let server = TestServer::start().await;
    let content = bytes(4_000_000);
    for (header, sent) in [("content-length: 4000000", 3_000_000), ("transfer-encoding: chunked", 3_000_000)] {
        let mut stream = begin(&server, header).await;
        if header.starts_with("transfer") {
            stream.write_all(format!("{:x}\r\n", content.len()).as_bytes()).await.unwrap();
        }
        stream.write_all(&content[..sent]).await.unwrap();
        stream.shutdown().await.unwrap();
        // The server has noticed and answers or closes the connection.
        let said = answer(stream).await;
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 400"), "{said}");
    }
    for part in [&content[..], &content[..3_000_000]] {
        let hash = Digest::of(part);
        server.get(&format!("/v1/blobs/{hash}")).await.problem(404, "no_such_blob");
        assert_eq!(server.kernel.store().blob(&scope(), hash).unwrap(), None);
    }
    let whole = stored(put(&server, content.clone(), "text/plain").await);
    assert_eq!(whole["size"], 4_000_000);
}
