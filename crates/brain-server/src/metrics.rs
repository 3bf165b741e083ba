//! Metrics for Prometheus.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brain_core::Timestamp;
use brain_engine::{Engine, Happening, Observer, What};
use brain_store::SystemScope;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

/// Maximum number of tool names used as labels; calls of further tools are counted as [`OTHER`].
const MAX_TOOLS: usize = 500;
/// The label of tools beyond [`MAX_TOOLS`].
const OTHER: &str = "other";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: String,
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModeLabels {
    mode: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DecisionLabels {
    decision: &'static str,
}

type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// The counters of one server, and the gauges that are read at each scrape.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Durations<RouteLabels>,
    runs: Family<ModeLabels, Counter>,
}

/// From half a millisecond to two minutes.
fn duration_buckets() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.5, 14))
}

impl Metrics {
    pub(crate) fn new(engine: &Arc<Engine>) -> Self {
        let mut registry = Registry::with_prefix("brain");
        let requests = Family::default();
        let durations = Family::new_with_constructor(duration_buckets as fn() -> Histogram);
        let runs = Family::default();
        let version = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version of Brain", version);
        registry.register("http_requests", "HTTP requests by route and status", requests.clone());
        registry.register("http_request_duration_seconds", "Duration of HTTP requests", durations.clone());
        registry.register("runs_created", "Runs accepted over HTTP, by mode", runs.clone());
        engine.observe(Arc::new(Counts::register(&mut registry)));
        registry.register_collector(Box::new(Inside(engine.clone())));
        Self { registry, requests, durations, runs }
    }

    pub(crate) fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let (method, route) = (method.to_owned(), route.to_owned());
        let labels = RouteLabels { method: method.clone(), route: route.clone() };
        self.durations.get_or_create(&labels).observe(took.as_secs_f64());
        self.requests.get_or_create(&RequestLabels { method, route, status }).inc();
    }

    pub(crate) fn run_created(&self, mode: brain_kernel::Mode) {
        self.runs.get_or_create(&ModeLabels { mode: mode.as_str() }).inc();
    }

    /// All metrics as OpenMetrics text.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Counts the events of the engine.
struct Counts {
    retries: Family<ToolLabels, Counter>,
    letters: Family<ToolLabels, Counter>,
    asked: Counter,
    decided: Family<DecisionLabels, Counter>,
    reviews: Counter,
    takeovers: Counter,
    calls: Durations<CallLabels>,
    commits: Histogram,
    failed_commits: Counter,
    tools: Mutex<BTreeSet<String>>,
}

impl Counts {
    fn register(registry: &mut Registry) -> Self {
        let counts = Self {
            retries: Family::default(),
            letters: Family::default(),
            asked: Counter::default(),
            decided: Family::default(),
            reviews: Counter::default(),
            takeovers: Counter::default(),
            calls: Family::new_with_constructor(duration_buckets as fn() -> Histogram),
            commits: duration_buckets(),
            failed_commits: Counter::default(),
            tools: Mutex::default(),
        };
        registry.register("retries", "Attempts that failed and are repeated", counts.retries.clone());
        registry.register("dead_letters_opened", "Dead letters opened", counts.letters.clone());
        registry.register("approvals_asked", "Approvals requested", counts.asked.clone());
        registry.register("approvals_decided", "Approvals decided", counts.decided.clone());
        registry.register("reviews_asked", "Reviews requested", counts.reviews.clone());
        registry.register("takeovers", "Runs taken over from other nodes", counts.takeovers.clone());
        registry.register("outside_call_duration_seconds", "Duration of external calls", counts.calls.clone());
        registry.register(
            "commit_duration_seconds",
            "Time until a batch of commits is durable",
            counts.commits.clone(),
        );
        registry.register("commit_failures", "Batches that could not be written", counts.failed_commits.clone());
        counts
    }

    /// The label of a tool. Packs decide how many tools there are, so the number of labels must be limited.
    fn tool(&self, name: &str) -> String {
        let mut known = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(name) {
            return name.to_owned();
        }
        if known.len() >= MAX_TOOLS {
            return OTHER.to_owned();
        }
        known.insert(name.to_owned());
        name.to_owned()
    }
}

