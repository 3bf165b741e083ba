//! Accounts for every word of a clause: phrase word, slot value, filler, or left over. A word that could change the
//! outcome is never dropped.

use std::ops::Range;

use crate::phrase::vocabulary::{SlotSpec, Target};
use crate::read::Reader;
use crate::read::fill::codes::is_code_slot;
use crate::read::matcher::Capture;
use crate::read::modality::{Marker, Said, is_inverted, marker};
use crate::text::speller::is_word;
use crate::text::tokens::{Token, tokens};
use crate::text::words::words;
use crate::understanding::{Accounted, Role};
use brain_english::actions::actions_of;
use brain_english::around_values::{
    EMAIL_NOUNS, INTRODUCTIONS, KEPT_ABOUT, PERSON_SLOTS, PHONE_NOUNS, POSSESSIVES, VERBS_BEHIND_NAMES,
};
use brain_english::function_words::is_function_word;
use brain_english::inflection::inflected;
use brain_english::modality::{COURTESIES, LIMITS, QUESTION_WORDS};
use brain_english::numbers::is_number_word;
use brain_slot::{SlotKind, extract};

/// Words before a value that are part of what it says.
const VALUE_PREPOSITIONS: [&str; 11] =
    ["under", "over", "below", "above", "within", "after", "before", "until", "since", "per", "behind"];

/// The account of one reading.
pub(crate) struct Account {
    /// Every word, in order; neighbours with the same role are one entry.
    pub(crate) parts: Vec<Accounted>,
    /// Words that could change what is done, and that the reading does not use; in folded characters.
    pub(crate) leftover: Vec<Range<usize>>,
    /// Whether all leftover words are numbers.
    pub(crate) only_numbers: bool,
    /// Whether one of them narrows or spreads what is asked for: “except”, “or”.
    pub(crate) limits: bool,
    /// Number of words of no consequence that neither phrase nor slot explains.
    pub(crate) minor: usize,
    /// Those words; in folded characters.
    minor_words: Vec<Range<usize>>,
    /// What shows that the clause is no request.
    pub(crate) marker: Option<Marker>,
    /// Whether a name is left over.
    pub(crate) drops_name: bool,
    /// Whether the clause is a question, or a verb in it names what the target does.
    pub(crate) asks: bool,
    /// Number of content words in phrases, in values, and in all.
    pub(crate) in_phrase: usize,
    pub(crate) in_values: usize,
    pub(crate) content: usize,
}

/// How a reading uses the tokens of its clause.
pub(crate) struct Usage<'a> {
    pub(crate) number: usize,
    pub(crate) captures: &'a [Capture],
    /// The matched phrase; empty for search.
    pub(crate) phrase: &'a str,
    /// Start positions of the tokens that match words of the phrase.
    pub(crate) matched: &'a [usize],
    /// Whether the phrase matches the clause whole.
    pub(crate) whole: bool,
}

