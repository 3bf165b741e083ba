//! The layers of the configuration: flags beat environment variables, which beat `brain.yaml`, which beats the defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use brain_registry::nearest;
use serde_json::{Map, Value};

use super::keys::Form;
use super::{Config, KEYS, Key, file};
use crate::commands::Usage;

/// Where a value comes from, weakest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The default.
    Default,
    /// A line of the configuration file.
    File(usize),
    /// An environment variable.
    Env(&'static str),
    /// A flag.
    Flag(String),
}

/// A value from the command line.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The path of the key, possibly inside of a map such as `tenants`.
    path: String,
    value: Value,
    flag: String,
}

impl Given {
    /// A value from a flag.
    pub(crate) fn flag(path: &str, flag: &str, value: impl Into<Value>) -> Self {
        Self { path: path.to_owned(), value: value.into(), flag: flag.to_owned() }
    }

    /// A value from `--setting KEY=VALUE`.
    pub(crate) fn set(text: &str) -> Result<Self, String> {
        let (path, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not KEY=VALUE"))?;
        let path = path.trim();
        let Some(key) = key_of(path) else {
            let near = nearest(path, KEYS.iter().map(|key| key.path));
            let help = near.map_or_else(
                || "`brain config show` lists the keys".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(format!("unknown key `{path}`; {help}"));
        };
        let form = if key.path == path { key.form } else { Form::Yaml };
        Ok(Self { path: path.to_owned(), value: read(form, value)?, flag: "--setting".into() })
    }
}

/// The key that has a path: its own, or one inside of its map.
fn key_of(path: &str) -> Option<&'static Key> {
    let inside = |key: &&Key| {
        let map = matches!(key.path, "tenants" | "profiles" | "secrets");
        map && path.strip_prefix(key.path).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
    };
    Key::at(path).or_else(|| KEYS.iter().find(inside))
}

fn read(form: Form, text: &str) -> Result<Value, String> {
    Ok(match form {
        Form::Text => Value::from(text),
        Form::Yaml => brain_registry::yaml_value(text)?,
        Form::Folders => text.split(':').filter(|folder| !folder.is_empty()).collect(),
    })
}

/// The effective configuration, with the origin of every value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    config: Config,
    values: Value,
    origins: BTreeMap<&'static str, Origin>,
    file: Option<PathBuf>,
    given: Vec<Given>,
}

impl Settings {
    /// Merges the layers. `named` is the file of `--config` or `BRAIN_CONFIG`.
    pub(crate) fn resolve(named: Option<&Path>, given: Vec<Given>) -> Result<Self> {
        let file = match named {
            Some(path) if !path.is_file() => {
                return Err(Usage(format!("--config: there is no file {}", path.display())).into());
            }
            Some(path) => Some(path.to_owned()),
            None => match std::env::current_dir() {
                Ok(folder) => file::find(&folder, config_folder().as_deref()).map_err(anyhow::Error::msg)?,
                Err(_) => None,
            },
        };
        Self::merge(file, given, |name| std::env::var(name).ok())
    }

    /// Reads file and environment again, with the same flags.
    pub(crate) fn again(&self) -> Result<Self> {
        Self::merge(self.file.clone(), self.given.clone(), |name| std::env::var(name).ok())
    }

    fn merge(path: Option<PathBuf>, given: Vec<Given>, env: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut values = Value::Object(Map::new());
        let mut origins = BTreeMap::new();
        if let Some(path) = &path {
            let read = file::read(path).map_err(Usage)?;
            for key in KEYS {
                if let Some(value) = find(&read.value, key.parts()).filter(|value| !value.is_null()) {
                    put(&mut values, key.parts(), value.clone());
                    origins.insert(key.path, Origin::File(read.line(key.path)));
                }
            }
        }
        for key in KEYS {
            let Some(text) = env(key.env).filter(|text| !text.trim().is_empty()) else { continue };
            let value = read(key.form, &text).map_err(|error| Usage(format!("{}: {error}", key.env)))?;
            put(&mut values, key.parts(), value.clone());
            try_alone(key.path, value).map_err(|error| Usage(format!("{}: {error}", key.env)))?;
            origins.insert(key.path, Origin::Env(key.env));
        }
        for Given { path, value, flag } in &given {
            let Some(key) = key_of(path) else { return Err(Usage(format!("unknown key `{path}`")).into()) };
            put(&mut values, path.split('.'), value.clone());
            try_alone(path, value.clone()).map_err(|error| match flag.as_str() {
                "--setting" => Usage(format!("--setting {path}: {error}")),
                flag => Usage(format!("{flag}: {error}")),
            })?;
            origins.insert(
                key.path,
                Origin::Flag(if flag == "--setting" { format!("--setting {path}") } else { flag.clone() }),
            );
        }
        let config: Config = serde_path_to_error::deserialize(&values)
            .map_err(|error| Usage(format!("`{}`: {}", error.path(), file::suggest(&error.inner().to_string()))))?;
        config.check().map_err(|wrong| Usage(format!("`{}`: {}", wrong.path, wrong.message)))?;
        Ok(Self { config, values, origins, file: path, given })
    }

