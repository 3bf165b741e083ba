//! Records in memory.

use std::collections::BTreeMap;

use brain_core::RecordId;

use super::{MemoryStore, Stored, parse_cursor};
use crate::traits::{MAX_OF_VALUE, Records, StoreError, any_of};
use crate::{IndexValue, Page, RecordFilter, RecordRow, Scope, contains_words, search_words};

fn is_called(stored: &Stored, field: &str, value: &IndexValue) -> bool {
    stored.index.iter().any(|one| one.is_name() && one.field == field && one.value == *value)
}

impl Records for MemoryStore {
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        let slot = (scope.tenant().clone(), kind.to_owned(), id);
        Ok(self.lock().records.get(&slot).map(|stored| stored.row.clone()))
    }

    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError> {
        let after: Option<RecordId> = parse_cursor(cursor)?;
        let inner = self.lock();
        let rows = inner
            .records
            .iter()
            .filter(|((tenant, of, id), _)| {
                tenant == scope.tenant() && of == kind && after.is_none_or(|after| *id > after)
            })
            .filter(|(_, stored)| filter.matches(&stored.row, &stored.index));
        let items = rows.map(|(_, stored)| stored.row.clone()).take(limit + 1).collect();
        Ok(Page::cut(items, limit, |row: &RecordRow| row.id.to_string()))
    }

    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        let wanted = any_of(values);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let inner = self.lock();
        let of_kind = inner.records.iter().filter(|((tenant, of, _), _)| tenant == scope.tenant() && of == kind);
        let those = of_kind.filter(|(_, stored)| wanted.iter().all(|value| is_called(stored, field, value)));
        Ok(those.map(|(_, stored)| stored.row.clone()).take(limit).collect())
    }

    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        let inner = self.lock();
        let mut found: BTreeMap<RecordId, (usize, &RecordRow)> = BTreeMap::new();
        for value in any_of(values) {
            let has = |stored: &&Stored| is_called(stored, field, value);
            let of_kind = inner.records.iter().filter(|((tenant, of, _), _)| tenant == scope.tenant() && of == kind);
            for stored in of_kind.map(|(_, stored)| stored).filter(has).take(MAX_OF_VALUE) {
                found.entry(stored.row.id).or_insert((0, &stored.row)).0 += 1;
            }
        }
        let mut rows: Vec<(usize, &RecordRow)> = found.into_values().collect();
        rows.sort_by_key(|(count, row)| (std::cmp::Reverse(*count), row.id));
        Ok(rows.into_iter().take(limit).map(|(_, row)| row.clone()).collect())
    }

    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        let wanted = search_words(query);
        let inner = self.lock();
        let rows = inner.records.iter().filter(|((tenant, of, _), stored)| {
            let text = stored.text.as_deref().unwrap_or_default();
            tenant == scope.tenant() && of == kind && contains_words(text, &wanted)
        });
        Ok(rows.map(|(_, stored)| stored.row.clone()).take(limit).collect())
    }
}
