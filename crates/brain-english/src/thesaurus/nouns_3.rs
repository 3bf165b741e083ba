//! Things: people, work, papers, money, goods and places (“quantity” to “warranty”).

use super::{Group, thing};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 45] = [
    thing(
        "quantity",
        &["amount", "count", "headcount", "how many", "number of", "qty", "quantity", "volume"],
        &["number", "size", "total", "units"],
    ),
    thing(
        "quote",
        &[
            "ballpark", "ballpark figure", "bid", "costing", "estimate", "price estimate", "pricing", "proposal",
            "quotation", "quote", "tender", "written price",
        ],
        &["figure", "number", "offer", "price"],
    ),
    thing(
        "receipt",
        &["docket", "proof of payment", "proof of purchase", "receipt", "sales slip", "till receipt"],
        &["chit", "invoice", "slip", "voucher"],
    ),
    thing(
        "recipe",
        &["cooking instructions", "ingredient list", "ingredients", "method", "recipe"],
        &["dish", "instructions", "mix"],
    ),
    thing(
        "record",
        &["entry", "file on them", "log entry", "profile", "record", "row"],
        &["card", "history", "log"],
    ),
    thing(
        "refund",
        &["chargeback", "money back", "rebate", "refund", "reimbursement", "repayment"],
        &["compensation", "credit"],
    ),
    thing(
        "reminder",
        &["alarm", "alert", "heads up", "memory jogger", "nudge", "prompt", "reminder"],
        &["notice", "notification", "task"],
    ),
    thing(
        "rent",
        &["board", "monthly rent", "rent", "rental payment", "weekly rent"],
        &["hire", "lease", "payment"],
    ),
    thing(
        "report",
        &["breakdown", "dashboard", "overview", "report", "rundown", "statement", "stats", "summary", "write up"],
        &["document", "figures", "numbers"],
    ),
    thing(
        "request",
        &["application", "ask", "favor", "request", "request form", "requisition", "service request"],
        &["claim", "inquiry", "ticket"],
    ),
    thing(
        "return",
        &["return", "returned goods", "returned item", "returned order", "rma", "send back"],
        &["exchange", "swap"],
    ),
    thing(
        "room",
        &[
            "bedroom", "boardroom", "conference room", "function room", "guest room", "hotel room", "meeting room",
            "office space", "room", "suite",
        ],
        &["cabin", "hall", "space", "studio"],
    ),
    thing(
        "roster",
        &["roster", "rota", "shift plan", "shift schedule", "staff schedule", "who is working", "work schedule"],
        &["hours", "shifts", "timetable"],
    ),
    thing(
        "sale",
        &["deal", "revenue", "sale", "sales figures", "takings", "transaction", "turnover"],
        &["income", "order", "win"],
    ),
    thing(
        "service",
        &["haircut", "offering", "package", "service", "treatment", "tune up", "type of work"],
        &["appointment", "job", "product", "work"],
    ),
    thing(
        "shift",
        &[
            "arvo shift", "day shift", "double shift", "early shift", "graveyard shift", "late shift", "night shift",
            "rostered shift", "shift", "split shift",
        ],
        &["hours", "slot", "turn", "work"],
    ),
    thing(
        "shipment",
        &[
            "cargo", "consignment", "courier job", "freight", "package", "pallet", "parcel", "satchel", "shipment",
            "tracking number",
        ],
        &["box", "delivery", "load"],
    ),
    thing(
        "signature",
        &["autograph", "e signature", "initials", "john hancock", "signature", "signed copy"],
        &["mark", "name", "sign off"],
    ),
    thing(
        "software",
        &["app", "application", "computer system", "operating system", "program", "software", "website"],
        &["platform", "site", "system", "tool"],
    ),
    thing(
        "stage",
        &["leg", "milestone", "phase", "pipeline stage", "stage", "step"],
        &["level", "part", "point", "status"],
    ),
    thing(
        "status",
        &["current state", "progress", "state of play", "status", "where its at", "where things stand"],
        &["condition", "situation", "stage", "state"],
    ),
    thing(
        "stock",
        &[
            "consumables", "inventory", "merchandise", "raw materials", "stock", "stock level", "stock on hand",
            "supplies",
        ],
        &["goods", "items", "materials", "quantity"],
    ),
    thing(
        "student",
        &["apprentice", "class member", "kid in the class", "learner", "pupil", "student", "trainee"],
        &["attendee", "child", "kid", "participant"],
    ),
    thing(
        "subscription",
        &["membership", "monthly plan", "payment plan", "recurring payment", "standing order", "subscription"],
        &["package", "plan", "renewal", "service"],
    ),
    thing(
        "suburb",
        &["district", "locality", "neck of the woods", "neighborhood", "part of town", "suburb", "town", "village"],
        &["area", "city", "place", "region"],
    ),
    thing(
        "supplier",
        &["distributor", "manufacturer", "merchant", "provider", "stockist", "supplier", "vendor", "wholesaler"],
        &["dealer", "partner", "rep", "seller"],
    ),
    thing(
        "tab",
        &["bar tab", "open tab", "running bill", "running tab", "slate", "tab"],
        &["account", "bill"],
    ),
    thing(
        "table",
        &["booth", "cover", "dining table", "four top", "table", "table number", "two top"],
        &["bench", "party", "seat", "spot"],
    ),
    thing(
        "tag",
        &["category", "hashtag", "keyword", "label", "marker", "tag"],
        &["class", "flag", "group", "type"],
    ),
    thing(
        "task",
        &[
            "action item", "action point", "assignment", "job to do", "something to do", "stuff to do", "task",
            "thing to do", "things to do", "to do", "to do item", "todo",
        ],
        &["action", "chore", "item", "job"],
    ),
    thing(
        "tax",
        &["bas", "gst", "income tax", "payg", "sales tax", "tax", "vat"],
        &["duty", "levy", "withholding"],
    ),
    thing(
        "teacher",
        &["coach", "educator", "instructor", "lecturer", "teacher", "trainer", "tutor"],
        &["leader", "mentor", "presenter", "staff"],
    ),
    thing(
        "team",
        &[
            "crew", "department", "gang", "squad", "team", "the boys", "the girls", "the guys", "the lads",
            "work group", "workforce",
        ],
        &["everyone", "group", "people", "unit"],
    ),
    thing(
        "team chat",
        &["channel", "chat room", "group chat", "message board", "slack channel", "team chat", "thread"],
        &["chat", "conversation", "forum"],
    ),
    thing(
        "technician",
        &[
            "engineer", "field tech", "fitter", "installer", "it guy", "mechanic", "repairer", "repairman",
            "service tech", "support tech", "tech", "technician",
        ],
        &["agent", "contractor", "guy", "specialist"],
    ),
    thing(
        "template",
        &[
            "boilerplate", "canned reply", "canned response", "form letter", "standard form", "standard letter",
            "starting point", "template",
        ],
        &["format", "layout", "macro", "sample"],
    ),
    thing(
        "tenant",
        &["housemate", "leaseholder", "lessee", "lodger", "occupier", "renter", "tenant"],
        &["flatmate", "household", "occupant", "resident"],
    ),
    thing(
        "ticket",
        &[
            "case", "help desk ticket", "service request", "service ticket", "support case", "support request",
            "support ticket", "ticket", "trouble ticket",
        ],
        &["incident", "issue"],
    ),
    thing(
        "timesheet",
        &["clocked hours", "hours worked", "punch card", "time card", "time log", "time sheet", "timesheet"],
        &["hours", "time", "worksheet"],
    ),
    thing(
        "tool",
        &["bit of kit", "drill", "hand tool", "kit", "ladder", "piece of kit", "power tool", "tool", "toolbox"],
        &["device", "equipment", "gear", "instrument"],
    ),
    thing(
        "total",
        &[
            "bottom line", "full amount", "grand total", "subtotal", "sum", "sum total", "the damage", "total",
            "total amount",
        ],
        &["amount", "balance", "figure", "tally"],
    ),
    thing(
        "user",
        &["account holder", "end user", "login", "user", "user account", "username"],
        &["account", "member", "person"],
    ),
    thing(
        "vehicle",
        &[
            "car", "company car", "lorry", "motor", "pickup truck", "set of wheels", "trailer", "truck", "ute", "van",
            "vehicle", "work van",
        ],
        &["rego", "ride", "transport", "wheels"],
    ),
    thing(
        "wage",
        &[
            "hourly rate", "pay", "pay packet", "pay slip", "paycheck", "payroll", "payslip", "salary", "take home",
            "wage",
        ],
        &["earnings", "income", "money", "rate"],
    ),
    thing(
        "warranty",
        &["cover", "extended warranty", "guarantee", "service contract", "warranty", "warranty period"],
        &["insurance", "policy", "protection"],
    ),
];
