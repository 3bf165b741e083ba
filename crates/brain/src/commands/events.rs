//! `brain events`: what happened to all runs of the tenant, and what happens now.

use anyhow::{Context, Result};
use brain_server::wire::{FeedEvent, Page};
use futures_util::StreamExt as _;
use reqwest::Method;
use std::time::Duration;

use crate::cli::{EventsArgs, Global};
use crate::remote::{Client, Need, Refused};
use crate::show::{BOLD, DIM};
use crate::{hint, show};

/// Events that are read together.
const PAGE: usize = 200;
/// Pause before a stream that was cut off is opened again.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest event, in bytes.
const MAX_EVENT: usize = 16 * 1024 * 1024;

pub(crate) fn run(global: &Global, args: &EventsArgs) -> Result<bool> {
    let run = args.run.as_deref().map(super::run_id).transpose()?;
    super::talk(global, Need::Existing, async |client| {
        let printer = Printer { global, client, run };
        // Without a place to begin, following begins now and listing begins with the first event.
        let mut after = args.since.clone();
        if !args.follow || after.is_some() {
            after = Some(printer.list(after, args).await?);
        }
        if args.follow {
            tokio::select! {
                followed = printer.follow(after) => followed?,
                () = super::serve::stop_signal() => {}
            }
        }
        Ok(true)
    })
}

/// The connection to the server that is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// There was none yet.
    New,
    Open,
    Lost,
}

struct Printer<'a> {
    global: &'a Global,
    client: &'a Client,
    run: Option<String>,
}

impl Printer<'_> {
    /// Prints events that have happened; returns the place after the last one.
    async fn list(&self, after: Option<String>, args: &EventsArgs) -> Result<String> {
        let (mut cursor, mut count) = (after, 0);
        loop {
            // When following, everything up to now comes first.
            let left = if args.follow { PAGE } else { args.limit.saturating_sub(count).min(PAGE) };
            if left == 0 {
                break;
            }
            let query = [("run", self.run.clone()), ("limit", Some(left.to_string())), ("cursor", cursor.clone())];
            let page: Page<FeedEvent> = self.client.ask("/v1/events", &query).await?;
            page.items.iter().for_each(|event| self.print(event));
            count += page.items.len();
            let next = page.next_cursor.context("the server's response has no cursor")?;
            // A page without events that goes on has skipped those of other runs.
            let moved = cursor.as_ref() != Some(&next);
            cursor = Some(next);
            if page.items.is_empty() && !moved {
                break;
            }
        }
        let place = cursor.unwrap_or_default();
        if !args.follow && !self.global.json {
            if count == 0 {
                outln!("No events{}.", if args.since.is_some() { " since then" } else { " yet" });
            } else {
                let run = self.run.as_ref().map(|run| format!(" --run {run}")).unwrap_or_default();
                let later = hint::command(&format!("events --since {place}{run}"));
                outln!("{DIM}later ones: {later}{DIM:#}");
            }
        }
        Ok(place)
    }

    /// Prints events as they happen, until the command is interrupted. A stream that is cut off is opened again where it
    /// was.
    async fn follow(&self, mut after: Option<String>) -> Result<()> {
        let mut link = Link::New;
        loop {
            match self.stream(&mut after, &mut link).await {
                // A server that was never reached, or that refuses, is a mistake; one that goes away comes back.
                Err(error) if link == Link::New || error.is::<Refused>() => return Err(error),
                Err(error) => tracing::debug!(%error, "the stream was cut off"),
                Ok(()) => {}
            }
            if link == Link::Open {
                link = Link::Lost;
                self.note("the server went away; waiting for it to come back (Ctrl-C ends this)");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn note(&self, text: &str) {
        if !self.global.quiet {
            anstream::eprintln!("{DIM}note: {text}{DIM:#}");
        }
    }

    async fn stream(&self, after: &mut Option<String>, link: &mut Link) -> Result<()> {
        let query = [("run", self.run.clone()), ("after", after.clone())];
        let request = self.client.request(Method::GET, "/v1/events/stream", &query)?;
        let mut pieces = self.client.send(request).await?.bytes_stream();
        if *link == Link::Lost {
            self.note("the server is back");
        }
        *link = Link::Open;
        let mut waiting = Vec::new();
        while let Some(piece) = pieces.next().await {
            waiting.extend_from_slice(&piece?);
            anyhow::ensure!(waiting.len() <= MAX_EVENT, "an event is longer than {} MiB", MAX_EVENT >> 20);
            // An empty line ends an event.
            while let Some(end) = waiting.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = waiting.drain(..end + 2).collect();
                self.block(&String::from_utf8_lossy(&block), after);
            }
        }
        Ok(())
    }

    /// One server-sent event.
    fn block(&self, text: &str, after: &mut Option<String>) {
        let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start).collect();
        let Ok(event) = serde_json::from_str::<FeedEvent>(&data.join("\n")) else { return };
        self.print(&event);
        *after = Some(event.id);
    }

    fn print(&self, event: &FeedEvent) {
        if self.global.json {
            crate::out::text(format_args!("{}\n", serde_json::to_string(event).unwrap_or_default()));
            return;
        }
        let at = show::moment_text(&event.at);
        outln!("{at}  {BOLD}{:<18}{BOLD:#}  {DIM}{}{DIM:#}", event.name, event.run_id);
        if self.global.verbose {
            let facts = show::fields(&event.data);
            outln!("  {DIM}{} {facts}{DIM:#}", event.id);
        }
    }
}
