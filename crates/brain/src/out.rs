//! Lines on standard output. A reader that goes away ends the command: `anstream` alone would go on without one.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};

use crate::system::BROKEN_PIPE;

/// Prints a line; colours are dropped when standard output is not a terminal.
macro_rules! outln {
    () => {
        $crate::out::line(format_args!(""))
    };
    ($($arg:tt)*) => {
        $crate::out::line(format_args!($($arg)*))
    };
}

pub(crate) fn line(text: Arguments<'_>) {
    match writeln!(anstream::stdout().lock(), "{text}") {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(i32::from(BROKEN_PIPE)),
        Err(error) => panic!("failed printing to standard output: {error}"),
    }
}
