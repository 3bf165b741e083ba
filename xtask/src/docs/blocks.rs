//! Extracts the executable blocks of a Markdown page.

use anyhow::{Result, bail};

/// An action of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Write a file.
    File { line: usize, path: String, text: String },
    /// Run a command.
    Command(Console),
}

/// A command with its expected results.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Console {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) exit: i32,
    /// Lines that must be in the output, with their line numbers on the page.
    pub(super) expected: Vec<(usize, String)>,
}

/// How a block is handled.
enum Kind {
    Console,
    File(String),
    Other,
}

/// The actions of a page, in order. Lines count from 1.
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
            Kind::Console => acts.extend(commands(&content)?.into_iter().map(Act::Command)),
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

fn commands(content: &[(usize, &str)]) -> Result<Vec<Console>> {
    let mut commands: Vec<Console> = Vec::new();
    for &(line, text) in content {
        if let Some(command) = text.strip_prefix("$ ") {
            let exit = exit_code(command);
            commands.push(Console { line, text: command.to_owned(), exit, expected: Vec::new() });
        } else if let Some(last) = commands.last_mut() {
            match text.strip_prefix("> ").or_else(|| (text == ">").then_some("")) {
                Some(more) if last.expected.is_empty() => {
                    last.text.push('\n');
                    last.text.push_str(more);
                }
                _ if text.trim().is_empty() => {}
                _ => last.expected.push((line, text.to_owned())),
            }
        } else if !text.trim().is_empty() {
            bail!("{line}: a console block begins with a command: `$ …`");
        }
    }
    Ok(commands)
}

/// The code that a trailing `# exit 1` announces.
fn exit_code(command: &str) -> i32 {
    command.rsplit_once("# exit ").and_then(|(_, code)| code.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console(line: usize, text: &str, exit: i32, expected: &[(usize, &str)]) -> Act {
        let expected = expected.iter().map(|(n, text)| (*n, (*text).to_owned())).collect();
        Act::Command(Console { line, text: text.into(), exit, expected })
    }

    #[test]
    fn commands_with_their_output_are_extracted_in_order() {
        let page = "# Tour\n\n```console\n$ brain doctor\nok\n\nfine … here\n$ brain nope   # exit 2\n```\ntext\n";
        let wanted = [
            console(4, "brain doctor", 0, &[(5, "ok"), (7, "fine … here")]),
            console(8, "brain nope   # exit 2", 2, &[]),
        ];
        assert_eq!(acts(page).unwrap(), wanted);
    }

    #[test]
    fn a_command_may_take_several_lines_and_a_block_may_be_indented() {
        let page = "1. Do\n\n   ```console\n   $ cat > x <<'E'\n   > a:\n   >   b\n   > E\n   ```\n";
        assert_eq!(acts(page).unwrap(), [console(4, "cat > x <<'E'\na:\n  b\nE", 0, &[])]);
    }

    #[test]
    fn a_block_may_be_a_file_and_others_are_left_alone() {
        let page =
            "```yaml file=garden/pack.yaml\nname: garden\n```\n```yaml\nx: 1\n```\n```console,norun\n$ rm -rf x\n```\n";
        let file = Act::File { line: 1, path: "garden/pack.yaml".into(), text: "name: garden\n".into() };
        assert_eq!(acts(page).unwrap(), [file]);
    }

    #[test]
    fn a_malformed_block_is_rejected() {
        assert!(acts("```console\n$ x\n").is_err());
        assert!(acts("```console\noutput without a command\n```").is_err());
    }
}
