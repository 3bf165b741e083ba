//! Actions on records: making, finding, changing and removing them (“add” to “move”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 24] = [
    action(
        "add",
        &[
            "add", "add in", "add on", "add to", "append", "bung in", "bung on", "chuck in", "include", "insert",
            "make that", "pop on", "put in", "put me down for", "put on", "slap on", "tack on", "threw in", "throw in",
            "thrown in", "top up", "whack on",
        ],
        &[
            "and another", "attach", "bring in", "chuck", "create", "drop in", "enter", "expand", "extend", "pad out",
            "pop", "put", "put down for", "stick", "tag on", "whack in",
        ],
    ),
    action(
        "archive",
        &[
            "archive", "file away", "hide away", "keep but hide", "keep for the record", "mothball",
            "not active anymore", "pack away", "park for good", "put in storage", "put into storage",
            "put to one side", "shelve", "stash away", "store away", "sunset", "take off the active list", "tuck away",
        ],
        &["close off", "hid", "hide", "put away", "put on ice", "retire", "stash", "store"],
    ),
    action(
        "attach",
        &[
            "add an attachment", "add to the file", "affix", "append", "attach", "attach to", "bung on", "chuck on",
            "clip on", "clip to", "enclose", "enclosed", "include", "pin to", "pop in with", "pop on", "put a copy on",
            "put on file", "send along with", "staple to", "stick on", "tack on", "upload to", "whack on",
        ],
        &["drop on", "goes with", "insert", "link", "put on", "put with", "stick with", "upload"],
    ),
    action(
        "back up",
        &[
            "back up", "backup", "belt and braces copy", "keep a copy", "keep a spare copy", "make a safe copy",
            "safety copy", "save a copy", "snapshot",
        ],
        &["archive", "copy", "dump", "export", "mirror", "protect", "save", "store"],
    ),
    action(
        "categorize",
        &[
            "break down by type", "catalog", "categorize", "category", "class as", "classify", "comes under",
            "falls under", "file under", "group by", "group into", "group together", "group under", "lump in with",
            "lump under", "pigeonhole", "put into groups", "put under", "slot under", "sort into", "triage",
        ],
        &["bucket", "group", "label", "sort", "tag", "type"],
    ),
    action(
        "check",
        &[
            "am i right that", "can you tell if", "check", "check up on", "checked on", "confirm that", "double check",
            "eyeball", "find out if", "find out whether", "give it the once over", "have a look if",
            "is it right that", "is it true that", "look into whether", "make sure", "run an eye over", "see if",
            "see whether", "suss out whether", "test", "validate", "verify",
        ],
        &["go over", "inspect", "is that right", "look at", "look into", "once over", "suss out", "went over"],
    ),
    action(
        "check status",
        &[
            "any joy with", "any luck with", "any news on", "any update on", "any updates on", "any word on",
            "bring me up to speed", "check status", "did it go through", "get me up to speed", "has it arrived yet",
            "has it come through", "has it gone through", "how are we doing on", "how are we going with",
            "how are we tracking", "how far along", "how far off", "how is it going with", "hows it coming along",
            "hows it going with", "hows it tracking", "is it done yet", "is it finished yet", "is it ready yet",
            "keep tabs on", "latest on", "progress on", "progress report", "state of play", "status of", "status on",
            "status update on", "track", "whats going on with", "whats happening with", "whats it up to",
            "whats the craic with", "whats the go with", "whats the latest with", "whats the story with",
            "where are we at with", "where are we on", "where are we with", "where do things stand",
            "where do we stand", "where is it up to", "wheres it at",
        ],
        &[
            "bring me up to date", "chase up", "check on", "checking on", "checking up on", "follow up on",
            "heard back from", "how about", "how goes", "how is", "hows", "is it still", "what about", "whats up with",
            "wheres my",
        ],
    ),
    action(
        "clear",
        &[
            "bin the lot", "blank out", "clean out", "clean slate", "clear", "clear off", "delete everything", "empty",
            "empty out", "flush", "get rid of everything", "remove everything", "remove them all", "reset to zero",
            "start fresh", "start over", "wipe clean", "wipe the lot", "wipe the slate clean", "zero out",
        ],
        &["clear out", "clear up", "delete all", "flush out", "purge", "remove all", "reset", "void", "wipe"],
    ),
    action(
        "compare",
        &[
            "benchmark", "compare", "compare to", "compare with", "compared to", "compared with", "contrast",
            "difference between", "match up against", "measure up against", "pit against", "side by side",
            "stack up against", "versus", "vs", "weigh up",
        ],
        &[
            "better than", "diff", "differ", "line up against", "tell apart", "up or down on", "which is better",
            "worse than",
        ],
    ),
    action(
        "copy",
        &[
            "another just like", "another one like", "based on the last one", "clone", "copied", "copy", "copy across",
            "copy over", "ditto", "dupe", "duplicate", "make another of", "one more like", "repeat the last",
            "replicate", "same again", "same as before", "same as last time", "same as the last one",
            "use as a template",
        ],
        &["carry over", "just like", "mirror", "photocopy", "repeat", "reproduce", "reuse", "roll over"],
    ),
    action(
        "correct",
        &[
            "actually its", "correct", "entered it wrong", "fix", "fix up", "got it wrong", "got that wrong",
            "i put the wrong", "is incorrect", "is spelled", "is spelt", "isnt right", "its meant to be",
            "made a mistake", "made a typo", "misspelled", "mucked up the", "put right", "scratch that its",
            "set right", "set straight", "set the record straight", "should be", "should have been", "shouldve been",
            "sorry i meant", "spelled wrong", "spelt wrong", "stuffed up the", "supposed to be", "thats wrong",
            "theres a typo", "typo in", "was meant to be", "we got the wrong", "we have the wrong", "wrong address",
            "wrong date", "wrong name", "wrong number",
        ],
        &["amend", "edit", "i meant", "make that", "oops", "rectify", "update", "whoops"],
    ),
    action(
        "count",
        &[
            "count", "count of", "count up", "headcount", "how many", "number of", "number up", "tally", "tally up",
            "tot up", "whats the tally",
        ],
        &["add up", "amount of", "enumerate", "how much", "quantity of", "sum", "total", "total up"],
    ),
    action(
        "create",
        &[
            "add", "create", "get a new", "get one going", "i need a new", "ive got a new", "knock up",
            "lets have a new", "make", "open a new", "raise a", "set me up with", "set up", "spin up", "start a new",
            "theres a new", "threw together", "throw together", "thrown together", "we need a new", "weve got a new",
            "whip up",
        ],
        &[
            "build", "bung in", "chuck in", "draw up", "generate", "insert", "made", "new", "pop in", "put together",
            "raise", "start", "stick in", "whack in",
        ],
    ),
    action(
        "delete",
        &[
            "axe", "bin", "bin off", "blew away", "blow away", "blown away", "chuck away", "chuck out",
            "cross off the list", "cull", "delete", "destroy", "did away with", "discard", "ditch", "do away with",
            "dont need it anymore", "eliminate", "entered by mistake", "erase", "expunge", "get rid of",
            "getting rid of", "got rid of", "kill off", "lose the", "make it disappear", "make it go away",
            "no longer need", "nuke", "off the books", "purge", "remove", "rub out", "scrap", "scratch that",
            "shouldnt exist", "shred", "strike out", "struck off", "take off the system", "threw away", "threw out",
            "throw away", "throw out", "thrown away", "thrown out", "took off the system", "toss", "toss out", "trash",
            "was a duplicate", "was a mistake", "was added by mistake", "wipe", "wipe out",
        ],
        &[
            "chuck", "clear out", "drop", "dump", "flick", "junk", "scratch", "scrub", "strike off", "take away",
            "take out", "taken out", "we dont need", "wipe off", "zap",
        ],
    ),
    action(
        "deprioritize",
        &[
            "back burner", "bottom of the pile", "bump down", "can wait", "deprioritize", "dial down", "downgrade",
            "drop the priority", "knock down the list", "less urgent", "lower the priority", "make low priority",
            "move down the list", "move to the bottom", "no hurry on", "no longer urgent", "no rush on",
            "not a priority", "not urgent anymore", "push down the list", "put at the bottom", "put it behind",
            "take off urgent", "theres no rush", "whenever you get a chance",
        ],
        &[
            "bump", "de escalate", "demote", "drop down", "leave for later", "lower", "sideline",
            "when youve got a minute",
        ],
    ),
    action(
        "download",
        &[
            "bring down", "brought down", "download", "get a copy of", "get a local copy", "get me the file",
            "grab a copy of", "grab the file", "pull down", "save locally", "save onto my", "save to disk",
            "save to my computer",
        ],
        &["copy", "export", "fetch", "get", "grab", "pull", "pull off", "save"],
    ),
    action(
        "export",
        &[
            "as a csv", "as a pdf", "as a spreadsheet", "csv of", "download", "dump", "dump out", "export",
            "export to", "extract", "get out as", "give me a csv", "give me as", "in a spreadsheet", "into excel",
            "make a pdf of", "output", "pull out as", "save as", "save out", "spat out", "spit out", "spreadsheet of",
            "take out as", "to csv", "to excel", "to pdf",
        ],
        &["copy out", "generate", "get out", "print out", "pull", "pull out", "save", "send out"],
    ),
    action(
        "filter",
        &[
            "cut down to", "exclude", "filter", "filter by", "filter out", "just show", "just the ones", "leave out",
            "left out", "limit to", "narrow down", "only show", "only the", "only those", "restrict to", "show only",
            "weed out",
        ],
        &["apart from", "drill down", "ignoring", "other than", "sift", "sort out", "without"],
    ),
    action(
        "generate",
        &[
            "build", "churn out", "crank out", "create", "draw up", "drawn up", "drew up", "generate", "knock out a",
            "produce", "pump out", "ran off", "run me a", "run off", "spat out", "spit out",
        ],
        &["knock up", "made", "make", "put out", "run", "throw together", "whip up"],
    ),
    action(
        "import",
        &[
            "bring across", "bring in", "bring over", "brought across", "brought in", "brought over", "bulk add",
            "bulk load", "fed in", "feed in", "import", "import from", "ingest", "load in", "load up from", "migrate",
            "migrate across", "port over", "pull across", "read in", "slurp in", "suck in", "upload",
        ],
        &["add from", "bring", "copy in", "get in from", "load", "paste in", "pull in", "transfer in"],
    ),
    action(
        "link",
        &[
            "associate", "associate with", "attach to", "belong to", "belongs to", "bind to", "bound to", "connect",
            "connect to", "cross reference", "goes with", "has to do with", "hook up", "is related to", "link",
            "link to", "link up", "link with", "lump in with", "map to", "match to", "match up", "match up with",
            "pair up", "pair with", "relate", "relate to", "tie in with", "tie to", "tie together", "tied to",
        ],
        &["assign", "attach", "goes to", "join", "match", "pair", "relates", "went with"],
    ),
    action(
        "list",
        &[
            "all of the", "anything outstanding", "bring up all", "browse", "display all", "enumerate", "every single",
            "everything we have on", "everything weve got", "get all", "give me a rundown of", "give me all",
            "give me the", "have i got any", "have we got any", "itemize", "let me see all", "list", "list out",
            "pull up all", "ran through", "rattle off", "reel off", "run through", "rundown of", "show all",
            "show everything", "show me the", "tell me all", "view all", "walk me through", "what are",
            "what do i have", "what do we have", "what have i got", "what have we got", "whats coming up",
            "whats happening with all", "whats in the pipeline", "whats left", "whats on", "whats outstanding",
            "who are our", "whos on the",
        ],
        &[
            "any outstanding", "are there any", "display", "do we have any", "give me", "got any", "list of",
            "pull up", "read out", "show", "show me", "view", "which are", "who are",
        ],
    ),
    action(
        "merge",
        &[
            "amalgamate", "are the same person", "are the same thing", "bring together", "brought together", "bundle",
            "club together", "collapse into", "combine", "consolidate", "dedupe", "deduplicate", "duplicate of",
            "entered twice", "fold into", "got two of the same", "in there twice", "join together", "join up",
            "lump together", "make into one", "make one out of", "make them one", "merge", "roll into", "roll up into",
            "same person as", "theyre the same",
        ],
        &["blend", "double up", "is the same as", "join", "link", "pool", "put together", "unify"],
    ),
    action(
        "move",
        &[
            "bring across", "brought across", "bump over", "drag across", "drag over", "drag to", "kick over to",
            "migrate", "move", "move across", "move into", "move over", "move under", "pop over to", "push across",
            "put across to", "put over to", "reassign", "rehome", "rehouse", "relocate", "shift", "shift across",
            "shift over", "shift to", "stick under", "switch over to", "transfer",
        ],
        &[
            "advance to", "drop into", "move to", "park in", "progress to", "push over", "put", "put under",
            "send across",
        ],
    ),
];
