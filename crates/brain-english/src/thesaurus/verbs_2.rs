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
            "written down", "wrote down",
        ],
        &[
            "bear in mind", "btw", "by the way", "comment", "fyi", "just so you know", "keep in mind", "mention",
            "put down", "remark", "remember that", "scribble", "take down", "took down",
        ],
    ),
    action(
        "print",
        &[
            "get it printed", "hard copy", "on paper", "paper copy", "print", "print off", "print out", "printout",
            "run off a copy", "send to the printer", "spit out a copy",
        ],
        &["copies of", "dump", "output", "photocopy", "publish", "ran off", "run", "run off"],
    ),
    action(
        "prioritize",
        &[
            "before anything else", "bring forward", "bump to the top", "bump up", "cant wait", "comes first",
            "do first", "drop everything", "escalate", "expedite", "fast track", "first in line", "flag as urgent",
            "front of the queue", "get a move on with", "get onto first", "higher priority", "jump the queue",
            "make a priority", "make urgent", "mark as urgent", "most important", "move it up", "move to the top",
            "move up the list", "needs doing first", "needs to happen first", "prioritize", "push to the front",
            "put ahead of", "put at the front", "put at the top", "put first", "raise the priority", "rank higher",
            "skip the queue", "top priority", "treat as urgent", "up the priority",
        ],
        &["flag", "hurry", "important", "move up", "rank", "rush", "upgrade", "urgent"],
    ),
    action(
        "publish",
        &[
            "advertise", "announce", "chuck on the website", "get it out there", "go live", "list online", "make live",
            "make public", "make visible", "post", "post up", "publish", "push live", "put live",
            "put on the noticeboard", "put on the site", "put on the website", "put online", "put out there",
            "put up on the website", "put up online", "roll out", "set live", "stick on the website", "went live",
        ],
        &["broadcast", "launch", "put out", "put up", "release", "send out"],
    ),
    action(
        "record",
        &[
            "capture", "document", "enter", "for the record", "get down on paper", "get it in writing", "input",
            "jot down", "key in", "log", "make an entry", "mark down", "put down that", "put in the book",
            "put it down as", "put it in writing", "record", "take down", "taken down", "took down", "type in",
            "type up", "write down", "written down", "wrote down",
        ],
        &[
            "chalk up", "get down", "keep", "kept", "note", "noted that", "punch in", "put down", "save that", "store",
            "track",
        ],
    ),
    action(
        "register",
        &[
            "add to our books", "enroll", "get in the system", "get into the system", "get on the books",
            "get set up with", "on board", "onboard", "open an account", "put in the system", "put on file",
            "put on our books", "put on the books", "register", "set up an account", "set up as a", "sign up",
        ],
        &["add", "bring on board", "create", "enter", "set up", "sign on", "take on", "took on"],
    ),
    action(
        "remove",
        &[
            "cut from", "delete from", "doesnt need the", "doesnt want the", "dont need the", "drop from",
            "drop off the list", "get off the list", "get out of there", "get rid of", "got rid of", "kick off the",
            "leave out", "left out", "lose the", "no longer in", "no longer on", "no longer wants", "pull off",
            "pull out", "remove", "remove from", "scratch from", "scratch off", "shouldnt be on", "strike from",
            "strike off", "strip off", "strip out", "struck from", "take away", "take off", "take off the list",
            "take out", "taken away", "taken off", "taken out", "took away", "took off", "took off the list",
            "took out", "uninvite", "whip off",
        ],
        &["cross off", "cut out", "delete", "drop", "erase", "exclude", "kick out", "omit", "struck off"],
    ),
    action(
        "rename",
        &[
            "call", "call it", "change the name", "change the title", "give a new name", "give it a better name",
            "go by", "goes by", "known as", "name change", "name it", "new name for", "now called",
            "prefers to be called", "rebadge", "rebrand", "relabel", "rename", "renamed to", "retitle", "title it",
            "went by",
        ],
        &["dub", "entitle", "get called", "label", "name", "reword", "title", "used to be called"],
    ),
    action(
        "repeat",
        &[
            "do it every", "each month", "each week", "every day", "every fortnight", "every month", "every other day",
            "every other week", "every second week", "every week", "fortnightly", "happen every", "happens every",
            "keep doing", "make it regular", "make recurring", "on a regular basis", "once a month", "once a week",
            "recur", "repeat", "twice a week", "weekly from now on",
        ],
        &["annually", "daily", "duplicate", "monthly", "ongoing", "quarterly", "regular", "weekly", "yearly"],
    ),
    action(
        "restore",
        &[
            "accidentally deleted", "add back", "bring back", "bring back to life", "brought back",
            "deleted by accident", "deleted by mistake", "didnt mean to delete", "didnt mean to remove", "dig back up",
            "fish out of the bin", "get back", "get out of the bin", "got back", "pull out of the archive", "put back",
            "recover", "reinstate", "rescue", "restore", "resurrect", "retrieve from the bin", "revive", "roll back",
            "salvage", "shouldnt have deleted", "take out of the archive", "un archive", "un delete", "unarchive",
            "undelete",
        ],
        &["back again", "reactivate", "recall", "reload", "renew", "reopen", "retrieve", "undo"],
    ),
    action(
        "save",
        &[
            "bank it", "bookmark", "hang on to", "held on to", "hold on file", "hold on to", "keep", "keep a copy",
            "keep for later", "kept", "lock it in", "make sure its saved", "pop in the file", "save", "save a copy",
            "save as", "save that", "squirrel away", "stash", "store away", "tuck away",
        ],
        &["commit", "file", "park", "preserve", "put away", "retain", "store"],
    ),
    action(
        "scan",
        &["barcode", "digitize", "run through the scanner", "scan", "scan in", "scan through", "snap a copy"],
        &["capture", "import", "photograph", "read", "swipe", "zap"],
    ),
    action(
        "search",
        &[
            "any sign of", "anyone called", "anyone named", "can you see a", "chase down", "dig around for", "dig out",
            "dig up", "dug out", "dug up", "ferret out", "find", "go looking for", "google", "have a dig for",
            "hunt down", "hunt for", "locate", "look around for", "look for", "look high and low for", "look through",
            "look up", "root out", "rummage for", "scan for", "scour", "scout for", "scout out", "search",
            "search for", "seek", "sniff out", "sought", "suss out", "the one with", "track down", "trawl",
            "trawl through", "where did i put", "where have we got", "where is", "wheres", "which one has",
        ],
        &[
            "do we have a", "found", "have we ever", "have we got a", "is there a", "is there any", "look", "pull up",
            "query", "retrieve", "search through", "source", "spot", "turn up", "who has",
        ],
    ),
    action(
        "set",
        &[
            "change to", "class as", "configure", "default to", "designate", "flag as", "label as", "mark as",
            "put down as", "put it at", "put it on", "put it to", "put through as", "set", "set as", "set at",
            "set to", "switch to", "turn to",
        ],
        &["bump to", "call it", "list as", "make it", "mark", "toggle", "treat as"],
    ),
    action(
        "share",
        &[
            "bring into the loop", "cc", "circulate", "copy in", "give a copy to", "give access to", "hand around",
            "keep in the loop", "let in on", "let see", "loop in", "make available to", "make visible to",
            "pass around", "pass round", "send a link", "send around", "send round", "send the link", "share",
            "share with", "show to", "spread the word",
        ],
        &["distribute", "forward", "gave", "give", "pass on", "send", "show"],
    ),
    action(
        "show",
        &[
            "bring up", "brought up", "call up", "deets on", "details for", "details of", "details on", "dig out",
            "dig up", "display", "dug out", "dug up", "fetch", "flash up", "full story on", "get", "get up",
            "give me the details", "have a butchers at", "have a gander at", "have a peek at", "have a squiz at",
            "info on", "information on", "inspect", "let me have a look", "let me see", "lets have a look", "look at",
            "look up", "lowdown on", "open", "open up", "pull up", "punch up", "put up on screen", "read", "read out",
            "remind me about", "retrieve", "show", "show me", "take a peek at", "take a squiz at", "tell me about",
            "throw up", "view", "what do we know about", "what do you know about", "what does it say",
            "what have we got on", "whats the deal with", "whats the story with",
        ],
        &[
            "anything on", "find", "gimme", "give me", "give us", "grab", "locate", "more on", "present", "produce",
            "pull", "see", "tell me", "what is", "whats in", "who is",
        ],
    ),
    action(
        "sort",
        &[
            "alphabetically", "arrange by", "biggest first", "cheapest first", "highest first",
            "in alphabetical order", "in date order", "in order of", "most recent first", "newest first",
            "oldest first", "order by", "put in order", "rank by", "sort", "sort by", "sorted by",
        ],
        &["arrange", "by date", "group by", "line up", "organize", "rank", "shuffle"],
    ),
    action(
        "split",
        &[
            "break down into", "break into", "break out", "break up", "broke down into", "broke up",
            "broken down into", "broken out", "broken up", "carve up", "chop up", "cut in half", "divide", "divide up",
            "go halves", "go halves on", "half and half", "halve", "make two of", "peel off", "separate",
            "separate into", "separate out", "slice up", "split", "split into", "split out", "split up",
        ],
        &["break down", "broke down", "broken down", "cut up", "pull apart", "segment", "share out", "spread over"],
    ),
    action(
        "sync",
        &[
            "bring into line", "bring level with", "line up with", "match up with", "pull the latest",
            "push across to", "refresh from", "resync", "sync", "sync up", "sync with", "synchronize", "update from",
        ],
        &["connect", "integrate", "match", "mirror", "reconcile", "refresh", "reload", "update"],
    ),
    action(
        "tag",
        &[
            "bookmark", "color code", "earmark", "flag", "flag as", "label", "label as", "label with", "mark as",
            "mark with", "put a marker on", "put a star on", "stamp", "tag", "tag with", "tagged as",
        ],
        &["badge", "categorize", "class as", "classify", "highlight", "mark", "pin", "star"],
    ),
    action(
        "undo",
        &[
            "as you were", "back out", "back to how it was", "backtrack", "cancel that", "change it back",
            "didnt mean to", "disregard that", "forget i said", "forget that", "go back", "i didnt mean that",
            "ignore my last", "ignore that", "my bad", "never mind that", "nevermind that", "put it back",
            "reverse that", "revert", "roll back", "scratch that", "strike that", "take that back",
            "that was a mistake", "that was wrong", "undid", "undo", "undone", "wasnt supposed to", "went back",
            "wrong one",
        ],
        &["restore", "reverse", "take back", "taken back", "took back", "unwind", "unwound"],
    ),
    action(
        "unlink",
        &[
            "break the link", "decouple", "detach", "disassociate", "disconnect", "dissociate", "does not belong to",
            "doesnt belong to", "isnt related to", "no longer linked", "not linked to", "nothing to do with",
            "remove the link", "separate from", "sever", "shouldnt be linked", "take off the link", "unhook", "unlink",
            "unmatch", "unpair", "untie",
        ],
        &["cut loose", "isnt part of", "pull apart", "remove from", "separate", "split off", "unattach"],
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
            "change to", "changed to", "edit", "freshen up", "get changed", "has changed", "make changes to",
            "make some edits", "modify", "overwrite", "overwritten", "overwrote", "refresh", "rejig", "revise",
            "should now be", "swap to", "tweak", "update", "update to",
        ],
        &["instead of", "rather than", "redo", "replace with", "rework", "swap out", "touch up", "turn into"],
    ),
    action(
        "upload",
        &[
            "add a file", "chuck up", "drag and drop", "drag in", "load up", "pop up", "post up", "put in the cloud",
            "put on the drive", "put on the system", "put up on", "stick on the drive", "stick up", "upload",
            "upload to", "whack up",
        ],
        &["attach", "drop in", "import", "put up", "send up", "submit"],
    ),
];
