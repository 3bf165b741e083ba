//! Requests that answers suggest: each is understood as the tool that it is suggested for.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_kernel::{Kernel, NextAction};
use brain_nlu::Understanding;
use brain_store::MemoryStore;
use common::{kernel, say, scope, trades};

/// The title of the tool that a text is understood as.
fn read_as(kernel: &Kernel, text: &str) -> String {
    match kernel.understand(&scope(), "ann", text) {
        Understanding::Clear { intents } => {
            let tool = kernel.registry().tool(&intents[0].target).unwrap_or_else(|| panic!("{text}: {intents:#?}"));
            tool.def.title.clone()
        }
        other => panic!("{text}: {other:#?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suggested_request_is_understood_as_what_it_is_for() {
    let kernel = kernel(trades(), Arc::new(MemoryStore::new()), false);
    let mut seen = 0;
    for message in ["list patients", "show patients", "delete everything", "bill Bob", "lead", "send the invoice"] {
        let report = say(&kernel, message).await;
        for action in &report.next_actions {
            let NextAction::Say { text, label: Some(label) } = action else { continue };
            assert!(!text.contains('{'), "{message}: {text}");
            if let Some(title) = label.strip_prefix("For “").and_then(|rest| rest.strip_suffix("”, say")) {
                assert_eq!(read_as(&kernel, text), title, "{message}: {text}");
                seen += 1;
            }
        }
        let near = report.message.split("Did you mean one of these?\n").nth(1).unwrap_or_default();
        for line in near.lines().take_while(|line| line.starts_with("  ")) {
            assert!(!line.contains('{'), "{message}: {line}");
            read_as(&kernel, line.trim());
            seen += 1;
        }
    }
    assert!(seen > 3, "only {seen} suggestions");
}
