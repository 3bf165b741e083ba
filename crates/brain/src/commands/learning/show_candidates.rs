//! Prints candidates.

use brain_server::wire::PhraseCandidate;

use crate::cli::StateArg;
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};

/// The word of the API for a state.
pub(super) fn word(state: StateArg) -> &'static str {
    match state {
        StateArg::Ready => "ready",
        StateArg::Review => "review",
        StateArg::Gathering => "gathering",
        StateArg::Promoted => "promoted",
        StateArg::Rejected => "rejected",
    }
}

/// Prints one candidate: phrase, target, accuracy and the verdicts of the gates.
pub(super) fn candidate(one: &PhraseCandidate) {
    let style = match one.state.as_str() {
        "ready" | "promoted" => GREEN,
        "review" => YELLOW,
        "rejected" => RED,
        _ => anstyle::Style::new(),
    };
    let times = if one.turns == 1 { "once".to_owned() } else { format!("{} times", one.turns) };
    outln!(
        "{style}{}{style:#}  “{}” → {BOLD}{}{BOLD:#} {DIM}used {times}, {:.0} % right{DIM:#}",
        one.state,
        one.phrase,
        one.target,
        one.success * 100.0
    );
    for sentence in &one.why {
        outln!("    {DIM}{sentence}{DIM:#}");
    }
}
