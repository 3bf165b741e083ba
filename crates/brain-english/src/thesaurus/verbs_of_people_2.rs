//! Actions between people: messages, staff, members, access and opinions (“notify” to “win”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 23] = [
    action(
        "notify",
        &[
            "alert", "give me a heads up", "give notice", "give notice to", "heads up", "inform", "let everyone know",
            "let her know", "let him know", "let know", "let me know", "let the team know", "let them know",
            "make aware", "make them aware", "notify", "serve notice", "tell", "tip off", "told",
        ],
        &["ping", "remind"],
    ),
    action(
        "plan",
        &[
            "arrange", "figure out how", "figure out what", "get organized", "get ready for", "laid out", "lay out",
            "map out", "organize", "outline", "plan", "plan out", "plot out", "prep", "prep for", "prepare",
            "prepare for", "set out", "sketch out", "think through",
        ],
        &["arrange for", "budget", "design", "look ahead", "project", "schedule", "think about", "work out"],
    ),
    action(
        "qualify",
        &[
            "are they serious", "good fit", "hot lead", "is a good lead", "is a hot one", "is a real lead", "is keen",
            "is serious", "qualify", "really keen", "see if they are serious", "see if theyre a fit", "seems keen",
            "serious about", "tire kicker", "vet", "warm lead", "worth a call", "worth chasing", "worth pursuing",
        ],
        &["assess", "check out", "evaluate", "interested", "keen", "promising", "serious"],
    ),
    action(
        "rate",
        &[
            "give a rating", "give a review", "give a thumbs up", "give feedback", "give it a five", "grade",
            "leave a review", "leave feedback", "left a review", "left feedback", "mark out of", "out of five",
            "out of ten", "post a review", "put up a review", "rank", "rate", "score", "stars", "write a review",
        ],
        &["appraise", "assess", "evaluate", "give", "judge", "mark", "review"],
    ),
    action(
        "recommend",
        &[
            "advise", "advise on", "any ideas", "any recommendations", "any suggestions", "give me some ideas",
            "point me to", "point me towards", "propose", "put forward", "recommend", "suggest", "what do you reckon",
            "what should i", "what should we do", "what would you do", "whats best", "whats the best",
            "which one is best", "which should i",
        ],
        &["find me a", "ideas for", "offer", "pick", "refer", "should i", "think of"],
    ),
    action(
        "reply",
        &[
            "answer", "answer back", "get back to", "got back to", "hit back with", "reply", "reply back", "reply to",
            "respond", "respond to", "send a response", "send back a message", "shoot back", "shot back",
            "tell her that", "tell him that", "tell them that", "write back", "written back", "wrote back",
        ],
        &["said", "say", "send back", "tell her", "tell him", "tell them"],
    ),
    action(
        "request leave",
        &[
            "apply for leave", "ask for leave", "book a holiday", "book annual leave", "book leave",
            "book my holidays", "call in sick", "called in sick", "calling in sick", "day off", "phone in sick",
            "put in a leave request", "put in for leave", "put in leave", "rang in sick", "request leave",
            "ring in sick", "take leave", "time off", "want monday off",
        ],
        &["away", "be away", "be off", "have off", "holiday"],
    ),
    action(
        "reset",
        &[
            "back to default", "back to factory", "cant remember my password", "change my password",
            "change the password", "dont remember my password", "forgot my password", "forgot password",
            "forgot the password", "forgotten my password", "lost my password", "new password", "password expired",
            "password has expired", "reset", "restore defaults", "set back to", "start fresh", "start from scratch",
            "start over",
        ],
        &["clear", "put back", "redo", "refresh", "set back", "undo"],
    ),
    action(
        "return",
        &[
            "back in", "back on the shelf", "bring back", "brought back", "came back", "drop back", "drop it back",
            "gave back", "get back", "give back", "given back", "hand back", "hand in", "has come back", "is back",
            "return", "returned it", "send back", "sent back", "turn in",
        ],
        &["come back", "exchange", "got back", "refund", "reverse"],
    ),
    action(
        "revoke access",
        &[
            "cut access", "cut off access", "cut their access", "doesnt need access", "kick off the system",
            "kick out of the system", "kill access", "kill the login", "kill their login", "lock out", "lock them out",
            "no longer needs access", "pull access", "pull their access", "remove access", "revoke access",
            "shouldnt be able to", "shouldnt have access", "take away access", "took away access",
        ],
        &["block", "deactivate", "deny", "remove", "revoke", "shut out", "withdraw"],
    ),
    action(
        "rewrite",
        &[
            "jazz up", "make it friendlier", "make it longer", "make it more formal", "make it more professional",
            "make it shorter", "make it sound", "punch up", "put it another way", "put it differently", "rephrase",
            "reword", "rewrite", "say it another way", "shorten", "soften", "tone down", "tone it down",
            "word it better", "word it differently",
        ],
        &["edit", "improve", "polish", "redo", "revise"],
    ),
    action(
        "roster",
        &[
            "cover a shift", "cover the shift", "fill a shift", "fill the shift", "find cover", "get cover",
            "give a shift", "give more hours", "give more shifts", "give shifts", "need someone for",
            "need someone to cover", "need someone to work", "put on a shift", "put on for", "put on shift", "roster",
            "roster on", "rostered on", "rota",
        ],
        &["allocate", "assign", "bring in", "cover", "schedule", "shift"],
    ),
    action(
        "send",
        &[
            "dispatch", "drop a line", "drop a line to", "drop an email", "drop an email to", "email", "fire across",
            "fire off", "fire over", "flick", "flick across", "flick an email", "flick over", "forward", "mail",
            "ping", "ping across", "ping over", "send", "send across", "send off", "send out", "send over",
            "send through", "sent", "sent off", "sent out", "sent over", "sent through", "shoot across",
            "shoot an email", "shoot off", "shoot over", "shot over", "whiz over", "zip over",
        ],
        &["deliver", "gave", "get to", "message", "post", "share", "ship", "submit", "text", "transmit"],
    ),
    action(
        "sign",
        &[
            "autograph", "came back signed", "countersign", "docusign", "dotted line", "esign", "get a signature",
            "get it signed", "get signed", "has been signed", "initial", "ink", "inked", "put my name to",
            "put pen to paper", "put your name to", "sign", "sign off", "signature on", "signed sealed delivered",
        ],
        &["agree to", "approve", "authorize", "confirm", "sign up", "witness"],
    ),
    action(
        "subscribe",
        &[
            "add to the mailing list", "add to the newsletter", "get emails from", "get on the mailing list",
            "get updates", "join the list", "join the mailing list", "opt in", "put on the list",
            "put on the mailing list", "put on the newsletter", "send me updates", "send updates", "sign on for",
            "sign up for", "sign up to", "start a plan", "start a subscription", "subscribe",
            "take out a subscription",
        ],
        &["enroll", "join", "join up", "register", "sign up", "watch"],
    ),
    action(
        "swap",
        &[
            "change places", "do a swap", "exchange", "interchange", "replace with", "sub in", "sub out", "substitute",
            "swap", "swap around", "swap for", "swap out", "swap over", "swap with", "switch around", "switch out",
            "switch over", "switch with", "swop", "trade",
        ],
        &["change", "exchange with", "replace", "rotate", "switch", "take instead"],
    ),
    action(
        "train",
        &[
            "break in", "bring up to speed", "coach", "do an induction", "get trained up", "get up to speed", "induct",
            "mentor", "run a session", "run a training", "run an induction", "run training", "show how",
            "show the ropes", "show them how", "taught", "teach", "train", "train up", "upskill",
        ],
        &["brief", "educate", "guide", "learn", "learnt", "onboard", "practice"],
    ),
    action(
        "unblock",
        &[
            "im locked out", "let back in", "let in again", "let me back in", "let them back in", "lift the ban",
            "lift the block", "lift the hold", "lift the suspension", "locked out", "reinstate access",
            "remove the block", "remove the hold", "take off the blacklist", "take off the block", "unban", "unblock",
            "unfreeze", "unlock", "unsuspend",
        ],
        &["allow", "free", "free up", "open up", "reinstate", "release"],
    ),
    action(
        "unenroll",
        &[
            "deregister", "disenroll", "drop out", "drop out of", "drop the class", "leave the class",
            "leave the course", "left the course", "pull out", "pull out of", "quit the class", "quit the course",
            "take off the course", "take off the roll", "take out of the class", "unenroll", "unregister",
            "withdraw from", "withdrawn from", "withdrew from",
        ],
        &["withdraw", "withdrawn", "withdrew"],
    ),
    action(
        "unsubscribe",
        &[
            "doesnt want any more emails", "doesnt want emails", "dont want emails", "get off the list",
            "get off the mailing list", "no more emails", "opt out", "remove from the list",
            "remove from the mailing list", "remove from the newsletter", "stop emailing", "stop sending",
            "stop texting", "stop the emails", "take off the list", "take off the mailing list",
            "take off the newsletter", "taken off the list", "took off the list", "unsubscribe",
        ],
        &["leave", "opted out", "quit", "stop"],
    ),
    action(
        "visit",
        &[
            "came by", "come by", "drop around", "drop by", "drop in", "go around to", "go out to", "go round to",
            "pop in", "pop over", "pop over to", "pop round", "stop by", "stop in", "swing by", "swing past",
            "swung by", "visit", "went around to", "went round to",
        ],
        &["attend", "go to", "meet", "saw", "see", "went to"],
    ),
    action(
        "wait",
        &[
            "bear with me", "bear with us", "give me a minute", "give me a moment", "give me a sec", "hang on",
            "held on", "hold on", "hold up", "hold your horses", "just a minute", "just a sec", "one moment",
            "one sec", "one second", "wait", "wait for", "wait until", "waiting for", "waiting on",
        ],
        &["hang", "hold", "leave it", "stay"],
    ),
    action(
        "win",
        &[
            "bag", "clinch", "close the deal", "closed the deal", "got the contract", "got the gig", "got the job",
            "in the bag", "land the job", "landed", "score the job", "scored the job", "seal the deal",
            "sealed the deal", "sign the contract", "signed the contract", "we got it", "went with us", "win", "won",
        ],
        &["close", "got", "land", "nab", "sign", "signed"],
    ),
];
