//! Every kind of problem that the server returns, and its conversion to a problem document.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use brain_engine::EngineError;
use brain_kernel::KernelError;
use brain_store::StoreError;

use crate::wire::{FieldProblem, ProblemDocument};

/// The media type of a problem document.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Stable, machine-readable.
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The kind in words.
    pub title: &'static str,
}

macro_rules! kinds {
    ($($name:ident = $status:literal $code:literal $title:literal;)*) => {
        $(pub(crate) const $name: Kind = Kind { code: $code, status: $status, title: $title };)*

        /// Every kind of problem that the server returns.
        pub const KINDS: &[Kind] = &[$($name),*];
    };
}

kinds! {
    BAD_JSON = 400 "bad_json" "Invalid JSON";
    BAD_BODY = 400 "bad_body" "Unreadable body";
    BAD_ID = 400 "bad_id" "Invalid id in path";
    BAD_CURSOR = 400 "bad_cursor" "Invalid cursor";
    BAD_KEY = 400 "bad_idempotency_key" "Invalid Idempotency-Key";
    UNAUTHORIZED = 401 "unauthorized" "Authentication required";
    NOT_ALLOWED = 403 "not_allowed" "Not permitted";
    HOST_NOT_ALLOWED = 403 "host_not_allowed" "Host not allowed";
    ORIGIN_NOT_ALLOWED = 403 "origin_not_allowed" "Origin not allowed";
    NOT_FOUND = 404 "not_found" "Not found";
    NO_SUCH_RUN = 404 "no_such_run" "Run not found";
    NO_SUCH_TOOL = 404 "no_such_tool" "Tool not found";
    NO_SUCH_RECORD_TYPE = 404 "no_such_record_type" "Record type not found";
    NO_SUCH_RECORD = 404 "no_such_record" "Record not found";
    NO_SUCH_APPROVAL = 404 "no_such_approval" "Approval not found";
    NO_SUCH_LETTER = 404 "no_such_dead_letter" "Dead letter not found";
    NO_SUCH_BLOB = 404 "no_such_blob" "Blob not found";
    METHOD_NOT_ALLOWED = 405 "method_not_allowed" "Method not allowed";
    BODY_TIMEOUT = 408 "body_timeout" "Body not received in time";
    ALREADY_DECIDED = 409 "already_decided" "Already decided";
    PACK_NOT_LOADED = 409 "pack_not_loaded" "Pack of the run not loaded";
    CONFLICT = 409 "conflict" "Conflict with the current state";
    BODY_TOO_LARGE = 413 "body_too_large" "Body too large";
    MESSAGE_TOO_LARGE = 413 "message_too_large" "Message too long";
    UNSUPPORTED_MEDIA_TYPE = 415 "unsupported_media_type" "Unsupported media type";
    RANGE_NOT_SATISFIABLE = 416 "range_not_satisfiable" "Range not satisfiable";
    INVALID_REQUEST = 422 "invalid_request" "Invalid request";
    PACKS_REFUSED = 422 "packs_refused" "Packs have errors";
    EMPTY_MESSAGE = 422 "empty_message" "Empty request";
    KEY_REUSED = 422 "idempotency_key_reused" "Idempotency key reused";
    INTERNAL = 500 "internal" "Internal error";
    STORE_FAILED = 503 "store_failed" "Storage unavailable";
    BUSY = 503 "busy" "Too many requests waiting";
    NOT_READY = 503 "not_ready" "Not ready";
    TIMED_OUT = 503 "timed_out" "Timed out";
}

