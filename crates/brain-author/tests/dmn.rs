//! Decisions of DMN files become equivalent tools.

use brain_author::import::{Imported, dmn};
use brain_lang::feel::{Env, Value as FeelValue};
use brain_registry::model::{Behavior, DecideBehavior, HitPolicy};
use brain_registry::{Loaded, PackSource, load_sources};
use serde_json::{Value, json};

const NAMESPACES: [&str; 5] = [
    "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "https://www.omg.org/spec/DMN/20230324/MODEL/",
];

fn file(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<definitions xmlns=\"{}\" name=\"Parcel Desk\">\n{body}</definitions>",
        NAMESPACES[4]
    )
}

fn imported(body: &str) -> Imported {
    dmn("desk", &[("desk.dmn".to_owned(), file(body))], true).unwrap_or_else(|report| panic!("{report}"))
}

/// The generated pack; it must pass the check without a warning.
fn checked(imported: &Imported) -> Loaded {
    let source = PackSource::new("made", imported.files.clone());
    let shown: Vec<String> = imported.files.iter().map(|(path, text)| format!("=== {path}\n{text}")).collect();
    let loaded = load_sources(vec![source]).unwrap_or_else(|report| panic!("{}\n{report}", shown[..2].join("\n")));
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    loaded
}

fn table(loaded: &Loaded, tool: &str) -> DecideBehavior {
    match &loaded.registry.tool(tool).unwrap_or_else(|| panic!("no {tool}")).def.behavior {
        Behavior::Decide(table) => (**table).clone(),
        other => panic!("{other:?}"),
    }
}

/// The results of the matching rules, in table order; empty if something cannot be evaluated.
fn hits(loaded: &Loaded, tool: &str, input: Value) -> Option<Vec<Value>> {
    let table = table(loaded, tool);
    let schema = &loaded.registry.tool(tool)?.def.input;
    let context = FeelValue::context([("input", FeelValue::from_typed_json(&input, schema))]);
    let mut random = || 0;
    let mut env = Env::new(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC, &mut random);
    let mut found = Vec::new();
    'rules: for rule in &table.rules {
        for (column, tests) in &rule.when {
            let (_, tested) = table.inputs.iter().find(|(name, _)| name == column)?;
            let value = tested.eval_value(&context, &mut env).ok()?;
            if !tests.hold(&value, &context, &mut env).ok()? {
                continue 'rules;
            }
        }
        let mut said = serde_json::Map::new();
        for (name, value) in &rule.then {
            said.insert(name.clone(), value.eval(&context, &mut env).ok()?);
        }
        found.push(Value::Object(said));
    }
    Some(found)
}

fn noted(imported: &Imported, about: &str, place: &str, part: &str) -> bool {
    let notes = &imported.notes;
    notes.iter().any(|note| note.about == about && note.key.starts_with(place) && note.note.contains(part))
}

/// A table over weight and country with this policy.
fn postage(policy: &str) -> String {
    format!(
        r#"<decision id="d" name="Postage">
  <decisionTable {policy}>
    <input label="Weight in kg"><inputExpression typeRef="number"><text>weight</text></inputExpression></input>
    <input><inputExpression typeRef="string"><text>country</text></inputExpression>
      <inputValues><text>"home", "abroad"</text></inputValues></input>
    <output name="price" typeRef="number"><outputValues><text>9.50, 4, 2</text></outputValues></output>
    <rule><description>Small ones</description><inputEntry><text>&lt; 2</text></inputEntry><inputEntry><text>-</text></inputEntry><outputEntry><text>2</text></outputEntry></rule>
    <rule><inputEntry><text>[1..10]</text></inputEntry><inputEntry><text>"home"</text></inputEntry><outputEntry><text>4</text></outputEntry></rule>
    <rule><inputEntry><text></text></inputEntry><inputEntry><text>not("home")</text></inputEntry><outputEntry><text>9.50</text></outputEntry></rule>
  </decisionTable>
</decision>
"#
    )
}

