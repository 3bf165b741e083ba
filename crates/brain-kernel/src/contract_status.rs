//! Runs by the six statuses of the run contract; `RunStatus::contract` is the table.

use brain_core::{ContractStatus, RunStatus};
use brain_store::{Page, RunRow, Runs, Scope, StoreError};

/// Runs with one status of the run contract, newest first. Several of our statuses may map to one of the contract's, so
/// their lists are merged.
pub fn runs_by_contract(
    store: &dyn Runs,
    scope: &Scope,
    word: ContractStatus,
    limit: usize,
    cursor: Option<&str>,
) -> Result<Page<RunRow>, StoreError> {
    let mut rows = Vec::new();
    for ours in RunStatus::ALL.iter().filter(|ours| ours.contract() == word) {
        let page = store.runs(scope, Some(*ours), limit, cursor)?;
        // One extra row tells that there are more.
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
        for ours in RunStatus::ALL {
            let theirs = ours.contract();
            let row = page
                .lines()
                .find(|line| line.starts_with(&format!("| `{ours}`")))
                .unwrap_or_else(|| panic!("docs/reference/statuses.md has no row for `{ours}`"));
            assert!(row.contains(&format!("`{theirs}`")), "{row}");
        }
    }
}
