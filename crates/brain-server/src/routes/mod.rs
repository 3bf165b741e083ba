//! The routes, one file per group.

pub(crate) mod approvals;
pub(crate) mod blobs;
pub(crate) mod dead_letters;
pub(crate) mod events;
mod explain;
pub(crate) mod jobs;
pub(crate) mod learning;
pub(crate) mod packs;
mod ready;
pub(crate) mod records;
pub(crate) mod runs;
mod stuck;
pub(crate) mod system;
pub(crate) mod tools;
