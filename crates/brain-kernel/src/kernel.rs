//! The kernel: one pipe from a request to a report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{
    ApprovalId, ApprovalStatus, Clock, Digest, DigestBuilder, Failure, JobKey, Millis, Random, RunId, RunStatus,
    TenantId, canonical_digest,
};
use brain_engine::{
    Engine, EngineConfig, EngineError, LetterDecision, Liveness, NewEvent, Outside, PipeEvent, RunData, RunInput,
    RunNews, RunState, Work, blob_writes,
};
use brain_lang::plan::ToolRef;
use brain_nlu::learn::Score;
use brain_nlu::{Confidence, Context, Intent, SlotValue, Stage, Understanding, Vocabulary, understand};
use brain_registry::model::Consent;
use brain_registry::{Registry, Tool};
use brain_store::{ApprovalRow, Lane, Scope, Store, StoreError, Write};
use brain_tools::{Toolbox, ToolboxConfig};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::NextAction;
use crate::budget::{SpendCaps, budget};
use crate::draft::Draft;
use crate::eligible;
use crate::entity::Place;
use crate::host::KernelHost;
use crate::intake::{MAX_MESSAGE, Mode, Request};
use crate::learning::Lessons;
use crate::narrate::{PlannedCall, Problem, Report, describe_call, report};
use crate::plan::{Planned, Shape, Wanted, plan};
use crate::understand::{Hearing, hear, keep, surroundings, thresholds};

/// Calls that a message lists, at most.
const MAX_SHOWN: usize = 100;
/// Requests with the same meaning in one conversation that are looked back at, at most.
const MAX_REPEATS: u32 = 100;

/// Why the kernel did not answer with a report.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KernelError {
    /// The message is longer than is taken in.
    #[error("the message has {0} bytes; at most {MAX_MESSAGE} are taken in")]
    TooLong(usize),
    /// The request says nothing.
    #[error("the message is empty; say what should be done")]
    Empty,
    /// Another request was sent with this key.
    #[error("the idempotency key `{0}` was used for another request; use a new key for a new request")]
    KeyReused(String),
    /// There is no such run.
    #[error("there is no run {0}")]
    NoSuchRun(RunId),
    /// There is no such approval.
    #[error("there is no approval {0}")]
    NoSuchApproval(String),
    /// There is no such dead letter.
    #[error("there is no dead letter {0}")]
    NoSuchLetter(String),
    /// Someone else was quicker.
    #[error("this has been decided already")]
    AlreadyDecided,
    /// The actor may not do this.
    #[error("{0}")]
    NotAllowed(String),
    /// What was asked does not fit where the run stands.
    #[error("{0}")]
    Conflict(String),
    /// What was given is not what is needed.
    #[error("{0}")]
    Refused(String),
    /// A cursor that no list gave out.
    #[error("{0}")]
    BadCursor(String),
    /// The store did not do its part: a disk without room, a database that is away. It may do it later.
    #[error("{0}")]
    Store(String),
    /// Too many requests wait. Nothing was done.
    #[error("too many requests are waiting; nothing was done. Try again in a moment")]
    Busy,
    /// Something inside went wrong; the log has the details.
    #[error("something went wrong inside: {0}")]
    Internal(String),
}

impl KernelError {
    /// Whether it is certain that nothing was written. After a store that failed, or something inside that went wrong,
    /// what was asked for may have been done all the same: asking again under the same key finds out.
    pub fn is_known(&self) -> bool {
        match self {
            Self::TooLong(_)
            | Self::Empty
            | Self::KeyReused(_)
            | Self::NoSuchRun(_)
            | Self::NoSuchApproval(_)
            | Self::NoSuchLetter(_)
            | Self::AlreadyDecided
            | Self::NotAllowed(_)
            | Self::Conflict(_)
            | Self::Refused(_)
            | Self::BadCursor(_)
            | Self::Busy => true,
            Self::Store(_) | Self::Internal(_) => false,
        }
    }
}

impl From<EngineError> for KernelError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::NoSuchRun(run) => Self::NoSuchRun(run),
            EngineError::NoSuchLetter(letter) => Self::NoSuchLetter(letter.to_string()),
            EngineError::AlreadyDecided => Self::AlreadyDecided,
            EngineError::NothingToDo(_)
            | EngineError::Stopping(_)
            | EngineError::Happened(_)
            | EngineError::InDoubt(..)
            | EngineError::Moved
            | EngineError::Parked(_)
            | EngineError::UnderWay(..) => Self::Conflict(error.to_string()),
            EngineError::Refused(..) => Self::Refused(error.to_string()),
            EngineError::Busy => Self::Busy,
            EngineError::Store(error) => error.into(),
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<StoreError> for KernelError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadCursor(_) => Self::BadCursor(error.to_string()),
            StoreError::Failed(_) => Self::Store(error.to_string()),
            other => Self::Internal(other.to_string()),
        }
    }
}

