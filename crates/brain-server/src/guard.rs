//! Checks before every route: whether the request was meant for this server, and who sends it.
//!
//! On loopback no token is needed. To keep web pages from using that through a browser, a request must name this server
//! in its `Host` header, which prevents DNS rebinding, and must not come from another origin.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use brain_core::TenantId;
use brain_kernel::Actor;
use brain_store::Scope;

use crate::app::App;
use crate::problem::{HOST_NOT_ALLOWED, NOT_ALLOWED, ORIGIN_NOT_ALLOWED, Problem, UNAUTHORIZED};
use crate::token;

/// Routes without authentication: they show no tenant's data. People open the pages in browsers, which send no token.
const OPEN: [&str; 5] = ["/", "/docs", "/healthz", "/openapi.json", "/readyz"];

/// The callbacks of other engines.
const CALLBACKS: &str = "/v1/callbacks/";

/// The other end of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// An address.
    Tcp(SocketAddr),
    /// A user of this machine, over the Unix socket or in this process. The operating system vouches for the name.
    User(Arc<str>),
}

impl Peer {
    /// Whether it is on this machine.
    fn is_here(&self) -> bool {
        match self {
            Self::Tcp(addr) => is_loopback(addr.ip()),
            Self::User(_) => true,
        }
    }
}

/// The authenticated sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) scope: Scope,
    pub(crate) actor: Actor,
    /// Whether a token vouches for the caller.
    has_token: bool,
}

impl Caller {
    /// Somebody on this machine.
    fn without_token(actor: Actor) -> Self {
        Self { scope: Scope::of(TenantId::default_tenant()), actor, has_token: false }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::internal("a route that needs a caller is not behind the guard"))
    }
}

/// Lets a request through, with its [`Caller`], or rejects it.
pub(crate) async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    match admit(&app, &request) {
        Ok(Some(caller)) => {
            request.extensions_mut().insert(caller);
        }
        Ok(None) => {}
        Err(problem) => return problem.into_response(),
    }
    next.run(request).await
}

/// The header that names the person that a caller acts for.
const ACTOR: &str = "brain-actor";
/// The permission to use that header.
const ACT_AS: &str = "act_as";
/// Maximum length of the name.
const MAX_ACTOR: usize = 200;

/// Names the tenant that a caller on this machine works for.
const TENANT: &str = "brain-tenant";

fn admit(app: &App, request: &Request) -> Result<Option<Caller>, Problem> {
    let peer = request.extensions().get::<Peer>();
    let user = match peer {
        Some(Peer::User(name)) => Some(name),
        _ => None,
    };
    // No browser speaks to a Unix socket.
    if app.bound().ip().is_loopback() && user.is_none() {
        meant_for_us(app.bound(), request.uri(), request.headers())?;
    }
    // A callback is signed; its handler checks the signature.
    if OPEN.contains(&request.uri().path()) || request.uri().path().starts_with(CALLBACKS) {
        return Ok(None);
    }
    let given: Vec<_> = request.headers().get_all(header::AUTHORIZATION).iter().collect();
    let caller = match (given.as_slice(), user) {
        ([], Some(user)) => Caller::without_token(Actor::user(user)),
        ([], None) => {
            if app.token_required() || !peer.is_some_and(Peer::is_here) {
                return Err(unauthorized("This server needs a token: `Authorization: Bearer brn_…`."));
            }
            Caller::without_token(Actor::local())
        }
        // A wrong token never falls back to the default tenant.
        ([one], _) => authenticate(app, one.to_str().unwrap_or_default())?,
        _ => return Err(unauthorized("There is more than one Authorization header.")),
    };
    let any_tenant = given.is_empty() && user.is_some();
    acting_as(request.headers(), for_tenant(request.headers(), caller, any_tenant)?).map(Some)
}

