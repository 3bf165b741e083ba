//! Mistakes that were planted on purpose are found, each within a bounded number of worlds.

use brain_sim::{Bug, Options, live_all};

/// Fails unless some of so many worlds have a problem that says this.
fn finds(bug: Bug, worlds: u64, says: &str) {
    let (failed, lived, _) = live_all(0, worlds, 3, &Options { bug: Some(bug), ..Options::default() });
    assert!(!failed.is_empty(), "{} was not found in {lived} worlds", bug.name());
    let problems: Vec<&String> = failed.iter().flat_map(|lived| &lived.problems).collect();
    assert!(problems.iter().any(|problem| problem.contains(says)), "{problems:#?}");
}

#[test]
fn a_store_that_compares_no_fences_is_found() {
    finds(Bug::NoFences, 40, "its log has a row at");
}

#[test]
fn a_store_that_loses_a_write_is_found() {
    finds(Bug::LostWrite, 60, "events, its row says");
}

#[test]
fn a_store_that_says_written_too_early_is_found() {
    finds(Bug::FalseWord, 60, "never ended");
}

#[test]
fn a_store_that_compares_no_revisions_is_found() {
    finds(Bug::LostUpdate, 400, "counter");
}

#[test]
fn a_caller_that_repeats_blindly_is_found() {
    finds(Bug::BlindRetry, 40, "allowed");
}

#[test]
fn keys_that_change_with_every_attempt_are_found() {
    finds(Bug::NewKeys, 40, "happened 2 times");
}

#[test]
fn nodes_that_look_after_nothing_are_found() {
    finds(Bug::NoKeeper, 40, "never ended");
}

#[test]
fn a_check_that_does_not_look_is_found() {
    finds(Bug::WrongCheck, 120, "happened 2 times");
}

#[test]
fn a_store_that_forgets_keys_is_found() {
    finds(Bug::ForgottenKey, 60, "runs were made under");
}

#[test]
fn a_tenant_that_is_given_more_than_its_part_is_found() {
    finds(Bug::Favourite, 60, "is not fair");
}

#[test]
fn a_limit_that_nobody_keeps_is_found() {
    finds(Bug::NoLimit, 120, "at a time are allowed");
}

/// The same in worlds of kernels, from this seed on.
fn kernels_find(bug: Bug, from: u64, worlds: u64, says: &str) {
    let options = Options { bug: Some(bug), kernel: true, ..Options::default() };
    let (failed, lived, _) = live_all(from, worlds, 2, &options);
    assert!(!failed.is_empty(), "{} was not found in {lived} worlds", bug.name());
    let problems: Vec<&String> = failed.iter().flat_map(|lived| &lived.problems).collect();
    assert!(problems.iter().any(|problem| problem.contains(says)), "{problems:#?}");
}

#[test]
fn taking_back_what_was_done_first_is_found() {
    kernels_find(Bug::UndoForward, 0, 60, "was taken back before");
}

#[test]
fn a_node_that_does_not_tell_itself_of_signals_is_found() {
    kernels_find(Bug::DroppedSignal, 0, 20, "nobody told it that its child run is over");
}

#[test]
fn alarms_for_what_is_far_off_only_are_found() {
    kernels_find(Bug::FarTimers, 0, 20, "its alarm did not ring");
}

#[test]
fn an_offer_without_an_entry_is_found() {
    kernels_find(Bug::OfferNothing, 0, 200, "does not come to an end");
}

#[test]
fn a_child_run_that_is_refused_and_runs_is_found() {
    kernels_find(Bug::ChildRefused, 0, 200, "and says that it did not");
}

#[test]
fn a_check_that_is_believed_too_early_is_found() {
    kernels_find(Bug::HastyCheck, 0, 200, "happened 2 times, 1 allowed");
}

#[test]
fn a_letter_that_is_closed_with_its_run_is_found() {
    kernels_find(Bug::LetterClosed, 0, 60, "which may have happened, was closed with its run");
}

#[test]
fn an_undo_by_playbook_that_does_nothing_is_found() {
    kernels_find(Bug::EmptyUndo, 0, 300, "by w.unbuild) and is still there");
}

#[test]
fn what_was_done_badly_and_counts_as_not_done_is_found() {
    kernels_find(Bug::BadIsNotDone, 0, 60, "happened, but the run does not say so");
}

#[test]
fn a_gateway_that_is_asked_again_blindly_is_found() {
    kernels_find(Bug::RepeatedGateway, 0, 300, ", 1 allowed");
}

#[test]
fn a_gap_in_the_feed_is_found() {
    kernels_find(Bug::FeedGap, 0, 60, "the feed has the rows");
}

#[test]
fn steps_that_nobody_counts_are_found() {
    kernels_find(Bug::NoHardStop, 0, 60, "its plan allows");
}

#[test]
fn a_timer_that_is_not_written_is_found() {
    kernels_find(Bug::LostTimer, 0, 200, "its log wakes at");
}

#[test]
fn a_signal_that_is_not_written_is_found() {
    kernels_find(Bug::LostSignal, 0, 60, "nobody told it that its child run is over");
}

#[test]
fn an_offer_that_is_left_behind_is_found() {
    kernels_find(Bug::OfferLeft, 0, 100, "and a job of it is offered");
}

#[test]
fn an_absence_that_nobody_relied_on_is_found() {
    kernels_find(Bug::NoAbsence, 0, 400, "was taken from both sides");
}

#[test]
fn a_step_that_is_closed_again_and_again_is_found() {
    kernels_find(Bug::CloseAgain, 0, 300, "it ran in circles");
}

#[test]
fn a_job_that_keeps_workers_from_all_others_is_found() {
    kernels_find(Bug::ClosedTopic, 0, 600, "a worker that asks for jobs is turned away");
}

#[test]
fn a_cancellation_that_takes_the_place_of_taking_back_is_found() {
    kernels_find(Bug::CancelReplaces, 0, 300, "it was to take back what it did, and never began to");
}

#[test]
fn answers_that_nobody_counts_any_more_are_found() {
    kernels_find(Bug::AnsweredForgotten, 0, 300, "answers that it had");
}

#[test]
fn a_run_that_is_swept_away_with_its_letter_is_found() {
    kernels_find(Bug::SweptLetter, 0, 400, "although its letter of");
}

#[test]
fn an_undo_that_fails_and_ends_the_rest_is_found() {
    kernels_find(Bug::UndoGivesUp, 0, 400, "was not taken back, and nobody was told");
}

#[test]
fn receipts_that_are_lost_with_a_move_are_found() {
    kernels_find(Bug::MovedReceipts, 0, 300, "was moved and lost its receipt");
}
