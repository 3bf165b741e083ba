//! Actions on work: starting, doing, checking and finishing it, and time (“maintain” to “unassign”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 24] = [
    action(
        "maintain",
        &[
            "do maintenance", "get serviced", "grease", "keep in good nick", "keep in good order", "keep on top of",
            "keep running", "keep ticking over", "keep up", "look after", "maintain", "maintenance on",
            "needs servicing", "oil", "overhaul", "service", "tune up", "upkeep",
        ],
        &["care for", "keep", "kept", "manage", "repair"],
    ),
    action(
        "measure",
        &[
            "gauge", "get a reading", "get measurements", "get the dimensions", "get the measurements", "how long is",
            "how tall is", "how wide is", "measure", "measure up", "run a tape over", "size up", "take a measurement",
            "take a reading", "take dimensions", "take measurements", "take readings", "take the measurements",
            "tape it", "weigh",
        ],
        &["calculate", "log", "meter", "reads", "record", "take", "took"],
    ),
    action(
        "pause",
        &[
            "freeze", "froze", "frozen", "hang fire", "held off", "hold off", "hold off on", "leave for now",
            "leave it for now", "on hold for now", "park", "pause", "put a pin in", "put on hold", "put on ice",
            "sat on", "sit on", "stand by on", "suspend", "take a break from",
        ],
        &["delay", "held", "hold", "shelve", "wait", "wait on"],
    ),
    action(
        "postpone",
        &[
            "defer", "delay", "held over", "hold off", "hold off on", "hold over", "kick down the road",
            "kick the can", "leave it till", "leave it until", "leave till", "leave until", "postpone", "push back",
            "push it back", "push out", "put back", "put off", "put on hold", "wait until",
        ],
        &["extend", "pause", "put to one side", "reschedule", "shelve", "suspend"],
    ),
    action(
        "reject",
        &[
            "bounce", "bounce back", "came back with a no", "cant approve", "decided against", "decline", "deny",
            "disapprove", "dismiss", "dont approve", "hard no", "its a no", "knock back", "knock it back",
            "no thanks to", "no to", "not approved", "not going ahead", "not happening", "rebuff", "refuse", "reject",
            "rule out", "said no", "say no", "shoot down", "shot down", "thats a no", "threw out", "throw out",
            "thrown out", "thumbs down", "turn down", "veto", "wont approve", "wont be going ahead",
        ],
        &[
            "block", "cancel", "cant do it", "disallow", "fail", "kick back", "not happy with", "not interested",
            "pass", "scrap", "wave off",
        ],
    ),
    action(
        "remind",
        &[
            "alert me", "bring it up again", "buzz me", "dont forget", "dont let me forget", "dont let us forget",
            "give me a heads up", "give me a nudge", "give me a poke", "give me a prod", "give me a shout",
            "got to remember", "gotta remember", "heads up before", "help me remember", "i must remember",
            "jog my memory", "make sure i", "mustnt forget", "nag me", "need to remember", "nudge me", "ping me",
            "poke me", "pop a reminder in", "prod me", "prompt me", "put a reminder in", "remember to", "remind",
            "set a reminder", "set an alarm", "set me a reminder", "stick a reminder in", "tell me again",
            "wake me up",
        ],
        &[
            "gotta", "i better", "i have to", "i must", "i ought to", "i should", "id better", "ive got to", "need to",
            "nudge", "prompt", "remember",
        ],
    ),
    action(
        "reopen",
        &[
            "back open", "closed by mistake", "closed too early", "happening again", "has come back",
            "isnt actually done", "isnt done yet", "isnt finished after all", "its back again", "mark as incomplete",
            "mark as not done", "not actually done", "not done after all", "not finished after all", "not really done",
            "open again", "open back up", "open it back up", "open up again", "put back on the list", "re open",
            "reopen", "shouldnt be closed", "shouldnt have closed", "spoke too soon", "still not fixed",
            "take another look at", "unclose", "uncomplete", "unmark as done", "unresolve", "untick",
            "wasnt actually done", "wasnt resolved",
        ],
        &[
            "back on", "bring back", "brought back", "reactivate", "restart", "restore", "resume", "revisit", "revive",
            "set back to open", "still broken", "still not working",
        ],
    ),
    action(
        "repair",
        &[
            "do up", "fix", "fix up", "get it fixed", "get it going again", "get it seen to", "get it working",
            "get working again", "make good", "mend", "needs fixing", "needs mending", "needs repairing",
            "needs seeing to", "patch", "patch up", "rectify", "repair", "restore", "touch up",
        ],
        &["correct", "rebuild", "rebuilt", "replace", "resolve", "service", "sort", "sort out"],
    ),
    action(
        "report",
        &[
            "breakdown of", "give me a breakdown", "give me a report on", "how are we doing", "how are we going for",
            "how are we tracking", "how did we do", "how did we go", "how have we been doing", "report", "report on",
            "run me the numbers", "show me the figures", "show me the numbers", "sum up", "summarize",
            "the figures for", "the numbers for", "whats the breakdown", "write up", "written up", "wrote up",
        ],
        &["breakdown", "figures", "numbers", "print", "produce", "results", "stats"],
    ),
    action(
        "report a problem",
        &[
            "cant access", "cant get in", "cant log in", "file a complaint", "file a ticket", "flag a problem",
            "flag an issue", "having a problem with", "having issues with", "having problems with",
            "having trouble with", "i cant get into", "ive got a problem with", "lodge a complaint", "lodge a ticket",
            "lodge an issue", "log a call with support", "log a fault", "log a job", "log a ticket", "log an issue",
            "make a complaint", "open a case", "open a ticket", "put a ticket in", "put in a request",
            "put in a ticket", "raise a ticket", "raise an issue", "report", "report a problem",
            "theres a problem with", "theres an issue with", "wont let me", "wont start", "wont turn on",
        ],
        &[
            "complain", "flag", "issue with", "log", "need a hand with", "need help with", "not working",
            "problem with", "raise", "struggling with", "trouble with", "wrong with",
        ],
    ),
    action(
        "reschedule",
        &[
            "a better time", "another day", "another time", "bump", "bump to", "can we do another",
            "can we do it another", "change my appointment", "change the appointment", "change the booking",
            "change the date", "change the day", "change the time", "different day", "different time",
            "find a new time", "kick back to", "make it", "make it earlier", "move", "move to", "need a new time",
            "new date for", "new time for", "now on", "push back", "push it to", "push out", "push to", "re book",
            "rebook", "reschedule", "shift", "shift to", "swap to", "switch to",
        ],
        &[
            "adjust", "alter", "cant make", "cant make it", "defer", "delay", "postpone", "running late", "swap",
            "switch",
        ],
    ),
    action(
        "resolve",
        &[
            "all good now", "back up and running", "clear up", "deal with", "dealt with", "fixed now", "get it sorted",
            "get sorted", "get to the bottom of", "got it sorted", "got it working", "has been fixed",
            "has been sorted", "iron out", "is fixed", "is working now", "its fine now", "its working now",
            "no longer a problem", "no longer an issue", "not an issue anymore", "problem solved", "put right",
            "resolve", "settle", "solve", "sort out", "sort that out", "straighten out", "take care of",
            "taken care of", "took care of", "up and running again", "work it out", "working again", "works now",
        ],
        &["answer", "close", "complete", "fix", "fix up", "handle", "mend", "remedy", "sort"],
    ),
    action(
        "resume",
        &[
            "back on", "back underway", "carry on", "continue", "get back into", "get back to", "get going again",
            "keep going with", "kick off again", "pick back up", "pick up again", "pick up where", "restart", "resume",
            "start again", "start back up", "take it off hold", "take off hold", "unfreeze", "unpause",
        ],
        &["go ahead", "go on with", "keep going", "proceed", "recommence", "reopen", "revive"],
    ),
    action(
        "review",
        &[
            "another set of eyes on", "cast an eye over", "check over", "critique", "give feedback on",
            "give it a read", "go over", "gone over", "have a read of", "look over", "look through", "proof",
            "proofread", "read over", "read through", "review", "run an eye over", "second pair of eyes",
            "second set of eyes", "went over",
        ],
        &["audit", "consider", "examine", "inspect", "read"],
    ),
    action(
        "schedule",
        &[
            "arrange", "block off", "block out", "book", "book in", "calendar", "diarize", "due by", "due on",
            "find a slot", "find a time", "find time for", "fit in", "fit me in", "get in the diary", "jack up",
            "line up", "make a time", "make time for", "organize", "pencil in", "plan for", "pop in the diary",
            "put in my diary", "put in the diary", "schedule", "set a date", "set a time", "set for", "slate for",
            "slot in", "squeeze in", "stick in the diary", "tee up", "teed up", "timetable",
        ],
        &["do on", "fix", "plan", "put", "put in", "reserve", "set"],
    ),
    action(
        "snooze",
        &[
            "another time", "ask me again", "bring it up again tomorrow", "come back to that", "give me another hour",
            "give me five minutes", "give me ten more minutes", "in a bit", "later", "leave it til tomorrow",
            "leave it until tomorrow", "leave till monday", "leave until tomorrow", "not now", "not right now",
            "push it out a bit", "put off for now", "sleep on it", "snooze", "some other time",
        ],
        &["defer", "delay", "pause", "postpone", "push", "put off"],
    ),
    action(
        "start",
        &[
            "began", "begin", "begun", "commence", "crack on with", "fire up", "get cracking", "get going", "get onto",
            "get started", "get stuck into", "get the ball rolling", "get to work on", "get under way", "im starting",
            "ive started", "kick off", "set off", "start", "starting on",
        ],
        &["begin with", "get on with", "initiate", "launch", "open", "run", "tackle"],
    ),
    action(
        "stop",
        &[
            "abort", "call it a day", "cease", "cut it out", "down tools", "end", "enough of", "give it a rest",
            "halt", "hold it right there", "knock it off", "leave it there", "no more", "pull the plug on", "quit",
            "shut it down", "stop", "stop sending",
        ],
        &["call off", "finish", "kill", "switch off", "terminate", "turn off"],
    ),
    action(
        "submit",
        &[
            "apply", "apply for", "enter for", "file", "fire off", "gave in", "get in", "give in", "got in", "hand in",
            "hand over for review", "lob in", "lodge", "log with", "pass in", "post off", "put forward", "put in for",
            "put through", "put up for", "send for approval", "send in", "send through", "send up", "sent in",
            "sent through", "ship it off", "submit", "table", "tender", "turn in",
        ],
        &["deliver", "enter", "hand up", "make a claim", "present", "propose", "push through", "upload"],
    ),
    action(
        "summarize",
        &[
            "boil down", "boil it down", "bullet points", "catch me up", "cliff notes", "condense", "fill me in on",
            "gist of", "give me a report on", "give me a rundown", "give me a rundown of", "give me a snapshot",
            "give me a summary", "give me an overview", "give me the gist", "highlights of", "in a nutshell",
            "in short", "key points", "main points", "overview of", "recap", "run me through", "rundown of",
            "rundown on", "short version", "snapshot of", "sum up", "summarize", "summary of", "the big picture",
            "the highlights", "the long and short", "the lowdown", "the tl dr", "tldr",
        ],
        &[
            "breakdown", "brief", "digest of", "outline", "overview", "put briefly", "roll up", "run down", "shorten",
            "the main things",
        ],
    ),
    action(
        "take",
        &[
            "assign me", "assign to me", "claim", "give it to me", "i got this", "ill do", "ill get it", "ill handle",
            "ill look after", "ill sort it", "ill take", "ive got this", "jump on", "leave it to me",
            "leave it with me", "mine", "put it on me", "put me down", "put me down for", "take",
        ],
        &["accept", "bags", "grab", "on it", "pick up", "volunteer", "volunteer for"],
    ),
    action(
        "test",
        &[
            "check it works", "dry run", "fire up and check", "give it a go", "give it a whirl", "have a go",
            "kick the tires", "make sure it works", "pilot", "put through its paces", "run some tests", "run tests",
            "see if it works", "take for a spin", "test", "test out", "trial", "try", "try out",
        ],
        &["experiment", "have a crack at", "measure", "prove", "verify"],
    ),
    action(
        "translate",
        &[
            "convert into", "how do i say", "how do you say", "in chinese", "in english", "in french", "in german",
            "in italian", "in mandarin", "in plain english", "in spanish", "interpret", "into english", "into french",
            "into spanish", "put into", "put it into", "render", "say in", "translate",
        ],
        &["convert", "explain", "rephrase", "reword", "switch to", "transcribe", "what does it mean"],
    ),
    action(
        "unassign",
        &[
            "back in the pool", "back in the queue", "cant do it anymore", "deallocate", "drop off", "free up",
            "hand back", "is no longer doing", "isnt doing it anymore", "let go of", "no longer assigned",
            "not assigned to", "relieve of", "remove from the job", "take me off", "take off", "take someone off",
            "unallocate", "unassign",
        ],
        &["not mine", "release", "relieve", "taken off", "took off"],
    ),
];
