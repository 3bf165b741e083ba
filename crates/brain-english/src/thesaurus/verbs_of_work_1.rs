//! Actions on work: starting, doing, checking and finishing it, and time (“analyze” to “log time”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 24] = [
    action(
        "analyze",
        &[
            "analyze", "break down", "broke down", "broken down", "deep dive", "dig into", "drill down", "drill into",
            "interpret", "look at the numbers", "look for patterns", "make sense of", "see patterns in",
            "slice and dice", "tease apart", "trends in", "unpack", "what can we learn from", "whats driving",
            "whats the trend",
        ],
        &["compare", "examine", "investigate", "report on", "study", "test"],
    ),
    action(
        "approve",
        &[
            "accept", "all clear", "approve", "authorize", "gave the go ahead", "gave the nod", "gave us the go ahead",
            "give it the nod", "give my blessing", "give the go ahead", "give the nod", "given the go ahead",
            "given the green light", "got the go ahead", "got the nod", "green light", "greenlight",
            "happy to go ahead", "happy to proceed", "happy with the price", "has my blessing", "im fine with",
            "im good with", "im happy with", "let it through", "let through", "looks good to me", "ok", "okay",
            "rubber stamp", "sign off", "sign off on", "they are happy with", "theyre happy with", "thumbs up",
            "wave through",
        ],
        &["agree", "agree to", "allow", "go ahead", "grant", "let", "pass", "permit", "sign", "works for me"],
    ),
    action(
        "assign",
        &[
            "allocate", "assign", "assign to", "can do it", "can handle", "can look after", "can take care of",
            "can take it", "delegate", "farm out", "fob off to", "gave to", "get someone on", "get someone to do",
            "get to do", "give the job to", "give to", "given to", "hand it to", "hand to", "is handling",
            "is looking after", "is on it", "palm off", "pass to", "put on to", "put onto", "put someone on",
            "reassign", "reassign to", "take it on", "will do it", "will handle", "will look after", "will sort it",
            "will take it",
        ],
        &[
            "appoint", "gave", "give", "given", "hand over", "leave with", "nominate", "over to", "pass on", "put",
            "set", "to do",
        ],
    ),
    action(
        "book",
        &[
            "book", "book in", "can i come in", "fit me in", "fit them in", "get a room", "get a slot", "get a table",
            "get an appointment", "get in to see", "get me in", "grab a spot", "grab me a slot", "hire", "hold a spot",
            "hold a table", "make a booking", "make a reservation", "make an appointment", "nab a spot", "pencil in",
            "put aside a", "put in a booking", "put in the book", "put them down for", "reserve", "save a seat",
            "save a spot", "save me a spot", "slot in", "squeeze in", "squeeze me in", "squeeze them in",
            "take a booking", "wants an appointment", "would like to come in",
        ],
        &["arrange", "engage", "organize", "put down", "schedule", "secure", "set up"],
    ),
    action(
        "bring forward",
        &[
            "ahead of schedule", "an earlier time", "anything earlier", "anything sooner", "bring forward",
            "bring it forward", "brought forward", "do it earlier", "do it sooner", "earlier slot", "get in earlier",
            "get in sooner", "make it earlier", "move forward", "move it earlier", "move up", "pull forward",
            "pull in", "push forward", "sooner than",
        ],
        &["advance", "bump up", "earlier", "hasten", "prioritize", "quicker", "sooner"],
    ),
    action(
        "calculate",
        &[
            "add up", "calculate", "came to", "come to", "compute", "crunch", "do the math", "do the maths",
            "do the numbers", "do the sums", "figure out", "nut out", "put a number on", "reckon up", "run the math",
            "run the numbers", "suss out how much", "tally", "total", "work out",
        ],
        &["convert", "count", "estimate", "figure", "how many", "how much", "sum up", "times"],
    ),
    action(
        "calculate totals",
        &[
            "add it up", "add them up", "add up", "all in", "all together", "all told", "all up", "altogether",
            "bottom line", "calculate totals", "cash out", "cash up", "do the totals", "how much for everything",
            "in total", "recalc", "recalculate", "ring it up", "run the totals", "rung up", "sum up the", "tally up",
            "tot it up", "tot up", "total for", "total it up", "total of", "total up", "whats it all come to",
            "whats that come to", "whats the damage", "whats the grand total", "whats the sum", "whats the total",
            "work out the tab", "work out the total",
        ],
        &[
            "add together", "calculate", "combined", "cost up", "how much do they owe", "how much is it", "overall",
            "reckon up", "sum", "sum up", "tally", "total",
        ],
    ),
    action(
        "cancel",
        &[
            "abort", "all off", "axe", "back out", "bail on", "bail out", "call off", "cancel", "cant come",
            "cant make it anymore", "ditch", "dont need it anymore", "fall through", "fell through",
            "has fallen through", "is off", "isnt coming", "isnt going ahead", "isnt happening", "its off", "nix",
            "no longer need", "no longer needed", "not coming anymore", "not going ahead", "not happening anymore",
            "pull out", "pull out of", "pull the plug on", "revoke", "scrap", "the deals off", "void",
            "wont be coming", "wont be happening", "wont be needing",
        ],
        &[
            "can", "changed my mind", "delete", "drop", "end", "kill", "not going to", "reject", "scratch", "stop",
            "terminate", "undo",
        ],
    ),
    action(
        "clean",
        &[
            "clean", "clean out", "clean up", "dust", "hoover", "hose down", "hose out", "mop", "mop up", "scrub",
            "scrub down", "sweep", "sweep out", "sweep up", "swept", "tidy", "tidy up", "vacuum", "wash", "wipe down",
        ],
        &["clear out", "clear up", "do out", "make up", "polish", "rinse", "wipe"],
    ),
    action(
        "clock in",
        &[
            "bundy on", "clock in", "clock on", "im at work", "im here", "im on site", "ive arrived", "just got in",
            "just got to work", "on shift now", "on the clock", "punch in", "sign in", "start my day",
            "start my shift", "start shift", "start the clock", "started my shift", "starting now", "starting work",
        ],
        &["arrive", "check in", "get in", "got in", "log in", "log on", "start", "started"],
    ),
    action(
        "clock out",
        &[
            "bundy off", "calling it a day", "clock off", "clock out", "done for the day", "end my day",
            "end my shift", "end shift", "finish my shift", "finished my shift", "finishing up for the day",
            "heading home", "im off home", "knock off", "knocking off", "leaving for the day", "off the clock",
            "punch out", "sign out", "stop the clock",
        ],
        &["check out", "left work", "log off", "log out", "off home", "sign off"],
    ),
    action(
        "close",
        &[
            "call it done", "can be closed", "case closed", "close", "close down", "close off", "close out",
            "draw a line under", "end", "finish", "finish off", "mark as closed", "mark closed", "nothing more to do",
            "put a line under", "put to bed", "shut", "shut down", "tie off", "wrap up",
        ],
        &["archive", "complete", "conclude", "done with", "finalize", "resolve", "settle", "sign off"],
    ),
    action(
        "complete",
        &[
            "all done", "all sorted", "all wrapped up", "check off", "complete", "consider it done", "cross off",
            "done and dusted", "done with", "finish", "finish up", "get it done", "got it done", "gotten done",
            "has been done", "has been handled", "in the bag", "is done", "is sorted", "its done", "knock on the head",
            "knock over", "mark as completed", "mark as done", "mark as finished", "mark done", "mark off",
            "polish off", "put to bed", "strike off", "take care of", "taken care of", "thats done", "tick off",
            "took care of", "wrap it up",
        ],
        &[
            "close", "close out", "deal with", "did the", "knock off", "knock out", "saw to", "see to", "sort out",
            "wrap up",
        ],
    ),
    action(
        "confirm",
        &[
            "acknowledge", "all confirmed", "all good", "confirm", "confirm that", "double check with", "firm up",
            "get confirmation", "give confirmation", "good to go", "is confirmed", "lock in", "lock it down",
            "lock it in", "make certain", "make sure", "nail down", "thats correct", "thats right", "verify",
        ],
        &["accept", "agree", "approve", "attest", "check", "correct", "finalize", "ok", "validate"],
    ),
    action(
        "escalate",
        &[
            "bump it up", "bump up", "escalate", "get a manager", "get a supervisor", "get someone senior",
            "get the boss involved", "get the boss onto", "get the manager", "kick it upstairs", "kick upstairs",
            "raise with management", "raise with the boss", "raise with the manager", "speak to a manager",
            "take it further", "take it higher", "take to the boss", "up the chain", "up the ladder",
        ],
        &["bring to the attention of", "flag up", "flag with", "make urgent", "prioritize", "push up", "raise"],
    ),
    action(
        "estimate",
        &[
            "about how many", "about how much", "back of the envelope", "ballpark", "ballpark figure", "cost out",
            "cost up", "estimate", "finger in the air", "guess", "guesstimate", "have a stab at", "put a figure on",
            "put a number on", "rough figure", "rough idea", "roughly how long", "roughly how much", "roughly what",
            "take a stab at",
        ],
        &["assess", "calculate", "price up", "quote", "reckon", "work out"],
    ),
    action(
        "explain",
        &[
            "clarify", "clear up", "explain", "how do i", "how do you", "how does it work", "how does that work",
            "make sense of", "show how to", "show me how", "show me the ropes", "spell it out", "spell out",
            "spelled out", "talk me through", "tell me how", "walk me through", "what do you mean by",
            "what does it mean", "what does that mean",
        ],
        &["define", "describe", "go into", "say more", "tell me", "tell me about", "why is"],
    ),
    action(
        "finalize",
        &[
            "cement", "final version", "finalize", "finish off", "finishing touches", "firm up", "lock down",
            "lock in", "make final", "make it final", "make it official", "nail down", "ready to go out", "seal",
            "seal the deal", "set in stone", "sign off on", "thats final", "tidy up the last bits",
            "tie up loose ends",
        ],
        &["close off", "complete", "confirm", "finish", "good to go", "its final", "wrap up"],
    ),
    action(
        "follow up",
        &[
            "chase", "chase down", "chase up", "check back in with", "check back with", "check in with", "circle back",
            "follow up", "follow up on", "get back in touch", "get back onto", "nudge", "see how they got on",
            "see how theyre going", "see if they are still", "see if theyre still keen", "see where they are at",
            "see where theyre at", "touch base", "touch base with",
        ],
        &["call back", "check in", "check on", "get back to", "got back to", "pursue", "remind"],
    ),
    action(
        "hand over",
        &[
            "fill in on", "gave over to", "give over to", "give the rundown to", "hand across", "hand it over to",
            "hand off", "hand over", "handover", "over to you", "pass along", "pass it along", "pass on", "pass over",
            "pass the baton", "put in the hands of", "tag in", "tag out", "transfer to", "turn over to",
        ],
        &["assign", "delegate", "gave", "give", "given", "reassign", "transfer"],
    ),
    action(
        "inspect",
        &[
            "audit", "carry out an inspection", "cast an eye over", "check out", "check over", "do a safety check",
            "do a site visit", "do a walkthrough", "do an inspection", "give it the once over", "go and look at",
            "go out and look at", "have a look at", "inspect", "look over", "scope out", "survey", "visit the site",
            "walk around", "walk through",
        ],
        &["assess", "check", "have a look", "look at", "review", "test", "view"],
    ),
    action(
        "install",
        &[
            "bolt on", "chuck on", "deploy", "fit", "fit out", "get it up and running", "get running",
            "get up and running", "hook up", "install", "load onto", "mount", "plumb in", "put in", "put up", "rig up",
            "roll out", "set up", "wire in", "wire up",
        ],
        &["build", "download", "get", "load", "put on", "stand up"],
    ),
    action(
        "investigate",
        &[
            "delve into", "diagnose", "dig into", "do some digging", "drill into", "figure out whats wrong",
            "figure out why", "find out whats wrong", "find out why", "get to the bottom of", "investigate",
            "look into", "poke around", "probe", "see whats going on", "see whats wrong", "suss out", "troubleshoot",
            "work out whats wrong", "work out why",
        ],
        &["examine", "find out", "look at", "research", "study"],
    ),
    action(
        "log time",
        &[
            "book hours", "book my time", "book time", "clock time", "enter time", "i worked", "log hours",
            "log my hours", "log my time", "log time", "put down hours", "put in my hours", "put my hours in",
            "record hours", "record my hours", "record time", "spent an hour on", "spent half an hour on", "timesheet",
            "track time",
        ],
        &["clock", "hours", "spend", "spent", "time on", "worked", "worked on"],
    ),
];
