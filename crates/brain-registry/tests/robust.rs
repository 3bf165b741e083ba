//! The loader never panics, however a file is damaged.

use brain_author::new_pack;
use brain_core::{Random, SeededRandom};
use brain_registry::{PackSource, load_sources};

const BITS: [&str; 24] = [
    "{", "}", "[", "]", ":", ": ", "- ", "\n", "\t", "\"", "'", "{{", "}}", "{%", "=", "|\n", ">\n", "&a", "*a", "!",
    "é", "\u{feff}", "#", "\r\n",
];

#[test]
fn no_damage_to_a_pack_makes_the_loader_panic() {
    let mut random = SeededRandom::new(42);
    let mut pick = move |bound: usize| usize::try_from(random.below(bound as u64)).unwrap_or(0);
    for _ in 0..1500 {
        let Ok(mut files) = new_pack("garden") else { panic!("the starter has a good name") };
        for _ in 0..=pick(3) {
            let which = pick(files.len());
            let text = &mut files[which].1;
            let mut at = pick(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if pick(2) == 0 {
                text.insert_str(at, BITS[pick(BITS.len())]);
            } else {
                let mut end = (at + pick(12)).min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                text.replace_range(at.min(end)..end, "");
            }
        }
        if let Err(report) = load_sources(vec![PackSource::new("garden", files)]) {
            assert!(!report.render(false).is_empty());
        }
    }
}
