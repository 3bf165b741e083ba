//! Prints candidates.

use brain_kernel::Judged;
use brain_nlu::learn::State;

use crate::cli::StateArg;
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};

impl From<StateArg> for State {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Ready => Self::Ready,
            StateArg::Review => Self::Review,
            StateArg::Gathering => Self::Gathering,
            StateArg::Promoted => Self::Promoted,
            StateArg::Rejected => Self::Rejected,
        }
    }
}

pub(super) fn is_in(one: &Judged, state: State) -> bool {
    one.candidate.state == state
}

/// Prints one candidate: phrase, target, accuracy and the verdicts of the gates.
pub(super) fn candidate(one: &Judged) {
    let Judged { candidate, success, why } = one;
    let state = match candidate.state {
        State::Ready => format!("{GREEN}ready{GREEN:#}"),
        State::Review => format!("{YELLOW}review{YELLOW:#}"),
        State::Gathering => "gathering".to_owned(),
        State::Promoted => format!("{GREEN}promoted{GREEN:#}"),
        State::Rejected => format!("{RED}rejected{RED:#}"),
    };
    let times = if candidate.turns == 1 { "once".to_owned() } else { format!("{} times", candidate.turns) };
    anstream::println!(
        "{state}  “{}” → {BOLD}{}{BOLD:#} {DIM}said {times}, {:.0} % right{DIM:#}",
        candidate.phrase,
        candidate.target,
        success * 100.0
    );
    for sentence in why {
        anstream::println!("    {DIM}{sentence}{DIM:#}");
    }
}
