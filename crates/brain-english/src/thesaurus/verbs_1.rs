//! Actions on records: making, finding, changing and removing them (“add” to “move”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 24] = [
    action(
        "add",
        &[
            "add", "add in", "add on", "add to", "append", "bung in", "bung on", "chuck in", "include", "insert",
            "make that", "pop it on", "pop on", "put down for", "put in", "put on", "slap on", "stick it on",
            "stick on", "tack on", "threw in", "throw in", "thrown in", "top up", "whack on",
        ],
        &[
            "and another", "attach", "bring in", "chuck", "create", "enter", "expand", "extend", "pad out", "pop",
            "put", "stick", "whack in",
        ],
    ),
    action(
        "archive",
        &[
            "archive", "file away", "hide away", "keep but hide", "keep for the record", "mothball",
            "not active anymore", "pack away", "park for good", "put in storage", "put into storage", "put on ice",
            "put to one side", "shelve", "stash away", "store away", "sunset", "take off the active list", "tuck away",
        ],
        &["close off", "hid", "hide", "put away", "retire", "stash", "store"],
    ),
    action(
        "attach",
        &[
            "add an attachment", "add to the file", "affix", "append", "attach", "attach to", "clip on", "clip to",
            "enclose", "enclosed", "include", "pin to", "pop in with", "pop on", "put on file", "put with",
            "staple to", "stick on", "stick with", "tack on", "upload to",
        ],
        &["add", "insert", "link", "put on", "save to", "upload"],
    ),
    action(
        "back up",
        &[
            "back up", "backup", "belt and braces copy", "keep a copy", "keep a spare copy", "make a safe copy",
            "safety copy", "save a copy", "snapshot",
        ],
        &["archive", "copy", "export", "mirror", "protect", "save", "store"],
    ),
    action(
        "categorize",
        &[
            "break down by type", "bucket", "catalog", "categorize", "category", "class as", "classify", "comes under",
            "falls under", "file under", "group by", "group together", "group under", "lump under", "pigeonhole",
            "put into groups", "put under", "slot under", "sort into", "triage",
        ],
        &["group", "label", "sort", "tag", "type"],
    ),
    action(
        "check",
        &[
            "am i right that", "check", "check up on", "checked on", "confirm that", "did we", "double check",
            "find out if", "find out whether", "have a look if", "is it right that", "is it true that",
            "look into whether", "make sure", "see if", "see whether", "suss out", "test", "validate", "verify",
        ],
        &["confirm", "examine", "inspect", "look at", "look into", "see"],
    ),
    action(
        "check status",
        &[
            "any joy with", "any luck with", "any news on", "any update on", "any updates on", "any word on",
            "check status", "has it arrived yet", "how are we doing on", "how are we going with",
            "how are we tracking", "how far along", "how far off", "how is it going with", "hows it coming along",
            "hows it going with", "hows it tracking", "is it done yet", "state of play", "status of", "status on",
            "status update on", "whats going on with", "whats happening with", "whats it up to",
            "whats the craic with", "whats the go with", "whats the latest with", "whats the story with",
            "where are we at with", "where are we on", "where are we with", "where do things stand",
            "where do we stand", "where is it up to", "wheres it at",
        ],
        &[
            "chase up", "check on", "checking on", "follow up on", "heard back from", "how about", "how goes",
            "how is", "hows", "what about", "whats up with", "wheres my",
        ],
    ),
    action(
        "clear",
        &[
            "bin the lot", "blank out", "clean out", "clean slate", "clear", "clear off", "clear out",
            "delete everything", "empty", "empty out", "flush", "get rid of everything", "remove everything",
            "remove them all", "reset to zero", "start fresh", "start over", "wipe clean", "wipe the slate clean",
            "zero out",
        ],
        &["clear up", "delete all", "flush out", "purge", "remove all", "reset", "void", "wipe"],
    ),
    action(
        "compare",
        &[
            "benchmark", "compare", "compare to", "compare with", "compared to", "compared with", "contrast",
            "difference between", "match up against", "measure up against", "pit against", "side by side",
            "stack up against", "up or down on", "versus", "vs", "weigh up",
        ],
        &["better than", "diff", "differ", "line up against", "tell apart", "which is better", "worse than"],
    ),
    action(
        "copy",
        &[
            "another just like", "another one like", "based on the last one", "clone", "copied", "copy", "copy across",
            "copy over", "ditto", "dupe", "duplicate", "make another of", "one more like", "repeat the last",
            "replicate", "same again", "same as before", "same as last time", "same as the last one",
            "use as a template",
        ],
        &["carry over", "just like", "mirror", "repeat", "reproduce", "reuse", "roll over"],
    ),
    action(
        "correct",
        &[
            "actually its", "correct", "fix", "fix up", "its meant to be", "made a mistake", "made a typo",
            "put right", "rectify", "set right", "set straight", "set the record straight", "should be",
            "should have been", "shouldve been", "supposed to be", "thats wrong", "theres a typo", "typo in",
            "was meant to be",
        ],
        &["adjust", "amend", "edit", "revise", "tweak", "update"],
    ),
    action(
        "count",
        &[
            "count", "count of", "count up", "headcount", "how many", "number of", "number up", "tally", "tally up",
            "tot up", "whats the tally",
        ],
        &["add up", "amount of", "enumerate", "how much", "quantity of", "total", "total up"],
    ),
    action(
        "create",
        &[
            "add", "create", "get a new", "get one going", "i need a new", "ive got a new", "knock up",
            "lets have a new", "made", "make", "make me a", "open a new", "put together", "raise", "set me up with",
            "set up", "spin up", "start a new", "theres a new", "threw together", "throw together", "thrown together",
            "we need a new", "weve got a new", "whip up",
        ],
        &[
            "build", "bung in", "chuck in", "draw up", "generate", "insert", "new", "open", "pop in", "start",
            "stick in", "whack in",
        ],
    ),
    action(
        "delete",
        &[
            "bin", "bin off", "chuck away", "chuck out", "clear out", "delete", "destroy", "did away with", "discard",
            "ditch", "do away with", "eliminate", "erase", "expunge", "get rid of", "getting rid of", "got rid of",
            "kill off", "nuke", "purge", "remove", "scrap", "scrub", "threw away", "threw out", "throw away",
            "throw out", "thrown away", "thrown out", "toss", "toss out", "trash", "wipe", "wipe off", "wipe out",
            "zap",
        ],
        &[
            "chuck", "drop", "dump", "flick", "junk", "kill", "scratch", "strike off", "take away", "take out",
            "taken out", "took out", "void",
        ],
    ),
    action(
        "deprioritize",
        &[
            "back burner", "bump down", "can wait", "deprioritize", "drop the priority", "knock down the list",
            "less urgent", "lower the priority", "make it low priority", "make low priority", "move down the list",
            "move to the bottom", "no hurry on", "no longer urgent", "no rush on", "not urgent anymore",
            "push down the list", "put at the bottom", "take off urgent", "theres no rush",
        ],
        &["bump", "de escalate", "demote", "drop down", "lower", "sideline", "when youve got a minute"],
    ),
    action(
        "download",
        &[
            "bring down", "brought down", "download", "get a copy of", "get a local copy", "get me the file",
            "grab a copy of", "grab the file", "pull down", "save locally", "save onto my", "save to disk",
            "save to my computer", "take offline",
        ],
        &["copy", "export", "fetch", "grab", "pull", "save"],
    ),
    action(
        "export",
        &[
            "as a csv", "as a pdf", "as a spreadsheet", "download", "dump", "dump out", "export", "export to",
            "extract", "get out as", "give me a csv", "give me as", "in a spreadsheet", "into excel", "pull out as",
            "save as", "save out", "spat out", "spit out", "to excel",
        ],
        &["generate", "get out", "print out", "pull", "pull out", "send out"],
    ),
    action(
        "filter",
        &[
            "cut down to", "exclude", "filter", "filter by", "filter out", "just show", "just the ones", "leave out",
            "left out", "limit to", "narrow down", "narrow it down", "only show", "only the", "only those",
            "restrict to", "show only", "weed out",
        ],
        &["apart from", "drill down", "ignoring", "other than", "sift", "sort out", "without"],
    ),
    action(
        "generate",
        &[
            "build", "churn out", "crank out", "create", "draw up", "drawn up", "drew up", "generate", "knock out a",
            "make me a", "produce", "pump out", "ran off", "run me a", "run off", "spat out", "spit out",
        ],
        &["knock up", "made", "make", "run", "throw together", "whip up"],
    ),
    action(
        "import",
        &[
            "bring across", "bring in", "brought across", "brought in", "bulk add", "fed in", "feed in", "import",
            "import from", "ingest", "load", "load in", "migrate", "migrate across", "pull across", "pull in",
            "read in", "slurp in", "suck in", "upload",
        ],
        &["add from", "bring", "copy in", "get in from", "paste in", "take from", "transfer in"],
    ),
    action(
        "link",
        &[
            "associate", "associate with", "attach to", "connect", "connect to", "hook up", "link", "link to",
            "link up", "link with", "match to", "match up", "match up with", "pair up", "pair with", "relate",
            "relate to", "tie to", "tie together", "tied to",
        ],
        &["assign", "attach", "goes to", "join", "match", "pair", "went with"],
    ),
    action(
        "list",
        &[
            "all of the", "bring up all", "browse", "display all", "enumerate", "every single",
            "everything we have on", "everything weve got", "get all", "give me a rundown of", "give me all",
            "give me the", "list", "list out", "pull up all", "ran through", "rattle off", "reel off",
            "run me through", "run through", "rundown of", "show all", "show everything", "show me all", "show me the",
            "view all", "walk me through", "what are", "what do i have", "what do we have", "what have i got",
            "what have we got", "whats coming up", "whats left", "whats on", "whats outstanding",
        ],
        &["all my", "bring up", "display", "give me", "pull up", "run down", "show", "show me", "view", "which are"],
    ),
    action(
        "merge",
        &[
            "amalgamate", "bring together", "brought together", "combine", "consolidate", "dedupe", "deduplicate",
            "duplicate of", "fold into", "is the same as", "join together", "join up", "lump together",
            "make into one", "make one out of", "make them one", "merge", "roll into", "roll up into",
            "same person as",
        ],
        &["blend", "connect", "group", "group together", "join", "link", "put together"],
    ),
    action(
        "move",
        &[
            "bring across", "brought across", "drag across", "drag over", "drag to", "move", "move across",
            "move into", "move over", "move to", "move under", "put across to", "put over to", "relocate",
            "send across", "shift", "shift across", "shift over", "shift to", "transfer",
        ],
        &["bump", "push", "put"],
    ),
];
