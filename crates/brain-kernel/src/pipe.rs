//! The pipe: takes a request through understanding, checking and staging, accepts it, and returns a report.

use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{Digest, DigestBuilder, Millis, RunId, RunStatus, canonical_digest};
use brain_engine::{EngineError, RunNews, RunState};
use tokio::sync::oneshot;

use crate::NextAction;
use crate::draft::Draft;
use crate::error::KernelError;
use crate::intake::{MAX_MESSAGE, Mode, Request};
use crate::kernel::Kernel;
use crate::narrate::{Problem, Report};
use crate::understand::Step;

/// Maximum number of earlier identical requests in one conversation that are checked.
const MAX_REPEATS: u32 = 100;

impl Kernel {
    /// Takes a request through the pipe up to the first point that has to wait.
    pub async fn begin(&self, request: &Request) -> Result<Begun, KernelError> {
        if request.message.len() > MAX_MESSAGE {
            return Err(KernelError::TooLong(request.message.len()));
        }
        if request.message.trim().is_empty() && request.calls.is_empty() {
            return Err(KernelError::Empty);
        }
        let digest = request.digest();
        if let Some(key) = &request.key
            && let Some(begun) = self.repeated(request, key, digest)?
        {
            return Ok(begun);
        }
        let run = self.draw(|random| RunId::generate(self.clock().now(), random));
        let mut draft = Draft::new(run, request, digest);
        match self.read(request, &mut draft)? {
            Step::Plan(wanted) => self.check(request, &mut draft, wanted),
            Step::Done => {}
        }
        if draft.key.is_none()
            && let Some(begun) = self.same_in_conversation(request, &mut draft)?
        {
            return Ok(begun);
        }
        if draft.status == RunStatus::NeedsInput {
            draft.expires_at = Some(self.clock().now().plus(self.expiry.questions));
        }
        let key = draft.key.clone();
        let wait = draft.start && request.mode == Mode::EnqueueAndWait;
        let definitions =
            draft.program.as_ref().map(|(hash, program)| self.definitions(*hash, program)).unwrap_or_default();
        // Subscribe before anything can happen.
        let rest = wait.then(|| self.engine().next_rest(run));
        match self.engine().submit(draft.submission(request, definitions, self.clock().now())).await {
            Ok(RunNews { at_rest, state, .. }) => {
                let rest = Mutex::new(rest.filter(|_| !at_rest));
                Ok(Begun { run, wait: wait && !at_rest, repeated: None, state, rest })
            }
            // A concurrent request with the same key won.
            Err(EngineError::KeyTaken(_)) => match key {
                Some((key, digest)) => self
                    .repeated(request, &key, digest)?
                    .ok_or_else(|| KernelError::Internal("an idempotency key disappeared".into())),
                None => Err(KernelError::Internal("a conflict on an idempotency key that was not used".into())),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// The earlier run with this key, if there is one.
    pub(crate) fn repeated(&self, request: &Request, key: &str, digest: Digest) -> Result<Option<Begun>, KernelError> {
        let Some((run, first)) = self.store().by_key(&request.scope, key)? else { return Ok(None) };
        if first != digest {
            return Err(KernelError::KeyReused(key.to_owned()));
        }
        Ok(Some(Begun::earlier(run, request.mode == Mode::EnqueueAndWait, None)))
    }

    /// Without a key, the same calls with the same arguments in the same conversation count as the same request, unless
    /// the earlier one had no effect.
    fn same_in_conversation(&self, request: &Request, draft: &mut Draft) -> Result<Option<Begun>, KernelError> {
        let (Some(conversation), true, Some(planned)) = (&request.conversation, draft.start, &draft.planned) else {
            return Ok(None);
        };
        if !planned.has_effect {
            return Ok(None);
        }
        let meaning = DigestBuilder::new("request")
            .part(conversation.as_bytes())
            .part(canonical_digest(&planned.shape).as_bytes())
            .part(canonical_digest(&planned.input.work).as_bytes())
            .finish();
        for repeat in 0..MAX_REPEATS {
            // Callers' keys contain no spaces, so a space marks the kernel's own keys.
            let key = format!("conversation {meaning} {repeat}");
            match self.store().by_key(&request.scope, &key)? {
                None => {
                    draft.key = Some((key, meaning));
                    return Ok(None);
                }
                Some((run, _)) => {
                    let earlier = self.store().run(&request.scope, run)?;
                    let came_to_nothing = earlier.is_none_or(|row| row.status.came_to_nothing());
                    if !came_to_nothing {
                        let text = "The same request was already made in this conversation, so it was not carried out \
                                    again. To repeat it, send it with a new Idempotency-Key.";
                        let wait = request.mode == Mode::EnqueueAndWait;
                        return Ok(Some(Begun::earlier(run, wait, Some(text.into()))));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Takes a request through the whole pipe.
    pub async fn handle(&self, request: &Request) -> Result<Report, KernelError> {
        let begun = self.begin(request).await?;
        self.finish(request, &begun).await
    }

    /// Waits for a run if the request asks for it, and reports.
    pub async fn finish(&self, request: &Request, begun: &Begun) -> Result<Report, KernelError> {
        let limit = std::time::Duration::from_millis(request.limits.wait_timeout_ms);
        let over = async {
            tokio::select! {
                () = tokio::time::sleep(limit) => {}
                () = self.engine().retired() => {}
            }
        };
        let (state, timed_out) = tokio::select! {
            biased;
            state = self.rest(request, begun) => (state?, false),
            () = over => (None, true),
        };
        self.conclude(request, begun, state, timed_out)
    }

    /// Waits until a run settles, if the request asks for it. Returns the run if this process has it in memory.
    pub async fn rest(&self, request: &Request, begun: &Begun) -> Result<Option<Arc<RunState>>, KernelError> {
        if !begun.wait {
            return Ok(begun.state.clone());
        }
        let soon = begun.rest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(soon) = soon
            && let Ok(news) = soon.await
        {
            return Ok(news.state);
        }
        Ok(self.engine().wait(&request.scope, begun.run).await?.state)
    }

    /// The report of a request, with what only the request knows: a wait that timed out, or a repetition.
    pub(crate) fn conclude(
        &self,
        request: &Request,
        begun: &Begun,
        state: Option<Arc<RunState>>,
        timed_out: bool,
    ) -> Result<Report, KernelError> {
        let mut report = match state {
            Some(state) => self.report_of(&request.scope, &state)?,
            None => self.report(&request.scope, begun.run)?,
        };
        let open = !report.status.is_over();
        // Accepting it succeeded, unless it has already failed.
        report.ok |= request.mode == Mode::Enqueue && open && report.errors.is_empty();
        if timed_out && open {
            report.ok = false;
            let waited = request.limits.wait_timeout_ms;
            let message = format!("Still running after {}; it continues in the background.", Millis(waited));
            report.next_actions.push(NextAction::Inspect { run: begun.run });
            report.message = format!("{} {message}", report.message);
            report.errors.push(Problem::new("wait_timeout", message));
        }
        if let Some(repeated) = &begun.repeated {
            report.reason = format!("Duplicate in this conversation of run {}", begun.run);
            report.message = format!("{repeated} {}", report.message);
        }
        Ok(report)
    }
}

/// A request that was taken as far as it goes without waiting.
#[derive(Debug)]
pub struct Begun {
    /// The run.
    pub run: RunId,
    /// Whether to wait for its end.
    pub wait: bool,
    /// A note if an earlier request answers this one.
    pub repeated: Option<String>,
    /// The state of the run when it was written, if this process has it in memory.
    state: Option<Arc<RunState>>,
    /// Delivers the settled run if this process finishes it.
    rest: Mutex<Option<oneshot::Receiver<RunNews>>>,
}

impl Begun {
    /// An earlier run.
    pub(crate) fn earlier(run: RunId, wait: bool, repeated: Option<String>) -> Self {
        Self { run, wait, repeated, state: None, rest: Mutex::default() }
    }
}
