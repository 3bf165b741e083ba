//! `brain completions` and `brain dev man`.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::{Cli, Global};
use crate::show;

pub(crate) fn completions(shell: Shell) -> Result<bool> {
    // clap_complete panics when its writer fails, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "brain", &mut script);
    crate::out::text(format_args!("{}\n", String::from_utf8_lossy(&script).trim_end()));
    Ok(true)
}

pub(crate) fn man(global: &Global, folder: &Path) -> Result<bool> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    if !global.quiet {
        let pages = std::fs::read_dir(folder)?.count();
        outln!("{} in {}", show::count(pages, "page"), folder.display());
    }
    Ok(true)
}
