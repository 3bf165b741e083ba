//! Extractors. Invalid input becomes a problem that names the field.

use brain_core::StatusError;
use std::str::FromStr;

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::body_limit::{Room, SMALL};
use crate::problem::{BAD_BODY, BAD_ID, BAD_JSON, BODY_TIMEOUT, BODY_TOO_LARGE, Problem, UNSUPPORTED_MEDIA_TYPE};
use crate::wire::Object;

/// Maximum size of a JSON body, in bytes.
pub(crate) const MAX_BODY: usize = 64 * 1024 * 1024;
/// How much of an oversized body is read and dropped, because a client that is still writing would miss the response.
const MAX_DISCARDED: usize = 80 * 1024 * 1024;
/// Timeout for a small body, or for the next piece of a large one.
const BODY_TIME: Duration = Duration::from_secs(30);
/// Default page size.
const DEFAULT_LIMIT: u64 = 50;
/// Maximum page size.
pub(crate) const MAX_LIMIT: u64 = 200;

pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let json = is_json(request.headers());
        let bytes = read(request).await?;
        if !json {
            let detail = "Send the body with the header `Content-Type: application/json`.";
            return Err(Problem::new(UNSUPPORTED_MEDIA_TYPE, detail));
        }
        parse_anywhere(bytes).await.map(|Object(inner)| Self(inner))
    }
}

/// The raw body, for checking its signature.
pub(crate) struct RawBody(pub(crate) Vec<u8>);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        read(request).await.map(Self)
    }
}

/// A JSON body that may be absent or null, which count as `{}`.
pub(crate) struct OptionalJson<T>(pub(crate) T);

impl<T: DeserializeOwned + Default + Send + 'static, S: Send + Sync> FromRequest<S> for OptionalJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let json = is_json(request.headers());
        let bytes = read(request).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        if !json {
            let detail = "Send the body with the header `Content-Type: application/json`, or none at all.";
            return Err(Problem::new(UNSUPPORTED_MEDIA_TYPE, detail));
        }
        let given: Option<Object<T>> = parse_anywhere(bytes).await?;
        Ok(Self(given.map(|Object(inner)| inner).unwrap_or_default()))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads a body within its limits.
async fn read(request: Request) -> Result<Vec<u8>, Problem> {
    let room = request.extensions().get::<Room>().cloned();
    let mut body = request.into_body();
    let mut read = Vec::new();
    let mut more = declared_length(&body) <= MAX_BODY as u64;
    let mut fits = more;
    while more {
        let goal = read.len() + SMALL;
        more = fill(&mut body, &mut read, goal).await?;
        fits = read.len() <= MAX_BODY;
        more &= fits;
        if more && let Some(room) = &room {
            room.take().await;
        }
    }
    if fits {
        return Ok(read);
    }
    drop(read);
    discard(&mut body).await;
    Err(Problem::new(BODY_TOO_LARGE, format!("A body may have at most {MAX_BODY} bytes.")))
}

/// The declared length of a body; 0 if it is not declared.
pub(crate) fn declared_length(body: &Body) -> u64 {
    body.size_hint().lower()
}

/// Reads until there are at least `goal` bytes; `false` if the body ended before.
pub(crate) async fn fill(body: &mut Body, bytes: &mut Vec<u8>, goal: usize) -> Result<bool, Problem> {
    let arrive = async {
        while bytes.len() < goal {
            let Some(frame) = body.frame().await else { return Ok(false) };
            let frame = frame.map_err(|error| Problem::new(BAD_BODY, error.to_string()))?;
            if let Ok(data) = frame.into_data() {
                bytes.extend_from_slice(&data);
            }
        }
        Ok(true)
    };
    match tokio::time::timeout(BODY_TIME, arrive).await {
        Ok(result) => result,
        Err(_) => {
            let seconds = BODY_TIME.as_secs();
            Err(Problem::new(
                BODY_TIMEOUT,
                format!("The body arrived too slowly, or nothing arrived for {seconds} seconds."),
            ))
        }
    }
}

/// Reads and drops more of an unwanted body.
pub(crate) async fn discard(body: &mut Body) {
    let mut left = MAX_DISCARDED;
    let rest = async {
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                return;
            }
        }
    };
    drop(tokio::time::timeout(BODY_TIME, rest).await);
}

/// [`parse`], on a blocking thread if the body is large.
async fn parse_anywhere<T: DeserializeOwned + Send + 'static>(bytes: Vec<u8>) -> Result<T, Problem> {
    if bytes.len() <= SMALL {
        return parse(&bytes);
    }
    let parsed = tokio::task::spawn_blocking(move || parse(&bytes)).await;
    parsed.unwrap_or_else(|error| Err(Problem::internal(&error.to_string())))
}