#[test]
fn every_hit_policy_is_imported() {
    for (policy, expected) in [
        ("", HitPolicy::Unique),
        (r#"hitPolicy="UNIQUE""#, HitPolicy::Unique),
        (r#"hitPolicy="FIRST""#, HitPolicy::First),
        (r#"hitPolicy="PRIORITY""#, HitPolicy::Priority),
        (r#"hitPolicy="ANY""#, HitPolicy::Any),
        (r#"hitPolicy="RULE ORDER""#, HitPolicy::RuleOrder),
        (r#"hitPolicy="OUTPUT ORDER""#, HitPolicy::OutputOrder),
        (r#"hitPolicy="COLLECT""#, HitPolicy::Collect),
        (r#"hitPolicy="COLLECT" aggregation="SUM""#, HitPolicy::CollectSum),
        (r#"hitPolicy="COLLECT" aggregation="MIN""#, HitPolicy::CollectMin),
        (r#"hitPolicy="COLLECT" aggregation="MAX""#, HitPolicy::CollectMax),
        (r#"hitPolicy="COLLECT" aggregation="COUNT""#, HitPolicy::CollectCount),
    ] {
        let imported = imported(&postage(policy));
        let loaded = checked(&imported);
        let table = table(&loaded, "parcel_desk.postage");
        assert_eq!(table.hit, expected, "{policy}");
        let ranked = matches!(expected, HitPolicy::Priority | HitPolicy::OutputOrder);
        assert_eq!(table.outputs.iter().any(|(_, values)| values.len() == 3), ranked, "{policy}");
        let input = |weight: Value, country: &str| json!({"weight": weight, "country": country});
        assert_eq!(
            hits(&loaded, "parcel_desk.postage", input(json!("1.5"), "home")).unwrap(),
            [json!({"price": 2}), json!({"price": 4})]
        );
        assert_eq!(hits(&loaded, "parcel_desk.postage", input(json!(30), "abroad")).unwrap().len(), 1);
    }
    let unknown = imported(&postage(r#"hitPolicy="LAST""#));
    assert_eq!(unknown.made, (0, 0));
    assert!(noted(&unknown, "Postage", "desk.dmn:4:3", "`LAST` is not supported"), "{:?}", unknown.notes);
}

#[test]
fn every_version_is_read_and_nothing_else() {
    for namespace in NAMESPACES {
        let text = file(&postage("")).replace(NAMESPACES[4], namespace);
        assert_eq!(dmn("desk", &[("a.dmn".to_owned(), text)], true).unwrap().made, (1, 0), "{namespace}");
    }
    for (text, line, column, said, help) in [
        ("<definitions xmlns=\"urn:x\"/>".to_owned(), 1, 1, "not DMN", "the root"),
        (file("<decision name=\"a\">"), 3, 20, "not XML", "export"),
        (file("<a>&nope;</a>"), 3, 4, "unknown entity `&nope;`", "&lt;"),
        ("<definitions>".to_owned(), 1, 14, "appears to be truncated", "copied whole"),
        ("\n<!DOCTYPE d [<!ENTITY e \"x\">]>\n<d>&e;</d>".to_owned(), 2, 1, "refused", "remove"),
        (String::new(), 1, 1, "not XML", "export"),
    ] {
        let report = dmn("desk", &[("bad.dmn".to_owned(), text.clone())], true).unwrap_err();
        let found = &report.diagnostics()[0];
        assert_eq!((found.file.as_str(), found.line, found.column), ("bad.dmn", line, column), "{text}: {report}");
        assert_eq!(found.code, if said == "not DMN" { "P0103" } else { "P0009" });
        assert!(found.message.contains(said) && found.help.as_ref().unwrap().contains(help), "{report}");
    }
    let deep = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
    assert!(dmn("desk", &[("deep.dmn".to_owned(), deep)], true).is_err());
}

const LOAN: &str = r#"
<itemDefinition name="tRisk"><typeRef>string</typeRef><allowedValues><text>"low", "high"</text></allowedValues></itemDefinition>
<itemDefinition name="tPerson"><itemComponent name="born"><typeRef>date</typeRef></itemComponent>
  <itemComponent name="pets"><typeRef>number</typeRef></itemComponent></itemDefinition>
<itemDefinition name="tHouse"><itemComponent name="Built On"><typeRef>date</typeRef></itemComponent></itemDefinition>
<inputData name="House"><variable name="House" typeRef="tHouse"/></inputData>
<decision name="Old"><decisionTable><input><inputExpression><text>House.Built On</text></inputExpression></input><output/>
  <rule><inputEntry><text>&lt; date("1950-01-01")</text></inputEntry><outputEntry><text>true</text></outputEntry></rule></decisionTable></decision>
<inputData name="Monthly Income"><variable name="Monthly Income" typeRef="number"/></inputData>
<inputData name="Risk"><variable name="Risk" typeRef="tRisk"/></inputData>
<inputData name="Person"><variable name="Person" typeRef="tPerson"/></inputData>
<decision name="Yearly Income"><question>How much a year?</question><variable name="Yearly Income" typeRef="number"/>
  <informationRequirement><requiredInput href="x"/></informationRequirement>
  <literalExpression><text>Monthly Income * 12</text></literalExpression></decision>
<decision name="Limit"><variable name="Limit" typeRef="number"/>
  <decisionTable hitPolicy="FIRST">
    <input label="Thousands"><inputExpression><text>floor(Yearly Income / 1000)</text></inputExpression></input>
    <input><inputExpression><text>Risk</text></inputExpression></input>
    <input><inputExpression typeRef="date"><text>Person.born</text></inputExpression></input>
    <output name="Upper Limit" typeRef="number"><defaultOutputEntry><text>0</text></defaultOutputEntry></output>
    <output name="why" typeRef="string"/>
    <annotation name="Source"/>
    <rule><inputEntry><text>&gt;= 50</text></inputEntry><inputEntry><text>"low"</text></inputEntry>
      <inputEntry><text>&lt; date("2000-01-01")</text></inputEntry>
      <outputEntry><text>Yearly Income / 10</text></outputEntry><outputEntry><text>"{{ rich }}"</text></outputEntry>
      <annotationEntry><text>Policy 7&#13;evil: yes</text></annotationEntry></rule>
    <rule><inputEntry><text>-</text></inputEntry><inputEntry><text>"low"</text></inputEntry><inputEntry><text>-</text></inputEntry>
      <outputEntry><text>1000</text></outputEntry><outputEntry><text>"= usual"</text></outputEntry></rule>
  </decisionTable></decision>
<decision name="Offer"><literalExpression><text>if Limit.Upper Limit &gt; 0 then "yes" else "no"</text></literalExpression></decision>
"#;

#[test]
fn names_types_and_requirements_of_decisions_are_imported() {
    let imported = imported(LOAN);
    assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    assert_eq!(imported.made, (4, 2));
    let loaded = checked(&imported);
    let limit = &loaded.registry.tool("parcel_desk.limit").unwrap().def;
    assert_eq!(limit.input["properties"]["risk"]["enum"], json!(["low", "high"]));
    assert_eq!(limit.input["properties"]["person"]["properties"]["born"]["format"], "date");
    assert_eq!(limit.input["required"], json!(["risk", "person"]));
    let input = json!({"yearly_income": 60000, "risk": "low", "person": {"born": "1980-02-03"}});
    let said = hits(&loaded, "parcel_desk.limit", input).unwrap();
    assert_eq!(said[0], json!({"upper_limit": 6000, "why": "{{ rich }}"}));
    assert_eq!(said[1], json!({"upper_limit": 1000, "why": "= usual"}));
    let house = json!({"house": {"Built On": "1900-12-31"}});
    assert_eq!(hits(&loaded, "parcel_desk.old", house).unwrap(), [json!({"old": true})]);
    let otherwise = table(&loaded, "parcel_desk.limit").otherwise.unwrap();
    assert_eq!(*otherwise.then["upper_limit"].source(), json!(0));
    let tools = &imported.files.iter().find(|(path, _)| path == "tools/parcel_desk.yaml").unwrap().1;
    assert!(tools.contains("# Source: Policy 7 evil: yes\n"), "{tools}");
    assert!(tools.contains("description: How much a year?"), "{tools}");
    let offer = &imported.files.iter().find(|(path, _)| path.ends_with("work_out_offer.yaml")).unwrap().1;
    assert!(offer.contains("args: {limit: \"= steps.limit.result\"}"), "{offer}");
    assert!(offer.contains("yearly_income: \"= steps.yearly_income.result.yearly_income\""), "{offer}");
    assert!(offer.contains("monthly_income: decimal"), "{offer}");
}

#[test]
fn what_cannot_be_imported_is_reported_with_its_position() {
    let body = r#"<businessKnowledgeModel name="Rate table"/>
<import name="other"/>
<decision name="Boxed"><context/></decision>
<decision name="Called"><literalExpression><text>Rate table(3)</text></literalExpression></decision>
<decision name="Scripted"><literalExpression expressionLanguage="javascript"><text>x</text></literalExpression></decision>
<decision name="Word"><decisionTable><input><inputExpression><text>kind</text></inputExpression></input><output name="o"/>
<rule><inputEntry><text>medium</text></inputEntry><outputEntry><text>1</text></outputEntry></rule></decisionTable></decision>
<decision name="Empty"/>
<decision name="Circle"><literalExpression><text>Round + 1</text></literalExpression></decision>
<decision name="Round"><literalExpression><text>Circle + Boxed</text></literalExpression></decision>
"#;
    let imported = imported(body);
    for (about, place, part) in [
        ("desk.dmn", "desk.dmn:3:1", "`Rate table`: business knowledge"),
        ("desk.dmn", "desk.dmn:4:1", "imported files"),
        ("Boxed", "desk.dmn:5:24", "a boxed `context`"),
        ("Boxed", "desk.dmn:5:1", "skipped"),
        ("Called", "desk.dmn:6:25", "cannot be read"),
        ("Scripted", "desk.dmn:7:27", "`javascript`"),
        ("Word", "desk.dmn:9:7", "rule 1, `kind`: nothing is called `medium`"),
        ("Empty", "desk.dmn:10:1", "neither a table nor an expression"),
        ("Circle", "desk.dmn:11:1", "it needs itself"),
        ("Round", "desk.dmn:12:1", "`Boxed`, which it needs, is not a tool"),
    ] {
        assert!(noted(&imported, about, place, part), "{about} {place} {part}: {:#?}", imported.notes);
    }
    assert_eq!(imported.made, (2, 0));
    checked(&imported);
}

#[test]
fn two_files_with_the_same_decision_make_one_tool() {
    let sources = [("a.dmn".to_owned(), file(&postage(""))), ("b.dmn".to_owned(), file(&postage("")))];
    let imported = dmn("desk", &sources, true).unwrap();
    assert_eq!(imported.made, (1, 0));
    assert!(noted(&imported, "Postage", "b.dmn:3:1", "already exists"));
    let added = dmn("desk", &sources, false).unwrap();
    assert_eq!(added.files[0].0, "tools/parcel_desk_imported.yaml");
}
