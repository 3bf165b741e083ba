//! The operator's limits on timeouts.

use brain_core::Millis;

/// Limits on one attempt of a tool. Workers and delegated steps are exempt: others do that work, in their own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The default.
    pub tool: Millis,
    /// The maximum.
    pub tool_max: Millis,
}

impl Default for Times {
    fn default() -> Self {
        Self { tool: Millis::from_secs(30), tool_max: Millis::from_secs(60) }
    }
}
