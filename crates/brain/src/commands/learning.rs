//! `brain learning`: candidate phrases and decisions about them.

mod show_candidates;

use anyhow::Result;
use brain_kernel::{Actor, Kernel, Learning, Promotion};
use brain_nlu::learn::{Expect, LearnedCase, State, Week};
use brain_store::Scope;
use serde_json::json;

use self::show_candidates::{candidate, is_in};
use super::teach::who;
use crate::cli::{CorrectArgs, DecideArgs, Global, LearningCommand, RejectArgs};
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::{open, show};

/// Number of weeks shown.
const WEEKS: usize = 8;
/// Number of candidates shown in the overview.
const SHOWN: usize = 5;

pub(crate) fn run(global: &Global, command: Option<LearningCommand>) -> Result<bool> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let teller = Teller { global, kernel: &kernel, scope: &scope };
        let done = match command {
            None => teller.status(),
            Some(LearningCommand::Candidates { state }) => teller.candidates(state.map(|state| state.into())),
            Some(LearningCommand::Run { dry_run }) => teller.cycle(dry_run),
            Some(LearningCommand::Promote(args)) => teller.promote(&args),
            Some(LearningCommand::Reject(args)) => teller.reject(&args),
            Some(LearningCommand::Blocklist) => teller.blocklist(),
            Some(LearningCommand::Unblock(args)) => teller.unblock(&args),
            Some(LearningCommand::Correct(args)) => teller.correct(&args),
            Some(LearningCommand::Cases) => teller.cases(),
        };
        kernel.engine().stop();
        done
    })
}

struct Teller<'a> {
    global: &'a Global,
    kernel: &'a Kernel,
    scope: &'a Scope,
}

