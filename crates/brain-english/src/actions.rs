//! Verbs for actions, and the phrases generated from actions and nouns.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The kind of an action: what people are asked first if too many tools match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Reads.
    View,
    /// Creates.
    Create,
    /// Changes.
    Modify,
    /// Deletes.
    Remove,
    /// Computes or reports.
    Analyze,
    /// Advances a piece of work.
    Workflow,
}

impl Tier {
    /// All of them, in the order in which a question names them.
    pub const ALL: [Self; 6] = [Self::View, Self::Create, Self::Modify, Self::Remove, Self::Analyze, Self::Workflow];

    /// Its name in data.
    pub fn id(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Remove => "remove",
            Self::Analyze => "analyze",
            Self::Workflow => "workflow",
        }
    }

    /// How a question names it.
    pub fn title(self) -> &'static str {
        match self {
            Self::View => "look something up",
            Self::Create => "create something new",
            Self::Modify => "change something that exists",
            Self::Remove => "delete something",
            Self::Analyze => "work something out",
            Self::Workflow => "move a piece of work along",
        }
    }
}

/// Actions: the verb in a tool's name, its kind, and the verbs people use for it. A verb may belong to several.
pub(crate) const ACTIONS: [(&str, Tier, &[&str]); 34] = [
    ("create", Tier::Create, &["create", "add", "new", "make", "register", "set up", "open", "start"]),
    ("add", Tier::Create, &["add", "create", "put", "insert", "include", "attach", "append"]),
    ("register", Tier::Create, &["register", "sign up", "enrol", "add"]),
    ("record", Tier::Create, &["record", "log", "capture", "enter", "note", "take down", "write down", "jot down"]),
    ("log", Tier::Create, &["log", "record", "capture", "enter"]),
    ("generate", Tier::Create, &["generate", "create", "produce", "build", "make", "draw up"]),
    ("copy", Tier::Create, &["copy", "duplicate", "clone"]),
    ("import", Tier::Create, &["import", "load", "bring in", "upload"]),
    (
        "list",
        Tier::View,
        &["list", "show", "show all", "get all", "display", "view", "enumerate", "give me", "what are"],
    ),
    ("get", Tier::View, &["get", "show", "fetch", "retrieve", "read", "open", "display", "view", "look up", "pull up"]),
    ("show", Tier::View, &["show", "display", "view", "open", "see"]),
    ("view", Tier::View, &["view", "show", "see", "look at"]),
    ("read", Tier::View, &["read", "show", "open"]),
    ("search", Tier::View, &["search", "find", "look for", "look up", "hunt for"]),
    ("find", Tier::View, &["find", "search", "look for", "look up", "locate", "where is"]),
    ("check", Tier::Analyze, &["check", "verify", "test", "inspect", "look at"]),
    ("update", Tier::Modify, &["update", "edit", "modify", "change", "set", "correct", "fix", "amend"]),
    ("set", Tier::Modify, &["set", "change", "update", "make", "mark", "move"]),
    ("change", Tier::Modify, &["change", "update", "edit", "modify", "switch"]),
    ("rename", Tier::Modify, &["rename", "call", "retitle"]),
    ("move", Tier::Modify, &["move", "transfer", "shift", "relocate"]),
    ("assign", Tier::Modify, &["assign", "give", "allocate", "hand over", "delegate"]),
    ("archive", Tier::Modify, &["archive", "put away", "shelve", "file away"]),
    ("delete", Tier::Remove, &["delete", "remove", "erase", "drop", "get rid of", "wipe", "purge", "trash"]),
    ("remove", Tier::Remove, &["remove", "delete", "take away", "take off", "drop", "get rid of"]),
    ("cancel", Tier::Remove, &["cancel", "call off", "stop", "abort", "revoke", "void"]),
    ("close", Tier::Workflow, &["close", "finish", "wrap up", "close off", "shut"]),
    ("complete", Tier::Workflow, &["complete", "finish", "mark as done", "tick off", "done with"]),
    ("submit", Tier::Workflow, &["submit", "send in", "hand in", "lodge", "turn in"]),
    ("send", Tier::Workflow, &["send", "email", "mail", "forward", "dispatch"]),
    ("approve", Tier::Workflow, &["approve", "accept", "sign off", "authorize", "ok"]),
    ("reject", Tier::Workflow, &["reject", "decline", "refuse", "turn down", "deny"]),
    ("calculate", Tier::Analyze, &["calculate", "work out", "compute", "figure out", "add up", "total"]),
    ("report", Tier::Analyze, &["report", "summarize", "sum up", "give me a report on"]),
];

