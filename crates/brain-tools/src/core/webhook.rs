//! `core.normalise_webhook`: normalises the payload of any external system to one form.

use brain_core::{Failure, canonical_digest};
use brain_macros::tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum number of values in a payload.
const MAX_VALUES: usize = 5_000;
/// Numbers from here on are milliseconds since 1970; smaller ones are seconds. As milliseconds it is 1973, as seconds
/// 5138.
const MILLIS_FROM: i64 = 100_000_000_000;

const EVENT_KEYS: [&str; 6] = ["type", "event", "event_type", "eventType", "action", "topic"];
const EVENT_ID_KEYS: [&str; 5] = ["event_id", "eventId", "delivery_id", "webhook_id", "webhookId"];
const EVENT_HEADERS: [&str; 5] = ["x-github-event", "x-gitlab-event", "x-shopify-topic", "x-event-type", "x-event-key"];
const DELIVERY_HEADERS: [&str; 9] = [
    "idempotency-key",
    "webhook-id",
    "svix-id",
    "x-github-delivery",
    "x-gitlab-event-uuid",
    "x-shopify-webhook-id",
    "x-delivery-id",
    "x-event-id",
    "x-request-id",
];
const TIME_KEYS: [&str; 9] = [
    "occurred_at", "created_at", "submitted_at", "sent_at", "event_time", "timestamp", "created", "time", "updated_at",
];
const DATA_KEYS: [&str; 5] = ["data", "object", "payload", "form_response", "resource"];

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The posted JSON.
    payload: Map<String, Value>,
    /// The system that posted it.
    source: Option<String>,
    /// The headers of the request.
    headers: Option<Map<String, Value>>,
}

/// The person or company it is about, found by common field names.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
struct Contact {
    /// A person's name.
    name: Option<String>,
    /// An e-mail address, in lower case.
    email: Option<String>,
    /// A phone number, as written.
    phone: Option<String>,
    /// A company's name.
    company: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The system that posted it.
    source: Option<String>,
    /// The type of the event, as that system names it.
    event: Option<String>,
    /// The id of the event or of its delivery.
    id: Option<String>,
    /// When it happened, as RFC 3339.
    occurred_at: Option<String>,
    /// The ids of the objects it is about, such as `customer_id`.
    subject_ids: Map<String, Value>,
    /// The part of the payload that describes the subject.
    data: Map<String, Value>,
    /// The person or company it is about.
    contact: Contact,
    /// Every value of the payload by its path: `data.customer.email`, `lines.0.price`.
    flat: Map<String, Value>,
    /// Equal for every delivery of the same event.
    idempotency_key: String,
}

/// Normalises a webhook: the event, its time and subject, and a key that identifies repeated deliveries.
#[tool(crate = crate, name = "core.normalise_webhook", title = "Normalise a webhook")]
fn normalise_webhook(input: Input) -> Result<Output, Failure> {
    let Input { payload, source, headers } = input;
    let headers = headers.unwrap_or_default();
    let mut flat = Map::new();
    flatten("", &Value::Object(payload.clone()), &mut flat)?;
    let data = data(&payload).clone();
    let event = words(&payload, &EVENT_KEYS).or_else(|| header(&headers, &EVENT_HEADERS));
    let id = event_id(&payload, &headers);
    let mut about = Map::new();
    flatten("", &Value::Object(data.clone()), &mut about)?;
    Ok(Output {
        occurred_at: occurred_at(&payload).or_else(|| occurred_at(&data)),
        subject_ids: subject_ids(&about),
        contact: contact(&about),
        idempotency_key: id.clone().unwrap_or_else(|| format!("sha256:{}", canonical_digest(&payload))),
        id: id.or_else(|| words(&payload, &["id"])),
        source,
        event,
        data,
        flat,
    })
}

