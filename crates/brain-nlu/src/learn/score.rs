//! Corpus results before and after a change.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of rows named in a refusal.
const MAX_NAMED: usize = 5;

/// How one row was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// As expected.
    Right,
    /// Brain asked, or did not understand.
    Asked,
    /// As something else, with enough confidence to act.
    Wrong,
}

/// One row of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The utterance.
    pub say: String,
    /// How it was read.
    pub reading: Reading,
}

/// The result for one corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusResult {
    /// The corpus: a pack's tuning rows, a tenant's cases.
    pub name: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl CorpusResult {
    fn right(&self) -> usize {
        self.rows.iter().filter(|row| row.reading == Reading::Right).count()
    }
}

/// The results for all corpora.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The corpora.
    pub corpora: Vec<CorpusResult>,
}

/// Whether a change may be promoted, given the results without and with it. It is refused if any corpus has fewer
/// right rows, or if any row is newly wrong with confidence: improvements do not offset such a row. The refusal names
/// the rows.
pub fn may_promote(before: &Score, after: &Score) -> Result<(), String> {
    for (corpus, result) in again(before, after)? {
        let read = readings(result);
        if corpus.rows.iter().any(|row| !read.contains_key(row.say.as_str())) {
            return Err(format!("Not every row of the corpus “{}” was measured again.", corpus.name));
        }
    }
    if let Some(wrong) = newly_wrong(before, after) {
        return Err(wrong);
    }
    for (corpus, result) in again(before, after)? {
        let (right_before, right_after) = (corpus.right(), result.right());
        if right_after < right_before {
            let read = readings(result);
            let is_lost = |row: &&Row| row.reading == Reading::Right && read[row.say.as_str()] != Reading::Right;
            let lost: Vec<&Row> = corpus.rows.iter().filter(is_lost).collect();
            return Err(format!(
                "In the corpus “{}” {right_after} rows would be right instead of {right_before}; lost: {}.",
                corpus.name,
                named(&lost)
            ));
        }
    }
    Ok(())
}

/// A sentence about the rows that are newly wrong with confidence.
pub fn newly_wrong(before: &Score, after: &Score) -> Option<String> {
    again(before, after).ok()?.into_iter().find_map(|(corpus, result)| {
        let read = readings(result);
        let is_new = |row: &&Row| row.reading != Reading::Wrong && read.get(row.say.as_str()) == Some(&Reading::Wrong);
        let wrong: Vec<&Row> = corpus.rows.iter().filter(is_new).collect();
        let sentence = || format!("In the corpus “{}” these would be misunderstood: {}.", corpus.name, named(&wrong));
        (!wrong.is_empty()).then(sentence)
    })
}

/// Pairs of results of the same corpus, before and after.
fn again<'a>(before: &'a Score, after: &'a Score) -> Result<Vec<(&'a CorpusResult, &'a CorpusResult)>, String> {
    let pair = |corpus: &'a CorpusResult| {
        let result = after.corpora.iter().find(|result| result.name == corpus.name);
        let result = result.ok_or_else(|| format!("The corpus “{}” was not measured again.", corpus.name))?;
        Ok((corpus, result))
    };
    before.corpora.iter().map(pair).collect()
}

fn readings(result: &CorpusResult) -> BTreeMap<&str, Reading> {
    result.rows.iter().map(|row| (row.say.as_str(), row.reading)).collect()
}

fn named(rows: &[&Row]) -> String {
    let mut text = rows.iter().take(MAX_NAMED).map(|row| format!("“{}”", row.say)).collect::<Vec<_>>().join(", ");
    if rows.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more", rows.len() - MAX_NAMED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rows: &[(&str, Reading)]) -> Score {
        let row = |(say, reading): &(&str, Reading)| Row { say: (*say).to_owned(), reading: *reading };
        Score { corpora: vec![CorpusResult { name: "tune".into(), rows: rows.iter().map(row).collect() }] }
    }

    #[test]
    fn a_change_that_makes_nothing_worse_is_allowed() {
        let before = score(&[("a", Reading::Right), ("b", Reading::Asked), ("c", Reading::Wrong)]);
        assert_eq!(may_promote(&before, &before), Ok(()));
        let after = score(&[("a", Reading::Right), ("b", Reading::Right), ("c", Reading::Asked)]);
        assert_eq!(may_promote(&before, &after), Ok(()));
        let swapped = score(&[("a", Reading::Asked), ("b", Reading::Right), ("c", Reading::Wrong)]);
        assert_eq!(may_promote(&before, &swapped), Ok(()), "as many are right, and Brain asks");
    }

    #[test]
    fn a_refusal_names_the_rows() {
        let before = score(&[("a", Reading::Right), ("b", Reading::Asked)]);
        let fewer = may_promote(&before, &score(&[("a", Reading::Asked), ("b", Reading::Asked)])).unwrap_err();
        assert_eq!(fewer, "In the corpus “tune” 0 rows would be right instead of 1; lost: “a”.");
        let wrong = may_promote(&before, &score(&[("a", Reading::Right), ("b", Reading::Wrong)])).unwrap_err();
        assert_eq!(wrong, "In the corpus “tune” these would be misunderstood: “b”.");
        let traded = may_promote(
            &score(&[("a", Reading::Wrong), ("b", Reading::Asked)]),
            &score(&[("a", Reading::Right), ("b", Reading::Wrong)]),
        );
        assert!(traded.is_err(), "nothing pays for a dangerous row");
    }

    #[test]
    fn missing_rows_are_refused() {
        let before = score(&[("a", Reading::Right)]);
        assert!(may_promote(&before, &Score::default()).unwrap_err().contains("not measured again"));
        assert!(may_promote(&before, &score(&[])).unwrap_err().contains("Not every row"));
    }
}
