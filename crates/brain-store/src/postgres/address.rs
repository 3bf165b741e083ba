//! `postgres://user:password@host/database?brain_schema=name`: extracts Brain's own parameters and leaves the rest to
//! tokio-postgres. Passwords are never shown.

use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::StoreError;

/// The default schema.
const SCHEMA: &str = "brain";
/// The default connection timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may be unresponsive before its connection is closed. A machine that was switched off sends
/// nothing.
const SILENCE: Duration = Duration::from_secs(20);

/// A parsed address.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    /// A plain identifier.
    pub(super) schema: String,
    /// A file of root certificates; `None` uses those of the system.
    pub(super) root_certificate: Option<String>,
    /// The address without the password, for messages.
    pub(super) shown: String,
}

impl Address {
    /// Parses an address. Error messages do not contain the password.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        Self::checked(url).map_err(StoreError::Failed)
    }

    fn checked(url: &str) -> Result<Self, String> {
        let shown = redact(url);
        let refused = |reason: String| format!("{shown}: {reason}");
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut schema, mut root_certificate, mut rest) = (SCHEMA.to_owned(), None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("brain_schema", name)) => name.clone_into(&mut schema),
                Some(("sslrootcert", path)) => root_certificate = Some(path.replace("%2F", "/").replace("%20", " ")),
                // libpq's stronger modes are the same as `require`, because the certificate is always verified.
                Some(("sslmode", "verify-full" | "verify-ca")) => rest.push("sslmode=require"),
                _ => rest.push(pair),
            }
        }
        if !is_identifier(&schema) {
            let reason = "brain_schema must be 1 to 40 lower-case letters, digits or `_` and begin with a letter";
            return Err(refused(reason.into()));
        }
        let plain = if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
        let mut config = Config::from_str(&plain).map_err(|error| refused(reason(&error)))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(refused("names no host; write postgres://user@host/database".into()));
        }
        if config.get_user().is_none() {
            return Err(refused("names no user; write postgres://user@host/database".into()));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("brain");
        }
        Ok(Self { config, schema, root_certificate, shown })
    }

    /// Whether the connection must be encrypted.
    pub(super) fn requires_tls(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }

    /// Host and port, for messages.
    pub(super) fn place(&self) -> String {
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => format!("{name}:{port}"),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => self.config.get_hostaddrs().first().map_or_else(String::new, |ip| format!("{ip}:{port}")),
        }
    }

    /// The notification channel, one per schema: stores in different schemas of a database are independent.
    pub(super) fn channel(&self) -> String {
        format!("brain_{}", self.schema)
    }
}

/// Why a store cannot be at this URL, without looking whether one is there. The reason does not contain the password.
pub fn check_url(url: &str) -> Result<(), String> {
    Address::checked(url).map(drop)
}

/// The whole chain of an error: tokio-postgres has the reason in the source.
pub(super) fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = inner.source();
    }
    text
}

fn is_identifier(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.starts_with("pg_")
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// An address without anything that may be a password.
pub fn redact(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    // An unescaped `@` may be part of the password: the last one ends it.
    let place = match place.rsplit_once('@') {
        Some((user, place)) => {
            let user = user.split_once(':').map_or(user.to_owned(), |(name, _)| format!("{name}:***"));
            format!("{user}@{place}")
        }
        None => place.to_owned(),
    };
    let query = query.map(|query| {
        let hide = |pair: &str| {
            let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
            if name.contains("password") { format!("{name}=***") } else { pair.to_owned() }
        };
        format!("?{}", query.split('&').map(hide).collect::<Vec<_>>().join("&"))
    });
    let scheme = if scheme.is_empty() { String::new() } else { format!("{scheme}://") };
    format!("{scheme}{place}{}", query.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        for (url, shown) in [
            ("postgres://a:secret@h:5/d", "postgres://a:***@h:5/d"),
            ("postgres://a:se@cr:et@h/d?x=1", "postgres://a:***@h/d?x=1"),
            ("postgresql://a@h/d?password=secret&sslmode=require", "postgresql://a@h/d?password=***&sslmode=require"),
            ("sqlite:/tmp/x.db", "sqlite:/tmp/x.db"),
        ] {
            assert_eq!(redact(url), shown);
        }
        for bad in
            ["postgres://a:secret@h:x/d", "postgres://a:secret@/d?brain_schema=A;b", "postgres://:secret@h/d?z=1"]
        {
            let Err(error) = Address::parse(bad) else { panic!("{bad} was accepted") };
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn brains_parameters_are_removed_from_the_address() {
        let url = "postgres://a:b@h:7/d?brain_schema=shop_1&connect_timeout=3&sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem";
        let address = Address::parse(url).unwrap();
        assert_eq!((address.schema.as_str(), address.channel().as_str()), ("shop_1", "brain_shop_1"));
        assert_eq!(address.root_certificate.as_deref(), Some("/etc/ca.pem"));
        assert_eq!(address.place(), "h:7");
        assert!(address.requires_tls());
        assert_eq!(address.config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!(Address::parse("postgresql://a@h/d").unwrap().schema, "brain");
        for name in ["", "pg_x", "Brain", "1a", "a-b", "a\"b"] {
            assert!(Address::parse(&format!("postgres://a@h/d?brain_schema={name}")).is_err(), "{name}");
        }
    }
}
