//! HTTP, OpenAPI and metrics over the kernel. The only place that knows wire formats; it holds no state of its own.
//!
//! [`serve`] runs a server, [`openapi`] describes it, [`wire`] has the forms that travel, [`new_token`] makes the
//! tokens that let callers in. A route is one function in `routes/`, annotated so that the description cannot differ
//! from what is served.

mod app;
mod extract;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod metrics;
mod observe;
mod openapi;
mod pages;
mod problem;
mod request_id;
mod room;
mod routes;
mod serve;
mod token;
mod trace;
pub mod wire;

pub use openapi::openapi;
pub use problem::{KINDS, Kind};
pub use serve::{ServerConfig, bind, serve};
pub use token::{Grants, new_token};
