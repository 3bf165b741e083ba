//! Things: people, work, papers, money, goods and places (“account” to “guest”).

use super::{Group, thing};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 38] = [
    thing(
        "account",
        &["account", "bank account", "client account", "customer account", "trade account", "user account"],
        &["customer", "login", "profile"],
    ),
    thing(
        "address",
        &[
            "address", "delivery address", "home address", "mailing address", "place of residence", "po box",
            "postal address", "postcode", "street address", "where they live", "zip code",
        ],
        &["location", "place", "site", "street"],
    ),
    thing(
        "agent",
        &[
            "agent", "handler", "help desk agent", "operator", "rep", "representative", "service rep", "support agent",
            "support rep",
        ],
        &["advisor", "assignee", "owner", "staff"],
    ),
    thing(
        "appointment",
        &["appointment", "appt", "booking", "consult", "consultation", "engagement", "slot", "time slot"],
        &["meeting", "session", "time", "visit"],
    ),
    thing(
        "approval",
        &[
            "approval", "authorization", "blessing", "consent", "go ahead", "green light", "permission", "sign off",
            "the nod", "thumbs up",
        ],
        &["acceptance", "clearance", "ok", "yes"],
    ),
    thing(
        "article",
        &[
            "article", "faq", "help article", "how to", "how to guide", "knowledge base article", "manual",
            "procedure", "user guide", "wiki page",
        ],
        &["guide", "page", "post"],
    ),
    thing(
        "asset",
        &[
            "asset", "company property", "equipment", "gear", "hardware", "machine", "machinery", "piece of equipment",
            "plant",
        ],
        &["device", "item", "tool", "unit"],
    ),
    thing(
        "balance",
        &[
            "account balance", "amount due", "amount owed", "amount owing", "balance", "balance due",
            "outstanding amount", "outstanding balance", "remaining amount", "what they owe",
        ],
        &["debt", "outstanding", "remainder"],
    ),
    thing(
        "booking",
        &["booked slot", "booking", "hire booking", "reservation", "room booking", "table booking"],
        &["appointment", "slot", "spot", "stay"],
    ),
    thing(
        "calendar",
        &["agenda", "calendar", "date book", "daybook", "diary", "planner"],
        &["dates", "schedule", "timetable"],
    ),
    thing(
        "call",
        &[
            "call", "call back", "call log", "callback", "phone call", "phone conversation", "ring", "telephone call",
            "tinkle",
        ],
        &["bell", "buzz", "chat", "conversation", "dial"],
    ),
    thing(
        "checklist",
        &[
            "checklist", "list of steps", "list of things to check", "punch list", "run sheet", "snag list",
            "task list", "tick list", "to do list",
        ],
        &["form", "items", "list", "steps"],
    ),
    thing(
        "chore",
        &["bits and bobs", "chore", "errand", "honey do", "household job", "housework", "odd job"],
        &["duty", "task", "to do"],
    ),
    thing(
        "colleague",
        &[
            "associate", "co worker", "colleague", "coworker", "fellow worker", "offsider", "team mate", "teammate",
            "workmate",
        ],
        &["buddy", "mate", "partner", "peer"],
    ),
    thing(
        "complaint",
        &["bad feedback", "beef", "complaint", "criticism", "grievance", "gripe", "moan", "unhappy customer", "whinge"],
        &["concern", "dispute", "issue", "problem"],
    ),
    thing(
        "contact",
        &["address book entry", "business card", "contact", "contact person", "person to speak to", "point of contact"],
        &["caller", "people", "person", "someone"],
    ),
    thing(
        "contract",
        &[
            "agreement", "contract", "letter of engagement", "service agreement", "signed agreement",
            "terms and conditions",
        ],
        &["deal", "document", "lease", "terms"],
    ),
    thing(
        "contractor",
        &[
            "chippy", "contractor", "electrician", "freelancer", "plumber", "sparky", "sub", "subbie", "subcontractor",
            "tradesman", "tradesperson", "tradie",
        ],
        &["provider", "technician", "temp", "worker"],
    ),
    thing(
        "course",
        &[
            "class", "course", "module", "program of study", "short course", "subject", "training", "training course",
            "workshop",
        ],
        &["lesson", "program", "session", "tutorial"],
    ),
    thing(
        "credit note",
        &["account credit", "credit memo", "credit note", "credit on account", "store credit"],
        &["adjustment", "credit", "voucher"],
    ),
    thing(
        "customer",
        &[
            "account holder", "buyer", "client", "consumer", "customer", "patron", "punter", "purchaser", "regular",
            "shopper",
        ],
        &["account", "guest", "user"],
    ),
    thing(
        "date",
        &["cut off", "date", "day of the week", "deadline", "due date", "end date", "start date", "target date"],
        &["day", "time", "when"],
    ),
    thing(
        "deadline",
        &["cut off", "cutoff", "deadline", "drop dead date", "due date", "target date", "time limit", "when its due"],
        &["date", "end date", "target"],
    ),
    thing(
        "defect",
        &[
            "blemish", "breakage", "crack", "damage", "defect", "dent", "fault", "flaw", "imperfection", "leak",
            "scratch", "something broken",
        ],
        &["bug", "issue", "mark", "problem", "snag"],
    ),
    thing(
        "delivery",
        &["consignment", "delivery", "delivery run", "delivery slot", "drop", "drop off"],
        &["load", "parcel", "run", "shipment"],
    ),
    thing(
        "deposit",
        &[
            "bond", "deposit", "down payment", "holding deposit", "money up front", "security deposit",
            "upfront payment",
        ],
        &["advance", "hold", "retainer"],
    ),
    thing(
        "detail",
        &[
            "contact details", "data", "deets", "detail", "fine print", "info", "information", "ins and outs",
            "nitty gritty", "particulars", "specifics",
        ],
        &["facts", "fields", "stuff"],
    ),
    thing(
        "device",
        &[
            "computer", "desktop", "device", "laptop", "modem", "monitor", "pc", "phone handset", "printer", "router",
            "tablet", "workstation",
        ],
        &["hardware", "machine", "phone", "unit"],
    ),
    thing(
        "discount",
        &[
            "coupon", "discount", "markdown", "mates rates", "money off", "percentage off", "price cut", "promo code",
            "rebate", "special offer", "voucher",
        ],
        &["deal", "offer", "reduction", "special"],
    ),
    thing(
        "document",
        &["attachment", "doc", "document", "file", "form", "paperwork", "pdf", "spreadsheet", "word document"],
        &["contract", "paper", "record"],
    ),
    thing(
        "email",
        &["e mail", "email", "email message", "email thread", "inbox message", "mail message"],
        &["mail", "message", "thread"],
    ),
    thing(
        "email address",
        &["contact email", "e mail address", "email address", "inbox address", "mailbox"],
        &["address", "inbox"],
    ),
    thing(
        "employee",
        &[
            "apprentice", "casual", "employee", "hire", "new hire", "new starter", "staff", "staff member",
            "team member", "temp", "trainee", "worker",
        ],
        &["crew", "hand", "help", "person"],
    ),
    thing(
        "event",
        &[
            "bash", "conference", "event", "function", "fundraiser", "gala", "occasion", "open day", "party",
            "seminar", "shindig", "wedding",
        ],
        &["gathering", "gig", "launch", "show"],
    ),
    thing(
        "expense",
        &[
            "business expense", "expenditure", "expense", "out of pocket", "outgoing", "outlay", "overhead",
            "petty cash", "spending",
        ],
        &["cost", "purchase", "receipt", "spend"],
    ),
    thing(
        "fee",
        &["admin fee", "call out fee", "fee", "late fee", "levy", "penalty", "service charge", "surcharge"],
        &["charge", "cost", "price", "rate"],
    ),
    thing(
        "feedback",
        &[
            "comments", "customer review", "feedback", "opinion", "review", "star rating", "suggestions",
            "survey response", "testimonial",
        ],
        &["comment", "rating", "response", "thoughts"],
    ),
    thing(
        "guest",
        &[
            "attendee", "diner", "guest", "holidaymaker", "houseguest", "invitee", "lodger", "plus one", "visitor",
            "walk in",
        ],
        &["customer", "occupant", "party"],
    ),
];
