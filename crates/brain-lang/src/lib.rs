//! FEEL for values, MiniJinja for text, bindings, and plans.
//!
//! Pure: no I/O, no clock, no randomness. The environment of an evaluation is passed in as [`feel::Env`].

pub mod binding;
pub mod feel;
pub mod plan;
pub mod text;

pub use binding::{Binding, BindingError};
pub use text::{Text, TextError};
