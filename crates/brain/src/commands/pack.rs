//! `brain pack`: write, check and test packs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use brain_author::schemas::SCHEMA_FOLDER;
use brain_kernel::LanguageConfig;
use brain_kernel::scenario::corpus::{Grade, score};
use brain_kernel::scenario::{corpus_vocabulary, run_scenario};
use brain_registry::model::CorpusSet;
use brain_registry::{Loaded, NATIVE_PACK};

use crate::cli::{Global, ImportCommand, PackCommand};
use crate::show::{BOLD, DIM, GREEN, RED, count};
use crate::{open, show};

use super::{Usage, pack_docs, pack_explain, pack_import, pack_schema};

/// Maximum percentage of corpus rows that may be confidently wrong.
const MAX_WRONG_PERCENT: f64 = 1.0;

pub(crate) fn run(global: &Global, command: PackCommand) -> Result<bool> {
    match command {
        PackCommand::New { name } => new(global, &name),
        PackCommand::Check { folders } => check(global, &folders),
        PackCommand::Test { folders, only } => test(global, &folders, only.as_deref()),
        PackCommand::Explain { code } => pack_explain::run(global, code.as_deref()),
        PackCommand::Docs(args) => pack_docs::run(global, &args),
        PackCommand::Schema(args) => pack_schema::run(global, &args),
        PackCommand::Import(ImportCommand::Registry(args)) => pack_import::registry(global, &args),
        PackCommand::Import(ImportCommand::Playbook(args)) => pack_import::playbook(global, &args),
        PackCommand::Import(ImportCommand::Dmn(args)) => pack_import::dmn(global, &args),
    }
}

fn new(global: &Global, name: &str) -> Result<bool> {
    let files = brain_author::new_pack(name).map_err(|error| Usage(error.to_string()))?;
    let folder = Path::new(name);
    if folder.exists() {
        bail!("`{name}` already exists; nothing was written");
    }
    write_files(folder, &files)?;
    if global.json {
        let names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
        show::json(&serde_json::json!({"ok": true, "folder": name, "files": names}));
        return Ok(true);
    }
    outln!("{BOLD}{name}/{BOLD:#}");
    for (path, _) in files.iter().filter(|(path, _)| !path.starts_with('.')) {
        outln!("  {path}");
    }
    outln!("  {SCHEMA_FOLDER}/ {DIM}(for editors){DIM:#}");
    outln!(
        "{DIM}→{DIM:#} brain pack check {name}\n{DIM}→{DIM:#} brain pack test {name}\n{DIM}→{DIM:#} brain --pack {name} --store sqlite:{name}.db do \"…\""
    );
    Ok(true)
}

