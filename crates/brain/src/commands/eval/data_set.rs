//! Data sets: each intent is a tool, each row of the training file one of its phrases.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use brain_core::{Random as _, SeededRandom};
use brain_embed::Encoder;
use brain_nlu::measure::{auroc, calibration_error, recall_at_95};
use brain_nlu::{Context, Surroundings, Target, TargetKind, Tuning, Understanding, Vocabulary, understand};
use serde::Serialize;

use crate::cli::{EvalArgs, Global};
use crate::system::resident_mb;
use crate::{open, show};

type Rows = Vec<(String, String)>;

/// Results of one evaluation, as percentages of the rows.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Figures {
    pub(super) intents: f64,
    pub(super) phrases: f64,
    pub(super) rows: f64,
    pub(super) accuracy: f64,
    pub(super) top3: f64,
    pub(super) asked: f64,
    pub(super) not_understood: f64,
    pub(super) wrong_and_confident: f64,
    pub(super) calibration_error: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) oos_auroc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) oos_recall: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) oos_recall_at_95: Option<f64>,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) fit_s: f64,
    pub(super) memory_mb: f64,
}

pub(super) fn run(global: &Global, args: &EvalArgs, train: &Path, test: &Path) -> Result<bool> {
    let train = rows(train)?;
    let test = rows(test)?;
    let oos = args.oos.as_deref().map(rows).transpose()?;
    ensure!(args.draws > 0, "--draws must be at least 1");
    let encoder = open::encoder(args.tier, global)?;
    let mut drawn = Vec::new();
    for draw in 0..args.draws {
        let phrases = match args.shots {
            Some(shots) => few(&train, shots, draw)?,
            None => train.clone(),
        };
        drawn.push(measure(phrases, &test, oos.as_deref(), &encoder)?);
    }
    let figures = mean(&drawn);
    if global.json {
        show::json(&serde_json::json!({
            "tier": encoder.id(), "draws": args.draws, "shots": args.shots, "figures": figures,
            "each": if drawn.len() > 1 { serde_json::to_value(&drawn)? } else { serde_json::Value::Null },
        }));
    } else {
        print(&figures, encoder.id(), drawn.len());
    }
    Ok(true)
}

/// Reads `intent<TAB>text`.
fn rows(path: &Path) -> Result<Rows> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut list = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = || format!("{}:{}: a row is `intent<TAB>text`", path.display(), number + 1);
        let (intent, said) = line.split_once('\t').with_context(place)?;
        list.push((intent.trim().to_owned(), said.trim().to_owned()));
    }
    ensure!(!list.is_empty(), "{} has no rows", path.display());
    Ok(list)
}

/// A random sample of `shots` rows per intent.
fn few(rows: &Rows, shots: usize, seed: u64) -> Result<Rows> {
    ensure!(shots > 0, "--shots must be at least 1");
    let mut by_intent: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    rows.iter().for_each(|(intent, text)| by_intent.entry(intent).or_default().push(text));
    let mut random = SeededRandom::new(seed);
    let mut list = Vec::new();
    for (intent, mut texts) in by_intent {
        for place in 0..shots.min(texts.len()) {
            let other = place + (random.next_u64() % (texts.len() - place) as u64) as usize;
            texts.swap(place, other);
            list.push((intent.to_owned(), texts[place].to_owned()));
        }
    }
    Ok(list)
}

fn measure(
    phrases: Rows,
    test: &Rows,
    oos: Option<&[(String, String)]>,
    encoder: &Arc<dyn Encoder>,
) -> Result<Figures> {
    let count = phrases.len();
    let targets = targets(phrases);
    let intents = targets.len();
    let before = resident_mb();
    let started = Instant::now();
    let vocabulary = Vocabulary::compile(targets, encoder.clone(), Tuning::default())
        .map_err(|error| anyhow::anyhow!("a phrase cannot be parsed: {}", error.message))?;
    vocabulary.prepare();
    let fit = started.elapsed();
    let memory_mb = resident_mb() - before;
    let context = Context::fresh(Surroundings::new(jiff::civil::date(2026, 1, 5).in_tz("UTC")?, "", ""));
    let mut took = Vec::with_capacity(test.len());
    let (mut right, mut top3, mut asked, mut unknown, mut wrong) = (0, 0, 0, 0, 0);
    let (mut said, mut inside) = (Vec::new(), Vec::new());
    for (intent, text) in test {
        let name = format!("eval.{intent}");
        let started = Instant::now();
        let understanding = understand(&vocabulary, text, &context);
        took.push(started.elapsed());
        let ranking = vocabulary.rank(text);
        let is_first = ranking.best.first().is_some_and(|(best, _)| *best == name);
        right += usize::from(is_first);
        top3 += usize::from(ranking.best.iter().take(3).any(|(best, _)| *best == name));
        said.push((ranking.confidence, is_first));
        inside.push(ranking.scope);
        match understanding {
            Understanding::Clear { intents } => {
                wrong += usize::from(intents.len() != 1 || intents[0].target != name);
            }
            Understanding::Ask(_) => asked += 1,
            Understanding::Unknown { .. } | Understanding::SmallTalk { .. } => unknown += 1,
        }
    }
    took.sort_unstable();
    let share = |number: usize| 100.0 * number as f64 / test.len() as f64;
    let mut figures = Figures {
        intents: intents as f64,
        phrases: count as f64,
        rows: test.len() as f64,
        accuracy: share(right),
        top3: share(top3),
        asked: share(asked),
        not_understood: share(unknown),
        wrong_and_confident: share(wrong),
        calibration_error: calibration_error(&said),
        p50_us: micros(took[took.len() / 2]),
        p99_us: micros(took[took.len() * 99 / 100]),
        fit_s: fit.as_secs_f64(),
        memory_mb,
        ..Figures::default()
    };
    if let Some(oos) = oos {
        let outside: Vec<f32> = oos.iter().map(|(_, text)| vocabulary.rank(text).scope).collect();
        let refused = oos
            .iter()
            .filter(|(_, text)| !matches!(understand(&vocabulary, text, &context), Understanding::Clear { .. }));
        figures.oos_auroc = Some(auroc(&inside, &outside));
        figures.oos_recall = Some(100.0 * refused.count() as f64 / oos.len() as f64);
        figures.oos_recall_at_95 = Some(100.0 * recall_at_95(&inside, &outside));
    }
    Ok(figures)
}

