//! `brain pack import`: creates packs from other formats.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use brain_author::import::{self, ImportError, ImportNote, Imported};

use super::pack::write_files;
use crate::cli::{Global, ImportDmnArgs, ImportPlaybookArgs, ImportRegistryArgs};
use crate::show::{BOLD, DIM, GREEN, RED};
use crate::{open, show};

pub(crate) fn registry(global: &Global, args: &ImportRegistryArgs) -> Result<bool> {
    let text = read(&args.file)?;
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from(stem(&args.file)));
    refuse_unless_empty(&folder, args.force)?;
    let made = import::registry(&stem(&folder), &args.file.display().to_string(), &text);
    finish(global, &folder, made)
}

pub(crate) fn playbook(global: &Global, args: &ImportPlaybookArgs) -> Result<bool> {
    let sources = read_all(&args.files)?;
    let first = args.files.first().context("name a file")?;
    let folder = args.into.clone().or_else(|| args.output.clone()).unwrap_or_else(|| PathBuf::from(stem(first)));
    let Some(pack) = &args.into else {
        refuse_unless_empty(&folder, args.force)?;
        let made = import::playbooks(&stem(&folder), &sources, &BTreeSet::new(), true);
        return finish(global, &folder, made);
    };
    let loaded = match open::load_packs(std::slice::from_ref(pack), global) {
        Ok(loaded) => loaded,
        Err(report) => bail!("{report}\n\n{} must pass `brain pack check` first", pack.display()),
    };
    let known: BTreeSet<String> = loaded.registry.tools().keys().cloned().collect();
    let name = loaded.registry.packs().keys().next().cloned().unwrap_or_else(|| stem(pack));
    let mut made = import::playbooks(&name, &sources, &known, false);
    spare(&folder, &mut made, args.force)?;
    finish(global, &folder, made)
}

pub(crate) fn dmn(global: &Global, args: &ImportDmnArgs) -> Result<bool> {
    let sources = read_all(&args.files)?;
    let first = args.files.first().context("name a file")?;
    let Some(pack) = &args.into else {
        let folder = args.output.clone().unwrap_or_else(|| PathBuf::from(stem(first)));
        refuse_unless_empty(&folder, args.force)?;
        return finish(global, &folder, import::dmn(&stem(&folder), &sources, true));
    };
    if let Err(report) = open::load_packs(std::slice::from_ref(pack), global) {
        bail!("{report}\n\n{} must pass `brain pack check` first", pack.display());
    }
    let mut made = import::dmn(&stem(pack), &sources, false);
    spare(pack, &mut made, args.force)?;
    finish(global, pack, made)
}

/// Keeps the pack's existing schemas, and without --force refuses to overwrite any other file.
fn spare(folder: &Path, made: &mut Result<Imported, ImportError>, force: bool) -> Result<()> {
    let Ok(imported) = made else { return Ok(()) };
    imported.files.retain(|(path, _)| !path.starts_with('.') || !folder.join(path).exists());
    let there = imported.files.iter().map(|(path, _)| path).find(|path| folder.join(path).exists());
    if let (false, Some(path)) = (force, there) {
        bail!("{} already exists; nothing was written. Use --force to replace it", folder.join(path).display());
    }
    Ok(())
}

fn read_all(files: &[PathBuf]) -> Result<Vec<(String, String)>> {
    files.iter().map(|file| Ok((file.display().to_string(), read(file)?))).collect()
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The name of a file or folder up to the first dot.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().filter(|name| !name.is_empty()).unwrap_or("imported").to_owned()
}

fn refuse_unless_empty(folder: &Path, force: bool) -> Result<()> {
    let used = folder.exists() && std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_some());
    if used && !force {
        bail!(
            "`{}` exists and is not empty; nothing was written. Use --force to write into it, or -o to choose \
             another folder",
            folder.display()
        );
    }
    Ok(())
}

/// Writes the pack, reports what was not imported, and checks the result.
fn finish(global: &Global, folder: &Path, made: Result<Imported, ImportError>) -> Result<bool> {
    let imported = match made {
        Ok(imported) => imported,
        Err(report) => {
            if global.json {
                show::json(&serde_json::json!({"ok": false, "diagnostics": report.diagnostics()}));
            } else {
                outln!("{}", report.render(true));
            }
            return Ok(false);
        }
    };
    write_files(folder, &imported.files)?;
    let checked = open::load_packs(&[folder.to_owned()], global);
    let ok = checked.is_ok();
    let report = checked.map_or_else(|report| report, |loaded| loaded.warnings);
    let files: Vec<&String> =
        imported.files.iter().map(|(path, _)| path).filter(|path| !path.starts_with('.')).collect();
    let (tools, playbooks) = imported.made;
    if global.json {
        show::json(&serde_json::json!({
            "ok": ok, "folder": folder.display().to_string(), "files": files, "tools": tools, "playbooks": playbooks,
            "notes": imported.notes, "diagnostics": report.diagnostics(),
        }));
        return Ok(ok);
    }
    outln!("{BOLD}{}/{BOLD:#}", folder.display());
    for path in files {
        outln!("  {path}");
    }
    notes(&imported.notes);
    if !report.is_empty() {
        outln!("\n{}", report.render(true));
    }
    let (mark, color) = if ok { ("✓", GREEN) } else { ("✗", RED) };
    let check = if ok { "passes the check" } else { "needs manual work: see above" };
    outln!("\n{color}{mark}{color:#} {}, {}; the pack {check}", count(tools, "tool"), count(playbooks, "playbook"));
    outln!("{DIM}→{DIM:#} brain pack check {0}\n{DIM}→{DIM:#} brain pack docs {0}", folder.display());
    Ok(ok)
}

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// Prints what was not imported unchanged, grouped by subject.
fn notes(notes: &[ImportNote]) {
    if notes.is_empty() {
        return;
    }
    outln!("\nImported with changes, or not at all:");
    let mut about: Option<&str> = None;
    for note in notes {
        if about != Some(&note.about) {
            outln!("  {BOLD}{}{BOLD:#}", note.about);
            about = Some(&note.about);
        }
        let key = if note.key.is_empty() { String::new() } else { format!("{}: ", note.key) };
        outln!("    {DIM}{key}{DIM:#}{}", note.note);
    }
}
