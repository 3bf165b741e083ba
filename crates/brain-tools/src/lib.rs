//! Executors, one file per behavior. Each turns a [`brain_registry::ValidatedCall`] into a result. They do not know the
//! conversation that led to the call.

mod also;
mod carrier;
mod core;
mod decide;
mod deletion;
mod expr;
mod found_by;
mod http;
pub mod names;
pub mod native;
mod outcome;
mod query;
mod record;
mod requires;
mod scale;
mod secret;
mod settings;
mod toolbox;
mod values;

pub use also::sum_of_tokens;
pub use carrier::{Carrier, Incoming, NoAnswer, Outgoing};
pub use deletion::{Deletion, RecordKey};
pub use found_by::{found_by, found_by_digest};
pub use http::HttpPolicy;
#[doc(hidden)]
pub use native::support as __native;
pub use native::{Native, NativeContext, NativeRun, natives};
#[doc(hidden)]
pub use outcome::retry_after;
pub use record::{not_found, record_json};
pub use requires::{DONE, Subject};
pub use secret::{SecretError, resolve_secret, stand_in};
pub use settings::{PinnedSettings, Settings};
pub use toolbox::{Toolbox, ToolboxConfig};
pub use values::{Evaluation, to_failure};
