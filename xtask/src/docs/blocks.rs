//! Extracts the executable blocks of a Markdown page.

use std::ops::Range;

use anyhow::{Result, bail};

/// An action of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Write a file.
    File { line: usize, path: String, text: String },
    /// Run a command.
    Command(Console),
}

impl Act {
    pub(super) fn command(&self) -> Option<&Console> {
        match self {
            Self::Command(command) => Some(command),
            Self::File { .. } => None,
        }
    }
}

/// A command with its exit code and the output that the page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Console {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) exit: i32,
    pub(super) expected: String,
    /// The lines of the output on the page, counted from 0.
    pub(super) place: Range<usize>,
    /// Spaces in front of each line of the block.
    pub(super) indent: usize,
}

impl Console {
    /// Whether it stays in the background: the time of its output varies, so no page shows it.
    pub(super) fn is_background(&self) -> bool {
        let text = self.text.rsplit_once(" #").map_or(self.text.as_str(), |(command, _)| command);
        text.trim_end().ends_with('&')
    }
}

/// What is done with a block.
enum Kind {
    Console,
    File(String),
    Other,
}

/// What happens on a page, in order. Lines count from 1.
pub(super) fn acts(page: &str) -> Result<Vec<Act>> {
    let mut acts = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((start, line)) = lines.next() {
        let trimmed = line.trim_start();
        let fence: String = trimmed.chars().take_while(|c| *c == '`').collect();
        if fence.len() < 3 {
            continue;
        }
        let indent = line.len() - trimmed.len();
        let mut content = Vec::new();
        loop {
            let Some((n, line)) = lines.next() else { bail!("{}: this block is not closed", start + 1) };
            if line.trim() == fence {
                break;
            }
            let spaces = line.len() - line.trim_start().len();
            content.push((n + 1, &line[indent.min(spaces)..]));
        }
        match kind(&trimmed[fence.len()..]) {
            Kind::Console => acts.extend(commands(&content, indent)?.into_iter().map(Act::Command)),
            Kind::File(path) => {
                let text = content.iter().fold(String::new(), |text, (_, line)| text + line + "\n");
                acts.push(Act::File { line: start + 1, path, text });
            }
            Kind::Other => {}
        }
    }
    Ok(acts)
}

fn kind(info: &str) -> Kind {
    let words: Vec<&str> = info.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    if words.contains(&"norun") {
        return Kind::Other;
    }
    if let Some(path) = words.iter().find_map(|word| word.strip_prefix("file=")) {
        return Kind::File(path.to_owned());
    }
    if words.first() == Some(&"console") { Kind::Console } else { Kind::Other }
}

fn commands(content: &[(usize, &str)], indent: usize) -> Result<Vec<Console>> {
    let mut commands: Vec<Console> = Vec::new();
    for &(line, text) in content {
        if let Some(command) = text.strip_prefix("$ ") {
            let (text, exit) = (command.to_owned(), exit_code(command));
            commands.push(Console { line, text, exit, expected: String::new(), place: line..line, indent });
            continue;
        }
        let Some(last) = commands.last_mut() else {
            if text.trim().is_empty() {
                continue;
            }
            bail!("{line}: a console block begins with a command: `$ …`");
        };
        match text.strip_prefix("> ").or_else(|| (text == ">").then_some("")) {
            Some(more) if last.place.is_empty() && last.place.start + 1 == line => {
                last.text.push('\n');
                last.text.push_str(more);
                last.place = line..line;
            }
            _ => {
                last.expected.push_str(text);
                last.expected.push('\n');
                // Empty lines at the end separate commands.
                if !text.trim().is_empty() {
                    last.place.end = line;
                }
            }
        }
    }
    for command in &mut commands {
        command.expected.truncate(command.expected.trim_end().len());
    }
    Ok(commands)
}

/// The page with other output in the places of these commands.
pub(super) fn rewritten(page: &str, outputs: &[(&Console, String)]) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for (command, output) in outputs.iter().rev() {
        let indent = " ".repeat(command.indent);
        let mut output: Vec<String> =
            output.lines().map(|line| format!("{indent}{line}").trim_end().to_owned()).collect();
        let next = lines.get(command.place.end);
        if !output.is_empty() && next.is_some_and(|next| next.trim_start().starts_with("$ ")) {
            output.push(String::new());
        }
        lines.splice(command.place.clone(), output);
    }
    lines.join("\n") + "\n"
}

/// The code that a trailing `# exit 1` announces.
fn exit_code(command: &str) -> i32 {
    command.rsplit_once("# exit ").and_then(|(_, code)| code.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console(line: usize, text: &str, exit: i32, expected: &str, place: Range<usize>) -> Console {
        Console { line, text: text.into(), exit, expected: expected.into(), place, indent: 0 }
    }

    #[test]
    fn commands_with_their_output_are_extracted_in_order() {
        let page = "# Tour\n\n```console\n$ brain doctor\nok\n\nfine\n\n$ brain nope   # exit 2\n```\ntext\n";
        let wanted =
            [console(4, "brain doctor", 0, "ok\n\nfine", 4..7), console(9, "brain nope   # exit 2", 2, "", 9..9)];
        assert_eq!(acts(page).unwrap(), wanted.map(Act::Command));
    }

    #[test]
    fn a_command_may_take_several_lines_and_a_block_may_be_indented() {
        let page = "1. Do\n\n   ```console\n   $ cat > x <<'E'\n   > a:\n   >   b\n   > E\n   ```\n";
        let wanted = Console { indent: 3, ..console(4, "cat > x <<'E'\na:\n  b\nE", 0, "", 7..7) };
        assert_eq!(acts(page).unwrap(), [Act::Command(wanted)]);
    }

    #[test]
    fn output_is_replaced_in_its_place() {
        let page = "```console\n$ a\nold\nolder\n\n$ b\n$ c\nsame\n```\nend\n";
        let acts = acts(page).unwrap();
        let commands = acts.iter().filter_map(Act::command);
        let outputs: Vec<_> = commands.zip(["new\n", "1\n2\n", "same\n"].map(str::to_owned)).collect();
        assert_eq!(rewritten(page, &outputs), "```console\n$ a\nnew\n\n$ b\n1\n2\n\n$ c\nsame\n```\nend\n");
    }

    #[test]
    fn a_command_in_the_background_is_recognised() {
        assert!(console(1, "brain serve &   # later", 0, "", 1..1).is_background());
        assert!(!console(1, "brain pack new a && brain pack check a", 0, "", 1..1).is_background());
    }

    #[test]
    fn a_block_may_be_a_file_and_others_are_left_alone() {
        let page =
            "```yaml file=garden/pack.yaml\nname: garden\n```\n```yaml\nx: 1\n```\n```console,norun\n$ rm -rf x\n```\n";
        let file = Act::File { line: 1, path: "garden/pack.yaml".into(), text: "name: garden\n".into() };
        assert_eq!(acts(page).unwrap(), [file]);
    }

    #[test]
    fn a_block_that_is_wrong_is_refused() {
        assert!(acts("```console\n$ x\n").is_err());
        assert!(acts("```console\noutput without a command\n```").is_err());
    }
}
