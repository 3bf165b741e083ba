//! Mentions that describe records instead of naming one: “the last one”, “both bowls”, “all of Tom's”, “the bowl that Maria
//! brought in”.

use brain_english::function_words::is_function_word;

use super::index::words;

/// How many records a mention means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// One.
    One,
    /// The most recent one.
    Last,
    /// Two.
    Both,
    /// As many as there are.
    All,
}

/// A mention, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// How many are meant.
    pub count: Count,
    /// What is left without the words for the number: the name or the description.
    pub rest: String,
    /// The words that the record, or one that it refers to, must have. Nouns of the type are left out.
    pub needed: Vec<String>,
    /// Words of a relative clause that may be a name: “that maria brought in”.
    pub possible: Vec<String>,
}

/// Words that begin a mention of several records, and how many they mean.
const COUNTS: [(&str, Count); 9] = [
    ("both of", Count::Both),
    ("both", Count::Both),
    ("all of", Count::All),
    ("all", Count::All),
    ("every", Count::All),
    ("each of", Count::All),
    ("the last", Count::Last),
    ("the latest", Count::Last),
    ("the most recent", Count::Last),
];
/// Words that begin a relative clause.
const RELATIVE: [&str; 4] = [" that ", " which ", " who ", " whom "];
/// Words that turn a relative clause around: what it describes is not meant.
const TURNED: [&str; 5] = ["not", "never", "no", "without", "except"];
/// Maximum length of a mention, in words.
const MAX_WORDS: usize = 12;

impl Reference {
    /// Takes a mention apart. `nouns` are those of the type, in the singular.
    pub fn new(mention: &str, nouns: &[String]) -> Self {
        let whole = without_article(mention.trim());
        let lower = mention.trim().to_lowercase();
        let counted = COUNTS.iter().find_map(|(word, count)| {
            let rest = lower.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
            Some((*count, &mention.trim()[lower.len() - rest.len()..]))
        });
        let (count, rest) = match counted.filter(|_| lower.len() == mention.trim().len()) {
            // “The last one”, but not “the last supper”.
            Some((Count::Last, rest)) if !is_noun(rest, nouns) => (Count::One, whole),
            Some((count, rest)) => (count, without_article(rest.trim())),
            None => (Count::One, whole),
        };
        let rest = if is_noun(rest, nouns) { "" } else { rest };
        let (head, clause) = split(rest);
        let is_told = |word: &&str| {
            word.starts_with(char::is_uppercase)
                || word.contains(|c: char| c.is_ascii_digit())
                || has_owner_ending(word)
        };
        let needed = content(head.split_whitespace().collect(), nouns);
        let told = content(clause.split_whitespace().filter(is_told).collect(), nouns);
        let possible = content(clause.split_whitespace().filter(|word| !is_told(word)).collect(), nouns);
        let needed = needed.into_iter().chain(told).collect();
        Self { count, rest: rest.to_owned(), needed, possible }
    }

    /// Whether the mention says more than a name: how many are meant, or by what they are known.
    pub fn is_description(&self) -> bool {
        self.count != Count::One || !self.possible.is_empty() || has_clause(&self.rest)
    }

    /// Whether a relative clause says what is not meant.
    pub fn is_turned(&self) -> bool {
        let lower = self.rest.to_lowercase();
        let mut words = lower.split_whitespace();
        words.any(|word| TURNED.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"))
    }
}

/// The whole of a text that describes records, without the article; `None` if it is a name or something else. “All leads” is
/// no mention of records but a list: without a name, only “both” and “the last one” are.
pub(crate) fn description<'t>(text: &'t str, nouns: &[String]) -> Option<&'t str> {
    let text = text.trim().trim_end_matches(['.', '!', '?', ',']);
    if text.split_whitespace().count() > MAX_WORDS || text.contains(['\n', ';', '"', '“']) {
        return None;
    }
    let found = Reference::new(text, nouns);
    let is_named =
        text.split_whitespace().skip(1).any(|word| has_owner_ending(&word) || word.starts_with(char::is_uppercase));
    let is_meant = match found.count {
        Count::Last => true,
        Count::Both => found.rest.is_empty() || is_named,
        Count::All => is_named,
        // The clause must say whose record it is, and the head what kind of thing.
        Count::One => {
            let (head, clause) = split(&found.rest);
            !clause.is_empty() && clause.split_whitespace().count() >= 2 && !head.is_empty() && says_person(clause)
        }
    };
    is_meant.then(|| if found.count == Count::Last { text } else { without_article(text) })
}

