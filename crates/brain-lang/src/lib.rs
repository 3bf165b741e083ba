//! FEEL for values, MiniJinja for text, bindings, and plans.
//!
//! Pure: no I/O, no clock, no randomness. What an evaluation may know of the world comes in through [`feel::Env`].

pub mod binding;
pub mod feel;
pub mod plan;
pub mod text;

pub use binding::{Binding, BindingError};
pub use text::{Text, TextError};
