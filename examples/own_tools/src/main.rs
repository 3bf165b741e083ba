//! A program of one's own: everything that `brain` does, and two tools in Rust.

mod post;
mod text;

fn main() -> std::process::ExitCode {
    brain::main()
}
