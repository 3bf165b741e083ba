//! `brain records import` and `brain records export`: records as CSV or JSON lines.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use brain_server::wire::{ImportRecords, ImportedRecords, Page, RecordType};
use serde_json::{Map, Value, json};

use super::show_records::record_type;
use crate::cli::{ExportArgs, FormatArg, Global, ImportArgs};
use crate::progress::Progress;
use crate::remote::{Client, Need};
use crate::show;
use crate::show::{DIM, GREEN, RED};

/// Records that are sent together.
const BATCH: usize = 500;
/// The longest line of a file, in bytes.
const MAX_LINE: u64 = 16 * 1024 * 1024;
/// Refused lines that are printed; the rest is counted.
const MAX_TOLD: usize = 50;

/// One record of a file.
struct Row {
    line: u64,
    fields: Result<Map<String, Value>, String>,
}

pub(crate) fn import(global: &Global, args: &ImportArgs) -> Result<bool> {
    super::talk(global, Need::Writable, async |client| {
        let def = record_type(client, &args.record_type).await?;
        let format = args.format.unwrap_or_else(|| format_of(&args.file));
        let total = std::fs::metadata(&args.file).ok().filter(|about| about.is_file()).map(|about| about.len());
        let progress = Progress::bytes(global, "importing", total);
        let read = Counted { inner: open(&args.file)?, progress: &progress };
        let mut importing = Importing { client, def: &def, args, totals: Totals::default() };
        let rows: Box<dyn Iterator<Item = Result<Row>>> = match format {
            FormatArg::Csv => Box::new(csv_rows(read, &def)?),
            FormatArg::Jsonl => Box::new(json_rows(read)),
        };
        let mut batch = Vec::with_capacity(BATCH);
        for row in rows {
            batch.push(row?);
            if batch.len() == BATCH {
                importing.send(std::mem::take(&mut batch)).await?;
            }
        }
        importing.send(batch).await?;
        drop(progress);
        Ok(importing.totals.tell(global, args.dry_run))
    })
}

fn open(file: &Path) -> Result<Box<dyn Read>> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?))
}

/// The format that a file name says; CSV unless it says otherwise.
fn format_of(file: &Path) -> FormatArg {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("jsonl" | "ndjson" | "json") => FormatArg::Jsonl,
        _ => FormatArg::Csv,
    }
}

/// Reports what was read.
struct Counted<'a> {
    inner: Box<dyn Read>,
    progress: &'a Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

fn csv_rows<'r>(read: impl Read + 'r, def: &'r RecordType) -> Result<impl Iterator<Item = Result<Row>> + 'r> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(read);
    let heads = reader.headers().context("the file has no line with the names of the fields")?.clone();
    if heads.iter().all(str::is_empty) {
        bail!("the first line must have the names of the fields, such as {}", example(def));
    }
    Ok(reader.into_records().map(move |record| {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                return match error.into_kind() {
                    csv::ErrorKind::Io(error) => Err(error).context("the file cannot be read"),
                    csv::ErrorKind::Utf8 { .. } => Ok(Row { line, fields: Err("this is not UTF-8 text".into()) }),
                    kind => Ok(Row { line, fields: Err(format!("{kind:?}")) }),
                };
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != heads.len() {
            let message = format!("it has {} values, the first line names {}", record.len(), heads.len());
            return Ok(Row { line, fields: Err(message) });
        }
        let fields = heads.iter().zip(&record).filter(|(name, _)| !name.is_empty());
        let fields = fields.map(|(name, text)| Ok((name.to_owned(), typed(def, name, text)?))).collect();
        Ok(Row { line, fields })
    }))
}

fn example(def: &RecordType) -> String {
    def.fields.iter().take(3).map(|field| field.name.as_str()).collect::<Vec<_>>().join(",")
}

/// A text of a CSV file as a value of its field. An empty one is no value.
fn typed(def: &RecordType, name: &str, text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    let Some(field) = def.fields.iter().find(|field| field.name == name) else { return Ok(Value::from(text)) };
    let is = |word: &str| match &field.schema["type"] {
        Value::String(one) => one == word,
        Value::Array(several) => several.iter().any(|one| one == word),
        _ => false,
    };
    if is("string") {
        return Ok(Value::from(text));
    }
    let wrong = |what: &str| format!("{name}: `{text}` is not {what}");
    if is("boolean") {
        return match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Ok(Value::from(true)),
            "false" | "no" | "0" => Ok(Value::from(false)),
            _ => Err(wrong("true or false")),
        };
    }
    if is("integer") || is("number") {
        return serde_json::from_str::<serde_json::Number>(text).map(Value::from).map_err(|_| wrong("a number"));
    }
    serde_json::from_str(text).map_err(|_| wrong("JSON"))
}

fn json_rows<'r>(read: impl Read + 'r) -> impl Iterator<Item = Result<Row>> + 'r {
    let mut reader = BufReader::new(read);
    let mut line = 0;
    std::iter::from_fn(move || {
        loop {
            let mut text = Vec::new();
            line += 1;
            match (&mut reader).take(MAX_LINE).read_until(b'\n', &mut text) {
                Err(error) => return Some(Err(error).context("the file cannot be read")),
                Ok(0) => return None,
                Ok(_) if text.len() as u64 == MAX_LINE => {
                    return Some(Err(anyhow::anyhow!("line {line} is longer than {} MiB", MAX_LINE >> 20)));
                }
                Ok(_) if text.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => {
                    let fields = serde_json::from_slice(&text).map_err(|error| format!("not a JSON object: {error}"));
                    return Some(Ok(Row { line, fields }));
                }
            }
        }
    })
}