/// Accounts for every word of a clause.
pub(crate) fn account(reader: &Reader<'_>, clause: &Range<usize>, usage: &Usage<'_>) -> Account {
    let target = &reader.vocabulary.targets[usage.number];
    let all = tokens(reader.normal, clause.clone());
    let in_value: Vec<bool> = all
        .iter()
        .map(|token| {
            let overlaps =
                |capture: &Capture| capture.range.start < token.range.end && token.range.start < capture.range.end;
            usage.captures.iter().any(overlaps)
        })
        .collect();
    let question_mark = question_mark(reader, clause, usage, target);
    let said = Said { tokens: &all, in_value: &in_value, question_mark };
    let polite = said.polite();
    let mut filler = said.obligations();
    introductions(&said, target, usage, &mut filler);
    around_values(&said, &mut filler);
    let known = reader.vocabulary.known(usage.number);
    let mut found = Account {
        parts: Vec::new(),
        leftover: Vec::new(),
        only_numbers: true,
        limits: false,
        minor: 0,
        minor_words: Vec::new(),
        marker: None,
        drops_name: false,
        asks: is_question(reader, clause, &all),
        in_phrase: 0,
        in_values: 0,
        content: 0,
    };
    // Which value the token before belongs to: two values side by side are two entries.
    let mut last = None;
    for (at, token) in all.iter().enumerate() {
        let next = all.get(at + 1);
        found.asks |= !in_value[at] && !token.quoted && known.asks(token);
        let role = if in_value[at] {
            Role::Slot
        } else if is_other_choice(target, usage, token) {
            found.limits = true;
            Role::Leftover
        } else if usage.whole || usage.matched.contains(&token.range.start) {
            Role::Phrase
        } else if ((polite[at] || COURTESIES.contains(&token.word.as_str())) && !leads_on(&all, at))
            || (filler[at] && !known.explains(token))
        {
            Role::Filler
        } else if is_limit(token, next) {
            let spreads = target.reads_only && matches!(token.word.as_str(), "every" | "each");
            found.limits |= !spreads && !matches!(token.word.as_str(), "all" | "both" | "but" | "only");
            Role::Leftover
        } else if leads_on(&all, at) || (begins_another(reader, clause, token, &all[..at]) && !known.explains(token)) {
            found.limits = true;
            Role::Leftover
        } else if is_label(target, token) && !known.explains(token) {
            // Another choice than the one that was taken, or one of several.
            found.limits = true;
            Role::Leftover
        } else if token.function_word && at > 0 && is_named_so(reader, target, &all[at - 1], token) {
            // “our agent Will”
            Role::Leftover
        } else if token.function_word {
            Role::Filler
        } else if known.explains(token) || is_misspelt(reader, known, token) {
            Role::Phrase
        } else if is_weighty(reader, token, at == 0) {
            Role::Leftover
        } else if VALUE_PREPOSITIONS.contains(&token.word.as_str()) && in_value.get(at + 1) == Some(&true) {
            Role::Filler
        } else {
            Role::Minor
        };
        if !token.function_word || token.quoted {
            found.content += 1;
            found.in_phrase += usize::from(role == Role::Phrase);
            found.in_values += usize::from(role == Role::Slot);
        }
        if role == Role::Minor {
            found.minor += 1;
            found.minor_words.push(token.range.clone());
        }
        if role == Role::Leftover {
            found.only_numbers &= is_number(&token.word) && !token.quoted;
            found.drops_name |= at > 0 && is_capitalised(reader, token) && !is_number(&token.word);
            found.leftover.push(token.range.clone());
        }
        let value = usage
            .captures
            .iter()
            .position(|capture| capture.range.start < token.range.end && token.range.start < capture.range.end);
        let joins = role != Role::Slot || value == last;
        last = value;
        found.add(reader.normal.span(token.range.clone()), role, joins);
    }
    if let Some(range) = either_way(target, usage, &all) {
        found.only_numbers = false;
        found.limits = true;
        found.leftover.push(range);
    }
    found.marker = marker(&said, target, usage.phrase);
    for capture in usage.captures.iter().filter(|capture| capture.value.is_some()) {
        let is_text = target.slots.get(&capture.slot).is_some_and(|slot| slot.kind.is_text());
        let head = all.iter().find(|token| capture.range.contains(&token.range.start) && !token.quoted);
        let repeats = |head: &Token| {
            matches!(head.word.as_str(), "every" | "each")
                && all.iter().any(|token| capture.range.contains(&token.range.start) && token.word == "to")
        };
        let is_code = |token: &&Token| {
            token.word.contains(|c: char| c.is_ascii_digit()) && token.word.contains(|c: char| c.is_alphabetic())
        };
        let inside = || all.iter().filter(|token| capture.range.contains(&token.range.start));
        if is_text && is_code_slot(&capture.slot) && inside().filter(is_code).count() > 1 {
            found.only_numbers = false;
            found.limits = true;
            found.leftover.push(capture.range.clone());
            continue;
        }
        if let Some(from) = is_text.then(|| another_value(reader, target, usage, capture)).flatten() {
            found.only_numbers = false;
            found.limits = true;
            found.leftover.push(from..capture.range.end);
            continue;
        }
        if let Some(range) = foreign(reader, target, usage, capture, &all) {
            found.only_numbers = false;
            found.limits = true;
            found.leftover.push(range);
            continue;
        }
        let joins = |head: &Token| matches!(head.word.as_str(), "and" | "or" | "by" | "into");
        let holds_amount = || {
            let prices = target.slots.iter().any(|(name, slot)| slot.kind == SlotKind::Money && *name != capture.slot);
            let chars = &reader.normal.chars[capture.range.clone()];
            prices
                && chars.iter().any(|c| matches!(c, '$' | '€' | '£'))
                && !extract(&SlotKind::Money, chars, &reader.context.around).is_empty()
        };
        // What a phrase introduces with a colon may begin with any word: “open a ticket for Ada: by mistake”.
        let is_introduced = usage.phrase.contains(&format!(": {{{}}}", capture.slot));
        if let Some(head) =
            head.filter(|head| is_text && ((!is_introduced && (joins(head) || repeats(head))) || holds_amount()))
        {
            found.only_numbers = false;
            found.limits = true;
            found.leftover.push(head.range.start..capture.range.end);
            continue;
        }
        if let Some(from) = is_text.then(|| second_object(reader, &all, &capture.range)).flatten() {
            found.only_numbers = false;
            found.limits = true;
            found.leftover.push(from..capture.range.end);
        }
    }
    found
}

