//! HTTP, OpenAPI and metrics over the kernel. The only crate that knows wire formats; it holds no state of its own.
//!
//! [`serve`] runs a server, [`openapi`] describes it, [`wire`] has the JSON types, [`new_token`] creates bearer tokens.
//! A route is one annotated function in `routes/`, so that the description matches the code.

mod app;
mod body_limit;
mod extract;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod local;
mod metrics;
mod observe;
mod openapi;
mod pages;
mod problem;
mod request_id;
mod routes;
mod serve;
mod socket;
mod token;
mod trace;
mod upkeep;
pub mod wire;

pub use local::Local;
pub use openapi::openapi;
pub use problem::{Inside, KINDS, Kind};
pub use serve::{Bound, ServerConfig, bind, serve};
pub use token::{Grants, new_token};
pub use upkeep::{Sweeping, Upkeep};
