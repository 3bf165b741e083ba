//! No parser panics on a seed or on a mutated seed. The mutations are the same in every run.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use brain_core::{Random as _, SeededRandom};
use brain_fuzz::TARGETS;

/// Fragments to insert: syntax of the formats, and multi-byte characters.
const BITS: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    ":",
    ": ",
    "- ",
    "\n",
    "\t",
    "=",
    "<",
    ">",
    "&a",
    "*a",
    "{{",
    "}}",
    "{%",
    "..",
    ",",
    "0",
    "-",
    "é",
    "İ",
    "🙂",
    "\u{feff}",
    "\u{0}",
    "99999999999999999999",
    "null",
];

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// The seeds of a target, sorted by name.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(fuzz_folder().join("seeds").join(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Inserts, deletes, replaces or repeats bytes at a few positions. It ignores character boundaries, so that UTF-8
/// breaks.
fn damage(data: &mut Vec<u8>, random: &mut SeededRandom) {
    let mut pick = |bound: usize| usize::try_from(random.below(bound as u64)).unwrap();
    for _ in 0..=pick(3) {
        let at = pick(data.len() + 1);
        let end = (at + pick(12)).min(data.len());
        match pick(4) {
            0 => drop(data.splice(at..at, BITS[pick(BITS.len())].bytes())),
            1 => drop(data.drain(at..end)),
            2 => drop(data.splice(at..end, BITS[pick(BITS.len())].bytes())),
            _ => {
                let part = data[at..end].to_vec();
                drop(data.splice(at..at, part));
            }
        }
    }
}

/// Runs a target on its seeds and on mutated copies; names the input if it panics.
fn run(name: &str, copies: usize) {
    let mut random = SeededRandom::new(42);
    for (path, seed) in seeds(name) {
        for copy in 0..=copies {
            let mut data = seed.clone();
            if copy > 0 {
                damage(&mut data, &mut random);
            }
            let input = data.clone();
            if std::panic::catch_unwind(move || brain_fuzz::run(name, &data)).is_err() {
                panic!("{name} panics on copy {copy} of {}:\n{}", path.display(), String::from_utf8_lossy(&input));
            }
        }
    }
}

#[test]
fn every_target_has_a_fuzzer_and_seeds() {
    let known: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&fuzz_folder().join("fuzz_targets")), known);
    assert_eq!(names(&fuzz_folder().join("seeds")), known);
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).unwrap();
    for name in &known {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "fuzz/Cargo.toml has no `{name}`");
        assert!(!seeds(name).is_empty(), "{name} has no seeds");
    }
}

macro_rules! targets {
    ($($name:ident $copies:literal,)*) => {
        $(#[test]
        fn $name() {
            run(stringify!($name), $copies);
        })*

        #[test]
        fn every_target_is_run() {
            let run = [$(stringify!($name)),*];
            assert!(TARGETS.iter().all(|(name, _)| run.contains(name)));
        }
    };
}

// The numbers limit each test to a second or two.
targets! {
    binding 500,
    blob 500,
    dmn 300,
    event 100,
    feel 500,
    header 500,
    import 200,
    onnx 500,
    pack 150,
    phrase 1000,
    program 500,
    request 500,
    slot 100,
    template 500,
    utterance 50,
    value 1000,
}
