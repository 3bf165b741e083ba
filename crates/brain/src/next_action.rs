//! Next actions, worded as commands.

use brain_kernel::NextAction;

/// Words an action for a terminal user.
pub(crate) fn in_terminal(action: &NextAction) -> String {
    match action {
        NextAction::Say { text } => text.clone(),
        NextAction::Do => "To run it: repeat the command without --mode answer".into(),
        NextAction::Teach { run } => {
            format!("To teach which tool was meant: brain learning correct {run} --meant TOOL")
        }
        NextAction::Approve { approval } => format!("To run it: brain approve {approval}"),
        NextAction::Reject { approval } => format!("To reject it: brain approve {approval} --reject"),
        NextAction::AcceptResult { run } => format!("To accept it: brain runs review {run} --accept"),
        NextAction::CorrectResult { run } => format!("To correct it: brain runs review {run} --set FIELD=VALUE"),
        NextAction::RejectResult { run } => format!("To reject it: brain runs review {run} --reject"),
        NextAction::Decide { letter } => format!("To decide about it: brain dlq show {letter}"),
        NextAction::Retry { run } => format!("To retry: brain runs retry {run}"),
        NextAction::Skip { run } => format!("To continue without it: brain runs skip {run}"),
        NextAction::Abort { run } => format!("To end the run: brain runs abort {run}"),
        NextAction::Cancel { run } => format!("To cancel it: brain runs cancel {run}"),
        NextAction::Inspect { run } => format!("To see the receipts: brain runs show {run}"),
        NextAction::Why { run } => format!("To see what it is waiting for: brain runs why {run}"),
    }
}
