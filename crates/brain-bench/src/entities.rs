//! `brain-bench entities`: the cost of finding a record by name among very many.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use brain::bench::{Measured, SystemClock, SystemRandom, kernel, round, scope};
use brain_core::{Clock, Random as _, RecordId, SeededRandom};
use brain_kernel::Kernel;
use brain_registry::model::RecordDef;
use brain_store::{Member, Outcome, RecordRow, Scope, Store, Write};
use serde_json::json;

use crate::cli::{BenchEntitiesArgs, Global};
use crate::ground::Ground;
use crate::show::{BOLD, DIM};
use crate::{runtime, said, show, timed};

/// Records per commit.
const BATCH: usize = 1000;
/// Records written with and without a name, for comparison.
const FEW: usize = 50_000;
const SYLLABLES: [&str; 32] = [
    "ba", "ber", "chi", "da", "den", "fi", "ga", "han", "hol", "ja", "ka", "kim", "la", "lin", "ma", "mor", "na",
    "nes", "or", "pa", "quil", "ra", "ren", "sa", "smi", "son", "ta", "ton", "va", "wel", "ya", "zo",
];

pub(crate) fn run(global: &Global, args: &BenchEntitiesArgs) -> Result<()> {
    if args.records == 0 || args.lookups == 0 {
        bail!("--records and --lookups must be at least 1");
    }
    let ground = Ground::new(global)?;
    let store = ground.open()?;
    let scope = scope()?;
    let runtime = runtime()?;
    let _inside = runtime.enter();
    let kernel = kernel(&store, false)?;
    let Some(person) = kernel.registry().record("person") else {
        bail!("the benchmark's pack has no record type `person`")
    };
    // The cost of names when writing: compare with as many records of a type without names, in the same store.
    let few = args.records.min(FEW);
    let mut random = SeededRandom::new(7);
    let (unnamed_ms, _) = timed(|| fill(&unnamed(person), &store, &scope, few, &mut random))?;
    let (few_ms, mut names) = timed(|| fill(person, &store, &scope, few, &mut random))?;
    let (rest_ms, rest) = timed(|| fill(person, &store, &scope, args.records - few, &mut random))?;
    let fill_ms = few_ms + rest_ms;
    names.extend(rest);
    let some: Vec<&String> = names.iter().step_by((names.len() / args.lookups).max(1)).take(args.lookups).collect();
    let mut rows = Vec::new();
    for (way, say) in said::WAYS {
        rows.push((way, look(&kernel, &scope, &some, say)?));
    }
    kernel.engine().stop();
    let rate = |count: usize, ms: f64| count as f64 / ms * 1e3;
    let (per_second, named, unnamed) = (rate(args.records, fill_ms), rate(few, few_ms), rate(few, unnamed_ms));
    if global.json {
        let rows = rows.iter().map(|(way, Looked { measured, found, other })| {
            json!({"said": way, "p50_ms": round(measured.percentile(0.5)), "p99_ms": round(measured.percentile(0.99)),
                   "found": round(*found), "other": round(*other)})
        });
        let lookups: Vec<_> = rows.collect();
        show::json(&json!({
            "records": args.records, "written_per_second": round(per_second), "lookups": lookups,
            "first": {"records": few, "named_per_second": round(named), "unnamed_per_second": round(unnamed)},
        }));
        return Ok(());
    }
    anstream::println!("{} records with names, written at {per_second:.0}/s", args.records);
    anstream::println!("{DIM}the first {few} of them at {named:.0}/s, as many without a name at {unnamed:.0}/s{DIM:#}");
    anstream::println!("{BOLD}{:<20} {:>9} {:>9} {:>9}  another one{BOLD:#}", "said", "p50 ms", "p99 ms", "found");
    for (way, Looked { measured, found, other }) in &rows {
        let (p50, p99) = (measured.percentile(0.5), measured.percentile(0.99));
        anstream::println!(
            "{way:<20} {p50:>9.3} {p99:>9.3} {DIM}{:>7.1} %  {:.1} %{DIM:#}",
            found * 100.0,
            other * 100.0
        );
    }
    Ok(())
}

/// The result of looking names up: latencies and shares.
struct Looked {
    measured: Measured,
    /// Share of lookups that chose the right record, or listed it in a question.
    found: f64,
    /// Share of lookups that chose another record.
    other: f64,
}

/// Looks up names in one spelling.
fn look(kernel: &Kernel, scope: &Scope, names: &[&String], say: fn(&str) -> String) -> Result<Looked> {
    let began = Instant::now();
    let mut latencies = Vec::with_capacity(names.len());
    let (mut found, mut other) = (0, 0);
    for name in names {
        let said = say(name);
        let (took, linked) = timed(|| Ok(kernel.look_up(scope, &["person"], &said)?))?;
        latencies.push(took);
        // A single word may refer to everybody who has it.
        let is_meant = |called: &str| called == **name || called.split(' ').any(|word| word == said);
        match linked.one() {
            Some(one) if !is_meant(&one.card.name) => other += 1,
            _ => found += usize::from(linked.candidates.iter().any(|one| is_meant(&one.card.name))),
        }
    }
    let share = |count: usize| count as f64 / names.len().max(1) as f64;
    let measured = Measured::new(began.elapsed().as_secs_f64(), latencies);
    Ok(Looked { measured, found: share(found), other: share(other) })
}

/// The same type without name fields.
fn unnamed(person: &RecordDef) -> RecordDef {
    let mut def = person.clone();
    (def.name, def.label) = ("unnamed".to_owned(), None);
    def.fields.iter_mut().filter(|field| field.name == "name").for_each(|field| field.name = "called".to_owned());
    def
}

/// Writes records as the tools would; returns their names.
fn fill(
    def: &RecordDef,
    store: &Arc<dyn Store>,
    scope: &Scope,
    count: usize,
    random: &mut SeededRandom,
) -> Result<Vec<String>> {
    let field = if def.is_named() { "name" } else { "called" };
    let mut word = |syllables: usize| {
        let text: String = (0..syllables).map(|_| SYLLABLES[(random.next_u64() % 32) as usize]).collect();
        text[..1].to_uppercase() + &text[1..]
    };
    let mut names = Vec::with_capacity(count);
    while names.len() < count {
        let mut writes = Vec::with_capacity(BATCH);
        for _ in 0..BATCH.min(count - names.len()) {
            let name = format!("{} {}", word(2), word(3));
            let now = SystemClock.now();
            let row = RecordRow {
                kind: def.name.clone(),
                id: RecordId::generate(now, &mut SystemRandom),
                revision: 1,
                state: None,
                created_at: now,
                updated_at: now,
                body: json!({field: name, "suburb": word(2)}),
            };
            let (index, text) = brain_tools::found_by(def, &row.body);
            writes.push(Write::PutRecord { row, index, text });
            names.push(name);
        }
        let outcomes = store.commit_now(vec![Member { scope: scope.clone(), preconditions: Vec::new(), writes }])?;
        ensure!(outcomes.iter().all(|outcome| *outcome == Outcome::Committed), "writing a record conflicted");
    }
    Ok(names)
}
