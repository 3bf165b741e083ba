//! Puts the default pack into the binary: a list of its files with their content.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../packs/trades");
    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for (name, path) in &files {
        writeln!(code, "    ({name:?}, include_str!({path:?})),").expect("writing to a string");
    }
    code.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("trades.rs");
    fs::write(out, code)?;
    println!("cargo::rerun-if-changed={}", root.display());
    Ok(())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|end| end == "yaml") {
            let name = path.strip_prefix(root).expect("it lies below").to_string_lossy().replace('\\', "/");
            files.push((name, path.canonicalize()?.to_string_lossy().into_owned()));
        }
    }
    Ok(())
}
