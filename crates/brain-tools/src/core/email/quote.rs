//! Separates the new text of a message from the text it quotes.

/// Lines with which mail programs introduce a whole earlier message.
const DIVIDERS: [&str; 7] = [
    "original message",
    "ursprüngliche nachricht",
    "forwarded message",
    "begin forwarded message",
    "message d'origine",
    "mensaje original",
    "weitergeleitete nachricht",
];
/// Ends of the line that introduces a quotation.
const WROTE: [&str; 7] = ["wrote", "schrieb", "a écrit", "escribió", "ha scritto", "schreef", "escreveu"];
/// Beginnings of that line.
const ON: [&str; 7] = ["on ", "am ", "le ", "el ", "il ", "op ", "em "];
/// Headers of a message that is quoted without `>`.
const HEADERS: [&str; 10] =
    ["from:", "sent:", "to:", "date:", "subject:", "von:", "gesendet:", "an:", "betreff:", "cc:"];
/// Maximum length of an introduction such as "On … wrote:", in lines.
const MAX_INTRODUCTION: usize = 3;

/// Returns the new text and the quoted text. Answers between and below quoted lines are new text.
pub(super) fn separate(text: &str) -> (String, Option<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut new, mut quoted) = (Vec::new(), Vec::new());
    let mut place = 0;
    while place < lines.len() {
        let line = lines[place];
        if is_marked(line) {
            quoted.push(line);
        } else if divides(&lines[place..]) {
            quoted.extend(&lines[place..]);
            break;
        } else if let Some(length) = introduction(&lines[place..]) {
            let after = &lines[place + length..];
            // Without `>` the end of the quotation is unknown, so it extends to the end of the message.
            if !after.iter().find(|line| !line.trim().is_empty()).is_some_and(|line| is_marked(line)) {
                quoted.extend(&lines[place..]);
                break;
            }
            quoted.extend(&lines[place..place + length]);
            place += length;
            continue;
        } else {
            new.push(line);
        }
        place += 1;
    }
    let joined = |lines: Vec<&str>| lines.join("\n").trim().to_owned();
    let quoted = joined(quoted);
    (joined(new), (!quoted.is_empty()).then_some(quoted))
}

fn is_marked(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Whether a whole message follows: `-----Original Message-----`, or a block of headers.
fn divides(lines: &[&str]) -> bool {
    let Some(first) = lines.first() else { return false };
    let words = first.trim_matches(['-', '_', ' ', ':', '*', '\t']).to_lowercase();
    let ruled = first.trim_start().starts_with("--") || first.trim_start().starts_with("__");
    if DIVIDERS.contains(&words.as_str()) && (ruled || first.trim_end().ends_with(':')) {
        return true;
    }
    let is_header = |line: &&&str| {
        let line = line.trim_start_matches(['*', ' ']).to_lowercase();
        HEADERS.iter().any(|header| line.starts_with(header))
    };
    let begins = |line: &str| {
        let line = line.trim_start_matches(['*', ' ']).to_lowercase();
        line.starts_with("from:") || line.starts_with("von:")
    };
    // A horizontal rule followed by headers, or three headers in a row.
    let skip = usize::from(words.is_empty() && ruled);
    lines.get(skip).is_some_and(|line| begins(line)) && lines[skip..].iter().take(4).filter(is_header).count() >= 3
}

/// The number of lines of an introduction such as `On Tuesday Bob wrote:`, if the text starts with one.
fn introduction(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?.trim_start().to_lowercase();
    if !ON.iter().any(|word| first.starts_with(word)) {
        return None;
    }
    (1..=MAX_INTRODUCTION.min(lines.len())).find(|length| {
        let last = lines[length - 1].trim_end().to_lowercase();
        let Some(sentence) = last.strip_suffix(':') else { return false };
        let whole = lines[..*length].join(" ").to_lowercase();
        let named = WROTE.iter().any(|word| sentence.trim_end().ends_with(word));
        // German and Dutch put the verb before the name.
        named || ["schrieb ", "schreef "].iter().any(|word| whole.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(text: &str) -> String {
        separate(text).0
    }

    #[test]
    fn text_above_between_and_below_a_quotation_is_new() {
        assert_eq!(new("Yes.\n\nOn Tue, 3 Mar 2026 Bob <b@x.example> wrote:\n> Start?\n> Bob"), "Yes.");
        assert_eq!(new("On Tue Bob\n<b@x.example> wrote:\n\n> Start?\n\nYes."), "Yes.");
        assert_eq!(new("> Start?\nYes.\n> When?\nMonday."), "Yes.\nMonday.");
        assert_eq!(new("Ja.\n\nAm 3. März 2026 schrieb Bob Smith:\n> Los?"), "Ja.");
    }

    #[test]
    fn a_whole_message_below_is_not_new() {
        assert_eq!(new("Yes.\n\n-----Original Message-----\nFrom: Bob\nStart?"), "Yes.");
        assert_eq!(new("Yes.\n\n________________\nFrom: Bob\nSent: Monday\nTo: Jane\nSubject: Roof\n\nStart?"), "Yes.");
        assert_eq!(new("Yes.\n\nOn Tuesday Bob wrote:\nStart?\nBob"), "Yes.");
        assert_eq!(new("See below.\n\nBegin forwarded message:\n\nFrom: Bob\nHello"), "See below.");
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        let text = "On Monday we start.\nFrom: the ridge, to: the gutter.\nHe wrote: yes.";
        assert_eq!(separate(text), (text.to_owned(), None));
        let (new, quoted) = separate("Yes.\n> Start?");
        assert_eq!((new.as_str(), quoted.as_deref()), ("Yes.", Some("> Start?")));
    }
}