/// How a kernel is set up.
#[derive(Clone, Debug, Default)]
pub struct KernelConfig {
    /// The engine.
    pub engine: EngineConfig,
    /// The tools.
    pub tools: ToolboxConfig,
    /// What it hears with.
    pub hearing: Hearing,
    /// How long people have.
    pub expiry: Expiry,
    /// What may be spent in a day.
    pub caps: SpendCaps,
}

/// How long a run that has not started waits for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// For an answer to a question.
    pub questions: Millis,
    /// For a yes or a no to a plan.
    pub staged: Millis,
}

impl Default for Expiry {
    fn default() -> Self {
        Self { questions: Millis::from_secs(24 * 60 * 60), staged: Millis::from_secs(7 * 24 * 60 * 60) }
    }
}

/// A request that has been taken as far as it goes without waiting.
#[derive(Debug)]
pub struct Begun {
    /// The run.
    pub run: RunId,
    /// Whether its end is to be waited for.
    pub wait: bool,
    /// What to say besides, if this request was answered by an earlier one.
    pub repeated: Option<String>,
    /// Where the run stood when it was written, if this process has that in memory.
    state: Option<Arc<RunState>>,
    /// Brings the end of the run, if this process comes to it soon.
    rest: Mutex<Option<oneshot::Receiver<RunNews>>>,
}

impl Begun {
    /// A run that was begun before.
    pub(crate) fn earlier(run: RunId, wait: bool, repeated: Option<String>) -> Self {
        Self { run, wait, repeated, state: None, rest: Mutex::default() }
    }
}

/// The kernel.
pub struct Kernel {
    registry: Arc<Registry>,
    vocabulary: Arc<Vocabulary>,
    hearing: Hearing,
    expiry: Expiry,
    /// Whether what search needs was kept, or came from there.
    kept: AtomicBool,
    /// What people have taught, by tenant.
    pub(crate) lessons: Mutex<std::collections::HashMap<TenantId, Lessons>>,
    /// What the corpora said last, by tenant, and with which words.
    pub(crate) scores: Mutex<std::collections::HashMap<TenantId, (Digest, Arc<Score>)>>,
    toolbox: Arc<Toolbox>,
    host: Arc<KernelHost>,
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    random: Mutex<Box<dyn Random>>,
    /// Runs whose logs take no more marks of forged callbacks.
    pub(crate) forged: Mutex<std::collections::HashSet<RunId>>,
    /// Definitions that are known to be in the store.
    pub(crate) defined: Mutex<std::collections::HashSet<Digest>>,
    /// Programs of plans that came before, by the shape of the plan: compiling and hashing them again gives the same.
    pub(crate) programs: Mutex<crate::program::Programs>,
}

impl Kernel {
    /// Starts a kernel with its engine. Must be called inside a Tokio runtime.
    pub fn start(
        config: &KernelConfig,
        registry: Arc<Registry>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        random: Box<dyn Random>,
        liveness: Arc<dyn Liveness>,
    ) -> Result<Arc<Self>, KernelError> {
        Self::start_with(config, registry, store, clock, random, liveness, &|outside| outside)
    }

    /// [`Kernel::start`] with something in place of the world outside: what a benchmark counts with.
    pub fn start_with(
        config: &KernelConfig,
        registry: Arc<Registry>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        mut random: Box<dyn Random>,
        liveness: Arc<dyn Liveness>,
        wrap: &dyn Fn(Arc<dyn Outside>) -> Arc<dyn Outside>,
    ) -> Result<Arc<Self>, KernelError> {
        let host = host(&registry, &config.tools, &config.caps, &store)?;
        let outside = wrap(host.clone());
        let seed = random.next_u64();
        let engine_random = Box::new(brain_core::SeededRandom::new(seed));
        let engine = Engine::start(
            &config.engine,
            store.clone(),
            host.clone(),
            outside,
            clock.clone(),
            engine_random,
            liveness,
        )?;
        Self::over(engine, registry, &host, random, &config.hearing, config.expiry)
    }

