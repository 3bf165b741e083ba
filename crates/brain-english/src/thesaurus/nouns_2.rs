//! Things: people, work, papers, money, goods and places (“history” to “property”).

use super::{Group, thing};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 38] = [
    thing(
        "history",
        &[
            "activity log", "audit trail", "backstory", "history", "log of changes", "paper trail", "past dealings",
            "previous jobs", "timeline", "track record",
        ],
        &["activity", "log", "past"],
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
        &["event", "occurrence", "problem"],
    ),
    thing(
        "inquiry",
        &[
            "contact form", "expression of interest", "information request", "inquiry", "query", "question",
            "request for information", "rfi", "web inquiry",
        ],
        &["ask", "lead", "request"],
    ),
    thing(
        "inspection",
        &[
            "assessment", "audit", "condition report", "inspection", "once over", "safety check", "site check",
            "site inspection", "site visit", "survey", "walk through", "walkthrough",
        ],
        &["review", "viewing", "visit"],
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
        &["statement", "tab"],
    ),
    thing(
        "issue",
        &[
            "bug", "drama", "glitch", "gremlin", "hassle", "headache", "hiccup", "incident", "issue", "problem",
            "snag", "trouble",
        ],
        &["case", "fault", "matter", "ticket"],
    ),
    thing(
        "job",
        &[
            "bit of work", "call out", "callout", "gig", "job", "job card", "job sheet", "piece of work",
            "service call", "the work", "work order",
        ],
        &["project", "site", "task", "work"],
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
            "hot prospect", "inquiry", "lead", "new business", "opportunity", "potential client", "potential customer",
            "prospect", "prospective client", "prospective customer", "sales lead", "someone interested",
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
            "annual leave", "day off", "holiday", "leave", "personal leave", "pto", "rdo", "sick day", "sick leave",
            "sickie", "time off", "vacation",
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
        &["checklist", "index", "line up", "list", "register", "roll", "roundup", "rundown"],
        &["collection", "log", "table"],
    ),
    thing(
        "location",
        &["branch", "depot", "job site", "location", "premises", "site", "spot", "whereabouts"],
        &["address", "area", "place", "position"],
    ),
    thing(
        "manager",
        &[
            "boss", "foreman", "gaffer", "head of department", "higher ups", "line manager", "manager", "supervisor",
            "team leader",
        ],
        &["chief", "director", "lead", "owner"],
    ),
    thing(
        "measurement",
        &[
            "depth", "diameter", "dimension", "height", "length", "measure", "measurement", "reading",
            "square footage", "square meters", "thickness", "width",
        ],
        &["area", "distance", "size", "weight"],
    ),
    thing(
        "meeting",
        &[
            "catch up", "conference call", "face to face", "get together", "huddle", "meeting", "one on one",
            "sit down", "stand up", "standup", "video call", "zoom",
        ],
        &["appointment", "conference", "session"],
    ),
    thing(
        "member",
        &["cardholder", "club member", "gym member", "life member", "member", "membership", "subscriber"],
        &["customer", "participant", "regular", "user"],
    ),
    thing(
        "menu item",
        &[
            "course", "dessert", "dish", "entree", "main course", "meal", "menu item", "plate of food", "side dish",
            "special",
        ],
        &["drink", "food", "plate"],
    ),
    thing(
        "message",
        &[
            "chat message", "direct message", "dm", "message", "private message", "sms", "text", "text message",
            "voice message", "voicemail", "whatsapp message",
        ],
        &["note", "reply", "word"],
    ),
    thing(
        "note",
        &[
            "annotation", "comment", "file note", "jotting", "memo", "note", "post it", "remark", "scribble",
            "side note", "sticky note",
        ],
        &["detail", "entry", "minute"],
    ),
    thing(
        "order",
        &["customer order", "order", "order number", "po", "purchase order", "sales order", "takeaway order"],
        &["cart", "purchase", "request"],
    ),
    thing(
        "part",
        &["bits and pieces", "component", "fitting", "part", "replacement part", "spare", "spare part"],
        &["bit", "item", "piece"],
    ),
    thing(
        "password",
        &[
            "access code", "credentials", "log in details", "login", "login details", "passcode", "passphrase",
            "password", "pin number",
        ],
        &["code", "pin", "sign in"],
    ),
    thing(
        "patient",
        &["case history", "inpatient", "outpatient", "patient"],
        &["case", "client", "person", "resident"],
    ),
    thing(
        "payment",
        &[
            "bank transfer", "card payment", "cash payment", "direct debit", "eft payment", "installment",
            "money coming in", "pay run", "payment", "payout", "remittance",
        ],
        &["deposit", "money", "transaction", "transfer"],
    ),
    thing(
        "pet",
        &[
            "animal", "cat", "critter", "dog", "doggo", "four legged friend", "fur baby", "kitten", "moggy", "pet",
            "pooch", "puppy",
        ],
        &["bird", "horse", "patient", "rabbit"],
    ),
    thing(
        "phone number",
        &[
            "best number", "cell", "cell number", "contact number", "digits", "landline", "mobile", "mobile number",
            "phone no", "phone number", "telephone number",
        ],
        &["number", "phone"],
    ),
    thing(
        "photo",
        &[
            "happy snap", "image", "photo", "photograph", "pic", "picture", "screenshot", "selfie", "shot", "snap",
            "snapshot",
        ],
        &["attachment", "file", "scan"],
    ),
    thing(
        "price",
        &[
            "asking price", "cost", "going rate", "how much", "price", "price tag", "rate", "sticker price",
            "unit price",
        ],
        &["amount", "charge", "fee", "value"],
    ),
    thing(
        "priority",
        &["how important", "how urgent", "importance", "level of urgency", "priority", "severity", "urgency"],
        &["level", "rank"],
    ),
    thing(
        "product",
        &["article", "goods", "item", "line item", "merchandise", "product", "product line", "sku", "ware"],
        &["line", "model", "thing"],
    ),
    thing(
        "project",
        &["big job", "build", "campaign", "initiative", "program of work", "project", "undertaking"],
        &["job", "program", "venture", "work"],
    ),
    thing(
        "property",
        &[
            "apartment", "block of land", "flat", "home", "house", "investment property", "property", "real estate",
            "rental", "rental property", "townhouse", "unit",
        ],
        &["address", "building", "place", "premises"],
    ),
];
