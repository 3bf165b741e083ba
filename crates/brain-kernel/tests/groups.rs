//! Names of groups: from a name to the group, and from the group to the member who acts for it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{RecordId, RunStatus, SeededRandom, Timestamp};
use brain_kernel::{Kernel, Mode, NextAction, Report, Request};
use brain_registry::PackSource;
use brain_store::{Member, Outcome, RecordRow, SqliteStore, Store, Write};
use common::{call, kernel, registry, say, scope};
use serde_json::{Value, json};

const COMPANY: &str = "record: company\nfields: {name: string}\n";
const GROUP: &str = "record: client_group\ntitle: client group\nfields: {name: string, also: {type: string, optional: true}}\n\
    aliases: also\ngroup: {members: client_anchor, of: group_id, entity: company_id, role: role, jurisdiction: jurisdiction}\n";
const ANCHOR: &str = "record: client_anchor\nfields:\n  group_id: {entity: client_group}\n  company_id: {entity: company}\n  \
    role: {values: [ultimate_parent, governance_controller, book_controller]}\n  jurisdiction: {type: string, optional: true}\n";
const TOOLS: &str = r#"domain: book
tools:
  load:
    title: Load a book
    input:
      client: {entity: company, anchor: governance_controller}
      jurisdiction: {type: string, optional: true}
    phrases: ["load the book of {client}", "load the book of {client} for {jurisdiction}"]
    behavior: {expr: "= {client: input.client}"}
  report:
    title: Report on a region
    input: {client: {entity: company, anchor: book_controller}}
    behavior: {expr: "= {client: input.client}"}
  show:
    title: Show a company
    input: {company_id: {entity: company}}
    behavior: {record: {get: company}}
"#;