    /// A kernel over an engine that someone else moves.
    pub(crate) fn over(
        engine: Arc<Engine>,
        registry: Arc<Registry>,
        host: &Arc<KernelHost>,
        random: Box<dyn Random>,
        hearing: &Hearing,
        expiry: Expiry,
    ) -> Result<Arc<Self>, KernelError> {
        let vocabulary = hear(&registry, hearing).map_err(|error| KernelError::Internal(error.message))?;
        let (store, clock) = (engine.store().clone(), engine.clock().clone());
        let kept = AtomicBool::new(vocabulary.is_ready());
        let kernel = Arc::new(Self {
            registry,
            vocabulary: Arc::new(vocabulary),
            hearing: hearing.clone(),
            expiry,
            kept,
            lessons: Mutex::default(),
            scores: Mutex::default(),
            toolbox: host.toolbox().clone(),
            host: host.clone(),
            engine,
            store,
            clock,
            random: Mutex::new(random),
            forged: Mutex::default(),
            defined: Mutex::default(),
            programs: Mutex::default(),
        });
        host.belongs_to(&kernel);
        Ok(kernel)
    }

    /// Says how other systems reach this server: what callbacks are addressed to.
    pub fn set_public_url(&self, url: &str) {
        self.toolbox.set_public_url(url);
    }

    /// The host: what it knows of tools that are not in the registry any more.
    pub(crate) fn host(&self) -> &Arc<KernelHost> {
        &self.host
    }

    /// The definition that a program pins.
    pub(crate) fn tool_of(&self, reference: &ToolRef) -> Result<Arc<Tool>, KernelError> {
        self.host.tool(reference).map_err(|failure| KernelError::Internal(failure.message))
    }

    /// What may be asked for.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The phrases, compiled.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Makes what search needs, so that the first who needs it does not wait. Takes seconds for a large vocabulary that
    /// was not kept.
    pub fn listen(&self) {
        self.vocabulary.prepare();
        self.keep_vocabulary();
    }

    /// Keeps what search needs for the next start, once it was made.
    fn keep_vocabulary(&self) {
        if self.vocabulary.is_ready() && !self.kept.swap(true, Ordering::Relaxed) {
            keep(&self.vocabulary, &self.hearing);
        }
    }

    /// The store, for reading.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Reads what somebody says; nothing is written.
    pub fn understand(&self, scope: &Scope, actor: &str, text: &str) -> Understanding {
        let around = surroundings(&self.registry, self.toolbox.zone(), self.clock.now());
        let taught = self.lessons(scope);
        let thresholds = thresholds(&self.registry);
        let context = Context { taught: Some(&taught), actor: Some(actor), thresholds, ..Context::fresh(around) };
        let found = understand(&self.vocabulary, text, &context);
        self.keep_vocabulary();
        found
    }

    pub(crate) fn draw<T>(&self, work: impl FnOnce(&mut dyn Random) -> T) -> T {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        work(random.as_mut())
    }

