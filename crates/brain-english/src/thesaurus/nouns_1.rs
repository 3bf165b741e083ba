//! Things: people, work, papers, money, goods and places (“account” to “manager”).

use super::{Group, thing};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 57] = [
    thing(
        "account",
        &["account", "bank account", "client account", "customer account", "trade account", "user account"],
        &["customer", "login", "profile"],
    ),
    thing(
        "address",
        &[
            "address", "delivery address", "home address", "mailing address", "place of residence", "postal address",
            "postcode", "street address", "where they live", "zip code",
        ],
        &["house", "location", "place", "site", "street"],
    ),
    thing(
        "agent",
        &[
            "agent", "handler", "help desk agent", "operator", "rep", "representative", "service rep", "support agent",
            "support rep",
        ],
        &["advisor", "assignee", "broker", "owner", "staff"],
    ),
    thing(
        "appointment",
        &["appointment", "appt", "booking", "consult", "consultation", "engagement", "slot", "time slot"],
        &["date", "meeting", "session", "time", "visit"],
    ),
    thing(
        "approval",
        &[
            "approval", "authorization", "blessing", "consent", "go ahead", "green light", "permission", "the nod",
            "thumbs up",
        ],
        &["acceptance", "clearance", "ok", "yes"],
    ),
    thing(
        "article",
        &[
            "article", "faq", "help article", "how to", "how to guide", "knowledge base article", "manual",
            "procedure", "user guide", "wiki page",
        ],
        &["guide", "instructions", "page", "post"],
    ),
    thing(
        "asset",
        &[
            "asset", "company property", "equipment", "gear", "hardware", "machine", "machinery", "piece of equipment",
            "plant",
        ],
        &["device", "item", "kit", "tool", "unit"],
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
        &["dates", "timetable"],
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
        &["form", "items", "steps"],
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
        &["concern", "dispute", "feedback", "issue", "problem"],
    ),
    thing(
        "contact",
        &["address book entry", "business card", "contact", "contact person", "person to speak to", "point of contact"],
        &["caller", "people", "person", "rep", "someone"],
    ),
    thing(
        "contract",
        &[
            "agreement", "contract", "letter of engagement", "service agreement", "signed agreement",
            "terms and conditions",
        ],
        &["arrangement", "deal", "document", "lease", "terms"],
    ),
    thing(
        "contractor",
        &[
            "chippy", "contractor", "freelancer", "sparky", "sub", "subbie", "subcontractor", "tradesman",
            "tradesperson", "tradie",
        ],
        &["outside help", "provider", "technician", "temp", "worker"],
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
        &["account", "caller", "guest", "user"],
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
        &["blemish", "breakage", "crack", "damage", "defect", "dent", "fault", "flaw", "imperfection", "scratch"],
        &["bug", "hole", "problem", "snag"],
    ),
    thing(
        "delivery",
        &["consignment", "delivery", "delivery run", "delivery slot", "drop off"],
        &["parcel", "run", "shipment"],
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
            "data", "deets", "detail", "fine print", "info", "information", "ins and outs", "nitty gritty",
            "particulars", "specifics",
        ],
        &["facts", "fields", "stuff"],
    ),
    thing(
        "device",
        &["computer", "desktop", "device", "laptop", "monitor", "pc", "phone handset", "printer", "router", "tablet"],
        &["box", "hardware", "machine", "phone", "unit"],
    ),
    thing(
        "discount",
        &[
            "coupon", "discount", "markdown", "mates rates", "money off", "percentage off", "price cut", "promo code",
            "special offer", "voucher",
        ],
        &["deal", "offer", "reduction", "sale", "special"],
    ),
    thing(
        "document",
        &["attachment", "doc", "document", "file", "form", "paperwork", "pdf", "spreadsheet", "word document"],
        &["contract", "letter", "paper"],
    ),
    thing(
        "email",
        &["e mail", "email", "email message", "email thread", "inbox message", "mail message"],
        &["mail", "reply", "thread"],
    ),
    thing(
        "email address",
        &["contact email", "e mail address", "email address", "inbox address", "mailbox"],
        &["address", "inbox"],
    ),
    thing(
        "employee",
        &[
            "apprentice", "employee", "hire", "new hire", "new starter", "staff", "staff member", "team member",
            "trainee", "worker",
        ],
        &["crew", "hand", "help", "operator", "person"],
    ),
    thing(
        "event",
        &["bash", "conference", "do", "event", "function", "gala", "occasion", "party", "seminar", "shindig"],
        &["date", "gathering", "gig", "launch"],
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
        &["charge", "cost", "fine", "rate"],
    ),
    thing(
        "feedback",
        &[
            "comments", "customer review", "feedback", "opinion", "review", "star rating", "suggestions",
            "survey response", "testimonial",
        ],
        &["comment", "input", "rating", "response", "thoughts"],
    ),
    thing(
        "guest",
        &[
            "attendee", "diner", "guest", "holidaymaker", "houseguest", "invitee", "lodger", "plus one", "visitor",
            "walk in",
        ],
        &["customer", "occupant", "party", "traveler"],
    ),
    thing(
        "history",
        &[
            "activity log", "audit trail", "backstory", "history", "log of changes", "paper trail", "past dealings",
            "previous jobs", "timeline", "track record",
        ],
        &["activity", "past", "story"],
    ),
    thing(
        "idea",
        &["brain wave", "brainwave", "concept", "feature request", "idea", "proposal", "suggestion", "thought"],
        &["option", "plan", "tip"],
    ),
    thing(
        "incident",
        &[
            "accident", "breach", "incident", "injury", "mishap", "near miss", "outage", "security incident",
            "service disruption",
        ],
        &["crash", "event", "occurrence", "problem"],
    ),
    thing(
        "inquiry",
        &[
            "contact form", "expression of interest", "information request", "inquiry", "query", "question",
            "request for information", "rfi", "web inquiry",
        ],
        &["ask", "interest", "lead", "request"],
    ),
    thing(
        "inspection",
        &[
            "assessment", "condition report", "inspection", "once over", "site check", "site inspection", "site visit",
            "survey", "walk through", "walkthrough",
        ],
        &["look", "viewing", "visit"],
    ),
    thing(
        "insurance",
        &[
            "indemnity", "insurance", "insurance claim", "insurance cover", "insurance policy", "insurer",
            "public liability",
        ],
        &["claim", "cover", "coverage", "policy"],
    ),
    thing(
        "invoice",
        &[
            "account to pay", "bill", "invoice", "payment request", "progress claim", "statement of charges",
            "tax invoice",
        ],
        &["receipt", "statement", "tab"],
    ),
    thing(
        "issue",
        &["bug", "glitch", "gremlin", "headache", "hiccup", "incident", "issue", "problem", "snag", "trouble"],
        &["case", "error", "fault", "matter", "ticket"],
    ),
    thing(
        "job",
        &[
            "bit of work", "call out", "callout", "gig", "job", "job card", "job sheet", "piece of work",
            "service call", "work order",
        ],
        &["booking", "project", "site", "task", "work"],
    ),
    thing(
        "key",
        &["access card", "door key", "fob", "key", "key fob", "keycard", "set of keys", "spare key", "swipe card"],
        &["access", "card", "lock", "pass"],
    ),
    thing(
        "landlord",
        &["landlady", "landlord", "lessor", "property owner"],
        &["host", "owner", "proprietor"],
    ),
    thing(
        "lead",
        &[
            "hot prospect", "inquiry", "lead", "opportunity", "potential client", "potential customer", "prospect",
            "prospective client", "prospective customer", "sales lead",
        ],
        &["bite", "candidate", "contact", "deal"],
    ),
    thing(
        "lease",
        &["lease", "lease agreement", "rental agreement", "rental contract", "tenancy", "tenancy agreement"],
        &["agreement", "contract", "let", "rental"],
    ),
    thing(
        "leave",
        &[
            "annual leave", "day off", "holiday", "leave", "pto", "rdo", "sick day", "sick leave", "time off",
            "vacation",
        ],
        &["absence", "break", "days"],
    ),
    thing(
        "lesson",
        &[
            "class", "lecture", "lesson", "private lesson", "session", "training session", "tutorial",
            "tutoring session",
        ],
        &["course", "period", "practice"],
    ),
    thing(
        "license",
        &[
            "accreditation", "certificate", "license", "permit", "registration", "rego", "ticket to operate",
            "white card",
        ],
        &["certification", "license number", "pass", "ticket"],
    ),
    thing(
        "list",
        &["checklist", "index", "line up", "list", "roll", "roundup", "rundown"],
        &["collection", "table"],
    ),
    thing(
        "location",
        &["branch", "depot", "job site", "location", "premises", "site", "spot", "whereabouts"],
        &["address", "area", "place", "position", "store"],
    ),
    thing(
        "manager",
        &[
            "boss", "foreman", "gaffer", "head of department", "higher ups", "line manager", "manager", "supervisor",
            "team leader",
        ],
        &["chief", "director", "lead", "owner", "senior"],
    ),
];
