//! Every user-visible error code has a page in `docs/errors/`, and the index lists it.

use std::path::Path;

use anyhow::{Result, ensure};

use super::{entries, read};

/// The file that declares the codes of packs, one `Name = "P0001" Severity` per line.
const CODES: &str = "crates/brain-registry/src/code.rs";

pub(super) fn every_code_has_a_page(root: &Path) -> Result<Vec<String>> {
    let source = read(&root.join(CODES))?;
    let codes = codes(&source);
    ensure!(source.contains("pub const CODES") && !codes.is_empty(), "{CODES} declares no codes any more");
    let pages = pages(root)?;
    let missing =
        codes.iter().filter(|code| !pages.contains(*code)).map(|code| format!("docs/errors/{code}.md is missing"));
    Ok(missing.collect())
}

pub(super) fn every_page_is_in_the_index(root: &Path) -> Result<Vec<String>> {
    let index = read(&root.join("docs/errors/README.md"))?;
    let absent = pages(root)?.into_iter().filter(|page| !index.contains(&format!("({page}.md)")));
    Ok(absent.map(|page| format!("docs/errors/README.md has no link to {page}.md")).collect())
}

fn codes(source: &str) -> Vec<String> {
    source.split('"').filter(|word| is_code(word)).map(str::to_owned).collect()
}

/// Whether a word is a capital letter and four digits.
fn is_code(word: &str) -> bool {
    word.len() == 5
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word[1..].bytes().all(|b| b.is_ascii_digit())
}

fn pages(root: &Path) -> Result<Vec<String>> {
    let paths = entries(&root.join("docs/errors"))?;
    let stems = paths.iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    Ok(stems.filter(|stem| is_code(stem)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_and_other_texts_are_not() {
        let source = "YamlSyntax = \"P0001\" Error,\n NoCode = \"P1\" Error, Other = \"E0042\" Warning,";
        assert_eq!(codes(source), ["P0001", "E0042"]);
    }
}