impl Observer for Counts {
    fn happened(&self, happening: &Happening) {
        let labels = |tool: &str| ToolLabels { tool: self.tool(tool) };
        match &happening.what {
            What::Retrying { tool, .. } => drop(self.retries.get_or_create(&labels(tool)).inc()),
            What::LetterOpened { tool, .. } => drop(self.letters.get_or_create(&labels(tool)).inc()),
            What::ApprovalAsked { .. } => drop(self.asked.inc()),
            What::ApprovalDecided { approved } => {
                let decision = if *approved { "approved" } else { "rejected" };
                self.decided.get_or_create(&DecisionLabels { decision }).inc();
            }
            What::ReviewAsked { .. } => drop(self.reviews.inc()),
            What::TakenOver { .. } => drop(self.takeovers.inc()),
            What::Accepted { .. } | What::LetterDecided { .. } => {}
        }
    }

    fn outside_call(&self, tool: &str, outcome: &'static str, took: Duration) {
        let labels = CallLabels { tool: self.tool(tool), outcome };
        self.calls.get_or_create(&labels).observe(took.as_secs_f64());
    }

    fn commit(&self, took: Duration, written: bool) {
        self.commits.observe(took.as_secs_f64());
        if !written {
            self.failed_commits.inc();
        }
    }
}

/// Gauges that are read from the store and the engine at each scrape.
struct Inside(Arc<Engine>);

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inside")
    }
}

fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> fmt::Result {
    let counter = ConstCounter::new(value);
    counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)
}

fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: f64) -> fmt::Result {
    let gauge = ConstGauge::new(value);
    gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
}

impl Inside {
    /// Queue sizes and ages. Left out if the store cannot be read, because a gap is visible and a wrong zero is not.
    fn backlog(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let Some(backlog) = read(self.0.backlog()) else { return Ok(()) };
        let now = self.0.clock().now();
        let age = |since: Option<Timestamp>| since.map_or(0.0, |since| now.since(since).as_std().as_secs_f64());
        for (name, help, value) in [
            ("dead_letters_open", "Open dead letters", backlog.letters as f64),
            ("dead_letters_oldest_seconds", "Age of the oldest open dead letter", age(backlog.oldest_letter)),
            ("approvals_pending", "Pending approvals", backlog.approvals as f64),
            ("approvals_oldest_seconds", "Age of the oldest pending approval", age(backlog.oldest_approval)),
            ("queue_length", "Runs that are waiting for a free slot", backlog.queued as f64),
            (
                "queue_oldest_seconds",
                "Age of the oldest run that is waiting for a free slot",
                age(backlog.oldest_queued),
            ),
        ] {
            gauge(encoder, name, help, value)?;
        }
        Ok(())
    }

    fn leases(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let Some(nodes) = read(self.0.store().nodes(SystemScope, self.0.clock().now())) else { return Ok(()) };
        let lapsed = nodes.iter().filter(|node| node.lapsed.is_some()).count();
        let mut gauges = encoder.encode_descriptor("nodes", "Nodes by lease", None, MetricType::Gauge)?;
        for (lease, count) in [("valid", nodes.len() - lapsed), ("lapsed", lapsed)] {
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(gauges.encode_family(&[("lease", lease)])?)?;
        }
        Ok(())
    }
}

fn read<T>(result: Result<T, brain_store::StoreError>) -> Option<T> {
    result.map_err(|error| tracing::warn!(%error, "the store could not be read for metrics")).ok()
}

impl Collector for Inside {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let stats = self.0.store().stats();
        for (name, help, value) in [
            ("store_commits", "Durable commits", stats.commits),
            ("store_syncs", "Disk syncs", stats.syncs),
            ("store_members", "Atomic writes in the commits; one commit may hold several", stats.members),
            ("store_rows", "Rows written", stats.rows),
            ("store_bytes", "Bytes of content in the rows written", stats.bytes),
        ] {
            counter(&mut encoder, name, help, value)?;
        }
        gauge(&mut encoder, "outside_jobs", "External jobs under way", self.0.outside_jobs() as f64)?;
        gauge(&mut encoder, "paused", "1 if the server is paused", f64::from(u8::from(self.0.is_paused())))?;
        self.backlog(&mut encoder)?;
        self.leases(&mut encoder)?;
        let by_status = read(self.0.store().count_by_status(SystemScope)).unwrap_or_default();
        let help = "Runs by status, except completed ones";
        let mut gauges = encoder.encode_descriptor("runs", help, None, MetricType::Gauge)?;
        for (status, count) in by_status {
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(gauges.encode_family(&[("status", status.as_str())])?)?;
        }
        Ok(())
    }
}
