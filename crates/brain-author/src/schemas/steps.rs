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
            ("id", "Unique in the playbook; keep it in later versions.", name()),
            ("tool", "Which tool.", full_name()),
            ("args", "Its arguments; default: slots of the same name as the tool's inputs.", values()),
            ("after", "Step ids; default: the step before. `[]` begins at once.", texts()),
            ("when", "A condition; a skipped step counts as done with null.", expression()),
            ("foreach", "A list: the step is done for each `item`.", expression()),
            ("at_a_time", "How many items at once; default 8.", whole(1, 1000)),
            ("on_failure", "What a failure does to the run.", choice(&["stop", "continue", "undo"])),
            ("retry", "Overrides the tool's retries.", retries),
            ("timeout", "Overrides the tool's timeout.", duration()),
            ("compensate", "`false`: this step keeps its effect when the run is undone.", flag()),
        ],
        &["id", "tool"],
    );
    let retry = closed(
        vec![
            ("attempts", "Number of attempts, including the first; default 4.", whole(1, 100)),
            ("backoff", "How the delay grows.", choice(&["fixed", "linear", "exponential"])),
            ("delay", "The first delay; default 2 s.", duration()),
            ("max_delay", "The longest delay; default a minute.", duration()),
            ("jitter", "The random share of each delay, in percent.", whole(0, 100)),
            ("on", "Failure codes that are retried; default: every transient failure.", either([text(), texts()])),
        ],
        &[],
    );
    defs.insert("step".into(), step);
    defs.insert("retry".into(), retry);
}
