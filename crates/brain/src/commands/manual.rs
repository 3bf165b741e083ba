//! `brain completions` and `brain dev man`.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;
use serde_json::json;

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
    clap_mangen::generate_to(with_every_description(), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    let pages = std::fs::read_dir(folder)?.count();
    if global.json {
        show::json(&json!({"folder": folder, "pages": pages}));
    } else if !global.quiet {
        outln!("{} in {}", show::count(pages, "page"), folder.display());
    }
    Ok(true)
}

/// The commands with every argument visible: `clap_mangen` omits those that are hidden from `-h`.
fn with_every_description() -> clap::Command {
    Cli::command().mut_args(|arg| arg.hide_short_help(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_description_in_the_man_page() {
        let mut page = Vec::new();
        clap_mangen::Man::new(with_every_description()).render(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap().replace("\\-", "-");
        for arg in Cli::command().get_arguments().filter(|arg| arg.get_long().is_some()) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let words: Vec<&str> = help.split_whitespace().take(3).collect();
            assert!(page.contains(&words.join(" ")), "{}: {words:?} is not in\n{page}", arg.get_id());
        }
    }
}
