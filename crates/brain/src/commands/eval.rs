//! `brain dev eval`: measures understanding on public data sets and on a pack's corpus.

mod corpus;
mod data_set;
mod frames;

use anyhow::Result;

use crate::cli::{EvalArgs, Global};

pub(crate) fn run(global: &Global, args: &EvalArgs) -> Result<bool> {
    match (&args.train, &args.test) {
        (Some(train), Some(test)) if args.frames => frames::run(global, args, train, test),
        (Some(train), Some(test)) => data_set::run(global, args, train, test),
        _ => corpus::run(global, args),
    }
}
