//! What becomes of a run after something was decided about it.

use brain_core::{RunId, Timestamp};
use brain_store::Member;

use super::Core;
use super::live::Live;
use super::messages::{Action, Load, StepOutput};
use crate::reads::Read;

/// What becomes of a run after an input, a load, a turn or a commit. [`Core::follow`] carries it out.
pub(super) enum Next {
    /// Decide the inputs in its queue now.
    Decide(Live),
    /// It stays in memory until something comes in for it.
    Keep(Live),
    /// Keep it in memory and decide the inputs in its queue at this time.
    Wait(Live, Timestamp),
    /// It is read from the store, together with these reads of its next turn.
    Load(Live, Vec<Read>),
    /// This is committed. Its `in_flight` says what follows when the commit is durable.
    Commit(Live, Member),
    /// Nothing of it stays in memory.
    Forget,
}

impl Core {
    /// Carries out what becomes of a run; returns whether its queue is to be decided now.
    pub(super) fn follow(&mut self, run: RunId, next: Next, output: &mut StepOutput) -> bool {
        let decide = matches!(next, Next::Decide(_));
        let live = match next {
            Next::Forget => return false,
            Next::Decide(live) | Next::Keep(live) => live,
            Next::Wait(live, at) => {
                output.actions.push(Action::WakeAt(live.scope.clone(), run, at));
                live
            }
            Next::Load(live, reads) => {
                self.loads += 1;
                let load = Load { scope: live.scope.clone(), run, exists: !live.is_new(), reads };
                output.actions.push(Action::Load(load));
                Live { loading: true, ..live }
            }
            Next::Commit(live, member) => {
                self.next_commit += 1;
                self.commits.insert(self.next_commit, run);
                output.commits.push((self.next_commit, member));
                live
            }
        };
        self.live.insert(run, live);
        decide
    }
}
