//! Whether a command talks to a server, and to which.

use anyhow::{Context, Result};
use brain_tools::resolve_secret;

use crate::cli::Global;
use crate::commands::Usage;
use crate::config::Origin;

/// What a command talks to.
pub(crate) enum Target {
    /// A server.
    Server {
        /// Its URL.
        url: String,
        /// The token.
        token: Option<String>,
        /// The tenant that the profile names.
        tenant: Option<String>,
    },
    /// Open the store directly; no server.
    Store,
}

/// The URL of a server without anything that may be a password or a token.
pub(crate) fn masked_url(url: &str) -> String {
    let (place, query) = url.split_once('?').map_or((url, None), |(place, query)| (place, Some(query)));
    let mut shown = brain_store::redact(place);
    if let Some(query) = query {
        let hide = |pair: &str| pair.split_once('=').map_or("***".to_owned(), |(name, _)| format!("{name}=***"));
        shown.push('?');
        shown.push_str(&query.split('&').map(hide).collect::<Vec<_>>().join("&"));
    }
    shown
}

/// The priority of an origin.
fn priority(origin: &Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::File(_) => 1,
        Origin::Env(_) => 2,
        Origin::Flag(_) => 3,
    }
}

/// The effective target: the highest-priority of `server`, `profile` and `store`. A server beats a store of the same
/// priority.
pub(crate) fn target(global: &Global) -> Result<Target> {
    let settings = &global.settings;
    let [server, profile, store, token] =
        ["server", "profile", "store", "token"].map(|key| priority(&settings.origin(key)));
    let highest = server.max(profile);
    if highest == 0 || store > highest {
        return Ok(Target::Store);
    }
    if store == 3 && highest == 3 {
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

#[cfg(test)]
mod tests {
    use super::masked_url;

    #[test]
    fn the_url_of_a_server_is_shown_without_its_secrets() {
        assert_eq!(masked_url("http://u:PW@h:1/x?token=SECRET&a"), "http://u:***@h:1/x?token=***&***");
        assert_eq!(masked_url("https://brain.example.com"), "https://brain.example.com");
    }
}