/// The caller in the tenant of `Brain-Tenant`. A user of this machine may name any; a token has one.
fn for_tenant(headers: &HeaderMap, mut caller: Caller, any: bool) -> Result<Caller, Problem> {
    let given: Vec<_> = headers.get_all(TENANT).iter().collect();
    let name = match given.as_slice() {
        [] => return Ok(caller),
        [one] => one.to_str().unwrap_or_default().trim(),
        _ => return Err(Problem::new(NOT_ALLOWED, "There is more than one Brain-Tenant header.")),
    };
    let tenant: TenantId = name.parse().map_err(|error| Problem::new(NOT_ALLOWED, format!("Brain-Tenant: {error}")))?;
    if tenant != *caller.scope.tenant() && !any {
        let detail =
            format!("{} may not act for tenant `{tenant}`: use a token issued for that tenant.", caller.actor.name);
        return Err(Problem::new(NOT_ALLOWED, detail));
    }
    caller.scope = Scope::of(tenant);
    Ok(caller)
}

/// Applies the `Brain-Actor` header, if the caller may use it.
fn acting_as(headers: &HeaderMap, mut caller: Caller) -> Result<Caller, Problem> {
    let given: Vec<_> = headers.get_all(ACTOR).iter().collect();
    let name = match given.as_slice() {
        [] => return Ok(caller),
        [one] => one.to_str().unwrap_or_default().trim(),
        _ => return Err(Problem::new(NOT_ALLOWED, "There is more than one Brain-Actor header.")),
    };
    if !caller.actor.may(ACT_AS) {
        let detail =
            format!("{} may not act as somebody else: the token needs the permission `{ACT_AS}`.", caller.actor.name);
        return Err(Problem::new(NOT_ALLOWED, detail));
    }
    if name.is_empty() || name.len() > MAX_ACTOR || name.chars().any(char::is_control) {
        let detail = format!("Brain-Actor must be a name of 1 to {MAX_ACTOR} characters.");
        return Err(Problem::new(NOT_ALLOWED, detail));
    }
    caller.actor = Actor { name: name.to_owned(), id: Some(format!("as {name}")), ..caller.actor };
    Ok(caller)
}

/// The permission that lets a remote token administrate this server.
const ADMIN: &str = "admin";

/// Rejects an administrative action, unless the caller is on this machine or its token has the permission `admin`. A token
/// without a list of permissions may do everything else within its tenant. `what` names the action in the message.
pub(crate) fn operators_only(caller: &Caller, peer: &Peer, what: &str) -> Result<(), Problem> {
    let named = |list: &Vec<String>| list.iter().any(|one| one == ADMIN);
    // A proxy on this machine passes on the requests of others, so a token counts for what it says.
    let is_local = peer.is_here() && !caller.has_token;
    if is_local || caller.actor.permissions.as_ref().is_some_and(named) {
        return Ok(());
    }
    let detail = format!(
        "{what} is for operators only. Do it on the server's machine, or with a token that has the permission `{ADMIN}`."
    );
    Err(Problem::new(NOT_ALLOWED, detail))
}

fn authenticate(app: &App, header: &str) -> Result<Caller, Problem> {
    let wrong = || unauthorized("The token is not valid: it is wrong, revoked or expired.");
    let (scheme, text) = header.split_once(' ').ok_or_else(wrong)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(wrong());
    }
    let (id, secret) = token::halves(text.trim()).ok_or_else(wrong)?;
    let kernel = app.kernel();
    let now = kernel.clock().now();
    let row = app.tokens().find(id, now, || kernel.store().token(id))?.ok_or_else(wrong)?;
    if !token::opens(&row, secret, now) {
        return Err(wrong());
    }
    let name = if row.label.is_empty() { row.id.to_string() } else { row.label };
    Ok(Caller {
        scope: Scope::of(row.tenant),
        actor: Actor {
            name,
            id: Some(row.id.to_string()),
            approver: row.approver,
            permissions: row.permissions,
            tier: row.tier,
        },
        has_token: true,
    })
}

fn unauthorized(detail: &str) -> Problem {
    Problem::new(UNAUTHORIZED, detail).with_header("www-authenticate", "Bearer realm=\"brain\"")
}

