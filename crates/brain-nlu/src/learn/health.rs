//! Weekly figures about learning.

use std::collections::BTreeMap;
use std::fmt;

use brain_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::outcome::{How, Outcome, turns};

/// A decision's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// It became a phrase.
    Promoted,
    /// It was rejected and blocked.
    Rejected,
}

/// A decision about a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The phrase.
    pub phrase: String,
    /// The target.
    pub target: String,
    /// The result.
    pub decided: Decided,
    /// Who decided; `None` for the gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When it was decided.
    pub at: Timestamp,
}

/// An ISO 8601 week, in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Week {
    /// Its year.
    pub year: i16,
    /// Its number.
    pub week: i8,
    /// Turns with a request.
    pub asked: u32,
    /// Turns that were understood: picked, confirmed or completed, and not corrected.
    pub right: u32,
    /// Turns that were corrected.
    pub corrected: u32,
    /// Candidates that became phrases.
    pub promoted: u32,
    /// Candidates that were rejected.
    pub rejected: u32,
}

impl Week {
    /// The share that was understood, 0 to 1; `None` without turns.
    pub fn accuracy(&self) -> Option<f64> {
        (self.asked > 0).then(|| f64::from(self.right) / f64::from(self.asked))
    }
}

impl fmt::Display for Week {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-W{:02}: {} asked", self.year, self.week, self.asked)?;
        if let Some(share) = self.accuracy() {
            write!(f, ", {:.1} % right, {} corrected", share * 100.0, self.corrected)?;
        }
        write!(f, "; {} promoted, {} rejected", self.promoted, self.rejected)
    }
}

fn week_of(at: Timestamp) -> (i16, i8) {
    let week = at.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date().iso_week_date();
    (week.year(), week.week())
}

/// The weeks with any activity, in order.
pub fn weekly(outcomes: &[Outcome], decisions: &[Decision]) -> Vec<Week> {
    let mut weeks: BTreeMap<(i16, i8), Week> = BTreeMap::new();
    let mut week = |at: Timestamp, count: &dyn Fn(&mut Week)| {
        let key = week_of(at);
        let entry = weeks.entry(key).or_insert_with(|| Week { year: key.0, week: key.1, ..Week::default() });
        count(entry);
    };
    for outcome in turns(outcomes) {
        week(outcome.at, &|week| {
            week.asked += 1;
            week.right += u32::from(matches!(outcome.how, How::Picked | How::Confirmed | How::Succeeded));
            week.corrected += u32::from(outcome.how == How::Corrected);
        });
    }
    for decision in decisions {
        week(decision.at, &|week| match decision.decided {
            Decided::Promoted => week.promoted += 1,
            Decided::Rejected => week.rejected += 1,
        });
    }
    weeks.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tests::outcome;

    fn at(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn weeks_are_iso_weeks() {
        let on = |turn: &str, how: How, day: &str| Outcome { at: at(day), ..outcome(turn, "x y z", "a.a", how) };
        let list = [
            on("t1", How::Succeeded, "2026-11-15T23:59:59Z"),
            on("t2", How::Corrected, "2026-11-16T00:00:00Z"),
            on("t3", How::Picked, "2026-11-17T00:00:00Z"),
            on("t4", How::Failed, "2027-01-01T00:00:00Z"),
        ];
        let decision = Decision {
            phrase: "x y z".into(),
            target: "a.a".into(),
            decided: Decided::Promoted,
            by: None,
            at: at("2026-11-18T00:00:00Z"),
        };
        let shown: Vec<String> = weekly(&list, &[decision]).iter().map(Week::to_string).collect();
        assert_eq!(
            shown,
            [
                "2026-W46: 1 asked, 100.0 % right, 0 corrected; 0 promoted, 0 rejected",
                "2026-W47: 2 asked, 50.0 % right, 1 corrected; 1 promoted, 0 rejected",
                "2026-W53: 1 asked, 0.0 % right, 0 corrected; 0 promoted, 0 rejected",
            ]
        );
    }
}
