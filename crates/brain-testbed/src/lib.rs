//! Servers that tests run against. Nothing here is part of the product.

mod postgres;

pub use postgres::Postgres;
