//! A replacement for the network, which the simulation implements.

use brain_core::Millis;
use brain_engine::HostFuture;

/// A request to an external system.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The HTTP method.
    pub method: String,
    /// The target.
    pub url: String,
    /// Headers; names are in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How long to wait for the response.
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

/// A response of an external system.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// The status code.
    pub status: u16,
    /// Headers; names are in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no response.
#[derive(Clone, Debug)]
pub enum NoAnswer {
    /// The connection failed, so nothing was sent.
    NotConnected(String),
    /// The request may have been received; the timeout passed.
    TimedOut,
    /// The request may have been received; the connection broke.
    Broken(String),
}

/// Sends requests in place of the network.
pub trait Carrier: Send + Sync + 'static {
    /// Sends one request.
    fn carry(&self, request: Outgoing) -> HostFuture<Result<Incoming, NoAnswer>>;
}
