//! The attributes of tools are decoded into the model.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use brain_core::Millis;
use brain_registry::model::{Backoff, Behavior, Consent, Effect, HitPolicy, Idempotency, ToolDef};
use brain_registry::{Loaded, NativeDecl, PackSource, load_sources_with};
use serde_json::{Value, json};

fn load(files: &[(&str, &str)], natives: &[NativeDecl]) -> Loaded {
    let mut all = vec![(
        "pack.yaml".to_owned(),
        "name: t\nversion: 1\nhosts: [api.example.com]\nsettings: {limit: 10}\n".to_owned(),
    )];
    all.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    load_sources_with(vec![PackSource::new("t", all)], natives).unwrap_or_else(|report| panic!("{report}"))
}

fn tool(files: &[(&str, &str)], name: &str) -> ToolDef {
    let loaded = load(files, &[]);
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    loaded.registry.tool(name).unwrap().def.clone()
}

const ATTRIBUTES: &str = r#"
domain: docs
tools:
  scan:
    title: Scan a document
    input: {pages: integer, kind: {type: enum, values: [{token: inv, label: Invoice, aliases: [bill]}, other]}}
    behavior: {http: {method: POST, url: "https://api.example.com/scan", also: {new_steps: "= response.body.steps"}}}
    undo: {cannot: "A page that was read stays read."}
    permission: docs:scan
    tiers: [gold, silver]
    needs: [billing_address]
    blockers: [account_locked, {code: too_many, when: "= input.pages > settings.limit", else: "{{ input.pages }} pages are too many."}]
    opposites: [docs.drop]
    dependencies: [docs.drop]
    cost: {fixed: 0.50, per_unit: 0.010, units: "= input.pages", unit: page, currency: EUR}
    acknowledge: {text: "{{ input.pages }} pages cost money.", within: 1h}
    may_inject: true
    capability: scanner
    delegate: {secret: env:SCAN_SECRET, within: 2d, reference: "= response.body.ticket"}
    review: {when: "= input.pages > 5", ask: "Is this right?"}
  drop:
    title: Drop a document
    input: {}
    behavior: {worker: drop}
    undo: none
    cost: 2
    review: "Look at it."
    acknowledge: "It is gone."
"#;

#[test]
fn every_attribute_is_decoded() {
    let scan = tool(&[("tools/docs.yaml", ATTRIBUTES)], "docs.scan");
    let attributes = Value::Object(scan.attributes());
    assert_eq!(
        attributes,
        json!({
            "permission": "docs:scan",
            "tiers": ["gold", "silver"],
            "needs": ["billing_address"],
            "blockers": [
                {"code": "account_locked", "else": "Blocked: account locked."},
                {"code": "too_many", "when": "= input.pages > settings.limit", "else": "{{ input.pages }} pages are too many."},
            ],
            "opposites": ["docs.drop"],
            "cost": {"fixed": "0.50", "per_unit": "0.010", "units": "= input.pages", "unit": "page", "currency": "EUR"},
            "acknowledge": {"text": "{{ input.pages }} pages cost money.", "within": attributes["acknowledge"]["within"]},
            "may_inject": true,
            "capability": "scanner",
            "delegate": {
                "secret": "env:SCAN_SECRET", "within": attributes["delegate"]["within"], "reference": "= response.body.ticket",
            },
            "review": {"when": "= input.pages > 5", "ask": "Is this right?"},
            "no_undo": "A page that was read stays read.",
        })
    );
    assert_eq!(scan.acknowledge.unwrap().within, Some(Millis::from_secs(3600)));
    let first = &scan.requires[0];
    assert_eq!(
        (first.prior.as_deref(), first.otherwise.as_str()),
        (Some("docs.drop"), "Do `Drop a document` (`docs.drop`) first.")
    );
    assert_eq!((scan.retry.attempts, scan.retry.backoff), (50, Backoff::Exponential));
    assert_eq!((scan.retry.delay, scan.retry.max_delay), (Millis::from_secs(2), Millis::from_secs(60)));
    assert_eq!(
        scan.input["properties"]["kind"],
        json!({"enum": ["inv", "other"], "x-labels": {"inv": "Invoice"}, "x-aliases": {"bill": "inv"}})
    );
}

#[test]
fn the_short_forms_mean_the_same() {
    let drop = tool(&[("tools/docs.yaml", ATTRIBUTES)], "docs.drop");
    assert_eq!(drop.cost.unwrap().fixed.as_deref(), Some("2"));
    assert_eq!(drop.review.unwrap().ask, "Look at it.");
    assert_eq!(drop.acknowledge.unwrap().text, "It is gone.");
    assert_eq!(drop.no_undo.as_deref(), Some("It cannot be undone."));
    let Behavior::Worker(worker) = drop.behavior else { panic!("not a worker") };
    assert_eq!((worker.topic.as_str(), worker.lease), ("drop", Millis::from_secs(300)));
    assert_eq!((drop.effect, drop.consent, drop.retry.attempts), (Effect::External, Consent::User, 4));
}

