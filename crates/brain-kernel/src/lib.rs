//! The pipe: intake, understand, plan, check, approve, execute, narrate.
