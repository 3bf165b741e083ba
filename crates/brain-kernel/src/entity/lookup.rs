//! Looks up records by name, through their indexes.

use std::cell::RefCell;

use brain_core::RecordId;
use brain_nlu::entity::{Card, Lookup};
use brain_registry::Registry;
use brain_registry::model::{FieldDef, RecordDef};
use brain_store::{IndexValue, RecordFilter, RecordRow, Scope, Store, StoreError};
use brain_tools::names::{ALIKE, IDENTIFIER, NAME, WORD, card};

/// Maximum number of records per name.
const LIMIT: usize = 50;
/// Maximum number of records that borrow one name.
const MAX_BORROWERS: usize = 10;
/// Maximum depth of borrowed names.
const MAX_DEPTH: usize = 3;

/// The records of a tenant.
pub(super) struct StoreLookup<'a> {
    pub(super) registry: &'a Registry,
    pub(super) store: &'a dyn Store,
    pub(super) scope: &'a Scope,
    /// The store error, if reading failed: a missing record may exist.
    pub(super) away: RefCell<Option<StoreError>>,
}

impl<'a> StoreLookup<'a> {
    pub(super) fn new(registry: &'a Registry, store: &'a dyn Store, scope: &'a Scope) -> Self {
        Self { registry, store, scope, away: RefCell::new(None) }
    }

    pub(super) fn noted<T: Default>(&self, read: Result<T, StoreError>) -> T {
        read.unwrap_or_else(|error| {
            self.away.replace(Some(error));
            T::default()
        })
    }

    /// Records that match a filter.
    pub(super) fn those(&self, kind: &str, filter: &RecordFilter, limit: usize) -> Vec<RecordRow> {
        self.noted(self.store.records(self.scope, kind, filter, limit, None).map(|page| page.items))
    }

    /// One record.
    pub(super) fn row(&self, def: &RecordDef, id: RecordId) -> Option<RecordRow> {
        self.noted(self.store.record(self.scope, &def.name, id))
    }

    /// The card of one record, with its borrowed name.
    pub(super) fn one(&self, def: &RecordDef, id: RecordId) -> Option<Card> {
        Some(self.card(def, &self.row(def, id)?, 0))
    }

    /// Records that have all of these values.
    pub(super) fn called(&self, def: &RecordDef, field: &str, values: &[String], limit: usize) -> Vec<RecordRow> {
        // Longer names tend to be rarer.
        let mut values: Vec<&String> = values.iter().collect();
        values.sort_by_key(|value| value.len());
        let values: Vec<IndexValue> = values.into_iter().map(|value| IndexValue::of(value)).collect();
        self.noted(self.store.records_by_all(self.scope, &def.name, field, &values, limit))
    }

    /// The records of a kind that `find` returns, and those that borrow a name from one of them.
    fn named(&self, kind: &str, depth: usize, find: &dyn Fn(&RecordDef) -> Vec<RecordRow>) -> Vec<Card> {
        let Some(def) = self.registry.record(kind) else { return Vec::new() };
        let mut cards: Vec<Card> = find(def).iter().map(|row| self.card(def, row, depth)).collect();
        if let Some((field, owner)) = borrowed(def)
            && depth < MAX_DEPTH
        {
            for named in self.named(owner, depth + 1, find) {
                let indexed = vec![(field.name.clone(), IndexValue::of(&named.id))];
                let rows = self.those(kind, &RecordFilter { indexed, ..RecordFilter::default() }, MAX_BORROWERS);
                cards.extend(rows.iter().map(|row| lent(def, row, &named)));
            }
        }
        cards
    }

    /// A card of a record, with its borrowed name.
    pub(super) fn card(&self, def: &RecordDef, row: &RecordRow, depth: usize) -> Card {
        let owner = borrowed(def).filter(|_| depth < MAX_DEPTH).and_then(|(field, owner)| {
            let owner = self.registry.record(owner)?;
            let id = row.body[&field.name].as_str()?.parse().ok()?;
            let row = self.noted(self.store.record(self.scope, &owner.name, id))?;
            Some(self.card(owner, &row, depth + 1))
        });
        match owner {
            Some(owner) => lent(def, row, &owner),
            None => card(def, row),
        }
    }
}

/// The field through which records of a type borrow their name, and the type it comes from.
pub(super) fn borrowed(def: &RecordDef) -> Option<(&FieldDef, &str)> {
    let field = def.name_field()?;
    Some((field, field.reference.as_deref()?))
}

/// A record with the name of another one.
fn lent(def: &RecordDef, row: &RecordRow, owner: &Card) -> Card {
    let mut own = card(def, row);
    own.name.clone_from(&owner.name);
    own.aliases.extend(owner.aliases.iter().cloned());
    own.identifiers.extend(owner.identifiers.iter().cloned());
    own.hints.extend(owner.hints.iter().cloned());
    own
}

impl Lookup for StoreLookup<'_> {
    fn exact(&self, kind: &str, normal: &str) -> Vec<Card> {
        self.named(kind, 0, &|def| self.called(def, NAME, &[normal.to_owned()], LIMIT))
    }

    fn identifier(&self, kind: &str, value: &str) -> Vec<Card> {
        self.named(kind, 0, &|def| self.called(def, IDENTIFIER, &[value.to_owned()], LIMIT))
    }

    fn words(&self, kind: &str, words: &[String], limit: usize) -> Vec<Card> {
        self.named(kind, 0, &|def| self.called(def, WORD, words, limit))
    }

    fn searched(&self, kind: &str, words: &[String], limit: usize) -> Vec<Card> {
        self.named(kind, 0, &|def| {
            let searched = def.name_field().is_some_and(|field| def.search.contains(&field.name));
            if !searched {
                return Vec::new();
            }
            // Covers records older than their type's names, and names too long for an index.
            self.noted(self.store.search(self.scope, &def.name, &words.join(" "), limit))
        })
    }

    fn alike(&self, kind: &str, keys: &[String], limit: usize) -> Vec<Card> {
        let keys: Vec<IndexValue> = keys.iter().map(|key| IndexValue::of(key)).collect();
        self.named(kind, 0, &|def| self.noted(self.store.records_by_any(self.scope, &def.name, ALIKE, &keys, limit)))
    }
}
