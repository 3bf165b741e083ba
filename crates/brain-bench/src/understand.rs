//! `brain-bench understand`: the cost of understanding with a large vocabulary, and of the vocabulary.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use brain::bench::{Measured, encoder, resident_mb, round};
use brain_core::{Random as _, SeededRandom};
use brain_embed::Encoder;
use brain_nlu::{
    Context, SlotKind, SlotSpec, Surroundings, Target, TargetKind, Taught, TaughtPhrase, Tuning, Understanding,
    Vocabulary, understand,
};
use serde_json::{Value, json};

use crate::cli::{BenchUnderstandArgs, Global};
use crate::show::{BOLD, DIM};
use crate::{show, timed};

const NOUNS: [&str; 57] = [
    "account", "address", "agreement", "appointment", "asset", "batch", "booking", "budget", "campaign", "carrier",
    "case", "certificate", "claim", "client", "complaint", "contact", "contract", "customer", "delivery", "deposit",
    "device", "document", "driver", "employee", "entity", "estimate", "event", "expense", "fund", "holding",
    "incident", "invoice", "item", "lead", "license", "listing", "loan", "location", "mandate", "meeting", "message",
    "order", "party", "payment", "policy", "portfolio", "product", "project", "refund", "report", "route", "shipment",
    "subscription", "supplier", "ticket", "vehicle", "warehouse",
];
const ACTIONS: [(&str, &[&str]); 19] = [
    ("create", &["create", "add", "new", "set up"]),
    ("get", &["show", "open", "look up", "pull up"]),
    ("list", &["list", "show all", "what are the", "give me every"]),
    ("update", &["update", "edit", "change", "correct"]),
    ("delete", &["delete", "erase", "get rid of", "wipe"]),
    ("archive", &["archive", "put away", "shelve", "file away"]),
    ("assign", &["assign", "hand over", "allocate", "give away"]),
    ("approve", &["approve", "sign off", "accept", "clear"]),
    ("reject", &["reject", "turn down", "decline", "refuse"]),
    ("close", &["close", "wrap up", "finish", "conclude"]),
    ("reopen", &["reopen", "bring back", "resume", "open again"]),
    ("merge", &["merge", "combine", "join", "unite"]),
    ("split", &["split", "divide", "break up", "separate"]),
    ("export", &["export", "download", "save a copy of", "print"]),
    ("import", &["import", "load", "upload", "read in"]),
    ("rename", &["rename", "retitle", "give another name to", "relabel"]),
    ("schedule", &["schedule", "plan", "put in the calendar", "arrange"]),
    ("cancel", &["cancel", "call off", "abort", "drop"]),
    ("audit", &["audit", "check", "verify", "go over"]),
];
const ENDS: [&str; 7] = [
    "{id}",
    "number {id}",
    "{id} for me",
    "with the number {id}",
    "{id} right away",
    "called {name}",
    "{id} of {name}",
];
/// Words around a request.
const WRAPS: [(&str, &str); 8] = [
    ("", ""),
    ("please ", ""),
    ("could you ", ""),
    ("I need to ", ""),
    ("", " please"),
    ("hey, ", " thanks"),
    ("I would like you to ", ""),
    ("can we ", " today"),
];

/// Number of processes that load a snapshot.
const LOADS: usize = 5;

pub(crate) fn run(global: &Global, args: &BenchUnderstandArgs) -> Result<()> {
    if args.tools == 0
        || args.tools > NOUNS.len() * ACTIONS.len()
        || args.phrases < args.tools
        || args.phrases > args.tools * 28
    {
        bail!("--tools must be 1 to {}, --phrases 1 to 28 for each", NOUNS.len() * ACTIONS.len());
    }
    let encoder = encoder(args.model.as_deref())?;
    if let Some(snapshot) = &args.snapshot {
        show::json(&loaded(args, &encoder, snapshot)?);
        return Ok(());
    }
    let targets = targets(args.tools, args.phrases);
    let (compile_ms, vocabulary) = timed(|| compiled(targets.clone(), &encoder))?;
    let bytes = vocabulary.snapshot();
    let (changed_ms, _) = timed(|| {
        let mut changed = targets.clone();
        changed[0].phrases[0].push_str(" quickly");
        let changed = plain(changed, &encoder)?;
        changed.prepare_from(&vocabulary);
        Ok(changed)
    })?;
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), &bytes)?;
    let mut found = in_a_fresh_process(args, file.path(), args.utterances)?;
    // Allocating a fresh process's memory may take longer than loading, so take the median of several processes.
    let mut loads = vec![number(&found["load_ms"])];
    for _ in 1..LOADS {
        loads.push(number(&in_a_fresh_process(args, file.path(), 1)?["load_ms"]));
    }
    loads.sort_by(f64::total_cmp);
    found["load_ms"] = json!(loads[LOADS / 2]);
    found["loads_ms"] = json!(loads);
    found["tier"] = json!(encoder.id());
    found["compile_ms"] = json!(round(compile_ms));
    found["changed_phrase_ms"] = json!(round(changed_ms));
    found["snapshot_bytes"] = json!(bytes.len());
    if global.json {
        show::json(&found);
        return Ok(());
    }
    anstream::println!(
        "{BOLD}{} tools, {} phrases{BOLD:#} {DIM}({}, one thread){DIM:#}",
        args.tools,
        found["phrases"],
        encoder.id()
    );
    let with = format!("with {} taught", found["taught"]);
    let parts = [
        ("as a phrase says it", "exact"),
        (with.as_str(), "taught_exact"),
        ("in other words", "near"),
        (with.as_str(), "taught_near"),
    ];
    for (name, part) in parts {
        let part = &found[part];
        line(name, part, &format!("{:.1} % right or asked", 100.0 * number(&part["right"])));
        let share = 100.0 * number(&part["searched"]["share"]);
        if share > 0.0 {
            line("  with search", &part["searched"], &format!("asked for {share:.0} % of them"));
        }
    }
    anstream::println!(
        "  compiled in {:.1} s, after a changed phrase in {:.2} s; snapshot {:.1} MB, loaded in {:.0} ms ({:.0} to {:.0}), {:.0} MB of memory",
        compile_ms / 1e3,
        changed_ms / 1e3,
        bytes.len() as f64 / 1e6,
        number(&found["load_ms"]),
        loads[0],
        loads[LOADS - 1],
        number(&found["memory_mb"])
    );
    Ok(())
}

