//! Some items of a list, and where the rest begins.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Some items of a list, and where the rest begins.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Give this back as `cursor` to get the next ones; null if there are none.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// A page of rows, each in its wire form.
    pub(crate) fn of<R>(page: brain_store::Page<R>, form: impl FnMut(R) -> T) -> Self {
        Self { items: page.items.into_iter().map(form).collect(), next_cursor: page.next }
    }

    /// Cuts a page off items that lie in memory; `cursor` names the place of an item.
    pub(crate) fn cut(items: impl Iterator<Item = T>, limit: usize, cursor: impl Fn(&T) -> String) -> Self {
        let rows = brain_store::Page::cut(items.take(limit + 1).collect(), limit, cursor);
        Self { items: rows.items, next_cursor: rows.next }
    }
}
