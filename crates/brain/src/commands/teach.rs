//! `brain teach` and `brain unteach`: phrases taught by users.

use std::path::Path;

use anyhow::{Context, Result, bail};
use brain_server::wire::{Page, TaughtAnswer, TaughtItem, TeachRequest, UnteachRequest};
use serde_json::{Value, json};

use crate::cli::{Global, TeachArgs, UnteachArgs};
use crate::remote::{Client, Need, Refused};
use crate::show;
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};

pub(crate) fn teach(global: &Global, args: &TeachArgs) -> Result<bool> {
    super::talk(global, Need::Writable, async |client| match (&args.file, &args.phrase, &args.target) {
        (Some(file), _, _) => teach_file(global, client, args, file).await,
        (None, Some(phrase), Some(target)) => {
            let lesson = lesson(args, phrase, target);
            let learned: TaughtAnswer = client.post("/v1/learning/teach", &lesson).await.map_err(in_flags)?;
            if global.json {
                show::json(&learned);
            } else {
                tell(&learned);
            }
            Ok(true)
        }
        _ => list(global, client).await,
    })
}

pub(crate) fn unteach(global: &Global, args: &UnteachArgs) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let note = Some(args.note.clone()).filter(|note| !note.is_empty());
        let body = UnteachRequest { phrase: args.phrase.clone(), note };
        let gone: Page<TaughtItem> = client.post("/v1/learning/unteach", &body).await?;
        if global.json {
            show::json(&gone);
        } else {
            for row in &gone.items {
                outln!("{GREEN}✓{GREEN:#} “{}” no longer means {}.", row.phrase, row.target);
            }
        }
        Ok(true)
    })
}

fn lesson(args: &TeachArgs, phrase: &str, target: &str) -> TeachRequest {
    let (phrase, target) = (phrase.to_owned(), target.to_owned());
    TeachRequest { phrase, target, own: Some(args.own), replace: Some(args.replace) }
}

/// Names the flag instead of the field of the API.
fn in_flags(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Refused>() {
        Ok(Refused(mut document)) => {
            document.detail = document.detail.replace("`\"replace\": true`", "--replace");
            Refused(document).into()
        }
        Err(error) => error,
    }
}

fn tell(learned: &TaughtAnswer) {
    if learned.already {
        outln!("“{}” already means {}.", learned.phrase, learned.target);
        return;
    }
    outln!("{GREEN}✓{GREEN:#} “{}” now means {BOLD}{}{BOLD:#}.", learned.phrase, learned.target);
    if let Some(from) = &learned.replaced {
        outln!("  It no longer means {from}.");
    }
    for note in &learned.notes {
        outln!("  {YELLOW}{note}{YELLOW:#}");
    }
}

async fn list(global: &Global, client: &Client) -> Result<bool> {
    let page: Page<TaughtItem> = client.get("/v1/learning/phrases").await?;
    if global.json {
        show::json(&page);
        return Ok(true);
    }
    if page.items.is_empty() {
        outln!("No phrases taught yet: {}", crate::hint::command("teach \"PHRASE\" TOOL"));
    }
    for row in page.items {
        let whose = row.actor.as_deref().map(|actor| format!(", for {actor} only")).unwrap_or_default();
        let at = show::moment_text(&row.at);
        outln!("“{}” → {BOLD}{}{BOLD:#} {DIM}by {} at {at}{whose}{DIM:#}", row.phrase, row.target, row.by);
    }
    Ok(true)
}

/// Teaches every row of a file; reports the rows that are refused and continues.
async fn teach_file(global: &Global, client: &Client, args: &TeachArgs, file: &Path) -> Result<bool> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let rows = brain_registry::yaml_value(&text).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    let Value::Array(rows) = rows else { bail!("{} is not a list of {{phrase, target}}", file.display()) };
    let (mut learned, mut refused) = (Vec::<TaughtAnswer>::new(), Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let (Some(phrase), Some(target)) = (row["phrase"].as_str(), row["target"].as_str()) else {
            bail!("{}: entry {} has no `phrase` and `target`; nothing after it was taught", file.display(), number + 1);
        };
        match client.post("/v1/learning/teach", &lesson(args, phrase, target)).await {
            Ok(one) => learned.push(one),
            Err(error) => refused.push(in_flags(error).to_string()),
        }
    }
    if global.json {
        show::json(&json!({"learned": learned, "refused": refused}));
    } else {
        learned.iter().for_each(tell);
        refused.iter().for_each(|error| outln!("{RED}✗{RED:#} {error}"));
    }
    Ok(refused.is_empty())
}
