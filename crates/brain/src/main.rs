//! The `brain` command: the library's `main`, with the allocator of the released binaries.

use std::process::ExitCode;

/// Requests and records are many small allocations, which mimalloc handles markedly faster than the system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    brain::main()
}
