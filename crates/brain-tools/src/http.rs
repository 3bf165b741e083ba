//! `http`: one request to an external API. Calls only declared hosts, resolves secrets by reference, evaluates the
//! tool's success and failure criteria, and reports an unknown outcome as unknown.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use brain_core::{DigestBuilder, Failure, Millis};
use brain_engine::{JobContext, JobOutcome};
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{Auth, Criteria, HttpBehavior, Method};
use brain_registry::{Registry, ToolResult, ValidatedCall};
use serde_json::{Map, Value, json};

use crate::Toolbox;
use crate::network::{Incoming, NoAnswer, Outgoing};
use crate::outcome::{self, Answered, Call, Met};
use crate::secret::{Secrets, resolve_secret};
use crate::values::{Evaluation, to_failure};

/// Connection timeout. Nothing has been sent when it passes.
const CONNECT: std::time::Duration = std::time::Duration::from_secs(10);

/// Maximum size of a response.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// The hosts that tools may call.
#[derive(Clone, Debug)]
pub struct HttpPolicy {
    hosts: BTreeSet<String>,
    allow_private: bool,
}

impl HttpPolicy {
    /// Allows the hosts that the packs declare.
    pub fn new(registry: &Registry, allow_private: bool) -> Self {
        let hosts =
            registry.packs().values().flat_map(|pack| pack.hosts.iter().map(|host| host.to_lowercase())).collect();
        Self { hosts, allow_private }
    }

    fn check(&self, url: &url::Url) -> Result<(), Failure> {
        let refuse = |message: String| Err(Failure::contract("host_not_allowed", message));
        if !matches!(url.scheme(), "http" | "https") {
            return refuse(format!("Only http and https URLs can be called, not `{}:`.", url.scheme()));
        }
        let Some(host) = url.host_str() else { return refuse("The URL has no host.".into()) };
        let host = host.to_lowercase();
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or(0));
        if !self.hosts.contains(&host) && !self.hosts.contains(&with_port) {
            let message = format!("`{host}` is not listed under `hosts` in any pack; add it to pack.yaml to allow it.");
            return refuse(message);
        }
        if let Some(address) = literal_address(url)
            && !self.allow_private
            && is_private(address)
        {
            return refuse(private_refused(&host));
        }
        Ok(())
    }
}

fn private_refused(host: &str) -> String {
    format!("`{host}` is a loopback or private address; start with --allow-private-hosts to let tools call it.")
}

fn literal_address(url: &url::Url) -> Option<IpAddr> {
    match url.host()? {
        url::Host::Ipv4(address) => Some(IpAddr::V4(address)),
        url::Host::Ipv6(address) => Some(IpAddr::V6(address)),
        url::Host::Domain(_) => None,
    }
}

/// Whether an address is loopback, private or link-local: calls of it need the permission of the operator.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || a == 0
                || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private(IpAddr::V4(v4)),
            None => {
                let first = v6.segments()[0];
                v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || first & 0xfe00 == 0xfc00
                    || first & 0xffc0 == 0xfe80
            }
        },
    }
}

/// Resolves names and rejects private addresses, because a public name may resolve to one.
struct GuardedResolver {
    allow_private: bool,
}

impl reqwest::dns::Resolve for GuardedResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|address| allow_private || !is_private(address.ip())).collect();
            if allowed.is_empty() {
                return Err(private_refused(&host).into());
            }
            Ok(Box::new(allowed.into_iter()) as reqwest::dns::Addrs)
        })
    }
}

/// Builds a client that follows no redirects, which could leave the declared hosts, and ignores proxy variables.
pub(crate) fn client(agent: &str, policy: &HttpPolicy) -> reqwest::Result<reqwest::Client> {
    // The provider is process-wide. An error means that one is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(agent)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT)
        .dns_resolver(Arc::new(GuardedResolver { allow_private: policy.allow_private }))
        .build()
}

struct Answer {
    status: u16,
    text: String,
    /// `{status, headers, body}`, as expressions see it.
    seen: Value,
    retry_after: Option<Millis>,
    /// Whether the body exceeded `MAX_ANSWER` and was cut.
    too_large: bool,
    /// Why the body is incomplete, if the connection broke in the middle of it.
    broken: Option<String>,
}