/// Marks the words that say which value follows: “his phone is 0412 …”, “her name is Giulia”.
fn introductions(said: &Said<'_>, target: &Target, usage: &Usage<'_>, filler: &mut [bool]) {
    for capture in usage.captures {
        let Some(spec) = target.slots.get(&capture.slot) else { continue };
        let starts = |token: &Token| token.range.start >= capture.range.start;
        let Some(mut at) = said.tokens.iter().position(starts) else { continue };
        let before = |at: usize| at.checked_sub(1).map(|at| said.tokens[at].word.as_str()).unwrap_or_default();
        if matches!(before(at), "is" | "are" | "was" | "being" | "of" | "at" | "on") {
            at -= 1;
        }
        let names_it = |word: &str| {
            capture.slot.split('_').any(|part| part == word)
                || match spec.kind {
                    SlotKind::Phone => PHONE_NOUNS.contains(&word),
                    SlotKind::Email => EMAIL_NOUNS.contains(&word),
                    _ => matches!(word, "name" | "called" | "named" | "names"),
                }
        };
        let mut nouns = 0;
        while nouns < 2 && at > 0 && (names_it(before(at)) || (before(at) == "s" && at > 1)) {
            at -= 1;
            nouns += 1;
            filler[at] = true;
        }
        if nouns > 0 {
            filler[at..]
                .iter_mut()
                .zip(&said.tokens[at..])
                .take_while(|(_, token)| !starts(token))
                .for_each(|(one, _)| *one = true);
            if POSSESSIVES.contains(&before(at)) {
                filler[at - 1] = true;
            }
        }
    }
}

/// Marks words beside values that are not part of them and say nothing else: “under the name …”, “Marek gets …”, “down to
/// £950”; possessives; and words for what is kept about a record: “the details of …”.
fn around_values(said: &Said<'_>, filler: &mut [bool]) {
    let count = said.tokens.len();
    let word = |at: usize| said.tokens.get(at).map_or("", |token| token.word.as_str());
    let in_value = |at: usize| said.in_value.get(at) == Some(&true);
    for at in (0..count).filter(|at| !in_value(*at) && !said.tokens[*at].quoted) {
        let next_value = (at + 1..count).take(3).find(|next| in_value(*next));
        let leads = next_value
            .is_some_and(|next| (at + 1..next).all(|between| said.tokens[between].function_word || filler[between]));
        let follows = at > 0 && in_value(at - 1);
        filler[at] |= match word(at) {
            "his" | "her" | "their" | "she" | "he" | "they" => true,
            "through" | "via" | "under" | "over" | "around" | "round" | "into" | "until" | "till" | "by" => leads,
            "down" | "back" | "out" | "off" | "along" => leads || follows,
            one if KEPT_ABOUT.contains(&one) => true,
            one if VERBS_BEHIND_NAMES.contains(&one) => follows,
            one if INTRODUCTIONS.contains(&one) => leads,
            _ => false,
        };
    }
}

impl Account {
    fn add(&mut self, span: Range<usize>, role: Role, joins: bool) {
        match self.parts.last_mut() {
            Some(last) if joins && last.role == role => last.span.end = span.end,
            _ => self.parts.push(Accounted { span, role }),
        }
    }

    /// The words to ask about: those left over, or else those of no consequence.
    pub(crate) fn ignored(&self, reader: &Reader<'_>) -> Vec<Range<usize>> {
        let words = if self.leftover.is_empty() { &self.minor_words } else { &self.leftover };
        words.iter().filter(|range| range.end <= reader.normal.len()).cloned().collect()
    }

    /// Words, neighbours together, as they were said.
    pub(crate) fn words<'t>(reader: &Reader<'t>, words: &[Range<usize>]) -> Vec<&'t str> {
        let mut words = words.to_vec();
        words.sort_by_key(|range| (range.start, range.end));
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for range in &words {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end + 1 => last.end = last.end.max(range.end),
                _ => ranges.push(range.clone()),
            }
        }
        ranges.into_iter().map(|range| reader.text[reader.normal.span(range)].trim()).collect()
    }
}

