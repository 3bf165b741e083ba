//! Packs from folders and from memory.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;

use brain_author::new_pack;
use brain_registry::{PackSource, Severity, load, load_sources};

fn starter(name: &str) -> PackSource {
    PackSource::new(name, new_pack(name).unwrap())
}

#[test]
fn a_folder_and_memory_give_the_same_registry() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("garden");
    for (path, text) in new_pack("garden").unwrap() {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    fs::write(root.join("README.md"), "# Garden\n").unwrap();
    fs::write(root.join(".hidden.yaml"), "nonsense: [").unwrap();
    let loaded = load(&[root]).unwrap();
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    assert_eq!(loaded.registry.hash(), load_sources(vec![starter("garden")]).unwrap().registry.hash());
}

#[test]
fn a_missing_folder_is_reported() {
    let report = load(&["/no/such/pack".into()]).unwrap_err();
    assert_eq!(report.diagnostics()[0].code, "P0006");
    assert_eq!(report.diagnostics()[0].severity, Severity::Error);
    assert!(report.to_string().contains("/no/such/pack"), "{report}");
}

#[test]
fn a_file_that_is_not_text_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pack.yaml"), "name: shop\nversion: 1\n").unwrap();
    fs::create_dir(folder.path().join("tools")).unwrap();
    fs::write(folder.path().join("tools/a.yaml"), [0xff, 0xfe, 0x00]).unwrap();
    let report = load(&[folder.path().to_owned()]).unwrap_err();
    assert_eq!(report.diagnostics()[0].code, "P0006");
    assert!(report.diagnostics()[0].file.ends_with("tools/a.yaml"));
}

#[test]
fn the_same_pack_twice_is_rejected_and_two_packs_may_share_a_registry() {
    let report = load_sources(vec![starter("garden"), starter("garden")]).unwrap_err();
    assert!(report.diagnostics().iter().any(|one| one.code == "P0008"), "{report}");

    let other = "record: note\nfields: {text: text}\n".to_owned();
    let uses = "domain: other\ntools:\n  keep:\n    title: Keep\n    input: {text: text}\n    behavior: {record: {insert: idea}}\n".to_owned();
    let second = PackSource::new(
        "other",
        vec![
            ("pack.yaml".into(), "name: other\nversion: 1\nrequires: [garden]\nsettings: {rate: 0.5}\n".into()),
            ("records/note.yaml".into(), other),
            ("tools/keep.yaml".into(), uses),
        ],
    );
    let loaded = load_sources(vec![starter("garden"), second]).unwrap();
    assert_eq!(loaded.registry.packs().len(), 2);
    assert_eq!(loaded.registry.settings()["rate"], "0.5");
    assert_eq!(loaded.registry.settings_schema()["properties"]["rate"]["format"], "decimal");
}

#[test]
fn problems_of_all_files_are_collected_and_sorted() {
    let mut source = starter("garden");
    for (path, text) in &mut source.files {
        if path.ends_with("ideas.yaml") || path.ends_with("idea.yaml") {
            text.push_str("nonsense: 1\n");
        }
    }
    let report = load_sources(vec![source]).unwrap_err();
    let files: Vec<&str> = report.diagnostics().iter().map(|one| one.file.as_str()).collect();
    assert_eq!(files, ["garden/records/idea.yaml", "garden/tools/ideas.yaml"]);
    assert_eq!(report.errors(), 2);
    assert!(report.source(files[0]).contains("record: idea"));
    assert!(report.render(true).contains("\u{1b}["));
}

#[test]
fn the_hash_changes_with_the_content_and_not_with_comments() {
    let base = load_sources(vec![starter("garden")]).unwrap().registry.hash();
    let changed = |from: &str, to: &str| {
        let mut source = starter("garden");
        for (_, text) in &mut source.files {
            *text = text.replace(from, to);
        }
        load_sources(vec![source]).unwrap().registry.hash()
    };
    assert_eq!(changed("# What can be done.", "# Comment."), base);
    assert_ne!(changed("title: List ideas", "title: Show ideas"), base);
}
