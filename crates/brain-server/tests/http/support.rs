//! A test server and its client.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use brain_core::{Clock, SeededRandom, Timestamp};
use brain_engine::Liveness;
use brain_kernel::{Kernel, KernelConfig};
use brain_registry::{PackSource, Registry};
use brain_server::{ServerConfig, bind};
use brain_store::{SqliteStore, Store};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap())
    }
}

struct Alone;

impl Liveness for Alone {
    fn own(&self) -> String {
        "test".into()
    }

    fn is_gone(&self, _: &str) -> bool {
        false
    }
}

/// Seeds must differ between concurrent tests, even within a millisecond.
static SEED: AtomicU64 = AtomicU64::new(1);

pub(crate) fn trades() -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/trades");
    match brain_registry::load(&[folder]) {
        Ok(loaded) => loaded.registry,
        Err(report) => panic!("{}", report.render(false)),
    }
}

pub(crate) fn pack(files: &[(&str, String)]) -> Registry {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect();
    match brain_registry::load_sources(vec![PackSource::new("test", files)]) {
        Ok(loaded) => loaded.registry,
        Err(report) => panic!("{}", report.render(false)),
    }
}

pub(crate) struct TestServer {
    pub(crate) addr: SocketAddr,
    pub(crate) client: Client,
    pub(crate) kernel: Arc<Kernel>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    folder: tempfile::TempDir,
}

impl TestServer {
    pub(crate) fn store_file(&self) -> std::path::PathBuf {
        self.folder.path().join("brain.db")
    }

    /// On loopback, with the `trades` pack.
    pub(crate) async fn start() -> Self {
        Self::with(trades(), ServerConfig::new("127.0.0.1:0".parse().unwrap())).await
    }

    pub(crate) async fn with(registry: Registry, config: ServerConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("brain.db")).unwrap());
        let random = Box::new(SeededRandom::new(SEED.fetch_add(1, Ordering::Relaxed)));
        let mut kernel_config = KernelConfig::default();
        kernel_config.tools.allow_private_hosts = true;
        let kernel =
            Kernel::start(&kernel_config, Arc::new(registry), store, Arc::new(SystemClock), random, Arc::new(Alone))
                .unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move { drop(stopped.await) };
        let (bound, serving) = bind(kernel.clone(), config, shutdown).await.unwrap();
        let serving = Some(tokio::spawn(serving));
        let client = Client::builder().no_proxy().build().unwrap();
        let addr = bound.addr;
        Self { addr, client, kernel, stop: Some(stop), serving, folder }
    }

    /// Stops the server and waits for its end.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(serving) = self.serving.take() {
            serving.await.unwrap().unwrap();
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.addr.port())
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(body)).await
    }

    /// Sends a message and expects a run response.
    pub(crate) async fn say(&self, message: &str, mode: &str) -> Value {
        self.post("/v1/runs", &json!({"message": message, "mode": mode})).await.ok()
    }

    /// Sends a message and expects success; returns the result of the first receipt.
    pub(crate) async fn done(&self, message: &str) -> Value {
        let run = self.say(message, "enqueue_and_wait").await;
        assert_eq!(run["ok"], true, "{run}");
        run["receipts"][0]["result"].clone()
    }

    /// Number of records of a type (at most 200).
    pub(crate) async fn count(&self, kind: &str) -> usize {
        let page = self.get(&format!("/v1/records/{kind}?limit=200")).await.ok();
        page["items"].as_array().unwrap().len()
    }
}

/// A response with its whole body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self { status, headers, body }
    }

    /// The body of a successful answer.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!(matches!(self.status, StatusCode::OK | StatusCode::ACCEPTED), "{}: {}", self.status, self.body);
        self.body
    }

    /// Checks that this is a problem document with this status and code.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["code"], code, "{}", self.body);
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["type"], format!("urn:brain:error:{code}"));
        assert!(self.body["title"].is_string() && self.body["detail"].is_string(), "{}", self.body);
        self.body
    }
}
