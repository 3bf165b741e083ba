//! Requests with slots: each intent is a tool, and the values of its slots are found by the sequence model.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use brain_nlu::sequence::{Labelled, SequenceModel};
use brain_nlu::{Tuning, Vocabulary};
use serde::{Deserialize, Serialize};

use super::data_set::{micros, targets};
use crate::cli::{EvalArgs, Global};
use crate::{open, show};

/// A row of a file. `start` and `end` count characters.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    text: String,
    intent: String,
    #[serde(default)]
    slots: Vec<Slot>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Slot {
    name: String,
    start: usize,
    end: usize,
}

/// A row of the predictions.
#[derive(Serialize)]
struct Prediction<'a> {
    intent: &'a str,
    slots: &'a [Slot],
}

/// Results, as percentages of the rows unless the name says otherwise.
#[derive(Clone, Debug, Serialize)]
struct Figures {
    intents: usize,
    slots: usize,
    phrases: usize,
    rows: usize,
    intent_accuracy: f64,
    slot_f1: f64,
    frame_accuracy: f64,
    frame_accuracy_intent_given: f64,
    p50_us: f64,
    p99_us: f64,
    fit_s: f64,
    fit_slots_s: f64,
}

pub(super) fn run(global: &Global, args: &EvalArgs, train: &Path, test: &Path) -> Result<bool> {
    let (train, test) = (rows(train)?, rows(test)?);
    let encoder = open::encoder(args.tier, global)?;
    let phrases: Vec<(String, String)> = train.iter().map(|row| (row.intent.clone(), row.text.clone())).collect();
    let started = Instant::now();
    let vocabulary = Vocabulary::compile(targets(phrases), encoder.clone(), Tuning::default())
        .map_err(|error| anyhow::anyhow!("a phrase cannot be parsed: {}", error.message))?;
    vocabulary.prepare();
    let names: Vec<&str> = vocabulary.targets().iter().filter_map(|target| target.name.strip_prefix("eval.")).collect();
    let number: BTreeMap<&str, u32> = names.iter().zip(0..).map(|(name, number)| (*name, number)).collect();
    let labelled: Vec<Labelled> = train.iter().map(|row| row.labelled(number[row.intent.as_str()])).collect();
    let before_slots = Instant::now();
    let model = SequenceModel::fit(&labelled);
    let (fit, fit_slots) = (started.elapsed(), before_slots.elapsed());

    let mut took = Vec::with_capacity(test.len());
    let (mut predictions, mut counts) = (Vec::new(), Counts::default());
    for row in &test {
        let began = Instant::now();
        let ranking = vocabulary.rank(&row.text);
        let intent = ranking.best.first().and_then(|(name, _)| name.strip_prefix("eval.")).unwrap_or_default();
        let predicted = number.get(intent).map(|number| found(&model, &row.text, *number)).unwrap_or_default();
        took.push(began.elapsed());
        let given = number.get(row.intent.as_str()).map(|number| found(&model, &row.text, *number));
        counts.add(row, intent, &predicted, &given.unwrap_or_default());
        predictions.push((intent.to_owned(), predicted));
    }
    if let Some(file) = &args.predictions {
        write(file, &predictions).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    took.sort_unstable();
    let share = |count: usize| 100.0 * count as f64 / test.len() as f64;
    let slots: std::collections::BTreeSet<&str> =
        train.iter().flat_map(|row| &row.slots).map(|slot| slot.name.as_str()).collect();
    let figures = Figures {
        intents: names.len(),
        slots: slots.len(),
        phrases: train.len(),
        rows: test.len(),
        intent_accuracy: share(counts.intents),
        slot_f1: 200.0 * counts.right as f64 / (counts.found + counts.wanted).max(1) as f64,
        frame_accuracy: share(counts.frames),
        frame_accuracy_intent_given: share(counts.frames_given),
        p50_us: micros(took[took.len() / 2]),
        p99_us: micros(took[took.len() * 99 / 100]),
        fit_s: fit.as_secs_f64(),
        fit_slots_s: fit_slots.as_secs_f64(),
    };
    if global.json {
        show::json(&serde_json::json!({ "tier": encoder.id(), "frames": figures }));
    } else {
        print(&figures, encoder.id());
    }
    Ok(true)
}

/// Reads one JSON object per line.
fn rows(path: &Path) -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(number, line)| {
        let place = || {
            format!(
                "{}:{}: a row is {{\"text\", \"intent\", \"slots\": [{{\"name\", \"start\", \"end\"}}]}}",
                path.display(),
                number + 1
            )
        };
        let row: Row = serde_json::from_str(line).with_context(place)?;
        let length = row.text.chars().count();
        let fits = row.slots.iter().all(|slot| slot.start < slot.end && slot.end <= length);
        ensure!(fits, "{}:{}: a slot lies outside the text", path.display(), number + 1);
        Ok(row)
    });
    let rows: Vec<Row> = rows.collect::<Result<_>>()?;
    ensure!(!rows.is_empty(), "{} has no rows", path.display());
    Ok(rows)
}

