//! A decision table becomes `behavior: {decide: …}`.

use roxmltree::Node;

use super::decision::{Work, formula, quoted};
use super::feel::{Form, is_plain, plain_text, texts};
use super::model::free;
use super::xml::{attribute, child, children, comment, content, text};
use crate::import::naming::{snake, words};
use crate::import::writer::{Map, Yaml, list, map, raw};

/// Maximum number of rules.
const MAX_RULES: usize = 1000;

/// The table; `None`, with a note, if it cannot be converted.
pub(super) fn behavior<'a, 'i>(work: &mut Work<'_, 'a, 'i>, table: Node<'a, 'i>) -> Option<Yaml> {
    let hit = hit(work, table)?;
    let rules: Vec<Node<'a, 'i>> = children(table, "rule").collect();
    if rules.is_empty() || rules.len() > MAX_RULES {
        work.fail(table, format!("it has {} rules; a table has 1 to {MAX_RULES}", rules.len()));
        return None;
    }
    let clauses: Vec<Node<'a, 'i>> = children(table, "input").collect();
    let (columns, plain) = columns(work, &clauses, &rules);
    let outputs: Vec<Node<'a, 'i>> = children(table, "output").collect();
    let names: Vec<String> = work.model.decisions[work.decision].outputs.iter().map(|one| one.ours.clone()).collect();
    if outputs.is_empty() {
        work.fail(table, "it has no output");
    }
    let annotations: Vec<String> =
        children(table, "annotation").map(|node| attribute(node, "name").unwrap_or_default()).collect();
    let mut rows = Vec::new();
    let mut given: Vec<Vec<Yaml>> = vec![Vec::new(); names.len()];
    for (index, rule) in rules.iter().enumerate() {
        let place = format!("rule {}", index + 1);
        let cells: Vec<Node<'a, 'i>> = children(*rule, "inputEntry").collect();
        let values: Vec<Node<'a, 'i>> = children(*rule, "outputEntry").collect();
        if cells.len() > columns.len() || values.len() > names.len() {
            work.fail(*rule, format!("{place} has more entries than the table has columns"));
            continue;
        }
        let mut when = Map::default();
        for ((name, _), cell) in columns.iter().zip(cells) {
            let said = text(cell);
            if said.is_empty() || said == "-" {
                continue;
            }
            let what = format!("{place}, `{name}`");
            if let Some(ours) = work.feel(cell, &said, Form::Tests, &what) {
                when.set(name, if is_plain(&ours) { raw(ours) } else { quoted(&ours) });
            }
        }
        let mut then = Map::default();
        for (column, name) in names.iter().enumerate() {
            let value = values.get(column).map(|node| value(work, *node, &format!("{place}, `{name}`")));
            let value = value.unwrap_or_else(|| raw("null"));
            given[column].push(value.clone());
            then.set(name, value);
        }
        rows.push(row(*rule, &annotations, when, then));
    }
    let mut decide = Map::open();
    decide.set("hit", hit);
    if !plain {
        let mut inputs = Map::default();
        for (name, tested) in &columns {
            inputs.set(name, formula(tested));
        }
        decide.set("inputs", inputs);
    }
    declared(work, hit, &outputs, &names, &given, &mut decide);
    decide.set("rules", rows);
    otherwise(work, &outputs, &names, &mut decide);
    Some(map([("decide", decide.into())]))
}