    /// The configuration.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The file that was read.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The origin of a key's value.
    pub(crate) fn origin(&self, path: &str) -> Origin {
        self.origins.get(path).cloned().unwrap_or(Origin::Default)
    }

    /// Whether a key was set by a flag or in the environment, for this command.
    pub(crate) fn is_given(&self, path: &str) -> bool {
        self.origin(path) > Origin::File(usize::MAX)
    }

    /// The value of a key; `None` if it has its default.
    pub(crate) fn value(&self, key: &Key) -> Option<&Value> {
        find(&self.values, key.parts())
    }
}

/// Whether a value fits its key, so that the message can name its origin.
fn try_alone(path: &str, value: Value) -> Result<(), String> {
    let mut alone = Value::Object(Map::new());
    put(&mut alone, path.split('.'), value);
    let done: Result<Config, _> = serde_path_to_error::deserialize(&alone);
    match done {
        Ok(_) => Ok(()),
        Err(error) => Err(file::suggest(&error.inner().to_string())),
    }
}

fn find(value: &Value, path: impl Iterator<Item = &'static str>) -> Option<&Value> {
    let mut value = value;
    for part in path {
        value = value.get(part)?;
    }
    Some(value)
}

fn put<'p>(tree: &mut Value, path: impl Iterator<Item = &'p str>, value: Value) {
    let mut place = tree;
    for part in path {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[part];
    }
    *place = value;
}

/// The folder of the user's own configuration.
fn config_folder() -> Option<PathBuf> {
    let own = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    own.or_else(home).filter(|folder| folder.is_absolute()).map(|folder| folder.join("brain"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(file: &str, env: &[(&str, &str)], set: &[&str]) -> Result<Settings> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brain.yaml");
        std::fs::write(&path, file).unwrap();
        let given = set.iter().map(|text| Given::set(text).unwrap()).collect();
        let env = |name: &str| env.iter().find(|(one, _)| *one == name).map(|(_, text)| (*text).to_owned());
        Settings::merge(Some(path), given, env)
    }

    #[test]
    fn flags_beat_variables_which_beat_the_file_which_beats_the_defaults() {
        let file = "slots: 1\nwaiting: 1\ntenant: one\n";
        let env = [("BRAIN_SLOTS", "2"), ("BRAIN_WAITING", "2")];
        let settings = merged(file, &env, &["slots=3"]).unwrap();
        assert_eq!(
            (settings.config().flow().slots, settings.origin("slots")),
            (3, Origin::Flag("--setting slots".into()))
        );
        assert_eq!((settings.config().flow().waiting, settings.origin("waiting")), (2, Origin::Env("BRAIN_WAITING")));
        assert_eq!(settings.origin("tenant"), Origin::File(3));
        assert_eq!(settings.origin("drain"), Origin::Default);
        assert!(settings.is_given("slots") && settings.is_given("waiting") && !settings.is_given("tenant"));
    }

    #[test]
    fn a_wrong_variable_or_flag_is_named() {
        let error = merged("", &[("BRAIN_SLOTS", "many")], &[]).unwrap_err().to_string();
        assert!(error.contains("BRAIN_SLOTS"), "{error}");
        let error = merged("", &[("BRAIN_TENANTS", "{acme: {runing: 3}}")], &[]).unwrap_err().to_string();
        assert!(error.contains("BRAIN_TENANTS") && error.contains("did you mean `running`?"), "{error}");
        let error = merged("", &[], &["tenants.acme.running=lots"]).unwrap_err().to_string();
        assert!(error.contains("--setting tenants.acme.running"), "{error}");
        assert!(Given::set("slotz=1").unwrap_err().contains("did you mean `slots`?"));
        assert!(Given::set("slots").is_err());
    }

    #[test]
    fn paths_of_the_file_are_relative_to_its_folder() {
        let settings = merged("store: sqlite:a.db\npacks: [p, /abs]\nsecrets: {KEY: 'file:k'}\n", &[], &[]).unwrap();
        let folder = settings.file().unwrap().parent().unwrap().to_owned();
        let config = settings.config();
        assert_eq!(config.store.as_deref().unwrap(), format!("sqlite:{}/a.db", folder.display()));
        assert_eq!(config.packs, [folder.join("p"), PathBuf::from("/abs")]);
        assert_eq!(config.secrets["KEY"], format!("file:{}/k", folder.display()));
        let settings = merged("", &[("BRAIN_PACK", "p:q"), ("BRAIN_STORE", "sqlite:a.db")], &[]).unwrap();
        assert_eq!(settings.config().packs, [PathBuf::from("p"), PathBuf::from("q")]);
        assert_eq!(settings.config().store.as_deref(), Some("sqlite:a.db"));
    }

    #[test]
    fn every_key_is_part_of_the_schema() {
        for key in KEYS {
            let value = read(key.form, key.example).unwrap();
            if key.path != "profile" {
                try_alone(key.path, value).unwrap_or_else(|error| panic!("{}: {error}", key.path));
            }
        }
    }
}
