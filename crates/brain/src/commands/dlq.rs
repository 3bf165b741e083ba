//! `brain dlq`: dead letters, steps that failed for good or whose outcome is unknown.

use std::collections::BTreeSet;

use anyhow::Result;
use brain_core::{Clock as _, JobKey};
use brain_server::wire::{
    Escalate, Letter, LetterDecided, Outcome, Page, Resolve, RetriedMany, Retry, RetryMany, RunResponse,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Usage;
use crate::cli::{DlqCommand, Global, OutcomeArg};
use crate::remote::Need;
use crate::show::{BOLD, DIM, RED, YELLOW};
use crate::system::SystemClock;
use crate::{hint, show, table};

pub(crate) fn run(global: &Global, command: DlqCommand) -> Result<bool> {
    let some = |note: String| Some(note).filter(|note| !note.is_empty());
    match command {
        DlqCommand::List { all, limit, cursor } => list(global, all, limit, cursor),
        DlqCommand::Show { id } => show_one(global, &id),
        DlqCommand::Retry { id: Some(id), note, .. } => {
            decide(global, &id, "retry", &Retry { note: some(note) }, &Decided::Retried, false)
        }
        DlqCommand::Retry { id: None, tool, since, dry_run, note, .. } => {
            if let Some(since) = &since {
                let checked = brain_server::wire::since(since, SystemClock.now());
                checked.map_err(|error| Usage(format!("--since: {error}")))?;
            }
            let what = RetryMany { tool, since, dry_run: Some(dry_run), note: some(note) };
            retry_many(global, &what)
        }
        DlqCommand::Resolve { id, note, outcome, result } => {
            if note.trim().is_empty() {
                return Err(Usage("say how it was resolved with --note".into()).into());
            }
            let outcome = match outcome {
                OutcomeArg::Skip => Outcome::Skip,
                OutcomeArg::Done => Outcome::Done,
                OutcomeArg::Abandon => Outcome::Abandon,
            };
            let result = match (outcome, result) {
                (Outcome::Done, result) => {
                    let text = result.unwrap_or_else(|| "{}".into());
                    let result = serde_json::from_str::<Map<String, Value>>(&text);
                    Some(result.map_err(|error| Usage(format!("--result must be a JSON object: {error}")))?)
                }
                (_, None) => None,
                _ => return Err(Usage("--result goes with --outcome done".into()).into()),
            };
            let recorded = match outcome {
                Outcome::Skip => Decided::Skipped,
                Outcome::Done => Decided::Done,
                Outcome::Abandon => Decided::Abandoned,
            };
            let body = Resolve { note, outcome, result };
            decide(global, &id, "resolve", &body, &recorded, outcome == Outcome::Abandon)
        }
        DlqCommand::Escalate { id, to, note } => {
            let recorded = Decided::Assigned(to.clone());
            decide(global, &id, "escalate", &Escalate { to, note: some(note) }, &recorded, true)
        }
    }
}

fn letter_id(text: &str) -> Result<JobKey> {
    super::id(text, "dead letter", "brain dlq list")
}

fn list(global: &Global, all: bool, limit: usize, cursor: Option<String>) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let open = if all { None } else { Some("true".to_owned()) };
        let query = [("open", open), ("limit", Some(limit.clamp(1, 200).to_string())), ("cursor", cursor)];
        let page: Page<Letter> = client.ask("/v1/dead-letters", &query).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No dead letters.");
        }
        for letter in &page.items {
            let why = letter.failure.as_ref().map_or("", |failure| failure.message.as_str());
            let facts = [kind(letter), show::ago(&letter.opened_at), why.to_owned()];
            table::entry(&letter.tool_name, &facts, &letter.letter_id);
        }
        if let Some(next) = page.next_cursor {
            let all = if all { " --all" } else { "" };
            let more = hint::command(&format!("dlq list --limit {limit}{all} --cursor {next}"));
            outln!("{DIM}more: {more}{DIM:#}");
        }
        Ok(true)
    })
}

