//! Turns that need no tool: Brain answers them itself.

use brain_nlu::SmallTalk;

use crate::{Kernel, NextAction};

impl Kernel {
    /// What to say to small talk, and what could be said next.
    pub(crate) fn chat(&self, talk: SmallTalk) -> (String, Vec<NextAction>) {
        let (things, examples) = self.offers();
        let text = match talk {
            SmallTalk::Greeting => "Hello. What can I do for you?",
            SmallTalk::Goodbye => return ("Goodbye.".into(), Vec::new()),
            SmallTalk::Gratitude => return ("You are welcome.".into(), Vec::new()),
            SmallTalk::Chitchat => "I am better at getting work done than at talking.",
            SmallTalk::Help => "Tell me in your own words what should be done.",
            SmallTalk::Cancel => "Nothing is under way in this request. To stop a run, cancel it by its id.",
            SmallTalk::Undo => "Which run should be undone? Undo it by its id.",
            SmallTalk::Repeat => "Say it once more: each request stands for itself here.",
        };
        (format!("{text}{things}"), examples)
    }
}
