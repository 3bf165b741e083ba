//! The listening socket and its connections.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

use crate::app::{App, router};
use crate::guard::Peer;
use crate::socket::Socket;
use crate::upkeep::Upkeep;

/// Delay after a failed accept, for example because of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Maximum size of a request's head, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The listening address; port 0 picks a free port.
    pub addr: SocketAddr,
    /// Where to open a Unix socket for the users of this machine; `None`: nowhere.
    pub socket: Option<PathBuf>,
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
    /// Operators' work that needs the configuration of the program; `None`: it cannot be done here.
    pub upkeep: Option<Arc<dyn Upkeep>>,
}

impl ServerConfig {
    /// The defaults for an address.
    pub fn new(addr: SocketAddr) -> Self {
        Self {
            addr,
            socket: None,
            require_token: !is_loopback(addr),
            max_connections: 1024,
            request_timeout: Duration::from_secs(120),
            max_blob: 1024 * 1024 * 1024,
            header_timeout: Duration::from_secs(15),
            slow_request: Duration::from_secs(5),
            shutdown_grace: Duration::from_secs(10),
            upkeep: None,
        }
    }
}

/// Where a server listens.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The address.
    pub addr: SocketAddr,
    /// The Unix socket, if there is one.
    pub socket: Option<PathBuf>,
}

fn is_loopback(addr: SocketAddr) -> bool {
    addr.ip().to_canonical().is_loopback()
}

/// Starts listening. Returns the addresses, and a future that serves until `shutdown` completes. Connections queue until
/// the future is polled.
pub async fn bind(
    kernel: impl Into<KernelSlot>,
    config: ServerConfig,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<(Bound, impl Future<Output = io::Result<()>> + Send)> {
    let listener = TcpListener::bind(config.addr).await?;
    let addr = listener.local_addr()?;
    let socket = match &config.socket {
        Some(path) => open(path),
        None => None,
    };
    let bound = Bound { addr, socket: socket.as_ref().map(|socket| socket.path().to_owned()) };
    let token_required = config.require_token || !is_loopback(addr);
    let app = App::new(kernel.into(), addr, &config, token_required);
    Ok((bound, accept(listener, socket, app, config, shutdown)))
}

/// The Unix socket; `None`, with a line in the log, if it cannot be had. A server works without it.
fn open(path: &Path) -> Option<Socket> {
    match Socket::open(path) {
        Ok(Some(socket)) => Some(socket),
        Ok(None) => {
            tracing::info!(path = %path.display(), "another server has the Unix socket of this store");
            None
        }
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "the Unix socket could not be opened");
            None
        }
    }
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
    socket: Option<Socket>,
    app: App,
    config: ServerConfig,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let router = router(app.clone());
    let connections = GracefulShutdown::new();
    let door = Door { router: &router, config: &config, connections: &connections };
    let from_network = door.keep_open(&listener);
    // The socket has its own share of connections, so that an operator gets in when the network does not.
    let from_machine = async {
        match &socket {
            Some(socket) => door.keep_open(socket).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = from_network => {}
        () = from_machine => {}
        () = shutdown => {}
    }
    drop(listener);
    drop(socket);
    app.close();
    if tokio::time::timeout(config.shutdown_grace, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests were still open at shutdown; their runs continue");
    }
    Ok(())
}

/// Takes connections in.
pub(crate) trait Listener: Sync {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// The next connection, with its other end.
    fn next(&self) -> impl Future<Output = io::Result<(Self::Stream, Peer)>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> io::Result<(TcpStream, Peer)> {
        let (stream, peer) = self.accept().await?;
        drop(stream.set_nodelay(true));
        Ok((stream, Peer::Tcp(peer)))
    }
}

/// Where connections come in.
struct Door<'a> {
    router: &'a Router,
    config: &'a ServerConfig,
    connections: &'a GracefulShutdown,
}

impl Door<'_> {
    /// Serves every connection that comes in, a bounded number at a time.
    async fn keep_open<L: Listener>(&self, listener: &L) {
        let permits = Arc::new(Semaphore::new(self.config.max_connections.max(1)));
        loop {
            let Ok(permit) = permits.clone().acquire_owned().await else { return };
            match listener.next().await {
                Ok((stream, peer)) => self.connect(permit, stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves one connection in a task of its own.
    fn connect<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        stream: S,
        peer: Peer,
    ) {
        let router = self.router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer.clone());
            router.clone().oneshot(request)
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(self.config.header_timeout).max_buf_size(MAX_HEAD);
        let connection = self.connections.watch(builder.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(permit);
        });
    }
}
