//! The client of the HTTP API. Every command that works on runs, records or phrases speaks it, whether a server answers
//! over the network, the server of the store answers over its Unix socket, or a kernel in this process does.

mod error;
mod socket;
mod target;

use std::sync::Arc;

use anyhow::{Context, Result};
use axum::body::Body;
use brain_kernel::Kernel;
use brain_server::{Inside, Local};
use brain_store::MemoryStore;
use reqwest::header::{AUTHORIZATION, HeaderValue, USER_AGENT};
use reqwest::{Method, Request, Response, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use self::error::Refused;
pub(crate) use self::socket::path as socket_path;
pub(crate) use self::target::{Target, masked_url, target};
use crate::cli::Global;
use crate::commands::Usage;
use crate::open::{self, StoreLocation};
use crate::system::user_name;

/// Names the command line in requests.
const AGENT: &str = concat!("brain-cli/", env!("CARGO_PKG_VERSION"));
/// The host in requests that no network carries.
const HERE: &str = "http://localhost";

/// What a command needs of a store in this process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It reads: the store must exist.
    Existing,
    /// It writes: the store is made if there is none.
    Writable,
    /// It reads if there is something to read; an empty store does too.
    Optional,
}

/// Speaks the API.
pub(crate) struct Client {
    way: Way,
    tenant: Option<HeaderValue>,
    actor: Option<HeaderValue>,
}

enum Way {
    /// Over a connection.
    Server { client: reqwest::Client, url: String, token: Option<HeaderValue>, is_socket: bool },
    /// In this process.
    Here { api: Local, kernel: Arc<Kernel> },
}

impl Client {
    /// Connects to the server that is configured, else to the one that serves the store, else starts a kernel. Needs a
    /// runtime.
    pub(crate) fn open(global: &Global, need: Need) -> Result<Self> {
        // A name that no tenant can have is wrong usage, also without a store.
        open::scope(global)?;
        match target(global)? {
            Target::Server { url, token, tenant } => Self::to_server(global, &url, token.as_deref(), tenant.as_deref()),
            Target::Store => match socket::of_running_server(global)? {
                Some(path) => {
                    if global.settings.is_given("packs") && !global.quiet && !global.json {
                        anstream::eprintln!(
                            "note: a server is running on this store and uses its own packs; --pack is ignored"
                        );
                    }
                    let client = builder().unix_socket(path).build()?;
                    Self::with(global, Way::Server { client, url: HERE.into(), token: None, is_socket: true })
                }
                None => Self::here(global, need),
            },
        }
    }

    fn to_server(global: &Global, url: &str, token: Option<&str>, tenant: Option<&str>) -> Result<Self> {
        let url = url.trim_end_matches('/');
        Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(
            || {
                Usage(format!(
                    "`{}` is not the URL of a server; write one such as http://127.0.0.1:7700",
                    masked_url(url)
                ))
            },
        )?;
        let token = token.map(|token| secret(&format!("Bearer {token}"))).transpose()?;
        let way = Way::Server { client: builder().build()?, url: url.to_owned(), token, is_socket: false };
        let mut client = Self::with(global, way)?;
        if let Some(tenant) = tenant.filter(|_| !global.settings.is_given("tenant")) {
            client.tenant = Some(HeaderValue::from_str(tenant)?);
        }
        Ok(client)
    }

    /// A kernel of this process.
    fn here(global: &Global, need: Need) -> Result<Self> {
        let empty = match (need, open::location(global)?) {
            (Need::Existing, _) => {
                open::expect_store(global)?;
                false
            }
            (Need::Writable, _) => false,
            (Need::Optional, StoreLocation::Sqlite(path)) => !path.exists(),
            (Need::Optional, _) => false,
        };
        let kernel = match empty {
            true => open::kernel_over(global, open::registry(global)?, Arc::new(MemoryStore::new()), false)?,
            false => open::kernel(global, false)?,
        };
        Self::over(global, kernel)
    }

