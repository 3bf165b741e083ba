//! Packs imported from other formats: they pass the check, and nothing is lost silently.

use std::collections::BTreeSet;

use brain_author::import::{Imported, playbooks, registry};
use brain_registry::model::Behavior;
use brain_registry::{Loaded, PackSource, load_sources};
use serde_json::{Value, json};

/// The generated pack, or its errors.
fn checked(imported: &Imported) -> Loaded {
    let source = PackSource::new("made", imported.files.clone());
    load_sources(vec![source]).unwrap_or_else(|report| {
        for (path, text) in imported.files.iter().filter(|(path, _)| !path.starts_with('.')) {
            println!("=== {path}\n{text}");
        }
        panic!("{report}")
    })
}

fn text<'i>(imported: &'i Imported, path: &str) -> &'i str {
    let found = imported.files.iter().find(|(one, _)| one == path);
    &found
        .unwrap_or_else(|| panic!("{path} of {:?}", imported.files.iter().map(|(path, _)| path).collect::<Vec<_>>()))
        .1
}

fn noted(imported: &Imported, key: &str, part: &str) -> bool {
    imported.notes.iter().any(|note| note.key == key && note.note.contains(part))
}

/// The example of the specification, and what belongs to it.
fn actions() -> String {
    let payment = include_str!("imports/action.json");
    format!(
        r#"{{"actions": [{payment},
        {{"action_id": "refund_payment", "category": "BRAND_API", "display_name": "Refund Payment", "params_required": ["payment_id", "amount"],
          "rollback_possible": false, "execution_type": "api_call", "api_endpoint": "https://api.brand.com/payments/{{payment_id}}/refund", "api_method": "POST", "api_auth_type": "api_key"}},
        {{"action_id": "verify_cart", "category": "BRAND_API", "action_name": "Verify Cart", "params_required": ["cartId"], "execution_type": "api_call",
          "api_endpoint": "https://api.brand.com/carts/:cartId", "api_method": "GET", "workflow_id": "checkout_flow", "sequence_id": 1, "synonyms": ["pay"]}},
        {{"action_id": "validate_address", "action_name": "Validate Address", "category": "BRAND_API", "execution_type": "internal", "workflow_id": "checkout_flow", "sequence_id": 2, "owner": "team x"}},
        {{"action_id": "old_payment", "category": "BRAND_API", "is_active": false}}
    ]}}"#
    )
}

#[test]
fn an_action_registry_becomes_a_pack_that_passes_the_check() {
    let imported = registry("shop", "actions.json", &actions()).unwrap_or_else(|report| panic!("{report}"));
    let Loaded { registry, warnings } = checked(&imported);
    assert!(warnings.diagnostics().iter().all(|one| one.code == "P0411"), "{warnings}");
    let tool = &registry.tool("brand_api.process_payment").unwrap().def;
    assert_eq!(tool.title, "Make Payment");
    assert_eq!(tool.synonyms, ["pay", "make_payment", "submit_payment", "checkout"]);
    assert_eq!(tool.input["required"], json!(["amount", "payment_method_id"]));
    assert_eq!(tool.input["properties"]["amount"]["minimum"], 1);
    assert_eq!(tool.input["properties"]["payment_method_id"]["format"], "uuid");
    assert_eq!(tool.input["properties"]["discount_code"]["pattern"], "^[A-Z0-9]{6,10}$");
    assert_eq!(tool.tiers, ["verified", "premium"]);
    assert_eq!(
        tool.needs,
        ["profile.email", "profile.phone", "payment_methods.default_method", "cart.items", "cart.total"]
    );
    assert_eq!(
        tool.blockers.iter().map(|one| one.code.as_str()).collect::<Vec<_>>(),
        ["insufficient_balance", "payment_method_expired", "fraud_detection_triggered", "cart_empty"]
    );
    assert_eq!(tool.opposites, ["brand_api.refund_payment"]);
    let before: Vec<&str> = tool.requires.iter().filter_map(|one| one.prior.as_deref()).collect();
    assert_eq!(before, ["brand_api.verify_cart", "brand_api.validate_address"]);
    assert_eq!(tool.timeout.to_string(), "30s");
    assert_eq!(
        (tool.retry.attempts, tool.retry.delay.to_string(), tool.retry.max_delay.to_string()),
        (4, "2s".into(), "1m".into())
    );
    assert_eq!(tool.priority, 8);
    assert_eq!(tool.acknowledge.as_ref().unwrap().within.unwrap().to_string(), "5m");
    let undo = tool.undo.as_ref().unwrap();
    assert_eq!(undo.tool, "brand_api.refund_payment");
    assert_eq!(*undo.args.source(), json!({"payment_id": "= result.payment_id", "amount": "= input.amount"}));
    let Behavior::Http(http) = &tool.behavior else { panic!() };
    assert_eq!(http.success.as_ref().unwrap().status, [200]);
    assert_eq!(http.failure.as_ref().unwrap().contains, ["error", "failed"]);
    for phrase in
        ["make payment", "checkout", "make payment with amount {amount} and payment method id {payment_method_id}"]
    {
        assert!(tool.phrases.contains(&phrase.to_owned()), "{phrase}: {:?}", tool.phrases);
    }
    let cart = &registry.tool("brand_api.verify_cart").unwrap().def;
    let Behavior::Http(http) = &cart.behavior else { panic!() };
    assert_eq!(*http.url.source(), json!("https://api.brand.com/carts/{{ input.cart_id }}"));
    let flow = registry.playbook("brand_api.checkout_flow").unwrap();
    let steps: Vec<&str> = flow.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(steps, ["verify_cart", "validate_address", "process_payment"]);
    assert!(registry.tool("brand_api.old_payment").is_none());
    assert_eq!(registry.packs()["shop"].hosts, ["api.brand.com"]);
}

