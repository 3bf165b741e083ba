//! `/metrics`, parsed as a scraper does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::outside::Outside;
use crate::{Site, client, until};

/// One scrape: the value of every series, by its name with its labels.
type Samples = BTreeMap<String, f64>;

/// Parses OpenMetrics text as strictly as `promtool check metrics`: every sample belongs to the preceding family,
/// counters end in `_total`, buckets are cumulative and end with `+Inf`, no series appears twice, and the text ends
/// with `# EOF`.
fn parse(text: &str) -> Samples {
    let mut samples = Samples::new();
    let (mut name, mut kind, mut helped) = (String::new(), String::new(), BTreeSet::new());
    let mut families = BTreeSet::new();
    assert!(text.ends_with("# EOF\n"), "no end");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (of, help) = rest.split_once(' ').unwrap();
            assert!(!help.is_empty() && helped.insert(of.to_owned()), "{line}");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (of, what) = rest.split_once(' ').unwrap();
            assert!(families.insert(of.to_owned()), "{of} comes twice");
            (name, kind) = (of.to_owned(), what.to_owned());
        } else if line != "# EOF" {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let (metric, labels) = match series.split_once('{') {
                Some((metric, labels)) => (metric, labels.strip_suffix('}').unwrap()),
                None => (series, ""),
            };
            let suffix = metric.strip_prefix(name.as_str()).unwrap_or_else(|| panic!("{line} is not of {name}"));
            let allowed: &[&str] = match kind.as_str() {
                "counter" => &["_total"],
                "histogram" => &["_bucket", "_sum", "_count"],
                "info" => &["_info"],
                "gauge" => &[""],
                other => panic!("{name} is a {other}"),
            };
            assert!(allowed.contains(&suffix), "{line}: a {kind}");
            assert!(
                metric.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{line}"
            );
            assert!(labels.is_empty() || labels.matches('"').count() % 2 == 0, "{line}");
            let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
            assert!(kind == "gauge" || value >= 0.0, "{line}");
            assert!(samples.insert(series.to_owned(), value).is_none(), "{series} comes twice");
        }
    }
    assert!(families.iter().all(|family| helped.contains(family)), "a family without help");
    buckets_are_cumulative(text, &samples);
    samples
}

fn buckets_are_cumulative(text: &str, samples: &Samples) {
    let mut last: Option<(String, f64)> = None;
    for line in text.lines().filter(|line| line.contains("_bucket{")) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let value: f64 = value.parse().unwrap();
        let (head, rest) = series.split_once("le=\"").unwrap();
        let (bound, after) = rest.split_once('"').unwrap();
        let key = format!("{head}{after}");
        if let Some((before, count)) = &last
            && *before == key
        {
            assert!(value >= *count, "{line}");
        }
        if bound == "+Inf" {
            let count = key.replace("_bucket{", "_count{").replace("{,", "{").replace(",}", "}").replace("{}", "");
            assert_eq!(samples.get(&count), Some(&value), "{count}");
        }
        last = Some((key, value));
    }
}

async fn scrape(site: &Site) -> Samples {
    let response = client().get(format!("{}/metrics", site.server.url)).send().await.unwrap();
    let content = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(content.starts_with("application/openmetrics-text; version=1.0.0"), "{content}");
    parse(&response.text().await.unwrap())
}

#[tokio::test]
async fn metrics_cover_queues_failures_and_durations() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    let at_first = scrape(&site).await;
    for zero in ["brain_dead_letters_open", "brain_approvals_pending", "brain_queue_length", "brain_takeovers_total"] {
        assert_eq!(at_first[zero], 0.0, "{zero}");
    }
    assert_eq!(at_first["brain_nodes{lease=\"valid\"}"], 1.0);

    outside.break_down(true);
    site.call("ops.send", json!({"to": "0412345678", "text": "hi"})).await;
    let note = site.call("ops.note", json!({"text": "a"})).await["receipts"][0]["result"]["memo_id"].clone();
    let wipe = site.call("ops.wipe", json!({"memo_id": note})).await;
    let now = until("a letter and an approval are counted", async || {
        let now = scrape(&site).await;
        (now["brain_dead_letters_open"] == 1.0 && now["brain_approvals_pending"] == 1.0).then_some(now)
    })
    .await;
    for (series, value) in [
        ("brain_dead_letters_opened_total{tool=\"ops.send\"}", 1.0),
        ("brain_retries_total{tool=\"ops.send\"}", 1.0),
        ("brain_outside_call_duration_seconds_count{tool=\"ops.send\",outcome=\"unknown\"}", 2.0),
        ("brain_approvals_asked_total", 1.0),
        ("brain_runs{status=\"staged\"}", 1.0),
        ("brain_outside_jobs", 0.0),
        ("brain_paused", 0.0),
    ] {
        assert_eq!(now.get(series), Some(&value), "{series} in {now:#?}");
    }
    assert!(now["brain_commit_duration_seconds_count"] > at_first["brain_commit_duration_seconds_count"]);
    assert!(!now.keys().any(|series| series.contains("0412345678")));

    // Ages increase with time.
    until("the oldest ages", async || {
        let later = scrape(&site).await;
        let older = |name: &str| later[name] > now[name];
        (older("brain_approvals_oldest_seconds") && older("brain_dead_letters_oldest_seconds")).then_some(())
    })
    .await;

    let approval = wipe["approval_id"].as_str().unwrap();
    site.post(&format!("/v1/approvals/{approval}"), &json!({"decision": "reject"})).await;
    let after = scrape(&site).await;
    assert_eq!(after["brain_approvals_decided_total{decision=\"rejected\"}"], 1.0);
    assert_eq!((after["brain_approvals_pending"], after["brain_approvals_oldest_seconds"]), (0.0, 0.0));
}
