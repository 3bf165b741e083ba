//! What may be done next, as commands.

use brain_kernel::NextAction;

/// Words an action for somebody at a terminal.
pub(crate) fn in_terminal(action: &NextAction) -> String {
    match action {
        NextAction::Say { text } => text.clone(),
        NextAction::Do => "To do it: ask again without --mode answer".into(),
        NextAction::Teach { run } => {
            format!("To teach which tool was meant: brain learning correct {run} --meant TOOL")
        }
        NextAction::Approve { approval } => format!("To run it: brain approve {approval}"),
        NextAction::Reject { approval } => format!("To drop it: brain approve {approval} --reject"),
        NextAction::AcceptResult { run } => format!("To go on: brain review {run} --accept"),
        NextAction::CorrectResult { run } => format!("To correct it: brain review {run} --set FIELD=VALUE"),
        NextAction::RejectResult { run } => format!("To refuse it: brain review {run} --reject"),
        NextAction::Decide { letter } => format!("To decide about it: brain dlq show {letter}"),
        NextAction::Retry { run } => format!("To try again: brain runs retry {run}"),
        NextAction::Skip { run } => format!("To go on without it: brain runs skip {run}"),
        NextAction::Abort { run } => format!("To give it up: brain runs abort {run}"),
        NextAction::Cancel { run } => format!("To drop it: brain cancel {run}"),
        NextAction::Inspect { run } => format!("To see the receipts: brain inspect {run}"),
        NextAction::Why { run } => format!("To see what it waits for: brain why-waiting {run}"),
    }
}
