//! `brain pack docs`: generates documentation of packs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use brain_author::docs;
use brain_registry::Loaded;

use super::{Usage, pack};
use crate::cli::{DocsArgs, Global};
use crate::show;
use crate::show::DIM;

pub(crate) fn run(global: &Global, args: &DocsArgs) -> Result<bool> {
    if global.json && args.output.is_none() {
        let help = "use -o OUT to write them and print their names as JSON, or `brain pack schema` for JSON Schemas";
        return Err(Usage(format!("the pages would be printed as text, which is not JSON; {help}")).into());
    }
    let Some(Loaded { registry, .. }) = pack::load(global, &args.folders) else { return Ok(false) };
    let (write, ending): (fn(_, _) -> _, _) = if args.html { (docs::html, "html") } else { (docs::markdown, "md") };
    let pages: Vec<(&String, String)> =
        registry.packs().keys().filter_map(|name| Some((name, write(&registry, name)?))).collect();
    let Some(output) = &args.output else {
        if args.html && pages.len() > 1 {
            bail!("{} packs need one page each; name a folder with -o", pages.len());
        }
        for (_, text) in &pages {
            crate::out::text(format_args!("{text}"));
        }
        return Ok(true);
    };
    let written = destinations(output, pages, ending);
    for (path, text) in &written {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if global.json {
        let files: Vec<String> = written.iter().map(|(path, _)| path.display().to_string()).collect();
        show::json(&serde_json::json!({"ok": true, "files": files}));
    } else {
        for (path, _) in &written {
            outln!("{DIM}→{DIM:#} {}", path.display());
        }
    }
    Ok(true)
}

/// The output path of each page: one page goes to a file unless a folder is named; several go to a folder, by name.
fn destinations(output: &Path, pages: Vec<(&String, String)>, ending: &str) -> Vec<(PathBuf, String)> {
    let folder = output.is_dir() || pages.len() > 1 || output.extension().is_none();
    let place = |name: &String| if folder { output.join(format!("{name}.{ending}")) } else { output.to_owned() };
    pages.into_iter().map(|(name, text)| (place(name), text)).collect()
}