impl Answer {
    fn read(Incoming { status, headers, body }: Incoming, too_large: bool, job: &JobContext) -> Self {
        let headers: Map<String, Value> = headers.into_iter().map(|(name, value)| (name, json!(value))).collect();
        let header = |name: &str| headers.get(name).and_then(Value::as_str);
        let retry_after = header("retry-after").and_then(|value| outcome::retry_after(value, header("date"), job.now));
        let text = String::from_utf8_lossy(&body).into_owned();
        let body = if too_large {
            Value::Null
        } else {
            serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.clone()))
        };
        let seen = json!({"status": status, "headers": headers, "body": body});
        Self { status, text, seen, retry_after, too_large, broken: None }
    }
}

impl Toolbox {
    pub(crate) async fn http(&self, behavior: &HttpBehavior, call: &ValidatedCall, job: &JobContext) -> JobOutcome {
        let kind = Call::of_http(&call.tool().def, behavior);
        // Nothing has left the process yet.
        let mut evaluation = match self.evaluation(call, job) {
            Ok(evaluation) => evaluation,
            Err(failure) => return JobOutcome::Failed(failure),
        };
        evaluation.set("job", self.job_names(job));
        let (request, secrets) = match self.request(behavior, call, job, &mut evaluation) {
            Ok(request) => request,
            Err(failure) => return JobOutcome::Failed(failure),
        };
        let outcome = match self.send(request, job, kind).await {
            Ok(answer) => self.judged(behavior, call, job, kind, answer, &secrets, &mut evaluation),
            Err(outcome) => outcome,
        };
        secrets.redacted(outcome)
    }

    /// Turns a response into an outcome.
    #[expect(clippy::too_many_arguments, reason = "one step of `http`, which holds all of them")]
    fn judged(
        &self,
        behavior: &HttpBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        kind: Call,
        answer: Answer,
        secrets: &Secrets,
        evaluation: &mut Evaluation,
    ) -> JobOutcome {
        if let Some(why) = answer.broken.as_ref().filter(|_| !decides_by_status(behavior, answer.status)) {
            return outcome::uncertain(kind, Failure::transient("network_error", why.clone()));
        }
        evaluation.set("response", FeelValue::from_json(&answer.seen));
        let met = match met(behavior, &answer, evaluation) {
            Ok(met) => met,
            // The criteria failed to evaluate, so the outcome is unknown.
            Err(failure) => return outcome::uncertain(kind, failure),
        };
        // Redact before cutting the excerpt: half a secret would not be recognised.
        let text = secrets.redact(&answer.text);
        let answered = Answered { status: answer.status, retry_after: answer.retry_after, text: &text };
        if let Some(outcome) = outcome::of_answer(kind, met, &answered) {
            return outcome;
        }
        if answer.too_large {
            let message = format!("The response is larger than {} MiB.", MAX_ANSWER >> 20);
            let failure = Failure::contract("answer_too_large", message);
            let result = ToolResult { api_status: Some(answer.status), ..ToolResult::ok(Value::Null) };
            return outcome::unusable(kind, result, failure);
        }
        let mut result = ToolResult { api_status: Some(answer.status), ..ToolResult::ok(answer.seen["body"].clone()) };
        if let Some(binding) = &behavior.result {
            match evaluation.json(binding) {
                Ok(data) => result.data = data,
                Err(error) => return outcome::unusable(kind, result, to_failure("result", &error)),
            }
        }
        if let Err(failure) = self.take_also(&behavior.also, evaluation, &mut result) {
            return outcome::unusable(kind, result, failure);
        }
        match self.finish(call, job, result.clone()) {
            Ok(result) => JobOutcome::Done(result),
            Err(failure) => outcome::unusable(kind, result, failure),
        }
    }

