//! Why a server did not do what was asked.

use std::fmt;

use brain_server::Inside;
use brain_server::wire::ProblemDocument;
use reqwest::StatusCode;

/// A problem document, as the server sent it.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) ProblemDocument);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl std::error::Error for Refused {}

/// The problem in a response. In this process nothing has to be kept from the user.
pub(super) fn refused(status: StatusCode, bytes: &[u8], inside: Option<Inside>) -> Refused {
    let mut document: ProblemDocument = serde_json::from_slice(bytes).unwrap_or_else(|_| {
        ProblemDocument::of_command(&format!(
            "the server answered {status}, but it does not seem to be Brain; check the URL"
        ))
    });
    if let Some(Inside(reason)) = inside {
        document.detail = reason;
        document.error_id = None;
    }
    if status == StatusCode::UNAUTHORIZED {
        document
            .detail
            .push_str(" Give one with --token, BRAIN_TOKEN or a profile; `brain admin token new` makes one.");
    }
    Refused(document)
}

/// No server can be reached.
pub(super) fn unreachable(url: &str, is_socket: bool, error: &reqwest::Error) -> Refused {
    Refused(ProblemDocument::of_unreachable(&why_unreachable(url, is_socket, error)))
}

fn why_unreachable(url: &str, is_socket: bool, error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if is_socket {
        return format!("the server of this store did not answer ({cause}); run the command again");
    }
    if error.is_connect() {
        return format!(
            "no server answers at {url} ({cause}). Start one with `brain serve`, or name another with --server URL"
        );
    }
    format!("the request to {url} failed: {cause}")
}
