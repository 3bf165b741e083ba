//! `brain explain`: how a request is understood, or how a run's request was, and why. Nothing is executed.

use anyhow::{Result, bail};
use brain_core::{Clock as _, REDACTED, RunId};
use brain_kernel::{Actor, Kernel, RunReading};
use brain_nlu::{Evidence, Intent, Question, SmallTalk, Source, Stage, Suggestion, Target, Understanding};
use brain_store::Scope;
use serde_json::Value;

use crate::cli::Global;
use crate::open::Place;
use crate::show::{BOLD, DIM, GREEN, YELLOW};
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, text: &str) -> Result<bool> {
    if let Ok(run) = text.trim().parse::<RunId>() {
        return explain_run(global, run);
    }
    // Taught and blocked phrases count if the store exists; explaining does not create one.
    let there = match open::place(global)? {
        Place::Sqlite(path) => path.exists(),
        Place::Postgres(_) => true,
        Place::Memory => false,
    };
    if there {
        return with_kernel(global, |kernel, scope| {
            let understanding = kernel.understand(scope, &Actor::local().name, text);
            tell(global, kernel.vocabulary().targets(), text, &understanding);
            Ok(true)
        });
    }
    let registry = open::registry(global)?;
    let reader = brain_kernel::scenario::reader(&registry, open::default_encoder(global)?, SystemClock.now());
    tell(global, reader.targets(), text, &reader.read(text));
    Ok(true)
}

fn with_kernel(global: &Global, work: impl FnOnce(&Kernel, &Scope) -> Result<bool>) -> Result<bool> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let done = work(&kernel, &scope);
        kernel.engine().stop();
        done
    })
}

/// Explains a run from its stored understanding: phrases may have changed since.
fn explain_run(global: &Global, run: RunId) -> Result<bool> {
    with_kernel(global, |kernel, scope| {
        if global.json {
            show::json(&brain_server::wire::Explanation::of_run(kernel, scope, run)?);
            return Ok(true);
        }
        let Some(RunReading { message, mut understanding, links }) = kernel.run_reading(scope, run)? else {
            bail!(
                "run {run} has no message: it was called by name, or its payloads were erased. See `brain inspect {run}`"
            )
        };
        // Personal values are redacted for readers of the log.
        let redactor = kernel.redactor_for(scope, run);
        if let Understanding::Clear { intents } = &mut understanding {
            let slots = intents.iter_mut().flat_map(|intent| &mut intent.slots);
            slots.filter(|slot| redactor.hides(&slot.name)).for_each(|slot| slot.value = REDACTED.into());
        }
        tell(global, kernel.vocabulary().targets(), &message, &understanding);
        for link in links.as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let best = &link["candidates"][0];
            let why: Vec<String> = best["evidence"].as_array().into_iter().flatten().map(text).collect();
            anstream::println!(
                "  The name “{}” was looked up: {} {DIM}({}){DIM:#}",
                text(&link["mention"]),
                text(&best["id"]),
                why.join(", ")
            );
        }
        anstream::println!("{DIM}What the run did: brain inspect {run}{DIM:#}");
        Ok(true)
    })
}

fn tell(global: &Global, targets: &[Target], text: &str, understanding: &Understanding) {
    if global.json {
        return show::json(understanding);
    }
    let teller = Teller { targets, text };
    match understanding {
        Understanding::Clear { intents } => {
            if intents.len() > 1 {
                anstream::println!("{} requests, in this order.\n", intents.len());
            }
            for intent in intents {
                teller.request(intent);
            }
        }
        Understanding::Ask(question) => teller.question(question),
        Understanding::SmallTalk { talk } => small_talk(*talk),
        Understanding::Unknown { nearest } => teller.unknown(nearest),
    }
}

struct Teller<'a> {
    targets: &'a [Target],
    text: &'a str,
}

