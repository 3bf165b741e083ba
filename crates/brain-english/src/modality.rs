//! Words that turn a request into a refusal, a question or a condition. In one spelling, without apostrophes.

/// Courtesies before a request.
pub const COURTESIES: [&str; 14] =
    ["hey", "hi", "hello", "please", "pls", "ok", "okay", "so", "and", "then", "well", "thanks", "sorry", "now"];
/// Negations that start a clause: `don't archive …`.
pub const NEGATIONS: [&str; 3] = ["dont", "never", "not"];
/// Negations after a pronoun: `I never …`.
pub const NEGATIONS_AFTER_PRONOUN: [&str; 12] =
    ["not", "dont", "never", "cant", "cannot", "wont", "didnt", "couldnt", "wouldnt", "shouldnt", "mustnt", "havent"];
/// Auxiliaries between a pronoun and `not`: `you should not …`.
pub const AUXILIARIES: [&str; 10] = ["do", "did", "can", "could", "will", "would", "should", "must", "have", "had"];
/// Words that start a question or a condition.
pub const QUESTION_WORDS: [&str; 16] = [
    "how", "why", "when", "whenever", "where", "who", "whether", "if", "unless", "did", "does", "was", "were", "had",
    "should", "shall",
];
/// Words that start a question if a pronoun follows: `are you …`.
pub const QUESTION_WORDS_BEFORE_PRONOUN: [&str; 5] = ["do", "have", "has", "is", "are"];
/// Pronouns for people and things.
pub const PRONOUNS: [&str; 11] =
    ["i", "you", "we", "they", "he", "she", "it", "anyone", "anybody", "someone", "somebody"];
/// Words that follow `what` in a hypothetical question: `what if …`.
pub const AFTER_WHAT: [&str; 3] = ["if", "happens", "about"];
/// Words that start a phrase which states something instead of ordering it: `my tap leaks`.
pub const STATEMENT_WORDS: [&str; 10] = ["what", "whats", "which", "am", "im", "ive", "id", "my", "our", "there"];