    fn request(
        &self,
        behavior: &HttpBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        evaluation: &mut Evaluation,
    ) -> Result<(reqwest::Request, Secrets), Failure> {
        let text = evaluation.json(&behavior.url).map_err(|error| to_failure("url", &error))?;
        let text = text.as_str().unwrap_or_default();
        let mut url: url::Url = text
            .parse()
            .map_err(|error| Failure::contract("bad_url", format!("`{text}` is not a valid URL: {error}")))?;
        for (name, binding) in &behavior.query {
            let value = evaluation.json(binding).map_err(|error| to_failure(&format!("query.{name}"), &error))?;
            if !value.is_null() {
                url.query_pairs_mut().append_pair(name, &plain(&value));
            }
        }
        self.http_policy().check(&url)?;
        let method = match behavior.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Patch => reqwest::Method::PATCH,
            Method::Delete => reqwest::Method::DELETE,
        };
        let with_body = !matches!(behavior.method, Method::Get | Method::Delete);
        let mut request = self.client().request(method, url).timeout(job.timeout.as_std());
        for (name, binding) in &behavior.headers {
            let value = evaluation.json(binding).map_err(|error| to_failure(&format!("headers.{name}"), &error))?;
            if !value.is_null() {
                request = request.header(name, plain(&value));
            }
        }
        request = request.header(&behavior.idempotency_header, job.key.to_string());
        if !behavior.headers.keys().any(|name| name.eq_ignore_ascii_case(TRACE_PARENT)) {
            request = request.header(TRACE_PARENT, trace_parent(job));
        }
        let mut secrets = Secrets::default();
        if let Some(auth) = &behavior.auth {
            request = authenticate(request, auth, &mut secrets)?;
        }
        if let Some(body) = &behavior.body {
            let body = evaluation.json(body).map_err(|error| to_failure("body", &error))?;
            request = request.json(&body);
        } else if with_body {
            request = request.json(call.args());
        }
        let request = request
            .build()
            .map_err(|error| Failure::contract("bad_request", format!("The request cannot be made: {error}")))?;
        Ok((request, secrets))
    }

    /// Sends a request. On an error it distinguishes "certainly not received" from "unknown".
    async fn send(&self, request: reqwest::Request, job: &JobContext, kind: Call) -> Result<Answer, JobOutcome> {
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let no_answer = |trouble: NoAnswer| match trouble {
            NoAnswer::NotConnected(why) => {
                let message = format!("`{host}` could not be reached: {why}");
                outcome::not_connected(Failure::transient("network_error", message))
            }
            NoAnswer::TimedOut => {
                let message = format!("`{host}` did not answer within {}.", job.timeout);
                outcome::uncertain(kind, Failure::transient("timeout", message))
            }
            NoAnswer::Broken(why) => {
                let message = format!("The connection to `{host}` broke before it answered: {why}");
                outcome::uncertain(kind, Failure::transient("network_error", message))
            }
        };
        if let Some(carrier) = self.carrier() {
            let carried = carrier.carry(Outgoing::of(&request, job.timeout)).await.map_err(no_answer)?;
            return Ok(Answer::read(carried, false, job));
        }
        let mut response = self.client().execute(request).await.map_err(|error| {
            no_answer(if error.is_connect() {
                NoAnswer::NotConnected(root_cause(&error))
            } else if error.is_timeout() {
                NoAnswer::TimedOut
            } else {
                NoAnswer::Broken(root_cause(&error))
            })
        })?;
        let status = response.status().as_u16();
        let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let (mut body, mut too_large, mut broken) = (Vec::new(), false, None);
        while !too_large {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => {
                    broken = Some(format!("The response from `{host}` was cut off: {}", root_cause(&error)));
                    break;
                }
            }
            too_large = body.len() > MAX_ANSWER;
        }
        Ok(Answer { broken, ..Answer::read(Incoming { status, headers, body }, too_large, job) })
    }
}

/// The header of W3C Trace Context.
const TRACE_PARENT: &str = "traceparent";

/// The `traceparent` of a call: the run's trace, with the attempt as the parent span.
fn trace_parent(job: &JobContext) -> String {
    let trace = job.trace.clone().unwrap_or_else(|| job.run.as_uuid().simple().to_string());
    let key = job.key.as_uuid();
    let digest = DigestBuilder::new("span").part(key.as_bytes()).part(&job.attempt.to_be_bytes()).finish();
    let span: String = digest.to_string().chars().take(16).collect();
    format!("00-{trace}-{span}-01")
}

