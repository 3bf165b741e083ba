//! The life of a run, and the one table that maps it to the six statuses of the run contract.

pub use brain_store::is_over;

/// Our statuses, each with the contract's.
pub const STATUSES: [(&str, &str); 15] = [
    ("received", "created"),
    ("understanding", "planning"),
    ("planning", "planning"),
    ("needs_input", "planning"),
    ("needs_review", "planning"),
    ("staged", "planning"),
    ("running", "enqueued"),
    ("waiting", "waiting"),
    ("delegated", "waiting"),
    ("compensating", "waiting"),
    ("parked", "waiting"),
    ("completed", "completed"),
    ("failed", "failed"),
    ("compensated", "failed"),
    ("cancelled", "failed"),
];

/// The contract's word for one of our statuses.
pub fn contract_status(status: &str) -> &'static str {
    STATUSES.iter().find(|(ours, _)| *ours == status).map_or("created", |(_, theirs)| theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_docs_is_this_table() {
        let page = include_str!("../../../docs/reference/statuses.md");
        for (ours, theirs) in STATUSES {
            let row = page
                .lines()
                .find(|line| line.starts_with(&format!("| `{ours}`")))
                .unwrap_or_else(|| panic!("docs/reference/statuses.md has no row for `{ours}`"));
            assert!(row.contains(&format!("`{theirs}`")), "{row}");
        }
    }
}