struct Importing<'a> {
    client: &'a Client,
    def: &'a RecordType,
    args: &'a ImportArgs,
    totals: Totals,
}

impl Importing<'_> {
    /// Sends records; those that cannot be read are refused at once.
    async fn send(&mut self, rows: Vec<Row>) -> Result<()> {
        let (mut items, mut places) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for Row { line, fields } in rows {
            match fields {
                Ok(fields) => {
                    items.push(fields);
                    places.push(line);
                }
                Err(why) => self.totals.refuse(line, why),
            }
        }
        if items.is_empty() {
            return Ok(());
        }
        let body = ImportRecords { items, key: self.args.key.clone(), dry_run: Some(self.args.dry_run) };
        let path = format!("/v1/records/{}/import", self.def.name);
        let done: ImportedRecords = self.client.post(&path, &body).await.with_context(|| {
            let first = places.first().copied().unwrap_or(0);
            format!("stopped at line {first}; {} were taken in before it", self.totals.taken())
        })?;
        self.totals.created += done.created;
        self.totals.updated += done.updated;
        self.totals.unchanged += done.unchanged;
        for one in done.refused {
            self.totals.refuse(places.get(one.item).copied().unwrap_or(0), one.message);
        }
        Ok(())
    }
}

#[derive(Default)]
struct Totals {
    created: usize,
    updated: usize,
    unchanged: usize,
    refused: usize,
    told: Vec<(u64, String)>,
}

impl Totals {
    fn taken(&self) -> usize {
        self.created + self.updated
    }

    fn refuse(&mut self, line: u64, why: String) {
        self.refused += 1;
        if self.told.len() < MAX_TOLD {
            self.told.push((line, why));
        }
    }

    /// Prints the outcome; `false` if something was refused.
    fn tell(mut self, global: &Global, dry_run: bool) -> bool {
        let ok = self.refused == 0;
        self.told.sort();
        let Self { created, updated, unchanged, refused, told } = self;
        if global.json {
            let errors: Vec<Value> = told.iter().map(|(line, why)| json!({"line": line, "message": why})).collect();
            show::json(&json!({
                "ok": ok, "dry_run": dry_run, "created": created, "updated": updated, "unchanged": unchanged,
                "refused": refused, "errors": errors,
            }));
            return ok;
        }
        for (line, why) in &told {
            anstream::eprintln!("{RED}line {line}:{RED:#} {why}");
        }
        if refused > told.len() {
            anstream::eprintln!("{DIM}… and {} more refused lines{DIM:#}", refused - told.len());
        }
        let mark = if ok { format!("{GREEN}✓{GREEN:#}") } else { format!("{RED}✗{RED:#}") };
        let would = if dry_run { "would be " } else { "" };
        anstream::println!(
            "{mark} {created} {would}created, {updated} {would}updated, {unchanged} unchanged, {refused} refused"
        );
        ok
    }
}

pub(crate) fn export(global: &Global, args: &ExportArgs) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let def = record_type(client, &args.record_type).await?;
        let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
        let format = args.format.unwrap_or_else(|| path.map_or(FormatArg::Csv, format_of));
        let progress = Progress::new(global, "exporting", None);
        let Some(path) = path else {
            export_to(client, &def, args, format, &mut io::stdout().lock(), &progress).await?;
            return Ok(true);
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let cannot = || format!("cannot write {}", path.display());
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
        let count = export_to(client, &def, args, format, &mut io::BufWriter::new(&mut file), &progress).await?;
        file.persist(path).with_context(cannot)?;
        drop(progress);
        if global.json {
            show::json(&json!({"records": count, "path": path}));
        } else {
            anstream::println!("Wrote {} to {}", show::count(count, "record"), path.display());
        }
        Ok(true)
    })
}

/// Writes page by page; returns the number of records.
async fn export_to(
    client: &Client,
    def: &RecordType,
    args: &ExportArgs,
    format: FormatArg,
    output: &mut dyn Write,
    progress: &Progress,
) -> Result<usize> {
    let mut columns = vec!["id"];
    columns.extend((!def.states.is_empty()).then_some("state"));
    columns.extend(def.fields.iter().map(|field| field.name.as_str()));
    columns.extend(["created_at", "updated_at", "revision"]);
    let mut count = 0;
    let mut cursor = None;
    let line = |values: Vec<String>, output: &mut dyn Write| -> Result<()> {
        let mut writer = csv::Writer::from_writer(output);
        writer.write_record(&values)?;
        Ok(writer.flush()?)
    };
    if matches!(format, FormatArg::Csv) {
        line(columns.iter().map(|name| (*name).to_owned()).collect(), output)?;
    }
    loop {
        let query = [("state", args.state.clone()), ("limit", Some("200".to_owned())), ("cursor", cursor)];
        let page: Page<Value> = client.ask(&format!("/v1/records/{}", def.name), &query).await?;
        for record in &page.items {
            match format {
                FormatArg::Csv => line(columns.iter().map(|name| cell(&record[*name])).collect(), output)?,
                FormatArg::Jsonl => writeln!(output, "{record}")?,
            }
        }
        count += page.items.len();
        progress.at(count as u64);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    output.flush()?;
    Ok(count)
}

/// A value in a CSV file: text as it is, other values as JSON, nothing for null.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
