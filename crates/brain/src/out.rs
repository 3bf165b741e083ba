//! Standard output. A reader that goes away ends the command quietly, because `anstream` alone would go on without one;
//! any other failure, such as a full disk, ends it with an error.

use std::fmt::Arguments;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

use crate::system::BROKEN_PIPE;
use crate::table;

/// Prints a line: in a terminal, wrapped between words; elsewhere as it is, without colours.
macro_rules! outln {
    () => {
        $crate::out::text(format_args!("\n"))
    };
    ($($arg:tt)*) => {
        $crate::out::lines(format_args!($($arg)*))
    };
}

/// Prints lines that are wrapped in a terminal.
pub(crate) fn lines(all: Arguments<'_>) {
    if !std::io::stdout().is_terminal() {
        return text(format_args!("{all}\n"));
    }
    let width = table::width();
    for line in all.to_string().split('\n') {
        text(format_args!("{}\n", fitted(line, width)));
    }
}

/// The width of a text without its colours.
fn wide(text: &str) -> usize {
    table::wide(&anstream::adapter::strip_str(text).to_string())
}

/// A line with breaks between words, so that it fits the width; what follows a break is indented. A suggested command
/// stays on one line, however long, so that it can be copied.
fn fitted(line: &str, width: usize) -> String {
    if wide(line) <= width {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start().len();
    let hanging = " ".repeat(indent + 2);
    let (prose, command) = match line.find(": brain ").map(|at| at + 2) {
        Some(at) => (line[..at].trim_end(), Some(&line[at..])),
        None => (line, None),
    };
    let mut shown = " ".repeat(indent);
    let mut used = indent;
    let mut is_first = true;
    for word in prose[indent..].split(' ').chain(command) {
        let space = usize::from(!is_first);
        if !is_first && used + space + wide(word) > width {
            shown.truncate(shown.trim_end_matches(' ').len());
            shown.push('\n');
            shown.push_str(&hanging);
            used = hanging.len();
        } else if !is_first {
            shown.push(' ');
            used += 1;
        }
        shown.push_str(word);
        used += wide(word);
        is_first = false;
    }
    shown
}

/// Prints text as it is; colours are dropped when standard output is not a terminal.
pub(crate) fn text(text: Arguments<'_>) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_fmt(text).and_then(|()| out.flush()) {
        end(&error);
    }
}

/// Ends the process, because its output cannot be written.
pub(crate) fn end(error: &std::io::Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(i32::from(BROKEN_PIPE));
    }
    // Standard error may be on the same full device.
    drop(writeln!(anstream::stderr(), "error: cannot write to standard output: {error}"));
    std::process::exit(1)
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn a_long_line_breaks_between_words_and_never_in_an_id_or_a_command() {
        assert_eq!(fitted("  short", 10), "  short");
        assert_eq!(fitted("  one two three four", 11), "  one two\n    three\n    four");
        assert_eq!(fitted("id 0197f3c2-8a11-7c3e", 8), "id\n  0197f3c2-8a11-7c3e");
        assert_eq!(fitted("→ To run it: brain approve ID --reject", 20), "→ To run it:\n  brain approve ID --reject");
        assert_eq!(fitted("\u{1b}[1mone\u{1b}[0m two", 7), "\u{1b}[1mone\u{1b}[0m two", "colours have no width");
    }
}
