//! The behavior of a tool.

use std::collections::BTreeMap;

use brain_core::Millis;
use brain_lang::binding::{Binding, Tests};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Playbook, PlaybookStep};

/// The behavior of a tool: how it is executed.
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
    /// A Rust function in the binary.
    Native(NativeBehavior),
    /// Answers questions about the records of one type. Only generated tools have it.
    Query(Box<QueryBehavior>),
}

/// A decision table. Cells are FEEL unary tests; expressions see `input` and `settings`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecideBehavior {
    /// Which matching rules apply.
    pub hit: HitPolicy,
    /// The columns: a name and the tested expression. In YAML, defaults to every input under its own name.
    pub inputs: Vec<(String, Binding)>,
    /// The result columns with their values from most to least important, for `priority` and `output_order`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<(String, Vec<Value>)>,
    /// The rows, in order.
    pub rules: Vec<DecideRule>,
    /// The answer if no rule matches; by default nulls for single-hit policies, empty for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<DecideRule>,
}

/// One row of a decision table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecideRule {
    /// FEEL unary tests by column; an absent column or `-` matches anything.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, Tests>,
    /// Values by result column.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub then: BTreeMap<String, Binding>,
    /// Steps it injects into the run (the tool must declare `may_inject: true`). Their `slots` are the tool's input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlaybookStep>,
}

/// Which matching rules of a decision table apply, as in DMN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitPolicy {
    /// Exactly one may match; more than one is a failure.
    Unique,
    /// The first match.
    First,
    /// The match with the most important result.
    Priority,
    /// All matches must agree.
    Any,
    /// All matches, as lists, in no particular order.
    Collect,
    /// The sum of each result column over all matches.
    CollectSum,
    /// The smallest match.
    CollectMin,
    /// The largest match.
    CollectMax,
    /// The number of distinct matches.
    CollectCount,
    /// All matches, as lists, in table order.
    RuleOrder,
    /// All matches, as lists, the most important first.
    OutputOrder,
}

/// Expands to the steps of a playbook, whose slots are the tool's input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaybookBehavior {
    /// The playbook's name.
    pub name: String,
    /// The answer: FEEL over `steps`, `slots`, `state`; by default the merged results of the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
    /// The playbook, embedded at load time so that the tool's hash covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<Playbook>>,
}

/// A job for external workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerBehavior {
    /// The topic that workers subscribe to.
    pub topic: String,
    /// How long a worker may hold a job before it is offered again.
    pub lease: Millis,
}

/// A registered Rust function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeBehavior {
    /// The name it was registered under.
    pub function: String,
    /// Whether it runs in process (a plain function) or outside (an `async` one).
    pub inline: bool,
}

/// Answers questions about the records of one type: lists, counts, compares and adds up. How its inputs are read is part
/// of the definition, so that a stored one keeps its meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryBehavior {
    /// The record type.
    pub record: String,
    /// What one record is called.
    pub one: String,
    /// What several are called.
    pub many: String,
    /// The field that adds up if a question names none: the only number, or what a record is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<String>,
    /// The filters, by input.
    pub filters: BTreeMap<String, QueryFilter>,
    /// The values that generated phrases imply, by phrase: `how many leads` says `measure: count`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub says: BTreeMap<String, Map<String, Value>>,
}

/// How an input selects records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryFilter {
    /// The field; also `state`, `created_at` or `updated_at`.
    pub field: String,
    /// How its value is compared with the input.
    pub test: QueryTest,
}

/// A comparison of a field with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryTest {
    /// Equal; text is compared case-insensitively. A list matches if it contains the value.
    Is,
    /// At least (number or date).
    Least,
    /// At most.
    Most,
    /// Greater than.
    Over,
    /// Less than; for dates, earlier.
    Under,
    /// Within a period relative to now, such as `this_week`.
    During,
}

/// An operation on records. Expressions see `input`, `settings`, the names in `with`, and (after the operation)
/// `record` (its fields plus `id`, `state`, `revision`, `created_at`, `updated_at`) or `records` (a list of those).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordBehavior {
    /// The operation.
    pub op: RecordOp,
    /// The record type.
    pub record: String,
    /// The record's id, an expression (update, transition, get, delete).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Binding>,
    /// Lookups made before the operation, in order, each under its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<(String, Lookup)>,
    /// Field values (insert, upsert, update, transition). For insert and upsert, defaults to the inputs with the names
    /// of fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Binding>,
    /// The new state (transition): a state, or an expression that gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Binding>,
    /// Equality filters (list); a filter with a null value is ignored.
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, Binding>,
    /// The search text (search).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Binding>,
    /// Maximum number of results (list, search).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The answer; by default `{"<type>_id": id}` after a write, the record after `get`, `{"<type>s": [...], "count":
    /// n}` after list and search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
}

/// The operations on records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordOp {
    /// Creates a record.
    Insert,
    /// Creates a record, or merges into the one with the same dedupe values.
    Upsert,
    /// Changes fields.
    Update,
    /// Changes the state, and optionally fields.
    Transition,
    /// Reads one.
    Get,
    /// Reads many by equality.
    List,
    /// Reads many by words.
    Search,
    /// Deletes one.
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

/// A templated request to an external API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HttpBehavior {
    /// GET, POST …
    pub method: Method,
    /// The URL: a template over `input` and `settings`. Its host must be declared under `hosts` in `pack.yaml`.
    pub url: Binding,
    /// Query parameters; null ones are omitted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, Binding>,
    /// Headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Binding>,
    /// JSON body; by default none for GET and DELETE, else the whole input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Binding>,
    /// How to authenticate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// The header that carries the idempotency key.
    pub idempotency_header: String,
    /// Criteria of success; by default a 2xx status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Criteria>,
    /// Criteria of failure, which override success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Criteria>,
    /// Criteria of a response that proves that nothing happened, whatever its status usually means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_done: Option<Criteria>,
    /// Criteria of a response that leaves the outcome unknown, whatever its status usually means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Criteria>,
    /// Maps the response to the result: sees `input`, `response.{status, headers, body}`. By default the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
    /// Other parts of the result: expressions with the scope of `result`.
    #[serde(default, skip_serializing_if = "Also::is_empty")]
    pub also: Also,
}

/// Parts of a result besides its data. Null means absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Also {
    /// One sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Binding>,
    /// Records in the result: a list of `{type, id, role}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Binding>,
    /// Steps to inject: a list of `{tool, args, id, after, on_failure}`. The tool must declare `may_inject: true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_steps: Option<Binding>,
    /// A question for a reviewer, before the run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Binding>,
    /// Tokens that a language model used: `{input, output, model}`.
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
#[expect(missing_docs, reason = "the names are self-explanatory")]
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
    /// A custom header.
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

/// Criteria for an HTTP response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Default)]
pub struct Criteria {
    /// One of these status codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// One of these texts is in the body (for success: each of them).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contains: Vec<String>,
    /// A FEEL condition over `response`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<Binding>,
    /// Other keys, kept so that nothing is lost.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub note: Value,
}
