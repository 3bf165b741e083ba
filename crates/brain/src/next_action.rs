//! Next actions, worded as commands.

use brain_kernel::NextAction;

use crate::hint;

/// Words an action for a terminal user.
pub(crate) fn in_terminal(action: &NextAction) -> String {
    match (action, worded(action)) {
        (_, Some((purpose, words))) => format!("{purpose}: {}", hint::command(&words)),
        (NextAction::Say { text, label: None }, None) => text.clone(),
        (NextAction::Say { text, label: Some(label) }, None) => format!("{label}: {text}"),
        (NextAction::ChooseTier { tier, label, tools }, None) => {
            let tools = crate::show::count(*tools as u64, "tool");
            format!("For “{label}” ({tools}): repeat the command with --intent-tier {tier}")
        }
        (_, None) => "To run it: repeat the command without --mode answer".into(),
    }
}

/// The command of an action, if it is one.
pub(crate) fn command(action: &NextAction) -> Option<String> {
    worded(action).map(|(_, words)| hint::command(&words))
}

/// The purpose of an action, and its command without the flags that name the target.
fn worded(action: &NextAction) -> Option<(&'static str, String)> {
    Some(match action {
        NextAction::Say { .. } | NextAction::Do | NextAction::ChooseTier { .. } => return None,
        NextAction::Teach { run } => ("To teach which tool was meant", format!("learning correct {run} --meant TOOL")),
        NextAction::Approve { approval } => ("To run it", format!("approve {approval}")),
        NextAction::Reject { approval } => ("To reject it", format!("approve {approval} --reject")),
        NextAction::AcceptResult { run } => ("To accept it", format!("runs review {run} --accept")),
        NextAction::CorrectResult { run } => ("To correct it", format!("runs review {run} --set FIELD=VALUE")),
        NextAction::RejectResult { run } => ("To reject it", format!("runs review {run} --reject")),
        NextAction::Decide { letter } => ("To resolve it", format!("dlq show {letter}")),
        NextAction::Retry { run } => ("To retry", format!("runs retry {run}")),
        NextAction::Skip { run } => ("To continue without it", format!("runs skip {run}")),
        NextAction::Abort { run } => ("To end the run", format!("runs abort {run}")),
        NextAction::Cancel { run } => ("To cancel it", format!("runs cancel {run}")),
        NextAction::ListRuns => ("To list runs", "runs".to_owned()),
        NextAction::ListDeadLetters => ("To list them", "dlq list".to_owned()),
        NextAction::ListApprovals => ("To list them", "approve".to_owned()),
        NextAction::Reindex => ("To rebuild them", "records reindex".to_owned()),
        NextAction::Undo => ("To undo one", "runs undo RUN".to_owned()),
        NextAction::Inspect { run } => ("To see the receipts", format!("runs show {run}")),
        NextAction::Why { run } => ("To see what it is waiting for", format!("runs why {run}")),
    })
}
