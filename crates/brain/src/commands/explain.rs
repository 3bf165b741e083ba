//! `brain explain`: how a request is understood, or how a run's request was, and why. Nothing is executed.

use anyhow::{Context, Result};
use brain_core::RunId;
use brain_nlu::{Evidence, Intent, MatchType, Question, Role, SmallTalk, Source, Stage, Suggestion, Understanding};
use brain_server::wire::{ExplainRequest, Explanation};
use serde_json::Value;

use crate::cli::Global;
use crate::remote::Need;
use crate::show::{BOLD, DIM, GREEN, YELLOW};
use crate::{hint, show};

pub(crate) fn run(global: &Global, text: &str, tier: Option<&str>) -> Result<bool> {
    let run = text.trim().parse::<RunId>().ok();
    // Taught and blocked phrases count if the store exists; explaining does not create one.
    let need = if run.is_some() { Need::Existing } else { Need::Optional };
    super::talk(global, need, async |client| {
        let found: Explanation = match run {
            // From the stored understanding: phrases may have changed since.
            Some(run) => client.get(&format!("/v1/runs/{run}/explain")).await?,
            None => {
                client
                    .post(
                        "/v1/explain",
                        &ExplainRequest { text: text.to_owned(), intent_tier: tier.map(str::to_owned) },
                    )
                    .await?
            }
        };
        if global.json {
            show::json(&if run.is_some() { serde_json::to_value(&found)? } else { found.understanding });
            return Ok(true);
        }
        tell(&found)?;
        Ok(true)
    })
}

fn tell(found: &Explanation) -> Result<()> {
    let understanding = serde_json::from_value(found.understanding.clone())
        .context("the explanation cannot be parsed; the server may run another version of Brain")?;
    let printer = Printer { found, text: &found.text };
    match &understanding {
        Understanding::Clear { intents } => {
            if intents.len() > 1 {
                outln!("{} requests, in this order.\n", intents.len());
            }
            for intent in intents {
                printer.request(intent);
            }
        }
        Understanding::Ask(question) => printer.question(question),
        Understanding::SmallTalk { talk } => small_talk(*talk),
        Understanding::Unknown { nearest } => printer.unknown(nearest),
    }
    for link in found.understanding["links"].as_array().into_iter().flatten() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let best = &link["candidates"][0];
        let why: Vec<String> = best["evidence"].as_array().into_iter().flatten().map(text).collect();
        outln!(
            "  The name “{}” was looked up: {} {DIM}({}){DIM:#}",
            text(&link["mention"]),
            text(&best["id"]),
            why.join(", ")
        );
    }
    if let Some(run) = &found.run_id {
        outln!("{DIM}What the run did: {}{DIM:#}", hint::command(&format!("runs show {run}")));
    }
    Ok(())
}

struct Printer<'a> {
    found: &'a Explanation,
    text: &'a str,
}

