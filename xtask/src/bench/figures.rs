//! The measured figures: ratios by name, each with its target, and their table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

/// Tolerated deviation from a target, because machines differ, and so do two runs on one machine.
const TOLERANCE: f64 = 0.15;

/// The target of a ratio or figure.
#[derive(Clone, Copy)]
pub(super) enum Aim {
    AtLeast(f64),
    AtMost(f64),
    /// No target, for information only.
    None,
}

impl Aim {
    fn reached(self, value: f64) -> Option<bool> {
        match self {
            Self::AtLeast(aim) => Some(value >= aim * (1.0 - TOLERANCE)),
            Self::AtMost(aim) => Some(value <= aim * (1.0 + TOLERANCE)),
            Self::None => None,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtLeast(aim) => format!("≥ {aim}"),
            Self::AtMost(aim) => format!("≤ {aim}"),
            Self::None => String::new(),
        }
    }
}

struct Row {
    what: String,
    aim: Aim,
    /// One value per round, with the two figures of a ratio.
    values: Vec<f64>,
    parts: Vec<(f64, f64)>,
    unit: &'static str,
}

/// All figures of a benchmark.
#[derive(Default)]
pub(super) struct Figures {
    rows: Vec<Row>,
    notes: Vec<String>,
    machine: Option<(usize, f64)>,
    /// Values of the current round, for ratios.
    pub(super) now: BTreeMap<&'static str, f64>,
}

impl Figures {
    pub(super) fn machine(&mut self, cores: usize, load: f64) {
        self.machine = Some((cores, load));
    }

    /// Adds a note for readers of the table.
    pub(super) fn note(&mut self, note: String) {
        eprintln!("{note}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds the ratio of two values of this round, if both were measured.
    pub(super) fn ratio(&mut self, what: &str, ours: &str, peer: &str, aim: Aim, unit: &'static str) {
        if let (Some(a), Some(b)) = (self.now.get(ours).copied(), self.now.get(peer).copied()) {
            let row = self.row(what, aim, unit);
            row.values.push(a / b);
            row.parts.push((a, b));
        }
    }

    /// Adds a single value.
    pub(super) fn value(&mut self, what: &str, value: f64, aim: Aim, unit: &'static str) {
        self.row(what, aim, unit).values.push(value);
    }

    fn row(&mut self, what: &str, aim: Aim, unit: &'static str) -> &mut Row {
        let place = self.rows.iter().position(|row| row.what == what).unwrap_or_else(|| {
            self.rows.push(Row { what: what.to_owned(), aim, values: Vec::new(), parts: Vec::new(), unit });
            self.rows.len() - 1
        });
        &mut self.rows[place]
    }

    /// Number of targets reached and missed.
    pub(super) fn judged(&self) -> (usize, usize) {
        let judged: Vec<bool> = self.rows.iter().filter_map(|row| row.aim.reached(median(&row.values))).collect();
        let reached = judged.iter().filter(|reached| **reached).count();
        (reached, judged.len() - reached)
    }

    pub(super) fn table(&self) -> String {
        let mut table = String::from("| what | measured | aim | | from |\n|---|---|---|---|---|\n");
        for row in &self.rows {
            let value = median(&row.values);
            let verdict = match row.aim.reached(value) {
                Some(true) => "reached",
                Some(false) => "**missed**",
                None => "",
            };
            let times = if row.parts.is_empty() { row.unit } else { "×" };
            let from = match row.parts.as_slice() {
                [] => String::new(),
                parts => {
                    let side = |side: fn(&(f64, f64)) -> f64| median(&parts.iter().map(side).collect::<Vec<_>>());
                    format!("{} against {} {}", short(side(|p| p.0)), short(side(|p| p.1)), row.unit)
                }
            };
            let _ = writeln!(
                table,
                "| {} | {} {times} | {} | {verdict} | {from} |",
                row.what,
                short(value),
                row.aim.text()
            );
        }
        if let Some((cores, load)) = self.machine {
            let _ = writeln!(table, "\n{cores} cores, load {load:.1} before the first round.");
        }
        for note in &self.notes {
            let _ = writeln!(table, "Note: {note}.");
        }
        table
    }

    pub(super) fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let value = median(&row.values);
                json!({"what": row.what, "median": value, "rounds": row.values, "from": row.parts, "unit": row.unit,
                       "aim": row.aim.text(), "reached": row.aim.reached(value)})
            })
            .collect();
        json!({"figures": rows, "notes": self.notes, "cores": self.machine.map(|(cores, _)| cores), "load": self.machine.map(|(_, load)| load)})
    }
}

/// The median; of two values, their mean.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Rounds to a sensible number of digits.
fn short(value: f64) -> String {
    if value.abs() >= 100.0 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_medians_over_rounds_and_compared_with_tolerance() {
        let mut figures = Figures::default();
        for (ours, peer) in [(90.0, 10.0), (10.0, 10.0), (1000.0, 10.0)] {
            figures.now = BTreeMap::from([("ours", ours), ("peer", peer)]);
            figures.ratio("far", "ours", "peer", Aim::AtLeast(10.0), "runs/s");
            figures.ratio("missing", "ours", "nobody", Aim::AtLeast(10.0), "runs/s");
        }
        figures.value("alone", 3.0, Aim::AtMost(2.0), "ms");
        assert_eq!(figures.judged(), (1, 1));
        let table = figures.table();
        assert!(table.contains("| far | 9.00 × | ≥ 10 | reached | 90.0 against 10.0 runs/s |"), "{table}");
        assert!(table.contains("| alone | 3.00 ms | ≤ 2 | **missed** |"), "{table}");
        assert!(!table.contains("missing"));
    }
}
