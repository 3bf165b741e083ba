//! `/v1/events`: every change of every run of a tenant, in pages or as a stream.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use brain_core::RunId;
use brain_kernel::Kernel;
use brain_store::{BrokenRow, Scope, StoreError, SystemScope};
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{UrlQuery, page_limit};
use crate::guard::Caller;
use crate::problem::{BAD_CURSOR, Problem};
use crate::wire::{FeedEvent, FeedId, Page, run_events};

/// Rows per read of a stream.
const AT_A_TIME: usize = 100;
/// Interval at which a stream polls, whether it was notified or not.
const LOOK: Duration = Duration::from_secs(1);
/// Events within this interval are sent together.
const BREATH: Duration = Duration::from_millis(20);
/// The name of the event that replaces an unreadable log row.
const UNREADABLE: &str = "unreadable";
/// The name of a server-sent event with a problem document, sent when the feed cannot be read.
const PROBLEM: &str = "problem";
/// Interval of keep-alive comments on an idle stream.
const ALIVE: Duration = Duration::from_secs(15);

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(stream))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only this run.
    #[param(format = "uuid")]
    run: Option<String>,
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page, or the `id` of an event.
    cursor: Option<String>,
}

/// List events, oldest first.
///
/// `next_cursor` is always present: pass it later to get what has happened since. No event is ever missed, and the
/// order never changes.
#[utoipa::path(
    get, path = "/v1/events", tag = "events", operation_id = "list_events", params(ListQuery),
    responses(
        (status = 200, description = "Events", body = Page<FeedEvent>),
        (status = 400, description = "The cursor does not belong to this list, or the run is not a UUID."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn list(
    State(app): State<App>,
    caller: Caller,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Page<FeedEvent>>, Problem> {
    let limit = page_limit(query.limit)?;
    let after = place(query.cursor.as_deref())?.unwrap_or_default();
    let run = run_id(query.run.as_deref())?;
    app.read(move |kernel| {
        let (mut items, mut upto) = read(kernel, &caller.scope, after, run, limit)?;
        if items.len() > limit {
            items.truncate(limit);
            upto = items.last().and_then(|last| last.id.parse().ok()).unwrap_or(upto);
        }
        Ok(Json(Page { items, next_cursor: Some(upto.to_string()) }))
    })
    .await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct StreamQuery {
    /// Only this run.
    #[param(format = "uuid")]
    run: Option<String>,
    /// The id of the event to start after; default: now. The header `Last-Event-ID` takes precedence.
    after: Option<String>,
}

/// Stream events, as server-sent events.
///
/// A client that was disconnected resumes with the `id` of its last event; browsers send it as `Last-Event-ID` by
/// themselves.
#[utoipa::path(
    get, path = "/v1/events/stream", tag = "events", operation_id = "stream_events",
    params(StreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The id of the last received event")),
    responses(
        (status = 200, description = "One server-sent event for each change; `data` is a FeedEvent", body = String,
            content_type = "text/event-stream"),
        (status = 400, description = "The id does not belong to this feed, or the run is not a UUID."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn stream(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    UrlQuery(query): UrlQuery<StreamQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let seen = match headers.get("last-event-id") {
        Some(id) => Some(id.to_str().map_err(|_| Problem::new(BAD_CURSOR, "`Last-Event-ID` is not an id"))?),
        None => query.after.as_deref(),
    };
    let run = run_id(query.run.as_deref())?;
    let after = match place(seen)? {
        Some(after) => after,
        None => FeedId { position: app.read(|kernel| Ok(kernel.store().feed_end(SystemScope)?)).await?, event: 0 },
    };
    let reader = Reader { app, scope: caller.scope, run, after, waiting: VecDeque::new(), logged: false };
    let events = unfold(reader, |mut reader| async move {
        let sent = match reader.next().await? {
            Sent::Event(event) => Event::default().id(&event.id).event(&event.name).json_data(&*event),
            Sent::Problem(problem) => Event::default().event(PROBLEM).json_data(problem.document()),
        };
        Some((Ok(sent.unwrap_or_default()), reader))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)))
}

/// A reader of the feed, and its position.
struct Reader {
    app: App,
    scope: Scope,
    run: Option<RunId>,
    after: FeedId,
    waiting: VecDeque<FeedEvent>,
    /// Whether the client was already notified that the feed cannot be read.
    logged: bool,
}

/// An item of a stream.
enum Sent {
    Event(Box<FeedEvent>),
    /// The feed cannot be read at the moment; the stream resumes at its position.
    Problem(Problem),
}

impl Reader {
    /// The next item; `None` when the server stops or the caller's access ends.
    async fn next(&mut self) -> Option<Sent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(Sent::Event(Box::new(event)));
            }
            // Subscribe before reading, so that nothing is missed in between.
            let engine = self.app.kernel().engine().clone();
            let changed = engine.changed();
            let (scope, after, run) = (self.scope.clone(), self.after, self.run);
            let found = self.app.read(move |kernel| read(kernel, &scope, after, run, AT_A_TIME)).await;
            match found {
                Ok((events, upto)) => {
                    self.logged = false;
                    self.waiting.extend(events);
                    let moved = upto != self.after;
                    self.after = upto;
                    if !self.waiting.is_empty() || moved {
                        continue;
                    }
                }
                // Notify the client once; the stream stays open and resumes at its position.
                Err(problem) if !self.logged => {
                    self.logged = true;
                    return Some(Sent::Problem(problem));
                }
                Err(_) => tokio::time::sleep(LOOK).await,
            }
            tokio::select! {
                () = changed => tokio::time::sleep(BREATH).await,
                () = tokio::time::sleep(LOOK) => {}
                () = self.app.closing() => return None,
            }
        }
    }
}

/// Events after a position, and the position up to which the feed was read.
fn read(
    kernel: &Kernel,
    scope: &Scope,
    after: FeedId,
    run: Option<RunId>,
    limit: usize,
) -> Result<(Vec<FeedEvent>, FeedId), Problem> {
    // A partly read row is read again.
    let from = if after.event == 0 { after.position } else { after.position.saturating_sub(1) };
    let page = kernel.store().feed(scope, from, limit)?;
    // Redaction needs the whole log of a run.
    let mut logs = BTreeMap::new();
    let mut items = Vec::new();
    let mut broken = page.broken;
    for (position, row) in page.items {
        if run.is_some_and(|run| run != row.run) {
            continue;
        }
        let events = match logs.entry(row.run) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                let log = match kernel.store().log(scope, row.run) {
                    // Redaction is impossible, so the row counts as unreadable.
                    Err(StoreError::Unreadable(why)) => {
                        let (run, seq, at) = (row.run, row.seq, row.at);
                        broken.push(BrokenRow { position, run, seq, at, why });
                        continue;
                    }
                    log => log?,
                };
                new.insert(run_events(&log, &kernel.redaction_for(scope, row.run)))
            }
        };
        let first = events.partition_point(|event| event.seq < row.seq);
        for (event, n) in events[first..].iter().zip(1_u32..).take(row.events.len()) {
            let id = FeedId { position, event: n };
            if id.position == after.position && n <= after.event {
                continue;
            }
            items.push(FeedEvent {
                id: id.to_string(),
                run_id: row.run.to_string(),
                seq: event.seq,
                at: event.at.clone(),
                number: event.number,
                version: event.version,
                name: event.name.clone(),
                data: event.data.clone(),
            });
        }
    }
    for row in broken.into_iter().filter(|row| run.is_none_or(|run| run == row.run)) {
        let id = FeedId { position: row.position, event: 1 };
        if id.position == after.position && after.event >= 1 {
            continue;
        }
        tracing::warn!(run = %row.run, seq = row.seq, why = row.why, "a row of a log cannot be read");
        items.push(FeedEvent {
            id: id.to_string(),
            run_id: row.run.to_string(),
            seq: row.seq,
            at: row.at.to_string(),
            number: 0,
            version: 0,
            name: UNREADABLE.to_owned(),
            data: serde_json::Value::Null,
        });
    }
    items.sort_by_key(|item| item.id.parse::<FeedId>().map_or((0, 0), |id| (id.position, id.event)));
    Ok((items, FeedId { position: page.upto.max(after.position), event: 0 }))
}

fn place(text: Option<&str>) -> Result<Option<FeedId>, Problem> {
    let bad = |text: &str| Problem::new(BAD_CURSOR, format!("`{text}` is not the id of an event"));
    text.map(|text| text.parse().map_err(|_| bad(text))).transpose()
}

fn run_id(text: Option<&str>) -> Result<Option<RunId>, Problem> {
    text.map(|text| text.parse().map_err(|error| Problem::bad_id(&error))).transpose()
}
