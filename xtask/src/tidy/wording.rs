//! Turns of phrase that readers stumble over. Each occurred more than once and has a plainer form.

use std::path::Path;

use anyhow::{Context, Result};
use regex_lite::Regex;

use super::{files, read, shown};

/// A pattern, and what to write instead.
const PHRASES: [(&str, &str); 19] = [
    (r"\b(is|are) none\b", "say what it is not: `text that is not JSON`, `not a batch`"),
    (r"\b(no business of|not (its|their) business)\b", "say `must not know` or `does not concern`"),
    (r"\bis had\b", "name the call that gives it"),
    (r"\bneeds? no telling\b", "name who knows it already"),
    (r"\btaken for (said|meant)\b", "say `is never matched` or `counts as a request`"),
    (r"\blet loose\b", "say `started`"),
    (r"\bso much like\b", "give the measure: `similarity of at least …`"),
    (r"\bhelps nobody\b", "say what would go wrong"),
    (r"\bnor the other way round\b", "write both cases, or leave it out"),
    (r"\bwhoever\b", "name the caller, the owner or the reader"),
    (r"\b(is|are) told\b", "name the message: `gets an error`, `is notified`"),
    (r"\bto be had\b", "say `available`"),
    (r"\bin so many words\b", "say `exactly`"),
    (r"\bbr(ing|ings|ought) (steps |them |it )?along\b", "say `injects` or `built-in`"),
    (r"\b(is|are|be) (taken back|set aside)\b", "say `undone`, `rolled back` or `parked`"),
    (r"\b(is|are) looked at again\b", "say `is checked again` or `is retried`"),
    (r"\bkeep(s|ing)? house\b", "say `retention` or `housekeeping`"),
    (r"\b(started|written|decided|made) anew\b", "say `again`, or `rebuilt`"),
    (r"\bwhat is \w+ is\b", "name the thing"),
];

/// Not what the first pattern means: `null if there is none`, `none of them`.
const FINE: [&str; 4] = ["there is none", "there are none", "is none of", "are none of"];

pub(super) fn plain_words(root: &Path) -> Result<Vec<String>> {
    let rules = rules()?;
    let mut problems = Vec::new();
    for ending in [".rs", ".md"] {
        for path in files(root, ending)? {
            // Skip the list itself.
            if path.ends_with("tidy/wording.rs") {
                continue;
            }
            for (line, problem) in findings(&rules, &read(&path)?) {
                problems.push(format!("{}:{line}: {problem}", shown(root, &path)));
            }
        }
    }
    Ok(problems)
}

fn rules() -> Result<Vec<(Regex, &'static str)>> {
    PHRASES.iter().map(|(pattern, instead)| Ok((Regex::new(pattern).context("a pattern")?, *instead))).collect()
}

fn findings(rules: &[(Regex, &str)], text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let lower = FINE.iter().fold(line.to_lowercase(), |line, fine| line.replace(fine, "…"));
        for (rule, instead) in rules {
            if let Some(hit) = rule.find(&lower) {
                found.push((n + 1, format!("\"{}\": {instead}", hit.as_str())));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_phrases_are_found_and_similar_plain_ones_are_not() {
        let rules = rules().unwrap();
        let text = "/// Text that is none is refused.\n/// Null if there is none.\n/// It is none of them.\n/// It is had by asking.";
        let lines: Vec<usize> = findings(&rules, text).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 4]);
    }
}
