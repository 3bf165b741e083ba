//! Courtesies and chatter around a request: “g'day, when you get a sec could you … , ta”. Where a whole sentence is not
//! understood, it is read again without them.

use std::ops::Range;

use crate::understanding::{Accounted, Intent, Role, Understanding};
use brain_english::actions::is_action;
use brain_english::chatter::{BEGINNINGS, ENDINGS};
use brain_english::modality::{CONDITIONS, COURTESIES, NEGATIONS, REPORTS};

/// Longer texts are prose.
const MAX_WORDS: usize = 60;
/// Words that begin what somebody tells before a request.
const TELLERS: [&str; 12] = ["i", "ive", "im", "weve", "we", "she", "shes", "he", "hes", "they", "theyve", "its"];

/// Single words that close a request.
const CLOSING: [&str; 9] = ["please", "pls", "plz", "thanks", "thx", "ta", "cheers", "mate", "sorry"];

/// A word in lower case, without apostrophes.
struct Word {
    text: String,
    span: Range<usize>,
    /// The punctuation behind it.
    marks: String,
    /// Whether it may be a name.
    is_capital: bool,
}

/// A text read without the courtesies around it, if it has any and that says something.
pub(super) fn without(text: &str, read: &dyn Fn(&str) -> Understanding) -> Option<Understanding> {
    let said = words(text);
    let core = if said.len() > MAX_WORDS { None } else { core(text, &said) }?;
    let mut found = read(&text[core.clone()]);
    match &mut found {
        Understanding::Clear { intents } => {
            intents.iter_mut().for_each(|intent| shift(intent, core.start));
            account(text, &said, &core, intents);
        }
        Understanding::Ask(question) => {
            question.options.iter_mut().for_each(|intent| shift(intent, core.start));
            for range in &mut question.leftover {
                *range = range.start + core.start..range.end + core.start;
            }
        }
        Understanding::SmallTalk { .. } | Understanding::Unknown { .. } => return None,
    }
    Some(found)
}

/// Adds the words that were left out to the accounts.
fn account(text: &str, said: &[Word], core: &Range<usize>, intents: &mut [Intent]) {
    let filler = |words: &[Word]| {
        let (first, last) = (words.first()?, words.last()?);
        Some(Accounted { span: first.span.start..last.span.end, role: Role::Filler })
    };
    let behind = said.partition_point(|word| word.span.start < core.end);
    if let (Some(part), Some(first)) =
        (filler(&said[..said.partition_point(|word| word.span.start < core.start)]), intents.first_mut())
    {
        first.account.insert(0, part);
        first.span.start = 0;
    }
    if let Some(last) = intents.last_mut() {
        last.account.extend(filler(&said[behind..]));
        last.span.end = text.len();
    }
}

/// A text without the courtesies around it.
pub(crate) fn core_of(text: &str) -> &str {
    core(text, &words(text)).map_or(text, |range| &text[range])
}

fn shift(intent: &mut Intent, by: usize) {
    super::coordination::shift(intent, |at| at + by);
}

fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut at = 0;
    while let Some(from) = text[at..].find(char::is_alphanumeric).map(|from| from + at) {
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '.' | '@' | '_');
        let mut end = text[from..].find(|c| !inside(c)).map_or(text.len(), |length| from + length);
        end = from + text[from..end].trim_end_matches(['.', '-', '\'', '’']).len();
        if let Some(last) = found.last_mut() {
            last.marks = text[last.span.end..from].trim().to_owned();
        }
        let word = text[from..end].to_lowercase().replace(['\'', '’'], "");
        let is_capital = text[from..].starts_with(char::is_uppercase) && !word.starts_with('i');
        found.push(Word { text: word, span: from..end, marks: String::new(), is_capital });
        at = end;
    }
    if let Some(last) = found.last_mut() {
        last.marks = text[last.span.end..].trim().to_owned();
    }
    found
}

/// The text without what stands around the request, if there is anything, and something remains.
fn core(text: &str, said: &[Word]) -> Option<Range<usize>> {
    let (mut from, mut to) = (0, said.len());
    let starts = |at: usize, idiom: &str| {
        let mut count = 0;
        idiom.split(' ').all(|word| {
            count += 1;
            said.get(at + count - 1).is_some_and(|one| one.text == word)
        })
    };
    let mut is_polite = false;
    loop {
        let before = (from, to);
        if let Some(idiom) = BEGINNINGS.iter().find(|idiom| starts(from, idiom)) {
            from += idiom.split(' ').count();
            is_polite = true;
        } else if said.get(from).is_some_and(|word| COURTESIES.contains(&word.text.as_str())) {
            from += 1;
        }
        for idiom in ENDINGS {
            let count = idiom.split(' ').count();
            if to >= from + count && starts(to - count, idiom) {
                to -= count;
                break;
            }
        }
        if to > from && CLOSING.contains(&said[to - 1].text.as_str()) {
            to -= 1;
        }
        if from >= to {
            return None;
        }
        if (from, to) == before {
            match after_telling(&said[from..to]) {
                Some(told) => from += told,
                None => break,
            }
        }
    }
    let end = match said.get(to) {
        Some(_) => said[to - 1].span.end,
        // A request in the form of a question is not a question.
        None if is_polite => said[to - 1].span.end,
        None => text.len(),
    };
    let core = said[from].span.start..end;
    (core.start > 0 || core.end < text.trim_end().len()).then_some(core)
}

/// The number of words that only lead to a request: “I've just come off the phone with her, so …”. Nothing in them is a
/// value, or the name of an action.
fn after_telling(said: &[Word]) -> Option<usize> {
    if !said.first().is_some_and(|word| TELLERS.contains(&word.text.as_str())) {
        return None;
    }
    for (at, word) in said.iter().enumerate() {
        let bare = word.text.as_str();
        let is_value = (at > 0 && word.is_capital)
            || bare.contains(|c: char| c.is_ascii_digit() || c == '@')
            || NEGATIONS.contains(&bare)
            || CONDITIONS.contains(&bare)
            || REPORTS.contains(&bare);
        if is_value || (is_action(bare) && !matches!(bare, "set" | "call" | "get" | "look")) {
            return None;
        }
        let ends = word.marks.ends_with([',', ':', '.', '-', '–', ';']);
        let next = said.get(at + 1..)?;
        let rest = next.iter().position(|word| !matches!(word.text.as_str(), "so" | "and" | "please" | "then"))?;
        let begins = is_action(&next[rest].text) || COURTESIES.contains(&next[rest].text.as_str());
        if ends && begins && next.len() > rest + 1 {
            return Some(at + 1 + rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_request_is_left_out() {
        assert_eq!(
            core_of("g'day, when you get a sec would you be able to show me the open tasks, ta"),
            "show me the open tasks"
        );
        assert_eq!(
            core_of("Can you put 4 guards at $22 on the Vella quote?"),
            "put 4 guards at $22 on the Vella quote"
        );
        assert_eq!(core_of("close it please"), "close it");
        assert_eq!(core_of("I've just come off the phone with her, so mark it as won"), "mark it as won");
        assert_eq!(core_of("I rang Bob, then close it"), "I rang Bob, then close it");
        assert_eq!(core_of("is it closed?"), "is it closed?");
    }
}