fn is_capitalised(reader: &Reader<'_>, token: &Token) -> bool {
    reader.text[reader.normal.span(token.range.clone())].starts_with(char::is_uppercase)
}

/// Whether a word is a misspelling of one that the target is asked for with.
pub(crate) fn is_misspelt(reader: &Reader<'_>, known: &Known, token: &Token) -> bool {
    !token.quoted && reader.vocabulary.search().speller.meant(&token.word).is_some_and(|(meant, _)| known.has(meant))
}

/// The word that joins two records of one kind, where each is another's slot: “merge T-1 and T-2” does not say into which.
fn either_way(target: &Target, usage: &Usage<'_>, tokens: &[Token]) -> Option<Range<usize>> {
    let kind = |capture: &Capture| {
        target.slots.get(&capture.slot).filter(|slot| slot.is_named() && slot.required)?.entity.as_deref()
    };
    let pairs = usage.captures.iter().flat_map(|a| usage.captures.iter().map(move |b| (a, b)));
    let is_pair = |(a, b): &(&Capture, &Capture)| a.slot != b.slot && kind(a).is_some() && kind(a) == kind(b);
    pairs.filter(is_pair).find_map(|(a, b)| {
        let mut between =
            tokens.iter().filter(|token| a.range.end <= token.range.start && token.range.end <= b.range.start);
        let (one, None) = (between.next()?, between.next()) else { return None };
        (one.word == "and" && !usage.whole).then(|| one.range.clone())
    })
}

/// Whether a capital letter behind the kind of a record makes a name of a function word: “agent Will”.
fn is_named_so(reader: &Reader<'_>, target: &Target, before: &Token, token: &Token) -> bool {
    let kinds = target.slots.values().filter_map(|slot| slot.entity.as_deref());
    token.word.len() > 1 && is_capitalised(reader, token) && kinds.into_iter().any(|kind| before.word == kind)
}

/// Whether a clause has the form of a question.
fn is_question(reader: &Reader<'_>, clause: &Range<usize>, tokens: &[Token]) -> bool {
    let head = tokens.iter().find(|token| !COURTESIES.contains(&token.word.as_str()));
    let asks = |token: &Token| QUESTION_WORDS.contains(&token.word.as_str()) || is_inverted(token);
    head.is_some_and(asks)
        || reader.normal.chars[clause.clone()].iter().rev().find(|c| !c.is_whitespace()) == Some(&'?')
}

/// Whether a word is another choice of a slot than the one that was taken: “the won leads and the lost ones”.
fn is_other_choice(target: &Target, usage: &Usage<'_>, token: &Token) -> bool {
    !usage.whole
        && usage.captures.iter().any(|capture| {
            let taken = capture.value.as_ref().and_then(serde_json::Value::as_str);
            let kind = target.slots.get(&capture.slot).map(|slot| &slot.kind);
            let (Some(taken), Some(SlotKind::Enum(values))) = (taken, kind) else { return false };
            values.iter().any(|(name, labels)| {
                name != taken
                    && !token.quoted
                    && (*name == token.word || labels.iter().any(|label| label.eq_ignore_ascii_case(&token.word)))
            })
        })
}

/// Whether a word leads on to something else that is to be done, before or after: “…, then …”, “before you …”.
fn leads_on(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    let goes_on = at + 2 < tokens.len();
    match word(at) {
        "then" | "afterwards" => at > 1 && goes_on,
        "after" => at > 1 && matches!(word(at + 1), "that" | "this"),
        "before" => matches!(word(at + 1), "you" | "u" | "we" | "i"),
        _ => false,
    }
}

/// Whether a word is a choice of a slot.
pub(crate) fn is_label(target: &Target, token: &Token) -> bool {
    !token.quoted
        && target.slots.values().any(|slot| match &slot.kind {
            SlotKind::Enum(values) => values.iter().any(|(name, labels)| {
                *name == token.word || labels.iter().any(|label| label.eq_ignore_ascii_case(&token.word))
            }),
            _ => false,
        })
}