#[test]
fn every_key_of_an_action_is_mapped_or_reported() {
    let imported = registry("shop", "actions.json", &actions()).unwrap();
    for (key, part) in [
        ("is_active", "skipped"),
        ("owner", "team x"),
        ("estimated_duration_seconds", "5"),
        ("eligibility_criteria", "requires_auth"),
        ("retry_policy", "retry_on_errors"),
        ("opposites", "cancel_payment"),
        ("rollback_action_id", "assumed to be in the result"),
        ("api_auth_type", "BRAND_API_TOKEN"),
        ("execution_type", "validate_address"),
        ("synonyms", "pay"),
    ] {
        assert!(noted(&imported, key, part), "{key} {part}: {:#?}", imported.notes);
    }
}

/// Every attribute matters: changing it changes the pack or the report.
#[test]
fn no_attribute_is_lost_silently() {
    // The example contains comments, so it is read as YAML.
    let source = include_str!("imports/action.json").lines().map(|line| line.split("  # ").next().unwrap());
    let action: Value = serde_json::from_str(&source.collect::<Vec<_>>().join("\n")).unwrap();
    let of = |action: &Value| {
        let imported = registry("shop", "a.json", &action.to_string()).unwrap_or_else(|report| panic!("{report}"));
        (imported.files, imported.notes)
    };
    let whole = of(&action);
    for key in action.as_object().unwrap().keys() {
        // Use another value where no value has the same meaning.
        let changed = match key.as_str() {
            "triggers_workflow" => json!(true),
            "is_active" | "rollback_possible" => json!(false),
            "action_id" => json!("other"),
            "api_method" => json!("PUT"),
            "execution_type" => json!("workflow"),
            _ => Value::Null,
        };
        let mut without = action.clone();
        without[key] = changed;
        assert!(of(&without) != whole, "{key}");
    }
}

#[test]
fn a_plain_list_of_tools_becomes_jobs_for_workers() {
    let imported = registry("desk", "tools.registry.json", include_str!("imports/tools.registry.json"))
        .unwrap_or_else(|report| panic!("{report}"));
    let Loaded { registry, .. } = checked(&imported);
    let note = &registry.tool("os.create_note").unwrap().def;
    assert_eq!(note.input["properties"]["content"]["minLength"], 1);
    assert!(note.phrases.contains(&"create note with content {content}".to_owned()), "{:?}", note.phrases);
    assert!(matches!(&note.behavior, Behavior::Worker(worker) if worker.topic == "os.create_note"));
    assert!(registry.tool("desk.search").is_some());
    assert!(noted(&imported, "version", "3"));
}

#[test]
fn a_playbook_with_verbs_is_imported() {
    let sources = [("setup.yaml".to_owned(), include_str!("imports/setup_fund.playbook.yaml").to_owned())];
    let imported = playbooks("funds", &sources, &BTreeSet::new(), true).unwrap_or_else(|report| panic!("{report}"));
    let Loaded { registry, .. } = checked(&imported);
    let playbook = registry.playbook("funds.setup_pe_fund").unwrap();
    assert_eq!(playbook.title, "Set Up PE Fund Structure");
    assert_eq!(playbook.slots["required"], json!(["fund_name"]));
    assert_eq!(playbook.slots["properties"]["fund_type"]["default"], "private-equity");
    let steps: Vec<(&str, &str, &Value)> =
        playbook.steps.iter().map(|step| (step.id.as_str(), step.tool.as_str(), step.args.source())).collect();
    assert_eq!(
        steps,
        [
            ("create_fund", "cbu.create", &json!({"name": "{{ slots.fund_name }}", "kind": "{{ slots.fund_type }}"})),
            (
                "assign_gp",
                "cbu_role.assign",
                &json!({"cbu_id": "{{ steps.create_fund.result }}", "role": "general-partner"})
            ),
        ]
    );
    assert_eq!(playbook.steps[1].after, ["create_fund"]);
}