    /// The API of a kernel that runs already.
    pub(crate) fn over(global: &Global, kernel: Arc<Kernel>) -> Result<Self> {
        let api = Local::new(kernel.clone(), &user_name());
        Self::with(global, Way::Here { api, kernel })
    }

    fn with(global: &Global, way: Way) -> Result<Self> {
        let text = |name: &Option<String>, key: &str| {
            let value = name.as_ref().map(|name| HeaderValue::from_str(name)).transpose();
            value.with_context(|| format!("`{key}` must be plain text"))
        };
        Ok(Self { way, tenant: text(&global.tenant, "tenant")?, actor: text(&global.acting_as, "as")? })
    }

    /// Whether a server answers, so that nothing is done in this process.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self.way, Way::Server { .. })
    }

    /// Ends what runs in this process.
    pub(crate) fn close(&self) {
        if let Way::Here { kernel, .. } = &self.way {
            kernel.engine().stop();
        }
    }

    /// Reads something.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.ask(path, &[]).await
    }

    /// Reads something with parameters; those without a value are left out.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, path: &str, query: &[(&str, Option<String>)]) -> Result<T> {
        let request = self.request(Method::GET, path, query)?;
        self.json(request).await
    }

    /// Sends something.
    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let mut request = self.request(Method::POST, path, &[])?;
        request.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(serde_json::to_vec(body)?.into());
        self.json(request).await
    }

    async fn json<T: DeserializeOwned>(&self, request: Request) -> Result<T> {
        let bytes = self.send(request).await?.bytes().await.context("the server's response was cut off")?;
        serde_json::from_slice(&bytes)
            .context("the server's response cannot be parsed; it may run another version of Brain")
    }

    /// A request to be completed and sent.
    pub(crate) fn request(&self, method: Method, path: &str, query: &[(&str, Option<String>)]) -> Result<Request> {
        let base = match &self.way {
            Way::Server { url, .. } => url.as_str(),
            Way::Here { .. } => HERE,
        };
        let mut url = Url::parse(&format!("{base}{path}"))?;
        for (name, value) in query {
            if let Some(value) = value {
                url.query_pairs_mut().append_pair(name, value);
            }
        }
        let mut request = Request::new(method, url);
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        for (name, value) in [("brain-tenant", &self.tenant), ("brain-actor", &self.actor)] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
        if let Way::Server { token: Some(token), .. } = &self.way {
            headers.insert(AUTHORIZATION, token.clone());
        }
        Ok(request)
    }

    /// Sends a request; a problem document as the response is an error.
    pub(crate) async fn send(&self, request: Request) -> Result<Response> {
        let response = match &self.way {
            Way::Server { client, url, is_socket, .. } => client
                .execute(request)
                .await
                .map_err(|error| error::unreachable(&masked_url(url), *is_socket, &error))?,
            Way::Here { api, .. } => {
                let request = axum::http::Request::<reqwest::Body>::try_from(request)?.map(Body::new);
                let (parts, body) = api.call(request).await.into_parts();
                let body = reqwest::Body::wrap_stream(body.into_data_stream());
                Response::from(axum::http::Response::from_parts(parts, body))
            }
        };
        if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
            return Ok(response);
        }
        let (status, inside) = (response.status(), response.extensions().get::<Inside>().cloned());
        let bytes = response.bytes().await.unwrap_or_default();
        Err(error::refused(status, &bytes, inside).into())
    }
}

/// Whether a server listens on the socket of the store.
pub(crate) fn listens(global: &Global) -> Result<bool> {
    Ok(socket::of_running_server(global)?.is_some())
}

fn builder() -> reqwest::ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy()
}

/// A header that is never shown.
fn secret(text: &str) -> Result<HeaderValue> {
    let mut value =
        HeaderValue::from_str(text).ok().context("the token contains characters that are not allowed in a token")?;
    value.set_sensitive(true);
    Ok(value)
}
