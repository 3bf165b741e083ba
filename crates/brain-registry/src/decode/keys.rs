//! The keys of every part of a pack, for the JSON Schemas of editors and the test that compares both.

use super::schema::attributes as field;
use super::schema::{raw, types};
use super::{
    attributes, behavior, corpus, expr_behavior, http_behavior, pack, playbook, playbook_behavior, policy,
    preconditions, record, roles, scenario, slots, tool, undo, worker_behavior,
};
use super::{decide_behavior, record_behavior};

/// Every type of the short form.
pub fn types() -> &'static [&'static str] {
    types::TYPES
}

/// Keywords that mark a field as JSON Schema.
pub fn telltales() -> &'static [&'static str] {
    raw::TELLTALES
}

/// The hit policies of decision tables: words and letters.
pub fn hits() -> Vec<&'static str> {
    decide_behavior::HITS.iter().map(|(word, _)| *word).collect()
}

/// The operations on records, each with the keys it takes besides `with` and `result`.
pub fn operations() -> Vec<(&'static str, &'static [&'static str])> {
    record_behavior::OPERATIONS.iter().map(|(word, op)| (*word, record_behavior::keys(*op))).collect()
}

/// The attributes of short-form fields: of inputs, slots and records.
fn fields() -> [Vec<&'static str>; 3] {
    let common = || field::COMMON.iter().copied().chain(field::OF_TYPES.iter().map(|(key, ..)| *key));
    let with = |more: &'static [&'static str]| common().chain(more.iter().copied()).collect();
    [with(&[]), with(field::OF_SLOTS), with(field::OF_RECORDS)]
}

/// Every map with known keys: its schema, its name there, and its keys.
pub fn all() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let [input, slot, stored] = fields();
    let of_tool = tool::KEYS.into_iter().chain(attributes::ATTRIBUTES).collect();
    let slot_value = types::VALUE_KEYS.into_iter().chain([types::SLOT_VALUE_KEY]).collect();
    let mut all = vec![
        ("pack", "", pack::KEYS.to_vec()),
        ("pack", "help", pack::HELP_KEYS.to_vec()),
        ("pack", "intent_tier", pack::TIER_KEYS.to_vec()),
        ("pack", "intent_kind", pack::KIND_KEYS.to_vec()),
        ("record", "", record::KEYS.to_vec()),
        ("record", "states", record::STATES_KEYS.to_vec()),
        ("record", "group", record::GROUP_KEYS.to_vec()),
        ("record", "record_attributes", stored),
        ("record", "value", types::VALUE_KEYS.to_vec()),
        ("tools", "", tool::FILE_KEYS.to_vec()),
        ("tools", "tool", of_tool),
        ("tools", "input_attributes", input.clone()),
        ("tools", "value", types::VALUE_KEYS.to_vec()),
        ("tools", "blocker", attributes::BLOCKER_KEYS.to_vec()),
        ("tools", "cost", attributes::COST_KEYS.to_vec()),
        ("tools", "acknowledge", attributes::ACKNOWLEDGE_KEYS.to_vec()),
        ("tools", "review", attributes::REVIEW_KEYS.to_vec()),
        ("tools", "delegate", attributes::DELEGATE_KEYS.to_vec()),
        ("tools", "retry", policy::RETRY_KEYS.to_vec()),
        ("tools", "idempotency", policy::IDEMPOTENCY_KEYS.to_vec()),
        ("tools", "limits", policy::LIMITS_KEYS.to_vec()),
        ("tools", "undo", undo::KEYS.to_vec()),
        ("tools", "precondition", preconditions::KEYS.to_vec()),
        ("tools", "behavior", behavior::NOW.to_vec()),
        ("tools", "playbook_behavior", playbook_behavior::KEYS.to_vec()),
        ("tools", "worker", worker_behavior::KEYS.to_vec()),
        ("tools", "http", http_behavior::KEYS.to_vec()),
        ("tools", "also", http_behavior::ALSO_KEYS.to_vec()),
        ("tools", "auth", http_behavior::AUTH_KEYS.to_vec()),
        ("tools", "auth_header", http_behavior::HEADER_KEYS.to_vec()),
        ("tools", "auth_basic", http_behavior::BASIC_KEYS.to_vec()),
        ("tools", "criteria", http_behavior::CRITERIA_KEYS.to_vec()),
        ("tools", "lookup_get", record_behavior::GET_KEYS.to_vec()),
        ("tools", "lookup_list", record_behavior::LIST_KEYS.to_vec()),
        ("tools", "expr", expr_behavior::KEYS.to_vec()),
        ("tools", "decide", decide_behavior::KEYS.to_vec()),
        ("tools", "rule", decide_behavior::RULE_KEYS.to_vec()),
        ("tools", "otherwise", decide_behavior::OTHERWISE_KEYS.to_vec()),
        ("tools", "step", playbook::STEP_KEYS.to_vec()),
        ("playbook", "", playbook::KEYS.to_vec()),
        ("playbook", "step", playbook::STEP_KEYS.to_vec()),
        ("playbook", "retry", policy::RETRY_KEYS.to_vec()),
        ("playbook", "slot_attributes", slot),
        ("playbook", "input_attributes", input),
        ("playbook", "value", types::VALUE_KEYS.to_vec()),
        ("playbook", "slot_value", slot_value),
        ("playbook", "placeholder", slots::PLACEHOLDER_KEYS.to_vec()),
        ("playbook", "role", roles::KEYS.to_vec()),
        ("corpus", "row", corpus::ROW_KEYS.to_vec()),
        ("corpus", "expectation", corpus::EXPECT_KEYS.to_vec()),
        ("scenario", "", scenario::KEYS.to_vec()),
        ("scenario", "step", scenario::STEP_KEYS.to_vec()),
        ("scenario", "stub", scenario::STUB_KEYS.to_vec()),
        ("scenario", "answer", scenario::ANSWER_KEYS.to_vec()),
        ("scenario", "work", scenario::WORK_KEYS.to_vec()),
        ("scenario", "person", scenario::PERSON_KEYS.to_vec()),
        ("scenario", "failure", scenario::FAILURE_KEYS.to_vec()),
        ("scenario", "call", scenario::CALL_KEYS.to_vec()),
        ("scenario", "expect", scenario::EXPECT_KEYS.to_vec()),
        ("scenario", "expect_records", scenario::EXPECT_RECORDS_KEYS.to_vec()),
    ];
    for (word, keys) in operations() {
        let known = [word, "with", "result"].into_iter().chain(keys.iter().copied()).collect();
        all.push(("tools", word, known));
    }
    all
}
