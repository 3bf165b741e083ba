//! Steps and retries, which playbooks and decision tables share.

use serde_json::json;

use super::build::{
    Defs, choice, closed, duration, either, expression, flag, full_name, name, part, text, texts, values, whole,
};

/// Adds `step` and `retry`.
pub(super) fn add(defs: &mut Defs) {
    let retries = either([json!({"const": "none"}), whole(1, 100), part("retry")]);
    let step = closed(
        vec![
            ("id", "Unique in the playbook; keep it over versions.", name()),
            ("tool", "Which tool.", full_name()),
            ("args", "Its arguments; default: slots of the same name as the tool's inputs.", values()),
            ("after", "Step ids; default: the step before. `[]` begins at once.", texts()),
            ("when", "A condition; a skipped step counts as done with null.", expression()),
            ("foreach", "A list: the step is done for each `item`.", expression()),
            ("at_a_time", "How many items at once; default 8.", whole(1, 1000)),
            ("on_failure", "What a failure does to the run.", choice(&["stop", "continue", "undo"])),
            ("retry", "Instead of the tool's.", retries),
            ("timeout", "Instead of the tool's.", duration()),
            ("compensate", "`false`: this step keeps its effect when the run is undone.", flag()),
        ],
        &["id", "tool"],
    );
    let retry = closed(
        vec![
            ("attempts", "In all, the first included; default 4.", whole(1, 100)),
            ("backoff", "How the wait grows.", choice(&["fixed", "linear", "exponential"])),
            ("delay", "The first wait; default 2 s.", duration()),
            ("max_delay", "The longest wait; default a minute.", duration()),
            ("jitter", "The share of each wait that is random, in percent.", whole(0, 100)),
            ("on", "Failure codes that are retried; default: every transient failure.", either([text(), texts()])),
        ],
        &[],
    );
    defs.insert("step".into(), step);
    defs.insert("retry".into(), retry);
}