/// Whether a verb begins another request: “…, then make a quote”.
fn begins_another(reader: &Reader<'_>, clause: &Range<usize>, token: &Token, before: &[Token]) -> bool {
    let Some(last) = before.last().filter(|_| token.actions != 0) else { return false };
    let between = &reader.normal.chars[last.range.end.max(clause.start)..token.range.start];
    matches!(last.word.as_str(), "and" | "then" | "also") || between.contains(&',') || between.contains(&'.')
}

/// Where a free text goes on with another object or request: “…, and one for Huber: …”, “… and tell me …”.
fn second_object(reader: &Reader<'_>, tokens: &[Token], text: &Range<usize>) -> Option<usize> {
    let inside = |at: usize| tokens.get(at).is_some_and(|token| text.contains(&token.range.start) && !token.quoted);
    let word = |at: usize| if inside(at) { tokens[at].word.as_str() } else { "" };
    let is_preposition = |word: &str| matches!(word, "for" | "on" | "to" | "in" | "at" | "with" | "from");
    (1..tokens.len()).filter(|at| inside(*at) && inside(*at - 1)).find_map(|at| {
        let before = &tokens[at - 1];
        let gap = &reader.normal.chars[before.range.end..tokens[at].range.start];
        let is_seam = matches!(before.word.as_str(), "and" | "then" | "also" | "plus") || gap.contains(&'.');
        let another = word(at) == "another" && word(at + 1) == "one"
            || (word(at) == "one" && is_preposition(word(at + 1)))
            || (matches!(word(at), "a" | "the") && matches!(word(at + 2), "one" | "ones"));
        let order =
            matches!(word(at), "tell" | "show" | "let" | "give" | "remind") && matches!(word(at + 1), "me" | "us");
        let then = gap.contains(&'.') && matches!(word(at), "then" | "also");
        (is_seam && (another || order || then)).then(|| tokens[at].range.start)
    })
}

