//! `brain records import` and `brain records export`: records as CSV or JSON lines.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};
use brain_registry::nearest;
use brain_server::wire::{ImportRecords, ImportedRecords, Page, RecordType};
use brain_store::SqliteStore;
use serde_json::{Map, Value, json};

use super::Usage;
use super::show_records::record_type;
use crate::cli::{ExportArgs, FormatArg, Global, ImportArgs};
use crate::open::StoreLocation;
use crate::progress::Progress;
use crate::remote::{Client, Need};
use crate::show;
use crate::show::{DIM, GREEN, RED};

/// Records that are sent together.
const BATCH: usize = 500;
/// Records that are checked together: a dry run compares them with each other, as they would be written one by one.
const CHECKED: usize = 20_000;
/// Bytes of a file that are sent together.
const MAX_SENT: usize = 32 * 1024 * 1024;
/// The longest line of a file, in bytes.
const MAX_LINE: u64 = 16 * 1024 * 1024;
/// Refused lines that are printed; the rest is counted.
const MAX_PROBLEMS: usize = 50;

/// Columns of an export that are no fields of the record type.
const OWN: [&str; 5] = ["id", "state", "created_at", "updated_at", "revision"];

/// One record of a file.
struct Row {
    line: u64,
    size: usize,
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
        let most = if args.dry_run { CHECKED } else { BATCH };
        let (mut batch, mut size) = (Vec::new(), 0);
        for row in rows {
            let row = row?;
            size += row.size;
            batch.push(row);
            if batch.len() == most || size >= MAX_SENT {
                size = 0;
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
    let unclosed = Rc::new(Cell::new(None));
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(Quotes::of(read, unclosed.clone()));
    let heads = match reader.headers() {
        Ok(heads) => heads.clone(),
        Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => {
            return Err(Usage("line 1: the names of the fields are not UTF-8 text".into()).into());
        }
        Err(error) => return Err(error).context("line 1: the names of the fields cannot be read"),
    };
    if unclosed.get().is_some_and(|open| open.byte < reader.position().byte()) {
        return Err(Usage("line 1: a quote (\") is not closed".into()).into());
    }
    if heads.iter().all(str::is_empty) {
        let text = format!("the first line must have the names of the fields, such as {}", example(def));
        return Err(Usage(text).into());
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = heads.iter().find(|name| !name.is_empty() && !names.insert(*name)) {
        let text = format!("line 1: there are two columns `{twice}`; remove or rename one");
        return Err(Usage(text).into());
    }
    let known = || def.fields.iter().map(|field| field.name.as_str());
    if let Some(unknown) =
        heads.iter().find(|name| !name.is_empty() && !OWN.contains(name) && !known().any(|one| one == *name))
    {
        let better = nearest(unknown, known()).map(|better| format!("; did you mean `{better}`?"));
        let text = format!("line 1: there is no field `{unknown}`{}", better.unwrap_or_default());
        return Err(Usage(text).into());
    }
    let mut record = csv::StringRecord::new();
    Ok(std::iter::from_fn(move || {
        let begin = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => {
                let line = error.position().map_or(begin, csv::Position::line);
                let why = match error.into_kind() {
                    csv::ErrorKind::Io(error) => return Some(Err(error).context("the file cannot be read")),
                    csv::ErrorKind::Utf8 { .. } => "this is not UTF-8 text".to_owned(),
                    kind => format!("{kind:?}"),
                };
                return Some(Ok(Row { line, size: 0, fields: Err(why) }));
            }
        }
        let (line, start) = record.position().map_or((begin, 0), |at| (at.line(), at.byte()));
        let size = record.as_slice().len();
        let refused = |why: String| Some(Ok(Row { line, size, fields: Err(why) }));
        // The rest of the file went into this record.
        let within = |open: &Opened| start <= open.byte && open.byte < reader.position().byte();
        if let Some(open) = unclosed.get().filter(within) {
            return refused(format!("the quote (\") in line {} is not closed", open.line));
        }
        if record.len() != heads.len() {
            let (values, columns) = (show::count(record.len(), "value"), show::count(heads.len(), "column"));
            return refused(format!("{values}, but the header has {columns}"));
        }
        let fields = heads.iter().zip(&record).filter(|(name, _)| !name.is_empty());
        let fields = fields.map(|(name, text)| Ok((name.to_owned(), typed(def, name, text)?))).collect();
        Some(Ok(Row { line, size, fields }))
    }))
}

/// Where a quote was opened.
#[derive(Clone, Copy)]
struct Opened {
    line: u64,
    byte: u64,
}

/// Passes a CSV file on and notes a quote that is open at its end: the `csv` crate takes the rest of the file as its
/// text. The states are those of that crate.
struct Quotes<R> {
    inner: R,
    at: Opened,
    state: QuoteState,
    unclosed: Rc<Cell<Option<Opened>>>,
}

#[derive(Clone, Copy)]
enum QuoteState {
    FieldStart,
    Plain,
    Quoted(Opened),
    /// After a quote within quotes: another one is text, anything else ends the quotes.
    MaybeClosed(Opened),
}

impl<R> Quotes<R> {
    fn of(inner: R, unclosed: Rc<Cell<Option<Opened>>>) -> Self {
        Self { inner, at: Opened { line: 1, byte: 0 }, state: QuoteState::FieldStart, unclosed }
    }

    fn next(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (QuoteState::FieldStart, b'"') => QuoteState::Quoted(self.at),
            (QuoteState::MaybeClosed(open), b'"') => QuoteState::Quoted(open),
            (QuoteState::Quoted(open), b'"') => QuoteState::MaybeClosed(open),
            (QuoteState::Quoted(open), _) => QuoteState::Quoted(open),
            (_, b',' | b'\n' | b'\r') => QuoteState::FieldStart,
            _ => QuoteState::Plain,
        };
        self.at.byte += 1;
        self.at.line += u64::from(byte == b'\n');
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        buffer[..count].iter().for_each(|byte| self.next(*byte));
        if let (0, QuoteState::Quoted(open)) = (count, self.state) {
            self.unclosed.set(Some(open));
        }
        Ok(count)
    }
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
    // A choice has no type of its own.
    if is("string") || field.schema["enum"].is_array() {
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
                    let fields = object(&text);
                    return Some(Ok(Row { line, size: text.len(), fields }));
                }
            }
        }
    })
}

