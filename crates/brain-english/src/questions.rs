//! How people ask about records: the wording of questions, plurals, and the verbs for states.
//!
//! In a template, `<one>` and `<many>` stand for the noun of a record type, and other words in angle brackets for the
//! name of a field, a verb, or an input. Braces are slots of the phrase itself.

/// Lists all records of a type.
pub const LIST: [&str; 8] = [
    "list <many>",
    "show <many>",
    "list all <many>",
    "show all <many>",
    "show me the <many>",
    "which <many> are there",
    "what <many> are there",
    "which <many> do we have",
];

/// Counts all records of a type.
pub const COUNT: [&str; 6] = [
    "how many <many> are there",
    "how many <many> do we have",
    "how many <many>",
    "count <many>",
    "count the <many>",
    "number of <many>",
];

/// Lists by a word that describes a record: a state, a value of a field.
pub const LIST_THAT_ARE: [&str; 3] = ["list {<slot>} <many>", "which <many> are {<slot>}", "show {<slot>} <many>"];

/// Counts by a word that describes a record.
pub const COUNT_THAT_ARE: [&str; 4] = [
    "how many {<slot>} <many> are there",
    "how many <many> are {<slot>}",
    "how many {<slot>} <many>",
    "count {<slot>} <many>",
];

/// Lists what became of records in a period.
pub const LIST_THAT_BECAME: [&str; 2] =
    ["which <many> were {<slot>} {changed_in}", "list <many> {<slot>} {changed_in}"];

/// Counts what became of records in a period.
pub const COUNT_THAT_BECAME: [&str; 2] =
    ["how many <many> were {<slot>} {changed_in}", "how many {<slot>} <many> {changed_in}"];

/// Lists what somebody did with records; the state is part of the question.
pub const LIST_THAT_WE: [&str; 2] = ["which <many> did we <verb>", "which <many> did we <verb> {changed_in}"];

/// Counts what somebody did with records.
pub const COUNT_THAT_WE: [&str; 2] = ["how many <many> did we <verb>", "how many <many> did we <verb> {changed_in}"];

/// Lists by the time of creation.
pub const LIST_CREATED: [&str; 3] =
    ["list <many> created {created_in}", "which <many> are new {created_in}", "list <many> since {created_since}"];

/// Counts by the time of creation.
pub const COUNT_CREATED: [&str; 3] = [
    "how many <many> were created {created_in}",
    "how many new <many> {created_in}",
    "how many <many> since {created_since}",
];

/// Lists by the name of a record that is referred to.
pub const LIST_OF: [&str; 3] =
    ["list <many> of {<slot>}", "show <many> of {<slot>}", "which <many> does {<slot>} have"];

/// Counts by the name of a record that is referred to.
pub const COUNT_OF: [&str; 2] = ["how many <many> does {<slot>} have", "how many <many> of {<slot>}"];

/// Lists by a place.
pub const LIST_IN: [&str; 2] = ["list <many> in {<slot>}", "which <many> are in {<slot>}"];

/// Counts by a place.
pub const COUNT_IN: [&str; 1] = ["how many <many> are in {<slot>}"];

/// Lists by the exact value of a field.
pub const LIST_WITH: [&str; 1] = ["list <many> with <field> {<slot>}"];

/// Lists by a date; `<when>` is what happens at that date: `due`.
pub const LIST_DATED: [&str; 3] =
    ["which <many> are <when> {<during>}", "list <many> <when> {<during>}", "list <many> <when> before {<before>}"];

/// Counts by a date.
pub const COUNT_DATED: [&str; 1] = ["how many <many> are <when> {<during>}"];

/// Lists by an amount.
pub const LIST_AMOUNTS: [&str; 3] =
    ["list <many> over {<over>}", "list <many> under {<under>}", "list <many> with <field> over {<over>}"];

/// Counts by an amount.
pub const COUNT_AMOUNTS: [&str; 1] = ["how many <many> are over {<over>}"];