fn authenticate(
    request: reqwest::RequestBuilder,
    auth: &Auth,
    secrets: &mut Secrets,
) -> Result<reqwest::RequestBuilder, Failure> {
    let mut secret = |reference: &str| {
        let secret = resolve_secret(reference).map_err(|error| Failure::contract("no_secret", error.to_string()))?;
        secrets.add(&secret);
        Ok(secret)
    };
    Ok(match auth {
        Auth::Bearer(reference) => request.bearer_auth(secret(reference)?),
        Auth::Header { name, value } => request.header(name, secret(value)?),
        Auth::Basic { user, password } => {
            let password = secret(password)?;
            secrets.add_basic(user, &password);
            request.basic_auth(user, Some(password))
        }
    })
}

/// Which of the tool's criteria a response meets.
fn met(behavior: &HttpBehavior, answer: &Answer, evaluation: &mut Evaluation) -> Result<Met, Failure> {
    let mut any = |criteria: &Option<Criteria>| match criteria {
        Some(criteria) => meets_any(criteria, answer, evaluation),
        None => Ok(false),
    };
    let (not_done, unknown) = (any(&behavior.not_done)?, any(&behavior.unknown)?);
    let failure = any(&behavior.failure)?;
    let success = match &behavior.success {
        Some(success) => meets_all(success, answer, evaluation)?,
        None => (200..300).contains(&answer.status),
    };
    Ok(Met { success, failure, not_done, unknown })
}

/// Whether the status alone determines the outcome: it is no success, and no criterion of the pack reads the body. A
/// server that refuses a request without reading all of it often resets the connection before its response is complete.
fn decides_by_status(behavior: &HttpBehavior, status: u16) -> bool {
    let criteria = [&behavior.success, &behavior.failure, &behavior.not_done, &behavior.unknown];
    let mut criteria = criteria.into_iter().flatten();
    !(200..300).contains(&status) && !criteria.any(|one| one.expr.is_some() || !one.contains.is_empty())
}

fn meets_any(criteria: &Criteria, answer: &Answer, evaluation: &mut Evaluation) -> Result<bool, Failure> {
    Ok(criteria.status.contains(&answer.status)
        || criteria.contains.iter().any(|text| answer.text.contains(text))
        || holds(criteria, evaluation)? == Some(true))
}

fn meets_all(criteria: &Criteria, answer: &Answer, evaluation: &mut Evaluation) -> Result<bool, Failure> {
    let status = if criteria.status.is_empty() {
        (200..300).contains(&answer.status)
    } else {
        criteria.status.contains(&answer.status)
    };
    Ok(status
        && criteria.contains.iter().all(|text| answer.text.contains(text))
        && holds(criteria, evaluation)? != Some(false))
}

fn holds(criteria: &Criteria, evaluation: &mut Evaluation) -> Result<Option<bool>, Failure> {
    let Some(expr) = &criteria.expr else { return Ok(None) };
    let value = evaluation.value(expr).map_err(|error| to_failure("criteria", &error))?;
    Ok(Some(value == FeelValue::Bool(true)))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The innermost cause. Outer errors repeat the URL, which may contain personal values.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_recognised_in_every_form() {
        for address in [
            "127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
            "::ffff:10.0.0.1", "fe80::1", "fd00::1",
        ] {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in ["8.8.8.8", "2606:4700::1111", "172.15.0.1"] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn only_declared_hosts_are_called() {
        let policy = HttpPolicy {
            hosts: ["api.example.com".into(), "localhost:8080".into(), "10.0.0.1".into()].into(),
            allow_private: false,
        };
        let check = |url: &str| policy.check(&url.parse().unwrap());
        assert!(check("https://api.example.com/x").is_ok());
        assert!(check("https://API.example.com:8443/x").is_ok());
        assert!(check("http://localhost:8080/").is_ok(), "a name is checked when it is resolved");
        assert!(check("http://localhost:8081/").is_err());
        assert!(check("https://api.example.com.evil.test/").is_err());
        assert!(check("ftp://api.example.com/").is_err());
        let refused = check("http://10.0.0.1/").unwrap_err();
        assert!(refused.message.contains("--allow-private-hosts"), "{refused}");
    }
}
