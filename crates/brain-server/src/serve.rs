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

/// Delay after a failed accept, for example because of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Maximum size of a request's head, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The listening address; port 0 picks a free port.
    pub addr: SocketAddr,
    /// Whether every caller needs a token. An address that is not loopback always requires one.
    pub require_token: bool,
    /// Maximum number of connections; more wait until one ends.
    pub max_connections: usize,
    /// Timeout of a request. A request that waits for a run is answered a little earlier.
    pub request_timeout: Duration,
    /// Maximum size of a blob, in bytes.
    pub max_blob: u64,
    /// Timeout for receiving the head of a request.
    pub header_timeout: Duration,
    /// Duration, without waiting for a run, above which a request is logged as slow.
    pub slow_request: Duration,
    /// How long open requests may continue after the server was asked to stop.
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

/// Starts listening. Returns the address, and a future that serves until `shutdown` completes. Connections queue until
/// the future is polled.
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

/// Serves until `shutdown` completes.
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
        tracing::warn!("some requests were still open at shutdown; their runs continue");
    }
    Ok(())
}

/// Serves one connection in its own task.
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
