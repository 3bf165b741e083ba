//! The tools of the domain `core`: native functions that are part of every program that embeds Brain. They are
//! independent of any business and have no phrases; plans call them.

mod child_run;
mod email;
mod webhook;
