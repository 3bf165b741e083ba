//! How a tool is done.

use std::collections::BTreeMap;

use brain_core::Millis;
use brain_lang::binding::{Binding, Tests};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Playbook, PlaybookStep};

/// How a tool is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a definition lives once, behind the `Arc` of its tool")]
pub enum Behavior {
    /// Works on records in Brain's own store, in one commit with the checkpoint.
    Record(RecordBehavior),
    /// Computes from its input.
    Expr(ExprBehavior),
    /// Calls an outside HTTP API.
    Http(Box<HttpBehavior>),
    /// A decision table.
    Decide(Box<DecideBehavior>),
    /// Expands to the steps of a playbook.
    Playbook(Box<PlaybookBehavior>),
    /// A job for an external worker.
    Worker(WorkerBehavior),
    /// Rust, linked into the binary.
    Native(NativeBehavior),
}

/// A decision table. Cells are FEEL unary tests; expressions see `input` and `settings`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecideBehavior {
    /// Which rules count.
    pub hit: HitPolicy,
    /// The columns: a name and what is tested; absent in YAML: every input of the tool under its own name.
    pub inputs: Vec<(String, Binding)>,
    /// The result columns with their values from most to least important, for `priority` and `output_order`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<(String, Vec<Value>)>,
    /// The rows, in order.
    pub rules: Vec<DecideRule>,
    /// What it answers when no rule matches; absent: nulls for the single-hit policies, nothing for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<DecideRule>,
}

/// One row of a decision table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecideRule {
    /// FEEL unary tests by column; a column that is absent or `-` does not matter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, Tests>,
    /// Values by result column.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub then: BTreeMap<String, Binding>,
    /// Steps that it adds to the run (the tool must say `may_inject: true`). Their `slots` are the tool's input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlaybookStep>,
}

/// Which rules of a decision table count, as in DMN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitPolicy {
    /// Exactly one may match; more are a failure.
    Unique,
    /// The first that matches.
    First,
    /// Of those that match, the one with the most important result.
    Priority,
    /// All that match must say the same.
    Any,
    /// All that match, as lists, in no particular order.
    Collect,
    /// All that match: the sum of each result column.
    CollectSum,
    /// The smallest.
    CollectMin,
    /// The largest.
    CollectMax,
    /// How many different ones.
    CollectCount,
    /// All that match, as lists, in the order of the table.
    RuleOrder,
    /// All that match, as lists, the most important first.
    OutputOrder,
}

/// Expands to the steps of a playbook, whose slots are the tool's input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaybookBehavior {
    /// The playbook's name.
    pub name: String,
    /// What the tool answers: FEEL over `steps`, `slots`, `state`; absent: the results of the steps, merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
    /// The playbook itself, filled in when the pack is loaded, so that the tool's hash covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<Playbook>>,
}

/// A job that external workers take, do and answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerBehavior {
    /// What workers ask for.
    pub topic: String,
    /// How long a worker may keep a job before it is offered again.
    pub lease: Millis,
}

/// A Rust function that was registered under this name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeBehavior {
    /// The name it was registered under.
    pub function: String,
    /// Whether it is decided in process (a plain function) or done outside (an `async` one).
    pub inline: bool,
}

/// An operation on records. Expressions see `input`, `settings`, the names in `with`, and (after the operation)
/// `record` (its fields plus `id`, `state`, `revision`, `created_at`, `updated_at`) or `records` (a list of those).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordBehavior {
    /// What is done.
    pub op: RecordOp,
    /// The record type.
    pub record: String,
    /// Which record (update, transition, get, delete): an expression that gives its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Binding>,
    /// Lookups made first, in order, each under its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<(String, Lookup)>,
    /// Field values (insert, upsert, update, transition). Absent for insert and upsert: inputs of the same name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Binding>,
    /// The new state (transition): a state, or an expression that gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Binding>,
    /// Equality filters (list); a filter whose value is null is left out.
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, Binding>,
    /// What to look for (search).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Binding>,
    /// How many at most (list, search).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// What the tool answers; absent: `{"<type>_id": id}` after a write, the record after `get`, `{"<type>s": [...],
    /// "count": n}` after list and search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
}

/// The operations on records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordOp {
    /// A new record.
    Insert,
    /// A new record, or a merge into the one with the same dedupe values.
    Upsert,
    /// Changes fields.
    Update,
    /// Changes the state, and fields.
    Transition,
    /// Reads one.
    Get,
    /// Reads many by equality.
    List,
    /// Reads many by words.
    Search,
    /// Removes one.
    Delete,
}

/// Records fetched before an operation: `{get: TYPE, id: …}` or `{list: TYPE, where: …}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lookup {
    /// One record, by id; missing is a business failure.
    Get {
        /// The record type.
        record: String,
        /// Its id.
        id: Binding,
    },
    /// All records that match.
    List {
        /// The record type.
        record: String,
        /// Equality filters.
        #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
        filter: BTreeMap<String, Binding>,
    },
}

/// Computes `result` from `input` and `settings`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExprBehavior {
    /// The answer.
    pub result: Binding,
}

/// A templated request to an outside API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HttpBehavior {
    /// GET, POST …
    pub method: Method,
    /// The address: text over `input`, `settings`. Its host must be declared in `pack.yaml` under `hosts`.
    pub url: Binding,
    /// Query parameters; null ones are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, Binding>,
    /// Headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Binding>,
    /// JSON body; absent for GET and DELETE, else the whole input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Binding>,
    /// How to authenticate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// The header that carries the idempotency key.
    pub idempotency_header: String,
    /// What makes an answer a success. Absent: a 2xx status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Criteria>,
    /// What makes an answer a failure, even if it looks like a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Criteria>,
    /// What an answer looks like that says for certain that nothing happened, whatever its status usually means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_done: Option<Criteria>,
    /// What an answer looks like after which nobody knows whether it happened, whatever its status usually means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Criteria>,
    /// Maps the answer to the result: sees `input`, `response.{status, headers, body}`. Absent: the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
    /// What else the answer says: expressions that see what `result` sees.
    #[serde(default, skip_serializing_if = "Also::is_empty")]
    pub also: Also,
}

/// What an answer says besides its data. Null is nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Also {
    /// One sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Binding>,
    /// Records that the result is about: a list of `{type, id, role}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Binding>,
    /// Steps to add to the run: a list of `{tool, args, id, after, on_failure}`. The tool must say `may_inject: true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_steps: Option<Binding>,
    /// A question for a person who should look at the result before the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Binding>,
    /// What a language model used: `{input, output, model}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<Binding>,
}

impl Also {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// HTTP methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// How to authenticate; secrets are references (`env:NAME`, `file:PATH`), never values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    /// `Authorization: Bearer …`
    Bearer(String),
    /// A header with a name of its own.
    Header {
        /// The header.
        name: String,
        /// The secret's reference.
        value: String,
    },
    /// User name and password.
    Basic {
        /// The user name.
        user: String,
        /// The password's reference.
        password: String,
    },
}

/// What an answer must look like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct Criteria {
    /// One of these status codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// One of these texts stands in the body (for success: each of them).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contains: Vec<String>,
    /// FEEL over `response`; true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<Binding>,
    /// What else was written; kept so that nothing is lost.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub note: Value,
}
