//! States of work, payments, goods, bookings and people (“left” to “wrong”).

use super::{Group, state};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 41] = [
    state(
        "left",
        &[
            "ex employee", "ex staff", "gave notice", "gone for good", "got the sack", "handed in notice", "left",
            "left the company", "let go", "moved on", "no longer with us", "no longer works here", "past employee",
            "quit", "resigned", "retired", "sacked",
        ],
        &["departed", "ex", "former", "gone", "out"],
    ),
    state(
        "lost",
        &[
            "came to nothing", "dead in the water", "dead lead", "didnt get it", "didnt go ahead", "down the drain",
            "dropped off the radar", "fallen through", "fell over", "fell through", "ghosted us", "gone cold",
            "gone elsewhere", "gone quiet", "gone with someone else", "knocked us back", "lost",
            "lost to a competitor", "no longer interested", "not going ahead", "not interested", "turned us down",
            "went cold", "went elsewhere", "went quiet", "went with someone else",
        ],
        &["cold", "dead", "declined", "failed", "missed out", "not keen", "unsuccessful"],
    ),
    state(
        "low priority",
        &[
            "at your leisure", "back burner", "bottom of the list", "bottom of the pile", "can wait",
            "in your own time", "least important", "low on the list", "low priority", "nice to have", "no biggie",
            "no hurry", "no rush", "not a biggie", "not fussed when", "not important", "not pressing", "not urgent",
            "p4", "theres no rush", "when you get a chance", "when you get a minute", "when youve got time",
            "whenever you get a chance",
        ],
        &["low", "minor", "sometime", "trivial", "whenever"],
    ),
    state(
        "low stock",
        &[
            "almost out", "down to our last", "down to the last", "getting low", "getting low on", "hardly any left",
            "last one", "low on", "low stock", "nearly out", "need topping up", "needs restocking", "not many left",
            "only a few left", "running low", "running out", "running short", "scraping the barrel", "short on",
        ],
        &["dwindling", "last few", "low", "nearly gone", "short"],
    ),
    state(
        "medium priority",
        &[
            "average priority", "fairly important", "medium priority", "middle of the road", "middling",
            "neither here nor there", "normal priority", "nothing special", "p2", "p3", "run of the mill",
            "standard priority",
        ],
        &["average", "medium", "moderate", "normal", "standard"],
    ),
    state(
        "missing",
        &[
            "cant find", "did a runner", "disappeared", "gone missing", "gone walkabout", "lost track of", "mia",
            "mislaid", "misplaced", "missing", "nowhere to be found", "pinched", "stolen", "unaccounted for",
            "vanished",
        ],
        &["absent", "gone", "lost", "nicked", "not there"],
    ),
    state(
        "new",
        &[
            "brand new", "fresh", "hot off the press", "just added", "just come in", "just in", "new", "newly added",
            "newly created", "recently added", "unread", "untouched", "unused",
        ],
        &["first time", "just arrived", "just landed", "latest", "recent"],
    ),
    state(
        "not started",
        &[
            "backlog", "hasnt started", "havent begun", "havent got to it", "havent gotten to it", "havent started",
            "havent touched", "not begun", "not looked at yet", "not started", "not yet started", "still to start",
            "to do", "untouched", "yet to start",
        ],
        &["new", "queued", "unstarted", "upcoming"],
    ),
    state(
        "on hold",
        &[
            "frozen", "held off", "in a holding pattern", "in limbo", "on hold", "on ice", "on the back burner",
            "on the backburner", "parked", "paused", "put on hold", "put on ice", "shelved", "stalled", "suspended",
        ],
        &["blocked", "delayed", "held up", "stopped", "waiting"],
    ),
    state(
        "on loan",
        &[
            "borrowed", "checked out", "hasnt been returned", "hired out", "lent out", "loaned out", "not back yet",
            "on hire", "on loan", "out on hire", "out on loan", "rented out", "signed out", "still out",
        ],
        &["in use", "out", "taken"],
    ),
    state(
        "on time",
        &[
            "according to plan", "bang on time", "going to plan", "in good time", "on schedule", "on target",
            "on the dot", "on time", "on track", "punctual", "right on time", "tracking well",
        ],
        &["in time", "on course", "prompt"],
    ),
    state(
        "open",
        &[
            "hasnt been done", "not closed", "not dealt with", "not finished", "not resolved", "not sorted",
            "not yet done", "open", "outstanding", "still going", "still on my plate", "still open", "still to do",
            "to be done", "unresolved", "yet to be done",
        ],
        &["active", "current", "left to do", "needs doing", "pending"],
    ),
    state(
        "overdue",
        &[
            "behind", "behind schedule", "blown the deadline", "delinquent", "expired", "gone over", "in arrears",
            "lapsed", "late", "long overdue", "missed the deadline", "overdue", "passed the deadline", "past due",
            "past its due date", "past the deadline", "running behind", "running over", "should have been done",
            "should have been paid", "shouldve been done", "slipped through the cracks", "was due",
            "was meant to be done", "way past", "well overdue",
        ],
        &["delayed", "dragging on", "due", "old", "outstanding", "slipped", "slow", "unpaid"],
    ),
    state(
        "paid",
        &[
            "all paid", "all square", "all squared up", "cleared", "coughed up", "fixed up", "fully paid",
            "funds received", "money is in", "paid", "paid in full", "paid off", "paid up", "payment received",
            "reimbursed", "settled", "settled up", "squared up",
        ],
        &["clear", "closed", "received", "square"],
    ),
    state(
        "partly paid",
        &[
            "balance still owing", "deposit paid", "half paid", "just the deposit", "paid a bit off", "paid half",
            "paid some of it", "paid something towards it", "paid the deposit", "part paid", "partially paid",
            "partly paid", "still some owing",
        ],
        &["deposit", "on a payment plan", "on account", "part payment"],
    ),
    state(
        "pending",
        &[
            "awaiting", "awaiting approval", "in limbo", "in the queue", "in the works", "not yet approved", "pending",
            "queued", "still to come", "tba", "tbc", "to be confirmed", "under consideration", "under review",
            "up in the air", "waiting on approval", "yet to be approved",
        ],
        &["open", "provisional", "undecided", "waiting"],
    ),
    state(
        "present",
        &[
            "accounted for", "at work", "attended", "checked in", "clocked in", "here", "in attendance",
            "in the building", "in today", "made it", "on deck", "on site", "present", "rocked up", "showed up",
            "turned up",
        ],
        &["around", "arrived", "in", "on", "there"],
    ),
    state(
        "ready",
        &[
            "all set", "all systems go", "good to go", "lined up", "locked and loaded", "prepared", "prepped",
            "raring to go", "ready", "ready for collection", "ready for pickup", "ready to go", "ready to roll",
            "ready when you are", "set to go", "teed up",
        ],
        &["available", "done", "finished", "set"],
    ),
    state(
        "recurring",
        &[
            "each week", "every fortnight", "every month", "every week", "fortnightly", "like clockwork", "monthly",
            "on repeat", "ongoing", "recurring", "regular", "repeating", "same time every week", "standing", "weekly",
        ],
        &["daily", "repeated", "routine", "usual", "yearly"],
    ),
    state(
        "refunded",
        &[
            "been refunded", "charge reversed", "credited back", "got my money back", "got their money back",
            "money back", "money returned", "refunded", "reimbursed",
        ],
        &["credited", "paid back", "returned", "reversed"],
    ),
    state(
        "rejected",
        &[
            "bounced", "declined", "denied", "didnt pass", "disallowed", "given the flick", "got knocked back",
            "got the thumbs down", "knocked back", "not approved", "refused", "rejected", "said no", "sent back",
            "shot down", "thrown out", "thumbs down", "turned down", "unapproved", "unsuccessful", "vetoed",
        ],
        &["bounced back", "failed", "no", "not accepted"],
    ),
    state(
        "reopened",
        &[
            "back again", "back on", "back on the table", "back open", "back to square one", "come back",
            "happening again", "is back", "its back", "not actually fixed", "open again", "reared its head again",
            "reared its ugly head", "recurring", "reopened", "resurfaced", "started up again",
        ],
        &["active again", "not fixed", "restored", "revived", "still broken"],
    ),
    state(
        "resolved",
        &[
            "all fixed", "all fixed up", "all sorted", "back to normal", "back up and running", "came good",
            "cleared up", "good as gold", "ironed out", "its working again", "no longer a problem",
            "no longer an issue", "problem solved", "put right", "resolved", "right as rain", "smoothed over",
            "solved", "sorted", "sorted out", "squared away", "straightened out", "working again", "working now",
        ],
        &["all good now", "fixed", "settled"],
    ),
    state(
        "returned",
        &[
            "back in", "back on the shelf", "been returned", "bounced back", "brought back", "came back",
            "checked back in", "come back", "given back", "handed back", "returned", "sent back",
        ],
        &["back", "in", "refunded", "restored"],
    ),
    state(
        "safe",
        &[
            "all clear", "in good hands", "low risk", "no danger", "out of danger", "out of the woods", "safe",
            "safe and sound", "secure", "sound", "up to code",
        ],
        &["compliant", "fine", "ok", "protected", "stable"],
    ),
    state(
        "sent",
        &[
            "been sent", "emailed off", "emailed out", "fired off", "flicked off", "gone out", "has gone",
            "in the mail", "in the post", "mailed out", "out the door", "sent", "sent off", "sent out", "went out",
        ],
        &["away", "delivered", "on its way", "shipped"],
    ),
    state(
        "shipped",
        &[
            "been shipped", "dispatched", "en route", "gone out", "in the mail", "in the post", "in transit",
            "left the warehouse", "on its way", "on the road", "on the truck", "on the way", "out for delivery",
            "out the door", "shipped", "with the courier",
        ],
        &["coming", "left", "moving", "posted", "sent"],
    ),
    state(
        "slow",
        &[
            "at a snails pace", "chugging", "crawling", "dragging", "keeps buffering", "lagging", "laggy",
            "running slow", "slow", "slow as a wet week", "slow as molasses", "sluggish", "takes ages",
            "takes forever", "taking ages", "taking forever", "taking its time",
        ],
        &["behind", "delayed", "hanging", "late", "stuck"],
    ),
    state(
        "sold out",
        &[
            "86d", "all gone", "all sold", "back ordered", "backordered", "bare shelves", "clean out of",
            "cleaned out", "eighty six", "fresh out", "gone through it all", "no more left", "no stock", "none left",
            "not in stock", "on back order", "out of stock", "ran out", "run out", "sold out", "sold the last one",
            "zero stock",
        ],
        &["empty", "gone", "unavailable"],
    ),
    state(
        "submitted",
        &[
            "been submitted", "filed", "gone in", "handed in", "in for approval", "its in", "lodged", "put in",
            "put through", "sent in", "sent off", "sent through", "submitted", "turned in",
        ],
        &["entered", "in", "presented", "sent"],
    ),
    state(
        "tentative",
        &[
            "iffy", "may or may not", "not confirmed", "not locked in", "not set in stone", "not sure yet",
            "on the fence", "penciled", "penciled in", "pencilled in", "provisional", "subject to change", "tbc",
            "tentative", "to be confirmed", "touch and go", "unconfirmed", "up in the air",
        ],
        &["maybe", "might", "possible", "rough"],
    ),
    state(
        "unassigned",
        &[
            "no one assigned", "no one looking after", "no one on it", "no ones picked up", "no owner",
            "nobody has taken", "nobody on it", "nobodys on it", "not allocated", "not assigned", "not taken",
            "orphaned", "unallocated", "unassigned", "unclaimed", "unowned", "up for grabs",
        ],
        &["free", "spare", "vacant"],
    ),
    state(
        "unavailable",
        &[
            "already booked", "booked out", "busy", "cant make it", "chock a block", "chockers", "double booked",
            "flat out", "full up", "not around", "not available", "not free", "otherwise engaged", "out of reach",
            "run off my feet", "run off their feet", "snowed under", "spoken for", "taken", "tied up", "unavailable",
        ],
        &["away", "full", "in use", "out"],
    ),
    state(
        "unhappy",
        &[
            "angry", "annoyed", "cheesed off", "cranky", "dirty about", "disappointed", "dissatisfied", "fed up",
            "filthy", "fuming", "furious", "gutted", "hacked off", "had it up to here", "isnt happy", "livid", "narky",
            "not a happy camper", "not happy", "not impressed", "ropable", "ropeable", "spewing", "ticked off",
            "unhappy", "up in arms", "upset",
        ],
        &["bad", "complaining", "frustrated", "mad", "negative"],
    ),
    state(
        "unpaid",
        &[
            "awaiting payment", "due for payment", "hasnt paid", "havent paid", "in arrears", "in the red",
            "money owing", "not paid", "on tick", "outstanding", "owed", "owes us", "owing", "payment pending",
            "still owes", "still owing", "unpaid", "unsettled", "yet to be paid", "yet to pay",
        ],
        &["behind", "due", "overdue", "uncollected"],
    ),
    state(
        "upcoming",
        &[
            "around the corner", "coming up", "forthcoming", "in the pipeline", "just around the corner", "next up",
            "on the cards", "on the horizon", "on the way", "scheduled", "upcoming",
        ],
        &["due", "future", "next", "planned", "soon"],
    ),
    state(
        "urgent",
        &[
            "all hands on deck", "an emergency", "as soon as possible", "asap", "burning", "cant wait", "code red",
            "critical", "dire", "drop everything", "emergency", "hair on fire", "in a hurry", "its a rush",
            "lickety split", "life or death", "mission critical", "needs doing now", "needs doing yesterday",
            "on fire", "on the double", "pronto", "quick smart", "red hot", "right away", "rush job", "stat",
            "straight away", "straightaway", "super important", "time critical", "time sensitive", "top priority",
            "urgent", "yesterday",
        ],
        &["desperate", "high priority", "immediately", "important", "now", "pressing", "priority", "quick"],
    ),
    state(
        "waiting",
        &[
            "awaiting reply", "awaiting response", "ball is in their court", "hanging on", "hanging out for",
            "havent heard back", "on standby", "on the back of", "stuck waiting", "waiting", "waiting for",
            "waiting on", "waiting to hear", "waiting to hear back",
        ],
        &["blocked", "on hold", "pending", "queued"],
    ),
    state(
        "won",
        &[
            "came through", "closed won", "done deal", "gave us the go ahead", "got it over the line", "got the gig",
            "got the job", "in the bag", "landed", "ours", "over the line", "sealed the deal", "signed",
            "signed on the dotted line", "they said yes", "went with us", "won",
        ],
        &["accepted", "converted", "going ahead", "secured", "successful"],
    ),
    state(
        "working",
        &[
            "doing its job", "functional", "going well", "in good nick", "in good shape", "in working order",
            "no issues", "purring", "running fine", "running smoothly", "shipshape", "tickety boo", "up and running",
            "working", "working fine", "works a treat", "works fine",
        ],
        &["fine", "good", "on", "operational"],
    ),
    state(
        "wrong",
        &[
            "botched", "doesnt add up", "erroneous", "full of mistakes", "inaccurate", "incorrect", "isnt right",
            "messed up", "mistaken", "mucked up", "not correct", "not right", "off the mark", "out of whack",
            "screwed up", "stuffed up", "way off", "wrong",
        ],
        &["bad", "false", "faulty", "invalid", "off"],
    ),
];
