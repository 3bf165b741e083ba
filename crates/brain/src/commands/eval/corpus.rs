//! A pack's corpus: utterances that were held out, with what should come of them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use brain_kernel::scenario::corpus::{CorpusScore, Verdict, score};
use brain_kernel::scenario::corpus_vocabulary;
use brain_registry::model::CorpusSet;
use serde_json::{Value, json};

use crate::cli::{EvalArgs, Global, SetArg};
use crate::show::{DIM, GREEN, RED, YELLOW};
use crate::{open, show};

pub(super) fn run(global: &Global, args: &EvalArgs) -> Result<bool> {
    let registry = open::registry(global)?;
    let encoder = open::encoder(args.tier, global)?;
    let tier = encoder.id().to_owned();
    let reader = corpus_vocabulary(&registry, encoder);
    let set = match args.set {
        SetArg::Test => CorpusSet::Test,
        SetArg::Tune => CorpusSet::Tune,
    };
    let result = score(&registry, set, |text| reader.read(text));
    let report = report(&result, &tier);
    if let Some(file) = &args.teach_file {
        write_teach_file(file, &result)?;
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
        .map(|row| json!({"say": row.say, "verdict": row.verdict, "wanted": row.wanted, "read": row.read}))
        .collect();
    json!({
        "tier": tier, "rows": result.total(), "right": result.count(Verdict::Right),
        "asked": result.count(Verdict::Asked), "wrong": result.count(Verdict::Wrong), "each": rows,
    })
}

fn print(result: &CorpusScore, tier: &str) {
    let share = |verdict: Verdict| 100.0 * result.count(verdict) as f64 / result.total().max(1) as f64;
    for row in &result.rows {
        let sign = match row.verdict {
            Verdict::Right => continue,
            Verdict::Asked => format!("{YELLOW}?{YELLOW:#}"),
            Verdict::Wrong => format!("{RED}✗{RED:#}"),
        };
        anstream::println!("{sign} “{}”\n    wanted {}\n    {DIM}read   {}{DIM:#}", row.say, row.wanted, row.read);
    }
    let colour = if result.count(Verdict::Wrong) == 0 { GREEN } else { RED };
    anstream::println!(
        "{} rows: {:.1} % right, {:.1} % asked, {colour}{:.1} % wrong and confident{colour:#} {DIM}({tier}){DIM:#}",
        result.total(),
        share(Verdict::Right),
        share(Verdict::Asked),
        share(Verdict::Wrong)
    );
}

/// Says what changed since an earlier report; `false` if something got worse.
fn compare(file: &Path, now: &Value) -> Result<bool> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let before: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is no report of `brain eval --json`", file.display()))?;
    let verdicts = |report: &Value| -> BTreeMap<String, String> {
        let rows = report["each"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        rows.map(|row| (text(&row["say"]), text(&row["verdict"]))).collect()
    };
    let rank = |verdict: &str| match verdict {
        "right" => 2,
        "asked" => 1,
        _ => 0,
    };
    let (before, now) = (verdicts(&before), verdicts(now));
    let mut worse = 0;
    for (say, was) in &before {
        let Some(is) = now.get(say).filter(|is| *is != was) else { continue };
        let better = rank(is) > rank(was);
        worse += usize::from(!better);
        let colour = if better { GREEN } else { RED };
        anstream::println!("{colour}{was} → {is}{colour:#}  “{say}”");
    }
    anstream::println!(
        "{}",
        if worse == 0 { "Nothing got worse.".to_owned() } else { format!("{worse} rows got worse.") }
    );
    Ok(worse == 0)
}

/// What was not read as it should be, as something to teach; a person looks through it first.
fn write_teach_file(file: &Path, result: &CorpusScore) -> Result<()> {
    let mut text = String::from("# Look through this, replace values by {slots}, then: brain teach --file THIS\n");
    for row in result.rows.iter().filter(|row| row.verdict != Verdict::Right) {
        if let Some(target) = &row.target {
            text.push_str(&format!("- {{phrase: {}, target: {target}}}\n", serde_json::to_string(&row.say)?));
        }
    }
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}
