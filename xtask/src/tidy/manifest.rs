//! Parses the dependencies in a `Cargo.toml`.

/// The names of the dependencies in these sections, in file order.
pub(super) fn dependencies(manifest: &str, sections: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            inside = sections.contains(&heading);
            // `[dependencies.serde]`
            if let Some((section, name)) = heading.rsplit_once('.')
                && sections.contains(&section)
            {
                names.push(name.to_owned());
            }
        } else if inside && !line.starts_with('#') && line.contains('=') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or(line);
            // The continuation of a multi-line value is not a name.
            if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_write_a_dependency_are_read() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\n# a comment = no name\nserde.workspace = true\n\
                        jiff = { workspace = true }\n[dependencies.tokio]\nversion = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n";
        assert_eq!(dependencies(manifest, &["dependencies"]), ["serde", "jiff", "tokio"]);
        assert_eq!(dependencies(manifest, &["dev-dependencies"]), ["proptest"]);
    }
}
