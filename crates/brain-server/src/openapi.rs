//! The OpenAPI document, generated from the handlers.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, InfoBuilder, OpenApi, PathItem, Ref, RefOr, Response, Server, Tag};
use utoipa::{PartialSchema, ToSchema};

use crate::app::api;
use crate::problem::PROBLEM_JSON;
use crate::wire::{FieldProblem, ProblemDocument};

/// Problems that any route may return.
const ANYWHERE: [(&str, &str); 4] = [
    ("401", "A valid token is required."),
    ("403", "The request was not meant for this server, comes from another web site, or lacks a permission."),
    ("500", "An internal error; the server's log has details under `error_id`."),
    ("503", "The server is not ready, or the response took too long."),
];

/// Problems of any route that takes a body.
const WITH_BODY: [(&str, &str); 3] = [
    ("408", "The body did not arrive in time."),
    ("413", "The body is too large."),
    ("415", "The body is not declared as JSON."),
];

const ABOUT: &str = "\
Type a request in plain words; Brain checks it, runs it once and keeps a receipt.

Errors are problem documents (RFC 9457) with a stable `code`. Lists take `limit` and `cursor` and answer `items` and \
`next_cursor`.

On a loopback address no token is needed, and the `Host` and `Origin` headers must name this server. Everywhere else \
a bearer token is required (`brain admin token new`).

`Idempotency-Key` is honoured on `POST /v1/runs`. The other `POST`s act on something that exists and can be sent \
again safely: repeating a decision that was already made returns a `409`.";

const TAGS: [(&str, &str); 10] = [
    ("runs", "Submit requests and read their results"),
    ("tools", "The available tools"),
    ("records", "Stored business objects"),
    ("blobs", "Files and other large values"),
    ("jobs", "Work for external workers, and callbacks of other engines"),
    ("approvals", "Plans and steps that are waiting for approval"),
    ("dead-letters", "Failed jobs that are waiting for a person"),
    ("learning", "How requests are understood, and taught or learned phrases"),
    ("events", "All changes of runs, in pages or as a stream"),
    ("system", "The server itself"),
];

/// The OpenAPI 3.1 document of the API.
pub fn openapi() -> OpenApi {
    let mut document = api().into_openapi();
    let info = InfoBuilder::new().title("Brain").version(env!("CARGO_PKG_VERSION")).description(Some(ABOUT));
    document.info = info.license(Some(utoipa::openapi::License::new("Apache-2.0"))).build();
    let mut here = Server::new("/");
    here.description = Some("The server that this document came from".into());
    document.servers = Some(vec![here]);
    document.tags = Some(TAGS.iter().map(|(name, about)| tag(name, about)).collect());
    document.security =
        Some(vec![SecurityRequirement::new("bearer", Vec::<String>::new()), SecurityRequirement::default()]);
    let components = document.components.get_or_insert_with(Components::new);
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some("A token made by `brain admin token new`; not needed on a loopback address.".into());
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    components.schemas.insert(ProblemDocument::name().into_owned(), ProblemDocument::schema());
    components.schemas.insert(FieldProblem::name().into_owned(), FieldProblem::schema());
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            complete(operation);
        }
    }
    document
}

/// The schema of a text that is one of a few words.
pub(crate) fn words(words: impl IntoIterator<Item = &'static str>) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
}

fn tag(name: &str, about: &str) -> Tag {
    let mut tag = Tag::new(name);
    tag.description = Some(about.to_owned());
    tag
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten()
}

/// Adds the problems that any route may return, and those of a body, and gives every problem its body.
fn complete(operation: &mut Operation) {
    let of_body = WITH_BODY.iter().filter(|_| operation.request_body.is_some());
    for (status, description) in ANYWHERE.iter().chain(of_body).copied() {
        let responses = &mut operation.responses.responses;
        responses.entry(status.to_owned()).or_insert_with(|| RefOr::T(Response::new(description)));
    }
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && (status.starts_with('4') || status.starts_with('5'))
        {
            let content = Content::new(Some(Ref::from_schema_name(ProblemDocument::name())));
            response.content.insert(PROBLEM_JSON.to_owned(), content.into());
        }
    }
}