fn kind(letter: &Letter) -> String {
    match (letter.open, letter.happened.as_str()) {
        (false, _) => "decided".into(),
        (true, "maybe") => format!("{YELLOW}in doubt{YELLOW:#}"),
        (true, "yes") => format!("{YELLOW}done badly{YELLOW:#}"),
        (true, _) => format!("{RED}failed{RED:#}"),
    }
}

fn show_one(global: &Global, id: &str) -> Result<bool> {
    let id = letter_id(id)?;
    super::talk(global, Need::Existing, async |client| {
        let letter: Letter = client.get(&format!("/v1/dead-letters/{id}")).await?;
        if global.json {
            show::json(&letter);
            return Ok(true);
        }
        let why = letter.failure.as_ref().map_or("", |failure| failure.message.as_str());
        outln!("{BOLD}{}{BOLD:#}  {}", letter.tool_name, kind(&letter));
        for line in table::wrap_all(why, table::width().saturating_sub(2)) {
            outln!("  {line}");
        }
        let since = show::moment_text(&letter.opened_at);
        outln!("  {DIM}step {} · since {since}{DIM:#}", letter.step);
        outln!("  {DIM}run {}{DIM:#}", letter.run_id);
        outln!("  needs: {}", letter.intervention_type);
        if letter.input.as_object().is_some_and(|input| !input.is_empty()) {
            for line in table::wrap_all(&format!("called with {}", show::fields(&letter.input)), table::width() - 2) {
                outln!("  {line}");
            }
        }
        for entry in &letter.history {
            let failure = &entry["failure"];
            let text = |name: &str| failure[name].as_str().unwrap_or_default();
            let at = show::moment_text(entry["at"].as_str().unwrap_or_default());
            outln!("  {at}  attempt {} ({}, {})", entry["attempt"], text("code"), text("class"));
            for line in table::wrap_all(text("message"), table::width() - 4) {
                outln!("    {line}");
            }
        }
        if let Some(note) = &letter.notified {
            let part = |name: &str| note.get(name).and_then(Value::as_str).unwrap_or_default();
            outln!("  event for {} on the feed since {}", part("to"), show::moment_text(part("at")));
        }
        let notes = [(&letter.escalated, "escalated"), (&letter.resolution, "decided")];
        for (note, label) in notes.into_iter().filter_map(|(note, label)| Some((note.as_ref()?, label))) {
            outln!("  {label}: {}", show::fields(&Value::Object(note.clone())));
        }
        if letter.open {
            // A run that has ended retries nothing.
            let run: RunResponse = client.get(&format!("/v1/runs/{}", letter.run_id)).await?;
            let retry = (!run.status.is_over()).then(|| format!("dlq retry {id}"));
            let resolve = format!("dlq resolve {id} --note \"how it was resolved\"");
            for words in retry.into_iter().chain([resolve]) {
                outln!("{DIM}→{DIM:#} {}", hint::command(&words));
            }
        }
        Ok(true)
    })
}