/// Whether a request to a loopback address was meant for it.
fn meant_for_us(bound: SocketAddr, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let mut hosts: Vec<&str> = headers.get_all(header::HOST).iter().map(|host| host.to_str().unwrap_or("?")).collect();
    if hosts.len() != 1 {
        return Err(Problem::new(HOST_NOT_ALLOWED, "The request must have one Host header."));
    }
    hosts.extend(uri.authority().map(Authority::as_str));
    if let Some(host) = hosts.into_iter().find(|host| !is_us(bound, host)) {
        let detail = format!("`{host}` is not this server. Use http://localhost:{}.", bound.port());
        return Err(Problem::new(HOST_NOT_ALLOWED, detail));
    }
    for origin in headers.get_all(header::ORIGIN) {
        let ours =
            origin.to_str().ok().and_then(|text| text.strip_prefix("http://")).is_some_and(|it| is_us(bound, it));
        if !ours {
            return Err(Problem::new(ORIGIN_NOT_ALLOWED, "The request comes from another web site."));
        }
    }
    Ok(())
}

/// Whether `host[:port]` is a loopback name with our port.
fn is_us(bound: SocketAddr, text: &str) -> bool {
    let Ok(authority) = text.parse::<Authority>() else { return false };
    if authority.as_str().contains('@') || authority.port_u16().unwrap_or(80) != bound.port() {
        return false;
    }
    let host = authority.host().to_ascii_lowercase();
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
    bare == "localhost" || bare == "127.0.0.1" || bare.parse() == Ok(Ipv6Addr::LOCALHOST) || is_bound(bound, bare)
}

/// Whether this is the exact listening address, such as 127.0.0.2.
fn is_bound(bound: SocketAddr, host: &str) -> bool {
    host.parse::<IpAddr>().is_ok_and(|ip| ip == bound.ip())
}

/// Whether an address is loopback, including IPv4 mapped to IPv6.
fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_with_our_port_are_accepted() {
        let bound: SocketAddr = "127.0.0.1:7700".parse().unwrap();
        for good in ["localhost:7700", "LOCALHOST:7700", "127.0.0.1:7700", "[::1]:7700"] {
            assert!(is_us(bound, good), "{good}");
        }
        for bad in [
            "",
            "localhost",
            "localhost:7701",
            "evil.example:7700",
            "localhost.evil.example:7700",
            "127.0.0.1.nip.io:7700",
            "a@localhost:7700",
            "localhost:7700/x",
            "[::2]:7700",
            "0.0.0.0:7700",
            "127.0.0.2:7700",
            "localhost:07700x",
        ] {
            assert!(!is_us(bound, bad), "{bad}");
        }
        let port_80: SocketAddr = "127.0.0.1:80".parse().unwrap();
        assert!(is_us(port_80, "localhost"));
    }

    #[test]
    fn only_local_callers_and_admin_tokens_administrate_the_server() {
        let peer = |text: &str| Peer::Tcp(text.parse().unwrap());
        let caller = |permissions: Option<&[&str]>| {
            let permissions = permissions.map(|list| list.iter().map(|&one| one.to_owned()).collect());
            Caller { has_token: true, ..Caller::without_token(Actor { permissions, ..Actor::local() }) }
        };
        let allowed = |permissions, from| operators_only(&caller(permissions), &peer(from), "This").is_ok();
        assert!(operators_only(&Caller::without_token(Actor::local()), &peer("127.0.0.1:9"), "This").is_ok());
        assert!(operators_only(&Caller::without_token(Actor::user("ann")), &Peer::User("ann".into()), "This").is_ok());
        assert!(!allowed(None, "127.0.0.1:9"), "a token behind a proxy on this machine");
        assert!(allowed(Some(&["admin"]), "10.0.0.1:9"));
        assert!(!allowed(None, "10.0.0.1:9"), "a token without a list of permissions is no administrator");
        assert!(!allowed(Some(&["act_as"]), "10.0.0.1:9"));
    }

    #[test]
    fn an_ipv4_peer_on_an_ipv6_socket_is_loopback() {
        assert!(is_loopback("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!is_loopback("::ffff:10.0.0.1".parse().unwrap()));
    }
}