#[test]
fn a_macro_becomes_a_playbook_with_labels_conditions_and_loops() {
    let sources = [("macros.yaml".to_owned(), include_str!("imports/macros.yaml").to_owned())];
    let imported = playbooks("funds", &sources, &BTreeSet::new(), true).unwrap_or_else(|report| panic!("{report}"));
    let made = text(&imported, "playbooks/structure_setup.yaml");
    let Loaded { registry, .. } = checked(&imported);
    let playbook = registry.playbook("structure.setup").unwrap_or_else(|| panic!("{made}"));
    let kind = &playbook.slots["properties"]["structure_type"];
    assert_eq!(kind["enum"], json!(["private-equity", "hedge-fund", "sicav"]));
    assert_eq!(kind["x-labels"]["private-equity"], "Private Equity");
    assert_eq!(kind["x-aliases"]["pe"], "private-equity");
    assert_eq!(kind["default"], "private-equity");
    let rule = |slot: &str| playbook.rules.iter().find(|rule| rule.slot == slot).unwrap();
    assert_eq!(*rule("depositary").required_if.as_ref().unwrap().source(), json!("= slots.structure_type = \"sicav\""));
    assert_eq!(rule("depositary").placeholder.as_ref().unwrap().tool, "entity.ensure_or_placeholder");
    assert_eq!(
        *rule("manager").required_if.as_ref().unwrap().source(),
        json!(
            "= (slots.structure_type = \"hedge-fund\" or slots.has_prime_broker = true or not(list contains([\"LU\", \"IE\"], slots.jurisdiction)))"
        )
    );
    assert_eq!(rule("role").valid_for.len(), 2);
    assert_eq!(playbook.roles.iter().map(|role| role.role.as_str()).collect::<Vec<_>>(), ["prime_broker"]);
    let [first, second, each] = playbook.steps.as_slice() else { panic!("{made}") };
    assert_eq!(*first.when.as_ref().unwrap().source(), json!("= slots.jurisdiction = \"LU\""));
    assert_eq!(*second.when.as_ref().unwrap().source(), json!("= not(slots.jurisdiction = \"LU\")"));
    assert_eq!(second.args.source()["name"], "The {{ slots.name }} fund");
    assert!(each.foreach.as_ref().unwrap().source().as_str().unwrap().contains("slots.depositary"), "{made}");
    assert_eq!(
        *each.args.source(),
        json!({"structure_id": "{{ steps.create.result }}", "role": "{{ item.role }}", "party_ref": "{{ item.party }}"})
    );
    for (key, part) in [
        ("tier", "composite"),
        ("taxonomy", "fund-setup"),
        ("docs-bundle", "ucits"),
        ("ui.target-label", "Structure"),
        ("required-roles", "depositary"),
    ] {
        assert!(noted(&imported, key, part), "{key} {part}: {:#?}", imported.notes);
    }
}

#[test]
fn existing_tools_get_no_placeholder() {
    let sources = [("setup.yaml".to_owned(), include_str!("imports/setup_fund.playbook.yaml").to_owned())];
    let known = BTreeSet::from(["cbu.create".to_owned()]);
    let imported = playbooks("funds", &sources, &known, false).unwrap();
    let paths: Vec<&str> =
        imported.files.iter().map(|(path, _)| path.as_str()).filter(|path| !path.starts_with('.')).collect();
    assert_eq!(paths, ["playbooks/funds_setup_pe_fund.yaml", "tools/cbu_role_imported.yaml"]);
}

#[test]
fn unreadable_input_is_reported_with_its_position() {
    let report = registry("x", "bad.json", "{\"actions\": [\n  {\"action_id\": \"a\",\n   \"b\" 1}\n]}").unwrap_err();
    let first = &report.diagnostics()[0];
    assert_eq!(first.file, "bad.json");
    assert!(first.line >= 2 && first.help.is_some(), "{report}");
    for wrong in ["[1, 2]", "{}", "{\"actions\": [{\"description\": \"no id\"}]}", "just words"] {
        let report = registry("x", "bad.json", wrong).unwrap_err();
        assert_eq!(report.errors(), 1, "{wrong}");
        assert!(report.diagnostics()[0].help.is_some());
    }
    let report = playbooks("x", &[("p.yaml".into(), "a: 1\n".into())], &BTreeSet::new(), true).unwrap_err();
    assert!(report.to_string().contains("neither a playbook nor a macro"), "{report}");
}
