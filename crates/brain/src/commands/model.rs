//! `brain model`: sentence encoders in addition to the built-in table.

mod fetch;

use anyhow::{Context, Result};
use brain_embed::models::{BUILT_IN, Description, Model, Pooling, RUNS_TRANSFORMERS};
use brain_embed::{Encoder, StaticTable};
use serde_json::{Value, json};

use self::fetch::Source;
use crate::cli::{Global, InstallArgs, ModelCommand};
use crate::show::{BOLD, DIM, GREEN, YELLOW};
use crate::{open, show};

/// Why a build cannot run transformers.
const NOT_BUILT_IN: &str = "it lacks the feature `transformer`, which `cargo xtask dist` enables";

pub(crate) fn run(global: &Global, command: ModelCommand) -> Result<bool> {
    match command {
        ModelCommand::Install(args) => install(global, &args),
        ModelCommand::List => list(global),
        ModelCommand::Remove { name } => remove(global, &name),
    }
}

fn install(global: &Global, args: &InstallArgs) -> Result<bool> {
    let source = Source::parse(&args.source);
    let name = args.name.clone().unwrap_or_else(|| source.name());
    brain_embed::models::check_name(&name).context("name it with --name")?;
    let models = open::models()?;
    let folder = models.unfinished()?;
    let installed = source
        .fetch(global, &folder)
        .and_then(|()| Ok(models.finish(&folder, &name, &args.source)?))
        .inspect_err(|_| {
            drop(std::fs::remove_dir_all(&folder));
        });
    let model = installed.with_context(|| format!("`{}` was not installed", args.source))?;
    if global.json {
        show::json(&row(&model));
        return Ok(true);
    }
    outln!("{GREEN}✓{GREEN:#} installed {BOLD}{}{BOLD:#} in {}", model.name, model.dir.display());
    outln!("{DIM}{}{DIM:#}", details(&model.description));
    if !RUNS_TRANSFORMERS {
        outln!("{YELLOW}!{YELLOW:#} this build cannot run it: {NOT_BUILT_IN}");
    }
    Ok(true)
}

fn list(global: &Global) -> Result<bool> {
    let models = open::models()?;
    let table = StaticTable::built_in();
    let found: Vec<_> = models.names()?.into_iter().map(|name| (models.find(&name), name)).collect();
    if global.json {
        let built_in = json!({"name": BUILT_IN, "kind": "static", "dimensions": table.dim(), "bytes": table.bytes(), "id": table.id(), "runs": true});
        let others = found.iter().map(|(model, name)| match model {
            Ok(model) => row(model),
            Err(error) => json!({"name": name, "runs": false, "problem": error.to_string()}),
        });
        let items: Vec<Value> = std::iter::once(built_in).chain(others).collect();
        show::json(&json!({"items": items, "folder": models.path()}));
        return Ok(true);
    }
    let line = |name: &str, details: String| outln!("{BOLD}{name:<24}{BOLD:#} {details}");
    line(BUILT_IN, format!("static, {} dimensions, {}, {}", table.dim(), size(table.bytes()), table.id()));
    for (model, name) in &found {
        match model {
            Ok(model) => line(name, details(&model.description)),
            Err(error) => line(name, format!("{YELLOW}{error}{YELLOW:#}")),
        }
    }
    if !found.is_empty() && !RUNS_TRANSFORMERS {
        outln!("{YELLOW}!{YELLOW:#} this build runs only `{BUILT_IN}`: {NOT_BUILT_IN}");
    }
    Ok(true)
}

fn remove(global: &Global, name: &str) -> Result<bool> {
    let models = open::models()?;
    if name == BUILT_IN {
        anyhow::bail!("`{BUILT_IN}` is part of the program and cannot be removed");
    }
    models.remove(name)?;
    if global.json {
        show::json(&json!({"name": name, "removed": true}));
    } else {
        outln!("Removed {name}.");
    }
    Ok(true)
}

fn row(model: &Model) -> Value {
    let about = &model.description;
    json!({
        "name": model.name, "kind": "bert", "dimensions": about.shape.hidden_size, "layers": about.shape.num_hidden_layers,
        "pooling": about.pooling, "query_prefix": about.query_prefix, "target_prefix": about.target_prefix,
        "bytes": about.bytes, "id": about.id(), "source": about.source, "path": model.dir, "runs": RUNS_TRANSFORMERS,
    })
}

fn details(about: &Description) -> String {
    let pooling = match about.pooling {
        Pooling::Mean => "mean",
        Pooling::Cls => "cls",
    };
    let (dim, layers) = (about.shape.hidden_size, about.shape.num_hidden_layers);
    format!("bert, {dim} dimensions, {}, {}, {layers} layers, {pooling} pooling", size(about.bytes), about.id())
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
