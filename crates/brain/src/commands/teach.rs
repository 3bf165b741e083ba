//! `brain teach` and `brain unteach`: phrases taught by users.

use std::path::Path;

use anyhow::{Context, Result, bail};
use brain_kernel::{Kernel, Learned, Lesson};
use brain_store::Scope;
use serde_json::{Value, json};

use crate::cli::{Global, TeachArgs, UnteachArgs};
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::{open, show};

pub(crate) fn teach(global: &Global, args: &TeachArgs) -> Result<bool> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let done = match (&args.file, &args.phrase, &args.target) {
            (Some(file), _, _) => teach_file(global, &kernel, &scope, args, file),
            (None, Some(phrase), Some(target)) => {
                let lesson = lesson(global, args, phrase, target);
                let learned = kernel.teach(&scope, &who(global.acting_as.as_deref()), &lesson)?;
                if global.json {
                    show::json(&learned);
                } else {
                    tell(&learned);
                }
                Ok(true)
            }
            _ => list(global, &kernel, &scope),
        };
        kernel.engine().stop();
        done
    })
}

pub(crate) fn unteach(global: &Global, args: &UnteachArgs) -> Result<bool> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let gone = kernel.unteach(&scope, &who(global.acting_as.as_deref()), &args.phrase, &args.why)?;
        if global.json {
            show::json(&json!({"untaught": gone}));
        } else {
            for row in &gone {
                anstream::println!("{GREEN}✓{GREEN:#} “{}” no longer means {}.", row.phrase.text, row.phrase.target);
            }
        }
        kernel.engine().stop();
        Ok(true)
    })
}

pub(super) fn who(given: Option<&str>) -> String {
    let user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
    given.map(str::to_owned).or_else(user).unwrap_or_else(|| "local".into())
}

fn lesson(global: &Global, args: &TeachArgs, phrase: &str, target: &str) -> Lesson {
    // Without a name, `--own` uses the actor name that `brain do` uses on this machine.
    let own = args.own.then(|| open::actor(global).name);
    Lesson { phrase: phrase.to_owned(), target: target.to_owned(), own, replace: args.replace }
}

fn tell(learned: &Learned) {
    if learned.already {
        anstream::println!("“{}” already means {}.", learned.phrase, learned.target);
        return;
    }
    anstream::println!("{GREEN}✓{GREEN:#} “{}” now means {BOLD}{}{BOLD:#}.", learned.phrase, learned.target);
    if let Some(from) = &learned.replaced {
        anstream::println!("  It no longer means {from}.");
    }
    for note in &learned.notes {
        anstream::println!("  {YELLOW}{note}{YELLOW:#}");
    }
}

fn list(global: &Global, kernel: &Kernel, scope: &Scope) -> Result<bool> {
    let rows = kernel.taught(scope)?;
    if global.json {
        show::json(&json!({"items": rows}));
        return Ok(true);
    }
    if rows.is_empty() {
        anstream::println!("No phrases taught yet: brain teach \"PHRASE\" TOOL");
    }
    for row in rows {
        let whose = row.phrase.actor.as_deref().map(|actor| format!(", for {actor} only")).unwrap_or_default();
        let at = show::moment(row.at);
        anstream::println!(
            "“{}” → {BOLD}{}{BOLD:#} {DIM}by {} at {at}{whose}{DIM:#}",
            row.phrase.text,
            row.phrase.target,
            row.by
        );
    }
    Ok(true)
}

/// Teaches every row of a file; reports the rows that are refused and continues.
fn teach_file(global: &Global, kernel: &Kernel, scope: &Scope, args: &TeachArgs, file: &Path) -> Result<bool> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let rows = brain_registry::yaml_value(&text).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    let Value::Array(rows) = rows else { bail!("{} is not a list of {{phrase, target}}", file.display()) };
    let (mut learned, mut refused) = (Vec::new(), Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let (Some(phrase), Some(target)) = (row["phrase"].as_str(), row["target"].as_str()) else {
            bail!("{}: entry {} has no `phrase` and `target`; nothing after it was taught", file.display(), number + 1);
        };
        match kernel.teach(scope, &who(global.acting_as.as_deref()), &lesson(global, args, phrase, target)) {
            Ok(one) => learned.push(one),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if global.json {
        show::json(&json!({"learned": learned, "refused": refused}));
    } else {
        learned.iter().for_each(tell);
        refused.iter().for_each(|error| anstream::println!("{RED}✗{RED:#} {error}"));
    }
    Ok(refused.is_empty())
}
