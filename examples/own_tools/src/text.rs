//! A plain function: decided in process, as part of the run's own commit.

use brain::{Failure, data, tool};

/// What is counted.
#[data]
struct Text {
    /// The text whose words are counted.
    text: String,
    /// Words shorter than this do not count.
    shortest: Option<usize>,
}

/// What came of it.
#[data]
struct Count {
    /// How many words there are.
    words: usize,
    /// The longest of them.
    longest: Option<String>,
}

/// Counts the words of a text.
#[tool(name = "text.word_count", title = "Count words", phrases = ["count the words of {text}"])]
fn word_count(input: Text) -> Result<Count, Failure> {
    let shortest = input.shortest.unwrap_or(1);
    let words: Vec<&str> = input.text.split_whitespace().filter(|word| word.chars().count() >= shortest).collect();
    let longest = words.iter().rev().max_by_key(|word| word.chars().count());
    Ok(Count { words: words.len(), longest: longest.map(|word| (*word).to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_need_not_count() {
        let count = word_count(Text { text: "a big house".into(), shortest: Some(2) }).unwrap();
        assert_eq!((count.words, count.longest.as_deref()), (2, Some("house")));
    }
}
