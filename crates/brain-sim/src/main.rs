//! `brain-sim --seeds N [--from M]` runs many worlds; `brain-sim --seed N` runs one and prints its listing.

use std::process::ExitCode;
use std::time::Instant;

use brain_sim::{Bug, Options, live, live_all};

const HELP: &str = "\
Simulates seeded worlds with faults and checks their invariants.

    brain-sim [--seeds 2000] [--from 0]     many worlds; stops after a few failures
    brain-sim --seed N                      one world, with a listing of its events

    --kernel          nodes are whole kernels with real packs
    --sqlite          store the rows in a SQLite file
    --postgres URL    store the rows in PostgreSQL
    --bug NAME        plant a bug that must be detected
";

/// Number of failing worlds after which to stop.
const ENOUGH: usize = 3;

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)) {
        Some((Some(seed), _, _, options)) => one(seed, &Options { listing: true, ..options }),
        Some((None, from, seeds, options)) => many(from, seeds, &options),
        None => {
            eprint!("{HELP}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: impl Iterator<Item = String>) -> Option<(Option<u64>, u64, u64, Options)> {
    let (mut seed, mut from, mut seeds, mut options) = (None, 0, 2000, Options::default());
    let mut args = args;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seed" => seed = Some(args.next()?.parse().ok()?),
            "--from" => from = args.next()?.parse().ok()?,
            "--seeds" => seeds = args.next()?.parse().ok()?,
            "--kernel" => options.kernel = true,
            "--sqlite" => options.sqlite = true,
            "--postgres" => options.postgres = Some(args.next()?),
            "--bug" => {
                let name = args.next()?;
                options.bug = Some(Bug::ALL.into_iter().find(|bug| bug.name() == name)?);
            }
            _ => return None,
        }
    }
    Some((seed, from, seeds, options))
}

fn one(seed: u64, options: &Options) -> ExitCode {
    let lived = live(seed, options);
    for line in &lived.lines {
        println!("{line}");
    }
    println!("seed {seed}: {:?}", lived.tally);
    for problem in &lived.problems {
        println!("PROBLEM {problem}");
    }
    if lived.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn many(from: u64, seeds: u64, options: &Options) -> ExitCode {
    let began = Instant::now();
    let (failed, lived, tally) = live_all(from, seeds, ENOUGH, options);
    let seconds = began.elapsed().as_secs_f64();
    println!("{lived} worlds in {seconds:.1} s ({:.0} a second): {tally:?}", lived as f64 / seconds);
    for one in &failed {
        println!("seed {}: {}", one.seed, one.problems.join("\n    "));
    }
    if let Some(first) = failed.first() {
        println!("{} failed; look at one with `cargo xtask sim --seed {}`", failed.len(), first.seed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
