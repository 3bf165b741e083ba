//! A real server on a free port, a real SQLite file, the `trades` pack, and a real HTTP client.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod approvals;
mod blobs;
mod contract;
mod dead_letters;
mod events;
mod gate;
mod learning;
mod lists;
mod modes;
mod openapi;
mod reach;
mod requests;
mod support;
mod system;
mod undo;
mod words;
