//! Playbooks as tools, batches, roles and dependent slots, as packs declare them.

use brain_registry::model::{BatchPolicy, Behavior, Cardinality, Consent, Effect, OnFailure};
use brain_registry::{Loaded, PackSource, load_sources};
use serde_json::json;

const TOOLS: &str = r#"
domain: crm
tools:
  add:
    title: Add a contact
    input: {name: string}
    behavior: {record: {insert: contact}}
    output: {contact_id: uuid}
    undo: {tool: crm.remove, args: {contact_id: "= result.contact_id"}}
  remove:
    title: Remove a contact
    input: {contact_id: {type: uuid, entity: contact}}
    behavior: {record: {delete: contact}}
    effect: irreversible
    undo: none
  tidy:
    title: Tidy up
    input: {name: string}
    behavior: {playbook: {name: crm.tidying, result: "= {id: steps.add.result.contact_id}"}}
  tidy_twice:
    title: Tidy up twice
    input: {name: string}
    behavior: {playbook: crm.twice}
"#;

fn load(playbooks: &[(&str, &str)]) -> Loaded {
    let mut files = vec![
        ("pack.yaml".to_owned(), "name: crm\nversion: 1\n".to_owned()),
        ("records/contact.yaml".to_owned(), "record: contact\nfields: {name: string}\n".to_owned()),
        ("tools/crm.yaml".to_owned(), TOOLS.to_owned()),
        (
            "playbooks/tidying.yaml".to_owned(),
            "playbook: crm.tidying\nslots: {name: string}\nsteps:\n  - {id: add, tool: crm.add}\n  \
             - {id: remove, tool: crm.remove, args: {contact_id: \"= steps.add.result.contact_id\"}}\n"
                .to_owned(),
        ),
        (
            "playbooks/twice.yaml".to_owned(),
            "playbook: crm.twice\nslots: {name: string}\nsteps:\n  - {id: one, tool: crm.tidy}\n  - {id: two, tool: crm.tidy}\n"
                .to_owned(),
        ),
    ];
    files.extend(playbooks.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let loaded = load_sources(vec![PackSource::new("crm", files)]).unwrap_or_else(|report| panic!("{report}"));
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    loaded
}

#[test]
fn a_playbook_tool_has_its_playbook_and_the_effects_of_its_steps() {
    let registry = load(&[]).registry;
    for name in ["crm.tidy", "crm.tidy_twice"] {
        let tool = &registry.tool(name).unwrap().def;
        assert_eq!((tool.effect, tool.consent), (Effect::Irreversible, Consent::Approver), "{name}");
        let Behavior::Playbook(behavior) = &tool.behavior else { panic!("not a playbook") };
        assert_eq!(behavior.definition.as_deref(), Some(registry.playbook(&behavior.name).unwrap().as_ref()));
    }
}

#[test]
fn a_policy_relates_the_steps_of_a_playbook() {
    let batch = |policy: &str| {
        let text = format!(
            "playbook: crm.batch\naliases: [many contacts, crm.many]\npolicy: {policy}\nslots: {{name: string}}\nsteps: [{{id: add, tool: crm.add}}]\n"
        );
        let registry = load(&[("playbooks/batch.yaml", &text)]).registry;
        assert_eq!(registry.playbook("many contacts").unwrap().name, "crm.batch");
        assert_eq!(registry.playbook_for("any", "crm.many").unwrap().name, "crm.batch");
        registry.playbook("crm.batch").unwrap().as_ref().clone()
    };
    assert_eq!(batch("atomic").policy, BatchPolicy::Atomic);
    let best = batch("best_effort");
    assert_eq!((best.policy, best.steps[0].on_failure), (BatchPolicy::BestEffort, OnFailure::Continue));
}

#[test]
fn roles_are_slots_and_slots_depend_on_each_other() {
    let text = r#"
playbook: crm.open
title: Open an account
slots:
  kind:
    type: enum
    values:
      - {token: person, label: Person, aliases: [individual]}
      - {token: company, label: Company, valid_for: {country: [nz, au]}}
  country: {type: enum, values: [nz, au, uk]}
  vat: {type: string, required_if: "= slots.kind = \"company\""}
  contact:
    entity: contact
    placeholder_if_missing: {tool: crm.add, args: {name: Unknown}, field: contact_id}
roles:
  - {role: holder, cardinality: one, kinds: [contact], label: Account holder}
  - {role: witness, cardinality: one_or_more, kinds: [contact], label: Witness}
  - {role: agent, cardinality: zero_or_one, label: Agent}
steps:
  - {id: add, tool: crm.add, args: {name: "= slots.kind + slots.country + slots.vat + slots.contact"}}
  - {id: each, tool: crm.add, foreach: "= roles[role = \"witness\"]", args: {name: "= item.party"}}
"#;
    let registry = load(&[("playbooks/open.yaml", text)]).registry;
    let open = registry.playbook("crm.open").unwrap();
    assert_eq!(open.slots["required"], json!(["kind", "country", "holder", "witness"]));
    let properties = &open.slots["properties"];
    assert_eq!(properties["holder"]["x-entity"], "contact");
    assert_eq!(properties["holder"]["title"], "Account holder");
    assert_eq!(properties["witness"]["minItems"], 1);
    assert_eq!(properties["kind"]["x-aliases"], json!({"individual": "person"}));
    assert_eq!(open.roles[2].cardinality, Cardinality::ZeroOrOne);
    let rules = serde_json::to_value(&open.rules).unwrap();
    assert_eq!(
        rules,
        json!([
            {"slot": "kind", "valid_for": [["company", "= list contains([\"nz\",\"au\"], slots.country)"]]},
            {"slot": "vat", "required_if": "= slots.kind = \"company\""},
            {
                "slot": "contact", "required_if": "= true",
                "placeholder": {"tool": "crm.add", "args": {"name": "Unknown"}, "field": "contact_id"},
            },
        ])
    );
}
