//! The `brain` command: the library's `main`, with the allocator of the programs that are handed out.

use std::process::ExitCode;

/// Requests and records are many small values: this allocator is markedly quicker with them than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    brain::main()
}