impl Teller<'_> {
    fn status(&self) -> Result<bool> {
        let Learning { weeks, states, candidates } = self.kernel.learning(self.scope)?;
        if self.global.json {
            show::json(&json!({"weeks": weeks, "states": states}));
            return Ok(true);
        }
        if weeks.is_empty() {
            anstream::println!("No requests yet. Try: brain do \"create task: Call Bob\"");
            return Ok(true);
        }
        weeks_table(&weeks);
        let count = |name: &str| states.get(name).copied().unwrap_or_default();
        anstream::println!(
            "\nPhrases to learn: {GREEN}{} ready{GREEN:#}, {YELLOW}{} to review{YELLOW:#}, {} gathering, {} promoted, {} rejected.",
            count("ready"),
            count("review"),
            count("gathering"),
            count("promoted"),
            count("rejected")
        );
        for one in candidates.iter().filter(|one| is_in(one, State::Review)).take(SHOWN) {
            candidate(one);
        }
        if count("ready") > 0 {
            anstream::println!("{DIM}→{DIM:#} to promote the ready ones: brain learning run");
        }
        if count("review") > 0 {
            anstream::println!(
                "{DIM}→{DIM:#} to decide: brain learning promote PHRASE TOOL, or reject PHRASE TOOL --why …"
            );
        }
        Ok(true)
    }

    fn candidates(&self, state: Option<State>) -> Result<bool> {
        let all = self.kernel.learning(self.scope)?.candidates;
        let list: Vec<_> = all.into_iter().filter(|one| state.is_none_or(|state| is_in(one, state))).collect();
        if self.global.json {
            show::json(&json!({"items": list}));
            return Ok(true);
        }
        if list.is_empty() {
            anstream::println!("No candidates.");
        }
        list.iter().for_each(candidate);
        Ok(true)
    }

    fn cycle(&self, dry_run: bool) -> Result<bool> {
        let done = self.kernel.promote_ready(self.scope, dry_run)?;
        if self.global.json {
            show::json(&json!({"dry_run": dry_run, "items": done}));
            return Ok(true);
        }
        if done.is_empty() {
            anstream::println!("Nothing is ready to be learned. `brain learning candidates` shows what is missing.");
        }
        for Promotion { phrase, target, why, .. } in &done {
            match why {
                None if dry_run => {
                    anstream::println!("{GREEN}✓{GREEN:#} “{phrase}” would mean {BOLD}{target}{BOLD:#}.")
                }
                None => promoted(phrase, target),
                Some(why) => anstream::println!("{RED}✗{RED:#} “{phrase}” for {target} was not learned. {why}"),
            }
        }
        Ok(true)
    }

    fn promote(&self, args: &DecideArgs) -> Result<bool> {
        let who = who(self.global.acting_as.as_deref());
        let done = self.kernel.promote(self.scope, &who, &args.phrase, &args.target)?;
        if self.global.json {
            show::json(&done);
        } else {
            promoted(&done.phrase, &done.target);
        }
        Ok(true)
    }

    fn reject(&self, args: &RejectArgs) -> Result<bool> {
        let DecideArgs { phrase, target } = &args.what;
        let by = &self.global.acting_as;
        let note = self.kernel.reject(self.scope, &who(by.as_deref()), phrase, target, &args.why)?;
        if self.global.json {
            show::json(&json!({"phrase": phrase, "target": target, "why": args.why, "note": note}));
            return Ok(true);
        }
        anstream::println!(
            "{GREEN}✓{GREEN:#} “{phrase}” and close paraphrases no longer match {BOLD}{target}{BOLD:#}."
        );
        if let Some(note) = note {
            anstream::println!("  {YELLOW}{note}{YELLOW:#}");
        }
        Ok(true)
    }

    fn blocklist(&self) -> Result<bool> {
        let list = self.kernel.blocklist(self.scope)?;
        if self.global.json {
            show::json(&json!({"items": list}));
            return Ok(true);
        }
        if list.is_empty() {
            anstream::println!("No blocked phrases.");
        }
        for row in list {
            let why = if row.why.is_empty() { String::new() } else { format!(": {}", row.why) };
            let at = show::moment(row.at);
            anstream::println!(
                "“{}” ✗ {BOLD}{}{BOLD:#}{why} {DIM}by {} at {at}{DIM:#}",
                row.phrase,
                row.target,
                row.by
            );
        }
        Ok(true)
    }

    fn unblock(&self, args: &DecideArgs) -> Result<bool> {
        let row =
            self.kernel.unblock(self.scope, &who(self.global.acting_as.as_deref()), &args.phrase, &args.target)?;
        if self.global.json {
            show::json(&row);
        } else {
            anstream::println!("{GREEN}✓{GREEN:#} “{}” can match {BOLD}{}{BOLD:#} again.", row.phrase, row.target);
        }
        Ok(true)
    }

    fn correct(&self, args: &CorrectArgs) -> Result<bool> {
        let actor = Actor { name: who(self.global.acting_as.as_deref()), ..Actor::local() };
        let run = super::run_id(&args.run)?;
        let told = self.kernel.correct(self.scope, &actor, run, args.request, args.meant.as_deref(), &args.why)?;
        if self.global.json {
            show::json(&told);
            return Ok(true);
        }
        match (&told.meant, &told.chosen) {
            (Some(meant), _) => anstream::println!("{GREEN}✓{GREEN:#} “{}” means {BOLD}{meant}{BOLD:#}.", told.said),
            (None, chosen) => {
                let chosen = chosen.as_deref().unwrap_or("that");
                anstream::println!("{GREEN}✓{GREEN:#} “{}” does not mean {BOLD}{chosen}{BOLD:#}.", told.said);
            }
        }
        anstream::println!("  It is now a test case: brain learning cases");
        if let Some(meant) = &told.meant {
            anstream::println!("{DIM}→{DIM:#} to teach it as well: brain teach \"{}\" {meant}", told.said);
        }
        Ok(true)
    }

    fn cases(&self) -> Result<bool> {
        let list = self.kernel.learned_cases(self.scope)?;
        if self.global.json {
            let item = |case: &LearnedCase| json!({"case": case, "counts": case.counts()});
            show::json(&json!({"items": list.iter().map(item).collect::<Vec<_>>()}));
            return Ok(true);
        }
        if list.is_empty() {
            anstream::println!("No corrections yet: brain learning correct RUN --meant TOOL");
        }
        for case in list {
            let expect = match &case.expect {
                Expect::Target(target) => format!("→ {BOLD}{target}{BOLD:#}"),
                Expect::NotTarget(target) => format!("✗ {BOLD}{target}{BOLD:#}"),
            };
            let people: Vec<&str> = case.actors.iter().map(String::as_str).collect();
            let counts = match (case.counts(), case.contested) {
                (true, _) => "counts",
                (false, true) => "does not count: contested by others",
                (false, false) => "does not count yet: needs a second person, or a trusted one",
            };
            anstream::println!("“{}” {expect} {DIM}by {} · {counts}{DIM:#}", case.say, people.join(", "));
        }
        Ok(true)
    }
}

fn promoted(phrase: &str, target: &str) {
    anstream::println!("{GREEN}✓{GREEN:#} “{phrase}” now means {BOLD}{target}{BOLD:#}.");
}

fn weeks_table(weeks: &[Week]) {
    anstream::println!("{DIM}week       asked   right  corrected  promoted  rejected{DIM:#}");
    for week in weeks.iter().skip(weeks.len().saturating_sub(WEEKS)) {
        let right = week.accuracy().map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
        anstream::println!(
            "{}-W{:02} {:>7} {right:>7} {:>10} {:>9} {:>9}",
            week.year,
            week.week,
            week.asked,
            week.corrected,
            week.promoted,
            week.rejected
        );
    }
}
