//! The `brain` command.
fn main() {}
