//! Turns that need no tool, such as greetings.

use brain_nlu::SmallTalk;

use crate::{Kernel, NextAction};

impl Kernel {
    /// The reply to small talk, and suggestions for what to say next.
    pub(crate) fn chat(&self, talk: SmallTalk) -> (String, Vec<NextAction>) {
        let (things, examples) = self.offers();
        let text = match talk {
            SmallTalk::Greeting => "Hello. What can I do for you?",
            SmallTalk::Goodbye => return ("Goodbye.".into(), Vec::new()),
            SmallTalk::Gratitude => return ("You are welcome.".into(), Vec::new()),
            SmallTalk::Chitchat => "I am better at getting work done than at small talk.",
            SmallTalk::Help => "Tell me in your own words what should be done.",
            SmallTalk::Cancel => "There is nothing to cancel here. To cancel a run, give its id.",
            SmallTalk::Undo => {
                return ("Which run should be undone?".into(), vec![NextAction::ListRuns, NextAction::Undo]);
            }
            SmallTalk::Repeat => "Please say it again in full: I treat each request separately.",
        };
        (format!("{text}{things}"), examples)
    }
}
