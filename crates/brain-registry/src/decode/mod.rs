//! Decodes YAML trees into definitions. A decoder reports everything it does not understand and continues with the
//! rest.

mod attributes;
mod behavior;
mod binding;
mod context;
mod corpus;
mod decide_behavior;
mod expr_behavior;
mod http_behavior;
pub mod keys;
mod native_behavior;
mod pack;
mod playbook;
mod playbook_behavior;
mod policy;
mod preconditions;
mod record;
mod record_behavior;
mod roles;
mod scenario;
mod schema;
mod slots;
mod tool;
mod undo;
mod worker_behavior;

pub(crate) use binding::{Leaf, leaves};
pub(crate) use context::Context;
pub use context::is_name;
pub(crate) use corpus::corpus;
pub(crate) use decide_behavior::as_text;
pub(crate) use http_behavior::check_host;
pub use http_behavior::host_declared;
pub use pack::UNDERSTANDING_KEYS;
pub(crate) use pack::pack;
pub(crate) use playbook::playbook;
pub(crate) use policy::default_consent;
pub(crate) use record::{BUILT_IN, record};
pub(crate) use scenario::scenario;
pub(crate) use tool::tools;
pub(crate) use undo::CANNOT;
