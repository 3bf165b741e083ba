//! Actions between people: messages, staff, members, access and opinions (“notify” to “win”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 23] = [
    action(
        "notify",
        &[
            "advise", "alert", "announce", "bring up to speed", "fill in", "flag to", "get the word out",
            "give me a heads up", "give me a shout when", "give me a yell", "give notice", "heads up", "inform",
            "keep in the loop", "keep informed", "keep posted", "keep updated", "let everyone know", "let know",
            "let the team know", "make aware", "make sure they know", "notify", "pass the word on", "put in the loop",
            "put the word out", "serve notice", "sing out if", "sing out when", "sound the alarm", "spread the word",
            "tell", "tell everyone", "tip off", "told", "update everyone", "warn",
        ],
        &["flag", "mention", "ping", "remind"],
    ),
    action(
        "plan",
        &[
            "figure out how", "figure out what", "gear up for", "get organized", "get ready for", "laid out",
            "lay out", "map out", "nut out", "orchestrate", "plan", "plan out", "plot out", "prep", "prep for",
            "prepare for", "scope out", "set out", "sketch out", "strategize", "think through",
        ],
        &["arrange", "coordinate", "line up", "organize", "outline", "plan for", "prepare", "work out"],
    ),
    action(
        "qualify",
        &[
            "are they serious", "disqualify", "good fit", "has the budget", "hot lead", "is a good lead",
            "is a hot one", "is a real lead", "is serious", "mark as qualified", "prequalify", "qualify",
            "ready to buy", "see if they are serious", "see if theyre a fit", "seems keen", "serious about",
            "tire kicker", "warm lead", "worth a call", "worth chasing", "worth pursuing",
        ],
        &["assess", "evaluate", "interested", "keen", "promising", "screen", "serious", "vet"],
    ),
    action(
        "rate",
        &[
            "give a rating", "give a review", "give a score", "give a thumbs up", "give feedback", "give five stars",
            "give it a five", "give marks", "give stars", "grade", "leave a review", "leave feedback", "left a review",
            "left feedback", "mark out of", "out of five", "out of ten", "post a review", "put up a review", "rate",
            "scored it", "write a review",
        ],
        &["assess", "evaluate", "rank", "score", "stars"],
    ),
    action(
        "recommend",
        &[
            "advise", "advise on", "any ideas", "any recommendations", "any suggestions", "brainstorm",
            "come up with some ideas", "give me some ideas", "help me choose", "help me decide", "help me pick",
            "next best", "point me to", "point me towards", "recommend", "steer me", "suggest", "what do you reckon",
            "what should i", "what should we do", "what would you do", "whats best", "whats good for",
            "which one is best", "which should i", "who would you", "your pick",
        ],
        &["find me a", "offer", "pick", "pitch", "propose", "put forward", "refer", "tip"],
    ),
    action(
        "reply",
        &[
            "answer", "answer back", "came back to", "come back to", "email back", "get back to", "got back to",
            "hit back with", "let them know that", "message back", "ping back", "reply", "reply back", "reply to",
            "respond", "respond to", "say back", "send a response", "send back a message", "shoot back", "shot back",
            "tell her that", "tell him that", "tell them that", "text back", "write back", "written back",
            "wrote back",
        ],
        &["acknowledge", "said", "say", "send back", "tell her", "tell him", "tell them"],
    ),
    action(
        "request leave",
        &[
            "apply for leave", "ask for leave", "book a holiday", "book annual leave", "book leave",
            "book my holidays", "call in sick", "called in sick", "calling in sick", "cant come in", "chuck a sickie",
            "chucking a sickie", "day off", "duck off early", "go on holiday", "go on leave", "go on vacation",
            "going away", "going on holiday", "going on leave", "going on vacation", "im crook", "im not well",
            "im sick", "knock off early", "leave early", "mental health day", "not coming in", "off sick",
            "on leave from", "phone in sick", "pull a sickie", "put in a leave request", "put in leave",
            "rang in sick", "request leave", "ring in sick", "take a rostered day", "take a sick day", "take leave",
            "take personal leave", "take vacation", "throw a sickie", "time off", "use my leave",
            "use some annual leave", "wont be coming in", "wont be in",
        ],
        &["away", "be away", "be off", "have off", "holiday", "not in"],
    ),
    action(
        "reset",
        &[
            "back to default", "back to factory", "back to square one", "back to zero", "cant remember my password",
            "change my password", "change the password", "dont remember my password", "forgot password",
            "forgotten my password", "go back to the start", "lost my password", "new password", "off and on again",
            "password expired", "power cycle", "reboot", "reinitialize", "reset", "reset to", "restore defaults",
            "set back to", "start from scratch", "turn it off and on", "wipe and start again",
        ],
        &["begin again", "restart", "start fresh", "start over", "undo", "zero"],
    ),
    action(
        "return",
        &[
            "back from", "back in", "back on the shelf", "bring back", "brought back", "came back", "drop back",
            "dropped back off", "fetch back", "gave back", "get back", "give back", "given back", "hand back",
            "hand in", "has come back", "is back", "its back", "post back", "return", "return to", "returned it",
            "send back", "sent back", "ship back", "take back", "taken back", "theyre back", "took back", "turn in",
        ],
        &["come back", "exchange", "go back", "got back", "refund", "reverse"],
    ),
    action(
        "revoke access",
        &[
            "cut access", "cut off access", "delete the login", "deprovision", "disable the account",
            "disable the login", "doesnt need access", "kick off the system", "kick out of the system", "kill access",
            "kill the login", "kill their login", "lock out", "no longer needs access", "pull access", "remove access",
            "remove permission", "remove the login", "revoke access", "shouldnt be able to", "shouldnt have access",
            "stop sharing", "strip rights", "take away access", "take away permission", "take away the keys",
            "take back the keys", "take off admin", "take off the system", "took away access", "unshare",
        ],
        &["block", "deactivate", "deny", "remove", "revoke", "shut out", "suspend", "withdraw"],
    ),
    action(
        "rewrite",
        &[
            "clean up the wording", "fix the wording", "jazz up", "less wordy", "make it friendlier", "make it longer",
            "make it more formal", "make it more professional", "make it shorter", "make it sound", "paraphrase",
            "polish up", "proofread", "punch up", "put it another way", "put it differently", "redraft", "rephrase",
            "reword", "rewrite", "rewritten", "rewrote", "say it another way", "shorten", "soften", "spruce up",
            "tidy up the wording", "tighten up", "tone down", "word it better", "word it differently",
        ],
        &["change", "edit", "improve", "polish", "redo", "revise", "touch up"],
    ),
    action(
        "roster",
        &[
            "can they work", "can you work", "cover a shift", "cover the shift", "fill a shift", "fill the shift",
            "find cover", "get cover", "get to work", "give a shift", "give more hours", "give more shifts",
            "give shifts", "need someone for", "need someone to cover", "need someone to work", "put down to work",
            "put on for", "put on shift", "roster", "roster off", "roster on", "rostered off", "rostered on", "rota",
            "short staffed", "staff", "whos on", "whos rostered", "whos working",
        ],
        &["allocate", "assign", "bring in", "cover", "schedule", "working on"],
    ),
    action(
        "send",
        &[
            "bang off", "blast out", "bung over", "chuck over to", "dispatch", "drop a line", "drop an email", "email",
            "fire across", "fire off", "fire over", "flick across", "flick an email", "flick it to", "flick me",
            "flick over", "forward", "get across to", "get it to", "get off to", "get out to", "get over to",
            "lob over", "mail", "pass along to", "pass on to", "ping", "ping across", "ping over", "pop across",
            "pop in the post", "pop over to", "put in the post", "send", "send across", "send it to", "send off",
            "send out", "send over", "send through", "sent", "sent off", "sent out", "sent over", "sent through",
            "shoot across", "shoot an email", "shoot off", "shoot over", "shot over", "stick in the post", "whiz over",
            "wing over", "zip over",
        ],
        &["deliver", "flick", "get to", "post", "relay", "ship", "submit", "text", "transmit"],
    ),
    action(
        "sign",
        &[
            "autograph", "came back signed", "countersign", "docusign", "dotted line", "esign", "execute",
            "get a signature", "get signed", "has been signed", "initial", "ink", "inked", "put my name to",
            "put pen to paper", "put their name to", "put your john hancock", "put your name to", "sign", "sign off",
            "signature on", "signed sealed delivered",
        ],
        &["accept", "agree to", "approve", "authorize", "commit to", "confirm", "sign up", "witness"],
    ),
    action(
        "subscribe",
        &[
            "add to the mailing list", "add to the newsletter", "become a member", "follow", "get emails from",
            "get on the mailing list", "get on the plan", "get updates", "go on autopay", "go on the plan",
            "join the list", "join the mailing list", "keep me posted", "opt in", "put on a plan", "put on the list",
            "put on the mailing list", "put on the newsletter", "send updates", "sign on for", "sign up for",
            "sign up to", "start a membership", "start a plan", "start a subscription", "subscribe",
            "take out a membership", "take out a subscription", "take up a membership", "wants to get the newsletter",
        ],
        &["buy", "enroll", "join", "join up", "sign up", "watch"],
    ),
    action(
        "swap",
        &[
            "change places", "cover for", "do a swap", "exchange", "flip around", "flip flop", "interchange",
            "replace with", "sub in", "sub out", "substitute", "swap", "swap around", "swap for", "swap out",
            "swap over", "swap with", "switch around", "switch out", "switch over", "switch with", "swop", "trade",
            "trade with",
        ],
        &["change", "exchange with", "replace", "rotate", "switch", "take instead", "trade off"],
    ),
    action(
        "train",
        &[
            "break in", "bring up to speed", "coach", "do a course", "do an induction", "get certified",
            "get qualified", "get their ticket", "get trained up", "get up to speed", "induct", "instruct", "mentor",
            "put through a course", "put through the course", "put through training", "run a session",
            "run an induction", "run training", "school", "shadow", "show how", "show the ropes", "taught", "teach",
            "train", "train up", "tutor", "upskill", "walk through",
        ],
        &["brief", "drill", "educate", "guide", "learn", "learnt", "onboard", "practice"],
    ),
    action(
        "unblock",
        &[
            "allowlist", "cant get into my account", "get back into", "get me back in", "im locked out", "let back in",
            "let in again", "lift the ban", "lift the block", "lift the hold", "lift the suspension", "locked out",
            "reinstate access", "remove the block", "remove the hold", "take off the blacklist", "take off the block",
            "unban", "unblock", "unfreeze", "unlock", "unrestrict", "unsuspend", "whitelist",
        ],
        &["allow", "free", "free up", "open up", "reinstate", "release", "reset"],
    ),
    action(
        "unenroll",
        &[
            "deregister", "disenroll", "doesnt want to do the", "drop out", "drop the class", "drop the course",
            "expel", "leave the class", "leave the course", "left the course", "not doing the class anymore",
            "quit the class", "quit the course", "remove from the class", "take off the course", "take off the roll",
            "take out of the class", "unenroll", "unregister", "withdraw from", "withdrawn from", "withdrew from",
            "wont be attending", "wont be doing the course",
        ],
        &["pull out", "withdraw", "withdrawn", "withdrew"],
    ),
    action(
        "unsubscribe",
        &[
            "cancel my membership", "cancel my subscription", "cancel the membership", "cancel the subscription",
            "cancel their membership", "come off the plan", "do not contact", "doesnt want any more emails",
            "doesnt want emails", "dont contact", "dont want emails", "end the membership", "end the subscription",
            "get off the list", "get off the mailing list", "leave the list", "left the list", "no more emails",
            "no more spam", "opt out", "remove from the list", "remove from the mailing list",
            "remove from the newsletter", "stop emailing", "stop sending", "stop texting", "stop the emails",
            "stop the subscription", "take off the list", "take off the mailing list", "take off the newsletter",
            "taken off the list", "took off the list", "unfollow", "unsubscribe",
        ],
        &["cancel", "leave", "opted out", "quit", "stop", "wants off"],
    ),
    action(
        "visit",
        &[
            "attend site", "call in on", "call round", "came by", "come by", "come out", "drop around", "drop by",
            "drop in", "duck out to", "duck over to", "duck round to", "get out to", "get over to", "get someone out",
            "go around to", "go on site", "go out to", "go round to", "go to site", "head out to", "head over to",
            "look in on", "nip over to", "nip round", "pop in", "pop over", "pop round", "rock up to", "run out to",
            "scoot over to", "see on site", "send someone out", "shoot round to", "stop by", "stop in", "swing by",
            "swing past", "swung by", "visit", "went around to", "went out to", "went round to", "whip round to",
        ],
        &["attend", "go past", "go to", "inspect", "meet", "saw", "see", "went to"],
    ),
    action(
        "wait",
        &[
            "bear with me", "bear with us", "brb", "give it a bit", "give me a minute", "give me a moment",
            "give me a sec", "half a mo", "half a tick", "hang about", "hang fire", "hang five", "hang on", "held on",
            "hold on", "hold the line", "hold tight", "hold up", "hold your horses", "just a minute", "just a sec",
            "just a tick", "not yet", "one moment", "one sec", "one second", "sit tight", "stand by", "two ticks",
            "wait", "wait for", "wait on", "wait until", "wait up", "waiting for", "waiting on",
        ],
        &["delay", "hang", "hold", "leave it", "on hold", "pause", "stay", "stop"],
    ),
    action(
        "win",
        &[
            "bring it home", "came through for us", "chose us", "close the deal", "closed the deal",
            "decided to go with us", "gave us the go ahead", "going with us", "got the contract", "got the gig",
            "got the job", "hit the jackpot", "in the bag", "land the job", "landed the job", "picked us",
            "score the job", "scored the job", "seal the deal", "sealed the deal", "sign the contract",
            "signed the contract", "they signed", "theyve signed", "we got it", "went with us", "win", "won",
        ],
        &["bag", "clinch", "close", "got", "land", "landed", "nab", "secure"],
    ),
];
