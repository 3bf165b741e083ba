//! State shared by all handlers, and the assembly of the routes.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::{Router, extract::State};
use brain_kernel::{Kernel, KernelSlot};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;

use crate::body_limit::{LARGE_AT_ONCE, room};
use crate::guard::guard;
use crate::metrics::Metrics;
use crate::observe::observe;
use crate::pages::{self, Pages};
use crate::problem::{METHOD_NOT_ALLOWED, NOT_FOUND, Problem, TIMED_OUT};
use crate::routes;
use crate::serve::ServerConfig;
use crate::token::KnownTokens;
use crate::upkeep::Upkeep;

/// Maximum number of concurrent blob uploads; more wait. Each needs a little more than a mebibyte of memory.
const UPLOADS_AT_ONCE: usize = 64;

/// State shared by all handlers.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

struct Inner {
    kernel: KernelSlot,
    metrics: Metrics,
    bound: SocketAddr,
    token_required: bool,
    request_timeout: Duration,
    slow_request: Duration,
    max_blob: u64,
    large_bodies: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    tokens: KnownTokens,
    openapi: OnceLock<(Value, Bytes)>,
    pages: OnceLock<Pages>,
    closing: tokio::sync::watch::Sender<bool>,
    upkeep: Option<Arc<dyn Upkeep>>,
}

/// Time reserved for the response when a request waits for something.
const TO_ANSWER: Duration = Duration::from_secs(2);

impl App {
    /// How long a request may wait if it wants to wait `wanted_ms`: it must be answered before its timeout.
    pub(crate) fn wait(&self, wanted_ms: u64) -> u64 {
        let limit = self.0.request_timeout;
        let most = limit.saturating_sub(TO_ANSWER.min(limit / 2));
        wanted_ms.min(u64::try_from(most.as_millis()).unwrap_or(u64::MAX))
    }

    pub(crate) fn new(kernel: KernelSlot, bound: SocketAddr, config: &ServerConfig, token_required: bool) -> Self {
        let metrics = Metrics::new(kernel.get().engine());
        Self(Arc::new(Inner {
            kernel,
            metrics,
            bound,
            token_required,
            request_timeout: config.request_timeout,
            slow_request: config.slow_request,
            max_blob: config.max_blob,
            large_bodies: Arc::new(Semaphore::new(LARGE_AT_ONCE)),
            uploads: Arc::new(Semaphore::new(UPLOADS_AT_ONCE)),
            tokens: KnownTokens::default(),
            openapi: OnceLock::new(),
            pages: OnceLock::new(),
            closing: tokio::sync::watch::Sender::new(false),
            upkeep: config.upkeep.clone(),
        }))
    }

    /// The kernel of the loaded packs. A handler calls this once, so that it works with one version of them.
    pub(crate) fn kernel(&self) -> Arc<Kernel> {
        self.0.kernel.get()
    }

    /// The slot in which a reload of packs replaces the kernel.
    pub(crate) fn slot(&self) -> &KernelSlot {
        &self.0.kernel
    }

    /// What the program around the server does for operators, if it does.
    pub(crate) fn upkeep(&self) -> Option<Arc<dyn Upkeep>> {
        self.0.upkeep.clone()
    }

    /// The cache of tokens.
    pub(crate) fn tokens(&self) -> &KnownTokens {
        &self.0.tokens
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// The listening address.
    pub(crate) fn bound(&self) -> SocketAddr {
        self.0.bound
    }

    pub(crate) fn token_required(&self) -> bool {
        self.0.token_required
    }

    /// Duration above which a request is logged as slow.
    pub(crate) fn slow_request(&self) -> Duration {
        self.0.slow_request
    }

    /// Maximum size of a blob, in bytes.
    pub(crate) fn max_blob(&self) -> u64 {
        self.0.max_blob
    }

    /// Permits for requests with a large body.
    pub(crate) fn large_bodies(&self) -> &Arc<Semaphore> {
        &self.0.large_bodies
    }

    /// Waits for a permit to upload a blob.
    pub(crate) async fn upload_turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        match tokio::time::timeout(self.0.request_timeout, self.0.uploads.clone().acquire_owned()).await {
            Ok(turn) => turn.map_err(|error| Problem::internal(&error.to_string())),
            Err(_) => {
                let detail = "Too many uploads are in progress; try again in a moment.";
                Err(Problem::new(TIMED_OUT, detail).with_header("retry-after", "5"))
            }
        }
    }

