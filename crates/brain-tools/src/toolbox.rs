//! The toolbox: shared state of the executors, and the dispatch of a call to its executor.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use brain_core::Failure;
use brain_engine::{HostFuture, JobContext, JobOutcome, RecordView};
use brain_lang::Text;
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{Behavior, Effect, RecordDef};
use brain_registry::{Checker, Registry, Tool, ToolResult, ValidatedCall};
use serde_json::{Value, json};

use crate::deletion::Referrer;
use crate::http::HttpPolicy;
use crate::network::Carrier;
use crate::settings::PinnedSettings;
use crate::values::{Evaluation, to_failure};

/// How tools reach external systems.
#[derive(Clone, Debug, Default)]
pub struct ToolboxConfig {
    /// Whether tools may call loopback and private addresses that their pack declares.
    pub allow_private_hosts: bool,
    /// The `User-Agent` of external calls; `brain/VERSION` if absent.
    pub user_agent: Option<String>,
    /// The base URL of callbacks to this server; the default address if absent.
    pub public_url: Option<String>,
}

/// The default address of a server.
const DEFAULT_URL: &str = "http://127.0.0.1:7700";

/// A record type with its compiled schema.
pub(crate) struct RecordType {
    pub(crate) def: Arc<RecordDef>,
    pub(crate) checker: Checker,
}

/// Executes calls of one registry's tools.
pub struct Toolbox {
    registry: Arc<Registry>,
    records: BTreeMap<String, RecordType>,
    pub(crate) referrers: BTreeMap<String, Vec<Referrer>>,
    settings: PinnedSettings,
    http: HttpPolicy,
    client: reqwest::Client,
    carrier: Option<Arc<dyn Carrier>>,
    public_url: RwLock<String>,
    config: ToolboxConfig,
}

impl Toolbox {
    /// Makes a toolbox for the tools of a registry.
    pub fn new(registry: Arc<Registry>, config: &ToolboxConfig) -> Result<Self, Failure> {
        let http = HttpPolicy::new(&registry, config.allow_private_hosts);
        let agent =
            config.user_agent.clone().unwrap_or_else(|| concat!("brain/", env!("CARGO_PKG_VERSION")).to_owned());
        let client = crate::http::client(&agent, &http)
            .map_err(|error| Failure::contract("http_client", format!("no HTTP client: {error}")))?;
        Ok(Self::with_client(registry, config, http, client))
    }

    fn with_client(registry: Arc<Registry>, config: &ToolboxConfig, http: HttpPolicy, client: reqwest::Client) -> Self {
        let records = registry
            .records()
            .iter()
            .filter_map(|(name, def)| {
                let checker = Checker::new(record_schema(def))?;
                Some((name.clone(), RecordType { def: def.clone(), checker }))
            })
            .collect();
        let settings = PinnedSettings::of(&registry);
        let public_url = config.public_url.as_deref().unwrap_or(DEFAULT_URL).trim_end_matches('/').to_owned();
        let public_url = RwLock::new(public_url);
        let referrers = crate::deletion::referrers(&registry);
        let config = config.clone();
        Self { registry, records, referrers, settings, http, client, carrier: None, public_url, config }
    }

    /// Makes a toolbox for new versions of the packs. It keeps the current settings, which runs under way pin.
    pub fn reloaded(&self, registry: Arc<Registry>) -> Result<Self, Failure> {
        let url = self.public_url.read().unwrap_or_else(PoisonError::into_inner).clone();
        let config = ToolboxConfig { public_url: Some(url), ..self.config.clone() };
        let toolbox = Self { carrier: self.carrier.clone(), ..Self::new(registry, &config)? };
        toolbox.settings.succeed(&self.settings);
        Ok(toolbox)
    }

    /// [`Toolbox::new`] with a replacement for the network, for simulated worlds.
    pub fn carried_by(registry: Arc<Registry>, config: &ToolboxConfig, carrier: Arc<dyn Carrier>) -> Self {
        // The client only builds requests.
        static CLIENT: std::sync::OnceLock<reqwest::Client> = std::sync::OnceLock::new();
        let http = HttpPolicy::new(&registry, config.allow_private_hosts);
        let make = || crate::http::client("brain", &http).expect("a client without special settings can be made");
        let client = CLIENT.get_or_init(make).clone();
        Self { carrier: Some(carrier), ..Self::with_client(registry, config, http, client) }
    }

