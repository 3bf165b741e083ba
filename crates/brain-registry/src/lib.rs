//! Loads and checks packs. Only this crate can make a `ValidatedCall`.
//!
//! [`load`] reads folders, [`load_sources`] reads from memory. Both return a [`Registry`], or a [`Report`] with every
//! problem in every file: what, where, and how to fix it. [`load_with`] and [`load_sources_with`] also take Rust
//! functions. [`Tool::validate`] turns arguments into a [`ValidatedCall`].

mod ask;
mod call;
mod check;
mod code;
mod complete;
mod decode;
mod diagnostic;
mod located;
pub mod model;
mod native;
mod phrase;
mod registry;
mod report;
mod source;
mod suggest;
mod times;
mod world;
pub mod yaml;

pub use ask::ASK_DOMAIN;
pub use call::{
    Artifact, ArtifactRole, Checker, FieldError, TokenUsage, Tool, ToolError, ToolResult, ValidatedCall, normalise,
};
pub use code::{CODES, Code};
pub use decode::{UNDERSTANDING_KEYS, host_declared, is_name, keys};
pub use diagnostic::{Diagnostic, Severity};
pub use native::{NATIVE_PACK, NativeDecl, SPAWN_CHILD_RUN, UNDO_CHILD_RUN};
pub use registry::{Loaded, Registry, load, load_sources, load_sources_with, load_sources_within, load_with};
pub use report::Report;
pub use source::PackSource;
pub use suggest::nearest;
pub use times::Times;
pub use yaml::yaml_value;