impl Printer<'_> {
    fn title(&self, name: &str) -> String {
        self.found.titles.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn request(&self, intent: &Intent) {
        let said = self.text.get(intent.span.clone()).unwrap_or_default().trim();
        outln!(
            "“{said}” is understood as {BOLD}{}{BOLD:#} {DIM}({}){DIM:#}.",
            self.title(&intent.target),
            intent.target
        );
        self.why(&intent.evidence);
        self.slots(intent);
        self.account(intent);
        self.rivals(&intent.evidence);
        outln!("  {}\n", sure(intent));
    }

    fn why(&self, evidence: &Evidence) {
        let whose = match evidence.source {
            Source::Label => "its name",
            Source::Own => "a phrase that you taught for yourself",
            Source::Taught => "a phrase that was taught here",
            Source::Pack => "a phrase of the pack",
            Source::Generated => "a common way to ask for it",
        };
        match (evidence.match_type, evidence.tier) {
            (Some(MatchType::Synonym), _) => {
                outln!(
                    "  It is a synonym of the tool, or an alias of the playbook: {GREEN}{}{GREEN:#}",
                    evidence.phrase
                )
            }
            (Some(MatchType::Fuzzy), _) => outln!(
                "  It is {:.0} % similar to its name: {GREEN}{}{GREEN:#}",
                100.0 * evidence.score,
                evidence.phrase
            ),
            (_, Stage::Exact) => outln!("  It matches {whose} exactly: {GREEN}{}{GREEN:#}", evidence.phrase),
            (_, Stage::Pattern) => outln!("  It closely matches {whose}: {GREEN}{}{GREEN:#}", evidence.phrase),
            (_, Stage::Search) => {
                outln!("  No phrase matches. It is most like this one: {GREEN}{}{GREEN:#}", evidence.phrase);
                if let Some(search) = &evidence.search {
                    let words = if search.lexical > 0.0 { "support it" } else { "are inconclusive" };
                    outln!(
                        "  {DIM}Words and letters {words}; the meanings are {} similar ({:.2}).{DIM:#}",
                        how_alike(search.alike),
                        search.alike
                    );
                }
            }
        }
        for (said, meant) in &evidence.taken_for {
            outln!("  “{said}” was read as “{meant}”.");
        }
    }

    fn slots(&self, intent: &Intent) {
        for slot in &intent.slots {
            let value = plain(&slot.value, &slot.name);
            match &slot.inferred {
                Some(from) => {
                    outln!("  {BOLD}{}{BOLD:#} is {value} {YELLOW}(inferred: {from}){YELLOW:#}", slot.name)
                }
                None => outln!("  {BOLD}{}{BOLD:#} is {value}", slot.name),
            }
        }
        for slot in &intent.invalid {
            match &slot.why {
                Some(why) => outln!("  {BOLD}{}{BOLD:#} is not clear: {why} Brain will ask for it", slot.name),
                None => outln!("  {BOLD}{}{BOLD:#} cannot be “{}”: Brain will ask for it", slot.name, slot.text),
            }
        }
        for slot in self.found.missing.iter().filter(|slot| slot.target == intent.target) {
            let what = if slot.default { "the default is used" } else { "Brain will ask for it" };
            outln!("  {BOLD}{}{BOLD:#} is missing: {what}", slot.name);
        }
    }

    /// What became of every word.
    fn account(&self, intent: &Intent) {
        let says = |role: Role| -> Option<String> {
            let parts = intent.account.iter().filter(|part| part.role == role);
            let words: Vec<&str> = parts.filter_map(|part| self.text.get(part.span.clone())).map(str::trim).collect();
            (!words.is_empty()).then(|| words.iter().map(|words| format!("“{words}”")).collect::<Vec<_>>().join(", "))
        };
        let of = [
            (Role::Phrase, "request"),
            (Role::Slot, "values"),
            (Role::Filler, "function words"),
            (Role::Minor, "ignored"),
            (Role::Leftover, "not understood"),
        ];
        let parts: Vec<String> =
            of.into_iter().filter_map(|(role, what)| says(role).map(|words| format!("{what} {words}"))).collect();
        if !parts.is_empty() {
            outln!("  {DIM}Words by use: {}.{DIM:#}", parts.join("; "));
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
            outln!("  {DIM}Next best was {} ({rival}){}.{DIM:#}", self.title(rival), score.unwrap_or_default());
        }
        for (target, why) in &evidence.excluded {
            outln!("  {DIM}{} was ruled out: {why}{DIM:#}", self.title(target));
        }
    }

    fn question(&self, question: &Question) {
        outln!("“{}” is not clear: {YELLOW}{}{YELLOW:#}\n", self.text, question.text);
        if !question.tiers.is_empty() {
            for tier in &question.tiers {
                let count = show::count(tier.targets.len() as u64, "tool");
                outln!(
                    "  {BOLD}{}{BOLD:#} {DIM}({}, {count}){DIM:#}: {}",
                    tier.title,
                    tier.tier,
                    tier.targets.join(", ")
                );
                for about in [&tier.description, &tier.hint].into_iter().filter(|about| !about.is_empty()) {
                    outln!("    {DIM}{about}{DIM:#}");
                }
            }
            return;
        }
        for option in &question.options {
            if question.options.len() == 1 {
                self.slots(option);
                self.account(option);
            }
            outln!(
                "  {BOLD}{}{BOLD:#} {DIM}({}){DIM:#} at {:.2}: like “{}”",
                self.title(&option.target),
                option.target,
                option.evidence.score,
                option.evidence.phrase
            );
        }
    }

    fn unknown(&self, nearest: &[Suggestion]) {
        outln!("“{}” matches nothing that the packs can do.", self.text);
        for one in nearest {
            outln!("  Nearest: {BOLD}{}{BOLD:#}, for example “{}”", self.title(&one.target), one.phrase);
        }
    }
}

fn sure(intent: &Intent) -> String {
    let why = match (intent.confidence, intent.evidence.tier) {
        (brain_nlu::Confidence::High, _) => "All values are in the request.",
        (brain_nlu::Confidence::Medium, Stage::Exact) => "A value is missing from the request.",
        (brain_nlu::Confidence::Medium, _) => "A value was inferred.",
        _ => "Brain will ask for a value.",
    };
    format!("Confidence: {BOLD}{}{BOLD:#}. {why}", intent.confidence)
}

fn how_alike(alike: f32) -> &'static str {
    match alike {
        a if a >= 0.8 => "very",
        a if a >= 0.6 => "quite",
        a if a >= 0.4 => "somewhat",
        _ => "hardly",
    }
}

/// The value of a slot. A slot for the id of a record is usually named after its type: `lead_id`.
fn plain(value: &Value, slot: &str) -> String {
    if let Some(name) = value.get("mention").and_then(Value::as_str) {
        let noun = slot.strip_suffix("_id").unwrap_or("record").replace('_', " ");
        return format!("the {noun} called “{name}”");
    }
    match value {
        Value::String(text) => format!("“{text}”"),
        other => other.to_string(),
    }
}

fn small_talk(talk: SmallTalk) {
    let name = serde_json::to_value(talk).unwrap_or_default();
    outln!("That is small talk ({}); Brain answers it directly.", name.as_str().unwrap_or_default());
}
