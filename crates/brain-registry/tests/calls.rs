//! Arguments are completed, normalised, and rejected with readable messages.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use brain_registry::{FieldError, PackSource, Registry, Tool, load_sources};
use serde_json::{Value, json};

const TOOLS: &str = "
domain: shop
tools:
  order:
    title: Order something
    input:
      id: uuid
      what: {type: string, max_length: 20}
      count: {type: integer, minimum: 1, maximum: 9, default: 1}
      weight: {type: decimal, minimum: 0.5, optional: true}
      price: money
      speed: {type: enum, values: {slow: By sea, fast: By air}, default: slow}
      day: date?
      at: {type: time, optional: true}
      moment: datetime?
      wait: duration?
      mail: email?
      phone: {type: phone, optional: true, personal: true}
      site: url?
      gift: boolean?
      tags: {type: list, items: {type: string, max_length: 5}, max_items: 2, optional: true}
      to: {type: object, fields: {street: string, zip: string?}, optional: true}
      rate: number?
    output: {order_id: uuid, total: money, note: string?}
    behavior: {expr: {result: {order_id: '= input.id'}}}
";

fn registry() -> Registry {
    let files = vec![
        ("pack.yaml".to_owned(), "name: shop\nversion: 1\n".to_owned()),
        ("tools/shop.yaml".to_owned(), TOOLS.to_owned()),
    ];
    match load_sources(vec![PackSource::new("shop", files)]) {
        Ok(loaded) => loaded.registry,
        Err(report) => panic!("{report}"),
    }
}

fn order() -> Arc<Tool> {
    Arc::clone(registry().tool("shop.order").unwrap())
}

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// Valid arguments with some replaced.
fn with(changes: Value) -> Value {
    let mut args = json!({"id": ID, "what": "tea", "price": "3.5"});
    for (name, value) in changes.as_object().unwrap() {
        args[name] = value.clone();
    }
    args
}

fn refused(changes: Value) -> Vec<FieldError> {
    order().validate(with(changes)).unwrap_err()
}

#[test]
fn defaults_are_filled_in_and_values_are_normalised() {
    let call = order()
        .validate(json!({"id": ID.to_uppercase(), "what": "tea", "price": 3, "weight": 0.75, "speed": "by AIR", "day": null, "rate": "1.5"}))
        .unwrap();
    assert_eq!(
        call.args(),
        &json!({"id": ID, "what": "tea", "price": "3.00", "weight": "0.75", "speed": "fast", "count": 1, "rate": 1.5})
    );
    assert_eq!(call.tool().name(), "shop.order");
    let (tool, args) = call.into_parts();
    assert_eq!(tool.validate(args.clone()).unwrap().args(), &args, "validating again changes nothing");
}

#[test]
fn text_is_not_trimmed_or_guessed_at() {
    let call = order().validate(with(json!({"what": "  green tea "}))).unwrap();
    assert_eq!(call.args()["what"], "  green tea ");
}

