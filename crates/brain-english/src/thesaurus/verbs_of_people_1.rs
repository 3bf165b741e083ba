//! Actions between people: messages, staff, members, access and opinions (“activate” to “message”).

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 23] = [
    action(
        "activate",
        &[
            "activate", "bring into service", "bring online", "brought online", "enable", "fire up", "flick on",
            "flip on", "get going", "get up and running", "get working", "go live", "kick into gear", "make active",
            "make available", "mark as active", "power on", "power up", "put into action", "put into effect",
            "put live", "reactivate", "set live", "set to active", "start up", "switch back on", "switch on",
            "turn back on", "turn on", "unlock", "went live",
        ],
        &["begin", "launch", "light up", "open up", "start"],
    ),
    action(
        "ask",
        &[
            "ask", "ask around", "ask for", "check with", "find out", "found out", "get a second opinion",
            "get an answer from", "get clarification", "get their opinion", "get their thoughts", "hit up for",
            "inquire", "is asking", "pick the brains of", "pick their brain", "poll", "pose", "put out a feeler",
            "query", "question", "quiz", "ran it past", "run by", "run past", "see if he", "see if she", "see if they",
            "see whether they", "sound out", "survey", "wants to know", "was asking", "wondering if",
        ],
        &["beg", "call on", "check", "clarify", "get from", "request", "see if"],
    ),
    action(
        "block",
        &[
            "ban", "blacklist", "block", "blocklist", "dont let in", "dont serve", "freeze the account", "keep out",
            "kept out", "lock", "lock down", "lock out", "put a hold on", "put a stop on", "refuse service",
            "restrict", "revoke access", "shut out", "stop them from", "suspend the account",
        ],
        &["bar", "close off", "cut off", "deny", "freeze", "kick off", "kick out", "prevent", "refuse"],
    ),
    action(
        "call",
        &[
            "call", "call back", "call up", "dial", "dial up", "facetime", "get on the blower", "get on the horn",
            "get on the line", "give a bell", "give a buzz", "give a shout", "give a tinkle", "phone", "phone back",
            "phone up", "rang", "rang back", "rang up", "ring", "ring back", "ring up", "rung", "telephone",
        ],
        &[
            "bell", "buzz", "get hold of", "get on to", "get onto", "hit up", "reach", "shout at", "speak to",
            "spoke to", "spoken to", "talk to", "tried", "try",
        ],
    ),
    action(
        "check in",
        &[
            "admit", "are here", "arrive", "at reception", "at the front desk", "came in for", "check in",
            "check into", "get a key", "get settled in", "get them checked in", "has arrived", "have arrived",
            "here for", "here to see", "hes here", "in attendance", "in reception", "in the lobby",
            "in the waiting room", "is here", "just arrived", "just walked in", "let in", "log arrival",
            "mark as arrived", "mark as here", "mark as present", "mark present", "rock up", "rocked up", "shes here",
            "show up", "showed up", "shown up", "sign in", "theyre here", "tick off the list", "turn up", "turned up",
            "walk in", "welcome",
        ],
        &["arriving", "at the door", "came in", "clock in", "come in", "present", "receive", "register"],
    ),
    action(
        "check out",
        &[
            "all packed up", "are leaving", "check out", "checked out of", "depart", "discharge",
            "get their stuff out", "gone home", "hand back the key", "hand in the key", "has left", "have left",
            "heading off", "heading out", "hes left", "is leaving", "just left", "late checkout", "log departure",
            "mark as left", "move out", "moved out of", "out of the room", "return the key", "settle up and leave",
            "shes left", "sign out", "theyve left", "vacate",
        ],
        &["go", "leave", "leaving", "left", "take out", "took out", "went"],
    ),
    action(
        "complain",
        &[
            "angry about", "arent happy with", "bad review", "cheesed off", "complain", "complain about",
            "complaining about", "cracked it", "cracked the sads", "disappointed with", "dissatisfied with",
            "express dissatisfaction", "file a complaint", "fuming about", "gripe", "gripe about", "grumble",
            "grumble about", "had a bad experience", "had a go about", "hit the roof", "is cranky about",
            "is filthy about", "is fuming", "is livid", "is ropeable", "is ticked off", "isnt happy",
            "isnt happy with", "its a joke", "kick up a fuss", "kick up a stink", "kicking up a fuss", "livid about",
            "lodge a complaint", "make a complaint", "moan", "moan about", "not good enough", "not happy",
            "not happy with", "spat the dummy", "this isnt good enough", "unhappy about", "unhappy with",
            "upset about", "wasnt happy with", "whine", "whinge",
        ],
        &["angry", "annoyed", "kick off", "lodge", "object", "protest", "raise", "report", "upset"],
    ),
    action(
        "contact",
        &[
            "catch up with", "caught up with", "connect with", "contact", "drop a line to", "get ahold of",
            "get hold of", "get in touch", "get in touch with", "get on to", "get onto", "get through to",
            "give a shout", "got hold of", "got in touch with", "got through to", "had a chat with", "had a word with",
            "have a chat to", "have a chat with", "have a natter with", "have a word with", "have a yarn with",
            "hit up", "liaize with", "raise", "reach", "reach out", "speak to", "speak with", "spoke to", "spoke with",
            "spoken to", "touch base with",
        ],
        &["call", "phone", "ring", "saw", "see", "talk to"],
    ),
    action(
        "convert",
        &[
            "become a client", "become a customer", "change into", "change over to", "convert", "flip into", "flip to",
            "is now a client", "is now a customer", "make a customer", "make into", "make that an invoice",
            "move to customer", "promote to", "push through to", "roll into a", "theyre now a customer", "transform",
            "transform into", "turn into", "upgrade to",
        ],
        &["change", "create from", "generate from", "make", "move", "switch", "translate", "turn"],
    ),
    action(
        "deactivate",
        &[
            "close the account", "close their account", "cut off", "deactivate", "decommission", "disable",
            "flick off", "inactivate", "make dormant", "make inactive", "mark as inactive", "no longer active",
            "no longer with us", "not active anymore", "power down", "put out of action", "retire", "set to inactive",
            "shut off", "shut the account", "stand down", "switch off", "take offline", "take out of service",
            "taken offline", "took offline", "turn off", "wind down",
        ],
        &["archive", "block", "freeze", "froze", "frozen", "pause", "suspend", "take down"],
    ),
    action(
        "dismiss",
        &[
            "boot out", "can", "cut loose", "dismiss", "doesnt work here anymore", "end their employment", "fire",
            "give marching orders", "give notice to", "give the boot", "give the flick", "got the sack",
            "hand in notice", "handed in notice", "has left the company", "has left us", "has resigned",
            "is leaving us", "laid off", "lay off", "let go", "made redundant", "make redundant", "moved on",
            "no longer works for us", "no longer works here", "off board", "offboard", "part company with",
            "part ways with", "pink slip", "quit", "resign", "retrench", "sack", "show the door", "take off payroll",
        ],
        &["axe", "discharge", "leaving", "left", "release", "remove", "terminate"],
    ),
    action(
        "draft",
        &[
            "author", "bang out", "came up with", "come up with", "compose", "did up", "do up", "done up", "draft",
            "draft out", "draft up", "draw up", "drawn up", "drew up", "first go at", "first pass at", "help me write",
            "knock up", "mock up", "outline", "prepare", "put together", "rough out", "sketch out", "type up",
            "whip up", "word", "write me a", "write up", "written up", "wrote up",
        ],
        &["generate", "made", "pen", "produce", "put pen to paper", "write", "written", "wrote"],
    ),
    action(
        "email",
        &[
            "drop an email", "e mail", "email", "flick an email", "mail", "shoot an email", "write to", "written to",
            "wrote to",
        ],
        &["bcc", "cc", "mail out", "message", "write"],
    ),
    action(
        "enroll",
        &[
            "add to the class", "add to the course", "add to the roll", "admit", "book into", "enroll",
            "get a place in", "get a place on", "get a spot in", "get on the course", "get onto the course",
            "get them into", "join", "join up", "matriculate", "on the roll", "put down for", "put in a class",
            "put in for", "put in the class", "put my name down", "put on a course", "put on the course",
            "put their name down", "register", "register for", "sign up", "signed up to", "take up a place",
            "wants to do the",
        ],
        &["add", "admitted", "book", "book in", "enlist", "enter", "get into", "subscribe"],
    ),
    action(
        "forward",
        &[
            "bat on to", "bounce to", "cc", "copy in", "divert", "flick on", "forward", "forward on", "forward to",
            "fwd", "kick across to", "kick over to", "loop in", "on send", "onforward", "pass along", "pass on",
            "patch through", "put through to", "redirect", "relay", "reroute", "route", "route to", "send along",
            "send on", "sent along", "sent on", "share on",
        ],
        &["direct", "hand on", "hand over", "point to", "refer", "send", "share", "transfer"],
    ),
    action(
        "grant access",
        &[
            "add permission", "add to the group", "allow in", "authorize", "gave access", "get a login", "get access",
            "give a login", "give access", "give admin rights", "give editing rights", "give permission",
            "give permissions", "give rights", "give the keys to", "give the password", "given access to",
            "grant access", "let in", "let into", "let them see", "let use", "make admin", "need a login",
            "need access to", "needs a login for", "needs access", "permit", "provision", "set up a login",
            "set up access", "set up with a login", "sort access for", "sort out access", "whitelist",
        ],
        &["allow", "approve", "enable", "grant", "invite", "open up", "share", "unlock"],
    ),
    action(
        "help",
        &[
            "assist", "assist with", "chip in", "could do with a hand", "could use a hand", "get assistance",
            "give a hand", "help", "help out", "help with", "im lost", "im stuck", "lend a hand", "muck in",
            "need a hand", "need a hand with", "pitch in", "pull together", "support", "what can you do",
            "whats possible",
        ],
        &["advise", "aid", "back up", "bail out", "do me a favor", "do us a favor", "guide", "what can i do"],
    ),
    action(
        "hire",
        &[
            "add to the team", "appoint", "bring in", "bring on", "bring on board", "brought on", "contract", "employ",
            "engage", "fill the position", "fill the role", "gave the job to", "get extra hands", "get someone in",
            "gets the job", "give the job to", "headhunt", "hire", "is starting on", "join the team",
            "joined the team", "joining the team", "joining us", "make an offer", "new hire", "new starter",
            "offer a job", "offer the job", "offer the position", "offer the role", "on board", "onboard", "poach",
            "put on", "recruit", "sign on", "staff up", "start someone new", "starting with us", "starts with us",
            "take on", "taken on", "took on",
        ],
        &["bring aboard", "enlist", "get in", "got the job", "rent", "retain", "snap up"],
    ),
    action(
        "invite",
        &[
            "add to the call", "add to the guest list", "add to the meeting", "ask along", "ask to come",
            "ask to join", "extend an invitation", "get along to", "get everyone to",
            "get in on", "get them along", "get to come", "have along", "have join", "have over", "have round",
            "include in the meeting", "invite", "put on the guest list", "rope in", "send invites", "send out invites",
            "should come to", "want her there", "want him there", "want them there", "would like them to come",
        ],
        &["ask", "bid", "bring", "call in", "include", "summon", "welcome"],
    ),
    action(
        "lend",
        &[
            "gave out", "give out", "given out", "has borrowed", "hire out", "is borrowing", "issue to", "lend",
            "lend out", "lend to", "lent", "lent out", "lent to", "let borrow", "let have for", "let out", "let use",
            "loan", "loan out", "loan to", "out on loan", "rent out", "take out", "taken out", "took home", "took out",
            "wants to borrow", "would like to borrow",
        ],
        &["book out", "borrow", "gave", "give", "given", "hand out", "rent"],
    ),
    action(
        "lose",
        &[
            "came to nothing", "chose someone else", "dead in the water", "didnt come off", "didnt get it",
            "didnt get the job", "didnt work out", "fallen through", "fell over", "fell through", "ghosted us",
            "go elsewhere", "going elsewhere", "going with someone else", "gone cold", "gone dark", "gone elsewhere",
            "gone quiet", "gone with another", "gone with someone else", "isnt interested anymore", "knocked us back",
            "lose", "lost", "lost out", "missed out", "no longer interested", "not interested anymore",
            "slip through our fingers", "theyve gone off the idea", "turned us down", "went a different way",
            "went another way", "went cold", "went dark", "went elsewhere", "went nowhere", "went quiet",
            "went with a competitor", "went with another", "went with someone else",
        ],
        &["cancel", "dropped out", "lose out", "no go", "passed on", "went south"],
    ),
    action(
        "meet",
        &[
            "catch up", "catch up with", "caught up with", "do lunch", "face to face", "get a coffee with",
            "get everyone together", "get in a room with", "get the team together", "get together",
            "got together with", "grab a coffee", "grab lunch with", "had a meeting with", "have a chat",
            "have a chat with", "have a coffee with", "have a meeting", "huddle", "jump on zoom", "meet", "meet up",
            "meet with", "met up with", "met with", "pow wow", "sat down with", "set up a meeting", "sit down with",
            "sync up with",
        ],
        &["convene", "gather", "met", "saw", "see", "seen", "speak to", "talk to"],
    ),
    action(
        "message",
        &[
            "dm", "drop a line", "get word to", "inbox", "let her know", "let him know", "let know that",
            "let them know", "message", "ping", "send a note", "send a quick note", "slack", "slide into", "sms",
            "tell everyone", "tell her", "tell him", "tell that", "tell them", "text", "whatsapp", "write to",
            "written to", "wrote to",
        ],
        &["contact", "email", "tell", "told", "write", "written", "wrote"],
    ),
];