impl Row {
    fn labelled(&self, target: u32) -> Labelled {
        let bytes = |slot: &Slot| byte(&self.text, slot.start)..byte(&self.text, slot.end);
        let slots: Vec<(String, Range<usize>)> =
            self.slots.iter().map(|slot| (slot.name.clone(), bytes(slot))).collect();
        Labelled { target, text: self.text.clone(), slots }
    }
}

fn byte(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte)
}

fn found(model: &SequenceModel, text: &str, target: u32) -> Vec<Slot> {
    let place = |byte: usize| text[..byte].chars().count();
    let found = model.read(text, target).into_iter();
    found
        .map(|span| Slot { name: span.slot.to_owned(), start: place(span.range.start), end: place(span.range.end) })
        .collect()
}

#[derive(Default)]
struct Counts {
    intents: usize,
    frames: usize,
    frames_given: usize,
    /// Slots with the intent given: right ones, all that were found, all there are.
    right: usize,
    found: usize,
    wanted: usize,
}

impl Counts {
    fn add(&mut self, row: &Row, intent: &str, predicted: &[Slot], given: &[Slot]) {
        let sorted = |slots: &[Slot]| {
            let mut slots = slots.to_vec();
            slots.sort();
            slots.dedup();
            slots
        };
        let (wanted, predicted, given) = (sorted(&row.slots), sorted(predicted), sorted(given));
        self.intents += usize::from(row.intent == intent);
        self.frames += usize::from(row.intent == intent && predicted == wanted);
        self.frames_given += usize::from(given == wanted);
        self.right += given.iter().filter(|slot| wanted.contains(slot)).count();
        self.found += given.len();
        self.wanted += wanted.len();
    }
}

fn write(file: &Path, predictions: &[(String, Vec<Slot>)]) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for (intent, slots) in predictions {
        serde_json::to_writer(&mut out, &Prediction { intent, slots })?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn print(figures: &Figures, tier: &str) {
    let line = |name: &str, value: String| outln!("  {name:<24}{value}");
    outln!(
        "{} rows, {} intents, {} slots, {} phrases; {tier}",
        figures.rows,
        figures.intents,
        figures.slots,
        figures.phrases
    );
    line("intent", format!("{:.1} %", figures.intent_accuracy));
    line("slots, F1", format!("{:.1} %, intent given", figures.slot_f1));
    line("intent and all slots", format!("{:.1} %", figures.frame_accuracy));
    line("all slots", format!("{:.1} %, intent given", figures.frame_accuracy_intent_given));
    line("an utterance takes", format!("p50 {:.0} µs, p99 {:.0} µs", figures.p50_us, figures.p99_us));
    line("compiling took", format!("{:.1} s, of which slots {:.1} s", figures.fit_s, figures.fit_slots_s));
}
