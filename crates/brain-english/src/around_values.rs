//! Words around values that are not part of them.

/// Words that introduce a text, longest first.
pub const INTRODUCTIONS: [&str; 15] = [
    "saying that", "which says that", "that says that", "to say that", "stating that", "noting that", "which says",
    "that says", "to say", "which reads", "that reads", "saying", "stating", "noting", "reading",
];
/// Verbs that follow the name of somebody: “Daniel Mbeki needs unpaid leave”.
pub const VERBS_BEHIND_NAMES: [&str; 34] = [
    "out", "over", "down", "up", "round", "back", "off", "again", "instead", "today", "tomorrow", "now", "needs",
    "need", "wants", "gets", "get", "takes", "take", "has", "had", "is", "was", "gave", "gives", "works", "starts",
    "send", "sends", "asks", "asked", "would", "should", "please",
];
/// Parts of the names of slots that hold the name of somebody.
pub const PERSON_SLOTS: [&str; 26] = [
    "name", "employee", "supplier", "contractor", "applicant", "interviewer", "guest", "customer", "client", "contact",
    "person", "assignee", "owner", "member", "driver", "agent", "doctor", "teacher", "instructor", "tenant",
    "candidate", "vendor", "donor", "volunteer", "caller", "sender",
];
/// Parts of the names of slots that hold the day of something that has happened.
pub const PAST_SLOTS: [&str; 18] = [
    "paid", "given", "received", "opened", "born", "birthday", "birthdate", "sent", "happened", "since", "seen",
    "bought", "sold", "done", "taken", "counted", "found", "lost",
];
/// Words that say that something is to be done, in sentences that begin with what it is done to: “the booking should be
/// cancelled”. They say nothing of what is done.
pub const OBLIGATIONS: [&[&str]; 20] = [
    &["should", "now", "be"],
    &["should", "be"],
    &["should", "get"],
    &["must", "be"],
    &["needs", "to", "be"],
    &["need", "to", "be"],
    &["has", "to", "be"],
    &["have", "to", "be"],
    &["ought", "to", "be"],
    &["can", "now", "be"],
    &["can", "be"],
    &["is", "to", "be"],
    &["are", "to", "be"],
    &["needs", "to"],
    &["need", "to"],
    &["needs"],
    &["need"],
    &["lets"],
    &["looking", "for"],
    &["afraid"],
];
/// Nouns for a value by its type, beside the name of its slot: phones, addresses, names.
pub const PHONE_NOUNS: [&str; 10] =
    ["phone", "number", "mobile", "mobiles", "cell", "tel", "telephone", "line", "contact", "ph"];
/// The same for e-mail addresses.
pub const EMAIL_NOUNS: [&str; 4] = ["email", "mail", "address", "emails"];
/// Possessives before such a noun: “his phone is …”.
pub const POSSESSIVES: [&str; 9] = ["his", "her", "their", "its", "my", "our", "the", "whose", "your"];