    /// Takes a request through the pipe: everything up to the first thing that must be waited for.
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
        let run = self.draw(|random| RunId::generate(self.clock.now(), random));
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
            draft.expires_at = Some(self.clock.now().plus(self.expiry.questions));
        }
        let key = draft.key.clone();
        let wait = draft.start && request.mode == Mode::EnqueueAndWait;
        let definitions =
            draft.program.as_ref().map(|(hash, program)| self.definitions(*hash, program)).unwrap_or_default();
        // Listening starts before anything can happen.
        let rest = wait.then(|| self.engine.next_rest(run));
        match self.engine.submit(draft.submission(request, definitions, self.clock.now())).await {
            Ok(RunNews { at_rest, state, .. }) => {
                let rest = Mutex::new(rest.filter(|_| !at_rest));
                Ok(Begun { run, wait: wait && !at_rest, repeated: None, state, rest })
            }
            // The same request came twice at the same time: the other one was first.
            Err(EngineError::KeyTaken(_)) => match key {
                Some((key, digest)) => {
                    self.repeated(request, &key, digest)?.ok_or_else(|| KernelError::Internal("a key vanished".into()))
                }
                None => Err(KernelError::Internal("a key was taken that was not asked for".into())),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// The run that a key stands for already.
    fn repeated(&self, request: &Request, key: &str, digest: Digest) -> Result<Option<Begun>, KernelError> {
        let Some((run, first)) = self.store.by_key(&request.scope, key)? else { return Ok(None) };
        if first != digest {
            return Err(KernelError::KeyReused(key.to_owned()));
        }
        Ok(Some(Begun::earlier(run, request.mode == Mode::EnqueueAndWait, None)))
    }

    /// Without a key, the same tools with the same arguments in the same conversation are the same request, unless
    /// the earlier one came to nothing.
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
            // Callers' keys are visible characters only: a space keeps the kernel's own apart from them.
            let key = format!("conversation {meaning} {repeat}");
            match self.store.by_key(&request.scope, &key)? {
                None => {
                    draft.key = Some((key, meaning));
                    return Ok(None);
                }
                Some((run, _)) => {
                    let earlier = self.store.run(&request.scope, run)?;
                    let came_to_nothing = earlier.is_none_or(|row| row.status.came_to_nothing());
                    if !came_to_nothing {
                        let text = "The same was asked before in this conversation, so it was not done again. To do it \
                                    again, send it with a new Idempotency-Key.";
                        let wait = request.mode == Mode::EnqueueAndWait;
                        return Ok(Some(Begun::earlier(run, wait, Some(text.into()))));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Understand: what was said, as tools and arguments.
    fn read(&self, request: &Request, draft: &mut Draft) -> Result<Step, KernelError> {
        if !request.calls.is_empty() {
            draft.confidence = Confidence::High;
            let names: Vec<&str> = request.calls.iter().map(|(tool, _)| tool.as_str()).collect();
            draft.reason = match &request.undo_of {
                Some(undo) => format!("Undo of run {}", undo["run"].as_str().unwrap_or_default()),
                None => format!("Called by name: {}", names.join(", ")),
            };
            let wanted = request.calls.iter().map(|(tool, input)| Wanted {
                target: tool.clone(),
                args: input.as_object().cloned().unwrap_or_default(),
            });
            let mut wanted = self.with_attachments(request, wanted.collect());
            let links = self.link_names(request, &mut wanted, &[])?;
            if !links.evidence.is_empty() {
                draft.understood(json!({"kind": "called", "links": links.evidence}));
            }
            return Ok(if links.settle(draft) { Step::Done } else { Step::Plan(wanted) });
        }
        let understanding = self.understand(&request.scope, &request.actor.name, &request.message);
        let mut evidence = serde_json::to_value(&understanding).unwrap_or(Value::Null);
        let step = match understanding {
            Understanding::Clear { intents } => {
                draft.confidence = intents.iter().map(|intent| intent.confidence).min().unwrap_or(Confidence::None);
                let names: Vec<&str> = intents.iter().map(|intent| intent.target.as_str()).collect();
                let plural = if names.len() > 1 { "s" } else { "" };
                draft.reason = if intents.iter().all(|intent| intent.evidence.tier == Stage::Exact) {
                    format!("Matched rule pattern{plural} for {}", names.join(", "))
                } else {
                    let like: Vec<String> =
                        intents.iter().map(|intent| format!("“{}”", intent.evidence.phrase)).collect();
                    format!("Understood as {}: it is like {}", names.join(", "), like.join(", "))
                };
                let wanted = intents.iter().map(|intent| {
                    let schema = self.schema_of(&intent.target);
                    Wanted::of_intent(intent, &request.context, &schema)
                });
                let mut wanted = self.with_attachments(request, wanted.collect());
                let links = self.link_names(request, &mut wanted, &places(&intents))?;
                if !links.evidence.is_empty() {
                    evidence["links"] = json!(links.evidence);
                }
                draft.understood(evidence);
                if links.settle(draft) { Step::Done } else { Step::Plan(wanted) }
            }
            Understanding::Ask(question) => {
                draft.confidence = Confidence::Low;
                draft.reason = "More than one reading is likely".into();
                draft.understood(evidence);
                draft.status = RunStatus::NeedsInput;
                let options = question.options.iter().map(|intent| {
                    let (target, phrase) = (&intent.target, &intent.evidence.phrase);
                    NextAction::say(format!("Say it so that only `{target}` is meant, for example: {phrase}"))
                });
                let teach = NextAction::Teach { run: draft.run };
                draft.answer(&question.text, options.chain([teach]).collect());
                Step::Done
            }
            Understanding::SmallTalk { talk } => {
                draft.confidence = Confidence::High;
                draft.reason = "Small talk".into();
                draft.understood(evidence);
                let (text, examples) = self.chat(talk);
                draft.answer(&text, examples);
                Step::Done
            }
            Understanding::Unknown { nearest } => {
                draft.confidence = Confidence::None;
                draft.reason = "No matching rule found".into();
                draft.understood(evidence);
                let near: Vec<String> = nearest.iter().map(|one| one.phrase.clone()).collect();
                let (text, examples) = self.help(&near);
                draft.answer(&text, examples);
                Step::Done
            }
        };
        Ok(step)
    }

    /// Files that came with a request fill the inputs that take a file and have none, in order.
    fn with_attachments(&self, request: &Request, mut wanted: Vec<Wanted>) -> Vec<Wanted> {
        let mut files = request.attachments.iter();
        for one in wanted.iter_mut().filter(|_| !request.attachments.is_empty()) {
            let schema = self.schema_of(&one.target);
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if property["x-file"] == true
                    && !one.args.contains_key(name)
                    && let Some(file) = files.next()
                {
                    one.args.insert(name.clone(), file.clone());
                }
            }
        }
        wanted
    }

    pub(crate) fn schema_of(&self, target: &str) -> Value {
        if let Some(tool) = self.registry.tool(target) {
            return tool.def.input.clone();
        }
        self.registry.playbook(target).map_or(Value::Null, |playbook| playbook.slots.clone())
    }

    /// What to say when nothing matched.
    fn help(&self, near: &[String]) -> (String, Vec<NextAction>) {
        let mut text = String::from("I did not understand that.");
        if !near.is_empty() {
            text.push_str(" Did you mean one of these?\n");
            for phrase in near {
                text.push_str(&format!("  {phrase}\n"));
            }
        }
        let (things, examples) = self.offers();
        text.push_str(if text.ends_with('\n') { things.trim_start() } else { &things });
        (text, examples)
    }

    /// What packs say about themselves: a text that goes on after a sentence, and examples.
    pub(crate) fn offers(&self) -> (String, Vec<NextAction>) {
        let mut text = String::new();
        let mut examples = Vec::new();
        for pack in self.registry.packs().values() {
            if !pack.help.text.is_empty() {
                text.push(' ');
                text.push_str(&pack.help.text);
            }
            examples.extend(&pack.help.examples);
        }
        if !examples.is_empty() {
            text.push_str("\nThings to say:");
            for example in &examples {
                text.push_str(&format!("\n  {example}"));
            }
        }
        (text, examples.into_iter().map(|example| NextAction::say(format!("Try: {example}"))).collect())
    }

    /// Plan, check and ask for consent.
    fn check(&self, request: &Request, draft: &mut Draft, wanted: Vec<Wanted>) {
        let mut planned = match plan(&self.registry, request.scope.tenant().as_str(), wanted, request.policy) {
            Ok(planned) => planned,
            Err(problems) => return draft.refuse(&problems),
        };
        let mut problems = eligible::problems(&self.registry, &request.actor, &planned.calls);
        problems.extend(eligible::unknown_records(&self.registry, self.store.as_ref(), &request.scope, &planned.calls));
        if problems.is_empty() {
            if let (Shape::Playbook { name, .. }, Work::Playbook(input)) = (&planned.shape, &planned.input.work) {
                let (store, scope) = (self.store.as_ref(), &request.scope);
                problems = eligible::unknown_in(&self.registry, store, scope, name, &input.schema, &input.slots, &[]);
            }
        }
        // What it costs at least decides whether it is refused now; what it may cost at most is shown and reserved.
        let limit = request.limits.max_tool_calls;
        let least = eligible::cost(&self.registry, &self.toolbox, &planned.calls, 0);
        let cost = eligible::cost(&self.registry, &self.toolbox, &planned.calls, limit);
        if let Some(limit) = &request.limits.max_cost {
            problems.extend(eligible::too_expensive(&self.registry, &self.toolbox, &least, limit));
        }
        problems.extend(planned.too_many_steps());
        if !problems.is_empty() {
            draft.calls(&planned);
            return draft.refuse(&problems);
        }
        let waits = self.waits(request, &planned);
        // What somebody says yes to is also the most that it may cost.
        let own = eligible::own_currency(&self.registry);
        let ceiling = cost.get(&own).filter(|_| waits && request.limits.max_cost.is_none());
        let calls = &planned.calls;
        if let Some(budget) = budget(&self.registry, request, draft.run, calls, ceiling.map(String::as_str)) {
            planned.input.max_tool_calls = budget.calls;
            planned.input.budget = Some(budget);
        }
        let flags = request.context.as_object().filter(|_| self.registry.names_flags());
        planned.input = RunInput {
            asked_by: request.actor.name.clone(),
            bounds: request.actor.bounds(),
            conversation: request.conversation.clone(),
            trace: request.trace.clone(),
            context: flags.cloned().unwrap_or_default(),
            needs_approver: planned.consent == Consent::Approver,
            cost,
            ..planned.input
        };
        // From here on the input does not change: what runs, what is approved and what the log says are this one value.
        if planned.input.is_large() {
            // The first turn works on the values themselves: the blobs are in the store when it is.
            draft.input = Some(planned.input.clone());
            let mut large = Vec::new();
            planned.input.offload(&mut large);
            draft.writes.extend(blob_writes(large, self.clock.now()));
        }
        let known = |call: &PlannedCall| u64::from(call.times.unwrap_or(0));
        let count: u64 = planned.calls.iter().map(known).sum();
        if count > u64::from(limit) {
            let calls = if count == 1 { "call" } else { "calls" };
            let message = format!("This would take {count} tool {calls}; the limit of the request is {limit}.");
            draft.calls(&planned);
            return draft.refuse(&[Problem::new("too_many_tool_calls", message)]);
        }
        // What takes something back sees the settings under which it was done.
        let undone = request.undo_of.as_ref().and_then(|undo| undo["settings"].as_str()?.parse().ok());
        let settings = undone.unwrap_or_else(|| self.toolbox.settings().digest());
        let (hash, program) = match self.program(&planned, settings) {
            Ok(found) => found,
            Err(error) => return draft.refuse(&[Problem::new("bad_plan", error.to_string())]),
        };
        draft.program = Some((hash, program));
        draft.calls(&planned);
        match request.mode {
            Mode::Answer => {
                let lines: Vec<String> =
                    planned.calls.iter().map(|call| self.describe(&call.tool, &call.input)).collect();
                let text = format!("This is what would be done:\n{}\nNothing was done.", shortened(&lines));
                draft.answer(&text, vec![NextAction::Do]);
                draft.program = None;
            }
            _ if waits => self.stage(request, draft, &planned, hash),
            _ => draft.start = true,
        }
        draft.planned = Some(planned);
    }

    /// Whether a plan waits for somebody's word.
    fn waits(&self, request: &Request, planned: &Planned) -> bool {
        let acknowledged =
            |call: &PlannedCall| self.registry.tool(&call.tool).is_some_and(|tool| tool.def.acknowledge.is_some());
        planned.consent == Consent::Approver || planned.calls.iter().any(acknowledged) || request.mode == Mode::Plan
    }

    /// One line about a call, for people.
    fn describe(&self, tool: &str, input: &Value) -> String {
        let line = self.registry.tool(tool).map(|tool| describe_call(&tool.def, input));
        format!("  {}", line.unwrap_or_else(|| tool.to_owned()))
    }

    /// Puts a runbook before someone who may say yes. What is approved is what runs: the digest covers all of it.
    fn stage(&self, request: &Request, draft: &mut Draft, planned: &Planned, program: Digest) {
        let id = self.draw(|random| ApprovalId::generate(self.clock.now(), random));
        let digest = approval_digest(program, &planned.input);
        let mut lines: Vec<String> = planned.calls.iter().map(|call| self.describe(&call.tool, &call.input)).collect();
        let mut expires_at = self.clock.now().plus(self.expiry.staged);
        for call in &planned.calls {
            let Some(tool) = self.registry.tool(&call.tool) else { continue };
            // Who takes something back is not asked whether that can be taken back.
            if let (Some(reason), None) = (&tool.def.no_undo, &request.undo_of) {
                lines.push(format!("  Cannot be undone ({}): {reason}", tool.def.name));
            }
            let Some(acknowledge) = &tool.def.acknowledge else { continue };
            lines.push(format!(
                "  Please note: {}",
                self.toolbox.text(&acknowledge.text, &call.input, self.clock.now())
            ));
            if let Some(within) = acknowledge.within {
                expires_at = expires_at.min(self.clock.now().plus(within));
            }
        }
        for stays in request.undo_of.iter().flat_map(|undo| undo["stays"].as_array().into_iter().flatten()) {
            lines.push(format!("  {}", stays.as_str().unwrap_or_default()));
        }
        if !planned.input.cost.is_empty() {
            let most = if planned.calls.iter().any(|call| call.times.is_none()) { "at most " } else { "" };
            lines.push(format!("  Cost: {most}{}", eligible::cost_in_words(&planned.input.cost)));
        }
        let needs_approver = planned.consent == Consent::Approver;
        let consent = if needs_approver { "approver" } else { "user" };
        let body = json!({
            "consent": consent,
            "digest": digest,
            "asked_by": request.actor.name,
            "asks": lines.iter().map(|line| line.trim()).collect::<Vec<_>>(),
            "expires_at": expires_at,
        });
        draft.expires_at = Some(expires_at);
        let asked_at = self.clock.now();
        let row = ApprovalRow { id, run: draft.run, status: ApprovalStatus::Pending, asked_at, body };
        draft.writes.push(Write::PutApproval(row));
        let who = if needs_approver { "someone who may approve says yes" } else { "you say run" };
        let text = format!("Ready, and nothing has been done yet:\n{}\nIt runs when {who}.", shortened(&lines));
        let approval = id.to_string();
        let next = [NextAction::Approve { approval: approval.clone() }, NextAction::Reject { approval }];
        draft.events.push(NewEvent::pipe(
            PipeEvent::Staged,
            json!({"approval": id, "consent": consent, "digest": digest}),
            Some(json!({"message": text, "next_actions": next})),
        ));
        draft.status = RunStatus::Staged;
    }

    /// Waits for the end of a run that was begun, if that was asked for, and reports.
    pub async fn finish(&self, request: &Request, begun: &Begun) -> Result<Report, KernelError> {
        let limit = std::time::Duration::from_millis(request.limits.wait_timeout_ms);
        let over = async {
            tokio::select! {
                () = tokio::time::sleep(limit) => {}
                () = self.engine.retired() => {}
            }
        };
        let (state, timed_out) = tokio::select! {
            biased;
            state = self.rest(request, begun) => (state?, false),
            () = over => (None, true),
        };
        self.conclude(request, begun, state, timed_out)
    }

    /// Waits until a run that was begun comes to rest, if that was asked for. Gives the run if this process has it in
    /// memory.
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
        Ok(self.engine.wait(&request.scope, begun.run).await?.state)
    }

    /// The report of a request, with what only the request knows: that time ran out, that it was a repetition.
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
        if timed_out && open {
            report.ok = false;
            let waited = request.limits.wait_timeout_ms;
            let message = format!("The run is still going on after {waited} ms; nothing is lost.");
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

    /// Takes a request through the whole pipe.
    pub async fn handle(&self, request: &Request) -> Result<Report, KernelError> {
        let begun = self.begin(request).await?;
        self.finish(request, &begun).await
    }

    /// Why a run came to nothing before it started, if it did.
    pub(crate) fn refusal(&self, scope: &Scope, run: RunId) -> Option<String> {
        let report = self.report(scope, run).ok()?;
        let refused = matches!(report.status, RunStatus::Failed | RunStatus::NeedsInput) && report.receipts.is_empty();
        refused.then_some(report.message)
    }

    /// Where a run stands.
    pub fn report(&self, scope: &Scope, run: RunId) -> Result<Report, KernelError> {
        let state = match self.engine.run_state(scope, run) {
            Err(error @ EngineError::Unreadable(..)) => return self.unread(scope, run, &error),
            other => other?,
        };
        self.report_of(scope, &state)
    }

    /// Where a run stands that has been read.
    fn report_of(&self, scope: &Scope, state: &RunState) -> Result<Report, KernelError> {
        let run = state.row.id;
        let mut report = report(&self.registry, &self.toolbox, state);
        if state.row.status == RunStatus::Parked {
            report.ok = false;
            report.message = format!("This run was set aside: {}", self.why_parked(scope, run));
            report.next_actions.extend([NextAction::Retry { run }, NextAction::Abort { run }]);
        }
        let held = |job: &brain_vm::Job| matches!(job.status, brain_vm::JobStatus::Held { .. });
        if state.state.as_ref().is_some_and(|machine| machine.jobs.values().any(held)) {
            let pending =
                self.store.approvals_of(scope, run)?.into_iter().find(|row| row.status == ApprovalStatus::Pending);
            if let Some(row) = pending {
                let approval = row.id.to_string();
                report.next_actions.push(NextAction::Approve { approval: approval.clone() });
                report.next_actions.push(NextAction::Reject { approval: approval.clone() });
                report.approval = Some(approval);
            }
        }
        Ok(report)
    }

    /// What can be said of a run whose log cannot be read.
    fn unread(&self, scope: &Scope, run: RunId, error: &EngineError) -> Result<Report, KernelError> {
        let row = self.store.run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        let state =
            RunState { row, log: Vec::new(), code: None, state: None, data: RunData::default(), earlier: Vec::new() };
        let mut report = report(&self.registry, &self.toolbox, &state);
        report.ok = false;
        report.message = "This run cannot be read by this version of Brain. Nothing of it is lost.".into();
        report.errors.push(Problem::new("unreadable", error.to_string()));
        if !report.status.is_over() {
            report.next_actions.extend([NextAction::Retry { run }, NextAction::Abort { run }]);
        }
        Ok(report)
    }

    /// Asks a run to stop. What was done stays.
    pub async fn cancel(&self, scope: &Scope, run: RunId) -> Result<Report, KernelError> {
        self.cancel_saying(scope, run, Vec::new()).await
    }

    /// The same, with events that say more.
    pub(crate) async fn cancel_saying(
        &self,
        scope: &Scope,
        run: RunId,
        saying: Vec<NewEvent>,
    ) -> Result<Report, KernelError> {
        let row = self.store.run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        if row.status.is_over() {
            return Err(KernelError::Conflict(format!("run {run} is over already ({})", row.status)));
        }
        // The child runs that it waits for are stopped in the same commit, and nothing of it is up for approval any more.
        self.engine.cancel(scope, run, saying, Vec::new()).await?;
        self.report(scope, run)
    }

    /// Decides about a dead letter and reports where its run stands then.
    pub async fn decide_letter(
        &self,
        scope: &Scope,
        letter: JobKey,
        decision: LetterDecision,
        by: &str,
        note: &str,
    ) -> Result<Report, KernelError> {
        if let LetterDecision::Resolve(Some(data)) = &decision {
            self.fits_letter(scope, letter, data)?;
        }
        let news = self.engine.decide_letter(scope, letter, decision, by, note).await?;
        self.report(scope, news.run)
    }
}

impl Kernel {
    /// Whether a result that a person gives is what the tool of the letter declares: later steps rely on it.
    fn fits_letter(&self, scope: &Scope, letter: JobKey, data: &Value) -> Result<(), KernelError> {
        let none = || KernelError::NoSuchLetter(letter.to_string());
        let row = self.store.letter(scope, letter)?.ok_or_else(none)?;
        let state = self.engine.run_state(scope, row.run)?;
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Err(none()) };
        let at = row.body["step"].as_str().and_then(|step| machine.find_step(code, step)).ok_or_else(none)?;
        let undo = row.body["undo"] == true;
        let tool = self.tool_of(machine.step(code, at).call(undo).tool)?;
        tool.validate_output(data.clone()).map(drop).map_err(|problems| {
            let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
            KernelError::Refused(format!("this is no result of `{}`: {}", tool.def.name, list.join("; ")))
        })
    }
}

/// The host of a kernel.
pub(crate) fn host(
    registry: &Arc<Registry>,
    config: &ToolboxConfig,
    caps: &SpendCaps,
    store: &Arc<dyn Store>,
) -> Result<Arc<KernelHost>, KernelError> {
    let internal = |failure: Failure| KernelError::Internal(failure.message);
    let toolbox = Arc::new(Toolbox::new(registry.clone(), config).map_err(internal)?);
    Ok(Arc::new(KernelHost::new(toolbox, store.clone().lane(Lane::Deciding), caps.clone())))
}

/// What an approval covers: the program (which pins the definitions of its tools) and everything it runs on.
pub(crate) fn approval_digest(program: Digest, input: &RunInput) -> Digest {
    DigestBuilder::new("approval").part(program.as_bytes()).part(canonical_digest(input).as_bytes()).finish()
}

/// Lines as one text. What is left out is counted; the report lists every call.
fn shortened(lines: &[String]) -> String {
    match lines.get(..MAX_SHOWN) {
        Some(first) if lines.len() > MAX_SHOWN => {
            format!("{}\n  … and {} more", first.join("\n"), lines.len() - MAX_SHOWN)
        }
        _ => lines.join("\n"),
    }
}

/// Where the slots of requests stand.
fn places(intents: &[Intent]) -> Vec<Place> {
    let of = |(call, intent): (usize, &Intent)| {
        let place = |slot: &SlotValue| Place { call, slot: slot.name.clone(), span: slot.span.clone() };
        intent.slots.iter().map(place).collect::<Vec<_>>()
    };
    intents.iter().enumerate().flat_map(of).collect()
}

enum Step {
    Plan(Vec<Wanted>),
    Done,
}
