//! Makes the static table: `cargo xtask distill` runs this.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [model, out] = args.as_slice() else {
        eprintln!("usage: distill MODEL_FOLDER OUT_FILE");
        return ExitCode::from(2);
    };
    let write = |table: Vec<u8>| std::fs::write(Path::new(out), table);
    match brain_embed::distill::distill(Path::new(model)).map(write) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("{out}: {error}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
