//! Commands that messages suggest. They carry the flags that say where the command worked, so that they work as pasted.

use std::sync::OnceLock;

use crate::cli::Global;

static TARGET: OnceLock<String> = OnceLock::new();

/// Keeps the flags of this command that name its target. Called before the configuration fills in what was not given.
/// The token is a secret and stays out.
pub(crate) fn remember(global: &Global) {
    drop(TARGET.set(flags(global)));
}

fn flags(global: &Global) -> String {
    let store = global.store.as_deref().map(brain_store::redact);
    let config = global.config.as_ref().map(|path| path.display().to_string());
    let mut text = String::new();
    let mut add = |flag: &str, value: &str| text.push_str(&format!(" {flag} {}", quoted(value)));
    let given = [
        ("--config", &config),
        ("--server", &global.server),
        ("--profile", &global.profile),
        ("--store", &store),
        ("--tenant", &global.tenant),
        ("--as", &global.acting_as),
    ];
    for (flag, value) in given {
        if let Some(value) = value {
            add(flag, value);
        }
    }
    // A server has its own packs.
    if global.server.is_none() && global.profile.is_none() {
        global.packs.iter().for_each(|pack| add("--pack", &pack.display().to_string()));
    }
    text
}

/// A text as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/:._-@=+,%~".contains(c);
    if !text.is_empty() && !text.starts_with('~') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A command with its arguments, for the target of this one: `brain approve ID --server URL`.
pub(crate) fn command(words: &str) -> String {
    format!("brain {words}{}", TARGET.get().map_or("", String::as_str))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::Cli;

    fn of(args: &[&str]) -> String {
        let cli = Cli::parse_from([&["brain"], args, &["runs"]].concat());
        flags(&cli.global)
    }

    #[test]
    fn a_hint_names_the_same_target_and_no_secret() {
        assert_eq!(of(&[]), "");
        assert_eq!(of(&["--server", "http://127.0.0.1:7700", "--token", "s3"]), " --server http://127.0.0.1:7700");
        assert_eq!(of(&["--pack", "my packs/shop", "--tenant", "acme"]), " --tenant acme --pack 'my packs/shop'");
        assert_eq!(of(&["--profile", "prod", "--pack", "shop"]), " --profile prod");
        let store = of(&["--store", "postgres://ann:s3cret@db/brain"]);
        assert!(store.starts_with(" --store ") && !store.contains("s3cret"), "{store}");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
