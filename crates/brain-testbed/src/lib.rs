//! What tests run against: servers, weights of a model, and golden files. Nothing here is part of the product.

mod golden;
mod minilm;
mod postgres;
mod tiny;

pub use golden::assert_golden;
pub use minilm::{minilm, minilm_wheel, unpacked};
pub use postgres::Postgres;
pub use tiny::tiny_model;
