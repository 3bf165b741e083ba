//! `brain pack new NAME`: a small working pack to start from.

use crate::schemas;
use brain_registry::is_name;

/// The starter: path and text of each file.
const FILES: [(&str, &str); 6] = [
    ("pack.yaml", include_str!("starter/pack.yaml")),
    ("records/idea.yaml", include_str!("starter/records/idea.yaml")),
    ("tools/ideas.yaml", include_str!("starter/tools/ideas.yaml")),
    ("playbooks/remember.yaml", include_str!("starter/playbooks/remember.yaml")),
    ("corpus/test/basic.yaml", include_str!("starter/corpus/basic.yaml")),
    ("scenarios/first.yaml", include_str!("starter/scenarios/first.yaml")),
];

/// An invalid pack name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot name a pack: use lower-case letters, digits and `_`, starting with a letter")]
pub struct PackNameError(String);

/// The files of a new pack: path inside the pack, and text. The first line of each points editors to its schema; the
/// schemas are in a folder that is not part of the pack.
pub fn new_pack(name: &str) -> Result<Vec<(String, String)>, PackNameError> {
    if !is_name(name) {
        return Err(PackNameError(name.to_owned()));
    }
    let file =
        |(path, text): &(&str, &str)| ((*path).to_owned(), schemas::modeline(path) + &text.replace("NAME", name));
    Ok(FILES.iter().map(file).chain(schemas::files()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_registry::{PackSource, load_sources};

    #[test]
    fn the_starter_has_no_problems() {
        let loaded = load_sources(vec![PackSource::new("garden", new_pack("garden").unwrap())]);
        let loaded = loaded.unwrap_or_else(|report| panic!("{report}"));
        assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
        let registry = loaded.registry;
        assert_eq!(registry.tools().keys().collect::<Vec<_>>(), ["ask.idea", "garden.add_idea", "garden.list_ideas"]);
        assert!(registry.playbook("garden.remember").is_some());
        assert_eq!((registry.corpus().len(), registry.scenarios().len()), (3, 1));
    }

    #[test]
    fn a_bad_name_is_refused() {
        for name in ["", "My Pack", "9lives", "../x", "a-b"] {
            assert!(new_pack(name).is_err(), "{name}");
        }
    }
}
