//! Actions on records: making, finding, changing and removing them (“note” to “upload”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 25] = [
    action(
        "note",
        &[
            "add a comment", "add a remark", "comment that", "for the record", "jot", "jot down", "memo that", "note",
            "note down", "note to self", "pen down", "put a comment", "scribble down", "worth noting", "write down",
            "write that down", "written down", "wrote down",
        ],
        &[
            "bear in mind", "comment", "fyi", "just so you know", "keep in mind", "mention", "put down", "remark",
            "remember that", "take down", "took down",
        ],
    ),
    action(
        "print",
        &[
            "get it printed", "hard copy", "on paper", "paper copy", "print", "print off", "print out", "printout",
            "run off a copy", "send to the printer", "spit out a copy",
        ],
        &["copies of", "dump", "output", "photocopy", "ran off", "run", "run off"],
    ),
    action(
        "prioritize",
        &[
            "bump to the top", "bump up", "escalate", "first in line", "front of the queue", "higher priority",
            "jump the queue", "make a priority", "make it a priority", "make urgent", "move to the top",
            "move up the list", "prioritize", "push to the front", "put at the front", "put at the top",
            "raise the priority", "skip the queue", "top priority", "up the priority",
        ],
        &["flag", "hurry", "important", "rank", "rush", "upgrade", "urgent"],
    ),
    action(
        "publish",
        &[
            "announce", "chuck on the website", "get it out there", "go live", "make live", "make public", "post",
            "publish", "push live", "put live", "put on the site", "put on the website", "put online", "put out there",
            "put up on the website", "put up online", "release", "roll out", "stick on the website", "went live",
        ],
        &["broadcast", "issue", "launch", "list", "put out", "put up", "send out"],
    ),
    action(
        "record",
        &[
            "capture", "document", "enter", "for the record", "get down on paper", "get it in writing", "input",
            "jot down", "key in", "log", "make an entry", "mark down", "punch in", "put down that", "put in the book",
            "put it down as", "put it in writing", "put on file", "record", "take down", "taken down", "took down",
            "type in", "type up", "write down", "written down", "wrote down",
        ],
        &["get down", "keep", "kept", "note", "put down", "save that", "track"],
    ),
    action(
        "register",
        &[
            "add as a", "add to our books", "enroll", "get in the system", "get into the system", "get on the books",
            "get set up with", "on board", "onboard", "open an account", "put in the system", "put on our books",
            "put on the books", "register", "set up an account", "set up as a", "sign up", "take on as a",
        ],
        &["bring on board", "join", "log", "new", "set up", "sign on", "take on"],
    ),
    action(
        "remove",
        &[
            "cut from", "cut out", "delete from", "drop", "get rid of", "leave out", "left out", "pull off", "remove",
            "remove from", "strip off", "strip out", "take away", "take off", "take out", "taken away", "taken off",
            "taken out", "took away", "took off", "took out",
        ],
        &["cut", "delete", "detach", "erase", "lose", "strip", "subtract", "take from"],
    ),
    action(
        "rename",
        &[
            "call", "call it", "change the name", "change the title", "give a new name", "go by", "goes by",
            "known as", "name change", "name it", "new name for", "now called", "rebadge", "rebrand", "relabel",
            "rename", "renamed to", "retitle", "title it", "went by",
        ],
        &["entitle", "get called", "label", "name", "reword", "title", "used to be called"],
    ),
    action(
        "repeat",
        &[
            "do it every", "each month", "each week", "every day", "every month", "every week", "happen every",
            "happens every", "make it a regular", "make it recurring", "make it regular", "make recurring",
            "on a regular basis", "once a month", "once a week", "ongoing", "recur", "repeat", "twice a week",
            "weekly from now on",
        ],
        &["annually", "daily", "duplicate", "monthly", "quarterly", "regular", "weekly", "yearly"],
    ),
    action(
        "restore",
        &[
            "bring back", "bring back to life", "brought back", "fish out of the bin", "get back",
            "get out of the bin", "got back", "pull out of the archive", "put back", "recover", "reinstate", "restore",
            "resurrect", "retrieve from the bin", "revive", "take out of the archive", "un archive", "un delete",
            "unarchive", "undelete",
        ],
        &["reactivate", "recall", "reload", "renew", "reopen", "retrieve", "undo"],
    ),
    action(
        "save",
        &[
            "bank it", "bookmark", "hang on to", "held on to", "hold on file", "hold on to", "keep", "keep a copy",
            "keep for later", "kept", "lock it in", "pop in the file", "save", "save as", "save that", "squirrel away",
            "stash", "store", "store away", "tuck away",
        ],
        &["commit", "file", "park", "preserve", "put away", "record", "retain"],
    ),
    action(
        "scan",
        &[
            "barcode", "digitize", "photograph", "run through the scanner", "scan", "scan in", "scan through",
            "snap a copy", "swipe", "zap",
        ],
        &["capture", "copy", "import", "photo of", "read", "snap"],
    ),
    action(
        "search",
        &[
            "chase down", "dig around for", "dig out", "dig up", "do we have a", "dug out", "dug up", "ferret out",
            "find", "found", "go looking for", "have a dig for", "have we got a", "hunt down", "hunt for",
            "is there a", "is there any", "locate", "look for", "look through", "look up", "root out", "rummage for",
            "scout for", "scout out", "search", "search for", "seek", "sniff out", "sought", "track down",
            "where did i put", "where have we got", "where is", "wheres", "which one has",
        ],
        &[
            "bring up", "brought up", "check for", "filter", "go through", "look", "pull up", "retrieve",
            "search through", "see if", "show", "sift through",
        ],
    ),
    action(
        "set",
        &[
            "change to", "class as", "configure", "default to", "flag as", "label as", "mark", "mark as",
            "put down as", "put it at", "put it on", "put it to", "set", "set as", "set at", "set to", "switch to",
            "toggle", "treat as", "turn to",
        ],
        &["call it", "make it"],
    ),
    action(
        "share",
        &[
            "bring into the loop", "cc", "cc in", "circulate", "copy in", "give access to", "hand around", "let see",
            "let them see", "loop in", "make visible to", "pass around", "pass on to", "pass round", "send a link",
            "send the link", "share", "share with", "show to", "spread the word",
        ],
        &["distribute", "forward", "pass on", "send", "show"],
    ),
    action(
        "show",
        &[
            "bring up", "brought up", "call up", "details for", "details of", "details on", "dig out", "dig up",
            "display", "dug out", "dug up", "fetch", "get", "get up", "give me the details", "have a butchers at",
            "have a gander at", "have a look at", "have a peek at", "have a squiz at", "inspect", "let me have a look",
            "let me see", "look at", "look up", "lowdown on", "open", "open up", "pull up", "read", "retrieve", "show",
            "show me", "take a peek at", "take a squiz at", "throw up", "view",
        ],
        &[
            "find", "give me", "give us", "locate", "present", "produce", "pull", "pull out", "see", "tell me",
            "what is", "whats in", "who is",
        ],
    ),
    action(
        "sort",
        &[
            "alphabetically", "arrange by", "biggest first", "cheapest first", "highest first",
            "in alphabetical order", "in date order", "in order of", "most recent first", "newest first",
            "oldest first", "order by", "put in order", "rank by", "rank from", "sort", "sort by", "sorted by",
        ],
        &["arrange", "by date", "line up", "organize", "rank", "shuffle"],
    ),
    action(
        "split",
        &[
            "break down into", "break into", "break out", "break up", "broke down into", "broke up",
            "broken down into", "broken out", "broken up", "carve up", "chop up", "cut in half", "divide", "divide up",
            "separate", "separate out", "split", "split into", "split out", "split up",
        ],
        &["break down", "broke down", "broken down", "cut up", "pull apart", "share out", "spread over"],
    ),
    action(
        "sync",
        &[
            "bring into line", "bring level with", "line up with", "match up with", "mirror", "pull the latest",
            "push across to", "refresh from", "resync", "sync", "sync up", "sync with", "synchronize", "update from",
        ],
        &["connect", "integrate", "match", "reconcile", "refresh", "reload", "update"],
    ),
    action(
        "tag",
        &[
            "badge", "bookmark", "color code", "earmark", "flag", "flag as", "label", "label as", "label with",
            "mark as", "mark it", "mark with", "pin", "put a marker on", "stamp", "star", "tag", "tag with",
            "tagged as",
        ],
        &["categorize", "class as", "classify", "code", "highlight", "mark", "set as"],
    ),
    action(
        "undo",
        &[
            "back out", "back to how it was", "backtrack", "change it back", "go back", "never mind that",
            "nevermind that", "put it back", "reverse", "revert", "roll back", "roll that back", "take back",
            "take that back", "taken back", "took back", "undid", "undo", "undone", "went back",
        ],
        &["cancel", "oops", "restore", "set back", "unwind", "unwound", "whoops"],
    ),
    action(
        "unlink",
        &[
            "break the link", "decouple", "detach", "disassociate", "disconnect", "dissociate", "does not belong to",
            "doesnt belong to", "isnt related to", "no longer linked", "not linked to", "nothing to do with",
            "remove the link", "separate from", "sever", "take off the link", "unhook", "unlink", "unpair", "untie",
        ],
        &["isnt part of", "pull apart", "remove from", "separate", "split off", "take off", "unattach"],
    ),
    action(
        "untag",
        &[
            "clear the tag", "drop the tag", "get rid of the tag", "lose the tag", "remove the flag",
            "remove the label", "remove the tag", "strip the tag", "take off the tag", "take the flag off",
            "take the label off", "take the tag off", "unflag", "unlabel", "unmark", "unpin", "unstar", "untag",
        ],
        &["clear the flag", "isnt a", "no longer a", "not flagged", "take off", "unset"],
    ),
    action(
        "update",
        &[
            "adjust", "alter", "amend", "bring up to date", "brought up to date", "change", "change over to",
            "change to", "changed to", "edit", "finesse", "freshen up", "get changed", "has changed",
            "make changes to", "make some edits", "modify", "overwrite", "overwritten", "overwrote", "redo", "refresh",
            "rejig", "revise", "should now be", "swap to", "touch up", "tweak", "update", "update to",
        ],
        &["instead of", "mark", "rather than", "replace with", "rework", "swap out", "turn into", "turn it into"],
    ),
    action(
        "upload",
        &[
            "add a file", "chuck up", "drag and drop", "drag in", "drop in", "load up", "pop up", "post up",
            "put in the cloud", "put on the drive", "put on the system", "put up", "send up", "stick on the drive",
            "stick up", "upload", "upload to", "whack up",
        ],
        &["attach", "import", "load", "put on", "submit"],
    ),
];
