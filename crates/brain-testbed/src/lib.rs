//! Test fixtures: database servers, model weights, golden files. Not part of the product.

mod golden;
mod minilm;
mod postgres;
mod tiny;

pub use golden::assert_golden;
pub use minilm::{minilm, minilm_wheel, unpacked};
pub use postgres::Postgres;
pub use tiny::tiny_model;
