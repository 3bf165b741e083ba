//! Charges of calls: reserved in the commit that starts them, released if they are known not to have happened.

use brain_core::Failure;
use brain_registry::ValidatedCall;
use brain_store::Write;
use brain_vm::{Event, Happened, JobId, JobStatus};

use super::{Turn, guarded};
use crate::JobContext;

impl Turn<'_> {
    /// Reserves the cost of a call and returns the accounts. The store checks the caps in the commit: a turn that
    /// exceeds one is decided again, and then the call fails.
    pub(super) fn charge(
        &mut self,
        call: &ValidatedCall,
        context: &JobContext,
        path: &str,
    ) -> Result<Vec<String>, Failure> {
        if context.job.undo {
            return Ok(Vec::new());
        }
        let charges = guarded(|| self.host.charges(self.view(path), call, context))?;
        if let Some(over) = charges.iter().find(|charge| self.at_cap.contains(&charge.account)) {
            return Err(Failure::business(over.code, over.otherwise.clone()));
        }
        let mut accounts = Vec::with_capacity(charges.len());
        for charge in charges {
            accounts.push(charge.account.clone());
            let (account, id) = (charge.account, context.key.to_string());
            self.writes.push(Write::Reserve { account, id, amount: charge.amount, limit: charge.limit });
        }
        Ok(accounts)
    }

    /// Removes the charges of a call that does not start after all.
    pub(super) fn uncharge(&mut self, context: &JobContext, accounts: &[String]) {
        let key = context.key.to_string();
        self.writes.retain(
            |write| !matches!(write, Write::Reserve { account, id, .. } if *id == key && accounts.contains(account)),
        );
    }

    /// Releases the charges of a call that is known not to have happened.
    pub(super) fn release_charges(&mut self, event: &Event) {
        let (Event::JobFailed { job, .. } | Event::JobStuck { job, happened: Happened::No, .. }) = event else {
            return;
        };
        self.release(*job);
    }

    /// The charged jobs that wait for their next attempt and that a stop would drop: none of their attempts is in doubt.
    pub(super) fn charged_and_waiting(&self, event: &Event) -> Vec<JobId> {
        if !matches!(event, Event::ScopeStopped { .. } | Event::StopForced { .. } | Event::RunEnded { .. }) {
            return Vec::new();
        }
        let waits = |job: &&JobId| {
            self.state.jobs.get(job).is_some_and(|open| {
                let waits = matches!(open.status, JobStatus::Ready | JobStatus::Retrying { .. } | JobStatus::Offered);
                waits && !open.unsettled
            })
        };
        self.data.charged.keys().filter(waits).copied().collect()
    }

    /// Releases the charges of jobs that were dropped before they happened.
    pub(super) fn release_dropped(&mut self, waited: Vec<JobId>) {
        for job in waited {
            if !self.state.jobs.contains_key(&job) && !self.state.left.contains_key(&job) {
                self.release(job);
            }
        }
    }

    fn release(&mut self, job: JobId) {
        let Some(accounts) = self.data.charged.get(&job).cloned() else { return };
        let id = self.key(job).to_string();
        self.writes.extend(accounts.into_iter().map(|account| Write::Release { account, id: id.clone() }));
    }
}
