//! What Prometheus sees.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use brain_kernel::Kernel;
use brain_store::SystemScope;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

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

/// Counts of one server, and what the store and the engine say when asked.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    runs: Family<ModeLabels, Counter>,
}

/// From half a millisecond to two minutes.
fn duration_buckets() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.5, 14))
}

impl Metrics {
    pub(crate) fn new(kernel: Arc<Kernel>) -> Self {
        let mut registry = Registry::with_prefix("brain");
        let requests = Family::default();
        let durations = Family::new_with_constructor(duration_buckets as fn() -> Histogram);
        let runs = Family::default();
        registry.register("http_requests", "HTTP requests by route and status", requests.clone());
        registry.register("http_request_duration_seconds", "How long HTTP requests took", durations.clone());
        registry.register("runs_created", "Runs accepted over HTTP, by mode", runs.clone());
        registry.register_collector(Box::new(Inside(kernel)));
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

    /// All of it as OpenMetrics text.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// What is asked of the store and the engine at each scrape.
struct Inside(Arc<Kernel>);

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inside")
    }
}

impl Collector for Inside {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let stats = self.0.store().stats();
        for (name, help, value) in [
            ("store_commits", "Durable commits", stats.commits),
            ("store_syncs", "Times the disk was asked to sync", stats.syncs),
            ("store_members", "Members committed", stats.members),
            ("store_rows", "Rows written", stats.rows),
            ("store_bytes", "Bytes of content in the rows written", stats.bytes),
        ] {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        let outside = ConstGauge::new(i64::try_from(self.0.engine().outside_jobs()).unwrap_or(i64::MAX));
        let help = "Outside jobs that are under way";
        outside.encode(encoder.encode_descriptor("outside_jobs", help, None, outside.metric_type())?)?;
        let by_status = self.0.store().count_by_status(SystemScope).unwrap_or_else(|error| {
            tracing::warn!(%error, "runs could not be counted for metrics");
            Vec::new()
        });
        let help = "Runs by status, completed ones aside";
        let mut gauges = encoder.encode_descriptor("runs", help, None, MetricType::Gauge)?;
        for (status, count) in by_status {
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(gauges.encode_family(&[("status", status.as_str())])?)?;
        }
        Ok(())
    }
}