/// Writes files below a folder.
pub(super) fn write_files(folder: &Path, files: &[(String, String)]) -> Result<()> {
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

pub(super) fn load(global: &Global, folders: &[PathBuf]) -> Option<Loaded> {
    match open::load_packs(folders, global) {
        Ok(loaded) => Some(loaded),
        Err(report) => {
            if global.json {
                show::json(
                    &serde_json::json!({"ok": false, "errors": report.errors(), "warnings": report.warnings(), "diagnostics": report.diagnostics()}),
                );
            } else {
                crate::out::text(format_args!("{}\n", report.render(true)));
            }
            None
        }
    }
}

fn check(global: &Global, folders: &[PathBuf]) -> Result<bool> {
    let Some(Loaded { registry, warnings }) = load(global, folders) else { return Ok(false) };
    // Built-in native functions and generated tools are not counted as tools of the packs.
    let is_own =
        |tool: &&std::sync::Arc<brain_registry::Tool>| tool.def.pack != NATIVE_PACK && !tool.def.is_generated();
    let of_packs = || registry.tools().values().filter(is_own);
    let tools = of_packs().count();
    if global.json {
        show::json(&serde_json::json!({
            "ok": true, "errors": 0, "warnings": warnings.warnings(), "diagnostics": warnings.diagnostics(),
            "tools": tools, "playbooks": registry.playbooks().count(), "records": registry.records().len(),
        }));
        return Ok(true);
    }
    if !warnings.is_empty() {
        crate::out::text(format_args!("{}\n\n", warnings.render(true)));
    }
    let phrases: usize = of_packs().map(|tool| tool.def.phrases.len()).sum::<usize>()
        + registry.playbooks().map(|playbook| playbook.phrases.len()).sum::<usize>();
    let names: Vec<&str> = registry.packs().keys().map(String::as_str).collect();
    outln!(
        "{GREEN}✓{GREEN:#} {BOLD}{}{BOLD:#}: {}, {}, {}, {}, {}, {}",
        names.join(", "),
        count(tools, "tool"),
        count(registry.playbooks().count(), "playbook"),
        count(registry.records().len(), "record type"),
        count(phrases, "phrase"),
        count(registry.scenarios().len(), "scenario"),
        count(registry.corpus().len(), "corpus row"),
    );
    Ok(true)
}

fn test(global: &Global, folders: &[PathBuf], only: Option<&str>) -> Result<bool> {
    let Some(Loaded { registry, .. }) = load(global, folders) else { return Ok(false) };
    let registry = Arc::new(registry);
    let mut passed = 0;
    let mut failed = Vec::new();
    for scenario in registry.scenarios().iter().filter(|one| only.is_none_or(|text| one.name.contains(text))) {
        let outcome = run_scenario(&registry, scenario);
        if outcome.failures.is_empty() {
            passed += 1;
            if !global.json {
                outln!("{GREEN}✓{GREEN:#} {} {DIM}({}){DIM:#}", outcome.name, show::count(outcome.steps, "step"));
            }
        } else {
            if !global.json {
                outln!("{RED}✗{RED:#} {}", outcome.name);
                for (line, problem) in &outcome.failures {
                    outln!("  {}:{line}: {problem}", outcome.file);
                }
            }
            failed.push(outcome);
        }
    }
    let reader = corpus_vocabulary(&registry, LanguageConfig::default().encoder);
    let result = score(&registry, CorpusSet::Test, |text| reader.read(text));
    let total = result.total();
    let corpus_ok = result.share(Grade::Wrong) <= MAX_WRONG_PERCENT;
    let ok = failed.is_empty() && corpus_ok;
    if global.json {
        let failures: Vec<_> = failed
            .iter()
            .map(|one| serde_json::json!({"name": one.name, "file": one.file, "problems": one.failures.iter().map(|(line, text)| serde_json::json!({"line": line, "message": text})).collect::<Vec<_>>()}))
            .collect();
        show::json(&serde_json::json!({
            "ok": ok,
            "scenarios": {"passed": passed, "failed": failures},
            "corpus": {"rows": total, "right": result.count(Grade::Right), "offered": result.count(Grade::Offered), "asked": result.count(Grade::Asked), "not_understood": result.count(Grade::NotUnderstood), "wrong": result.wrong().map(|row| serde_json::json!({"say": row.say, "wanted": row.wanted, "read": row.read})).collect::<Vec<_>>()},
        }));
        return Ok(ok);
    }
    if total > 0 {
        outln!(
            "{}corpus{}: {total} rows: {:.1} % right, {:.1} % asked (right answer offered), {:.1} % asked (not offered), {:.1} % not understood, {:.1} % wrong",
            if corpus_ok { GREEN } else { RED },
            if corpus_ok { GREEN.render_reset() } else { RED.render_reset() },
            result.share(Grade::Right),
            result.share(Grade::Offered),
            result.share(Grade::Asked),
            result.share(Grade::NotUnderstood),
            result.share(Grade::Wrong),
        );
        for row in result.wrong() {
            outln!("  “{}”\n    wanted {}\n    read   {}", row.say, row.wanted, row.read);
        }
    }
    outln!("scenarios: {passed} passed, {} failed", failed.len());
    Ok(ok)
}
