//! Tools for pack authors. A running server needs none of them.
//!
//! - [`new_pack`]: the starter that `brain pack new` writes
//! - [`docs`]: a pack's documentation as Markdown or HTML
//! - [`schemas`]: JSON Schemas of pack files, for completion and checks in editors
//! - [`import`]: packs made from tool registries, playbooks of other systems and DMN decisions

pub mod docs;
pub mod import;
pub mod schemas;
mod starter;

pub use starter::{PackNameError, new_pack};