#[test]
fn each_invalid_argument_has_a_readable_message() {
    for (changes, field, code, message) in [
        (
            json!({"id": "abc"}),
            "/id",
            "format",
            "`id` must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057, got \"abc\"",
        ),
        (json!({"id": 42}), "/id", "type", "`id` must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057, got 42"),
        (
            json!({"id": null}),
            "/id",
            "required",
            "`id` must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057, got null",
        ),
        (json!({"what": ""}), "/what", "min_length", "`what` must not be empty"),
        (json!({"what": "x".repeat(21)}), "/what", "max_length", "`what` must have at most 20 characters, this has 21"),
        (json!({"count": "3"}), "/count", "type", "`count` must be a whole number, got \"3\""),
        (json!({"count": 0}), "/count", "minimum", "`count` must be at least 1, got 0"),
        (json!({"count": 10}), "/count", "maximum", "`count` must be at most 9, got 10"),
        (json!({"weight": "0.49"}), "/weight", "minimum", "`weight` must be at least 0.5, got \"0.49\""),
        (json!({"price": "much"}), "/price", "format", "`price` must be an amount such as 45.50, got \"much\""),
        (json!({"price": 1e300}), "/price", "format", "`price` must be an amount such as 45.50, got 1e+300"),
        (json!({"price": true}), "/price", "type", "`price` must be an amount such as 45.50, got true"),
        (json!({"speed": "warp"}), "/speed", "enum", "`speed` must be one of slow, fast, got \"warp\""),
        (json!({"day": "2026-02-30"}), "/day", "format", "`day` must be a date such as 2026-03-14, got \"2026-02-30\""),
        (json!({"at": "9am"}), "/at", "format", "`at` must be a time such as 09:30, got \"9am\""),
        (
            json!({"moment": "now"}),
            "/moment",
            "format",
            "`moment` must be a date and time such as 2026-03-14T09:30:00Z, got \"now\"",
        ),
        (json!({"wait": "soon"}), "/wait", "format", "`wait` must be a duration such as 30m or PT30M, got \"soon\""),
        (
            json!({"mail": "jo"}),
            "/mail",
            "format",
            "`mail` must be an email address such as jo@example.com, got \"jo\"",
        ),
        (json!({"phone": "secret"}), "/phone", "format", "`phone` must be a phone number such as 0412 345 678"),
        (
            json!({"site": "example"}),
            "/site",
            "format",
            "`site` must be a URL such as https://example.com/x, got \"example\"",
        ),
        (json!({"gift": "yes"}), "/gift", "type", "`gift` must be true or false, got \"yes\""),
        (
            json!({"tags": ["a", "toolong"]}),
            "/tags/1",
            "max_length",
            "`tags.1` must have at most 5 characters, this has 7",
        ),
        (json!({"tags": ["a", "b", "c"]}), "/tags", "max_items", "`tags` must have at most 2 entries"),
        (json!({"to": {"zip": "2000"}}), "/to/street", "required", "`to.street` is required: text"),
        (
            json!({"to": {"street": "x", "city": "y"}}),
            "/to/city",
            "unknown_field",
            "unknown field `to.city`; expected `street`, `zip`",
        ),
        (json!({"pirce": 1}), "/pirce", "unknown_field", "unknown field `pirce`; did you mean `price`?"),
    ] {
        let found = refused(changes.clone());
        assert_eq!(found.len(), 1, "{changes}: {found:?}");
        assert_eq!(
            (found[0].field.as_str(), found[0].code.as_str(), found[0].message.as_str()),
            (field, code, message),
            "{changes}"
        );
    }
}

#[test]
fn all_invalid_arguments_are_reported_together() {
    let found = order().validate(json!({"count": 0, "speed": "warp"})).unwrap_err();
    let fields: Vec<&str> = found.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["/count", "/id", "/price", "/speed", "/what"]);
}

#[test]
fn arguments_that_are_not_an_object_are_rejected() {
    for args in [json!([1]), json!("x"), json!(7)] {
        let found = order().validate(args).unwrap_err();
        assert_eq!(found[0].field, "");
    }
    assert_eq!(order().validate(Value::Null).unwrap_err().len(), 3);
}

#[test]
fn valid_arguments_are_accepted() {
    let call = order().validate(with(json!({
        "day": "2026-03-14", "at": "09:30", "moment": "2026-03-14T09:30:00Z", "wait": "PT30M", "mail": "jo@example.com",
        "phone": "+61 412 345 678", "site": "https://example.com", "gift": true, "tags": ["a"], "to": {"street": "x"},
    })));
    assert!(call.is_ok(), "{call:?}");
}

#[test]
fn a_declared_output_is_enforced_and_normalised() {
    let tool = order();
    let data = tool.validate_output(json!({"order_id": ID, "total": 20, "note": null, "more": [1]})).unwrap();
    assert_eq!(data, json!({"order_id": ID, "total": "20.00", "more": [1]}));
    let found = tool.validate_output(json!({"order_id": "x"})).unwrap_err();
    assert_eq!(found.iter().map(|one| one.field.as_str()).collect::<Vec<_>>(), ["/order_id", "/total"]);
}