/// The id of the event, not of its subject: two events about one customer must have different ids. A bare `id`
/// therefore counts only in an envelope, which has an event type next to its data.
fn event_id(payload: &Map<String, Value>, headers: &Map<String, Value>) -> Option<String> {
    let envelope = words(payload, &EVENT_KEYS).is_some() && DATA_KEYS.iter().any(|key| payload.contains_key(*key));
    let own = || words(payload, &["id"]).filter(|_| envelope);
    header(headers, &DELIVERY_HEADERS).or_else(|| words(payload, &EVENT_ID_KEYS)).or_else(own)
}

/// The part that describes the subject: the content of a known envelope, or the whole payload.
fn data(payload: &Map<String, Value>) -> &Map<String, Value> {
    let inside = |object: &'_ Map<String, Value>, keys: &[&'static str]| {
        keys.iter().copied().find(|key| object.get(*key).is_some_and(Value::is_object))
    };
    let Some(outer) = inside(payload, &DATA_KEYS).and_then(|key| payload[key].as_object()) else { return payload };
    inside(outer, &["object"]).and_then(|key| outer[key].as_object()).unwrap_or(outer)
}

/// The first of these keys that holds text or a number.
fn words(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| object.get(*key).and_then(scalar_text))
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The first of these headers; names are compared without case.
fn header(headers: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let of = |name: &&str| headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    names.iter().find_map(|name| of(name).and_then(|(_, value)| scalar_text(value)))
}

fn occurred_at(object: &Map<String, Value>) -> Option<String> {
    TIME_KEYS.iter().filter_map(|key| object.get(*key)).find_map(instant).map(|instant| instant.to_string())
}

/// Parses RFC 3339, or seconds or milliseconds since 1970.
fn instant(value: &Value) -> Option<jiff::Timestamp> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => {
            let number = number.as_i64()?;
            if number.abs() < MILLIS_FROM {
                return jiff::Timestamp::from_second(number).ok();
            }
            jiff::Timestamp::from_millisecond(number).ok()
        }
        _ => None,
    }
}

fn flatten(path: &str, value: &Value, flat: &mut Map<String, Value>) -> Result<(), Failure> {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(members) => members.iter().try_for_each(|(key, one)| flatten(&below(key), one, flat)),
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(place, one)| flatten(&below(&place.to_string()), one, flat))
        }
        scalar => {
            if flat.len() >= MAX_VALUES {
                let message = format!("The payload has more than {MAX_VALUES} values.");
                return Err(Failure::business("payload_too_big", message));
            }
            flat.insert(path.to_owned(), scalar.clone());
            Ok(())
        }
    }
}

/// Collects `id`, `customer_id`, and `customer.id` as `customer_id`. Lists are skipped, because their items have no
/// names.
fn subject_ids(flat: &Map<String, Value>) -> Map<String, Value> {
    let ids = flat.iter().filter_map(|(path, value)| {
        let parts: Vec<&str> = path.split('.').collect();
        if parts.iter().any(|part| part.bytes().all(|b| b.is_ascii_digit())) {
            return None;
        }
        let name = match parts.as_slice() {
            ["id"] => "id".to_owned(),
            [.., owner, "id"] => format!("{owner}_id"),
            [.., last] if last.ends_with("_id") => (*last).to_owned(),
            [.., last] if last.ends_with("Id") => format!("{}_id", last.trim_end_matches("Id")),
            _ => return None,
        };
        Some((name, Value::String(scalar_text(value)?)))
    });
    // If several paths give the same name, the first in key order wins.
    let mut found = Map::new();
    for (name, id) in ids {
        found.entry(name).or_insert(id);
    }
    found
}

/// The outermost value under one of these names. Names are compared without case and punctuation.
fn named(flat: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let same = |path: &str| {
            let last = path.rsplit('.').next().unwrap_or(path);
            last.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).eq(name.chars())
        };
        let hits = flat.iter().filter(|(path, _)| same(path));
        let hits = hits.filter_map(|(path, value)| Some((path.matches('.').count(), scalar_text(value)?)));
        hits.min_by_key(|(depth, _)| *depth).map(|(_, text)| text)
    })
}

