//! Every planted bug is detected within a bounded number of worlds.

use brain_sim::{Bug, Options, live_all};

/// Fails unless a problem with this text is found within so many worlds, in one of the first six that fail.
fn finds(bug: Bug, worlds: u64, says: &str) {
    let (failed, lived, _) = live_all(0, worlds, 6, &Options { bug: Some(bug), ..Options::default() });
    assert!(!failed.is_empty(), "{} was not found in {lived} worlds", bug.name());
    let problems: Vec<&String> = failed.iter().flat_map(|lived| &lived.problems).collect();
    assert!(problems.iter().any(|problem| problem.contains(says)), "{problems:#?}");
}

#[test]
fn a_store_that_does_not_compare_fences_is_detected() {
    finds(Bug::NoFences, 40, "its log has a row at");
}

#[test]
fn a_store_that_loses_a_write_is_detected() {
    finds(Bug::LostWrite, 60, "events, but its row says");
}

#[test]
fn a_store_that_reports_a_commit_too_early_is_detected() {
    finds(Bug::FalseWord, 60, "never ended");
}

#[test]
fn a_store_that_does_not_compare_revisions_is_detected() {
    finds(Bug::LostUpdate, 400, "counter");
}

#[test]
fn blind_retries_are_detected() {
    finds(Bug::BlindRetry, 40, "allowed");
}

#[test]
fn keys_that_change_with_every_attempt_are_detected() {
    finds(Bug::NewKeys, 40, "happened 2 times");
}

#[test]
fn nodes_without_a_keeper_are_detected() {
    finds(Bug::NoKeeper, 40, "never ended");
}

#[test]
fn a_check_that_does_not_check_is_detected() {
    finds(Bug::WrongCheck, 120, "happened 2 times");
}

#[test]
fn a_store_that_forgets_keys_is_detected() {
    finds(Bug::ForgottenKey, 60, "runs were made under");
}

#[test]
fn a_tenant_with_more_than_its_share_is_detected() {
    finds(Bug::Favourite, 60, "is not fair");
}

#[test]
fn a_limit_that_is_not_enforced_is_detected() {
    finds(Bug::NoLimit, 120, "at a time are allowed");
}

/// Like [`finds`], in kernel worlds, starting with a seed.
fn kernels_find(bug: Bug, from: u64, worlds: u64, says: &str) {
    let options = Options { bug: Some(bug), kernel: true, ..Options::default() };
    let (failed, lived, _) = live_all(from, worlds, 2, &options);
    assert!(!failed.is_empty(), "{} was not found in {lived} worlds", bug.name());
    let problems: Vec<&String> = failed.iter().flat_map(|lived| &lived.problems).collect();
    assert!(problems.iter().any(|problem| problem.contains(says)), "{problems:#?}");
}

#[test]
fn compensation_in_the_wrong_order_is_detected() {
    kernels_find(Bug::UndoForward, 0, 60, "was undone before");
}

#[test]
fn a_node_that_does_not_notify_itself_of_signals_is_detected() {
    kernels_find(Bug::DroppedSignal, 0, 20, "it was not notified that its child run had ended");
}

#[test]
fn timers_for_distant_times_only_are_detected() {
    kernels_find(Bug::FarTimers, 0, 20, "its timer did not fire");
}

#[test]
fn an_offer_without_an_entry_is_detected() {
    kernels_find(Bug::OfferNothing, 0, 200, "does not end");
}

#[test]
fn a_child_run_that_runs_although_it_was_refused_is_detected() {
    kernels_find(Bug::ChildRefused, 0, 200, "but reports that it did not");
}

#[test]
fn a_check_that_is_trusted_too_early_is_detected() {
    kernels_find(Bug::HastyCheck, 0, 200, "happened 2 times, 1 allowed");
}

#[test]
fn a_dead_letter_that_is_closed_with_its_run_is_detected() {
    kernels_find(Bug::LetterClosed, 0, 60, "which may have happened, was closed with its run");
}

#[test]
fn an_undo_by_playbook_that_does_nothing_is_detected() {
    kernels_find(Bug::EmptyUndo, 0, 300, "by w.unbuild) and is still there");
}

#[test]
fn an_undo_of_a_child_run_that_does_nothing_is_detected() {
    kernels_find(Bug::ChildKept, 0, 200, "says that its child run");
}

#[test]
fn a_job_done_badly_that_counts_as_not_done_is_detected() {
    kernels_find(Bug::BadIsNotDone, 0, 60, "happened, but neither the log nor a dead letter says so");
}

#[test]
fn a_blind_retry_after_a_gateway_timeout_is_detected() {
    kernels_find(Bug::RepeatedGateway, 0, 300, ", 1 allowed");
}

#[test]
fn a_gap_in_the_feed_is_detected() {
    kernels_find(Bug::FeedGap, 0, 60, "the feed has the rows");
}

#[test]
fn steps_that_are_not_counted_are_detected() {
    kernels_find(Bug::NoHardStop, 0, 60, "its plan allows");
}

#[test]
fn a_timer_that_is_not_written_is_detected() {
    kernels_find(Bug::LostTimer, 0, 200, "its log wakes at");
}

#[test]
fn a_signal_that_is_not_written_is_detected() {
    kernels_find(Bug::LostSignal, 0, 60, "it was not notified that its child run had ended");
}

#[test]
fn a_stale_offer_is_detected() {
    kernels_find(Bug::OfferLeft, 0, 100, "and a job of it is offered");
}

#[test]
fn an_unchecked_absence_of_a_record_is_detected() {
    kernels_find(Bug::NoAbsence, 0, 400, "was taken from both sides");
}

#[test]
fn a_step_that_is_closed_repeatedly_is_detected() {
    kernels_find(Bug::CloseAgain, 0, 300, "it looped without progress");
}

#[test]
fn a_job_that_hides_all_others_from_workers_is_detected() {
    kernels_find(Bug::ClosedTopic, 0, 600, "a worker that asks for jobs is turned away");
}

#[test]
fn a_cancellation_that_replaces_a_compensation_is_detected() {
    kernels_find(Bug::CancelReplaces, 0, 300, "it was to be compensated, but never began");
}

#[test]
fn answers_that_are_no_longer_counted_are_detected() {
    kernels_find(Bug::AnsweredForgotten, 0, 300, "answers that it already got");
}

#[test]
fn a_run_that_is_removed_with_its_open_dead_letter_is_detected() {
    kernels_find(Bug::SweptLetter, 0, 400, "although its dead letter of");
}

#[test]
fn a_failed_undo_that_ends_the_compensation_is_detected() {
    kernels_find(Bug::UndoGivesUp, 0, 400, "was not undone, and no dead letter says so");
}

#[test]
fn a_failed_undo_that_stops_the_others_is_detected() {
    kernels_find(Bug::UndoStops, 0, 400, "was never tried");
}

#[test]
fn a_child_run_that_goes_on_after_its_parent_was_stopped_is_detected() {
    kernels_find(Bug::LateChild, 0, 300, "had a child run, but");
}

#[test]
fn receipts_lost_in_a_migration_are_detected() {
    kernels_find(Bug::MovedReceipts, 0, 300, "was migrated and lost its receipt");
}
