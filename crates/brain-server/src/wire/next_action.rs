//! Next actions, worded as requests to this API.

use brain_kernel::NextAction;

/// Words an action for a caller of the API.
pub fn in_http(action: &NextAction) -> String {
    match action {
        NextAction::Say { text, label: None } => text.clone(),
        NextAction::Say { text, label: Some(label) } => format!("{label}: {text}"),
        NextAction::Do => "To do it: send it again with mode enqueue_and_wait".into(),
        NextAction::Teach { run } => {
            format!("To teach which tool was meant: POST /v1/learning/corrections with run_id {run}")
        }
        NextAction::ChooseTier { tier, label, tools } => {
            format!("For “{label}” ({}): send it again with context.intent_tier {tier}", count(*tools))
        }
        NextAction::Approve { approval } => {
            format!("To run it: POST /v1/approvals/{approval} with decision approve")
        }
        NextAction::Reject { approval } => format!("To reject it: POST /v1/approvals/{approval} with decision reject"),
        NextAction::AcceptResult { run } => format!("To accept it: POST /v1/runs/{run}/review with verdict accept"),
        NextAction::CorrectResult { run } => {
            format!("To correct it: POST /v1/runs/{run}/review with verdict accept and corrections")
        }
        NextAction::RejectResult { run } => format!("To reject it: POST /v1/runs/{run}/review with verdict reject"),
        NextAction::Decide { letter } => format!("To resolve it: GET /v1/dead-letters/{letter}"),
        NextAction::Retry { run } => format!("To try again: POST /v1/runs/{run}/retry"),
        NextAction::Skip { run } => format!("To continue without it: POST /v1/runs/{run}/skip"),
        NextAction::Abort { run } => format!("To end the run: POST /v1/runs/{run}/abort"),
        NextAction::Cancel { run } => format!("To cancel it: POST /v1/runs/{run}/cancel"),
        NextAction::ListRuns => "To list runs: GET /v1/runs".into(),
        NextAction::ListDeadLetters => "To list them: GET /v1/dead-letters".into(),
        NextAction::ListApprovals => "To list them: GET /v1/approvals".into(),
        NextAction::Reindex => "To rebuild them: POST /v1/reindex".into(),
        NextAction::Undo => "To undo one: POST /v1/runs/{run_id}/undo".into(),
        NextAction::Inspect { run } => format!("To see the receipts: GET /v1/runs/{run}"),
        NextAction::Why { run } => format!("To see what it is waiting for: GET /v1/runs/{run}/why"),
    }
}

/// `1 tool`, `2 tools`.
fn count(tools: usize) -> String {
    if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") }
}
