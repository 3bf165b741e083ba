//! Memory is bounded: few requests at a time may have a large body.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::App;

/// A body that is not larger needs no room of its own.
pub(crate) const SMALL: usize = 1024 * 1024;
/// Requests with a larger one at a time; more wait.
pub(crate) const LARGE_AT_ONCE: usize = 8;

/// A request's claim to room. It is given back when the request is answered.
#[derive(Clone)]
pub(crate) struct Room {
    all: Arc<Semaphore>,
    held: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
}

impl Room {
    /// Waits for room, once.
    pub(crate) async fn take(&self) {
        let held = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held().is_none() {
            let permit = self.all.clone().acquire_owned().await.ok();
            *held() = permit;
        }
    }
}

/// Gives every request its claim.
pub(crate) async fn room(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let room = Room { all: app.large_bodies().clone(), held: Arc::default() };
    request.extensions_mut().insert(room.clone());
    let response = next.run(request).await;
    drop(room);
    response
}