/// The code of a problem, in the extensions of its response, for the log.
#[derive(Clone, Copy)]
pub(crate) struct Code(pub(crate) &'static str);

/// What failed inside, in the extensions of a response: never sent, but somebody in the same process may read it.
#[derive(Clone, Debug)]
pub struct Inside(pub String);

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Problem(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    detail: String,
    errors: Vec<FieldProblem>,
    error_id: Option<String>,
    headers: BTreeMap<&'static str, &'static str>,
    inside: Option<String>,
}

impl Problem {
    pub(crate) fn new(kind: Kind, detail: impl Into<String>) -> Self {
        let (errors, error_id, headers, inside) = (Vec::new(), None, BTreeMap::new(), None);
        Self(Box::new(Inner { kind, detail: detail.into(), errors, error_id, headers, inside }))
    }

    /// The document that the client gets.
    pub(crate) fn document(&self) -> ProblemDocument {
        let Inner { kind: Kind { code, status, title }, detail, errors, error_id, .. } = &*self.0;
        ProblemDocument {
            kind: format!("urn:brain:error:{code}"),
            title: (*title).to_owned(),
            status: *status,
            detail: detail.clone(),
            code: (*code).to_owned(),
            errors: errors.clone(),
            error_id: error_id.clone(),
        }
    }

    /// An invalid part of the request.
    pub(crate) fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::invalid_fields(vec![FieldProblem { field: field.to_owned(), message: message.into() }])
    }

    /// Invalid parts of the request. There must be at least one.
    pub(crate) fn invalid_fields(errors: Vec<FieldProblem>) -> Self {
        let lines = errors.iter().map(|error| match error.field.as_str() {
            "" => error.message.clone(),
            field => format!("{field}: {}", error.message),
        });
        let detail = lines.collect::<Vec<_>>().join("; ");
        let mut problem = Self::new(INVALID_REQUEST, detail);
        problem.0.errors = errors;
        problem
    }

    /// An invalid id in the path.
    pub(crate) fn bad_id(error: &brain_core::IdError) -> Self {
        Self::new(BAD_ID, error.to_string())
    }

    /// A bug of ours: the caller gets an id, the log gets the reason.
    pub(crate) fn internal(reason: &str) -> Self {
        let id = crate::request_id::new_id();
        tracing::error!(error_id = %id, %reason, "a request failed with an internal error");
        let detail =
            format!("This is a bug in Brain, not in your request. The server's log has details under the id {id}.");
        let mut problem = Self::new(INTERNAL, detail);
        problem.0.error_id = Some(id);
        problem.0.inside = Some(reason.to_owned());
        problem
    }

    /// A full disk, a lock, an unreachable database: possibly temporary. The caller gets advice and an id, the log gets
    /// the reason.
    pub(crate) fn store_failed(error: &StoreError) -> Self {
        let id = crate::request_id::new_id();
        tracing::error!(error_id = %id, %error, "the store failed");
        let what = match error {
            StoreError::Full(_) => "The store's disk is full; free some space.",
            StoreError::Locked(_) => "Another program has locked records in the database that this request needs.",
            _ => "The store cannot be used at the moment: its database is unreachable or its disk is failing.",
        };
        let detail = format!(
            "{what} The server's log has the details under the id {id}. Try again later with the same Idempotency-Key; \
             nothing is done twice."
        );
        let mut problem = Self::new(STORE_FAILED, detail).with_header("retry-after", "1");
        problem.0.error_id = Some(id);
        problem.0.inside = Some(error.to_string());
        problem
    }

    pub(crate) fn with_errors(mut self, errors: Vec<FieldProblem>) -> Self {
        self.0.errors = errors;
        self
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.0.headers.insert(name, value);
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.document()).unwrap_or_default();
        let Inner { kind, headers, inside, .. } = *self.0;
        let mut response = Response::new(Body::from(body));
        if let Some(reason) = inside {
            response.extensions_mut().insert(Inside(reason));
        }
        response.extensions_mut().insert(Code(kind.code));
        *response.status_mut() = StatusCode::from_u16(kind.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        for (name, value) in headers {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }
}

impl From<KernelError> for Problem {
    fn from(error: KernelError) -> Self {
        let kind = match &error {
            KernelError::TooLong(_) => MESSAGE_TOO_LARGE,
            KernelError::Empty => EMPTY_MESSAGE,
            KernelError::KeyReused(_) => KEY_REUSED,
            KernelError::NoSuchRun(_) => NO_SUCH_RUN,
            KernelError::NoSuchApproval(_) => NO_SUCH_APPROVAL,
            KernelError::NoSuchLetter(_) => NO_SUCH_LETTER,
            KernelError::AlreadyDecided => ALREADY_DECIDED,
            KernelError::NotAllowed(_) => NOT_ALLOWED,
            KernelError::Conflict(_) => CONFLICT,
            KernelError::PackNotLoaded { .. } => PACK_NOT_LOADED,
            KernelError::Refused(_) => INVALID_REQUEST,
            KernelError::BadCursor(_) => BAD_CURSOR,
            KernelError::Store(error) => return Self::store_failed(error),
            KernelError::Busy => return Self::new(BUSY, error.to_string()).with_header("retry-after", "1"),
            KernelError::Internal(reason) => return Self::internal(reason),
        };
        Self::new(kind, error.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        KernelError::from(error).into()
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        KernelError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_is_used_once() {
        let codes: BTreeSet<&str> = KINDS.iter().map(|kind| kind.code).collect();
        assert_eq!(codes.len(), KINDS.len());
    }

    #[test]
    fn an_internal_problem_shows_the_caller_only_an_id() {
        let problem = Problem::from(KernelError::Internal("disk 3 is on fire".into()));
        assert!(problem.0.error_id.is_some());
        assert!(!problem.0.detail.contains("disk"));
        let problem = Problem::from(StoreError::Failed("disk 3 is full".into()));
        assert_eq!((problem.0.kind, problem.0.detail.contains("disk 3")), (STORE_FAILED, false));
    }

    #[test]
    fn a_store_problem_names_its_cause() {
        let said = |error: StoreError| Problem::from(error).document().detail;
        let locked = said(StoreError::Locked("lock timeout".into()));
        assert!(locked.contains("locked records") && !locked.contains("disk"), "{locked}");
        let full = said(StoreError::Full("database or disk is full".into()));
        assert!(full.contains("store's disk is full") && !full.contains("database is unreachable"), "{full}");
        let away = said(StoreError::Failed("connection refused".into()));
        assert!(away.contains("database is unreachable"), "{away}");
        let kernel = Problem::from(KernelError::from(StoreError::Locked("lock timeout".into())));
        assert!(kernel.document().detail.contains("locked records"), "the cause survives the kernel");
    }
}
