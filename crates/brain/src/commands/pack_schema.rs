//! `brain pack schema`: JSON Schemas of pack files, for editors.

use std::path::Path;

use anyhow::{Context, Result, bail};
use brain_author::schemas::{SchemaKind, schema};

use super::pack::write_files;
use crate::cli::{Global, SchemaArgs};
use crate::show;
use crate::show::DIM;

pub(crate) fn run(global: &Global, args: &SchemaArgs) -> Result<bool> {
    let text = |kind| serde_json::to_string_pretty(&schema(kind)).map(|text| text + "\n");
    let Some(name) = &args.kind else {
        let folder = args.output.as_deref().unwrap_or(Path::new("."));
        let mut files = Vec::new();
        for kind in SchemaKind::ALL {
            files.push((format!("{}.json", kind.name()), text(kind)?));
        }
        write_files(folder, &files)?;
        if global.json {
            let files: Vec<String> = files.iter().map(|(path, _)| folder.join(path).display().to_string()).collect();
            show::json(&serde_json::json!({"ok": true, "files": files}));
            return Ok(true);
        }
        for kind in SchemaKind::ALL {
            let path = folder.join(format!("{}.json", kind.name()));
            outln!("{} {DIM}for {}{DIM:#}", path.display(), kind.files());
        }
        outln!(
            "{DIM}→{DIM:#} begin a file with: # yaml-language-server: $schema=PATH/{}.json",
            SchemaKind::Tools.name()
        );
        return Ok(true);
    };
    let Some(kind) = SchemaKind::named(name) else {
        let known: Vec<&str> = SchemaKind::ALL.iter().map(|kind| kind.name()).collect();
        bail!("there is no kind of file `{name}`; the kinds are {}", known.join(", "));
    };
    match &args.output {
        None => crate::out::text(format_args!("{}", text(kind)?)),
        Some(path) => {
            std::fs::write(path, text(kind)?).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(true)
}
