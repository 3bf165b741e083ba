//! Bounds memory by limiting concurrent requests with a large body.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::App;

/// Maximum size of a body that needs no permit.
pub(crate) const SMALL: usize = 1024 * 1024;
/// Maximum number of concurrent requests with a larger body; more wait.
pub(crate) const LARGE_AT_ONCE: usize = 8;

/// A request's permit for a large body. Released when the request is answered.
#[derive(Clone)]
pub(crate) struct Room {
    all: Arc<Semaphore>,
    held: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
}

impl Room {
    /// Waits for the permit, unless this request already has it.
    pub(crate) async fn take(&self) {
        let held = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held().is_none() {
            let permit = self.all.clone().acquire_owned().await.ok();
            *held() = permit;
        }
    }
}

/// Gives every request its [`Room`].
pub(crate) async fn room(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let room = Room { all: app.large_bodies().clone(), held: Arc::default() };
    request.extensions_mut().insert(room.clone());
    let response = next.run(request).await;
    drop(room);
    response
}
