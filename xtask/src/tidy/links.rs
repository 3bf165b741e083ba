//! Links within the documentation.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{entries, files, read, shown};

pub(super) fn every_adr_is_in_the_index(root: &Path) -> Result<Vec<String>> {
    let index = read(&root.join("docs/adr/README.md"))?;
    let names =
        entries(&root.join("docs/adr"))?.into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let absent = names.filter(|name| name != "README.md" && !index.contains(&format!("({name})")));
    Ok(absent.map(|name| format!("docs/adr/README.md has no link to {name}")).collect())
}

pub(super) fn every_link_leads_somewhere(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for page in pages(root)? {
        let folder = page.parent().unwrap_or(root);
        for (line, link) in links(&read(&page)?) {
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { folder.join(path) };
            if !target.exists() {
                problems.push(format!("{}:{line}: there is no {path}", shown(root, &page)));
            } else if !heading.is_empty() && !headings(&read(&target)?).iter().any(|known| known == heading) {
                problems.push(format!("{}:{line}: {link} has no such heading", shown(root, &page)));
            }
        }
    }
    Ok(problems)
}

/// The headings of a page, as links name them.
fn headings(page: &str) -> Vec<String> {
    let mut code = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if !code && line.starts_with('#') {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            found.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    found
}

/// The pages in the root and in `docs/`.
pub(crate) fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    pages.extend(files(&root.join("docs"), ".md")?);
    Ok(pages)
}

/// Relative links, with their line. Links to URLs and links in code are left out.
fn links(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut code = false;
    for (n, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        // Every second part between backticks is code.
        let prose: String = line.split('`').step_by(2).collect();
        for part in prose.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or(part);
            if !target.contains(':') {
                found.push((n + 1, target.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_named_as_in_a_link() {
        let page = "# A tour\n```\n# no heading\n```\n### `behavior: {http: …}`\n## Who may ask?\n";
        assert_eq!(headings(page), ["a-tour", "behavior-http-", "who-may-ask"]);
    }

    #[test]
    fn links_to_files_are_found_and_others_are_not() {
        let page = "see [a](a.md) and [`b`](../b.md#part)\n[web](https://example.com)\n`[no](x.md)`\n```\n[no](y.md)\n```\n[c](c.md)";
        assert_eq!(links(page), [(1, "a.md".into()), (1, "../b.md#part".into()), (7, "c.md".into())]);
    }
}
