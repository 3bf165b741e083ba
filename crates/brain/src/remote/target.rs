//! Whether a command talks to a server, and to which.

use anyhow::{Context, Result};
use brain_tools::resolve_secret;

use crate::cli::Global;
use crate::commands::Usage;
use crate::config::Origin;

/// Where a command works.
pub(crate) enum Target {
    /// On a server.
    Server {
        /// Its URL.
        url: String,
        /// The token.
        token: Option<String>,
        /// The tenant of the profile.
        tenant: Option<String>,
    },
    /// On the store of this machine.
    Store,
}

/// How strong an origin is.
fn rank(origin: &Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::File(_) => 1,
        Origin::Env(_) => 2,
        Origin::Flag(_) => 3,
    }
}

/// The target that holds: the strongest of `server`, `profile` and `store`. A server beats a store of the same strength.
pub(crate) fn target(global: &Global) -> Result<Target> {
    let settings = &global.settings;
    let [server, profile, store, token] =
        ["server", "profile", "store", "token"].map(|key| rank(&settings.origin(key)));
    let strongest = server.max(profile);
    if strongest == 0 || store > strongest {
        return Ok(Target::Store);
    }
    if store == 3 && strongest == 3 {
        return Err(Usage("--store opens a store, --server talks to a server: give one of them".into()).into());
    }
    let config = settings.config();
    let (url, reference, tenant) = if server >= profile {
        // A token of the file belongs to the server of the file.
        let own = config.token.clone().filter(|_| token > 1 || server == 1);
        (config.server.clone().unwrap_or_default(), own, None)
    } else {
        let name = config.profile.as_deref().unwrap_or_default();
        let profile = config.profiles.get(name).with_context(|| format!("there is no profile `{name}`"))?;
        let own = config.token.clone().filter(|_| token > 1).or_else(|| profile.token.clone());
        (profile.server.clone(), own, profile.tenant.clone())
    };
    let token = match reference {
        Some(reference) if reference.starts_with("env:") || reference.starts_with("file:") => {
            Some(resolve_secret(&reference).context("the token for the server cannot be read")?)
        }
        token => token,
    };
    Ok(Target::Server { url, token, tenant })
}