#[test]
fn preconditions_may_look_back_and_offer_alternatives() {
    let tools = r#"
domain: t
tools:
  start: {title: Start, input: {}, behavior: {expr: "1"}}
  stop:
    title: Stop
    input: {job: {type: uuid, entity: job}}
    requires:
      - {prior: t.start, record: job, else: "Start it first."}
      - {never: t.stop, else: "Only once.", recheck: 5m}
      - {any: [{record: job, state: open}, {expr: "= settings.limit > 5", else: "Not now."}], else: "Neither."}
    behavior: {expr: "1"}
"#;
    let record = "record: job\nfields: {name: string}\nstates: {open: []}\n";
    let stop = tool(&[("records/job.yaml", record), ("tools/t.yaml", tools)], "t.stop");
    assert_eq!(stop.requires[0].record_type.as_deref(), Some("job"));
    assert_eq!(stop.requires[1].never.as_deref(), Some("t.stop"));
    assert_eq!(stop.requires[1].recheck, Some(Millis::from_secs(300)));
    let [open, late] = stop.requires[2].any.as_slice() else { panic!("not two") };
    assert_eq!((open.state.as_slice(), open.otherwise.as_str()), (&["open".to_owned()][..], ""));
    assert_eq!(late.otherwise, "Not now.");
}

#[test]
fn a_decision_table_takes_its_columns_from_the_input() {
    let tools = r#"
domain: t
tools:
  write: {title: Write, input: {amount: decimal}, behavior: {worker: write}, undo: none}
  fee:
    title: Fee
    input: {amount: decimal, urgent: boolean}
    output: {fee: decimal}
    behavior:
      decide:
        hit: U
        rules:
          - {when: {amount: 10, urgent: true}, then: {fee: 5}}
          - {when: {amount: '> 10'}, then: {fee: "= input.amount / 10"}}
        otherwise: {then: {fee: 0}}
  triage:
    title: Triage
    input: {amount: decimal}
    may_inject: true
    behavior: {decide: {rules: [{when: {amount: '> 5'}, steps: [{id: write, tool: t.write}]}]}}
"#;
    let fee = tool(&[("tools/t.yaml", tools)], "t.fee");
    let Behavior::Decide(table) = &fee.behavior else { panic!("not a table") };
    assert_eq!(table.hit, HitPolicy::Unique);
    let columns: Vec<&str> = table.inputs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(columns, ["amount", "urgent"]);
    assert_eq!(table.rules[0].when["urgent"].source(), "true");
    assert_eq!((fee.effect, fee.consent), (Effect::Read, Consent::None));
    let again: ToolDef = serde_json::from_value(serde_json::to_value(&fee).unwrap()).unwrap();
    assert_eq!(again, fee);

    let triage = tool(&[("tools/t.yaml", tools)], "t.triage");
    let Behavior::Decide(table) = &triage.behavior else { panic!("not a table") };
    assert_eq!(*table.rules[0].steps[0].args.source(), json!({"amount": "= slots.amount"}));
    assert_eq!((triage.effect, triage.consent), (Effect::External, Consent::User));
}

fn rate() -> NativeDecl {
    NativeDecl {
        name: "tax.rate".into(),
        title: "Look up a tax rate".into(),
        description: String::new(),
        input: json!({"type": "object", "properties": {"country": {"type": "string"}}, "required": ["country"], "additionalProperties": false}),
        output: Some(json!({"type": "object", "properties": {"rate": {"format": "decimal"}}})),
        phrases: vec!["tax rate of {country}".into()],
        effect: Effect::External,
        consent: Some(Consent::User),
        inline: false,
        idempotency: Some(Idempotency::Key),
        undo: None,
        no_undo: None,
        may_inject: false,
    }
}

#[test]
fn a_native_function_is_a_tool_and_a_pack_may_give_it_other_phrases() {
    let tools = "domain: t\ntools:\n  rate: {title: The rate, behavior: {native: tax.rate}, undo: none}\n";
    let registry = load(&[("tools/t.yaml", tools)], &[rate()]).registry;
    let own = &registry.tool("tax.rate").unwrap().def;
    assert_eq!((own.pack.as_str(), own.title.as_str()), ("native", "Look up a tax rate"));
    let worded = &registry.tool("t.rate").unwrap().def;
    assert_eq!((worded.pack.as_str(), worded.title.as_str()), ("t", "The rate"));
    for tool in [own, worded] {
        assert_eq!((&tool.input, &tool.output), (&rate().input, &rate().output));
        assert_eq!(
            (tool.effect, tool.consent, &tool.idempotency),
            (Effect::External, Consent::User, &Idempotency::Key)
        );
        assert!(!tool.is_inline());
    }
}

#[test]
fn a_tool_of_the_same_name_replaces_the_function() {
    let tools = "domain: tax\ntools:\n  rate: {title: Ours, input: {country: string}, behavior: {native: tax.rate}, undo: none}\n";
    let registry = load(&[("tools/t.yaml", tools)], &[rate()]).registry;
    assert_eq!(registry.tool("tax.rate").unwrap().def.title, "Ours");
}

#[test]
fn a_misspelt_function_gets_suggestions() {
    let tools = "domain: t\ntools:\n  rate: {title: R, behavior: {native: tax.rates}}\n";
    let files = vec![
        ("pack.yaml".to_owned(), "name: t\nversion: 1\n".to_owned()),
        ("tools/t.yaml".to_owned(), tools.to_owned()),
    ];
    let report = load_sources_with(vec![PackSource::new("t", files)], &[rate()]).unwrap_err().to_string();
    assert!(report.contains("P0412") && report.contains("tax.rate"), "{report}");
}

#[test]
fn the_phrases_of_a_function_are_checked_like_those_of_packs() {
    let wrong = NativeDecl { phrases: vec!["rate of {county}".into()], ..rate() };
    let files = vec![("pack.yaml".to_owned(), "name: t\nversion: 1\n".to_owned())];
    let report = load_sources_with(vec![PackSource::new("t", files)], &[wrong]).unwrap_err().to_string();
    assert!(report.contains("P0501") && report.contains("`country`"), "{report}");
}