impl Teller<'_> {
    fn title(&self, name: &str) -> String {
        let target = self.targets.iter().find(|target| target.name == name);
        target.map_or_else(|| name.to_owned(), |target| target.title.clone())
    }

    fn request(&self, intent: &Intent) {
        let said = self.text.get(intent.span.clone()).unwrap_or_default().trim();
        anstream::println!(
            "“{said}” asks for {BOLD}{}{BOLD:#} {DIM}({}){DIM:#}.",
            self.title(&intent.target),
            intent.target
        );
        self.why(&intent.evidence);
        self.slots(intent);
        self.rivals(&intent.evidence);
        anstream::println!("  {}\n", sure(intent));
    }

    fn why(&self, evidence: &Evidence) {
        let whose = match evidence.source {
            Source::Label => "its name",
            Source::Own => "a phrase of yours",
            Source::Taught => "a phrase that was taught here",
            Source::Pack => "a phrase of the pack",
            Source::Generated => "what people usually say for it",
        };
        match evidence.tier {
            Stage::Exact => anstream::println!("  It is {whose}, word for word: {GREEN}{}{GREEN:#}", evidence.phrase),
            Stage::Pattern => anstream::println!("  It is nearly {whose}: {GREEN}{}{GREEN:#}", evidence.phrase),
            Stage::Search => {
                anstream::println!(
                    "  No phrase matches. It is most like this one: {GREEN}{}{GREEN:#}",
                    evidence.phrase
                );
                if let Some(search) = &evidence.search {
                    let words = if search.lexical > 0.0 { "support it" } else { "are inconclusive" };
                    anstream::println!(
                        "  {DIM}Words and letters {words}; the meanings are {} similar ({:.2}).{DIM:#}",
                        how_alike(search.alike),
                        search.alike
                    );
                }
            }
        }
        for (said, meant) in &evidence.taken_for {
            anstream::println!("  “{said}” was read as “{meant}”.");
        }
    }

    fn slots(&self, intent: &Intent) {
        for slot in &intent.slots {
            let value = plain(&slot.value);
            match &slot.inferred {
                Some(from) => {
                    anstream::println!("  {BOLD}{}{BOLD:#} is {value} {YELLOW}(inferred: {from}){YELLOW:#}", slot.name)
                }
                None => anstream::println!("  {BOLD}{}{BOLD:#} is {value}", slot.name),
            }
        }
        for slot in &intent.invalid {
            anstream::println!("  {BOLD}{}{BOLD:#} cannot be “{}”: Brain will ask for it", slot.name, slot.text);
        }
        let Some(target) = self.targets.iter().find(|target| target.name == intent.target) else { return };
        for (name, slot) in &target.slots {
            let said =
                intent.slots.iter().any(|one| one.name == *name) || intent.invalid.iter().any(|one| one.name == *name);
            if said {
                continue;
            }
            if slot.has_default {
                anstream::println!("  {BOLD}{name}{BOLD:#} is missing: the default is used");
            } else if slot.required {
                anstream::println!("  {BOLD}{name}{BOLD:#} is missing: Brain will ask for it");
            }
        }
    }

    fn rivals(&self, evidence: &Evidence) {
        if let Some(rival) = &evidence.runner_up {
            // With too few rows, a number would suggest more precision than there is.
            let calibrated = evidence.search.is_none_or(|search| search.calibrated);
            let score = evidence.runner_up_score.map(|score| match calibrated {
                true => format!(", at {score:.2} against {:.2}", evidence.score),
                false if score < 0.5 * evidence.score => ", far behind".to_owned(),
                false => ", not far behind".to_owned(),
            });
            anstream::println!(
                "  {DIM}Next best was {} ({rival}){}.{DIM:#}",
                self.title(rival),
                score.unwrap_or_default()
            );
        }
        for (target, why) in &evidence.excluded {
            anstream::println!("  {DIM}{} was ruled out: {why}{DIM:#}", self.title(target));
        }
    }

    fn question(&self, question: &Question) {
        anstream::println!("“{}” is not clear: {YELLOW}{}{YELLOW:#}\n", self.text, question.text);
        if !question.tiers.is_empty() {
            for tier in &question.tiers {
                anstream::println!("  {BOLD}{}{BOLD:#}: {}", tier.title, tier.targets.join(", "));
            }
            return;
        }
        if let Some(word) = question.options.iter().find_map(|option| option.evidence.doubt.as_ref()) {
            anstream::println!("  “{word}” suggests that this is not a request.");
        }
        for option in &question.options {
            anstream::println!(
                "  {BOLD}{}{BOLD:#} {DIM}({}){DIM:#} at {:.2}: like “{}”",
                self.title(&option.target),
                option.target,
                option.evidence.score,
                option.evidence.phrase
            );
        }
    }

    fn unknown(&self, nearest: &[Suggestion]) {
        anstream::println!("“{}” matches nothing that the packs can do.", self.text);
        for one in nearest {
            anstream::println!("  Nearest: {BOLD}{}{BOLD:#}, for example “{}”", self.title(&one.target), one.phrase);
        }
    }
}

fn sure(intent: &Intent) -> String {
    let why = match (intent.confidence, intent.evidence.tier) {
        (brain_nlu::Confidence::High, _) => "every value was given",
        (brain_nlu::Confidence::Medium, Stage::Exact) => "a value was not given",
        (brain_nlu::Confidence::Medium, _) => "a value was inferred",
        _ => "a value has to be asked for",
    };
    format!("Confidence: {BOLD}{}{BOLD:#}, {why}.", intent.confidence)
}

fn how_alike(alike: f32) -> &'static str {
    match alike {
        a if a >= 0.8 => "very much",
        a if a >= 0.6 => "quite",
        a if a >= 0.4 => "somewhat",
        _ => "hardly",
    }
}

fn plain(value: &Value) -> String {
    if let Some(name) = value.get("mention").and_then(Value::as_str) {
        return format!("the one called “{name}”, which is looked up");
    }
    match value {
        Value::String(text) => format!("“{text}”"),
        other => other.to_string(),
    }
}

fn small_talk(talk: SmallTalk) {
    let name = serde_json::to_value(talk).unwrap_or_default();
    anstream::println!("That is small talk ({}); Brain answers it directly.", name.as_str().unwrap_or_default());
}