    /// Ends streams and long polls, because the server is stopping.
    pub(crate) fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// Waits until the server stops.
    pub(crate) async fn closing(&self) {
        drop(self.0.closing.subscribe().wait_for(|closing| *closing).await);
    }

    /// The OpenAPI document, as JSON, built on first use: commands never need it.
    pub(crate) fn openapi(&self) -> Bytes {
        self.description().1.clone()
    }

    fn description(&self) -> &(Value, Bytes) {
        self.0.openapi.get_or_init(|| {
            let document = serde_json::to_value(crate::openapi::openapi()).unwrap_or_default();
            let bytes = serde_json::to_vec(&document).unwrap_or_default().into();
            (document, bytes)
        })
    }

    /// The pages for people.
    pub(crate) fn pages(&self) -> &Pages {
        self.0.pages.get_or_init(|| {
            let kernel = self.kernel();
            let example = kernel.registry().packs().values().find_map(|pack| pack.help.examples.first());
            let example = example.map_or("help", String::as_str);
            Pages::of(&self.description().0, self.0.bound, example)
        })
    }

    /// Reads from the store on a thread that may block.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Kernel) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let kernel = self.kernel();
        match tokio::task::spawn_blocking(move || work(&kernel)).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(Problem::internal(&error.to_string())),
            },
        }
    }
}

/// Every route, with its OpenAPI description.
pub(crate) fn api() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(routes::runs::routes())
        .merge(routes::tools::routes())
        .merge(routes::records::routes())
        .merge(routes::blobs::routes())
        .merge(routes::jobs::routes())
        .merge(routes::approvals::routes())
        .merge(routes::dead_letters::routes())
        .merge(routes::learning::routes())
        .merge(routes::events::routes())
        .merge(routes::packs::routes())
        .merge(routes::operate::routes())
        .merge(routes::upkeep::routes())
        .merge(routes::system::routes())
}

/// The routes with their middleware. The last layer is the outermost.
pub(crate) fn router(app: App) -> Router {
    let (router, _) = api().split_for_parts();
    router
        .merge(pages::routes())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(app.clone(), room))
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(from_fn_with_state(app.clone(), in_time))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), observe))
        .with_state(app)
}

async fn not_found(request: Request) -> Problem {
    let path = request.uri().path();
    Problem::new(NOT_FOUND, format!("There is nothing at `{path}`. /docs lists every route."))
}

async fn method_not_allowed(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    Problem::new(METHOD_NOT_ALLOWED, format!("`{path}` does not support {method}. /docs lists every route."))
}

/// Limits the duration of a request. Runs that it started continue, because they do not depend on the connection.
async fn in_time(State(app): State<App>, request: Request, next: axum::middleware::Next) -> Response {
    // The duration of an upload depends on its size, so each piece has its own timeout. Upkeep goes through all data.
    if request.method() == Method::POST && ["/v1/blobs", "/v1/gc", "/v1/reindex"].contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let limit = app.0.request_timeout;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let detail = format!(
                "There was no response after {} seconds. Accepted runs continue; see GET /v1/runs.",
                limit.as_secs()
            );
            Problem::new(TIMED_OUT, detail).with_header("retry-after", "5").into_response()
        }
    }
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into());
    Problem::internal(&text).into_response()
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn broken() {
        panic!("the secret plan");
    }

    #[tokio::test]
    async fn a_panic_becomes_a_problem_without_details() {
        let router: Router = Router::new().route("/", get(broken)).layer(CatchPanicLayer::custom(panicked));
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), 500);
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let body: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(body["code"], "internal");
        assert!(body["error_id"].is_string() && !body.to_string().contains("secret plan"), "{body}");
    }
}
