//! Values as people write them, to show a model where values stand. None of them is ever matched.

/// Given names.
pub const GIVEN_NAMES: [&str; 32] = [
    "Anna", "Bob", "Carla", "Dave", "Elena", "Frank", "Grace", "Harry", "Irene", "Jack", "Kim", "Liam", "Maria",
    "Noah", "Olga", "Peter", "Quinn", "Rosa", "Sam", "Tina", "Umar", "Vera", "Will", "Xin", "Yusuf", "Zoe", "Ahmed",
    "Mei", "Priya", "Lars", "Hana", "Diego",
];
/// Family names.
pub const FAMILY_NAMES: [&str; 32] = [
    "Adams", "Baker", "Chen", "Diaz", "Evans", "Fischer", "Garcia", "Hughes", "Ivanov", "Jones", "Khan", "Lopez",
    "Murphy", "Nguyen", "O'Brien", "Patel", "Quigley", "Rossi", "Smith", "Taylor", "Usman", "Vargas", "Weber", "Xu",
    "Young", "Zhang", "Brown", "Kowalski", "Sato", "Silva", "Wilson", "Marsh",
];
/// Last words of companies' names.
pub const COMPANY_ENDINGS: [&str; 12] = [
    "Ltd", "Group", "Services", "and Sons", "Homes", "Partners", "Co", "Industries", "Builders", "Holdings", "Trading",
    "Supplies",
];
/// Short texts: titles, notes, reasons, things.
pub const TEXTS: [&str; 48] = [
    "call back about the roof",
    "buy milk",
    "the kitchen tap is leaking",
    "blue curtains",
    "second floor bathroom",
    "broken window at the back",
    "too expensive",
    "annual report",
    "send photos",
    "fence repair",
    "waiting for the supplier",
    "customer was not at home",
    "garden shed",
    "new front door",
    "quarterly planning",
    "team lunch",
    "wrong size",
    "paint the hallway",
    "meeting notes",
    "safety check",
    "steel beams",
    "left hand side",
    "order more screws",
    "insurance claim",
    "spare keys are under the mat",
    "visit the site",
    "follow up",
    "water damage in the cellar",
    "old boiler",
    "check the invoice",
    "road trip",
    "summer party",
    "needs a ladder",
    "draft contract",
    "prefers mornings",
    "out of stock",
    "oak table",
    "install solar panels",
    "late delivery",
    "ceiling fan",
    "bring the drawings",
    "deposit paid",
    "storm damage",
    "reception area",
    "urgent",
    "pick up parts",
    "long distance",
    "website relaunch",
];
/// Numbers.
pub const NUMBERS: [&str; 10] = ["3", "12", "250", "7", "40", "1,500", "two", "ten", "100", "5"];
/// Amounts of money.
pub const AMOUNTS: [&str; 8] = ["$50", "$1,200", "250 dollars", "$99.90", "80 euros", "$3k", "15.50", "$640"];
/// Telephone numbers.
pub const PHONES: [&str; 3] = ["0412 345 678", "+61 2 5550 1234", "(02) 5550 9876"];
/// E-mail addresses.
pub const EMAILS: [&str; 3] = ["kim@example.com", "j.smith@example.org", "office@example.net"];
/// Web addresses.
pub const ADDRESSES: [&str; 3] = ["example.com", "https://example.org/page", "www.example.net"];
/// Dates.
pub const DATES: [&str; 10] = [
    "tomorrow", "Friday", "next Monday", "16 November", "2026-11-16", "today", "the 3rd of May", "in two weeks",
    "March 1st", "next week",
];
/// Times of day.
pub const TIMES: [&str; 6] = ["3pm", "9 am", "14:30", "noon", "half past eight", "10:15 am"];
/// Durations.
pub const DURATIONS: [&str; 6] = ["2 hours", "30 minutes", "three days", "a week", "90 min", "6 months"];
/// Identifiers.
pub const IDS: [&str; 2] = ["01901c24-298c-73a5-b0cc-ec313571810a", "0190f3a1-77aa-7c10-9d2e-5b1f00c4e901"];
