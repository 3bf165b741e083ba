//! Next actions, worded as commands.

use brain_kernel::NextAction;

use crate::hint;

/// Words an action for a terminal user.
pub(crate) fn in_terminal(action: &NextAction) -> String {
    let (purpose, words) = match action {
        NextAction::Say { text } => return text.clone(),
        NextAction::Do => return "To run it: repeat the command without --mode answer".into(),
        NextAction::Teach { run } => ("To teach which tool was meant", format!("learning correct {run} --meant TOOL")),
        NextAction::Approve { approval } => ("To run it", format!("approve {approval}")),
        NextAction::Reject { approval } => ("To reject it", format!("approve {approval} --reject")),
        NextAction::AcceptResult { run } => ("To accept it", format!("runs review {run} --accept")),
        NextAction::CorrectResult { run } => ("To correct it", format!("runs review {run} --set FIELD=VALUE")),
        NextAction::RejectResult { run } => ("To reject it", format!("runs review {run} --reject")),
        NextAction::Decide { letter } => ("To decide about it", format!("dlq show {letter}")),
        NextAction::Retry { run } => ("To retry", format!("runs retry {run}")),
        NextAction::Skip { run } => ("To continue without it", format!("runs skip {run}")),
        NextAction::Abort { run } => ("To end the run", format!("runs abort {run}")),
        NextAction::Cancel { run } => ("To cancel it", format!("runs cancel {run}")),
        NextAction::ListRuns => ("To list runs", "runs".to_owned()),
        NextAction::Undo => ("To undo one", "runs undo RUN".to_owned()),
        NextAction::Inspect { run } => ("To see the receipts", format!("runs show {run}")),
        NextAction::Why { run } => ("To see what it is waiting for", format!("runs why {run}")),
    };
    format!("{purpose}: {}", hint::command(&words))
}
