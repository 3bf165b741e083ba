//! `cargo xtask dist`: builds the release archive, `target/dist/brain-VERSION-PLATFORM.tar.gz`, and its SHA-256.

mod licences;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::report::{Outcome, Step};
use crate::shell::{cargo, root, succeeds};

/// Files of the checkout and their paths in the archive.
const FILES: [(&str, &str); 5] = [
    ("LICENSE", "LICENSE"),
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("dist/brain.service", "dist/brain.service"),
    ("crates/brain-embed/data/README.md", "licenses/word-table.md"),
];

/// Completions, with the file names that each shell expects.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "completions/brain.bash"), ("zsh", "completions/_brain"), ("fish", "completions/brain.fish")];

/// Builds the binary with all features and packs it. `--debug` packs the debug build, to test the packing.
pub(crate) fn steps(options: &[&str]) -> Vec<Step> {
    let debug = options.contains(&"--debug");
    let unknown: Vec<String> =
        options.iter().filter(|option| **option != "--debug").map(|option| (*option).to_owned()).collect();
    vec![Step::new("dist", move || {
        ensure!(unknown.is_empty(), "unknown options: {}; there is only --debug", unknown.join(" "));
        let Some(binary) = build(debug)? else { return Ok(Outcome::of(false)) };
        let archive = pack(&binary, debug)?;
        println!("{}", archive.display());
        Ok(Outcome::of(true))
    })]
}

/// The path of the binary, or `None` if it does not compile.
fn build(debug: bool) -> Result<Option<PathBuf>> {
    if debug {
        return crate::docs::debug_binary();
    }
    let mut build = cargo();
    build.args(["build", "--locked", "--package", "brain", "--profile", "dist", "--all-features"]);
    if !succeeds(&mut build)? {
        return Ok(None);
    }
    Ok(Some(crate::docs::target_folder()?.join("dist").join("brain")))
}

/// Collects the files in a folder, packs it, and verifies the archive.
fn pack(binary: &Path, debug: bool) -> Result<PathBuf> {
    let root = root();
    let out = crate::docs::target_folder()?.join("dist");
    fs::create_dir_all(&out)?;
    let suffix = if debug { "-debug" } else { "" };
    let name = format!("brain-{}-{}-linux{suffix}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let scratch = tempfile::tempdir_in(&out)?;
    let folder = scratch.path().join(&name);

    for (from, to) in FILES {
        copy(&root.join(from), &folder.join(to))?;
    }
    copy(binary, &folder.join("bin/brain"))?;
    for (shell, to) in COMPLETIONS {
        write(&folder.join(to), &said(Command::new(binary).args(["completions", shell]))?)?;
    }
    let man = folder.join("man/man1");
    fs::create_dir_all(&man)?;
    said(Command::new(binary).args(["dev", "man"]).arg(&man))?;
    write(&folder.join("licenses/THIRD-PARTY.txt"), licences::text()?.as_bytes())?;

    // Reproducible: sorted names, no user ids, the time of the commit.
    let archive = out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rwX,go+rX,go-w"]);
    tar.arg(format!("--mtime=@{}", commit_time(&root)));
    tar.args(["--use-compress-program=gzip -n", "-cf"]).arg(&archive).arg("-C").arg(scratch.path()).arg(&name);
    said(&mut tar)?;
    let file = format!("{name}.tar.gz");
    let sum = said(Command::new("sha256sum").arg(&file).current_dir(&out))?;
    fs::write(out.join(format!("{file}.sha256")), sum)?;
    verify(&out, &file, &name)?;
    Ok(archive)
}

/// Verifies the archive as its user would: compares the checksum, unpacks it, runs the binary.
fn verify(out: &Path, file: &str, name: &str) -> Result<()> {
    said(Command::new("sha256sum").args(["--check", "--quiet", &format!("{file}.sha256")]).current_dir(out))?;
    let scratch = tempfile::tempdir_in(out)?;
    said(Command::new("tar").arg("-xf").arg(out.join(file)).arg("-C").arg(scratch.path()))?;
    let folder = scratch.path().join(name);
    let expected = FILES.iter().chain(&COMPLETIONS).map(|(_, to)| *to);
    for path in expected.chain(["licenses/THIRD-PARTY.txt", "man/man1/brain.1", "man/man1/brain-pack-explain.1"]) {
        let length = fs::metadata(folder.join(path)).map_or(0, |file| file.len());
        ensure!(length > 0, "{path} is missing in {file}, or empty");
    }
    let version = said(Command::new(folder.join("bin/brain")).arg("--version"))?;
    let version = String::from_utf8_lossy(&version);
    ensure!(version.contains(env!("CARGO_PKG_VERSION")), "the packed binary calls itself {version}");
    Ok(())
}

/// Seconds since 1970; 0 outside a git checkout.
fn commit_time(root: &Path) -> String {
    let mut git = Command::new("git");
    let time = said(git.args(["log", "-1", "--format=%ct"]).current_dir(root)).unwrap_or_default();
    let time = String::from_utf8_lossy(&time).trim().to_owned();
    if time.is_empty() { "0".to_owned() } else { time }
}

/// The output of a program, or its error message if it fails.
fn said(command: &mut Command) -> Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    make_parent(to)?;
    fs::copy(from, to).with_context(|| format!("{} cannot be copied", from.display()))?;
    Ok(())
}

fn write(to: &Path, bytes: &[u8]) -> Result<()> {
    make_parent(to)?;
    fs::write(to, bytes).with_context(|| format!("{} cannot be written", to.display()))
}

fn make_parent(path: &Path) -> Result<()> {
    let parent = path.parent().context("a file of the archive lies in a folder")?;
    fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))
}
