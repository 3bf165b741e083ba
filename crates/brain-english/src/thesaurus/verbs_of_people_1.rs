//! Actions between people: messages, staff, members, access and opinions (“activate” to “message”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 23] = [
    action(
        "activate",
        &[
            "activate", "bring online", "brought online", "enable", "fire up", "flick on", "get going",
            "get up and running", "go live", "kick into gear", "make active", "make it active", "mark as active",
            "put live", "set live", "set to active", "start up", "switch on", "turn on", "went live",
        ],
        &["begin", "launch", "light up", "open up", "start"],
    ),
    action(
        "ask",
        &[
            "ask", "ask around", "ask for", "check with", "find out", "found out", "get an answer from", "hit up for",
            "inquire", "pick the brains of", "pick their brain", "query", "quiz", "request", "run by", "see if he",
            "see if she", "see if they", "see whether they", "sound out",
        ],
        &["beg", "call on", "check", "clarify", "get from", "see if"],
    ),
    action(
        "block",
        &[
            "ban", "bar", "blacklist", "block", "blocklist", "cut off", "dont let in", "dont let them in",
            "freeze the account", "keep out", "kept out", "lock", "lock down", "lock out", "put a hold on",
            "put a stop on", "restrict", "shut out", "stop them from", "suspend the account",
        ],
        &["close off", "deny", "freeze", "froze", "frozen", "refuse", "stop", "suspend"],
    ),
    action(
        "call",
        &[
            "call", "call back", "call up", "dial", "dial up", "facetime", "get on the blower", "get on the horn",
            "get on the line", "give a bell", "give a buzz", "give a shout", "give a tinkle", "give her a bell",
            "give him a bell", "give them a bell", "give them a buzz", "phone", "phone back", "phone up", "rang",
            "rang back", "rang up", "ring", "ring back", "ring up", "rung", "telephone",
        ],
        &[
            "bell", "buzz", "get hold of", "get on to", "get onto", "hit up", "shout at", "speak to", "spoke to",
            "spoken to", "talk to",
        ],
    ),
    action(
        "check in",
        &[
            "are here", "arrive", "check in", "has arrived", "have arrived", "here for", "here to see", "hes here",
            "is here", "just arrived", "rock up", "rocked up", "shes here", "show up", "showed up", "shown up",
            "sign in", "theyre here", "turn up", "turned up",
        ],
        &["arriving", "came in", "clock in", "come in", "present", "receive", "register"],
    ),
    action(
        "check out",
        &[
            "all packed up", "are leaving", "check me out", "check out", "check them out", "checked out of", "depart",
            "get their stuff out", "hand back the key", "hand in the key", "have left", "is leaving", "leave", "left",
            "log departure", "move out", "moved out of", "sign out", "sign them out", "vacate",
        ],
        &["go", "leaving", "take out", "taken out", "took out", "went"],
    ),
    action(
        "complain",
        &[
            "complain", "complain about", "complaining about", "file a complaint", "gripe", "gripe about", "grumble",
            "grumble about", "had a go about", "isnt happy", "isnt happy with", "kick up a fuss", "kick up a stink",
            "kicking up a fuss", "lodge a complaint", "make a complaint", "moan", "moan about", "whine", "whinge",
        ],
        &["angry", "annoyed", "kick off", "lodge", "protest", "raise", "report", "upset"],
    ),
    action(
        "contact",
        &[
            "contact", "get a hold of", "get hold of", "get in touch", "get in touch with", "get on to", "get onto",
            "got hold of", "got in touch with", "have a chat to", "have a chat with", "have a word with", "reach out",
            "reach out to", "speak to", "speak with", "spoke to", "spoke with", "spoken to", "touch base with",
        ],
        &["call", "phone", "ring", "talk to"],
    ),
    action(
        "convert",
        &[
            "become a client", "become a customer", "change into", "change over to", "convert", "flip into", "flip to",
            "is now a client", "is now a customer", "make a customer", "make into", "make it into",
            "make them a customer", "move to customer", "theyre now a customer", "transform", "transform into",
            "turn into", "turn it into", "upgrade to",
        ],
        &["change", "create from", "make", "move", "switch", "translate", "turn"],
    ),
    action(
        "deactivate",
        &[
            "deactivate", "decommission", "disable", "flick off", "make inactive", "make it inactive",
            "mark as inactive", "power down", "put out of action", "set to inactive", "shut down", "shut off",
            "suspend", "switch off", "take offline", "take out of service", "taken offline", "took offline",
            "turn it off", "turn off",
        ],
        &["archive", "block", "freeze", "froze", "frozen", "pause", "take down"],
    ),
    action(
        "dismiss",
        &[
            "boot out", "dismiss", "end their employment", "fire", "give notice to", "give the boot", "give the flick",
            "got the sack", "laid off", "lay off", "let go", "let go of", "made redundant", "make redundant",
            "part company with", "part ways with", "sack", "show the door", "take off payroll", "terminate",
        ],
        &["axe", "discharge", "leave", "leaving", "left", "release", "remove"],
    ),
    action(
        "draft",
        &[
            "compose", "did up", "do up", "done up", "draft", "draft up", "draw up", "drawn up", "drew up", "knock up",
            "pen", "put pen to paper", "put together", "type up", "write", "write up", "written", "written up",
            "wrote", "wrote up",
        ],
        &["build", "create", "formulate", "generate", "get ready", "made", "make", "produce"],
    ),
    action(
        "email",
        &[
            "drop an email", "drop an email to", "e mail", "email", "flick an email", "mail", "shoot an email",
            "write to", "written to", "wrote to",
        ],
        &["cc", "mail out", "message", "write"],
    ),
    action(
        "enroll",
        &[
            "enroll", "get a place in", "get a place on", "get a spot in", "get on the course", "get onto the course",
            "put down for", "put in a class", "put in for", "put in the class", "put me down for", "put my name down",
            "put on a course", "put on the course", "put their name down", "put them down for", "register",
            "register for", "sign up", "sign up for",
        ],
        &["add", "book", "book in", "enlist", "enter", "get into", "subscribe"],
    ),
    action(
        "forward",
        &[
            "cc", "copy in", "flick it on to", "flick on", "forward", "forward on", "forward to", "fwd", "pass along",
            "pass it along", "pass it on", "pass on", "pass on to", "put through to", "redirect", "relay",
            "send along", "send on", "sent along", "sent on",
        ],
        &["direct", "hand on", "hand over", "point to", "refer", "send", "share", "transfer"],
    ),
    action(
        "grant access",
        &[
            "add permission", "allow in", "authorize", "gave access", "get access", "give access", "give access to",
            "give permission", "give permissions", "given access to", "grant access", "let in", "let into",
            "let them into", "let them see", "let use", "need access to", "needs access", "set up access",
            "sort access for", "sort out access",
        ],
        &["allow", "approve", "enable", "grant", "invite", "open up", "share"],
    ),
    action(
        "help",
        &[
            "assist", "assist with", "bail out", "chip in", "could do with a hand", "could use a hand",
            "do me a favor", "give a hand", "give me a hand", "give us a hand", "help", "help out", "help with",
            "im lost", "im stuck", "lend a hand", "muck in", "need a hand", "need a hand with", "pitch in",
        ],
        &["advise", "aid", "explain", "guide", "how do i", "show me how", "stuck"],
    ),
    action(
        "hire",
        &[
            "add to the team", "bring in", "bring on", "bring on board", "brought on", "employ", "gave the job to",
            "gets the job", "give the job to", "got the job", "hire", "join the team", "joined the team",
            "joining the team", "joining us", "recruit", "sign on", "start someone new", "take on", "taken on",
            "took on",
        ],
        &["bring aboard", "enlist", "get in", "rent", "retain", "snap up"],
    ),
    action(
        "invite",
        &[
            "add to the call", "add to the guest list", "add to the meeting", "ask along", "ask to come",
            "bring along", "brought along", "get along to", "get everyone to", "get them along", "get to come",
            "have along", "have over", "have round", "invite", "loop in", "put on the guest list", "send invites",
            "send out invites", "want them there",
        ],
        &["ask", "bring", "call in", "include", "summon", "welcome"],
    ),
    action(
        "lend",
        &[
            "borrow", "gave out", "give out", "given out", "has borrowed", "hire out", "is borrowing", "issue to",
            "lend", "lend out", "lend to", "lent", "lent out", "lent to", "let have for", "loan", "loan out",
            "loan to", "out on loan", "rent out",
        ],
        &["book out", "gave", "give", "given", "hand out", "rent"],
    ),
    action(
        "lose",
        &[
            "chose someone else", "didnt get it", "didnt get the job", "go elsewhere", "going elsewhere",
            "going with someone else", "gone elsewhere", "gone with another", "gone with someone else", "lose", "lost",
            "lost out", "missed out", "went a different way", "went another way", "went cold", "went elsewhere",
            "went with a competitor", "went with another", "went with someone else",
        ],
        &["cancel", "drop", "lose out", "not interested", "passed on", "said no"],
    ),
    action(
        "meet",
        &[
            "catch up", "catch up with", "caught up with", "do lunch", "get a coffee with", "get together",
            "got together with", "grab a coffee", "grab lunch with", "had a meeting with", "have a coffee with",
            "have a meeting", "meet", "meet up", "meet with", "met", "met with", "sat down with", "set up a meeting",
            "sit down with",
        ],
        &["convene", "gather", "saw", "see", "seen", "speak to", "talk to"],
    ),
    action(
        "message",
        &[
            "dm", "drop a line", "get word to", "let her know", "let him know", "let them know", "message", "ping",
            "slide into", "sms", "tell everyone", "tell her", "tell him", "tell that", "tell them", "text", "whatsapp",
            "write to", "written to", "wrote to",
        ],
        &["contact", "email", "tell", "write", "written", "wrote"],
    ),
];