/// A line as an object. A field that appears twice is a mistake: one of the values would be lost.
fn object(text: &[u8]) -> Result<Map<String, Value>, String> {
    let not = |error: serde_json::Error| match error.is_data() {
        true => "not a JSON object".to_owned(),
        false => format!("not valid JSON, see column {}", error.column()),
    };
    let fields: Map<String, Value> = serde_json::from_slice(text).map_err(not)?;
    let pairs: Pairs = serde_json::from_slice(text).map_err(not)?;
    let mut names = BTreeSet::new();
    match pairs.0.iter().find(|name| !names.insert(name.as_str())) {
        Some(twice) => Err(format!("the field `{twice}` appears twice")),
        None => Ok(fields),
    }
}

/// The names of an object's fields, duplicates included.
struct Pairs(Vec<String>);

impl<'de> serde::Deserialize<'de> for Pairs {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> serde::de::Visitor<'de> for Names {
            type Value = Pairs;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut names = Vec::new();
                while let Some((name, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                    names.push(name);
                }
                Ok(Pairs(names))
            }
        }
        deserializer.deserialize_map(Names)
    }
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
        for Row { line, fields, .. } in rows {
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
            match self.totals.taken() {
                0 => "nothing was imported".to_owned(),
                taken => format!("stopped at line {first}; {taken} imported before it"),
            }
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
    problems: Vec<(u64, String)>,
}

impl Totals {
    fn taken(&self) -> usize {
        self.created + self.updated
    }

    fn refuse(&mut self, line: u64, why: String) {
        self.refused += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push((line, why));
        }
    }

    /// Prints the outcome; `false` if something was refused.
    fn tell(mut self, global: &Global, dry_run: bool) -> bool {
        let ok = self.refused == 0;
        self.problems.sort();
        let Self { created, updated, unchanged, refused, problems } = self;
        if global.json {
            let errors: Vec<Value> = problems.iter().map(|(line, why)| json!({"line": line, "message": why})).collect();
            show::json(&json!({
                "ok": ok, "dry_run": dry_run, "created": created, "updated": updated, "unchanged": unchanged,
                "refused": refused, "errors": errors,
            }));
            return ok;
        }
        for (line, why) in &problems {
            anstream::eprintln!("{RED}line {line}:{RED:#} {why}");
        }
        if refused > problems.len() {
            anstream::eprintln!("{DIM}… and {} more rejected lines{DIM:#}", refused - problems.len());
        }
        let mark = if ok { format!("{GREEN}✓{GREEN:#}") } else { format!("{RED}✗{RED:#}") };
        let would = if dry_run { "would be " } else { "" };
        outln!("{mark} {created} {would}created, {updated} {would}updated, {unchanged} unchanged, {refused} rejected");
        ok
    }
}

/// Whether a file is a database, or one that SQLite keeps beside a database.
fn is_database(path: &Path) -> bool {
    let mut start = [0; 16];
    let is_whole = File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    let name = path.to_string_lossy();
    (is_whole && start == *b"SQLite format 3\0") || ["-wal", "-shm", "-journal"].iter().any(|end| name.ends_with(end))
}

pub(crate) fn export(global: &Global, args: &ExportArgs) -> Result<bool> {
    let to_stdout = args.output.as_deref().is_none_or(|path| path == Path::new("-"));
    if global.json && to_stdout && args.format != Some(FormatArg::Jsonl) {
        let help = "use --format jsonl for one JSON object per line, or -o FILE for a summary as JSON";
        return Err(Usage(format!("the records would be printed as CSV, which is not JSON; {help}")).into());
    }
    if let (Some(path), Ok(StoreLocation::Sqlite(store))) = (&args.output, crate::open::location(global))
        && SqliteStore::is_part_of(&store, path)
    {
        return Err(Usage(format!("{} is the store; name another file", path.display())).into());
    }
    if let Some(path) = args.output.as_deref().filter(|path| is_database(path)) {
        return Err(Usage(format!("{} is an SQLite database; name another file", path.display())).into());
    }
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
            outln!("Wrote {} to {}", show::count(count, "record"), path.display());
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
