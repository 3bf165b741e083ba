//! Inflected forms: plurals, past tenses, participles.

/// Irregular pasts and participles, sorted: the form and its verb.
const IRREGULAR: [(&str, &str); 62] = [
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bought", "buy"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("came", "come"),
    ("caught", "catch"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("done", "do"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("fell", "fall"),
    ("forgot", "forget"),
    ("found", "find"),
    ("gave", "give"),
    ("given", "give"),
    ("gone", "go"),
    ("got", "get"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("heard", "hear"),
    ("held", "hold"),
    ("kept", "keep"),
    ("knew", "know"),
    ("laid", "lay"),
    ("left", "leave"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("met", "meet"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rang", "ring"),
    ("rung", "ring"),
    ("said", "say"),
    ("sang", "sing"),
    ("sat", "sit"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("shown", "show"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("stood", "stand"),
    ("taken", "take"),
    ("taught", "teach"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("went", "go"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("won", "win"),
    ("written", "write"),
    ("wrote", "write"),
];

/// The verb of an irregular past or participle.
fn verb_of(word: &str) -> &str {
    IRREGULAR.binary_search_by_key(&word, |(form, _)| form).map_or(word, |at| IRREGULAR[at].1)
}

/// Whether one word is an inflected form of the other: plural, past tense or `-ing` form.
pub fn inflected(a: &str, b: &str) -> bool {
    is_regular(a, b) || {
        let (one, other) = (verb_of(a), verb_of(b));
        (one != a || other != b) && (one == other || is_regular(one, other))
    }
}

/// [`inflected`] without irregular pasts and participles, which tell what has happened rather than ask for it: “I rang Bob”
/// is no “ring Bob”.
pub fn is_regular(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // No rule changes more of the shorter form than its last letter.
    let Some((at, last)) = short.char_indices().next_back().filter(|(at, _)| *at >= 2) else { return false };
    if long.len() - short.len() > 4 || !long.starts_with(&short[..at]) {
        return false;
    }
    if let Some(ending) = long.strip_prefix(short) {
        // task → tasks, close → closed, submit → submitted.
        return matches!(ending, "s" | "es" | "ed" | "d" | "ing")
            || ending.strip_prefix(last).is_some_and(|ending| matches!(ending, "ed" | "ing"));
    }
    // note → noting, inquiry → inquiries.
    let ending = &long[at..];
    (last == 'e' && ending == "ing") || (last == 'y' && matches!(ending, "ies" | "ied"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_word() {
        let pairs = [
            ("task", "tasks"),
            ("inquiry", "inquiries"),
            ("note", "noting"),
            ("submit", "submitted"),
            ("close", "closed"),
            ("give", "gave"),
            ("given", "gives"),
            ("paid", "pay"),
        ];
        assert!(IRREGULAR.is_sorted());
        for (a, b) in pairs {
            assert!(inflected(a, b) && inflected(b, a), "{a} {b}");
        }
        assert!(!inflected("is", "iss") && !inflected("lead", "leader"));
    }
}