pub(super) fn targets(phrases: Rows) -> Vec<Target> {
    let mut by_intent: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (intent, text) in phrases {
        // Braces would be slots.
        by_intent.entry(intent).or_default().push(text.replace(['{', '}'], " "));
    }
    let target = |(intent, phrases): (String, Vec<String>)| Target {
        name: format!("eval.{intent}"),
        kind: TargetKind::Tool,
        title: intent.replace('_', " "),
        nouns: Vec::new(),
        synonyms: Vec::new(),
        intent_tier: None,
        destructive: false,
        reads_only: false,
        slots: BTreeMap::new(),
        phrases,
        generated: Vec::new(),
    };
    by_intent.into_iter().map(target).collect()
}

fn mean(drawn: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| drawn.iter().map(figure).sum::<f64>() / drawn.len() as f64;
    let maybe = |figure: fn(&Figures) -> Option<f64>| {
        let some: Vec<f64> = drawn.iter().filter_map(figure).collect();
        (!some.is_empty()).then(|| some.iter().sum::<f64>() / some.len() as f64)
    };
    Figures {
        intents: of(|f| f.intents),
        phrases: of(|f| f.phrases),
        rows: of(|f| f.rows),
        accuracy: of(|f| f.accuracy),
        top3: of(|f| f.top3),
        asked: of(|f| f.asked),
        not_understood: of(|f| f.not_understood),
        wrong_and_confident: of(|f| f.wrong_and_confident),
        calibration_error: of(|f| f.calibration_error),
        oos_auroc: maybe(|f| f.oos_auroc),
        oos_recall: maybe(|f| f.oos_recall),
        oos_recall_at_95: maybe(|f| f.oos_recall_at_95),
        p50_us: of(|f| f.p50_us),
        p99_us: of(|f| f.p99_us),
        fit_s: of(|f| f.fit_s),
        memory_mb: of(|f| f.memory_mb),
    }
}

pub(super) fn micros(took: Duration) -> f64 {
    took.as_nanos() as f64 / 1000.0
}

fn print(figures: &Figures, tier: &str, draws: usize) {
    let line = |name: &str, value: String| outln!("  {name:<24}{value}");
    let times = if draws > 1 { format!(", mean of {draws} draws") } else { String::new() };
    outln!("{} rows, {} intents, {} phrases{times}; {tier}", figures.rows, figures.intents, figures.phrases);
    line("right", format!("{:.1} %", figures.accuracy));
    line("among the first three", format!("{:.1} %", figures.top3));
    line("asked", format!("{:.1} %", figures.asked));
    line("not understood", format!("{:.1} %", figures.not_understood));
    line("confidently wrong", format!("{:.1} %", figures.wrong_and_confident));
    line("calibration error", format!("{:.3}", figures.calibration_error));
    if let (Some(auroc), Some(recall), Some(at_95)) = (figures.oos_auroc, figures.oos_recall, figures.oos_recall_at_95)
    {
        line("out of scope: AUROC", format!("{auroc:.3}"));
        line("  not acted on", format!("{recall:.1} %"));
        line("  recall at 95 % kept", format!("{at_95:.1} %"));
    }
    line("an utterance takes", format!("p50 {:.0} µs, p99 {:.0} µs", figures.p50_us, figures.p99_us));
    line("compiling took", format!("{:.1} s, {:.0} MB", figures.fit_s, figures.memory_mb));
}
