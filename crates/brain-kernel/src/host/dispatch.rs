//! Dispatches to other engines: one pending dispatch per payload. A run that wants the same dispatch waits until the
//! other run's has ended.

use brain_core::{DigestBuilder, Failure, Millis, RecordId, RunId, canonical_digest};
use brain_engine::{JobContext, RecordView};
use brain_registry::ValidatedCall;
use brain_store::RecordRow;
use serde_json::json;

use super::KernelHost;

/// Brain's records of dispatches; no pack can declare a type with a dot.
pub(crate) const DISPATCH: &str = "core.dispatch";
/// How soon a run that waits for another's dispatch checks again.
const RECHECK: Millis = Millis(10_000);

fn id_of(call: &ValidatedCall) -> RecordId {
    let name = call.tool().def.name.as_bytes();
    let payload = canonical_digest(call.args());
    RecordId::from_digest(DigestBuilder::new("dispatch").part(name).part(payload.as_bytes()).finish())
}

impl KernelHost {
    /// Claims the dispatch of this payload; blocked while another run holds it.
    pub(super) fn claim(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<(), Failure> {
        if call.tool().def.delegate.is_none() || job.job.undo {
            return Ok(());
        }
        let failed = |error: brain_store::StoreError| Failure::transient("store", error.to_string());
        let id = id_of(call);
        let row = records.get(DISPATCH, id).map_err(failed)?;
        let holder = row.as_ref().and_then(|row| row.body["run"].as_str()?.parse::<RunId>().ok());
        if holder == Some(job.run) {
            return Ok(());
        }
        if let Some(other) = holder
            && let Some(run) = self.store.run(&job.scope, other).map_err(failed)?
            && !run.status.is_over()
        {
            let message = format!("Run {other} has the same dispatch in progress; this one is waiting for it.");
            return Err(Failure::blocked(message, RECHECK));
        }
        let revision = row.map_or(1, |row| row.revision + 1);
        let body = json!({"run": job.run, "job": job.key, "tool": call.tool().def.name});
        let (created_at, updated_at) = (job.now, job.now);
        records.put(
            RecordRow { kind: DISPATCH.into(), id, revision, state: None, created_at, updated_at, body },
            Vec::new(),
            None,
        );
        Ok(())
    }

    /// Releases the claim: the work is done.
    pub(super) fn release(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) {
        let id = id_of(call);
        let held = records.get(DISPATCH, id).ok().flatten().is_some_and(|row| row.body["run"] == json!(job.run));
        if held {
            records.delete(DISPATCH, id);
        }
    }
}
