//! Who carries requests to outside systems, if not the network: the simulation.

use brain_core::Millis;
use brain_engine::HostFuture;

/// A request on its way out.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// Where it goes.
    pub url: String,
    /// Its headers. Names are in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
    /// How long an answer is waited for.
    pub timeout: Millis,
}

impl Outgoing {
    pub(crate) fn of(request: &reqwest::Request, timeout: Millis) -> Self {
        let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default().to_vec();
        Self {
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers: request.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
            body,
            timeout,
        }
    }
}

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Its status.
    pub status: u16,
    /// Its headers. Names are in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why no answer came.
#[derive(Clone, Debug)]
pub enum NoAnswer {
    /// There was no connection, so nothing was sent.
    NotConnected(String),
    /// The request may have been received; time ran out.
    TimedOut,
    /// The request may have been received; the connection broke.
    Broken(String),
}

/// Carries requests in place of the network.
pub trait Carrier: Send + Sync + 'static {
    /// Carries one request.
    fn carry(&self, request: Outgoing) -> HostFuture<Result<Incoming, NoAnswer>>;
}
