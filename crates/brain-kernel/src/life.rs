//! The life of a run, and the one table that maps it to the six statuses of the run contract.

pub use brain_store::is_over;
use brain_store::{Page, RunRow, Scope, Store, StoreError};

/// Our statuses, each with the contract's.
pub const STATUSES: [(&str, &str); 16] = [
    ("received", "created"),
    ("understanding", "planning"),
    ("planning", "planning"),
    ("needs_input", "planning"),
    ("needs_review", "planning"),
    ("staged", "planning"),
    ("running", "enqueued"),
    ("waiting", "waiting"),
    ("delegated", "waiting"),
    ("stopping", "waiting"),
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

/// The six words of the run contract.
pub const CONTRACT: [&str; 6] = ["created", "planning", "enqueued", "waiting", "completed", "failed"];

/// Runs whose status is one of the contract's words, newest first. Several of our statuses may be one of theirs, so the
/// lists of each are merged.
pub fn runs_by_contract(
    store: &dyn Store,
    scope: &Scope,
    word: &str,
    limit: usize,
    cursor: Option<&str>,
) -> Result<Page<RunRow>, StoreError> {
    let mut rows = Vec::new();
    for (ours, _) in STATUSES.iter().filter(|(_, theirs)| *theirs == word) {
        let page = store.runs(scope, Some(ours), limit, cursor)?;
        // One more than fits says that there are more.
        if let (Some(_), Some(last)) = (&page.next, page.items.last().cloned()) {
            rows.push((last.id, None));
        }
        rows.extend(page.items.into_iter().map(|row| (row.id, Some(row))));
    }
    rows.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.is_none().cmp(&other.1.is_none())));
    let mut items = Vec::new();
    let mut more = false;
    for (_, row) in rows {
        match row {
            Some(row) if items.len() < limit => items.push(row),
            _ => {
                more = true;
                break;
            }
        }
    }
    let next = items.last().filter(|_| more).map(|row: &RunRow| row.id.to_string());
    Ok(Page { items, next })
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
