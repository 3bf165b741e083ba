//! What people see: 80 columns, names first, details with `-v`.

use super::Project;
use super::common::text;

fn project() -> Project {
    let project = Project::new();
    project.write_pack();
    project.write("brain.yaml", "store: sqlite:data.db\npacks: [memos]\n");
    project
}

#[test]
fn an_answer_is_a_sentence_and_verbose_says_how_it_came_about() {
    let project = project();
    let plain = text(&project.ok(&["do", "jot buy milk"]));
    assert!(plain.starts_with("Jotted down."), "{plain}");
    assert!(!plain.contains("understood") && !plain.contains("receipt"), "{plain}");
    let verbose = text(&project.ok(&["do", "jot buy milk", "-v"]));
    for part in ["understood", "plan", "memos.jot", "receipt", "Jotted down."] {
        assert!(verbose.contains(part), "{part}: {verbose}");
    }
    let quiet = text(&project.ok(&["do", "jot buy milk", "-q"]));
    assert_eq!(quiet, "Jotted down.\n");
}

#[test]
fn lists_fit_eighty_columns_and_cut_no_value() {
    let project = project();
    let long =
        "a memo with quite a lot to say about something that matters to somebody somewhere, and more of it than fits";
    project.ok(&["do", &format!("jot {long}")]);
    project.ok(&["do", &format!("jot {long}"), "--mode", "plan"]);
    project.write("m.csv", "text,number,fee\nRent,A1,77.5\n");
    project.ok(&["records", "import", "memo", "m.csv"]);
    project.ok(&["token", "new", "--label", "for the phone of the person at the front desk", "--approver"]);
    for words in [
        vec!["runs"],
        vec!["approve"],
        vec!["dlq", "list"],
        vec!["records", "list", "memo"],
        vec!["tools"],
        vec!["token", "list"],
        vec!["audit"],
        vec!["runs", "waiting"],
    ] {
        let output = project.brain().env("COLUMNS", "80").args(&words).output().unwrap();
        for line in text(&output).lines() {
            assert!(line.chars().count() <= 80 || line.contains("→ brain"), "{words:?}: {line}");
        }
    }
    let runs = text(&project.ok(&["runs"]));
    assert!(runs.contains("more of it than") || runs.contains('…'), "{runs}");
    assert!(runs.find("jot a memo").unwrap() < runs.find("completed").unwrap(), "what was asked comes first: {runs}");
    let list = text(&project.brain().env("COLUMNS", "200").args(["records", "list", "memo"]).output().unwrap());
    assert!(
        list.contains("77.50") && list.contains("somewhere, and more of it") && list.contains("than fits"),
        "{list}"
    );
    let tokens = text(&project.ok(&["token", "list"]));
    assert!(tokens.starts_with("for the phone"), "{tokens}");
}

#[test]
fn a_list_says_when_there_are_more() {
    let project = project();
    for number in 0..3 {
        project.ok(&["do", &format!("jot {number}")]);
    }
    for words in [vec!["runs", "--limit", "2"], vec!["records", "list", "memo", "--limit", "2"]] {
        let page = text(&project.ok(&words));
        let more = page.lines().find_map(|line| line.strip_prefix("more: brain ")).unwrap_or_else(|| panic!("{page}"));
        let rest = text(&project.ok(&more.split_whitespace().collect::<Vec<_>>()));
        assert!(!rest.contains("more: brain"), "{rest}");
    }
}
