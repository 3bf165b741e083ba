//! Splits an utterance into clauses: at line breaks and semicolons, and at conjunctions if a complete request follows.
//! Never inside quotation marks.

use std::ops::Range;

use brain_english::clauses::CONJUNCTIONS;

/// A possible boundary between two requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seam {
    /// End of the clause before.
    pub(crate) end: usize,
    /// Start of the clause after.
    pub(crate) start: usize,
    /// A line break or semicolon. Weak seams are conjunctions, which may also be part of a value.
    pub(crate) strong: bool,
}

/// Utterances with more seams are prose, not lists of requests.
const MAX_SEAMS: usize = 100;

/// The seams of an utterance, in order.
pub(crate) fn seams(chars: &[char]) -> Vec<Seam> {
    let mut found = Vec::new();
    let mut quoted = false;
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '"' => quoted = !quoted,
            '\n' | '\r' | ';' if !quoted => found.push(Seam { end: i, start: i + 1, strong: true }),
            _ if !quoted => {
                let word = CONJUNCTIONS.iter().find(|word| starts_with(chars, i, word));
                if let Some(word) = word {
                    let length = word.chars().count();
                    found.push(Seam { end: i, start: i + length, strong: false });
                    // Its last space may begin the next conjunction.
                    i += length - 1;
                    continue;
                }
            }
            _ => {}
        }
        i += 1;
    }
    if found.len() > MAX_SEAMS {
        found.clear();
    }
    found
}

fn starts_with(chars: &[char], at: usize, word: &str) -> bool {
    let mut there = chars[at..].iter().copied();
    word.chars().all(|expected| there.next() == Some(expected))
}

/// The parts between strong seams; empty parts are dropped.
pub(crate) fn strong_parts(chars: &[char], seams: &[Seam]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for seam in seams.iter().filter(|seam| seam.strong) {
        parts.push(from..seam.end);
        from = seam.start;
    }
    parts.push(from..chars.len());
    parts.retain(|part| chars[part.clone()].iter().any(|c| c.is_alphanumeric()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seams_are_never_inside_quotation_marks() {
        let chars: Vec<char> = "a \"x and y; z\" and b; c".chars().collect();
        let found: Vec<(usize, bool)> = seams(&chars).into_iter().map(|seam| (seam.end, seam.strong)).collect();
        assert_eq!(found, [(14, false), (20, true)]);
    }

    #[test]
    fn a_long_text_is_not_a_list_of_requests() {
        let chars: Vec<char> = "a, ".repeat(200).chars().collect();
        assert!(seams(&chars).is_empty());
    }
}