fn line(name: &str, part: &Value, note: &str) {
    let (p50, p99) = (number(&part["p50_us"]), number(&part["p99_us"]));
    anstream::println!("  {name:<26}p50 {p50:.0} µs   p99 {p99:.0} µs   {DIM}{note}{DIM:#}");
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

/// Costs of a process that has compiled nothing, like a server that starts: load time, memory, and reading.
fn loaded(args: &BenchUnderstandArgs, encoder: &Arc<dyn Encoder>, snapshot: &Path) -> Result<Value> {
    let before = resident_mb();
    let targets = targets(args.tools, args.phrases);
    let own = targets.clone();
    let (load_ms, vocabulary) = timed(|| {
        let loaded = plain(own, encoder)?;
        loaded.load(&std::fs::read(snapshot)?).map_err(|error| anyhow!(error))?;
        Ok(loaded)
    })?;
    let memory_mb = resident_mb() - before;
    let taught = taught(&vocabulary, &targets, args.taught)?;
    let measure = |reworded: bool, taught: Option<&Taught>| {
        // Phrases are parsed lazily, so read other utterances first.
        read(&vocabulary, &utterances(&targets, args.utterances, reworded, 4), taught)?;
        let readings = read(&vocabulary, &utterances(&targets, args.utterances, reworded, 5), taught)?;
        let share = |of: fn(&Reading) -> bool| {
            round(readings.iter().filter(|reading| of(reading)).count() as f64 / readings.len().max(1) as f64)
        };
        let times = |of: fn(&Reading) -> bool| {
            let took: Vec<f64> = readings.iter().filter(|reading| of(reading)).map(|reading| reading.took_ms).collect();
            let measured = Measured::new(took.iter().sum::<f64>() / 1e3, took);
            let micros = |share: f64| round(measured.percentile(share) * 1e3);
            json!({"p50_us": micros(0.5), "p99_us": micros(0.99)})
        };
        let mut found = times(|_| true);
        found["right"] = json!(share(|reading| reading.right));
        found["searched"] = times(|reading| reading.searched);
        found["searched"]["share"] = json!(share(|reading| reading.searched));
        anyhow::Ok(found)
    };
    Ok(json!({
        "tools": args.tools, "phrases": vocabulary.len(), "load_ms": round(load_ms), "memory_mb": round(memory_mb),
        "exact": measure(false, None)?, "near": measure(true, None)?,
        "taught": args.taught, "taught_exact": measure(false, Some(&taught))?, "taught_near": measure(true, Some(&taught))?,
    }))
}

fn in_a_fresh_process(args: &BenchUnderstandArgs, snapshot: &Path, utterances: usize) -> Result<Value> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.args(["--json", "understand", "--snapshot"]).arg(snapshot);
    for (name, value) in [
        ("--tools", args.tools),
        ("--phrases", args.phrases),
        ("--utterances", utterances),
        ("--taught", if utterances == 1 { 0 } else { args.taught }),
    ] {
        command.arg(name).arg(value.to_string());
    }
    if let Some(model) = &args.model {
        command.arg("--model").arg(model);
    }
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("the process that loads the snapshot ended with {}", output.status);
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn plain(targets: Vec<Target>, encoder: &Arc<dyn Encoder>) -> Result<Vocabulary> {
    Vocabulary::compile(targets, encoder.clone(), Tuning::default()).map_err(|error| anyhow!(error.message))
}

fn compiled(targets: Vec<Target>, encoder: &Arc<dyn Encoder>) -> Result<Vocabulary> {
    let vocabulary = plain(targets, encoder)?;
    vocabulary.prepare();
    Ok(vocabulary)
}

fn targets(tools: usize, phrases: usize) -> Vec<Target> {
    let text = SlotSpec { kind: SlotKind::Text, required: false, has_default: false, entity: None };
    let id = SlotSpec { kind: SlotKind::Integer, ..text.clone() };
    let mut left = phrases;
    let mut list = Vec::with_capacity(tools);
    for number in 0..tools {
        let (noun, (action, ways)) = (NOUNS[number % NOUNS.len()], ACTIONS[number / NOUNS.len()]);
        let own = left / (tools - number);
        left -= own;
        let all = ENDS.iter().flat_map(|end| ways.iter().map(move |way| format!("{way} {noun} {end}")));
        list.push(Target {
            name: format!("{noun}.{action}"),
            kind: TargetKind::Tool,
            title: format!("{action} {noun}"),
            nouns: vec![noun.to_owned()],
            synonyms: Vec::new(),
            intent_tier: None,
            destructive: action == "delete",
            reads_only: false,
            slots: BTreeMap::from([("id".to_owned(), id.clone()), ("name".to_owned(), text.clone())]),
            phrases: all.take(own).collect(),
            generated: Vec::new(),
        });
    }
    list
}

/// Test utterances: phrases with values, unchanged or reworded, with their expected targets.
fn utterances(targets: &[Target], count: usize, reworded: bool, seed: u64) -> Vec<(String, String)> {
    let mut random = SeededRandom::new(seed);
    let mut draw = |below: usize| (random.next_u64() % below as u64) as usize;
    let utterance = |_| {
        let target = &targets[draw(targets.len())];
        let phrase = &target.phrases[draw(target.phrases.len())];
        let mut said = phrase.replace("{id}", &(100 + draw(900)).to_string()).replace("{name}", "Miller");
        if reworded {
            let (before, after) = WRAPS[1 + draw(WRAPS.len() - 1)];
            let mut words: Vec<String> = said.split(' ').map(str::to_owned).collect();
            let at = draw(words.len());
            // Every third utterance has a typo in a long word.
            if draw(3) == 0 && words[at].len() > 5 && words[at].is_ascii() {
                let place = 1 + draw(words[at].len() - 3);
                words[at].remove(place);
            }
            words.insert(1 + draw(words.len() - 1), "the".to_owned());
            said = format!("{before}{}{after}", words.join(" "));
        }
        (said, target.name.clone())
    };
    (0..count).map(utterance).collect()
}

/// The result of reading an utterance.
struct Reading {
    took_ms: f64,
    /// Whether it was not read as another target.
    right: bool,
    /// Whether no phrase matched exactly, so that search was used.
    searched: bool,
}

/// Phrases that people could have taught: the words of the tools, with one of their own.
fn taught(vocabulary: &Vocabulary, targets: &[Target], count: usize) -> Result<Taught> {
    const OWN: [&str; 25] = [
        "pronto", "quietly", "in full", "for the boss", "this week", "once more", "by hand", "with care", "at once",
        "as agreed", "in red", "for Ann", "for Tom", "after lunch", "for the team", "on site", "off site", "upstairs",
        "downstairs", "for the files", "as before", "in writing", "by phone", "by post", "for review",
    ];
    let phrase = |number: usize| {
        let target = &targets[number % targets.len()];
        let own = OWN[number / targets.len() % OWN.len()];
        let phrase = &target.phrases[number / targets.len() % target.phrases.len()];
        TaughtPhrase { text: format!("{phrase} {own}"), target: target.name.clone(), actor: None }
    };
    let phrases: Vec<TaughtPhrase> = (0..count).map(phrase).collect();
    Taught::build(vocabulary, &phrases, &[], None).map_err(|(text, error)| anyhow!("{text}: {}", error.message))
}

fn read(vocabulary: &Vocabulary, utterances: &[(String, String)], taught: Option<&Taught>) -> Result<Vec<Reading>> {
    let around = Surroundings::new(jiff::civil::date(2026, 1, 5).in_tz("UTC")?, "AU", "");
    let context = Context { taught, ..Context::fresh(around) };
    let one = |(text, target): &(String, String)| {
        let started = Instant::now();
        let found = understand(vocabulary, text, &context);
        let took_ms = started.elapsed().as_secs_f64() * 1e3;
        match &found {
            Understanding::Clear { intents } => Reading {
                took_ms,
                right: intents.len() == 1 && intents[0].target == *target,
                searched: intents.iter().any(|intent| intent.evidence.search.is_some()),
            },
            _ => Reading { took_ms, right: true, searched: true },
        }
    };
    Ok(utterances.iter().map(one).collect())
}
