//! `brain blob`: files and other large values in the store.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use brain_core::{Clock, Digest};
use brain_server::wire::Blob;
use brain_store::{BlobRow, Scope, Store};

use crate::cli::{BlobCommand, Global};
use crate::show::{BOLD, DIM};
use crate::system::SystemClock;
use crate::{open, show};

/// Buffer size in bytes.
const PIECE: usize = 256 * 1024;

pub(crate) fn run(global: &Global, command: BlobCommand) -> Result<bool> {
    match command {
        BlobCommand::Put { file, media_type } => put(global, &file, media_type),
        BlobCommand::Get { hash, output } => get(global, &hash, output.as_deref()),
    }
}

fn put(global: &Global, file: &Path, media_type: Option<String>) -> Result<bool> {
    let row = keep(open::store(global)?.as_ref(), &open::scope(global)?, file, media_type)?;
    if global.json {
        show::json(&serde_json::json!({"blob": Blob::from(row)}));
    } else {
        anstream::println!("{BOLD}{}{BOLD:#}", row.hash);
        anstream::println!("{DIM}{} bytes, {}{DIM:#}", row.size, row.media_type);
    }
    Ok(true)
}

/// Stores a file in pieces.
pub(super) fn keep(store: &dyn Store, scope: &Scope, file: &Path, media_type: Option<String>) -> Result<BlobRow> {
    let mut input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?)
    };
    let media_type = media_type.unwrap_or_else(|| guess(file).to_owned());
    if !media_type.contains('/') || !media_type.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        bail!("`{media_type}` is not a media type; write one such as image/png");
    }
    let mut writer = store.begin_blob(scope, &media_type, SystemClock.now())?;
    let mut piece = vec![0; PIECE];
    loop {
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => writer.write(&piece[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        }
    }
    Ok(writer.finish()?)
}

fn get(global: &Global, hash: &str, output: Option<&Path>) -> Result<bool> {
    if global.json && output.is_none() {
        bail!("--json needs an output file: -o FILE");
    }
    let hash: Digest = hash.parse().map_err(anyhow::Error::msg)?;
    let (store, scope) = (open::store(global)?, open::scope(global)?);
    let row = store.blob(&scope, hash)?.with_context(|| format!("there is no blob {hash}"))?;
    let Some(path) = output else {
        return match copy(store.as_ref(), &scope, &row, &mut io::stdout().lock()) {
            // The reader closed the pipe, as in `| head`.
            Err(error) if is_broken_pipe(&error) => Ok(true),
            result => result.map(|()| true),
        };
    };
    save(store.as_ref(), &scope, &row, path).with_context(|| format!("cannot write {}", path.display()))?;
    if global.json {
        show::json(&serde_json::json!({"blob": Blob::from(row), "path": path}));
    } else {
        anstream::println!("Wrote {} bytes, {}, to {}", row.size, row.media_type, path.display());
    }
    Ok(true)
}

/// Writes a blob to a temporary file and renames it when complete.
fn save(store: &dyn Store, scope: &Scope, row: &BlobRow, path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.map_or_else(|| PathBuf::from("."), Path::to_owned))?;
    copy(store, scope, row, file.as_file_mut())?;
    file.persist(path)?;
    Ok(())
}

fn copy(store: &dyn Store, scope: &Scope, row: &BlobRow, output: &mut dyn Write) -> Result<()> {
    let mut at = 0;
    while at < row.size {
        let piece = store.blob_part(scope, row.hash, at, PIECE)?;
        if piece.is_empty() {
            bail!("the blob {} was deleted meanwhile", row.hash);
        }
        output.write_all(&piece)?;
        at += piece.len() as u64;
    }
    Ok(output.flush()?)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Guesses the media type from the file extension.
fn guess(file: &Path) -> &'static str {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "txt" | "log" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        _ => "application/octet-stream",
    }
}
