//! How long tools may take: what the operator allows, not what a pack says.

use brain_core::Millis;

/// How long one attempt of a tool may take. Workers and delegated steps are exempt: others do that work, in their own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Unless the tool says otherwise.
    pub tool: Millis,
    /// At most.
    pub tool_max: Millis,
}

impl Default for Times {
    fn default() -> Self {
        Self { tool: Millis::from_secs(30), tool_max: Millis::from_secs(60) }
    }
}
