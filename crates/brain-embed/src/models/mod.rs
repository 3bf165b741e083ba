//! Models on disk: one folder each, with the model's files and their description.

mod description;

use std::io::Write;
use std::path::{Path, PathBuf};

pub use self::description::{Description, FILES, OPTIONAL_FILES, Pooling, Shape};
use crate::{EmbedError, Encoder, StaticTable};

/// The name of the built-in table.
pub const BUILT_IN: &str = "built-in";

/// Whether this build can run transformers.
pub const RUNS_TRANSFORMERS: bool = cfg!(feature = "transformer");

/// The file of cached phrase embeddings.
#[cfg(feature = "transformer")]
const CACHE: &str = "phrases.cache";
/// Name prefix of an unfinished installation.
const UNFINISHED: &str = ".new-";
const LONGEST_NAME: usize = 64;

/// The folder of models.
#[derive(Clone, Debug)]
pub struct ModelsDir(PathBuf);

/// An installed model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its local name.
    pub name: String,
    /// Its folder.
    pub dir: PathBuf,
    /// Its description.
    pub description: Description,
}

impl ModelsDir {
    /// A folder of models, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of the models, sorted. [`ModelsDir::find`] checks one.
    pub fn names(&self) -> Result<Vec<String>, EmbedError> {
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(EmbedError::file(&self.0)(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(EmbedError::file(&self.0))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() && check_name(&name).is_ok() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// The model of this name.
    pub fn find(&self, name: &str) -> Result<Model, EmbedError> {
        check_name(name)?;
        let dir = self.0.join(name);
        if !dir.is_dir() {
            return Err(EmbedError::Absent { name: name.to_owned(), dir: self.0.clone() });
        }
        Ok(Model { name: name.to_owned(), description: Description::of(&dir)?, dir })
    }

    /// A new folder for an installation in progress. The caller removes it.
    pub fn unfinished(&self) -> Result<PathBuf, EmbedError> {
        let dir = self.0.join(format!("{UNFINISHED}{}", std::process::id()));
        drop(std::fs::remove_dir_all(&dir));
        std::fs::create_dir_all(&dir).map_err(EmbedError::file(&dir))?;
        Ok(dir)
    }

    /// Checks the files in a folder from [`ModelsDir::unfinished`] and renames it: an installation is atomic. An
    /// existing model of that name is replaced.
    pub fn finish(&self, unfinished: &Path, name: &str, source: &str) -> Result<Model, EmbedError> {
        check_name(name)?;
        let description = Description::examine(unfinished, source)?;
        let path = unfinished.join(description::DESCRIPTION);
        let text = serde_json::to_string_pretty(&description).unwrap_or_default();
        let written = std::fs::File::create(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.map_err(EmbedError::file(&path))?;
        let dir = self.0.join(name);
        let old = self.0.join(format!("{UNFINISHED}{}-old", std::process::id()));
        if dir.exists() {
            drop(std::fs::remove_dir_all(&old));
            std::fs::rename(&dir, &old).map_err(EmbedError::file(&dir))?;
        }
        std::fs::rename(unfinished, &dir).map_err(EmbedError::file(&dir))?;
        drop(std::fs::remove_dir_all(&old));
        Ok(Model { name: name.to_owned(), dir, description })
    }

    /// Deletes a model, even an invalid one.
    pub fn remove(&self, name: &str) -> Result<(), EmbedError> {
        check_name(name)?;
        let dir = self.0.join(name);
        if !dir.is_dir() {
            return Err(EmbedError::Absent { name: name.to_owned(), dir: self.0.clone() });
        }
        std::fs::remove_dir_all(&dir).map_err(EmbedError::file(dir))
    }
}

/// Checks that a name is a plain folder name.
pub fn check_name(name: &str) -> Result<(), EmbedError> {
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-_.".contains(&c);
    let good = (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(plain)
        && !name.starts_with(['.', '-'])
        && name != BUILT_IN;
    if good { Ok(()) } else { Err(EmbedError::Name(name.to_owned())) }
}

/// The encoder of this name; the built-in table for `None`. If the model cannot be loaded, the table is used, with a
/// message that says why.
pub fn open(name: Option<&str>, dir: &ModelsDir) -> (Box<dyn Encoder>, Option<String>) {
    let Some(name) = name.filter(|name| *name != BUILT_IN) else { return (Box::new(StaticTable::built_in()), None) };
    match dir.find(name).and_then(|model| run(&model)) {
        Ok(Some(encoder)) => (encoder, None),
        Ok(None) => {
            let why =
                format!("this build cannot run the model `{name}`: it was built without the feature `transformer`");
            (Box::new(StaticTable::built_in()), Some(format!("{why}; the built-in table is used instead")))
        }
        Err(error) => {
            let why = format!("the model `{name}` cannot be used ({error}); the built-in table is used instead");
            (Box::new(StaticTable::built_in()), Some(why))
        }
    }
}

#[cfg(feature = "transformer")]
fn run(model: &Model) -> Result<Option<Box<dyn Encoder>>, EmbedError> {
    let transformer = crate::Transformer::load(&model.dir)?;
    Ok(Some(Box::new(crate::CachedEncoder::new(transformer, model.dir.join(CACHE)))))
}

#[cfg(not(feature = "transformer"))]
fn run(_: &Model) -> Result<Option<Box<dyn Encoder>>, EmbedError> {
    Ok(None)
}