/// Retries many letters and waits until their runs settle.
fn retry_many(global: &Global, what: &RetryMany) -> Result<bool> {
    let dry_run = what.dry_run == Some(true);
    super::talk(global, Need::Existing, async |client| {
        let done: RetriedMany = client.post("/v1/dead-letters/retry", what).await?;
        let retried = done.items.iter().filter(|item| item.skipped.is_none() && !dry_run);
        let runs: BTreeSet<&str> = retried.map(|item| item.run_id.as_str()).collect();
        let all = async {
            for run in runs {
                let wait = [("wait_timeout_ms", Some(super::WAIT.as_millis().to_string()))];
                drop(client.ask::<RunResponse>(&format!("/v1/runs/{run}"), &wait).await);
            }
        };
        drop(tokio::time::timeout(super::WAIT, all).await);
        let mut again = BTreeSet::new();
        for item in done.items.iter().filter(|item| item.skipped.is_none() && !dry_run) {
            let letter: Letter = client.get(&format!("/v1/dead-letters/{}", item.letter_id)).await?;
            if letter.open {
                again.insert(item.letter_id.as_str());
            }
        }
        let ok = done.skipped == 0 && again.is_empty();
        if global.json {
            let mut shown = serde_json::to_value(&done)?;
            shown["failed_again"] = again.iter().copied().collect();
            show::json(&shown);
            return Ok(ok);
        }
        for item in &done.items {
            let skipped = item.skipped.as_ref().map(|why| format!("{YELLOW}skipped{YELLOW:#}: {why}"));
            let failed = again.contains(item.letter_id.as_str()).then(|| format!("{RED}failed again{RED:#}"));
            table::entry(&item.tool_name, &[skipped.or(failed).unwrap_or_default()], &item.letter_id);
        }
        let letters = show::count(done.retried, "dead letter");
        outln!("{}", if dry_run { format!("{letters} would be retried.") } else { format!("{letters} retried.") });
        if done.more {
            outln!("{DIM}There are more; run it again.{DIM:#}");
        }
        Ok(ok)
    })
}

/// A decision that was recorded.
enum Decided {
    /// The call is made again.
    Retried,
    /// The run continues without it.
    Skipped,
    /// It counts as done.
    Done,
    /// The step fails.
    Abandoned,
    /// Somebody else decides.
    Assigned(String),
}

impl Decided {
    /// What was recorded about a tool's dead letter. `again` is the new failure of a retried call.
    fn in_words(&self, tool: &str, again: Option<(u64, &str)>) -> String {
        match (self, again) {
            (Self::Retried, Some((attempt, why))) => {
                format!("Retried {tool}; it failed again (attempt {attempt}): {why}")
            }
            (Self::Retried, None) => format!("Retried {tool}."),
            (Self::Skipped, _) => format!("Skipped {tool}; the run continues without it."),
            (Self::Done, _) => format!("Recorded {tool} as done, with the result that you gave."),
            (Self::Abandoned, _) => format!("Abandoned {tool}."),
            (Self::Assigned(to), _) => format!("Assigned to {to}."),
        }
    }
}

/// Sends a decision. `ends_badly`: whether the decision is meant to make the run fail, so that a failed run is not
/// reported as an error.
fn decide(
    global: &Global,
    id: &str,
    verb: &str,
    body: &impl Serialize,
    recorded: &Decided,
    ends_badly: bool,
) -> Result<bool> {
    let id = letter_id(id)?;
    super::talk(global, Need::Existing, async |client| {
        let letter: Letter = client.get(&format!("/v1/dead-letters/{id}")).await?;
        let decided: LetterDecided = client.post(&format!("/v1/dead-letters/{id}/{verb}"), body).await?;
        let answer = super::settled(client, &decided.run.run_id, true).await?;
        if !global.json && !global.quiet {
            let now: Letter = match recorded {
                Decided::Retried => client.get(&format!("/v1/dead-letters/{id}")).await?,
                _ => letter,
            };
            let again = now.failure.as_ref().filter(|_| now.open).map(|failure| (now.attempts, &*failure.message));
            outln!("{}", recorded.in_words(&now.tool_name, again));
        }
        let done = answer.ok || ends_badly;
        show::answer(global, answer);
        Ok(done)
    })
}

#[cfg(test)]
mod tests {
    use super::Decided;

    #[test]
    fn a_decision_is_reported_in_one_sentence() {
        let say = |decided: Decided, again| decided.in_words("members.text", again);
        assert_eq!(say(Decided::Assigned("boss".into()), None), "Assigned to boss.");
        assert_eq!(say(Decided::Retried, None), "Retried members.text.");
        assert_eq!(
            say(Decided::Retried, Some((4, "the gateway is down"))),
            "Retried members.text; it failed again (attempt 4): the gateway is down"
        );
    }
}
