//! The packs of a kernel world: the tools and playbooks in `packs/world`, and many playbooks that are generated from
//! them. There are two versions: in the newer one every generated playbook has one more step.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use brain_core::Millis;
use brain_registry::{PackSource, Registry};

use crate::dice::Dice;

/// Number of generated playbooks. They are the same in every world; which of them are requested differs.
pub(super) const THROWN: u64 = 120;

/// The topic of the workers.
pub(super) const TOPIC: &str = "work";

/// Timeout of every tool call.
pub(super) const TIMEOUT: Millis = Millis(2_000);

/// The name of the step that the newer version adds.
pub(super) const ADDED: &str = "added";

const FILES: [(&str, &str); 11] = [
    ("pack.yaml", include_str!("../../packs/world/pack.yaml")),
    ("records/note.yaml", include_str!("../../packs/world/records/note.yaml")),
    ("records/place.yaml", include_str!("../../packs/world/records/place.yaml")),
    ("tools/w.yaml", include_str!("../../packs/world/tools/w.yaml")),
    ("playbooks/both.yaml", include_str!("../../packs/world/playbooks/both.yaml")),
    ("playbooks/brief.yaml", include_str!("../../packs/world/playbooks/brief.yaml")),
    ("playbooks/last.yaml", include_str!("../../packs/world/playbooks/last.yaml")),
    ("playbooks/remove.yaml", include_str!("../../packs/world/playbooks/remove.yaml")),
    ("playbooks/several.yaml", include_str!("../../packs/world/playbooks/several.yaml")),
    ("playbooks/small.yaml", include_str!("../../packs/world/playbooks/small.yaml")),
    ("playbooks/take_down.yaml", include_str!("../../packs/world/playbooks/take_down.yaml")),
];

/// The registry of the older or the newer version.
pub(super) fn registry(newer: bool) -> &'static Arc<Registry> {
    static OLDER: OnceLock<Arc<Registry>> = OnceLock::new();
    static NEWER: OnceLock<Arc<Registry>> = OnceLock::new();
    if newer { &NEWER } else { &OLDER }.get_or_init(|| load(newer))
}

fn load(newer: bool) -> Arc<Registry> {
    let mut files: Vec<(String, String)> =
        FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    files.extend((0..THROWN).map(|number| (format!("playbooks/thrown{number}.yaml"), thrown(number, newer))));
    let packs = vec![PackSource::new("world", files)];
    match brain_registry::load_sources_with(packs, &brain_tools::natives()) {
        Ok(loaded) => Arc::new(loaded.registry),
        Err(report) => panic!("the pack of the simulation is wrong: {}", report.render(false)),
    }
}

/// Generates a playbook with a few random steps.
fn thrown(number: u64, newer: bool) -> String {
    let mut dice = Dice::new(number, "playbook");
    let mut text = format!(
        "playbook: w.thrown{number}\ntitle: Thrown together\n\
         slots: {{label: string, size: integer, items: {{type: list, items: integer}}, place_id: {{type: uuid, entity: place}}}}\n"
    );
    if dice.one_in(8) {
        let _ = writeln!(text, "timeout: {}s", dice.between(5, 60));
    }
    if dice.one_in(8) {
        let _ = writeln!(text, "max_steps: {}", dice.between(2, 4));
    }
    text += "steps:\n";
    let steps = dice.between(1, 5);
    let added = |after: &str| {
        format!("  - {{id: {ADDED}, tool: w.note, args: {{label: \"= slots.label\"}}, after: [{after}]}}\n")
    };
    // In every second playbook, the new step shifts the numbers of all others.
    if newer && number % 2 == 1 {
        text += &added("");
    }
    for step in 0..steps {
        text += &thrown_step(step, &mut dice);
    }
    if newer && number.is_multiple_of(2) {
        text += &added(&format!("s{}", steps - 1));
    }
    text
}

fn thrown_step(number: u64, dice: &mut Dice) -> String {
    const TOOLS: [&str; 20] = [
        "w.note", "w.note", "w.built", "w.raised", "w.hung", "w.key", "w.check", "w.check", "w.none", "w.none",
        "w.work", "w.gate", "w.bundle", "w.bundle", "w.choose", "w.reviewed", "w.handed", "w.left", "w.right", "child",
    ];
    let tool = dice.pick(&TOOLS).copied().unwrap_or("w.note");
    let (tool, args) = match tool {
        "child" => ("core.spawn_child_run", "{run: w.small, args: {label: \"= slots.label\"}}"),
        "w.choose" => (tool, "{label: \"= slots.label\", size: \"= slots.size\"}"),
        "w.left" | "w.right" => (tool, "{label: \"= slots.label\", place_id: \"= slots.place_id\"}"),
        _ => (tool, "{label: \"= slots.label\"}"),
    };
    let mut text = format!("  - id: s{number}\n    tool: {tool}\n    args: {args}\n");
    let after: Vec<String> = (0..number).filter(|_| dice.one_in(2)).map(|earlier| format!("s{earlier}")).collect();
    let _ = writeln!(text, "    after: [{}]", after.join(", "));
    match dice.below(3) {
        0 => {}
        1 => text += "    on_failure: continue\n",
        _ => text += "    on_failure: undo\n",
    }
    if dice.one_in(4) {
        text += "    foreach: \"= slots.items\"\n    at_a_time: 2\n";
    }
    if dice.one_in(6) {
        text += "    when: \"= slots.size > 3\"\n";
    }
    if dice.one_in(12) {
        text += "    compensate: false\n";
    }
    text
}
