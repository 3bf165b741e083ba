//! The tools of the domain `core`: native functions that every program with Brain inside has. They know no business;
//! nobody asks for them in words, plans call them.

mod child_run;
mod email;
mod webhook;
