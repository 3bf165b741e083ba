//! `brain blob`: files and other large values in the store.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use brain_core::Digest;
use brain_server::wire::{Blob, BlobStored};
use futures_util::StreamExt as _;
use reqwest::Method;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use crate::cli::{BlobCommand, Global};
use crate::progress::Progress;
use crate::remote::{Client, Need};
use crate::show;
use crate::show::{BOLD, DIM};

/// Buffer size in bytes.
const PIECE: usize = 256 * 1024;

pub(crate) fn run(global: &Global, command: BlobCommand) -> Result<bool> {
    match command {
        BlobCommand::Put { file, media_type } => put(global, &file, media_type),
        BlobCommand::Get { hash, output } => get(global, &hash, output.as_deref()),
    }
}

fn put(global: &Global, file: &Path, media_type: Option<String>) -> Result<bool> {
    super::talk(global, Need::Writable, async |client| {
        let blob = upload(global, client, file, media_type).await?;
        if global.json {
            show::json(&BlobStored { blob });
        } else {
            outln!("{BOLD}{}{BOLD:#}", blob.hash);
            outln!("{DIM}{} bytes, {}{DIM:#}", blob.size, blob.media_type);
        }
        Ok(true)
    })
}

/// Sends a file in pieces.
pub(super) async fn upload(global: &Global, client: &Client, file: &Path, media_type: Option<String>) -> Result<Blob> {
    let media_type = media_type.unwrap_or_else(|| guess(file).to_owned());
    if !media_type.contains('/') || !media_type.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        bail!("`{media_type}` is not a media type; write one such as image/png");
    }
    let (input, size): (Box<dyn AsyncRead + Send + Unpin>, Option<u64>) = if file == Path::new("-") {
        (Box::new(standard(io::stdin().as_fd())?), None)
    } else {
        let open = tokio::fs::File::open(file).await.with_context(|| format!("cannot read {}", file.display()))?;
        let about = open.metadata().await?;
        if about.is_dir() {
            bail!("cannot read {}: it is a folder", file.display());
        }
        (Box::new(open), about.is_file().then_some(about.len()))
    };
    let progress = Progress::bytes(global, "uploading", size);
    let pieces = futures_util::stream::unfold((input, progress), |(mut input, progress)| async move {
        let mut piece = vec![0; PIECE];
        match input.read(&mut piece).await {
            Ok(0) => None,
            Ok(count) => {
                piece.truncate(count);
                progress.add(count as u64);
                Some((Ok(piece), (input, progress)))
            }
            Err(error) => Some((Err(error), (input, progress))),
        }
    });
    let mut request = client.request(Method::POST, "/v1/blobs", &[])?;
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_str(&media_type)?);
    *request.body_mut() = Some(reqwest::Body::wrap_stream(pieces));
    let stored: BlobStored = client.send(request).await?.json().await?;
    Ok(stored.blob)
}

fn get(global: &Global, hash: &str, output: Option<&Path>) -> Result<bool> {
    if global.json && output.is_none() {
        return Err(super::Usage("--json needs an output file: -o FILE".into()).into());
    }
    let hash: Digest = hash.parse().map_err(super::Usage)?;
    super::talk(global, Need::Existing, async |client| {
        let response = client.send(client.request(Method::GET, &format!("/v1/blobs/{hash}"), &[])?).await?;
        let text = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let size = text(CONTENT_LENGTH).and_then(|size| size.parse().ok());
        let media_type = text(CONTENT_TYPE).unwrap_or("application/octet-stream").to_owned();
        let Some(path) = output else {
            return download(response, &mut standard(io::stdout().as_fd())?, None).await.map(|_| true);
        };
        let progress = Progress::bytes(global, "downloading", size);
        let written = save(response, path, &progress).await;
        drop(progress);
        let size = written.with_context(|| format!("cannot write {}", path.display()))?;
        if global.json {
            let blob = Blob { hash: hash.to_string(), size, media_type, file: true };
            show::json(&serde_json::json!({"blob": blob, "path": path}));
        } else {
            outln!("Wrote {size} bytes, {media_type}, to {}", path.display());
        }
        Ok(true)
    })
}

/// Writes a blob to a temporary file and renames it when complete.
async fn save(response: reqwest::Response, path: &Path, progress: &Progress) -> Result<u64> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = tempfile::NamedTempFile::new_in(folder.map_or_else(|| PathBuf::from("."), Path::to_owned))?;
    let mut output = tokio::fs::File::from_std(file.reopen()?);
    let size = download(response, &mut output, Some(progress)).await?;
    file.persist(path)?;
    Ok(size)
}

async fn download(
    response: reqwest::Response,
    output: &mut (impl tokio::io::AsyncWrite + Unpin),
    progress: Option<&Progress>,
) -> Result<u64> {
    let mut pieces = response.bytes_stream();
    let mut size = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece.context("the blob was cut off")?;
        output.write_all(&piece).await?;
        size += piece.len() as u64;
        progress.inspect(|progress| progress.at(size));
    }
    output.flush().await?;
    Ok(size)
}

/// Standard input or output, read or written off the threads of the runtime.
fn standard(stream: BorrowedFd<'_>) -> Result<tokio::fs::File> {
    Ok(tokio::fs::File::from_std(std::fs::File::from(stream.try_clone_to_owned()?)))
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
