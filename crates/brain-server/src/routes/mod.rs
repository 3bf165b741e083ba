//! The routes, one file per group.

pub(crate) mod approvals;
pub(crate) mod blobs;
pub(crate) mod dead_letters;
pub(crate) mod events;
mod explain;
pub(crate) mod jobs;
pub(crate) mod learning;
mod look;
pub(crate) mod operate;
pub(crate) mod packs;
mod playbooks;
mod ready;
mod record_types;
pub(crate) mod records;
pub(crate) mod runs;
pub(crate) mod system;
pub(crate) mod tools;
pub(crate) mod upkeep;
mod waiting;
