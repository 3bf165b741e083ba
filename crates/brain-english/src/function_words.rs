//! Function words: they hold a sentence together and say little about what is asked for.

/// Articles, pronouns, prepositions, auxiliaries and courtesies; sorted.
pub const WORDS: [&str; 91] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "get", "had", "has", "have", "heres", "hers", "hes", "hey", "hi",
    "how", "i", "id", "if", "ill", "im", "in", "is", "it", "its", "ive", "just", "kindly", "let", "like", "may", "me",
    "my", "need", "now", "of", "on", "or", "our", "please", "pls", "shes", "so", "some", "thanks", "that", "thats",
    "the", "their", "them", "then", "there", "theres", "theyre", "theyve", "this", "thx", "to", "up", "us", "want",
    "was", "we", "weve", "what", "whats", "when", "which", "will", "with", "would", "you", "your", "youre", "youve",
];

/// Whether a word says little about what is asked for.
pub fn is_function_word(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(WORDS.is_sorted() && WORDS.iter().all(|word| is_function_word(word)) && !is_function_word("task"));
    }
}
