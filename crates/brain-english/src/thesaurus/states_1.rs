//! States of work, payments, goods, bookings and people (“absent” to “late”).

use super::{Group, state};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 41] = [
    state(
        "absent",
        &[
            "absent", "away", "awol", "called in sick", "chucked a sickie", "didnt show", "didnt show up",
            "didnt turn up", "having a day off", "mia", "no show", "not here", "not in", "off sick", "off today",
            "on holiday", "on leave", "on vacation", "ooo", "out of office", "out of town", "out sick", "stood us up",
            "wagging",
        ],
        &["missing", "off", "out", "unavailable"],
    ),
    state(
        "active",
        &[
            "active", "alive and kicking", "current", "enabled", "going strong", "in effect", "in force", "in service",
            "in use", "live", "operational", "still going", "still with us", "switched on", "turned on",
            "up and running",
        ],
        &["on", "running", "valid", "working"],
    ),
    state(
        "approved",
        &[
            "accepted", "all clear", "approved", "authorized", "been approved", "cleared", "gave us the go ahead",
            "given the all clear", "given the go ahead", "given the green light", "given the nod", "got the go ahead",
            "got the green light", "got the nod", "got the thumbs up", "got the tick", "green lit", "greenlit",
            "okayed", "passed", "rubber stamped", "signed off", "thumbs up", "ticked off by",
        ],
        &["agreed", "confirmed", "ok", "yes"],
    ),
    state(
        "archived",
        &[
            "archived", "filed away", "in storage", "in the archive", "mothballed", "off the books", "packed away",
            "put away", "shelved", "stored away", "tucked away",
        ],
        &["closed", "inactive", "old", "past", "stored"],
    ),
    state(
        "assigned",
        &[
            "allocated", "allotted", "assigned", "delegated", "given to", "handed to", "in good hands",
            "on someones plate", "owned by", "spoken for", "taken",
        ],
        &["belongs to", "claimed", "covered", "owned", "theirs"],
    ),
    state(
        "available",
        &[
            "available", "for the taking", "free", "free to use", "going spare", "got room", "got space", "in stock",
            "not booked", "not taken", "on hand", "on the shelf", "open for bookings", "ready to go", "spare",
            "theres room", "unbooked", "unoccupied", "up for grabs", "vacant",
        ],
        &["around", "on tap", "open", "ready", "there"],
    ),
    state(
        "blocked",
        &[
            "at a standstill", "blocked", "bottlenecked", "cant go any further", "cant move forward", "gridlocked",
            "hamstrung", "hands are tied", "held up", "hit a snag", "hit a wall", "in a bind", "roadblock", "stuck",
        ],
        &["halted", "jammed", "on hold", "stopped", "waiting"],
    ),
    state(
        "broken",
        &[
            "acting up", "borked", "bricked", "broke down", "broken", "broken down", "buggered", "bung", "bust",
            "busted", "cactus", "carked it", "conked out", "cracked", "defective", "died", "doesnt work",
            "fallen apart", "falling apart", "faulty", "fried", "gave up the ghost", "given up the ghost", "gone bung",
            "isnt working", "kaput", "knackered", "munted", "not working", "on its last legs", "on the blink",
            "on the bust", "on the fritz", "out of order", "out of whack", "packed it in", "packed up", "playing up",
            "rooted", "smashed", "stopped working", "stuffed", "up the spout", "wonky", "wont start", "wont turn on",
            "wrecked",
        ],
        &[
            "broke", "crook", "damaged", "dead", "dodgy", "down", "failed", "had it", "needs fixing", "screwed",
            "shot", "snapped", "toast",
        ],
    ),
    state(
        "canceled",
        &[
            "abandoned", "aborted", "all off", "axed", "bailed", "bailed on", "binned", "called off", "canceled",
            "canned", "dead", "fell through", "isnt going ahead", "isnt happening", "its off", "nixed",
            "not going ahead", "not happening", "off the cards", "pulled out", "pulled the plug", "rained off",
            "scrapped", "scratched", "voided", "washed out",
        ],
        &["dropped", "off", "stopped", "terminated", "void", "withdrawn"],
    ),
    state(
        "cheap",
        &[
            "a bargain", "a steal", "affordable", "bargain", "cheap", "cheap as chips", "costs next to nothing",
            "dirt cheap", "for a song", "for peanuts", "going cheap", "good value", "inexpensive", "low cost",
            "on special", "reasonably priced",
        ],
        &["budget", "cheaper", "discounted", "low", "reasonable"],
    ),
    state(
        "clean",
        &[
            "all cleaned up", "clean", "cleaned up", "immaculate", "neat and tidy", "ready to turn over", "shipshape",
            "sparkling", "spic and span", "spick and span", "spotless", "squeaky clean", "tidy",
        ],
        &["clear", "fresh", "neat", "ready"],
    ),
    state(
        "closed",
        &[
            "all wrapped up", "case closed", "closed", "closed off", "closed out", "dead and buried",
            "done and dusted", "end of story", "finished with", "locked", "no longer open", "over and done with",
            "put to bed", "shut", "wound up",
        ],
        &["done", "ended", "finished", "resolved"],
    ),
    state(
        "confirmed",
        &[
            "all booked in", "all confirmed", "all locked in", "confirmed", "definite", "done deal", "firmed up",
            "for sure", "given the ok", "guaranteed", "is a goer", "is on", "locked in", "nailed down", "official",
            "rock solid", "set in stone", "signed sealed delivered",
        ],
        &["agreed", "certain", "set", "sure", "verified"],
    ),
    state(
        "correct",
        &[
            "accurate", "adds up", "bang on", "checks out", "correct", "hits the nail", "just right", "on the money",
            "on the nose", "ridgy didge", "spot on", "thats right", "true",
        ],
        &["all good", "fine", "good", "right", "valid"],
    ),
    state(
        "damaged",
        &[
            "banged up", "battered", "beaten up", "chipped", "damaged", "dented", "dinged", "dinted", "in bad shape",
            "knocked about", "ripped", "scratched", "scuffed", "smashed up", "totaled", "water damaged",
            "worse for wear", "written off",
        ],
        &["bent", "broken", "cracked", "faulty", "torn"],
    ),
    state(
        "dangerous",
        &[
            "a death trap", "a hazard", "an accident waiting to happen", "dangerous", "dicey", "dodgy", "hairy",
            "hazardous", "high risk", "not up to code", "risky", "safety hazard", "sketchy", "trip hazard", "unsafe",
        ],
        &["at risk", "bad", "exposed", "not safe", "serious"],
    ),
    state(
        "deleted",
        &[
            "binned", "chucked out", "deleted", "erased", "gone", "got rid of", "in the bin", "in the trash",
            "no longer there", "purged", "removed", "scrapped", "thrown away", "thrown out", "tossed", "trashed",
            "wiped",
        ],
        &["cleared", "disappeared", "dropped", "lost", "missing"],
    ),
    state(
        "delivered",
        &[
            "arrived", "at the door", "been delivered", "delivered", "dropped off", "got there", "has arrived",
            "landed", "made it there", "received", "rocked up", "showed up", "signed for", "turned up",
        ],
        &["came", "completed", "got here", "here"],
    ),
    state(
        "dirty",
        &[
            "a mess", "a pigsty", "covered in", "dirty", "disgusting", "feral", "filthy", "grotty", "grubby",
            "like a bomb hit it", "manky", "messy", "minging", "mucky", "needs a clean", "needs cleaning", "not clean",
            "pigsty",
        ],
        &["bad", "dusty", "stained", "unclean", "untidy"],
    ),
    state(
        "done",
        &[
            "all done", "all sorted", "all squared away", "all wrapped up", "been handled", "bobs your uncle",
            "complete", "completed", "consider it done", "crossed off", "dealt with", "done", "done and dusted",
            "finished", "finished up", "finito", "good as done", "handled", "in the bag", "is sorted",
            "its in the can", "its sorted", "knocked off", "knocked over", "mission accomplished",
            "over and done with", "over with", "polished off", "put to bed", "sorted", "taken care of", "thats a wrap",
            "ticked off", "wrapped up",
        ],
        &[
            "all good to go", "all set", "fixed", "nailed", "out of the way", "over", "ready", "resolved", "settled",
            "through",
        ],
    ),
    state(
        "down",
        &[
            "cant connect", "disconnected", "down", "dropped out", "has gone down", "having an outage",
            "lost connection", "no internet", "not responding", "offline", "out of action", "out of service",
            "timing out", "unreachable", "went down", "wont connect", "wont load",
        ],
        &["broken", "crashed", "cut out", "not working"],
    ),
    state(
        "draft",
        &[
            "draft", "first cut", "first pass", "in draft", "not final", "not finalized", "not sent yet", "rough",
            "rough draft", "still drafting", "unfinished", "unpublished", "unsent", "wip", "work in progress",
        ],
        &["in progress", "incomplete", "pending", "preliminary", "scratch"],
    ),
    state(
        "due",
        &[
            "coming due", "coming up", "due", "due by", "due in", "due soon", "due today", "falling due",
            "has to be done by", "needs to be done by", "needs to be in by", "up for",
        ],
        &["by", "expected", "owing", "scheduled", "upcoming"],
    ),
    state(
        "duplicate",
        &[
            "a copy of", "already exists", "already got one", "already in the system", "already there", "double up",
            "doubled up", "duplicate", "entered twice", "in there twice", "listed twice", "repeated",
            "same thing twice", "two of the same",
        ],
        &["copy", "identical", "repeat", "same", "twin"],
    ),
    state(
        "early",
        &[
            "ahead of schedule", "ahead of the game", "ahead of time", "before time", "early", "in advance",
            "premature", "sooner than expected", "with time to spare",
        ],
        &["ahead", "beforehand", "prompt", "sooner"],
    ),
    state(
        "enrolled",
        &[
            "booked into", "enrolled", "got a place", "got a spot", "in the class", "on the course", "on the roll",
            "put down for", "put their name down", "registered", "signed up",
        ],
        &["admitted", "attending", "booked", "in", "joined"],
    ),
    state(
        "escalated",
        &[
            "bumped up", "escalated", "gone to management", "gone to the boss", "gone up the chain",
            "in the hands of management", "kicked upstairs", "sent up the line", "taken further", "up the chain",
            "with management", "with second line", "with the boss",
        ],
        &["elevated", "flagged", "raised", "referred", "urgent"],
    ),
    state(
        "expensive",
        &[
            "arm and a leg", "cost a bomb", "cost a packet", "costs a bomb", "costs a fortune", "costs a packet",
            "costs an arm", "daylight robbery", "expensive", "exxy", "over budget", "overpriced", "pricey", "pricy",
            "rip off", "through the roof",
        ],
        &["costly", "dear", "high", "premium", "steep"],
    ),
    state(
        "expired",
        &[
            "expired", "gone off", "lapsed", "no longer valid", "out of date", "out of rego", "past expiry",
            "past its best before", "past its date", "past its use by", "ran out", "run out", "timed out",
            "use by date has passed",
        ],
        &["finished", "invalid", "old", "overdue", "stale"],
    ),
    state(
        "final",
        &[
            "final", "final version", "finalized", "good and final", "locked down", "locked in", "no more changes",
            "ready to send", "set in stone", "signed off", "the last version",
        ],
        &["complete", "confirmed", "last", "official"],
    ),
    state(
        "fixed",
        &[
            "all fixed", "as good as new", "back in action", "back in business", "back on its feet",
            "back up and running", "fixed", "going again", "good as new", "mended", "patched up", "put right",
            "repaired", "right as rain", "running again", "up and running again", "working again", "working now",
        ],
        &["done", "good now", "resolved", "restored", "working"],
    ),
    state(
        "free of charge",
        &[
            "at no cost", "comped", "complimentary", "for free", "for nothing", "free", "free of charge", "freebie",
            "gratis", "no charge", "no cost", "on the house", "on us", "wont cost you",
        ],
        &["included", "thrown in", "waived", "zero"],
    ),
    state(
        "fully booked",
        &[
            "at capacity", "booked out", "booked solid", "booked up", "choc a bloc", "chock a block", "chockers",
            "full", "full house", "full up", "fully booked", "jam packed", "no room", "no slots left", "no space",
            "no spots left", "no vacancies", "no vacancy", "overbooked", "packed out", "rammed", "wall to wall",
        ],
        &["busy", "packed", "sold out", "tied up", "unavailable"],
    ),
    state(
        "happy",
        &[
            "chuffed", "delighted", "happy", "happy as larry", "happy camper", "happy with", "impressed", "loved it",
            "over the moon", "pleased", "pleased as punch", "rapt", "satisfied", "stoked", "thrilled", "tickled pink",
        ],
        &["content", "good", "made up", "positive", "wrapped"],
    ),
    state(
        "high priority",
        &[
            "big deal", "crucial", "first cab off the rank", "front burner", "high on the list", "high priority",
            "key", "must do", "number one priority", "p1", "priority one", "really important", "sev 1",
            "super important", "top of the list", "top of the pile", "top priority", "very important",
        ],
        &["critical", "essential", "high", "important", "urgent"],
    ),
    state(
        "hired",
        &[
            "brought on", "got the job", "hired", "new on the team", "on board", "on the books", "on the payroll",
            "signed on", "starting soon", "taken on", "took on",
        ],
        &["appointed", "employed", "new", "recruited", "starting"],
    ),
    state(
        "in progress",
        &[
            "being done", "being handled", "being looked at", "being worked on", "chipping away at", "coming along",
            "getting there", "half done", "half finished", "halfway through", "im onto it", "in hand", "in progress",
            "in the middle of", "in the works", "in train", "on it", "on the case", "on the go", "ongoing",
            "part way through", "started", "under construction", "under way", "underway", "well underway",
            "working on it",
        ],
        &["active", "current", "in motion", "moving"],
    ),
    state(
        "inactive",
        &[
            "deactivated", "defunct", "disabled", "dormant", "gone quiet", "inactive", "mothballed",
            "no longer with us", "not active", "not current", "not in use", "out of action", "out of service",
            "retired", "switched off", "turned off", "unused",
        ],
        &["archived", "closed", "dead", "off", "suspended"],
    ),
    state(
        "incomplete",
        &[
            "bits missing", "half baked", "half done", "half finished", "incomplete", "loose ends", "missing bits",
            "missing details", "missing info", "not all there", "not complete", "not finished", "partial",
            "still some to go", "unfinished",
        ],
        &["draft", "in progress", "missing", "short"],
    ),
    state(
        "interested",
        &[
            "eager", "hot", "hot to trot", "interested", "intrigued", "keen", "keen as mustard", "on the hook",
            "serious about it", "showing interest", "up for it", "wants to go ahead", "wants to know more", "warm",
        ],
        &["considering", "curious", "likely", "promising", "thinking about it"],
    ),
    state(
        "late",
        &[
            "a bit behind", "behind schedule", "behind the eight ball", "behind time", "delayed", "gonna be late",
            "hasnt turned up", "held up", "late", "not here yet", "not on time", "overdue", "running behind",
            "running late", "stuck in traffic", "tardy",
        ],
        &["after hours", "behind", "not yet arrived", "slow"],
    ),
];