/// The records with the largest value.
pub const HIGHEST: [&str; 2] = ["which <one> has the highest {of}", "highest {of} of the <many>"];

/// The records with the smallest value.
pub const LOWEST: [&str; 2] = ["which <one> has the lowest {of}", "lowest {of} of the <many>"];

/// [`HIGHEST`], if the records are people.
pub const WHO_HIGHEST: [&str; 1] = ["who has the highest {of}"];

/// [`LOWEST`], if the records are people.
pub const WHO_LOWEST: [&str; 1] = ["who has the lowest {of}"];

/// Adds up a field.
pub const SUM: [&str; 3] =
    ["total {of} of the <many>", "sum of the {of} of the <many>", "what is the total {of} of the <many>"];

/// Adds up the only amount of a record type, or the one that says what a record is worth.
pub const SUM_ALL: [&str; 2] = ["total of the <many>", "what are the <many> worth"];

/// The average of a field.
pub const AVERAGE: [&str; 2] = ["average {of} of the <many>", "what is the average {of} of the <many>"];

/// One record.
pub const SHOW: [&str; 2] = ["show <one> {id}", "show me <one> {id}"];

/// One field of one record.
pub const FIELD_OF: [&str; 2] = ["what is the {field} of <one> {id}", "show the {field} of <one> {id}"];

/// [`FIELD_OF`], for one field.
pub const THIS_FIELD_OF: [&str; 1] = ["what is the <field> of <one> {id}"];

/// Whether one record is in a state.
pub const IS_IT: [&str; 1] = ["is <one> {id} {state}"];

/// [`IS_IT`], for one state.
pub const IS_IT_THAT: [&str; 1] = ["is <one> {id} <state>"];

/// Names of fields that say what a record is worth, likelier ones first.
pub const WORTH: [&str; 6] = ["total", "amount", "value", "price", "balance", "cost"];

/// Periods relative to now: a token, and what people say.
pub const PERIODS: [(&str, &[&str]); 16] = [
    ("today", &["today"]),
    ("yesterday", &["yesterday"]),
    ("tomorrow", &["tomorrow"]),
    ("this_week", &["this week"]),
    ("last_week", &["last week", "the last week"]),
    ("next_week", &["next week"]),
    ("this_month", &["this month"]),
    ("last_month", &["last month"]),
    ("next_month", &["next month"]),
    ("this_quarter", &["this quarter"]),
    ("last_quarter", &["last quarter"]),
    ("this_year", &["this year"]),
    ("last_year", &["last year"]),
    ("next_year", &["next year"]),
    ("last_7_days", &["in the last 7 days", "the past week", "in the last seven days"]),
    ("last_30_days", &["in the last 30 days", "the past month", "in the last thirty days"]),
];

/// Other words for states.
pub const STATES: [(&str, &[&str]); 6] = [
    ("cancelled", &["canceled", "called off"]),
    ("done", &["finished", "completed"]),
    ("in_progress", &["under way", "ongoing"]),
    ("open", &["outstanding", "unfinished"]),
    ("paid", &["settled"]),
    ("unpaid", &["outstanding"]),
];

/// Nouns for people: `who has …` asks for one of them.
pub const PEOPLE: [&str; 24] = [
    "agent", "applicant", "artist", "author", "candidate", "client", "colleague", "contact", "customer", "driver",
    "employee", "guest", "lead", "member", "owner", "patient", "person", "player", "regular", "student", "teacher",
    "tenant", "user", "volunteer",
];

/// Names of fields that hold a place: `leads in Ryde`.
pub const PLACES: [&str; 16] = [
    "area", "branch", "building", "city", "country", "county", "department", "district", "location", "place", "region",
    "room", "site", "street", "suburb", "town",
];

