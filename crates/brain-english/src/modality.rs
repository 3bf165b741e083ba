//! Words that turn a request into something else: a refusal, a question, a condition, a report, a wish, a look back. All
//! in one spelling, without apostrophes.

/// Courtesies and hesitations before a request.
pub const COURTESIES: [&str; 38] = [
    "hey", "hi", "hello", "please", "pls", "ok", "okay", "so", "and", "then", "well", "thanks", "sorry", "now",
    "right", "oi", "gday", "mate", "morning", "alright", "yes", "yeah", "yep", "sure", "also", "just", "quickly",
    "quick", "oh", "um", "first", "firstly", "cheers", "ta", "kindly", "lastly", "plz", "thx",
];
/// Beginnings that make a request polite although they look like a question or a condition. `*` matches one word.
pub const POLITE: [&[&str]; 49] = [
    &["can", "you"],
    &["can", "u"],
    &["can", "we"],
    &["can", "i"],
    &["can", "somebody"],
    &["can", "someone"],
    &["could", "you"],
    &["could", "we"],
    &["could", "i"],
    &["could", "somebody"],
    &["could", "someone"],
    &["would", "you"],
    &["will", "you"],
    &["may", "i"],
    &["may", "we"],
    &["do", "you", "mind"],
    &["is", "it", "possible", "to"],
    &["is", "there", "any", "chance"],
    &["any", "chance"],
    &["would", "it", "be", "possible"],
    &["would", "be", "able", "to"],
    &["why", "dont", "you"],
    &["why", "dont", "we"],
    &["if", "you", "can"],
    &["if", "you", "could"],
    &["if", "you", "would"],
    &["if", "you", "wouldnt", "mind"],
    &["if", "you", "dont", "mind"],
    &["if", "you", "like"],
    &["if", "you", "please"],
    &["if", "you", "get", "a"],
    &["if", "you", "have", "a"],
    &["if", "its", "not", "too", "much", "trouble"],
    &["if", "it", "is", "not", "too", "much", "trouble"],
    &["if", "its", "ok"],
    &["if", "its", "okay"],
    &["if", "possible"],
    &["when", "you", "get", "a"],
    &["when", "you", "have", "a"],
    &["when", "you", "can"],
    &["when", "you", "are", "ready"],
    &["appreciate", "it", "if"],
    &["be", "great", "if"],
    &["be", "good", "if"],
    &["dont", "forget", "to"],
    &["dont", "let", "me", "forget"],
    &["dont", "let", "us", "forget"],
    &["not", "urgent"],
    &["no", "rush"],
];
/// Words that negate.
pub const NEGATIONS: [&str; 26] = [
    "not", "dont", "never", "no", "cant", "cannot", "wont", "didnt", "couldnt", "wouldnt", "shouldnt", "mustnt",
    "havent", "hasnt", "hadnt", "isnt", "arent", "wasnt", "werent", "doesnt", "aint", "nothing", "nobody", "none",
    "without", "instead",
];
/// Words that start a condition.
pub const CONDITIONS: [&str; 12] = [
    "suppose", "supposing", "imagine", "if", "unless", "whenever", "whether", "until", "till", "provided", "assuming",
    "otherwise",
];
/// Words that start a condition only at the beginning of a sentence.
pub const CONDITIONS_AT_THE_HEAD: [&str; 3] = ["when", "once", "should"];
/// Words that ask for something.
pub const QUESTION_WORDS: [&str; 16] = [
    "how", "hows", "why", "when", "whens", "where", "wheres", "who", "whos", "whose", "whom", "what", "whats", "which",
    "whatever", "whichever",
];
/// Verbs that start a question when they come before their subject.
pub const INVERTED: [&str; 31] = [
    "is", "isnt", "are", "arent", "was", "wasnt", "were", "werent", "am", "has", "hasnt", "have", "havent", "had",
    "hadnt", "do", "dont", "does", "doesnt", "did", "didnt", "should", "shouldnt", "shall", "must", "might", "may",
    "can", "could", "would", "will",
];
/// Subjects after which an inverted verb asks.
pub const PRONOUNS: [&str; 20] = [
    "i", "you", "we", "they", "he", "she", "it", "anyone", "anybody", "someone", "somebody", "everyone", "everybody",
    "there", "this", "that", "these", "those", "any", "ya",
];
/// Verbs of saying and believing: what follows is somebody's report.
pub const REPORTS: [&str; 24] = [
    "said", "says", "say", "told", "tells", "reckons", "reckon", "claims", "claimed", "mentioned", "thinks", "thought",
    "heard", "apparently", "supposedly", "allegedly", "according", "rumour", "rumor", "insists", "insisted", "swears",
    "believes", "suggested",
];
/// Words of wishes, plans and doubts, without what they are about.
pub const WISHES: [&[&str]; 20] = [
    &["wish"],
    &["might"],
    &["maybe"],
    &["perhaps"],
    &["not", "sure"],
    &["unsure"],
    &["thinking", "about"],
    &["thinking", "of"],
    &["considering"],
    &["was", "going", "to"],
    &["were", "going", "to"],
    &["would", "have"],
    &["should", "have"],
    &["could", "have"],
    &["almost"],
    &["wondering"],
    &["wonder"],
    &["supposed", "to"],
    &["changed", "my", "mind"],
    &["hypothetically"],
];
/// Words that say that something happened before.
pub const PAST: [&[&str]; 9] = [
    &["yesterday"],
    &["already"],
    &["ago"],
    &["earlier"],
    &["last", "week"],
    &["last", "month"],
    &["last", "night"],
    &["used", "to"],
    &["the", "other", "day"],
];
/// Words that limit, widen or spread what is asked for. Leaving one out changes what is done.
pub const LIMITS: [&str; 30] = [
    "or", "every", "each", "half", "except", "excluding", "only", "both", "all", "either", "neither", "nor", "but",
    "besides", "twice", "double", "about", "around", "roughly", "approximately", "nearly", "almost", "least", "most",
    "between", "another", "others", "rest", "apart", "minus",
];
/// Words at the head of a phrase that states something instead of ordering it: `my tap leaks`.
pub const STATEMENT_WORDS: [&str; 9] = ["am", "im", "ive", "id", "my", "our", "there", "theres", "weve"];
