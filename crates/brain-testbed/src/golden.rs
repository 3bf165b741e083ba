//! Golden files: stored formats as text, compared by tests.

use std::path::Path;

/// Compares a text with a golden file. With `BRAIN_UPDATE=1` the file is written instead.
///
/// # Panics
/// If they differ; the message says what to do.
pub fn assert_golden(file: &Path, text: &str) {
    let text = format!("{}\n", text.trim_end());
    if std::env::var_os("BRAIN_UPDATE").is_some() {
        let written = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(file, &text));
        return written.unwrap_or_else(|error| panic!("{} cannot be written: {error}", file.display()));
    }
    let golden = std::fs::read_to_string(file).unwrap_or_default();
    if golden == text {
        return;
    }
    let (mut golden_lines, mut lines) = (golden.lines(), text.lines());
    let mut number = 0;
    let (was, is) = loop {
        number += 1;
        match (golden_lines.next(), lines.next()) {
            (was, is) if was == is && was.is_some() => {}
            (was, is) => break (was.unwrap_or("(the end)"), is.unwrap_or("(the end)")),
        }
    };
    panic!(
        "{}:{number}: this build writes another format than the one that is frozen.\n  frozen: {was}\n  now:    {is}\n\
         Stores and clients that exist rely on it, so a change is a new version: add the new version next to the old one and \
         keep reading the old form (docs/adr/0024-formats-are-frozen.md).\n\
         If the change only adds something, run `cargo xtask golden` and commit the file with it.",
        file.display()
    );
}
