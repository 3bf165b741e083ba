//! "Did you mean …?"

/// The candidate most similar to `wrong`, if any is similar enough.
pub fn nearest<'c>(wrong: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let squeezed = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let wrong = squeezed(wrong);
    candidates
        .into_iter()
        .map(|candidate| (score(&wrong, &squeezed(candidate)), candidate))
        .filter(|(score, _)| *score >= 0.72)
        // Ties go to the first, so that the answer is deterministic.
        .fold(None, |best: Option<(f64, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, candidate)| candidate)
}

fn score(wrong: &str, candidate: &str) -> f64 {
    let alike =
        strsim::normalized_damerau_levenshtein(wrong, candidate).max(strsim::jaro_winkler(wrong, candidate) - 0.08);
    match (wrong.rsplit_once('.'), candidate.rsplit_once('.')) {
        // `quotes.add_item` for `quote.add_item`: a common domain alone is not similarity.
        (Some((wrong_domain, wrong_tail)), Some((domain, tail))) => {
            0.25 * strsim::jaro_winkler(wrong_domain, domain) + 0.75 * score(wrong_tail, tail)
        }
        // `add_item` for `quote.add_item`: the right name without its domain.
        (None, Some((_, tail))) if tail == wrong => 0.9,
        _ => alike,
    }
}

/// Help text: the nearest candidate, or all if they are few.
pub(crate) fn did_you_mean<'c>(wrong: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(best) = nearest(wrong, candidates.iter().copied()) {
        return Some(format!("did you mean `{best}`?"));
    }
    choices(&candidates)
}

/// "use one of `a`, `b`, `c`", if they are few enough to read.
pub(crate) fn choices(candidates: &[&str]) -> Option<String> {
    const READABLE: usize = 12;
    match candidates {
        [] => None,
        [only] => Some(format!("only `{only}` is possible here")),
        few if few.len() <= READABLE => Some(format!("use one of {}", quoted(few))),
        _ => None,
    }
}

/// `a`, `b`, `c`
pub(crate) fn quoted<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| format!("`{}`", word.as_ref())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_word() {
        let keys = ["title", "phrases", "behavior", "input", "idempotency"];
        assert_eq!(nearest("phrasses", keys), Some("phrases"));
        assert_eq!(nearest("behaviour", keys), Some("behavior"));
        assert_eq!(nearest("idempotence", keys), Some("idempotency"));
        assert_eq!(nearest("wheelbarrow", keys), None);
    }

    #[test]
    fn a_tool_is_found_without_its_domain() {
        assert_eq!(nearest("add_item", ["os.create_note", "quote.add_item"]), Some("quote.add_item"));
        assert_eq!(nearest("quotes.add_item", ["quote.add_item", "quote.add_items"]), Some("quote.add_item"));
    }

    #[test]
    fn without_a_likely_word_a_short_list_helps() {
        assert_eq!(did_you_mean("zzz", ["read", "write"]).unwrap(), "use one of `read`, `write`");
        assert_eq!(did_you_mean("zzz", []), None);
    }
}