/// Verbs whose past participle is irregular, with the participle that names a state.
const IRREGULAR: [(&str, &str); 25] = [
    ("bought", "buy"),
    ("broken", "break"),
    ("built", "build"),
    ("cancelled", "cancel"),
    ("done", "do"),
    ("drawn", "draw"),
    ("eaten", "eat"),
    ("found", "find"),
    ("given", "give"),
    ("held", "hold"),
    ("left", "leave"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("met", "meet"),
    ("paid", "pay"),
    ("sent", "send"),
    ("shown", "show"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("taken", "take"),
    ("thrown", "throw"),
    ("withdrawn", "withdraw"),
    ("won", "win"),
    ("written", "write"),
];

/// Regular verbs that end in `e`: their participle adds only a `d`.
const ENDS_IN_E: [&str; 36] = [
    "acknowledge", "approve", "archive", "capture", "change", "close", "complete", "create", "decline", "delete",
    "escalate", "exchange", "expire", "fire", "hire", "issue", "invoice", "merge", "pause", "place", "prepare",
    "produce", "quote", "receive", "release", "remove", "reserve", "resolve", "retire", "schedule", "serve", "settle",
    "solve", "store", "terminate", "validate",
];

/// The verb whose past participle names a state: `lost` is what one did who loses. `None` if the word is no participle.
pub fn verb_of(state: &str) -> Option<String> {
    if let Some((_, verb)) = IRREGULAR.iter().find(|(past, _)| *past == state) {
        return Some((*verb).to_owned());
    }
    if let Some(verb) = ENDS_IN_E.iter().find(|verb| state.strip_suffix('d') == Some(verb)) {
        return Some((*verb).to_owned());
    }
    let stem = state.strip_suffix("ed").filter(|stem| stem.len() >= 3 && stem.is_ascii())?;
    if let Some(start) = stem.strip_suffix('i') {
        return Some(format!("{start}y"));
    }
    let mut letters = stem.bytes().rev();
    let doubled = letters.next() == letters.next() && !stem.ends_with(['l', 's', 'z']);
    Some(if doubled { stem[..stem.len() - 1].to_owned() } else { stem.to_owned() })
}

/// The plural of a noun, of which the last word changes.
pub fn plural(noun: &str) -> String {
    const IRREGULAR: [(&str, &str); 6] = [
        ("person", "people"),
        ("child", "children"),
        ("man", "men"),
        ("woman", "women"),
        ("staff", "staff"),
        ("series", "series"),
    ];
    let (front, last) = noun.rfind(' ').map_or(("", noun), |at| noun.split_at(at + 1));
    if let Some((_, many)) = IRREGULAR.iter().find(|(one, _)| *one == last) {
        return format!("{front}{many}");
    }
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| last.ends_with(ending));
    if last.ends_with('y') && !ends_in(&["ay", "ey", "oy", "uy"]) {
        return format!("{front}{}ies", &last[..last.len() - 1]);
    }
    let ending = if ends_in(&["s", "x", "z", "ch", "sh"]) { "es" } else { "s" };
    format!("{front}{last}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_have_plurals() {
        for (one, many) in [
            ("lead", "leads"),
            ("inquiry", "inquiries"),
            ("site visit", "site visits"),
            ("box", "boxes"),
            ("person", "people"),
            ("key", "keys"),
            ("batch", "batches"),
        ] {
            assert_eq!(plural(one), many);
        }
    }

    #[test]
    fn participles_have_verbs() {
        for (state, verb) in [
            ("lost", "lose"),
            ("won", "win"),
            ("closed", "close"),
            ("finished", "finish"),
            ("cancelled", "cancel"),
            ("planned", "plan"),
            ("approved", "approve"),
            ("archived", "archive"),
            ("quoted", "quote"),
            ("fired", "fire"),
            ("rejected", "reject"),
            ("applied", "apply"),
            ("called", "call"),
            ("contacted", "contact"),
        ] {
            assert_eq!(verb_of(state).as_deref(), Some(verb), "{state}");
        }
        assert_eq!(verb_of("open"), None);
        assert_eq!(verb_of("red"), None);
    }
}
