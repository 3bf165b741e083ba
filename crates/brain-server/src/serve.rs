//! The listening socket and its connections.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use brain_kernel::KernelSlot;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

use crate::app::{App, router};
use crate::guard::Peer;

/// How long to pause when no connection can be accepted, for example because there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// How much of a request's head is read at most, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Where to listen; port 0 is any free port.
    pub addr: SocketAddr,
    /// Whether every caller needs a token. An address that is not loopback always needs one, whatever stands here.
    pub require_token: bool,
    /// Connections at a time; more wait until one ends.
    pub max_connections: usize,
    /// How long a request may take in all. Whoever waits for a run is answered a little earlier.
    pub request_timeout: Duration,
    /// The largest blob that is taken in, in bytes.
    pub max_blob: u64,
    /// How long a connection may take to send the head of a request.
    pub header_timeout: Duration,
    /// Requests that take longer, without the time that they wait for a run, are logged as slow.
    pub slow_request: Duration,
    /// How long open requests may go on after the server was asked to stop.
    pub shutdown_grace: Duration,
}

impl ServerConfig {
    /// The defaults for an address.
    pub fn new(addr: SocketAddr) -> Self {
        Self {
            addr,
            require_token: !is_loopback(addr),
            max_connections: 1024,
            request_timeout: Duration::from_secs(120),
            max_blob: 1024 * 1024 * 1024,
            header_timeout: Duration::from_secs(15),
            slow_request: Duration::from_secs(5),
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

fn is_loopback(addr: SocketAddr) -> bool {
    addr.ip().to_canonical().is_loopback()
}

/// Starts to listen. Returns the address, and what serves until `shutdown` is there. Nothing is served before that is
/// polled, but connections already queue.
pub async fn bind(
    kernel: impl Into<KernelSlot>,
    config: ServerConfig,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<(SocketAddr, impl Future<Output = io::Result<()>> + Send)> {
    let listener = TcpListener::bind(config.addr).await?;
    let bound = listener.local_addr()?;
    let token_required = config.require_token || !is_loopback(bound);
    let app = App::new(kernel.into(), bound, &config, token_required);
    Ok((bound, accept(listener, app, config, shutdown)))
}

/// Serves until `shutdown` is there.
pub async fn serve(
    kernel: impl Into<KernelSlot>,
    config: ServerConfig,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (_, serving) = bind(kernel, config, shutdown).await?;
    serving.await
}

async fn accept(
    listener: TcpListener,
    app: App,
    config: ServerConfig,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let router = router(app.clone());
    let connections = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(config.max_connections.max(1)));
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let permit = permits.clone().acquire_owned().await.map_err(io::Error::other)?;
            listener.accept().await.map(|(stream, peer)| (permit, stream, peer))
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((permit, stream, peer)) => connect(permit, stream, peer, &router, &config, &connections),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    app.close();
    if tokio::time::timeout(config.shutdown_grace, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests were still open; what they began goes on");
    }
    Ok(())
}

/// Serves one connection in a task of its own.
fn connect(
    permit: OwnedSemaphorePermit,
    stream: TcpStream,
    peer: SocketAddr,
    router: &Router,
    config: &ServerConfig,
    connections: &GracefulShutdown,
) {
    drop(stream.set_nodelay(true));
    let router = router.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        router.clone().oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(config.header_timeout).max_buf_size(MAX_HEAD);
    let connection = connections.watch(builder.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(permit);
    });
}
