//! The message of a report: the outcome of a request, as a person would put it.

use brain_vm::{End, Phase, State, StepState};

/// Maximum number of tool sentences listed.
const MAX_LINES: usize = 50;

/// A message under construction.
#[derive(Default)]
pub(super) struct Message {
    /// The tools' sentences, one per line.
    lines: Vec<String>,
    /// Additional sentences.
    sentences: Vec<String>,
}

impl Message {
    /// Adds the tools' sentences.
    pub(super) fn lines<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        self.lines.extend(lines.iter().take(MAX_LINES).map(|line| (*line).to_owned()));
        if lines.len() > MAX_LINES {
            self.lines.push(format!("… and {} more.", lines.len() - MAX_LINES));
        }
    }

    /// Adds a sentence.
    pub(super) fn say(&mut self, sentence: impl Into<String>) {
        self.sentences.push(ended(sentence.into()));
    }

    /// Adds step counts if some steps were not done.
    pub(super) fn counts(&mut self, machine: &State) {
        let count = |state: StepState| machine.count_steps(|step| *step == state);
        let failed = count(StepState::Failed);
        let bypassed = count(StepState::Bypassed);
        // An undo is not a step of the plan.
        let stuck = machine.jobs.iter().filter(|(id, job)| job.status.is_stuck() && !id.undo).count();
        let others = [(failed, "failed"), (bypassed, "left out"), (stuck, "waiting for a person")];
        let others: Vec<String> =
            others.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        // A plan with one step needs no counts.
        if others.is_empty() || machine.planned == 1 {
            return;
        }
        let done = count(StepState::Done);
        self.say(format!("{done} of {} steps done, {}.", machine.planned, others.join(", ")));
    }

    /// The whole message.
    pub(super) fn finish(mut self, machine: &State) -> String {
        if self.lines.is_empty() && self.sentences.is_empty() {
            let done = machine.phase() == Phase::Ended(End::Completed);
            self.say(if done { "Done." } else { "It is in progress." });
        }
        let sentences = self.sentences.join(" ");
        if self.lines.len() == 1 && !sentences.is_empty() {
            return format!("{} {sentences}", ended(self.lines.swap_remove(0)));
        }
        self.lines.extend((!sentences.is_empty()).then_some(sentences));
        self.lines.join("\n")
    }
}

/// A sentence with its end, so that another can follow.
pub fn ended(mut sentence: String) -> String {
    sentence.truncate(sentence.trim_end().len());
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '…', ':', '”']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::ended;

    #[test]
    fn a_sentence_ends_before_another_begins() {
        for (text, shown) in [("Task created: Call Bob", "Task created: Call Bob."), ("Done. ", "Done."), ("", "")] {
            assert_eq!(ended(text.to_owned()), shown);
        }
    }
}
