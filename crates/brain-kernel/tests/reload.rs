//! A reload fits again only what a changed pack touches.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use brain_core::SeededRandom;
use brain_embed::{Encoder, StaticTable};
use brain_kernel::{Kernel, KernelConfig, KernelSlot, LanguageConfig};
use brain_store::MemoryStore;
use common::{Alone, SystemClock, say};

/// Counts the texts that are encoded. Calibration encodes sentences out of scope one by one, fitting encodes the examples
/// together.
struct Counting {
    table: &'static StaticTable,
    single: AtomicUsize,
    together: AtomicUsize,
}

impl Counting {
    fn take(&self) -> (usize, usize) {
        (self.single.swap(0, Ordering::Relaxed), self.together.swap(0, Ordering::Relaxed))
    }
}

impl Encoder for Counting {
    fn id(&self) -> &str {
        "counting"
    }

    fn dim(&self) -> usize {
        self.table.dim()
    }

    fn encode(&self, text: &str, out: &mut [f32]) {
        self.single.fetch_add(1, Ordering::Relaxed);
        self.table.encode(text, out);
    }

    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.together.fetch_add(texts.len(), Ordering::Relaxed);
        self.table.encode_targets(texts)
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let path = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &path);
        } else {
            std::fs::copy(entry.path(), path).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_phrase_is_fitted_without_calibrating_again_and_an_unchanged_pack_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("trades");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/trades"), &pack);
    let encoder = Arc::new(Counting {
        table: StaticTable::built_in(),
        single: AtomicUsize::default(),
        together: AtomicUsize::default(),
    });
    let language = LanguageConfig { encoder: encoder.clone(), snapshots: None };
    let config = KernelConfig { language, ..KernelConfig::default() };
    let registry = Arc::new(brain_registry::load(std::slice::from_ref(&pack)).unwrap().registry);
    let random = Box::new(SeededRandom::new(1));
    let store = Arc::new(MemoryStore::default());
    let kernel = Kernel::start(&config, registry, store, Arc::new(SystemClock), random, Arc::new(Alone)).unwrap();
    kernel.warm_up();
    let (single, together) = encoder.take();
    // Once, a few sentences tell how the encoder is combined with the table.
    assert!(single > 100 && together > 100, "the first fit calibrates: {single}, {together}");

    let again = pack.clone();
    let slot = KernelSlot::new(kernel, Box::new(move || brain_registry::load(std::slice::from_ref(&again))));
    slot.reload().unwrap();
    assert_eq!(encoder.take(), (0, 0), "nothing changed");

    let file = pack.join("tools/os.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("- \"list tasks\""), "{text}");
    std::fs::write(&file, text.replace("- \"list tasks\"", "- \"list tasks\"\n      - \"whatever is on my plate\""))
        .unwrap();
    let done = slot.reload().unwrap();
    assert_eq!(done.changed, ["os.list_tasks"]);
    let (single, after) = encoder.take();
    assert_eq!(single, 0, "nothing out of scope is encoded again, so nothing was calibrated again");
    let few = 10;
    assert!(
        (together + 1 - few..=together + 1 + few).contains(&after),
        "the examples, and the new phrase: {together}, {after}"
    );
    let report = say(&slot.get(), "whatever is on my plate").await;
    assert_eq!(report.planned[0].tool, "os.list_tasks", "{report:#?}");
}
