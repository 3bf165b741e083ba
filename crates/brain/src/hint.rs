//! Commands that messages suggest. They include the flags that select the store or server, so that they can be pasted as
//! they are.

use std::sync::OnceLock;

use crate::cli::Global;
use crate::remote::masked_url;

static TARGET: OnceLock<String> = OnceLock::new();

/// Keeps the flags of this command that name its target. Called before the configuration fills in what was not given.
/// The token is a secret and stays out.
pub(crate) fn remember(global: &Global) {
    drop(TARGET.set(flags(global)));
}

fn flags(global: &Global) -> String {
    let store = global.store.as_deref().map(brain_store::redact);
    let server = global.server.as_deref().map(masked_url);
    let config = global.config.as_ref().map(|path| path.display().to_string());
    let mut text = String::new();
    let mut add = |flag: &str, value: &str| text.push_str(&format!(" {flag} {}", quoted(value)));
    let given = [
        ("--config", &config),
        ("--server", &server),
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

/// Subcommands that have no target.
const WITHOUT_TARGET: [&str; 5] = ["pack", "model", "dev", "config", "completions"];

/// A message whose commands in backticks name the target of this command: `` `brain runs` `` becomes
/// `` `brain runs --server URL` ``.
pub(crate) fn targeted(text: &str) -> String {
    TARGET.get().filter(|flags| !flags.is_empty()).map_or_else(|| text.to_owned(), |flags| with_flags(text, flags))
}

fn with_flags(text: &str, flags: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (number, part) in text.split('`').enumerate() {
        if number > 0 {
            shown.push('`');
        }
        shown.push_str(part);
        let command = part.strip_prefix("brain ").filter(|_| number % 2 == 1);
        if command.is_some_and(|words| has_target(words, flags) && !words.ends_with(flags)) {
            shown.push_str(flags);
        }
    }
    shown
}

/// Whether a command can have the target of this one.
fn has_target(words: &str, flags: &str) -> bool {
    match words.split(' ').next().unwrap_or_default() {
        // A server is started on a store.
        "serve" => !flags.contains(" --server ") && !flags.contains(" --profile "),
        first => !WITHOUT_TARGET.contains(&first),
    }
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
        let server = of(&["--server", "https://ann:s3cret@brain.example.com/x?token=s3cret"]);
        assert!(server.starts_with(" --server ") && !server.contains("s3cret"), "{server}");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn commands_within_a_message_name_the_target() {
        let flags = " --server http://127.0.0.1:7700";
        assert_eq!(
            with_flags("no such run; `brain runs` lists them, `brain pack check` does not", flags),
            "no such run; `brain runs --server http://127.0.0.1:7700` lists them, `brain pack check` does not"
        );
        assert_eq!(with_flags("`name` of brain", flags), "`name` of brain");
        assert_eq!(with_flags("start one with `brain serve`", flags), "start one with `brain serve`");
        assert_eq!(with_flags("`brain serve`", " --store sqlite:a.db"), "`brain serve --store sqlite:a.db`");
    }
}