    /// The registry whose tools it executes.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The current settings, and those that older runs were planned with.
    pub fn settings(&self) -> &PinnedSettings {
        &self.settings
    }

    /// The time zone of the current settings.
    pub fn zone(&self) -> &jiff::tz::TimeZone {
        &self.settings.current().zone
    }

    /// The fields of a record as they are stored, or every reason why they do not fit its type.
    pub fn check_record(&self, record: &str, fields: Value) -> Result<Value, String> {
        let kind = self.record_type(record).map_err(|failure| failure.message)?;
        kind.checker.check(fields).map_err(|problems| listed(&problems))
    }

    /// A value as it is stored in a field of a record.
    pub fn check_field(&self, record: &str, field: &str, value: Value) -> Result<Value, String> {
        let kind = self.record_type(record).map_err(|failure| failure.message)?;
        let Some(def) = kind.def.field(field) else { return Err(format!("there is no field `{field}`")) };
        let schema = json!({"type": "object", "properties": {field: def.schema.clone()}});
        let checker = Checker::new(schema).ok_or_else(|| format!("the type of `{field}` is not valid"))?;
        let mut body = checker.check(json!({field: value})).map_err(|problems| listed(&problems))?;
        Ok(body[field].take())
    }

    pub(crate) fn record_type(&self, name: &str) -> Result<&RecordType, Failure> {
        self.records.get(name).ok_or_else(|| {
            Failure::contract("unknown_record_type", format!("There is no record type `{name}` any more."))
        })
    }

    /// The names that every expression of a call sees: `input` and `settings`.
    pub(crate) fn evaluation(&self, call: &ValidatedCall, job: &JobContext) -> Result<Evaluation, Failure> {
        let settings = self.settings.pinned(job.settings)?;
        let mut evaluation = Evaluation::of_job(job.now, settings.zone.clone(), job.key);
        evaluation.set("settings", settings.values.clone());
        evaluation.set("input", FeelValue::from_typed_json(call.args(), &call.tool().def.input));
        Ok(evaluation)
    }

