//! `brain learning`: candidate phrases and decisions about them.

mod show_candidates;

use anyhow::Result;
use brain_server::wire::{
    BlockedPhrase, CaseItem, CorrectionAnswer, CorrectionRequest, CycleRequest, LearningHealth, LearningWeek, Page,
    PhraseCandidate, PhraseFor, PromotionItem, RejectRequest,
};
use serde_json::json;

use self::show_candidates::{candidate, word};
use crate::cli::{CorrectArgs, DecideArgs, Global, LearningCommand, RejectArgs};
use crate::remote::{Client, Need};
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::{hint, show};

/// Number of weeks shown.
const WEEKS: usize = 8;
/// Number of candidates shown in the overview.
const SHOWN: usize = 5;

pub(crate) fn run(global: &Global, command: Option<LearningCommand>) -> Result<bool> {
    super::talk(global, Need::Writable, async |client| {
        let printer = Printer { global, client };
        match command {
            None => printer.status().await,
            Some(LearningCommand::Candidates { state }) => printer.candidates(state.map(word)).await,
            Some(LearningCommand::Run { dry_run }) => printer.cycle(dry_run).await,
            Some(LearningCommand::Promote(args)) => printer.promote(args).await,
            Some(LearningCommand::Reject(args)) => printer.reject(args).await,
            Some(LearningCommand::Blocklist) => printer.blocklist().await,
            Some(LearningCommand::Unblock(args)) => printer.unblock(args).await,
            Some(LearningCommand::Correct(args)) => printer.correct(args).await,
            Some(LearningCommand::Cases) => printer.cases().await,
        }
    })
}

struct Printer<'a> {
    global: &'a Global,
    client: &'a Client,
}

