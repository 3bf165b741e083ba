//! Every mistake in `bad_packs/*.md` is reported exactly as written there.
//!
//! Each file has cases under `##` headings. A fenced block `yaml PATH` is a file of the pack (`without PATH` removes
//! one), and the block `text` is the output of `brain pack check`. Files before the first heading belong to every case;
//! a case may replace them. Set `BRAIN_UPDATE=1` to rewrite the outputs, then read them: they are what users will see.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use brain_registry::{CODES, PackSource, load_sources};

const PACK: &str = "name: shop\nversion: 1.0.0\ntitle: Shop\n";

struct Block {
    info: String,
    text: String,
    /// The lines of its content.
    start: usize,
    end: usize,
}

struct Case {
    name: String,
    blocks: Vec<Block>,
}

fn cases(markdown: &str) -> Vec<Case> {
    let mut cases = vec![Case { name: String::new(), blocks: Vec::new() }];
    let mut open: Option<Block> = None;
    for (number, line) in markdown.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block { info: info.to_owned(), text: String::new(), start: number + 1, end: 0 })
            }
            (Some(block), Some("")) => {
                block.end = number;
                let last = cases.last_mut().unwrap();
                last.blocks.extend(open.take());
            }
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {
                if let Some(name) = line.strip_prefix("## ") {
                    cases.push(Case { name: name.to_owned(), blocks: Vec::new() });
                }
            }
        }
    }
    cases
}

fn answer(base: &Case, case: &Case) -> String {
    let mut files = BTreeMap::from([("pack.yaml".to_owned(), PACK.to_owned())]);
    for block in base.blocks.iter().chain(&case.blocks) {
        if let Some(path) = block.info.strip_prefix("yaml ") {
            files.insert(path.trim().to_owned(), block.text.clone());
        } else if let Some(path) = block.info.strip_prefix("without ") {
            files.remove(path.trim());
        }
    }
    match load_sources(vec![PackSource::new("shop", files.into_iter().collect())]) {
        Ok(loaded) if loaded.warnings.is_empty() => "no problems\n".to_owned(),
        Ok(loaded) => loaded.warnings.render(false) + "\n",
        Err(report) => report.render(false) + "\n",
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_packs");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_mistake_is_reported_as_written() {
    let update = std::env::var_os("BRAIN_UPDATE").is_some();
    let mut wrong = Vec::new();
    for file in files() {
        let markdown = fs::read_to_string(&file).unwrap();
        let parsed = cases(&markdown);
        let (base, rest) = parsed.split_first().unwrap();
        assert!(!rest.is_empty(), "{} has no cases", file.display());
        let mut lines: Vec<String> = markdown.lines().map(str::to_owned).collect();
        for case in rest.iter().rev() {
            let got = answer(base, case);
            let expected = case.blocks.iter().find(|block| block.info == "text");
            let expected = expected.unwrap_or_else(|| panic!("`{}` has no answer", case.name));
            if expected.text == got {
                continue;
            }
            if update {
                lines.splice(expected.start..expected.end, got.lines().map(str::to_owned));
            } else {
                wrong.push(format!("{}: {}\n--- expected\n{}--- got\n{got}", file.display(), case.name, expected.text));
            }
        }
        if update {
            fs::write(&file, lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_is_shown_by_a_case() {
    let all: String = files().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    // An unreadable file needs a file system, and only an import reads XML: `loading.rs` and `dmn.rs` cover them.
    let elsewhere = ["P0006", "P0009"];
    let missing: Vec<&&str> =
        CODES.iter().filter(|code| !elsewhere.contains(code) && !all.contains(&format!("[{code}]"))).collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
}

#[test]
fn every_report_has_a_position() {
    for file in files() {
        for case in cases(&fs::read_to_string(&file).unwrap()).iter().skip(1) {
            let answer = &case.blocks.iter().find(|block| block.info == "text").unwrap().text;
            assert!(answer.contains("--> shop"), "{}: {}", file.display(), case.name);
        }
    }
}

/// The files that a comment in the first line names: `# tools/a.yaml`, or `# tools/a.yaml, and the same in tools/b.yaml`.
fn named_files(block: &Block) -> Vec<String> {
    let first = block.text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
    first.split(", and the same in ").filter(|name| name.ends_with(".yaml")).map(str::to_owned).collect()
}

#[test]
fn snippets_of_error_pages_are_yaml_and_whole_files_show_the_code() {
    for code in CODES {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/errors/{code}.md"));
        let parsed = cases(&fs::read_to_string(&page).unwrap());
        let blocks: Vec<&Block> =
            parsed.iter().flat_map(|case| &case.blocks).filter(|block| block.info == "yaml").collect();
        let whole: Vec<(String, String)> = blocks
            .iter()
            .flat_map(|block| named_files(block).into_iter().map(|name| (name, block.text.clone())))
            .collect();
        let load = |extra: Vec<(String, String)>| {
            let mut files = BTreeMap::from([("pack.yaml".to_owned(), PACK.to_owned())]);
            files.extend(extra);
            match load_sources(vec![PackSource::new("shop", files.into_iter().collect())]) {
                Ok(loaded) => loaded.warnings.render(false),
                Err(report) => report.render(false),
            }
        };
        if !whole.is_empty() {
            let answer = load(whole);
            assert!(answer.contains(&format!("[{code}]")), "{}: the pack gives\n{answer}", page.display());
            continue;
        }
        for block in blocks {
            let answer = load(vec![("tools/snippet.yaml".to_owned(), block.text.clone())]);
            let is_yaml = !["[P0001]", "[P0002]", "[P0003]"].iter().any(|code| answer.contains(code));
            let wanted = !["P0001", "P0002", "P0003"].contains(code);
            assert_eq!(is_yaml, wanted, "{}: {answer}", page.display());
        }
    }
}
