//! Function words: they hold a sentence together and say little about what is asked for.

/// Articles, pronouns, prepositions, auxiliaries and courtesies, with common slips of the keyboard; sorted.
pub const WORDS: [&str; 98] = [
    "a", "about", "adn", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "fro", "from", "get", "had", "has", "have", "heres", "hers", "hes", "hey",
    "hi", "how", "hte", "i", "id", "if", "ill", "im", "in", "is", "it", "its", "ive", "just", "kindly", "let", "like",
    "may", "me", "my", "need", "now", "of", "on", "or", "our", "please", "pls", "shes", "so", "some", "teh", "thanks",
    "that", "thats", "the", "their", "them", "then", "there", "theres", "theyre", "theyve", "this", "thx", "tihs",
    "to", "up", "us", "want", "was", "we", "weve", "what", "whats", "when", "which", "wiht", "will", "with", "would",
    "wtih", "you", "your", "youre", "youve",
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
