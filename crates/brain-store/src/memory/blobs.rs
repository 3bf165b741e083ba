//! Blobs in memory.

use std::sync::{Arc, Mutex};

use brain_core::{Digest, TenantId, Timestamp};

use super::{Inner, MemoryStore, StoredBlob, lock};
use crate::{BlobRow, BlobWriter, Blobs, Scope, StoreError};

impl Inner {
    pub(super) fn put_blob(&mut self, tenant: TenantId, row: BlobRow, bytes: Arc<[u8]>) {
        let blob = self.blobs.entry((tenant, row.hash)).or_insert(StoredBlob { row, unused_since: None, bytes });
        blob.unused_since = None;
    }
}

impl Blobs for MemoryStore {
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError> {
        Ok(self.lock().blobs.get(&(scope.tenant().clone(), hash)).map(|stored| stored.row.clone()))
    }

    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError> {
        let inner = self.lock();
        let Some(StoredBlob { bytes, .. }) = inner.blobs.get(&(scope.tenant().clone(), hash)) else {
            return Ok(Vec::new());
        };
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes[from..from.saturating_add(max).min(bytes.len())].to_vec())
    }

    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError> {
        Ok(Box::new(Upload {
            inner: self.inner.clone(),
            tenant: scope.tenant().clone(),
            media_type: media_type.to_owned(),
            at,
            bytes: Vec::new(),
        }))
    }
}

struct Upload {
    inner: Arc<Mutex<Inner>>,
    tenant: TenantId,
    media_type: String,
    at: Timestamp,
    bytes: Vec<u8>,
}

impl BlobWriter for Upload {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<BlobRow, StoreError> {
        let Self { inner, tenant, media_type, at, bytes } = *self;
        let hash = Digest::of(&bytes);
        let row = BlobRow { hash, size: bytes.len() as u64, media_type, at };
        let mut inner = lock(&inner);
        inner.put_blob(tenant.clone(), row, bytes.into());
        let stored = inner.blobs.get(&(tenant, hash)).expect("it was put there just now");
        Ok(stored.row.clone())
    }
}
