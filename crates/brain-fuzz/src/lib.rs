//! Every parser of Brain as a function of bytes. No parser may panic on any input; some targets also check that a value
//! round-trips.
//!
//! The fuzzers in `fuzz/` call these functions, and `tests/seeds.rs` calls them with the seeds in `fuzz/seeds` and with
//! deterministic mutations of those, without a fuzzer.

mod edge;
mod language;
mod packs;
mod stored;

/// A fuzz target. It panics if the parser has a bug.
pub type Target = fn(&[u8]);

/// Every target by name: the fuzzer is `fuzz/fuzz_targets/NAME.rs`, its seeds are in `fuzz/seeds/NAME/`.
pub const TARGETS: &[(&str, Target)] = &[
    ("binding", language::binding),
    ("blob", stored::blob),
    ("dmn", packs::dmn),
    ("event", stored::event),
    ("feel", language::feel),
    ("header", edge::header),
    ("import", packs::import),
    ("onnx", stored::onnx),
    ("pack", packs::pack),
    ("phrase", language::phrase),
    ("program", stored::program),
    ("request", edge::request),
    ("slot", language::slot),
    ("template", language::template),
    ("utterance", language::utterance),
    ("value", stored::value),
];

/// Runs a target on an input.
///
/// # Panics
/// If there is no such target, or if the parser has a bug.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| target);
    target.unwrap_or_else(|| panic!("there is no fuzz target `{name}`"))(data);
}

/// The data as text, because most parsers are only called with UTF-8.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}