/// The stored records. The ids are derived from the numbers.
struct World {
    kernel: Arc<Kernel>,
    ids: std::collections::BTreeMap<&'static str, String>,
    _folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
        let registry = registry(&[
            ("pack.yaml", "name: test\nversion: 1.0.0\n"),
            ("records/company.yaml", COMPANY),
            ("records/client_group.yaml", GROUP),
            ("records/client_anchor.yaml", ANCHOR),
            ("tools/book.yaml", TOOLS),
        ]);
        let mut ids = std::collections::BTreeMap::new();
        let mut n = 0;
        let mut put = |kind: &str, body: Value| {
            n += 1;
            let at = Timestamp::from_millis(1_000 + n);
            let id = RecordId::generate(at, &mut SeededRandom::new(n as u64));
            let row =
                RecordRow { kind: kind.into(), id, revision: 1, state: None, created_at: at, updated_at: at, body };
            let (index, text) = brain_tools::found_by(registry.record(kind).unwrap(), &row.body);
            let writes = vec![Write::PutRecord { row, index, text }];
            let member = Member { scope: scope(), preconditions: Vec::new(), writes };
            assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);
            id.to_string()
        };
        let group = put("client_group", json!({"name": "Allianz Global Investors", "also": "Allianz, AGI"}));
        let lonely = put("client_group", json!({"name": "Lonely Partners"}));
        for (short, name, role, place) in [
            ("se", "Allianz SE", "ultimate_parent", None),
            ("holdings", "AGI Holdings GmbH", "governance_controller", None),
            ("lu", "AGI Luxembourg S.A.", "governance_controller", Some("LU")),
            ("ie", "AGI Ireland Ltd", "book_controller", Some("IE")),
            ("fr", "AGI France SAS", "book_controller", Some("FR")),
        ] {
            let company = put("company", json!({"name": name}));
            let mut anchor = json!({"group_id": group, "company_id": company, "role": role});
            anchor["jurisdiction"] = json!(place);
            put("client_anchor", anchor);
            ids.insert(short, company);
        }
        ids.insert("group", group);
        ids.insert("lonely", lonely);
        let kernel = kernel(registry, store, false);
        Self { kernel, ids, _folder: folder }
    }

    async fn call(&self, tool: &str, input: Value, context: Value) -> Report {
        let calls = vec![(tool.to_owned(), input)];
        let request = Request { calls, context, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
        self.kernel.handle(&request).await.unwrap()
    }

    /// The company of a call.
    fn which(&self, report: &Report, slot: &str) -> &'static str {
        assert!(report.ok, "{report:#?}");
        let id = report.planned[0].input[slot].as_str().unwrap();
        self.ids.iter().find(|(_, one)| *one == id).unwrap().0
    }

    fn evidence(&self, report: &Report) -> Value {
        let log = self.kernel.store().log(&scope(), report.run).unwrap();
        let found = log.iter().flat_map(|row| &row.payloads).find_map(|payload| {
            payload
                .pointer("/evidence/links")
                .cloned()
                .filter(|links| links.as_array().is_some_and(|all| !all.is_empty()))
        });
        found.unwrap()[0].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_leads_to_the_member_with_the_role_that_the_tool_asks_for() {
    let world = World::new();
    let nowhere = json!({});
    for (said, args, context, company) in [
        ("Allianz", json!({}), &nowhere, "holdings"),
        ("the client group AGI", json!({}), &nowhere, "holdings"),
        ("allianz global investors", json!({"jurisdiction": "lu"}), &nowhere, "lu"),
        ("Allianz", json!({}), &json!({"jurisdiction": "LU"}), "lu"),
        ("Allianz", json!({"jurisdiction": "DE"}), &nowhere, "holdings"),
        // A company with exactly this name takes precedence.
        ("Allianz SE", json!({}), &nowhere, "se"),
        ("AGI Ireland", json!({}), &nowhere, "ie"),
    ] {
        let mut input = args.clone();
        input["client"] = json!({"mention": said});
        let report = world.call("book.load", input, context.clone()).await;
        assert_eq!(world.which(&report, "client"), company, "{said} {args} {context}");
    }
    let said = say(&world.kernel, "load the book of Allianz").await;
    assert_eq!(world.which(&said, "client"), "holdings");
    let link = world.evidence(&said);
    assert_eq!((&link["mention"], &link["verdict"]), (&json!("Allianz"), &json!("one")));
    assert_eq!(
        link["candidates"][0]["evidence"],
        json!([
            "“Allianz” is the client group Allianz Global Investors (alias “Allianz”)",
            "its governance controller is AGI Holdings GmbH"
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn several_acting_members_become_a_question_and_none_is_reported() {
    let world = World::new();
    let asked = call(&world.kernel, "book.report", json!({"client": {"mention": "Allianz"}})).await;
    assert_eq!(asked.status, RunStatus::NeedsInput, "{asked:#?}");
    for name in ["AGI Ireland Ltd (IE)", "AGI France SAS (FR)"] {
        assert!(asked.message.contains(name), "{}", asked.message);
    }
    let NextAction::Say { text, .. } = &asked.next_actions[0] else { panic!("{:?}", asked.next_actions) };
    let settled = call(&world.kernel, "book.report", json!({"client": text})).await;
    assert_eq!(world.which(&settled, "client"), "ie");
    let context = json!({"jurisdiction": "fr"});
    let settled = world.call("book.report", json!({"client": {"mention": "Allianz"}}), context).await;
    assert_eq!(world.which(&settled, "client"), "fr");

    let context = json!({"jurisdiction": "DE"});
    let none = world.call("book.report", json!({"client": {"mention": "Allianz"}}), context).await;
    let message = "“Allianz” is the client group Allianz Global Investors, and it has no book controller for DE.";
    assert_eq!(none.errors[0].message, message, "{none:#?}");
    let none = call(&world.kernel, "book.load", json!({"client": {"mention": "Lonely Partners"}})).await;
    assert!(none.errors[0].message.contains("it has no governance controller"), "{none:#?}");
    let none = call(&world.kernel, "book.load", json!({"client": {"mention": "Aviva"}})).await;
    assert!(none.errors[0].message.contains("There is no company called “Aviva”"), "{none:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_without_a_role_takes_a_group_only_if_nothing_else_has_the_name() {
    let world = World::new();
    let show = async |said: &str, context: Value| {
        world.call("book.show", json!({"company_id": {"mention": said}}), context).await
    };
    // Allianz SE is also called Allianz; only the group is called Allianz Global Investors.
    assert_eq!(world.which(&show("Allianz", json!({})).await, "company_id"), "se");
    let context = json!({"role": "ultimate_parent"});
    assert_eq!(world.which(&show("Allianz Global Investors", context).await, "company_id"), "se");
    let asked = show("Allianz Global Investors", json!({})).await;
    assert_eq!(asked.status, RunStatus::NeedsInput, "two members act everywhere: {asked:#?}");
    assert!(asked.message.contains("Allianz SE (ultimate parent)"), "{}", asked.message);
}

#[test]
fn invalid_group_declarations_are_reported() {
    let check = |group: &str, tools: &str| {
        let files = [
            ("pack.yaml", "name: test\nversion: 1.0.0\n"),
            ("records/company.yaml", COMPANY),
            ("records/client_group.yaml", group),
            ("records/client_anchor.yaml", ANCHOR),
            ("tools/book.yaml", tools),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        brain_registry::load_sources(vec![PackSource::new("test", files.into())])
            .err()
            .map(|report| report.render(false))
            .unwrap_or_default()
    };
    assert_eq!(check(GROUP, TOOLS), "");
    for (from, to, problem) in [
        ("members: client_anchor", "members: client_ancor", "there is no record type `client_ancor`"),
        ("of: group_id", "of: company_id", "`company_id` of `client_anchor` does not point to a `client_group`"),
        ("entity: company_id", "entity: role", "`role` of `client_anchor` points to no record"),
        ("role: role", "role: rule", "`client_anchor` has no field `rule`"),
        ("of: group_id, ", "", "`of`"),
    ] {
        let told = check(&GROUP.replace(from, to), TOOLS);
        assert!(told.contains(problem), "{to}: {told}");
    }
    let told = check(GROUP, &TOOLS.replace("anchor: book_controller", "anchor: book_keeper"));
    assert!(told.contains("no member of a group has the role `book_keeper`"), "{told}");
    let told =
        check(GROUP, &TOOLS.replace("{entity: company, anchor: book_controller}", "{entity: client_group, anchor: x}"));
    assert!(told.contains("no group leads to a `client_group`"), "{told}");
}
