//! Pages of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One page of a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// Pass this as `cursor` to get the next page; null on the last page.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// Converts a page of rows to its wire form.
    pub(crate) fn of<R>(page: brain_store::Page<R>, form: impl FnMut(R) -> T) -> Self {
        Self { items: page.items.into_iter().map(form).collect(), next_cursor: page.next }
    }

    /// Cuts a page off a list in memory; `cursor` gives the cursor of an item.
    pub(crate) fn cut(items: impl Iterator<Item = T>, limit: usize, cursor: impl Fn(&T) -> String) -> Self {
        let rows = brain_store::Page::cut(items.take(limit + 1).collect(), limit, cursor);
        Self { items: rows.items, next_cursor: rows.next }
    }
}
