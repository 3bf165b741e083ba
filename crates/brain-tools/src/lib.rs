//! Executors, one file per behavior. Each turns a [`brain_registry::ValidatedCall`] into a result. They do not know the
//! conversation that led to the call.

mod core;
mod decide;
mod deletion;
mod expr;
mod http;
mod index_entries;
pub mod names;
pub mod native;
mod network;
mod outcome;
mod query;
mod record;
mod requires;
mod result_extras;
mod scale;
mod secret;
mod settings;
mod toolbox;
mod values;

pub use deletion::{Deletion, RecordKey};
pub use http::{HttpPolicy, is_private};
pub use index_entries::{found_by, found_by_digest};
#[doc(hidden)]
pub use native::support as __native;
pub use native::{Native, NativeContext, NativeRun, natives};
pub use network::{Carrier, Incoming, NoAnswer, Outgoing};
#[doc(hidden)]
pub use outcome::retry_after;
pub use record::{not_found, record_json};
pub use requires::{DONE, Subject};
pub use result_extras::sum_of_tokens;
pub use secret::{SecretError, resolve_secret, stand_in};
pub use settings::{PinnedSettings, Settings};
pub use toolbox::{Toolbox, ToolboxConfig};
pub use values::{Evaluation, to_failure};