fn hit(work: &mut Work<'_, '_, '_>, table: Node<'_, '_>) -> Option<&'static str> {
    let policy = attribute(table, "hitPolicy").unwrap_or_else(|| "UNIQUE".into());
    let aggregation = attribute(table, "aggregation");
    if attribute(table, "preferredOrientation").is_some_and(|one| one == "CrossTable") {
        work.note(table, "the cross table was converted to a list of rules");
    }
    let found = match (policy.as_str(), aggregation.as_deref()) {
        ("UNIQUE", _) => "unique",
        ("FIRST", _) => "first",
        ("PRIORITY", _) => "priority",
        ("ANY", _) => "any",
        ("RULE ORDER", _) => "rule_order",
        ("OUTPUT ORDER", _) => "output_order",
        ("COLLECT", None | Some("LIST")) => "collect",
        ("COLLECT", Some("SUM")) => "collect_sum",
        ("COLLECT", Some("MIN")) => "collect_min",
        ("COLLECT", Some("MAX")) => "collect_max",
        ("COLLECT", Some("COUNT")) => {
            work.note(table, "`COUNT`: results that are the same are counted once");
            "collect_count"
        }
        (policy, aggregation) => {
            let aggregation = aggregation.map(|word| format!(" with the aggregation `{word}`")).unwrap_or_default();
            work.fail(table, format!("the hit policy `{policy}`{aggregation} is not supported"));
            return None;
        }
    };
    Some(found)
}

/// The columns with their tested expressions, and whether each is an input under its own name.
fn columns<'a, 'i>(
    work: &mut Work<'_, 'a, 'i>,
    clauses: &[Node<'a, 'i>],
    rules: &[Node<'a, 'i>],
) -> (Vec<(String, String)>, bool) {
    let mut columns: Vec<(String, String)> = Vec::new();
    let mut plain = true;
    for (index, clause) in clauses.iter().enumerate() {
        let label = attribute(*clause, "label");
        let expression = child(*clause, "inputExpression");
        let said = expression.map(text).filter(|text| !text.is_empty()).or_else(|| label.clone());
        let (Some(said), node) = (said, expression.unwrap_or(*clause)) else {
            work.fail(*clause, format!("input {} has neither an expression nor a label", index + 1));
            columns.push((format!("column_{}", index + 1), "null".into()));
            continue;
        };
        for extra in clause.attributes().filter(|one| one.namespace().is_some() && !one.value().is_empty()) {
            work.note(*clause, format!("`{}: {}` has no equivalent in a pack; dropped", extra.name(), extra.value()));
        }
        let taken = |name: &str| columns.iter().any(|(other, _)| other == name);
        let single = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_name = !super::feel::is_odd(&single) && !matches!(single.as_str(), "true" | "false" | "null");
        if is_name || work.model.odd.contains(&single) {
            let nulls = mentions_null(rules, index);
            let ours = input(work, *clause, node, &single, nulls);
            let name = free(&ours, taken);
            plain = plain && name == ours;
            columns.push((name, format!("input.{ours}")));
            continue;
        }
        plain = false;
        if let Some(allowed) = child(*clause, "inputValues").map(text).filter(|text| !text.is_empty()) {
            work.note(*clause, format!("Brain does not check that `{said}` is one of `{allowed}`"));
        }
        let name = free(&snake(label.as_deref().unwrap_or(&said)), taken);
        let tested = work.feel(node, &said, Form::Expression, &format!("input {}", index + 1));
        columns.push((name, tested.unwrap_or_else(|| "null".into())));
    }
    (columns, plain)
}

/// Whether a column tests for null.
fn mentions_null(rules: &[Node<'_, '_>], column: usize) -> bool {
    let cells = rules.iter().filter_map(|rule| children(*rule, "inputEntry").nth(column)).map(text);
    cells.into_iter().any(|cell| cell.split(|c: char| !c.is_alphanumeric()).any(|word| word == "null"))
}

/// An input that a column tests directly.
fn input<'a, 'i>(
    work: &mut Work<'_, 'a, 'i>,
    clause: Node<'a, 'i>,
    expression: Node<'a, 'i>,
    theirs: &str,
    nulls: bool,
) -> String {
    let known = work.find(theirs);
    let has_type = attribute(expression, "typeRef").is_some();
    let (mut kind, from) = match known {
        // The declared type comes first, unless it is `any`.
        Some((kind, from)) if kind.word != "any" || !has_type => (kind, from),
        other => {
            let kind = work.model.kind_of(expression, clause, work.notes);
            let from = other.and_then(|(_, from)| from);
            (if from.is_some() { kind.optional() } else { kind }, from)
        }
    };
    if let Some(allowed) = child(clause, "inputValues").map(text).filter(|text| !text.is_empty() && text != "-")
        && from.is_none()
        && !kind.allow(&allowed)
    {
        work.note(clause, format!("Brain does not check that `{theirs}` is one of `{allowed}`"));
    }
    kind.optional |= nulls;
    let ours = work.model.rename(theirs);
    let label = attribute(clause, "label").filter(|label| words(label) != words(&ours) && !label.contains("{{"));
    kind.title = label.unwrap_or_default();
    if let Some(first) = work.inputs.iter_mut().find(|one| one.theirs == theirs) {
        first.kind.optional |= nulls;
    }
    work.declare(theirs, kind, from)
}

/// A result: a literal, or `= FEEL`.
fn value<'a, 'i>(work: &mut Work<'_, 'a, 'i>, node: Node<'a, 'i>, what: &str) -> Yaml {
    let said = text(node);
    if said.is_empty() || said == "-" || said == "null" {
        return raw("null");
    }
    if is_plain(&said) {
        return raw(said);
    }
    if let Some(text) =
        plain_text(&said).filter(|text| !text.starts_with('=') && !text.contains("{{") && !text.contains("{%"))
    {
        return Yaml::from(text);
    }
    work.feel(node, &said, Form::Expression, what).map_or_else(|| raw("null"), |ours| formula(&ours))
}

/// A rule with its annotations as comments.
fn row(rule: Node<'_, '_>, annotations: &[String], when: Map, then: Map) -> Yaml {
    let mut row = Map::default();
    if let Some(text) = child(rule, "description").map(content).filter(|text| !text.is_empty()) {
        row.comment(comment(&text));
    }
    for (index, entry) in children(rule, "annotationEntry").enumerate() {
        let said = text(entry);
        if !said.is_empty() {
            let name = annotations.get(index).filter(|name| !name.is_empty());
            row.comment(comment(&name.map(|name| format!("{name}: {said}")).unwrap_or(said)));
        }
    }
    if !when.is_empty() {
        row.set("when", when);
    }
    row.set("then", then);
    row.into()
}

/// `outputs`: the order of the columns, and of their values if the hit policy needs it.
fn declared<'a, 'i>(
    work: &mut Work<'_, 'a, 'i>,
    hit: &str,
    outputs: &[Node<'a, 'i>],
    names: &[String],
    given: &[Vec<Yaml>],
    decide: &mut Map,
) {
    let ranked = matches!(hit, "priority" | "output_order");
    let mut ranks = Map::default();
    let mut any = false;
    for (column, (clause, name)) in outputs.iter().zip(names).enumerate() {
        let allowed = child(*clause, "outputValues").map(text).filter(|text| !text.is_empty() && text != "-");
        if !ranked {
            if let Some(allowed) = allowed {
                decide.comment(comment(&format!("`{name}` is one of {allowed}")));
            }
            continue;
        }
        let own = &work.model.decisions[work.decision].outputs[column].kind.values;
        let mut values: Vec<Yaml> = match allowed {
            Some(allowed) => literals(work, *clause, &allowed),
            None => own.iter().map(|value| Yaml::from(value.as_str())).collect(),
        };
        if !values.is_empty() {
            any = true;
            for value in &given[column] {
                let literal =
                    matches!(value, Yaml::Scalar(text) if !text.trim_start_matches(['\'', '"']).starts_with('='));
                if literal && !values.contains(value) {
                    let Yaml::Scalar(shown) = value else { continue };
                    work.note(*clause, format!("`{shown}` of `{name}` has no rank; it comes last"));
                    values.push(value.clone());
                }
            }
        }
        ranks.set(name, values);
    }
    if ranked {
        if !any {
            let parent =
                outputs.first().and_then(Node::parent_element).unwrap_or(work.model.decisions[work.decision].node);
            work.fail(parent, "this hit policy needs a ranking: `outputValues` is missing");
        }
        decide.set("outputs", ranks);
    } else if names.len() > 1 {
        decide.set("outputs", list(names.iter().map(String::as_str)));
    }
}

/// The literals `"a", 1, true` as values.
fn literals<'a, 'i>(work: &mut Work<'_, 'a, 'i>, clause: Node<'a, 'i>, said: &str) -> Vec<Yaml> {
    if let Some(texts) = texts(said) {
        return texts.into_iter().map(Yaml::from).collect();
    }
    let parts: Vec<&str> = said.split(',').map(str::trim).collect();
    if parts.iter().all(|part| is_plain(part)) {
        return parts.into_iter().map(raw).collect();
    }
    work.note(clause, format!("the order `{said}` is not a list of values"));
    Vec::new()
}

/// The answer if no rule matches.
fn otherwise<'a, 'i>(work: &mut Work<'_, 'a, 'i>, outputs: &[Node<'a, 'i>], names: &[String], decide: &mut Map) {
    let mut then = Map::default();
    let mut any = false;
    for (clause, name) in outputs.iter().zip(names) {
        let default = child(*clause, "defaultOutputEntry").filter(|node| !text(*node).is_empty());
        any = any || default.is_some();
        let value = default.map(|node| value(work, node, &format!("the default of `{name}`")));
        then.set(name, value.unwrap_or_else(|| raw("null")));
    }
    if any {
        decide.set("otherwise", map([("then", then.into())]));
    }
}
