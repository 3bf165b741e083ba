//! Compares the output shown on a page with the real output.

use std::collections::BTreeMap;

/// The ids on the page and the corresponding ids of this session.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, String>);

/// A part of an expected line.
#[derive(Debug, PartialEq, Eq)]
enum Part<'l> {
    /// Literal text.
    Text(&'l str),
    /// Any amount of space, including none, because alignment does not matter.
    Space,
    /// Any text.
    Any,
    /// A UUID.
    Id(&'l str),
}

impl Names {
    /// The command with the ids of this session.
    pub(super) fn fill(&self, command: &str) -> String {
        self.0.iter().fold(command.to_owned(), |command, (shown, real)| command.replace(shown, real))
    }

    /// The end of the first match of an expected line. Records the ids in it.
    pub(super) fn find(&mut self, expected: &str, text: &str) -> Option<usize> {
        let parts = parts(expected.trim());
        for (start, _) in text.char_indices() {
            let mut found = self.0.clone();
            if let Some(end) = matches(&parts, text, start, &mut found) {
                self.0 = found;
                return Some(end);
            }
        }
        parts.iter().all(|part| matches!(part, Part::Any | Part::Space)).then_some(0)
    }
}

fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (part, length) = if first == '…' {
            (Part::Any, first.len_utf8())
        } else if first.is_whitespace() {
            (Part::Space, rest.len() - rest.trim_start().len())
        } else if let Some(id) = uuid(rest) {
            (Part::Id(id), id.len())
        } else {
            let end = rest
                .char_indices()
                .skip(1)
                .find(|(at, c)| *c == '…' || c.is_whitespace() || uuid(&rest[*at..]).is_some());
            let end = end.map_or(rest.len(), |(at, _)| at);
            (Part::Text(&rest[..end]), end)
        };
        parts.push(part);
        rest = &rest[length..];
    }
    parts
}

/// The UUID at the start of a text.
fn uuid(text: &str) -> Option<&str> {
    let id = text.get(..36)?;
    let good = id.bytes().enumerate().all(|(n, b)| match n {
        8 | 13 | 18 | 23 => b == b'-',
        _ => b.is_ascii_hexdigit(),
    });
    good.then_some(id)
}

/// The end of the match that starts at `at`, if the parts match there.
fn matches(parts: &[Part<'_>], text: &str, at: usize, names: &mut BTreeMap<String, String>) -> Option<usize> {
    let Some((part, later)) = parts.split_first() else { return Some(at) };
    let rest = &text[at..];
    match part {
        Part::Text(wanted) => rest.starts_with(wanted).then(|| matches(later, text, at + wanted.len(), names))?,
        Part::Space => matches(later, text, text.len() - rest.trim_start().len(), names),
        Part::Id(shown) => {
            let real = uuid(rest)?;
            if names.get(*shown).is_some_and(|known| known != real) {
                return None;
            }
            names.insert((*shown).to_owned(), real.to_owned());
            matches(later, text, at + real.len(), names)
        }
        Part::Any => {
            let places = rest.char_indices().map(|(n, _)| at + n).chain([text.len()]);
            places.into_iter().find_map(|place| {
                let mut found = names.clone();
                let end = matches(later, text, place, &mut found)?;
                *names = found;
                Some(end)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "0197f3c2-8a11-7c3e-9d55-6b1f0c2a4e11";
    const REAL: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    #[test]
    fn a_line_is_found_anywhere_and_spaces_do_not_matter() {
        let mut names = Names::default();
        assert!(names.find("\"ok\": true", "{\n  \"run\":1, \"ok\":true}").is_some());
        assert!(names.find("status   completed", "id 7\nstatus completed").is_some());
        assert!(names.find("status completed", "status failed").is_none());
    }

    #[test]
    fn an_ellipsis_matches_anything() {
        let mut names = Names::default();
        assert_eq!(names.find("a … c", "x a b b c y"), Some(9));
        assert!(names.find("a … d", "a b c").is_none());
        assert_eq!(names.find("…", ""), Some(0));
    }

    #[test]
    fn an_id_is_replaced_by_the_real_one_from_then_on() {
        let mut names = Names::default();
        assert!(names.find(&format!("\"run_id\": \"{SHOWN}\""), &format!("{{\"run_id\":\"{REAL}\"}}")).is_some());
        assert_eq!(names.fill(&format!("brain inspect {SHOWN}")), format!("brain inspect {REAL}"));
        assert!(names.find(SHOWN, &format!("run {REAL}")).is_some());
        assert!(names.find(SHOWN, &format!("run {}", REAL.replace('0', "1"))).is_none());
    }
}
