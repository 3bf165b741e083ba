//! Actions on work: starting, doing, checking and finishing it, and time (“maintain” to “unassign”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 24] = [
    action(
        "maintain",
        &[
            "do maintenance", "get serviced", "keep in good nick", "keep in good order", "keep on top of",
            "keep running", "keep ticking over", "keep up", "look after", "maintain", "maintenance on",
            "needs servicing", "overhaul", "service", "top up the oil", "tune up", "upkeep",
        ],
        &["care for", "grease", "keep", "kept", "oil", "repair"],
    ),
    action(
        "measure",
        &[
            "came in at", "came out at", "came to about", "clock at", "comes in at", "comes out at", "gauge",
            "get a reading", "get measurements", "get the dimensions", "how big is", "how deep is", "how far is it",
            "how heavy is", "how high is", "how long is", "how tall is", "how thick is", "how wide is", "it measures",
            "measure", "measure up", "measures out at", "pace out", "read the meter", "run a tape over", "size up",
            "take a measurement", "take a reading", "take dimensions", "take measurements", "take readings", "tape it",
        ],
        &["calculate", "meter", "reads", "record", "take", "took", "weigh"],
    ),
    action(
        "pause",
        &[
            "back burner", "hang fire", "held off", "hold off", "hold off on", "hold that thought", "leave for now",
            "not just yet", "on hold for now", "park", "pause", "put a pin in", "put on hold", "put on ice",
            "put to one side", "sat on", "sit on", "stand by on", "suspend", "take a break from", "tools down",
        ],
        &["freeze", "froze", "frozen", "held", "hold", "shelve", "wait", "wait on"],
    ),
    action(
        "postpone",
        &[
            "bump back", "defer", "delay", "extend the deadline", "get an extension", "give more time", "held over",
            "hold off", "hold off on", "hold over", "hold until", "kick down the road", "kick out to", "kick the can",
            "leave for another day", "leave till", "leave until", "move the deadline", "need more time on",
            "not today", "postpone", "push back", "push out", "put back", "put off", "put on hold", "put on ice",
            "rain check", "rain off", "rain out", "save for another day", "set back", "shift back", "stall",
            "take a rain check", "wait until",
        ],
        &["extend", "pause", "put to one side", "reschedule", "shelve", "suspend"],
    ),
    action(
        "reject",
        &[
            "bounce back", "came back with a no", "cant approve", "decided against", "decided not to", "decline",
            "deny", "disapprove", "doesnt want to go ahead", "dont approve", "dont want to go ahead",
            "go with someone else", "hard no", "isnt happy with", "its a no", "knock back", "no dice", "no thanks to",
            "not approved", "not going ahead", "not happening", "not up to scratch", "rebuff", "refuse", "reject",
            "rule out", "said no", "say no", "shoot down", "shot down", "thats a no", "thumbs down", "turn down",
            "veto", "went with someone else", "wont approve", "wont be going ahead",
        ],
        &[
            "blew off", "blow off", "blown off", "bounce", "dismiss", "fob off", "no go", "no to", "no way",
            "not good enough", "not interested", "threw out", "throw out", "thrown out",
        ],
    ),
    action(
        "remind",
        &[
            "alert me", "before i forget", "bring it up again", "bug me about", "buzz me", "dont forget",
            "dont let me forget", "dont let us forget", "give me a bell when", "give me a heads up", "give me a nudge",
            "give me a poke", "give me a prod", "give me a shout", "got to remember", "gotta remember",
            "heads up before", "help me remember", "i must remember", "in case i forget", "jog my memory",
            "keep me honest on", "lest i forget", "make sure i", "mustnt forget", "nag me", "need reminding",
            "need to remember", "nudge me", "ping me", "poke me", "pop a reminder in", "prod me", "prompt me",
            "put a reminder in", "put it in my diary", "put it on my radar", "remember to", "remind",
            "send a reminder", "set a reminder", "set an alarm", "stick a reminder in", "stick it in my diary",
            "tell me again", "tell me when its time", "wake me up",
        ],
        &[
            "chase", "gotta", "i better", "i have to", "i must", "i ought to", "i should", "id better", "ive got to",
            "need to", "note to self", "notify me", "nudge", "prompt", "remember",
        ],
    ),
    action(
        "reopen",
        &[
            "back open", "closed by mistake", "closed too early", "happening again", "has come back",
            "isnt actually done", "isnt done yet", "isnt finished after all", "its back again", "mark as incomplete",
            "mark as not done", "not actually done", "not done after all", "not finished after all", "not really done",
            "open again", "open back up", "open up again", "put back on the list", "re open", "reopen",
            "shouldnt be closed", "shouldnt have closed", "spoke too soon", "still not fixed", "take another look at",
            "unclose", "uncomplete", "unmark as done", "unresolve", "untick", "wasnt actually done", "wasnt resolved",
        ],
        &[
            "back on", "bring back", "brought back", "needs more work", "reactivate", "restart", "restore", "resume",
            "revisit", "revive", "same problem again", "set back to open", "still broken", "still not working",
        ],
    ),
    action(
        "repair",
        &[
            "bodge", "bring back to life", "do up", "fix", "fix up", "get it fixed", "get it going again",
            "get it seen to", "get it working", "get running again", "get working again", "have a crack at fixing",
            "have a go at fixing", "jerry rig", "make good", "mend", "needs fixing", "needs mending",
            "needs repairing", "needs seeing to", "overhaul", "patch", "patch up", "put back together", "recondition",
            "rectify", "refurbish", "repair", "replace the part", "restore", "stick back together", "stitch up",
            "tinker with", "touch up", "weld back",
        ],
        &["correct", "rebuild", "rebuilt", "redo", "replace", "resolve", "service", "sort", "sort out"],
    ),
    action(
        "report",
        &[
            "breakdown of", "get the stats", "give me a breakdown", "give me a report on", "how are we doing",
            "how are we going for", "how are we tracking", "how did we do", "how did we go", "how have we been doing",
            "how much did we make", "how much did we take", "how much have we made", "hows business",
            "pull the figures", "pull the numbers", "report", "report on", "run me the numbers", "show me the figures",
            "show me the numbers", "stats for", "sum up", "summarize", "takings for", "the figures for",
            "the numbers for", "the stats on", "whats the breakdown", "write up", "written up", "wrote up",
        ],
        &["breakdown", "figures", "numbers", "print", "produce", "results", "stats", "summary"],
    ),
    action(
        "report a problem",
        &[
            "cant access", "cant get in", "cant log in", "dob in", "doesnt work", "file a complaint", "file a ticket",
            "flag a problem", "flag an issue", "getting an error", "has broken", "has carked it", "has died",
            "having a problem with", "having issues with", "having problems with", "having trouble with",
            "i cant get into", "i get an error", "is acting up", "is not working", "is on the blink",
            "is on the fritz", "is playing up", "isnt working", "it says error", "ive got a problem with",
            "keeps crashing", "keeps dropping out", "keeps freezing", "lodge a complaint", "lodge a ticket",
            "lodge an issue", "log a call with support", "log a fault", "log a job", "log a ticket", "log an issue",
            "make a complaint", "open a case", "open a ticket", "playing up again", "put a ticket in",
            "put in a request", "put in a ticket", "raise a ticket", "raise an issue", "report", "report a problem",
            "something is up with", "something wrong with", "somethings wrong with", "stopped working",
            "theres a problem with", "theres an issue with", "wont connect", "wont let me", "wont open", "wont print",
            "wont start", "wont turn on", "wont work",
        ],
        &[
            "complain", "complain about", "im locked out", "is stuck", "issue with", "need a hand with",
            "need help with", "not happy with", "not working", "problem with", "trouble with", "wrong with",
        ],
    ),
    action(
        "reschedule",
        &[
            "a better time", "another day", "another time", "brought forward", "bump", "bump to", "can we do another",
            "change it to", "change my appointment", "change the appointment", "change the booking", "change the date",
            "change the day", "change the time", "different day", "different time", "find a new time", "kick back to",
            "make it", "make it earlier", "move", "move forward", "move to", "move up", "need a new time",
            "new date for", "new time for", "now at", "now on", "push back", "push out", "push to", "put off",
            "rain check", "re book", "rebook", "reschedule", "shift to", "slide to", "swap to", "swing it to",
            "switch to", "take a rain check",
        ],
        &[
            "adjust", "alter", "cant make", "defer", "delay", "postpone", "push", "reshuffle", "running late",
            "set back", "shift", "swap", "switch",
        ],
    ),
    action(
        "resolve",
        &[
            "all good now", "back up and running", "clear up", "deal with", "dealt with", "fixed now", "get sorted",
            "get to the bottom of", "got it sorted", "got it working", "has been fixed", "has been sorted", "iron out",
            "is fixed", "is working now", "its fine now", "its working now", "made it right", "make it right",
            "nip in the bud", "no longer a problem", "no longer an issue", "not an issue anymore", "patch up",
            "problem solved", "put right", "resolve", "smooth over", "solve", "sort out", "square away",
            "squared away", "straighten out", "up and running again", "work it out", "working again", "works now",
        ],
        &[
            "answer", "close", "fix", "fix up", "handle", "put to rest", "settle", "sort", "take care of",
            "taken care of", "took care of",
        ],
    ),
    action(
        "resume",
        &[
            "back in action", "back on", "back underway", "carry on", "continue", "get back into", "get going again",
            "keep going with", "kick off again", "off ice", "pick back up", "pick up again", "pick up where",
            "proceed with", "reactivate", "restart", "resume", "start again", "start back up", "take off hold",
            "unfreeze", "unpause",
        ],
        &["get back to", "go ahead", "go on with", "keep going", "proceed", "recommence", "reopen", "revive"],
    ),
    action(
        "review",
        &[
            "another set of eyes on", "appraise", "cast an eye over", "check over", "critique", "fresh eyes on",
            "give feedback on", "give it a read", "go over", "gone over", "have a read of", "look back over",
            "look over", "look through", "mark up", "proofread", "read over", "read through", "review", "revisit",
            "run an eye over", "scrutinize", "second pair of eyes", "second set of eyes", "vet", "went over",
        ],
        &["double check", "evaluate", "go through", "proof", "ran through", "read", "run through", "went through"],
    ),
    action(
        "schedule",
        &[
            "arrange", "block off", "block out", "book", "book in", "chuck in the calendar", "diarize", "due by",
            "due on", "find a slot", "find a time", "find time for", "fit in", "get in the diary",
            "get on the calendar", "get something in the diary", "jack up", "line up", "make a time", "make time for",
            "organize", "pencil in", "plan for", "pop in the calendar", "pop in the diary", "put down for",
            "put in my calendar", "put in my diary", "put in the calendar", "put in the diary", "put on the calendar",
            "schedule", "set a date", "set a time", "set for", "slate for", "slot in", "squeeze in",
            "stick in the calendar", "stick in the diary", "tee up", "teed up", "timetable", "whack in the calendar",
        ],
        &[
            "assign", "do on", "fix", "for next week", "for tomorrow", "make", "plan", "put", "put in", "reserve",
            "set", "set aside",
        ],
    ),
    action(
        "snooze",
        &[
            "ask me again", "ask me later", "bring it up again tomorrow", "circle back later", "come back to it later",
            "come back to me later", "come back to that", "do it later", "get back to me later",
            "give me another hour", "give me five minutes", "give me ten more minutes", "ill get to it later",
            "in a bit", "leave it til tomorrow", "leave it till later", "leave until tomorrow", "not now",
            "not right now", "push it out a bit", "put off for now", "remind me later", "sleep on it", "snooze",
            "some other time",
        ],
        &["another time", "defer", "delay", "later", "postpone", "push"],
    ),
    action(
        "start",
        &[
            "began", "begin", "begun", "commence", "crack on with", "get cracking", "get going", "get rolling",
            "get started", "get stuck into", "get the ball rolling", "get to work on", "get under way", "hook into",
            "im starting", "ive started", "kick off", "set in motion", "set off", "start", "starting on", "tuck into",
            "underway",
        ],
        &["begin with", "fire up", "get on with", "get onto", "initiate", "launch", "run"],
    ),
    action(
        "stop",
        &[
            "call it a day", "cease", "cut it out", "down tools", "give it a rest", "halt", "hold it right there",
            "leave it there", "no more", "pull the plug on", "put an end to", "shut down", "stop", "stop sending",
        ],
        &["abort", "call off", "end", "finish", "kill", "quit", "switch off", "turn off"],
    ),
    action(
        "submit",
        &[
            "apply", "apply for", "enter for", "gave in", "get in", "give in", "got in", "hand in",
            "hand over for review", "lob in", "lodge", "log with", "pass in", "post off", "put forward", "put through",
            "put up for", "send for approval", "send in", "send through", "send up", "sent in", "sent through",
            "ship it off", "submit", "tender", "turn in",
        ],
        &[
            "claim for", "deliver", "file", "fire off", "hand up", "make a claim", "present", "propose",
            "push through", "upload",
        ],
    ),
    action(
        "summarize",
        &[
            "abridge", "boil down", "bottom line it", "bullet points", "catch me up", "cliff notes", "condense",
            "digest", "fill me in on", "gist of", "give me a report on", "give me a rundown", "give me a snapshot",
            "give me a summary", "give me an overview", "give me the gist", "give me the headlines", "highlights of",
            "in a few words", "in a nutshell", "in short", "key points", "main points", "overview of", "recap",
            "round up of", "run me through", "rundown of", "rundown on", "short version", "snapshot of", "sum up",
            "summarize", "summary of", "the big picture", "the highlights", "the long and short", "the lowdown",
            "the tl dr", "tldr", "wrap up of",
        ],
        &[
            "breakdown", "brief", "digest of", "outline", "overview", "put briefly", "roll up", "run down", "shorten",
            "the main things",
        ],
    ),
    action(
        "take",
        &[
            "assign me", "count me in", "dibs", "dibs on", "give it to me", "grab it", "i got this", "ill do",
            "ill get it", "ill grab", "ill handle", "ill jump on", "ill look after", "ill pick up", "ill sort it",
            "ill take", "im on it", "im onto it", "ive got this", "leave it to me", "leave it with me",
            "let me handle", "put it on me", "put me down", "put my hand up for", "put my name on", "self assign",
            "stick my name on", "take", "take on", "taken on", "took on",
        ],
        &["accept", "bags", "claim", "happy to do", "i can do", "jump on", "mine", "on it"],
    ),
    action(
        "test",
        &[
            "check it works", "dry run", "fire up and check", "give it a go", "give it a try", "give it a whirl",
            "have a go", "kick the tires", "make sure it works", "put through its paces", "run tests",
            "see if it works", "take for a spin", "test", "test out", "trial", "try out",
        ],
        &["experiment", "have a crack at", "measure", "pilot", "prove", "try", "verify"],
    ),
    action(
        "translate",
        &[
            "convert into", "how do i say", "how do you say", "in chinese", "in english", "in french", "in german",
            "in italian", "in mandarin", "in plain english", "in spanish", "interpret", "into english", "into french",
            "into spanish", "put into", "reword in", "say in", "translate", "translate from", "translate into",
            "translate to",
        ],
        &["convert", "explain", "rephrase", "reword", "switch to", "transcribe", "what does it mean", "write in"],
    ),
    action(
        "unassign",
        &[
            "back in the pool", "back in the queue", "cant do it anymore", "deallocate", "free up", "hand back",
            "is no longer doing", "isnt doing it anymore", "let go of", "no longer assigned", "not assigned to",
            "relieve of", "remove from the job", "take me off", "take off the job", "take someone off", "unallocate",
            "unassign",
        ],
        &["drop off", "not mine", "release", "relieve", "take off", "taken off", "took off"],
    ),
];