/// The verbs people use for an action, the action itself first; empty for an unknown action.
pub fn ways_to_say(action: &str) -> &'static [&'static str] {
    ACTIONS.iter().find(|(name, _, _)| *name == action).map_or(&[], |(_, _, ways)| ways)
}

/// The kind of a tool, by its action.
pub fn tier_of(action: &str) -> Option<Tier> {
    ACTIONS.iter().find(|(name, _, _)| *name == action).map(|(_, tier, _)| *tier)
}

/// The first word of every verb, with one bit for each action that the word alone names. Every word of every phrase
/// and utterance is looked up here.
static WORDS: LazyLock<BTreeMap<&str, u64>> = LazyLock::new(|| {
    let mut words: BTreeMap<&str, u64> = BTreeMap::new();
    for (number, (_, _, ways)) in ACTIONS.iter().enumerate() {
        for way in *ways {
            let first = way.split(' ').next().unwrap_or_default();
            *words.entry(first).or_default() |= u64::from(first == *way) << number;
        }
    }
    words
});

/// The actions that a word names, one bit each: words with a common bit are synonyms.
pub fn actions_of(word: &str) -> u64 {
    WORDS.get(word).copied().unwrap_or_default()
}

/// Whether a word starts a verb.
pub fn is_action(word: &str) -> bool {
    WORDS.contains_key(word)
}

/// Whether a verb is destructive.
pub fn is_destructive(word: &str) -> bool {
    const WORDS: [&str; 12] = [
        "delete", "remove", "erase", "drop", "wipe", "purge", "trash", "destroy", "discard", "terminate", "cancel",
        "void",
    ];
    WORDS.contains(&word)
}

/// Phrases generated for a tool: the verbs of its action with its nouns.
pub fn generate(action: &str, object: &str, nouns: &[String]) -> Vec<String> {
    let mut things: Vec<&str> = Vec::new();
    if !object.is_empty() {
        things.push(object);
    }
    // If the object is one of the domain's nouns, the other nouns are its synonyms.
    let is_noun = |thing: &str| nouns.iter().any(|noun| noun == thing || format!("{noun}s") == thing);
    if object.is_empty() || is_noun(object) {
        things.extend(nouns.iter().map(String::as_str).filter(|noun| *noun != object));
    }
    let ways = ways_to_say(action);
    let ways = if ways.is_empty() { std::slice::from_ref(&action) } else { ways };
    let mut list = Vec::new();
    for thing in things {
        for way in ways {
            let thing = if action == "list" && !thing.ends_with('s') { format!("{thing}s") } else { thing.to_owned() };
            list.push(format!("{way} {thing}"));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_made_of_actions_and_nouns() {
        let nouns = ["lead".to_owned(), "enquiry".to_owned()];
        let made = generate("create", "", &nouns);
        assert!(made.contains(&"register lead".to_owned()) && made.contains(&"new enquiry".to_owned()), "{made:?}");
        assert!(generate("list", "tasks", &["task".to_owned()]).contains(&"show tasks".to_owned()));
        assert_eq!(generate("polish", "shoe", &[]), ["polish shoe"]);
        let made = generate("add", "photo", &["inspection".to_owned()]);
        assert!(made.iter().all(|phrase| phrase.ends_with("photo")), "{made:?}");
    }

    #[test]
    fn verbs_of_one_action_are_synonyms() {
        let same = |a: &str, b: &str| actions_of(a) & actions_of(b) != 0;
        assert!(same("delete", "remove") && !same("delete", "archive") && !same("roof", "roof"));
        assert!(is_action("look") && is_destructive("erase") && !is_destructive("archive"));
        assert_eq!(tier_of("submit"), Some(Tier::Workflow));
    }
}
