//! Actions on work: starting, doing, checking and finishing it, and time (“analyze” to “log time”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 24] = [
    action(
        "analyze",
        &[
            "analyze", "break down", "broke down", "broken down", "crunch the data", "deep dive", "dig into",
            "drill down", "drill into", "insights into", "insights on", "interpret", "look at the numbers",
            "look for patterns", "make sense of", "see patterns in", "slice and dice", "tease apart", "trends in",
            "what can we learn from", "whats driving", "whats our best", "whats our biggest", "whats the trend",
            "where are we losing", "where are we spending", "whos our best",
        ],
        &["compare", "examine", "investigate", "report on", "study", "test", "unpack"],
    ),
    action(
        "approve",
        &[
            "accept", "all clear", "all good to go ahead", "approve", "authorize", "came back with a yes",
            "can go ahead", "cleared for", "endorse", "fine by me", "gave the go ahead", "gave the nod",
            "gets my vote", "give my blessing", "give the go ahead", "give the nod", "given the go ahead",
            "given the green light", "good by me", "got the go ahead", "got the nod", "green light", "greenlight",
            "happy to go ahead", "happy to proceed", "happy with the price", "has my blessing", "im fine with",
            "im good with", "im happy with", "let through", "lgtm", "looks good to me", "ok", "okay", "ratify",
            "rubber stamp", "rubberstamp", "said yes to", "sign off", "sign off on", "they are happy with",
            "they want to go ahead", "theyre happy with", "theyve said yes", "thumbs up", "tick of approval",
            "wants to go ahead", "wave through",
        ],
        &[
            "agree", "agree to", "allow", "confirm", "go ahead", "grant", "let", "pass", "permit", "said yes",
            "sanction", "say yes", "works for me", "yes to",
        ],
    ),
    action(
        "assign",
        &[
            "allocate", "allocated to", "assign", "assign to", "can do it", "can handle", "can look after",
            "can take care of", "can take it", "delegate", "designate", "dish out", "dole out", "farm out",
            "fob off to", "gave to", "get someone on", "get someone to do", "get to do", "give the job to", "give to",
            "given to", "hand to", "in charge of", "is doing it", "is going to do", "is handling", "is looking after",
            "is on it", "make responsible", "palm off", "pass to", "pop on to", "put in charge", "put on to",
            "put onto", "put someone on", "reassign", "reassign to", "responsible for", "send it to", "stick on",
            "take it on", "tee up with", "will do it", "will handle", "will look after", "will sort it",
            "will take it",
        ],
        &[
            "appoint", "gave", "give", "given", "hand over", "leave to", "leave with", "left with", "nominate",
            "over to", "pass on", "pick", "put", "to do",
        ],
    ),
    action(
        "book",
        &[
            "book", "book in", "can i come in", "fit me in", "fit them in", "get a room", "get a slot", "get a table",
            "get an appointment", "get booked in", "get in to see", "get me in", "grab a spot", "grab me a slot",
            "hire", "hold a spot", "hold a table", "make a booking", "make a reservation", "make a time",
            "make an appointment", "nab a spot", "need an appointment", "party of", "pencil in", "put aside a",
            "put in a booking", "put in the book", "put them down for", "reserve", "room for", "save a seat",
            "save a spot", "set up a booking", "set up an appointment", "slot in", "squeeze in", "table for",
            "take a booking", "wants an appointment", "would like to come in",
        ],
        &["arrange", "charter", "engage", "organize", "put down", "schedule", "secure", "set up"],
    ),
    action(
        "bring forward",
        &[
            "ahead of schedule", "an earlier time", "anything earlier", "anything sooner", "bring forward",
            "brought forward", "do it earlier", "do it sooner", "earlier slot", "expedite", "fast track",
            "get in earlier", "get in sooner", "hurry along", "hurry up", "make it earlier", "move forward",
            "move it earlier", "move up", "pull forward", "pull in", "push forward", "push up", "rush", "rush through",
            "shift earlier", "sooner than", "sped up", "speed up",
        ],
        &["advance", "bump up", "earlier", "hasten", "prioritize", "quicker", "sooner"],
    ),
    action(
        "calculate",
        &[
            "add up", "calculate", "compute", "crunch numbers", "divide by", "do the math", "do the maths",
            "do the numbers", "do the sums", "figure out", "multiply", "percentage of", "punch the numbers",
            "put a number on", "reckon up", "run the math", "run the numbers", "sum", "suss out how much", "tally",
            "times by", "total", "what does it come to", "what does that come to", "whats that in",
            "whats the average", "work out",
        ],
        &["average", "came to", "come to", "convert", "crunch", "figure", "nut out", "sum up", "times"],
    ),
    action(
        "calculate totals",
        &[
            "add up", "all in", "all together", "all told", "all up", "altogether", "bottom line", "calculate totals",
            "do the totals", "how much for everything", "in total", "recalc", "recalculate", "redo the totals",
            "run the totals", "rung up", "sum up the", "tally up", "tot up", "total for", "total of", "total up",
            "whats it all come to", "whats it come to", "whats that come to", "whats the damage",
            "whats the grand total", "whats the sum", "whats the tally", "whats the total", "work out the tab",
            "work out the total",
        ],
        &[
            "add together", "calculate", "cash out", "cash up", "combined", "come to", "cost up",
            "how much do they owe", "how much is it", "overall", "reckon up", "sum", "sum up",
        ],
    ),
    action(
        "cancel",
        &[
            "abort", "all off", "annul", "axe", "back down from", "back out", "bail on", "call off", "cancel",
            "cant come", "cant make it anymore", "changed her mind", "changed his mind", "changed our mind",
            "changed their mind", "cry off", "crying off", "ditch", "do away with", "dont need it anymore",
            "fall through", "fell through", "flake on", "flaked out", "forget about", "forget it", "give up on",
            "has fallen through", "is off", "isnt coming", "isnt going ahead", "isnt happening", "its off", "kibosh",
            "nix", "no longer going ahead", "no longer need", "no longer needed", "not coming anymore",
            "not going ahead", "not happening anymore", "pull out", "pull the plug on", "rescind", "revoke", "scrap",
            "the deals off", "void", "withdraw", "withdrawn", "withdrew", "wont be coming", "wont be happening",
            "wont be needing",
        ],
        &[
            "bail out", "bin it", "can", "changed my mind", "delete", "drop", "end", "kill", "never mind",
            "not going to", "reject", "scratch", "stop", "terminate", "undo",
        ],
    ),
    action(
        "clean",
        &[
            "clean", "clean down", "clean out", "clean up", "declutter", "disinfect", "do the dishes", "dust",
            "freshen up", "give it a wipe", "hoover", "hose down", "hose out", "make spotless", "mop", "mop up",
            "muck out", "needs a clean", "polish up", "sanitize", "scrub", "scrub down", "spruce up", "sweep",
            "sweep out", "sweep up", "swept", "tidy", "tidy up", "turn over the room", "vacuum", "wash", "wash down",
            "wash up", "wipe down",
        ],
        &["clear out", "clear up", "do out", "make up", "pick up after", "polish", "rinse", "wipe"],
    ),
    action(
        "clock in",
        &[
            "begin my shift", "bundy on", "clock in", "clock on", "im at work", "im here", "im on site", "ive arrived",
            "just got in", "just got to work", "on shift now", "on the clock", "punch in", "reporting for duty",
            "sign in", "start my day", "start shift", "start the clock", "start timer", "start tracking",
            "started my shift", "starting now", "starting work",
        ],
        &["arrive", "check in", "get in", "got in", "log in", "log on", "on site", "start", "started"],
    ),
    action(
        "clock out",
        &[
            "bundy off", "calling it a day", "clock off", "clock out", "done for the day", "end my day", "end shift",
            "finish my shift", "finish work", "finished my shift", "finishing up for the day", "heading home",
            "im off home", "im out of here", "knock off", "knocking off", "leaving for the day", "off the clock",
            "punch out", "sign out", "stop the clock", "stop timer", "thats me done", "thats me for the day",
        ],
        &["check out", "heading off", "leave", "left work", "log off", "log out", "off home"],
    ),
    action(
        "close",
        &[
            "bring to a close", "call it done", "can be closed", "case closed", "close", "close down", "close off",
            "close out", "draw a line under", "finish", "kill off", "mark as closed", "mark closed",
            "no further action", "nothing more to do", "put a line under", "put to bed", "shut", "shut down",
            "shut off", "tie off", "wrap up",
        ],
        &["archive", "complete", "conclude", "done with", "end", "finalize", "finish off", "resolve", "settle"],
    ),
    action(
        "complete",
        &[
            "all done", "all sorted", "all wrapped up", "already done", "bang out", "can be ticked off",
            "can come off the list", "check off", "complete", "consider it done", "cross off", "dealt with",
            "done and dusted", "done with", "finish", "finish off", "finish up", "finished with", "get it done",
            "get it over with", "get out of the way", "got it done", "got out of the way", "gotten done",
            "has been done", "has been handled", "in the bag", "is done", "is sorted", "its done", "ive done",
            "ive finished", "job done", "just finished", "knock on the head", "knock over", "mark as completed",
            "mark as done", "mark as finished", "mark done", "mark off", "nailed it", "polish off",
            "put away for good", "put to bed", "seen to", "signed sealed delivered", "smash out", "strike off",
            "take care of", "taken care of", "thats a wrap", "thats done", "tick off", "took care of", "weve finished",
        ],
        &[
            "already did", "bobs your uncle", "close", "deal with", "did the", "get through", "good to go",
            "got through", "just did", "knock off", "knock out", "out of the way", "saw to", "see to", "sort out",
            "wrap up",
        ],
    ),
    action(
        "confirm",
        &[
            "acknowledge", "all confirmed", "all systems go", "are we still on", "confirm", "confirm that",
            "count them in", "definitely coming", "definitely on", "double check with", "firm up", "get confirmation",
            "give confirmation", "is a goer", "is confirmed", "is good for", "lock and load", "lock in",
            "lock it down", "make certain", "make sure", "nail down", "reconfirm", "rsvp", "still happening",
            "still on for", "thats correct", "thats right", "verify", "will be attending", "will be there",
        ],
        &[
            "all good", "approve", "can make it", "correct", "good to go", "is coming", "its on", "they are coming",
            "theyre coming",
        ],
    ),
    action(
        "escalate",
        &[
            "above my pay grade", "bump up", "elevate", "escalate", "flag to the boss", "flag with management",
            "get a manager", "get a supervisor", "get someone senior", "get the boss involved", "get the boss onto",
            "get the manager", "go over their head", "kick up", "kick upstairs", "level two", "move up to",
            "needs someone senior", "out of my depth", "over my head", "raise with management", "raise with the boss",
            "raise with the manager", "second line", "speak to a manager", "speak to a supervisor",
            "speak to your manager", "take it further", "take it higher", "take to the boss", "take upstairs",
            "tier two", "up the chain", "up the ladder",
        ],
        &[
            "bring to the attention of", "flag up", "flag with", "make urgent", "prioritize", "push up", "raise",
            "refer",
        ],
    ),
    action(
        "estimate",
        &[
            "about how many", "about how much", "approximate", "back of the envelope", "ballpark", "ballpark figure",
            "cost out", "cost up", "estimate", "finger in the air", "forecast", "guess", "guesstimate",
            "have a stab at", "how long do you reckon", "how much do you reckon", "put a figure on", "put a number on",
            "rough figure", "rough idea", "roughly how long", "roughly how much", "roughly what", "size up",
            "take a stab at", "what do you reckon itll", "whats it likely to",
        ],
        &["assess", "calculate", "predict", "price up", "project", "quote", "reckon", "work out"],
    ),
    action(
        "explain",
        &[
            "break it down for me", "clarify", "clear up", "dumb it down", "elaborate", "elaborate on", "explain",
            "give me an example", "how come", "how do i", "how do you", "how does it work", "how does that work",
            "make sense of", "put it in plain english", "run me through", "shed light on", "show how to",
            "show me how", "show me the ropes", "spell out", "spelled out", "talk me through", "teach me",
            "tell me how", "walk me through", "what do you mean by", "what does it mean", "what does that mean",
            "whats the reason",
        ],
        &["define", "describe", "expand on", "go into", "say more", "tell me", "tell me about", "why is"],
    ),
    action(
        "finalize",
        &[
            "call it final", "final version", "finalize", "finish off", "finishing touches", "firm up", "ink it",
            "lock in", "make final", "make it official", "mark as final", "nail down", "ready to go out",
            "seal the deal", "set in stone", "shake on", "shook on", "sign off on", "square away", "thats final",
            "tidy up the last bits", "tie up loose ends",
        ],
        &["close off", "confirm", "finish", "good to go", "its final", "lock down", "seal", "wrap up"],
    ),
    action(
        "follow up",
        &[
            "bug them about", "chase", "chase down", "chase up", "check back in with", "check back with",
            "check in with", "circle back", "follow up", "follow up on", "followup", "get after",
            "get an answer out of", "get back in touch", "get back onto", "hassle", "havent heard back",
            "havent heard from", "hear back from", "hound", "keep chasing", "keep on at", "keep on top of",
            "loop back", "no reply from", "no response from", "not heard from", "nudge", "ping again", "prod",
            "reach back out", "revisit with", "see how they got on", "see how theyre going", "see if they are still",
            "see if theyre still keen", "see where they are at", "see where theyre at", "stay on top of", "touch base",
            "touch base with",
        ],
        &["call back", "check in", "check on", "get back to", "got back to", "pursue", "remind", "ring back"],
    ),
    action(
        "hand over",
        &[
            "entrust", "entrust to", "fill in on", "gave over to", "give over to", "give the rundown to",
            "hand across", "hand off", "hand over", "hand the reins", "handover", "leave in charge", "left in charge",
            "over to you", "pass along", "pass on", "pass over", "pass the baton", "put in the hands of", "tag in",
            "tag out", "take over from", "taken over from", "takes over from", "took over from", "transfer to",
            "turn over to",
        ],
        &["brief", "bring up to speed", "cover for", "delegate", "gave", "get up to speed", "give", "given"],
    ),
    action(
        "inspect",
        &[
            "audit", "carry out an inspection", "cast an eye over", "check out", "check over", "do a condition report",
            "do a safety check", "do a site visit", "do a walkthrough", "do an inspection", "do the rounds", "examine",
            "give it the once over", "go and look at", "go out and look at", "go over with", "inspect", "look over",
            "look round", "scope out", "survey", "take a look around", "vet", "visit the site", "walk around",
            "walk through",
        ],
        &["assess", "check", "have a look", "look at", "review", "test", "view", "visit"],
    ),
    action(
        "install",
        &[
            "bolt on", "chuck on", "connect up", "deploy", "fit a new", "fit out", "get installed", "get running",
            "get up and running", "hook up", "install", "load onto", "mount", "plumb in", "put in",
            "put it on my machine", "put on my laptop", "reinstall", "rig up", "roll out", "screw in", "set up",
            "wire in", "wire up",
        ],
        &["build", "download", "fit", "put on", "put up"],
    ),
    action(
        "investigate",
        &[
            "debug", "delve into", "diagnose", "dig into", "do some digging", "drill into", "figure out whats wrong",
            "figure out why", "find out whats wrong", "find out why", "get to the bottom of", "have a look at whats",
            "investigate", "look into", "nut out", "poke around", "probe", "root cause", "see whats going on",
            "see whats wrong", "suss out", "track down the cause", "troubleshoot", "what happened with",
            "what went wrong", "whats causing", "whats up with", "whats wrong with", "work out whats wrong",
            "work out why",
        ],
        &["explore", "look at", "run down", "trace", "why did", "why does", "why is", "why isnt", "why wont"],
    ),
    action(
        "log time",
        &[
            "bill my time to", "book hours", "book time", "charge my time to", "clock time", "did two hours on",
            "enter time", "hours against", "log hours", "log time", "put down hours", "put down two hours",
            "put in my hours", "put my hours in", "record hours", "record time", "spent an hour on",
            "spent half an hour on", "spent two hours on", "timesheet", "track time",
        ],
        &["clock", "hours on", "spend", "spent", "time on", "worked", "worked for", "worked on"],
    ),
];