    fn public_url(&self) -> String {
        self.public_url.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the base URL of callbacks, once the server knows its address.
    pub fn set_public_url(&self, url: &str) {
        url.trim_end_matches('/').clone_into(&mut self.public_url.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The job as templates of an external call see it, callback URL included.
    pub(crate) fn job_names(&self, job: &JobContext) -> FeelValue {
        let (tenant, run, key) = (job.scope.tenant().as_str(), job.run, job.key);
        FeelValue::from_json(&json!({
            "key": key, "run": run, "step": job.step, "attempt": job.attempt, "tenant": tenant,
            "callback_url": format!("{}/v1/callbacks/{tenant}/{run}/{key}", self.public_url()),
        }))
    }

    /// Executes an inline call over a view of the records.
    pub fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let result = match &call.tool().def.behavior {
            Behavior::Record(behavior) => {
                let (result, more) = self.record(behavior, call, job, records)?;
                let mut result = self.complete(call, job, result)?;
                // The pack's sentence counts the list, which is not all there is.
                if let Some(summary) = result.summary.as_mut().filter(|_| more) {
                    summary.push_str(" There are more.");
                }
                return Ok(result);
            }
            Behavior::Query(behavior) => self.query(behavior, call, job, records)?,
            Behavior::Expr(behavior) => self.expr(behavior, call, job, records)?,
            Behavior::Decide(behavior) => self.decide_table(behavior, call, job, records)?,
            Behavior::Native(behavior) => self.native(behavior, call, job, records)?,
            Behavior::Playbook(_) => {
                let mut evaluation = self.evaluation(call, job)?;
                self.check_requires(call, job, &mut evaluation, records)?;
                // The result is known when the playbook's steps have ended; the host expands them.
                return Ok(ToolResult { new_steps: vec![Value::Null], ..ToolResult::ok(Value::Null) });
            }
            _ => {
                return Err(Failure::contract(
                    "not_inline",
                    "This tool makes external calls and cannot run in process.",
                ));
            }
        };
        self.complete(call, job, result)
    }

    /// Executes an external call.
    pub fn perform(self: &Arc<Self>, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let toolbox = self.clone();
        Box::pin(async move {
            let def = &call.tool().def;
            let outcome = match &def.behavior {
                Behavior::Http(behavior) => toolbox.http(behavior, &call, &job).await,
                Behavior::Native(behavior) => toolbox.native_outside(behavior, &call, &job).await,
                _ => JobOutcome::Failed(Failure::contract(
                    "not_outside",
                    "This tool runs in process and makes no external call.",
                )),
            };
            match outcome {
                JobOutcome::Failed(failure) if def.effect == Effect::Read => JobOutcome::Failed(failure.settled()),
                other => other,
            }
        })
    }

    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.client
    }

    pub(crate) fn carrier(&self) -> Option<&Arc<dyn Carrier>> {
        self.carrier.as_ref()
    }

    pub(crate) fn http_policy(&self) -> &HttpPolicy {
        &self.http
    }

    /// Interprets the answer of an external call: it is the result, or the call was delegated to another engine.
    pub fn finish(&self, call: &ValidatedCall, job: &JobContext, result: ToolResult) -> Result<ToolResult, Failure> {
        let Some(delegate) = &call.tool().def.delegate else { return self.complete(call, job, result) };
        let mut evaluation = self.evaluation(call, job)?;
        evaluation.set("response", FeelValue::from_json(&json!({"body": result.data})));
        let reference = match &delegate.reference {
            Some(binding) => evaluation.json(binding).map_err(|error| to_failure("reference", &error))?,
            None => Value::Null,
        };
        let within = delegate.within.map(|within| within.0);
        Ok(ToolResult { delegate: Some(json!({"reference": reference, "within_ms": within})), ..result })
    }

    /// Checks the data against the declared output, renders the summary, and decides whether the result needs a review.
    pub fn complete(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        mut result: ToolResult,
    ) -> Result<ToolResult, Failure> {
        let tool = call.tool();
        let data = crate::scale::money(result.data, tool, &self.registry);
        result.data = tool.validate_output(data).map_err(|problems| {
            let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let message =
                format!("The result of `{}` does not match its declared output: {}", tool.def.name, list.join("; "));
            Failure::contract("bad_output", message)
        })?;
        if result.summary.is_none()
            && let Some(template) = &tool.def.summary
        {
            result.summary = self.sentence(tool, call.args(), &result.data, template, job);
        }
        if let Some(review) = &tool.def.review
            && result.review.is_none()
        {
            let mut evaluation = self.evaluation(call, job)?;
            let schema = tool.def.output.clone().unwrap_or(Value::Null);
            evaluation.set("result", FeelValue::from_typed_json(&result.data, &schema));
            let asked = match &review.when {
                Some(when) => {
                    evaluation.value(when).map_err(|error| to_failure("review", &error))? == FeelValue::Bool(true)
                }
                None => true,
            };
            if asked {
                let ask = self.sentence(tool, call.args(), &result.data, &review.ask, job);
                result.review = Some(json!({"ask": ask.unwrap_or_else(|| review.ask.clone())}));
            }
        }
        Ok(result)
    }

    /// Renders a text over `input` alone; returns it unrendered on an error.
    pub fn text(&self, template: &str, input: &Value, now: brain_core::Timestamp) -> String {
        let mut evaluation = Evaluation::new(now, self.zone().clone(), b"text");
        evaluation.set("settings", self.settings.current().values.clone());
        evaluation.set("input", FeelValue::from_json(input));
        let text = Text::parse(template).ok().and_then(|text| evaluation.text(&text).ok());
        text.unwrap_or_else(|| template.to_owned())
    }

    /// Renders a sentence about a call; `None`, with a log entry, on an error.
    pub fn sentence(
        &self,
        tool: &Tool,
        args: &Value,
        data: &Value,
        template: &str,
        job: &JobContext,
    ) -> Option<String> {
        let text = Text::parse(template).ok()?;
        let settings = self.settings.pinned(job.settings).ok()?;
        let mut evaluation = Evaluation::of_job(job.now, settings.zone.clone(), job.key);
        evaluation.set("settings", settings.values.clone());
        evaluation.set("input", FeelValue::from_json(args));
        evaluation.set("result", FeelValue::from_json(data));
        match evaluation.text(&text) {
            Ok(sentence) => Some(sentence),
            Err(error) => {
                tracing::warn!(tool = tool.def.name, %error, "a sentence could not be rendered");
                None
            }
        }
    }
}

/// The schema of a record's body: the declared fields, with the required ones required, and no others.
fn record_schema(def: &RecordDef) -> Value {
    let mut schema = def.schema();
    let required: Vec<&str> =
        def.fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    schema["required"] = json!(required);
    schema["additionalProperties"] = Value::Bool(false);
    schema
}

fn listed(problems: &[brain_registry::FieldError]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