impl Printer<'_> {
    async fn status(&self) -> Result<bool> {
        let health: LearningHealth = self.client.get("/v1/learning").await?;
        if self.global.json {
            show::json(&health);
            return Ok(true);
        }
        if health.weeks.is_empty() {
            outln!("No requests yet. Try: {}", hint::command("do \"create task: Call Bob\""));
            return Ok(true);
        }
        weeks_table(&health.weeks);
        let count = |name: &str| health.states[name].as_u64().unwrap_or_default();
        outln!(
            "\nPhrases to learn: {GREEN}{} ready{GREEN:#}, {YELLOW}{} to review{YELLOW:#}, {} gathering, {} promoted, {} rejected.",
            count("ready"),
            count("review"),
            count("gathering"),
            count("promoted"),
            count("rejected")
        );
        if count("review") > 0 {
            let page = self.page(Some("review"), Some(SHOWN)).await?;
            page.items.iter().for_each(candidate);
        }
        if count("ready") > 0 {
            outln!("{DIM}→{DIM:#} to promote the ready ones: {}", hint::command("learning run"));
        }
        if count("review") > 0 {
            outln!("{DIM}→{DIM:#} to accept one: {}", hint::command("learning promote PHRASE TOOL"));
            outln!("{DIM}→{DIM:#} to block one: {}", hint::command("learning reject PHRASE TOOL --note REASON"));
        }
        Ok(true)
    }

    async fn page(&self, state: Option<&str>, limit: Option<usize>) -> Result<Page<PhraseCandidate>> {
        let (mut items, mut cursor) = (Vec::new(), None);
        loop {
            let query = [
                ("state", state.map(str::to_owned)),
                ("limit", Some(limit.unwrap_or(200).to_string())),
                ("cursor", cursor),
            ];
            let page: Page<PhraseCandidate> = self.client.ask("/v1/learning/candidates", &query).await?;
            items.extend(page.items);
            match page.next_cursor {
                Some(next) if limit.is_none() => cursor = Some(next),
                next_cursor => return Ok(Page { items, next_cursor }),
            }
        }
    }

    async fn candidates(&self, state: Option<&str>) -> Result<bool> {
        let page = self.page(state, None).await?;
        if self.global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No candidates.");
        }
        page.items.iter().for_each(candidate);
        Ok(true)
    }

    async fn cycle(&self, dry_run: bool) -> Result<bool> {
        let page: Page<PromotionItem> =
            self.client.post("/v1/learning/run", &CycleRequest { dry_run: Some(dry_run) }).await?;
        if self.global.json {
            show::json(&json!({"dry_run": dry_run, "items": page.items}));
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("Nothing is ready to be learned. `brain learning candidates` shows what is missing.");
        }
        for PromotionItem { phrase, target, why, .. } in &page.items {
            match why {
                None if dry_run => {
                    outln!("{GREEN}✓{GREEN:#} “{phrase}” would mean {BOLD}{target}{BOLD:#}.")
                }
                None => promoted(phrase, target),
                Some(why) => outln!("{RED}✗{RED:#} “{phrase}” for {target} was not learned. {why}"),
            }
        }
        Ok(true)
    }

    async fn promote(&self, args: DecideArgs) -> Result<bool> {
        let body = PhraseFor { phrase: args.phrase, target: args.target };
        let done: PromotionItem = self.client.post("/v1/learning/promote", &body).await?;
        if self.global.json {
            show::json(&done);
        } else {
            promoted(&done.phrase, &done.target);
        }
        Ok(true)
    }

    async fn reject(&self, args: RejectArgs) -> Result<bool> {
        let DecideArgs { phrase, target } = args.what;
        let body = RejectRequest { phrase, target, note: args.note };
        let done: BlockedPhrase = self.client.post("/v1/learning/reject", &body).await?;
        if self.global.json {
            show::json(&done);
            return Ok(true);
        }
        outln!(
            "{GREEN}✓{GREEN:#} “{}” and close paraphrases no longer match {BOLD}{}{BOLD:#}.",
            done.phrase,
            done.target
        );
        if let Some(note) = done.note {
            outln!("  {YELLOW}{note}{YELLOW:#}");
        }
        Ok(true)
    }

    async fn blocklist(&self) -> Result<bool> {
        let page: Page<BlockedPhrase> = self.client.get("/v1/learning/blocklist").await?;
        if self.global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No blocked phrases.");
        }
        for row in page.items {
            let why = if row.why.is_empty() { String::new() } else { format!(": {}", row.why) };
            let at = show::moment_text(&row.at);
            outln!("“{}” ✗ {BOLD}{}{BOLD:#}{why} {DIM}by {} at {at}{DIM:#}", row.phrase, row.target, row.by);
        }
        Ok(true)
    }

    async fn unblock(&self, args: DecideArgs) -> Result<bool> {
        let body = PhraseFor { phrase: args.phrase, target: args.target };
        let row: BlockedPhrase = self.client.post("/v1/learning/unblock", &body).await?;
        if self.global.json {
            show::json(&row);
        } else {
            outln!("{GREEN}✓{GREEN:#} “{}” can match {BOLD}{}{BOLD:#} again.", row.phrase, row.target);
        }
        Ok(true)
    }

    async fn correct(&self, args: CorrectArgs) -> Result<bool> {
        let body = CorrectionRequest {
            run_id: super::run_id(&args.run)?,
            meant: args.meant,
            request: args.request.map(|number| number as u64),
            note: Some(args.note).filter(|note| !note.is_empty()),
        };
        let answer: CorrectionAnswer = self.client.post("/v1/learning/corrections", &body).await?;
        if self.global.json {
            show::json(&answer);
            return Ok(true);
        }
        match (&answer.meant, &answer.chosen) {
            (Some(meant), _) => outln!("{GREEN}✓{GREEN:#} “{}” means {BOLD}{meant}{BOLD:#}.", answer.said),
            (None, chosen) => {
                let chosen = chosen.as_deref().unwrap_or("that");
                outln!("{GREEN}✓{GREEN:#} “{}” does not mean {BOLD}{chosen}{BOLD:#}.", answer.said);
            }
        }
        outln!("  It is now a test case: {}", hint::command("learning cases"));
        if let (Some(meant), Some(phrase)) = (&answer.meant, &answer.phrase) {
            let teach = hint::command(&format!("teach {} {meant}", hint::quoted(phrase)));
            outln!("{DIM}→{DIM:#} to teach it as well: {teach}");
        }
        Ok(true)
    }

    async fn cases(&self) -> Result<bool> {
        let page: Page<CaseItem> = self.client.get("/v1/learning/cases").await?;
        if self.global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No corrections yet: brain learning correct RUN --meant TOOL");
        }
        for case in page.items {
            let expect = match (&case.target, &case.not_target) {
                (Some(target), _) => format!("→ {BOLD}{target}{BOLD:#}"),
                (None, not) => format!("✗ {BOLD}{}{BOLD:#}", not.as_deref().unwrap_or_default()),
            };
            let counts = match (case.counts, case.contested) {
                (true, _) => "checked whenever a phrase is learned",
                (false, true) => "not checked: others disagree",
                (false, false) => "not checked yet: a second person or an approver must agree",
            };
            let people = if case.people == 1 { "1 person".to_owned() } else { format!("{} people", case.people) };
            outln!("“{}” {expect} {DIM}by {people} · {counts}{DIM:#}", case.say);
        }
        Ok(true)
    }
}

fn promoted(phrase: &str, target: &str) {
    outln!("{GREEN}✓{GREEN:#} “{phrase}” now means {BOLD}{target}{BOLD:#}.");
}

fn weeks_table(weeks: &[LearningWeek]) {
    outln!("{DIM}week       asked   right  corrected  promoted  rejected{DIM:#}");
    for week in weeks.iter().skip(weeks.len().saturating_sub(WEEKS)) {
        let right = match week.asked {
            0 => "–".to_owned(),
            asked => format!("{:.0} %", f64::from(week.right) * 100.0 / f64::from(asked)),
        };
        outln!(
            "{} {:>7} {right:>7} {:>10} {:>9} {:>9}",
            week.week,
            week.asked,
            week.corrected,
            week.promoted,
            week.rejected
        );
    }
}
