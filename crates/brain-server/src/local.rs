//! The API in the process of a command: the same routes and forms, without a connection.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use brain_kernel::KernelSlot;
use tower::ServiceExt as _;

use crate::app::{App, router};
use crate::guard::Peer;
use crate::serve::ServerConfig;

/// No command waits longer for one response.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The API over a kernel of this process.
#[derive(Clone)]
pub struct Local {
    router: Router,
    user: Arc<str>,
}

impl Local {
    /// The API for a user of this machine.
    pub fn new(kernel: impl Into<KernelSlot>, user: &str) -> Self {
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let config = ServerConfig { request_timeout: PATIENCE, slow_request: PATIENCE, ..ServerConfig::new(addr) };
        Self { router: router(App::new(kernel.into(), addr, &config, false)), user: user.into() }
    }

    /// Answers a request.
    pub async fn call(&self, mut request: Request<Body>) -> Response<Body> {
        request.extensions_mut().insert(Peer::User(self.user.clone()));
        match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}