/// Whether a relative clause begins with a name: “Maria brought in”.
fn says_person(clause: &str) -> bool {
    let first = clause.split_whitespace().next().unwrap_or_default();
    first.starts_with(char::is_uppercase) && !is_function_word(&first.to_lowercase())
}

fn has_clause(rest: &str) -> bool {
    !split(rest).1.is_empty()
}

/// What stands before a relative clause, and the clause without its first word.
fn split(text: &str) -> (&str, &str) {
    let first = RELATIVE.iter().filter_map(|word| Some((text.find(word)?, word.len()))).min();
    match first {
        Some((at, length)) => (&text[..at], &text[at + length..]),
        None => (text, ""),
    }
}

fn has_owner_ending(word: &&str) -> bool {
    ["'s", "’s", "s'", "s’"].iter().any(|ending| word.len() > ending.len() && word.ends_with(ending))
}

fn without_article(text: &str) -> &str {
    let articles = ["the ", "The ", "my ", "My ", "our ", "Our ", "of the ", "of "];
    articles.iter().find_map(|article| text.strip_prefix(article)).map_or(text, str::trim_start)
}

/// Whether a text is only a noun of the type, or “one”.
fn is_noun(text: &str, nouns: &[String]) -> bool {
    let lower = without_article(text.trim()).to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    lower.is_empty()
        || ["one", "ones", "of them", "them"].contains(&lower.as_str())
        || nouns.iter().any(|noun| noun.to_lowercase() == lower || noun.to_lowercase() == singular)
}

/// The words that tell records apart, in the form of the index.
fn content(said: Vec<&str>, nouns: &[String]) -> Vec<String> {
    let parts: Vec<String> = nouns.iter().flat_map(|noun| noun.split_whitespace().map(str::to_lowercase)).collect();
    let is_of_type = |word: &str| parts.iter().any(|part| part == word || word.strip_suffix('s') == Some(part));
    let bare = said.into_iter().map(|word| {
        let ending = ["'s", "’s"].iter().find_map(|ending| word.strip_suffix(ending));
        ending.or_else(|| word.strip_suffix("s'").or_else(|| word.strip_suffix("s’"))).unwrap_or(word)
    });
    let kept = bare.filter(|word| {
        let lower = word.to_lowercase();
        !is_function_word(&lower) && !is_of_type(&lower) && !["one", "ones"].contains(&lower.as_str())
    });
    words(&kept.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nouns() -> Vec<String> {
        vec!["bowl".into(), "piece".into()]
    }

    fn parts(text: &str) -> (Count, String, String) {
        let found = Reference::new(text, &nouns());
        (found.count, found.needed.join(" "), found.possible.join(" "))
    }

    #[test]
    fn a_mention_is_taken_apart() {
        for (text, count, needed, possible) in [
            ("Maria's blue bowl", Count::One, "blue maria", ""),
            ("the bowl that Maria brought in", Count::One, "maria", "brought"),
            ("the last one", Count::Last, "", ""),
            ("the latest piece", Count::Last, "", ""),
            ("the last supper", Count::One, "last supper", ""),
            ("both", Count::Both, "", ""),
            ("both of Tom's bowls", Count::Both, "tom", ""),
            ("all of Tom's", Count::All, "tom", ""),
            ("all Tom’s blue pieces", Count::All, "blue tom", ""),
            ("blue bowl", Count::One, "blue", ""),
        ] {
            let found = parts(text);
            assert_eq!((found.0, found.1.as_str(), found.2.as_str()), (count, needed, possible), "{text}");
        }
        assert!(Reference::new("the bowl that Maria didn't bring", &nouns()).is_turned());
    }

    #[test]
    fn only_descriptions_are_taken_whole() {
        for (text, whole) in [
            ("the last one", Some("the last one")),
            ("both", Some("both")),
            ("all of Tom's bowls", Some("all of Tom's bowls")),
            ("the bowl that Maria brought in", Some("bowl that Maria brought in")),
            ("Maria's blue bowl", None),
            ("all bowls", None),
            ("every bowl", None),
            ("the last week of May", None),
            ("the bowl that broke", None),
            ("both sides of the story", None),
        ] {
            assert_eq!(description(text, &nouns()), whole, "{text}");
        }
    }
}
