//! Small talk, and what only looks like it.

use super::*;

fn all(kind: SmallTalk, utterances: &[&str]) {
    for text in utterances {
        assert_eq!(small_talk(text), Some(kind), "{text}");
    }
}

#[test]
fn greetings() {
    let said = [
        "hi",
        "Hello!",
        "hey",
        "heyyy",
        "Hellooooo",
        "hii",
        "hi there",
        "Hey Brain",
        "good morning brain!",
        "Good evening.",
        "goood morning",
        "g'day mate",
        "G\u{2019}day",
        "morning all",
        "howdy \u{1f920}",
        "\u{1f44b}",
        "Hi!!! \u{1f600}\u{1f600}",
        "hello, hello",
        "oh hi",
        "HI",
        "Guten Tag",
        "nice to meet you",
    ];
    all(SmallTalk::Greeting, &said);
}

#[test]
fn goodbyes() {
    let said = [
        "bye",
        "Goodbye!",
        "byeee",
        "see you later",
        "good night",
        "have a nice day :)",
        "ok bye",
        "thanks, bye",
        "bye and thanks for your help",
        "take care",
        "that's all, see you tomorrow",
        "I'm off",
        "cya",
    ];
    all(SmallTalk::Goodbye, &said);
}

#[test]
fn gratitude() {
    let said = [
        "thanks",
        "Thanks a lot!",
        "thank you so much",
        "thx",
        "cheers mate",
        "thanksss",
        "ok thanks",
        "great, thank you",
        "perfect, thanks again",
        "thanks brain",
        "hi, thanks",
        "I appreciate it",
        "many thanks \u{1f64f}",
        "\u{1f64f}",
        "thank you for your help",
        "that's all, thanks",
        "thank you very much",
    ];
    all(SmallTalk::Gratitude, &said);
}

#[test]
fn chitchat() {
    let said = [
        "how are you",
        "Hi, how are you today?",
        "what's up",
        "who are you?",
        "What is your name",
        "are you a robot?",
        "you're great",
        "You\u{2019}re the best!",
        "good job",
        "well done brain",
        "lol",
        "hahaha",
        "sorry",
        "oops, my bad",
        "how's it going",
        "i love you",
        "hey brain, what's up?",
        "no worries",
    ];
    all(SmallTalk::Chitchat, &said);
}

#[test]
fn help() {
    let said = [
        "help",
        "Help!",
        "help me please",
        "what can you do",
        "What can you do?",
        "hi, what can you do for me",
        "I need help",
        "can you help me?",
        "how does this work",
        "please help",
        "hey brain, help",
        "I'm stuck",
        "what are my options?",
        "ok, what now",
        "helppp",
    ];
    all(SmallTalk::Help, &said);
}

#[test]
fn cancel_undo_and_repeat() {
    let cancel = [
        "cancel",
        "stop",
        "STOP!",
        "never mind",
        "nevermind",
        "nvm",
        "actually, never mind",
        "cancel that please",
        "no, stop",
        "oh no, cancel that",
        "forget it",
        "sorry, I changed my mind",
        "please cancel",
        "can you cancel that",
    ];
    all(SmallTalk::Cancel, &cancel);
    let undo = [
        "undo",
        "undo that",
        "Undo it please",
        "can you undo that?",
        "undo the last step",
        "oops, undo that",
        "take that back",
        "revert that",
        "no, undo it",
        "could you please undo what you just did",
    ];
    all(SmallTalk::Undo, &undo);
    let repeat = [
        "repeat that",
        "say that again",
        "Could you repeat that please?",
        "sorry, what was that?",
        "pardon?",
        "what?",
        "come again",
        "I didn't catch that",
        "what did you say",
        "can you say that again",
    ];
    all(SmallTalk::Repeat, &repeat);
}

#[test]
fn a_request_is_not_small_talk() {
    for text in [
        "hi, create a task",
        "hello, list my leads",
        "good morning, what are my tasks",
        "thanks, now delete lead 5",
        "thank you, and finalize the quote",
        "help me create a quote",
        "help with lead 5",
        "can you help me create a task",
        "cancel order 5",
        "cancel the order",
        "cancel my subscription",
        "cancel task 3",
        "stop the process",
        "stop run 5",
        "stop all timers",
        "never mind the first one, delete the second",
        "forget the quote",
        "undo lead 5",
        "undo the quote",
        "revert quote 12 to draft",
        "repeat the order",
        "repeat task 5 every week",
        "say hello to Bob",
        "how are you doing with lead 5",
        "what is your phone number",
        "who are you going to call",
        "what's up with lead 5",
        "you're great at quotes, make one",
        "what can you do with lead 5",
        "what can you tell me about Bob",
        "how do I use the api to create a lead",
        "thanks for the invoice",
        "bye the way, list tasks",
        "exit interview for Bob",
        "morning shift",
        "evening report",
        "hi 5",
        "yo-yo order",
        "help desk status",
        "good morning meeting at 9",
        "see you at 5 pm",
        "see quote",
        "hello world task",
        "note: thanks",
        "create note: hi",
        "send thanks to Bob",
        "say that again in German",
        "what was that lead",
        "sorry to bother you, list leads",
        "take that quote back to draft",
        "quit claim deed",
        "drop it in the folder",
        "leave it open",
        "status",
        "list tasks",
        "show my tasks",
        "are you up",
        "tell me a joke",
        "new lead: Hi Tran 0412 345 678 in Ryde",
        "remind me to say thanks",
        "commands list tools",
        "no thanks",
        "no thank you",
        "nope, thanks",
        "undo and cancel",
        "stop, undo that",
    ] {
        assert_eq!(small_talk(text), None, "{text}");
    }
}

#[test]
fn a_bare_answer_is_not_small_talk() {
    for text in [
        "yes", "no", "ok", "okay", "sure", "yes please", "no", "great", "perfect", "the second one", "later", "done",
        "", "   ", "?", "!!!", "\u{1f44d}", "5", "good", "right", "please", "brain", "and", "a", "all of them",
    ] {
        assert_eq!(small_talk(text), None, "{text}");
    }
}

#[test]
fn letters_may_be_drawn_out_but_not_added() {
    assert!(alike("heyyy", "hey") && alike("goood", "good") && alike("thankss", "thanks") && alike("hii", "hi"));
    assert!(!alike("stoop", "stop") && !alike("helllo", "help") && !alike("hell", "hello") && !alike("hey", "heyy"));
}

#[test]
fn kinds_have_plain_names() {
    assert_eq!(serde_json::to_value(SmallTalk::Greeting).unwrap(), "greeting");
    assert_eq!(serde_json::from_value::<SmallTalk>("chitchat".into()).unwrap(), SmallTalk::Chitchat);
}

mod never_panics {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn on_any_text(text in "\\PC{0,130}") {
            let _ = super::small_talk(&text);
        }

        #[test]
        fn and_a_number_is_always_substance(greeting in "hi|thanks|help|cancel|undo|bye|what can you do", number in 0_u32..100_000) {
            let text = format!("{greeting} {number}");
            prop_assert_eq!(super::small_talk(&text), None);
        }
    }
}
