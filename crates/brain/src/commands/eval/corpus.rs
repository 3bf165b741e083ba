//! A pack's corpus: held-out utterances with the expected intent.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use brain_kernel::scenario::corpus::{CorpusScore, Grade, score};
use brain_kernel::scenario::corpus_vocabulary;
use brain_registry::model::CorpusSet;
use serde_json::{Map, Value, json};

use crate::cli::{EvalArgs, Global, SetArg};
use crate::show::{DIM, GREEN, RED, YELLOW};
use crate::{open, show};

pub(super) fn run(global: &Global, args: &EvalArgs) -> Result<bool> {
    let registry = open::registry(global)?;
    let encoder = open::encoder(args.tier, global)?;
    let tier = encoder.id().to_owned();
    let reader = corpus_vocabulary(&registry, encoder);
    let set = match (args.set, &args.teach_file) {
        (Some(SetArg::Test), _) | (None, None) => CorpusSet::Test,
        (Some(SetArg::Tune), _) | (None, Some(_)) => CorpusSet::Tune,
    };
    let result = score(&registry, set, |text| reader.read(text));
    let report = report(&result, &tier);
    if let Some(file) = &args.teach_file {
        let count = write_teach_file(file, &result)?;
        if !global.json {
            let plural = if count == 1 { "" } else { "s" };
            anstream::eprintln!("{count} phrase{plural} to review: {}", file.display());
            if set == CorpusSet::Test && count > 0 {
                anstream::eprintln!(
                    "{YELLOW}These are test rows: once taught, they can no longer be used for measuring.{YELLOW:#}"
                );
            }
        }
    }
    if global.json {
        show::json(&report);
    } else {
        print(&result, &tier);
    }
    if let Some(file) = &args.compare {
        return compare(file, &report);
    }
    Ok(true)
}

fn report(result: &CorpusScore, tier: &str) -> Value {
    let rows: Vec<Value> = result
        .rows
        .iter()
        .map(|row| {
            json!({"say": row.say, "group": row.group, "verdict": row.verdict, "wanted": row.wanted, "read": row.read})
        })
        .collect();
    let mut report = counts(result);
    let groups: Map<String, Value> =
        result.groups().iter().map(|(name, score)| ((*name).to_owned(), counts(score))).collect();
    report["tier"] = tier.into();
    report["groups"] = groups.into();
    report["each"] = rows.into();
    report
}

fn counts(result: &CorpusScore) -> Value {
    json!({
        "rows": result.total(), "right": result.count(Grade::Right), "offered": result.count(Grade::Offered),
        "asked": result.count(Grade::Asked), "not_understood": result.count(Grade::NotUnderstood),
        "wrong": result.count(Grade::Wrong),
    })
}

fn print(result: &CorpusScore, tier: &str) {
    for row in &result.rows {
        let sign = match row.verdict {
            Grade::Right => continue,
            Grade::Offered => format!("{DIM}?{DIM:#}"),
            Grade::Asked => format!("{YELLOW}?{YELLOW:#}"),
            Grade::NotUnderstood => format!("{YELLOW}–{YELLOW:#}"),
            Grade::Wrong => format!("{RED}✗{RED:#}"),
        };
        outln!("{sign} “{}”\n    wanted {}\n    {DIM}read   {}{DIM:#}", row.say, row.wanted, row.read);
    }
    let groups = result.groups();
    let width = groups.keys().map(|name| name.len()).max().unwrap_or(0).max("all".len());
    outln!("\n{DIM}{:width$}  rows  right  offered  asked  not understood  wrong{DIM:#}", "");
    for (name, score) in &groups {
        outln!("{}", line(name, score, width));
    }
    if groups.len() > 1 {
        outln!("{}", line("all", result, width));
    }
    outln!("{DIM}In %. “offered”: asked, with the right one among the answers. Encoder: {tier}{DIM:#}");
}

fn line(name: &str, score: &CorpusScore, width: usize) -> String {
    let share = |grade: Grade| score.share(grade);
    let colour = if score.count(Grade::Wrong) == 0 { GREEN } else { RED };
    format!(
        "{name:width$}  {:4}  {:5.1}  {:7.1}  {:5.1}  {:14.1}  {colour}{:5.1}{colour:#}",
        score.total(),
        share(Grade::Right),
        share(Grade::Offered),
        share(Grade::Asked),
        share(Grade::NotUnderstood),
        share(Grade::Wrong),
    )
}

/// Prints what changed since an earlier report; `false` if something got worse.
fn compare(file: &Path, now: &Value) -> Result<bool> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let before: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a report of `brain dev eval --json`", file.display()))?;
    let verdicts = |report: &Value| -> BTreeMap<String, String> {
        let rows = report["each"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        rows.map(|row| (text(&row["say"]), text(&row["verdict"]))).collect()
    };
    let rank = |verdict: &str| match verdict {
        "right" => 4,
        "offered" => 3,
        "asked" => 2,
        "not_understood" => 1,
        _ => 0,
    };
    let (before, now) = (verdicts(&before), verdicts(now));
    let mut worse = 0;
    for (say, was) in &before {
        let Some(is) = now.get(say).filter(|is| *is != was) else { continue };
        let better = rank(is) > rank(was);
        worse += usize::from(!better);
        let colour = if better { GREEN } else { RED };
        outln!("{colour}{was} → {is}{colour:#}  “{say}”");
    }
    outln!("{}", if worse == 0 { "Nothing got worse.".to_owned() } else { format!("{worse} rows got worse.") });
    Ok(worse == 0)
}

/// Writes misunderstood rows as phrases to teach, for a person to review. Returns how many.
fn write_teach_file(file: &Path, result: &CorpusScore) -> Result<usize> {
    let mut text = String::from("# Review this file, then: brain teach --file THIS\n");
    let (mut count, head) = (0, text.len());
    for row in result.rows.iter().filter(|row| row.verdict != Grade::Right) {
        if let Some(target) = &row.target {
            let phrase = serde_json::to_string(&with_slots(&row.say, &row.slots))?;
            text.push_str(&format!("- {{phrase: {phrase}, target: {target}}}\n"));
            count += 1;
        }
    }
    if text.len() == head {
        text.push_str("[]\n");
    }
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(count)
}

/// Replaces the expected values in an utterance with `{slots}`, the longest first.
fn with_slots(say: &str, slots: &Map<String, Value>) -> String {
    let mut values: Vec<(&String, String)> = slots
        .iter()
        .map(|(name, value)| {
            // A record may be mentioned by name.
            let said = value.get("mention").unwrap_or(value);
            (name, said.as_str().map_or_else(|| said.to_string(), str::to_owned))
        })
        .filter(|(_, value)| !value.is_empty())
        .collect();
    values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let mut text = say.to_owned();
    for (name, value) in values {
        let inside = |at: usize| text[..at].matches('{').count() > text[..at].matches('}').count();
        if let Some((at, _)) = text.match_indices(&value).find(|(at, _)| !inside(*at)) {
            text.replace_range(at..at + value.len(), &format!("{{{name}}}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_expected_give_way_to_their_slots() {
        let slots = json!({"name": "Bob", "note": "call Bob", "n": 3, "to": {"mention": "no"}, "unsaid": "x y"});
        let text = with_slots("3 times: call Bob, says Bob, no", slots.as_object().unwrap());
        assert_eq!(text, "{n} times: {note}, says {name}, {to}");
    }
}
