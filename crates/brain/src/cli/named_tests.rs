//! Every command that documentation, help or a message names exists, with its options.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};

use crate::cli::Cli;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" && name != "seeds" {
            files(&path, found);
        } else if name.ends_with(".md")
            || name.ends_with(".service")
            || (name.ends_with(".rs") && name != "named_tests.rs")
        {
            found.push(path);
        }
    }
}

/// The words after `brain` wherever a text writes a command: after a backtick, a prompt, an arrow or the start of an
/// example.
fn commands(line: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    const BEFORE: [&str; 10] = [
        "`brain ",
        "$ brain ",
        "→ brain ",
        "→{DIM:#} brain ",
        "\\n  brain ",
        "bin/brain ",
        "= help: brain ",
        ": brain ",
        "hint::command(\"",
        "hint::command(&format!(\"",
    ];
    for before in BEFORE {
        for rest in line.split(before).skip(1) {
            let end = rest.find(['`', '|', '&', ';', '#', '"', '>', '<', '\\', '\'']).unwrap_or(rest.len());
            let words = rest[..end].split("  ").next().unwrap_or_default().split(' ');
            found.push(words.filter(|word| !word.is_empty()).collect());
        }
    }
    found
}

/// Commands without another name that the help leaves out.
const NOT_SHOWN: [&str; 1] = ["reference"];

/// Follows the words through the definition; the first that does not fit, or that is an old name.
fn unknown(root: &Command, words: &[&str]) -> Option<String> {
    let mut command = root;
    let mut path = vec![root];
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if let Some(option) = word.strip_prefix("--") {
            let name = option.split(['=', ',', ')', ']', '.', ':']).next().unwrap_or_default();
            if name.is_empty() {
                return None;
            }
            let option = path.iter().flat_map(|part| part.get_arguments()).find(|arg| arg.get_long() == Some(name));
            match option {
                None if !["help", "version"].contains(&name) => return Some(format!("--{name}")),
                // Its value may look like a command.
                Some(arg) if arg.get_action().takes_values() && !word.contains('=') => drop(words.next()),
                _ => {}
            }
        } else if let Some(next) = command.find_subcommand(word) {
            if next.is_hide_set() && !NOT_SHOWN.contains(&next.get_name()) {
                return Some(format!("{word} (an old name)"));
            }
            command = next;
            path.push(command);
        } else if command.has_subcommands() && command.get_positionals().next().is_none() {
            let name = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') && !word.starts_with('-');
            return (name && *word != "help").then(|| (*word).to_owned());
        }
    }
    None
}

#[test]
fn every_command_that_a_text_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    for folder in ["docs", "dist", "crates", "packs", "examples"] {
        files(&root.join(folder), &mut paths);
    }
    let mut cli = Cli::command();
    cli.build();
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        // Exit code 2 is wrong usage, shown on purpose.
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.contains("# exit 2")) {
            for words in commands(line) {
                seen += 1;
                if let Some(word) = unknown(&cli, &words) {
                    wrong.push(format!("{}:{}: `{word}` in `brain {}`", path.display(), n + 1, words.join(" ")));
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} commands were found");
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_command_that_does_not_exist_is_noticed() {
    let mut cli = Cli::command();
    cli.build();
    let check = |line: &str| commands(line).iter().find_map(|words| unknown(&cli, words));
    assert_eq!(check("run `brain pack check DIR --json`"), None);
    assert_eq!(check("$ brain do \"create task\" --mode plan"), None);
    assert_eq!(check("run `brain pack verify`").as_deref(), Some("verify"));
    assert_eq!(check("`brain serve --port 80`").as_deref(), Some("--port"));
    assert_eq!(check("To stop it: brain cancel RUN").as_deref(), Some("cancel (an old name)"));
    assert_eq!(check("hint::command(&format!(\"restore {file}\"))").as_deref(), Some("restore (an old name)"));
    assert_eq!(check("`brain admin token new`"), None);
}

/// Checks the closing texts of a command and of those below it.
fn closing_texts(command: &Command, name: &str, wrong: &mut Vec<String>) {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for paragraph in text.split("\n\n") {
        let lines: Vec<&str> = paragraph.lines().collect();
        let has_examples = lines.iter().any(|line| line.starts_with("  "));
        if !has_examples && lines.len() > 1 {
            wrong.push(format!("{name}: a paragraph is broken into lines: {paragraph}"));
        }
        let long = lines.iter().filter(|line| line.starts_with("  ") && line.chars().count() > 80);
        wrong.extend(long.map(|line| format!("{name}: longer than 80 columns: {line}")));
    }
    for one in command.get_subcommands() {
        closing_texts(one, &format!("{name} {}", one.get_name()), wrong);
    }
}

#[test]
fn closing_texts_are_wrapped_once_and_examples_fit_a_terminal() {
    let mut wrong = Vec::new();
    closing_texts(&Cli::command(), "brain", &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