/// Reads JSON. A syntax error is reported with line and column, a value of the wrong type with its path.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if bytes.is_empty() {
        return Err(Problem::new(BAD_JSON, "The body is empty."));
    }
    // Check the whole syntax first, so that broken JSON is never reported as a wrong value.
    serde_json::from_slice::<Value>(bytes).map_err(|error| {
        let detail = format!("Line {}, column {}: {}.", error.line(), error.column(), without_place(&error));
        Problem::new(BAD_JSON, detail)
    })?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "" } else { path.as_str() };
        match without_place(error.inner()).as_str() {
            // serde_json's message for a non-string where one of a few words is expected.
            "expected value" => Problem::invalid(field, "this must be text"),
            message => Problem::invalid(field, with_suggestion(message)),
        }
    })
}

/// The error message without the trailing "at line … column …".
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Rewords an error about a wrong type, and adds "did you mean …?" to one about an unknown name:
/// ``unknown field `a`, expected one of `b`, `c` ``.
fn with_suggestion(message: &str) -> String {
    let wrong = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((got, wanted)) = wrong.and_then(|wrong| wrong.rsplit_once(", expected a ")) {
        // `string "many"` is `"many"`.
        return format!("must be a {wanted}, got {}", got.strip_prefix("string ").unwrap_or(got));
    }
    if !message.starts_with("unknown field") && !message.starts_with("unknown variant") {
        return message.to_owned();
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let Some(wrong) = names.next() else { return message.to_owned() };
    match nearest(wrong, names) {
        Some(better) => format!("{message}; did you mean `{better}`?"),
        None => message.to_owned(),
    }
}

/// The candidate that is most similar to a wrong name, if one is similar enough.
pub(crate) fn nearest<'c>(wrong: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    const ALIKE: f64 = 0.8;
    let scored = candidates.map(|name| (strsim::jaro_winkler(wrong, name), name));
    scored.filter(|(score, _)| *score >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// The parameters in a route's path.
pub(crate) struct UrlPath<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for UrlPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(inner)| Self(inner)).map_err(|rejection| Problem::new(BAD_ID, rejection.body_text()))
    }
}

/// The query string.
pub(crate) struct UrlQuery<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for UrlQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::<T>::try_from_uri(&parts.uri);
        query.map(|Query(inner)| Self(inner)).map_err(|rejection| {
            let text = rejection.body_text();
            let message = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
            match message.split_once(": ") {
                Some((field, message)) if !field.contains(' ') => Problem::invalid(field, with_suggestion(message)),
                _ => Problem::invalid("", with_suggestion(message)),
            }
        })
    }
}

/// The page size.
pub(crate) fn page_limit(given: Option<u64>) -> Result<usize, Problem> {
    let limit = bounded("limit", given, DEFAULT_LIMIT, 1, MAX_LIMIT)?;
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The cursor; an empty one means the first page.
pub(crate) fn page_cursor(given: &Option<String>) -> Option<&str> {
    given.as_deref().filter(|cursor| !cursor.is_empty())
}

/// A number within its limits.
pub(crate) fn bounded(field: &str, given: Option<u64>, default: u64, least: u64, most: u64) -> Result<u64, Problem> {
    let value = given.unwrap_or(default);
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(Problem::invalid(field, format!("{value} is not between {least} and {most}")))
}

/// Checks that a text is one of a few words.
pub(crate) fn one_of(field: &str, given: Option<&str>, words: &[&str]) -> Result<(), Problem> {
    let Some(given) = given else { return Ok(()) };
    if words.contains(&given) {
        return Ok(());
    }
    let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    Err(Problem::invalid(field, format!("`{given}` is not one of {list}")))
}

/// Parses a status.
pub(crate) fn status_of<T: FromStr<Err = StatusError>>(field: &str, given: Option<&str>) -> Result<Option<T>, Problem> {
    given.map(str::parse).transpose().map_err(|error: StatusError| Problem::invalid(field, error.to_string()))
}

/// Checks the length of a text.
pub(crate) fn short_text(field: &str, text: &str, most: usize) -> Result<(), Problem> {
    if text.len() <= most {
        return Ok(());
    }
    let message = format!("it has {} bytes; at most {most} are allowed", text.len());
    Err(Problem::invalid(field, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::RunRequest;

    fn problem(text: &str) -> String {
        format!("{:?}", parse::<Object<RunRequest>>(text.as_bytes()).map(|_| ()).unwrap_err())
    }

    #[test]
    fn a_syntax_error_is_reported_with_its_position_even_after_a_wrong_value() {
        let text = problem("{\"mode\": 5,\n  oops}");
        assert!(text.contains("bad_json") && text.contains("Line 2, column 3"), "{text}");
    }

    #[test]
    fn a_misspelt_field_gets_a_suggestion() {
        let text = problem(r#"{"mesage": "hi"}"#);
        assert!(text.contains("mesage") && text.contains("did you mean `message`?"), "{text}");
    }

    #[test]
    fn a_wrong_value_is_reported_with_its_path() {
        let text = problem(r#"{"message": "hi", "limits": {"max_tool_calls": "ten"}}"#);
        assert!(text.contains("limits.max_tool_calls"), "{text}");
    }
}
