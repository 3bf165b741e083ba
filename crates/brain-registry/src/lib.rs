//! Pack files become a checked registry; the only maker of a `ValidatedCall`.
//!
//! [`load`] reads folders, [`load_sources`] reads memory. Both give a [`Registry`] or a [`Report`] with every problem
//! in every file: where, why, and what to do. [`load_with`] and [`load_sources_with`] also know Rust functions.
//! [`Tool::validate`] turns arguments into a [`ValidatedCall`].

mod call;
mod check;
mod checker;
mod code;
mod complete;
mod decode;
mod diagnostic;
pub mod docs;
mod field_error;
mod format;
pub mod import;
mod located;
pub mod model;
mod native;
mod normalise;
mod phrase;
mod registry;
mod report;
mod result;
mod scaffold;
pub mod schemas;
mod source;
mod suggest;
mod times;
mod tool;
mod world;
mod yaml;

pub use call::ValidatedCall;
pub use checker::Checker;
pub use code::CODES;
pub use decode::{UNDERSTANDING_KEYS, host_declared};
pub use diagnostic::{Diagnostic, Severity};
pub use field_error::FieldError;
pub use native::{NATIVE_PACK, NativeDecl, SPAWN_CHILD_RUN};
pub use normalise::normalise;
pub use registry::{Loaded, Registry, load, load_sources, load_sources_with, load_sources_within, load_with};
pub use report::Report;
pub use result::{Artifact, ArtifactRole, TokenUsage, ToolResult};
pub use scaffold::{PackNameError, new_pack};
pub use source::PackSource;
pub use times::Times;
pub use tool::{Tool, ToolError};
pub use yaml::yaml_value;
