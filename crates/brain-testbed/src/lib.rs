//! Test fixtures: database servers and model weights. Not part of the product.

mod minilm;
mod postgres;
mod tiny;

pub use minilm::{minilm, minilm_wheel, unpacked};
pub use postgres::Postgres;
pub use tiny::tiny_model;