fn contact(flat: &Map<String, Value>) -> Contact {
    let both = || {
        let parts = [named(flat, &["firstname", "givenname"]), named(flat, &["lastname", "surname", "familyname"])];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    };
    Contact {
        name: named(flat, &["fullname", "contactname", "leadname", "customername"])
            .or_else(both)
            .or_else(|| named(flat, &["name"])),
        email: named(flat, &["email", "emailaddress", "contactemail", "leademail", "customeremail"])
            .map(|email| email.to_lowercase()),
        phone: named(flat, &["phone", "phonenumber", "mobile", "telephone", "tel", "leadphone"]),
        company: named(flat, &["company", "companyname", "organisation", "organization", "businessname", "business"]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn webhook(input: Value) -> Value {
        serde_json::to_value(normalise_webhook(serde_json::from_value(input).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn an_event_in_an_envelope() {
        let out = webhook(json!({"source": "payments", "payload": {
            "id": "evt_1", "type": "charge.failed", "created": 1_772_000_000,
            "data": {"object": {"id": "ch_1", "customer": {"id": "cus_1", "email": "Bob@X.example"}, "order_id": 7}},
        }}));
        assert_eq!((&out["source"], &out["event"]), (&json!("payments"), &json!("charge.failed")));
        assert_eq!((&out["id"], &out["idempotency_key"]), (&json!("evt_1"), &json!("evt_1")));
        assert_eq!(out["occurred_at"], "2026-02-25T06:13:20Z");
        assert_eq!(out["subject_ids"], json!({"id": "ch_1", "customer_id": "cus_1", "order_id": "7"}));
        assert_eq!(out["data"]["id"], "ch_1");
        assert_eq!(out["contact"]["email"], "bob@x.example");
        assert_eq!(out["flat"]["data.object.customer.id"], "cus_1");
    }

    #[test]
    fn the_key_of_a_form_depends_on_its_content_not_on_the_id_of_its_subject() {
        let form = |phone: &str| {
            webhook(json!({"payload": {
                "id": "lead_1", "First Name": "Bob", "Last Name": "Smith", "Company": "Roofs",
                "Phone": phone, "submitted_at": "2026-03-03T10:15:00+11:00",
            }}))
        };
        let (one, other) = (form("1"), form("2"));
        assert_eq!(one["contact"], json!({"name": "Bob Smith", "email": null, "phone": "1", "company": "Roofs"}));
        assert_eq!((&one["id"], &one["occurred_at"]), (&json!("lead_1"), &json!("2026-03-02T23:15:00Z")));
        assert!(one["idempotency_key"].as_str().unwrap().starts_with("sha256:"));
        assert_ne!(one["idempotency_key"], other["idempotency_key"]);
        assert_eq!(one["idempotency_key"], form("1")["idempotency_key"]);
    }

    #[test]
    fn headers_supply_what_the_payload_lacks() {
        let out = webhook(json!({
            "payload": {"ref": "main", "commits": [{"id": "c1"}], "repository": {"id": 5}},
            "headers": {"X-GitHub-Event": "push", "X-GitHub-Delivery": "d-1"},
        }));
        assert_eq!((&out["event"], &out["id"]), (&json!("push"), &json!("d-1")));
        assert_eq!((&out["idempotency_key"], &out["subject_ids"]), (&json!("d-1"), &json!({"repository_id": "5"})));
        assert_eq!(out["flat"]["commits.0.id"], "c1");
    }

    #[test]
    fn a_payload_with_too_many_values_is_rejected() {
        let payload = json!({"payload": {"list": vec![1; MAX_VALUES + 1]}});
        let failure = normalise_webhook(serde_json::from_value(payload).unwrap()).unwrap_err();
        assert_eq!(failure.code, "payload_too_big");
    }
}