/// Where the value of another slot begins in a free text: “…, topics login and security”, “… (personal)”.
fn another_value(reader: &Reader<'_>, target: &Target, usage: &Usage<'_>, text: &Capture) -> Option<usize> {
    let chars = &reader.normal.chars[text.range.clone()];
    let is_open = |slot: &str| usage.captures.iter().all(|capture| capture.slot != slot);
    let words_at =
        |at: usize| -> String { chars[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect() };
    let is_alone = text.range.start > 0 && !matches!(reader.normal.chars[text.range.start - 1], '"' | '“' | '\'');
    (1..chars.len())
        .filter(|_| is_alone)
        .find(|at| {
            if chars[*at - 1] == '(' {
                let word = words_at(*at);
                let ends = chars.get(*at + word.chars().count()).is_none_or(|c| *c == ')');
                return ends
                    && target.slots.iter().any(|(name, slot)| {
                        is_open(name)
                            && matches!(&slot.kind, SlotKind::Enum(values) if values.iter().any(|(one, labels)| {
                                *one == word || labels.iter().any(|label| label.eq_ignore_ascii_case(&word))
                            }))
                    });
            }
            let behind_comma = *at >= 2 && chars[*at - 1] == ' ' && chars[*at - 2] == ',';
            behind_comma && {
                let word = words_at(*at);
                target.slots.iter().any(|(name, slot)| *name == word && !slot.required && is_open(name))
            }
        })
        .map(|at| text.range.start + at)
}

/// What a name has in it that belongs to another slot, or to another request: “Noor and Piotr as servers”, “starter motors
/// and 9 alternators”, “Tiny Toes, instructor”.
fn foreign(
    reader: &Reader<'_>,
    target: &Target,
    usage: &Usage<'_>,
    capture: &Capture,
    tokens: &[Token],
) -> Option<Range<usize>> {
    let spec = target.slots.get(&capture.slot)?;
    let is_short = spec.is_named() || capture.slot.split('_').any(|part| PERSON_SLOTS.contains(&part));
    let chars = &reader.normal.chars;
    let quoted = capture.range.start > 0 && matches!(chars[capture.range.start - 1], '"' | '“' | '\'');
    if !is_short || quoted || (usage.whole && !spec.is_named()) {
        return None;
    }
    let inside: Vec<&Token> = tokens.iter().filter(|token| capture.range.contains(&token.range.start)).collect();
    let is_open = |slot: &str| usage.captures.iter().all(|other| other.slot != slot);
    let counts = target.slots.values().any(|slot| slot.kind.is_number());
    for pair in inside.windows(2) {
        let [before, token] = pair else { continue };
        let gap = &chars[before.range.end..token.range.start];
        let is_another = is_number(&token.word) && counts && (before.word == "and" || gap.contains(&','));
        let labels = |slot: &SlotKind| {
            matches!(slot, SlotKind::Enum(values) if values.iter().any(|(one, labels)| {
                *one == token.word || inflected(one, &token.word) || labels.iter().any(|label| label.eq_ignore_ascii_case(&token.word))
            }))
        };
        let is_lower = !is_capitalised(reader, token);
        let other = |(name, slot): (&String, &SlotSpec)| {
            let noun = slot.entity.as_deref().unwrap_or(name);
            is_open(name) && is_lower && (labels(&slot.kind) || (noun == token.word && before.word != "the"))
        };
        let said_twice = gap.contains(&',')
            && is_lower
            && target
                .slots
                .iter()
                .any(|(name, slot)| *name != capture.slot && slot.entity.as_deref().unwrap_or(name) == token.word);
        if is_another || said_twice || target.slots.iter().filter(|(name, _)| **name != capture.slot).any(other) {
            return Some(token.range.start..capture.range.end);
        }
    }
    None
}

/// Whether a word limits or spreads what is asked for. Some do only before a number: “about 5”, but “a task about Bob”.
fn is_limit(token: &Token, next: Option<&Token>) -> bool {
    let word = token.word.as_str();
    if token.quoted || !LIMITS.contains(&word) {
        return false;
    }
    let approximates =
        matches!(word, "about" | "around" | "nearly" | "almost" | "roughly" | "approximately" | "between");
    !approximates || next.is_some_and(|next| is_number(&next.word))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(word)
}

/// Whether a word that a reading does not use could change what is done: a number, a name, a quotation.
fn is_weighty(reader: &Reader<'_>, token: &Token, first: bool) -> bool {
    let capital = is_capitalised(reader, token) && !first;
    token.quoted || is_number(&token.word) || capital || (token.word.len() > 2 && !is_word(&token.word))
}

/// The question mark at the end of a clause. It belongs to a free text that a phrase introduces: `create task: ask Bob?`.
fn question_mark(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    usage: &Usage<'_>,
    target: &Target,
) -> Option<Range<usize>> {
    let chars = &reader.normal.chars[clause.clone()];
    let at = chars.iter().rposition(|c| !c.is_whitespace())?;
    // The mark may stand right behind the clause, if it was split there.
    if chars[at] != '?' {
        return None;
    }
    let at = clause.start + at;
    let belongs = usage.captures.iter().any(|capture| {
        let is_text = target.slots.get(&capture.slot).is_some_and(|spec| spec.kind.is_text());
        let text = &reader.normal.chars[capture.range.clone()];
        let is_long = text.split(|c| c.is_whitespace()).filter(|word| !word.is_empty()).count() > 2;
        is_text && capture.range.end + 1 >= at && (is_long || usage.phrase.contains(&format!(": {{{}}}", capture.slot)))
    });
    (!belongs).then(|| at..at + 1)
}

/// The words that a target is asked for with.
#[derive(Debug)]
pub(crate) struct Known {
    words: Vec<String>,
    actions: u64,
}

impl Known {
    pub(crate) fn new(target: &Target) -> Self {
        let texts =
            target.phrases.iter().chain(&target.nouns).chain(&target.synonyms).chain([&target.name, &target.title]);
        let texts = texts.map(|text| crate::phrase::vocabulary::plain_text(text));
        let mut words: Vec<String> = texts.flat_map(|text| words(&text.replace('_', " "))).collect();
        words.retain(|word| !is_function_word(word));
        let kinds = target.slots.values().filter_map(|slot| slot.entity.as_deref());
        words.extend(kinds.flat_map(|kind| kind.split('_').map(str::to_owned).collect::<Vec<_>>()));
        words.extend(target.slots.keys().flat_map(|name| name.split('_').map(str::to_owned).collect::<Vec<_>>()));
        let actions = words.iter().map(|word| actions_of(word)).fold(0, |all, one| all | one);
        Self { words, actions }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word || inflected(known, word))
    }

    /// Whether a word names an action of the target.
    pub(crate) fn asks(&self, token: &Token) -> bool {
        token.actions & self.actions != 0
    }

    pub(crate) fn explains(&self, token: &Token) -> bool {
        let said = token.word.as_str();
        !token.quoted
            && (token.actions & self.actions != 0
                || self.words.iter().any(|word| word == said || inflected(word, said)))
    }
}
