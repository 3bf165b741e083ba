//! Every row of the table in `outcome.rs`.

use super::*;

/// An outcome as text: its kind, and the class of its failure.
fn said(outcome: Option<JobOutcome>) -> String {
    match outcome {
        None => "done".into(),
        Some(JobOutcome::Done(_)) => "done with a result".into(),
        Some(JobOutcome::DoneBadly(_, failure)) => format!("done badly {}", failure.class),
        Some(JobOutcome::Unknown(_)) => "unknown".into(),
        Some(JobOutcome::Failed(failure)) => match failure.retry_after {
            Some(wait) => format!("{} after {wait}", failure.class),
            None => failure.class.to_string(),
        },
    }
}

fn answer(call: Call, status: u16, retry_after: Option<Millis>, met: Met) -> String {
    said(of_answer(call, met, &Answered { status, retry_after, text: "" }))
}

/// The HTTP statuses, including non-standard ones of proxies, with the outcome for both kinds of calls.
#[test]
fn every_status_means_what_the_table_says() {
    let wait = Some(Millis::from_secs(7));
    for (statuses, header, with_effect, read_only) in [
        (&[408, 500, 502, 504, 507, 520, 522, 524, 599][..], None, "unknown", "transient"),
        (&[408, 500, 502, 504], wait, "unknown", "transient after 7s"),
        (&[503], None, "unknown", "transient"),
        (&[503], Some(Millis(0)), "transient", "transient"),
        (&[503, 425, 429], wait, "transient after 7s", "transient after 7s"),
        (&[425, 429], None, "transient", "transient"),
        (&[501, 505], None, "business", "business"),
        (&[302, 303], None, "unknown", "business"),
        (&[101, 300, 301, 304, 307, 308], None, "business", "business"),
        (
            &[400, 401, 402, 403, 404, 405, 409, 410, 412, 415, 418, 422, 423, 424, 428, 451],
            None,
            "business",
            "business",
        ),
    ] {
        for status in statuses {
            assert_eq!(answer(Call::WithEffect, *status, header, Met::default()), with_effect, "{status}");
            assert_eq!(answer(Call::ReadOnly, *status, header, Met::default()), read_only, "{status}, read only");
        }
    }
}

#[test]
fn every_status_has_an_outcome_and_no_error_status_is_done() {
    for status in 100..=599 {
        for call in [Call::WithEffect, Call::ReadOnly] {
            assert_ne!(answer(call, status, None, Met::default()), "done", "{status}");
        }
    }
}

#[test]
fn a_2xx_is_judged_by_what_the_pack_describes() {
    let good = Met { success: true, ..Met::default() };
    let refused = Met { success: true, failure: true, ..Met::default() };
    for status in [200, 201, 202, 204] {
        assert_eq!(answer(Call::WithEffect, status, None, good), "done");
        assert_eq!(answer(Call::WithEffect, status, None, refused), "business", "`failure` wins");
        assert_eq!(answer(Call::WithEffect, status, None, Met::default()), "unknown", "neither of them");
        assert_eq!(answer(Call::ReadOnly, status, None, Met::default()), "business");
    }
    assert_eq!(answer(Call::WithEffect, 404, None, good), "done", "a pack may call any status a success");
    let failing = Met { failure: true, ..Met::default() };
    assert_eq!(
        answer(Call::WithEffect, 500, None, failing),
        "unknown",
        "`failure` does not prove that nothing happened"
    );
}

#[test]
fn a_pack_overrides_the_table() {
    let not_done = Met { not_done: true, ..Met::default() };
    assert_eq!(answer(Call::WithEffect, 500, None, not_done), "transient");
    assert_eq!(answer(Call::WithEffect, 503, Some(Millis(1500)), not_done), "transient after 1500ms");
    assert_eq!(answer(Call::WithEffect, 409, None, not_done), "business");
    assert_eq!(
        answer(Call::WithEffect, 200, None, Met { success: true, ..not_done }),
        "business",
        "it wins over `success`"
    );
    let unknown = Met { unknown: true, ..Met::default() };
    assert_eq!(answer(Call::WithEffect, 409, None, unknown), "unknown");
    assert_eq!(answer(Call::ReadOnly, 409, None, unknown), "transient");
}

#[test]
fn outcomes_without_a_status() {
    let failure = || Failure::transient("network_error", "x");
    assert_eq!(said(Some(not_connected(failure()))), "transient");
    assert_eq!(said(Some(uncertain(Call::WithEffect, failure()))), "unknown");
    assert_eq!(said(Some(uncertain(Call::ReadOnly, failure()))), "transient");
    let bad = || Failure::contract("bad_output", "x");
    let result = || ToolResult::ok(serde_json::Value::Null);
    assert_eq!(said(Some(unusable(Call::WithEffect, result(), bad()))), "done badly contract");
    assert_eq!(said(Some(unusable(Call::ReadOnly, result(), bad()))), "contract");
}

#[test]
fn the_message_names_the_status_and_quotes_the_beginning_of_the_answer() {
    let text = format!("  no such customer {}", "x".repeat(500));
    let answer = Answered { status: 404, retry_after: None, text: &text };
    let failure = answer.failure(FailureClass::Business);
    assert_eq!(failure.code, "http_404");
    assert!(failure.message.starts_with("The external system answered 404: no such customer xxx"), "{failure}");
    assert!(failure.message.len() < 300);
}

#[test]
fn retry_after_is_read_in_both_forms_and_bounded() {
    let now = Timestamp::from_millis(1_445_412_480_000); // 2015-10-21T07:28:00Z
    let read = |header: &str, date: Option<&str>| retry_after(header, date, now);
    assert_eq!(read("120", None), Some(Millis::from_secs(120)));
    assert_eq!(read(" 1 ", None), Some(Millis::from_secs(1)));
    assert_eq!(read("Wed, 21 Oct 2015 07:30:00 GMT", None), Some(Millis::from_secs(120)));
    let date = Some("Wed, 21 Oct 2015 07:29:30 GMT");
    assert_eq!(
        read("Wed, 21 Oct 2015 07:30:00 GMT", date),
        Some(Millis::from_secs(30)),
        "relative to the answer's `Date`"
    );
    for far in ["999999999", "99999999999999999999999", "Wed, 21 Oct 2099 07:28:00 GMT"] {
        assert_eq!(read(far, None), Some(MAX_RETRY_AFTER), "{far}");
    }
    for at_once in ["0", "Wed, 21 Oct 2015 07:00:00 GMT"] {
        assert_eq!(read(at_once, None), Some(Millis(0)), "{at_once}");
    }
    for nothing in ["", "-5", "soon", "1.5"] {
        assert_eq!(read(nothing, None), None, "{nothing}");
    }
}
