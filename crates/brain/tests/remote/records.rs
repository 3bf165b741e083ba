//! `brain records import` and `export`.

use std::io::Write as _;
use std::process::Stdio;

use super::Project;
use super::common::{json, text};

fn project() -> Project {
    let project = Project::new();
    project.write_pack();
    project.write("brain.yaml", "store: sqlite:data.db\npacks: [memos]\n");
    project
}

#[test]
fn a_file_is_checked_line_by_line_then_taken_in_and_updated_by_its_key() {
    let project = project();
    project.write(
        "memos.csv",
        "text,number,fee,count,state\nBuy milk,A1,2.5,1,\n\"Call Bob, today\",A2,,x,\nPay rent,A3,,3,done\nNo state,A4,,,gone\n",
    );
    let checked = project.run(&["records", "import", "memo", "memos.csv", "--dry-run"]);
    assert_eq!(checked.status.code(), Some(1));
    let told = text(&checked);
    assert!(told.contains("line 3:") && told.contains("count: `x` is not a number"), "{told}");
    assert!(told.contains("line 5:") && told.contains("`gone` is not one of done, open"), "{told}");
    assert!(told.contains("2 would be created, 0 would be updated, 0 unchanged, 2 rejected"), "{told}");
    assert!(text(&project.ok(&["records", "list", "memo"])).contains("No memo records."), "nothing was written");

    let taken = json(&project.run(&["records", "import", "memo", "memos.csv", "--json"]));
    assert_eq!((&taken["created"], &taken["refused"], &taken["ok"]), (&2.into(), &2.into(), &false.into()));

    project.write("more.csv", "number,text,count\nA1,Buy oat milk,1\nA3,Pay rent,3\nA5,Sleep,\n");
    let updated = json(&project.ok(&["records", "import", "memo", "more.csv", "--key", "number", "--json"]));
    assert_eq!(
        (&updated["created"], &updated["updated"], &updated["unchanged"]),
        (&1.into(), &1.into(), &1.into()),
        "{updated}"
    );
    let list = json(&project.ok(&["records", "list", "memo", "--json"]));
    let milk = list["items"].as_array().unwrap().iter().find(|one| one["number"] == "A1").unwrap();
    assert_eq!((&milk["text"], &milk["fee"], &milk["revision"]), (&"Buy oat milk".into(), &"2.50".into(), &2.into()));
    let rent = list["items"].as_array().unwrap().iter().find(|one| one["number"] == "A3").unwrap();
    assert_eq!(rent["state"], "done", "a state that the file does not name stays");

    // A key that another record has is refused, and the others are taken in.
    project.write("twice.csv", "number,text\nA1,Again\nA9,New\n");
    let twice = project.run(&["records", "import", "memo", "twice.csv"]);
    assert!(text(&twice).contains("line 2:") && text(&twice).contains("1 created"), "{}", text(&twice));
    let wrong = project.run(&["records", "import", "memo", "twice.csv", "--key", "text"]);
    assert!(text(&wrong).contains("use one of: id, number"), "{}", text(&wrong));
    let audit = text(&project.ok(&["audit"]));
    assert!(audit.contains("records import"), "{audit}");
}

#[test]
fn what_was_exported_is_unchanged_when_it_is_imported_again() {
    let project = project();
    for text in ["one, two", "three \"four\"", "five\nsix"] {
        project.ok(&["do", &format!("jot {text}")]);
    }
    for (file, format) in [("out.csv", "csv"), ("out.jsonl", "jsonl")] {
        project.ok(&["records", "export", "memo", "-o", file]);
        let again = json(&project.ok(&["records", "import", "memo", file, "--key", "id", "--json"]));
        assert_eq!((&again["unchanged"], &again["updated"]), (&3.into(), &0.into()), "{format}: {again}");
        let piped = project.ok(&["records", "export", "memo", "--format", format]);
        assert_eq!(piped.stdout, std::fs::read(project.path(file)).unwrap());
    }
    // Into another store, over its server.
    let other = self::project();
    let server = other.serve(&[]);
    let mut import = project.brain();
    import.args(["records", "import", "memo", "-", "--format", "jsonl", "--json", "--server", &server.url]);
    let mut child = import.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(project.path("out.jsonl")).unwrap()).unwrap();
    let taken = json(&child.wait_with_output().unwrap());
    assert_eq!(taken["created"], 3, "{taken}");
    let there = text(&other.ok(&["records", "export", "memo", "--format", "jsonl"]));
    assert!(there.contains("one, two"), "{there}");
}

#[test]
fn many_lines_with_the_same_key_end_as_one_record() {
    let project = project();
    let lines: String = (0..1200).map(|number| format!("N{},memo {number}\n", number % 7)).collect();
    project.write("many.csv", &format!("number,text\n{lines}"));
    let done = json(&project.ok(&["records", "import", "memo", "many.csv", "--key", "number", "--json"]));
    assert_eq!((&done["created"], &done["updated"]), (&7.into(), &1193.into()), "{done}");
    let list = json(&project.ok(&["records", "list", "memo", "--json"]));
    assert_eq!(list["items"].as_array().unwrap().len(), 7);
}

#[test]
fn a_dry_run_reports_what_the_import_does_with_keys_that_repeat() {
    let counts = |done: &serde_json::Value| {
        ["created", "updated", "unchanged", "refused"].map(|name| done[name].as_u64().unwrap_or_default())
    };
    let cases: [(&str, &[&str], [u64; 4]); 4] = [
        // Without a key, a number that is taken is refused: in the store, or in an earlier line.
        ("number,text\nA1,one\nA1,two\nB1,stored\nA2,three\n", &[], [2, 0, 0, 2]),
        // With it, later lines update what earlier ones made.
        ("number,text\nA1,one\nA1,two\nA1,two\nB1,other\n", &["--key", "number"], [1, 2, 1, 0]),
        (
            "id,number,text\n01890a5d-ac96-774b-bcce-b302099a8057,A1,one\n01890a5d-ac96-774b-bcce-b302099a8057,A2,two\n",
            &[],
            [1, 0, 0, 1],
        ),
        (
            "id,number,text\n01890a5d-ac96-774b-bcce-b302099a8057,A1,one\n01890a5d-ac96-774b-bcce-b302099a8057,A2,two\n",
            &["--key", "id"],
            [1, 1, 0, 0],
        ),
    ];
    for (file, options, expected) in cases {
        let project = project();
        project.write("stored.csv", "number,text\nB1,stored\n");
        project.ok(&["records", "import", "memo", "stored.csv"]);
        project.write("f.csv", file);
        let args = [&["records", "import", "memo", "f.csv", "--json"], options].concat();
        let checked = json(&project.run(&[&args[..], &["--dry-run"]].concat()));
        let done = json(&project.run(&args));
        assert_eq!(counts(&done), expected, "{file}: {done}");
        assert_eq!(counts(&checked), expected, "dry run of {file}: {checked}");
        let lines = |done: &serde_json::Value| {
            done["errors"].as_array().unwrap().iter().map(|error| error["line"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(lines(&checked), lines(&done), "{file}");
        if options.is_empty() && file.starts_with("number") {
            assert_eq!(checked["errors"][0]["message"], "an earlier line has the same number", "{checked}");
        }
    }
    // Over more lines than the import writes at a time.
    let project = project();
    let lines: String = (0..1200).map(|number| format!("N{},memo {number}\n", number % 7)).collect();
    project.write("many.csv", &format!("number,text\n{lines}"));
    let done = json(&project.ok(&["records", "import", "memo", "many.csv", "--key", "number", "--dry-run", "--json"]));
    assert_eq!(counts(&done), [7, 1193, 0, 0], "{done}");
}

#[test]
fn columns_and_fields_that_are_there_twice_and_open_quotes_are_refused_by_line() {
    let project = project();
    let run = |name: &str, content: &str| {
        project.write(name, content);
        let done = project.run(&["records", "import", "memo", name]);
        (done.status.code(), text(&done))
    };
    let (code, told) = run("twice.csv", "number,text,number\nA1,one,A2\n");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("line 1: there are two columns `number`"), "{told}");
    let (code, told) = run("open.csv", "number,text\nA1,one\nA2,\"two\nA3,three\nA4,four\n");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("line 3: the quote (\") in line 3 is not closed") && told.contains("1 created"), "{told}");
    let (code, told) = run("head.csv", "number,\"text\nB1,one\n");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("line 1: a quote (\") is not closed"), "{told}");
    let (code, told) = run("fine.csv", "number,text\nC1,\"a \"\"quoted\"\" word,\nand a line\"\nC2,5\" pipe\n");
    assert_eq!(code, Some(0), "{told}");
    let (code, told) = run("twice.jsonl", "{\"number\": \"D1\", \"text\": \"one\", \"number\": \"D2\"}\n[1]\n");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("line 1: the field `number` appears twice"), "{told}");
    assert!(told.contains("line 2: not a JSON object"), "{told}");
}

#[test]
fn a_wrong_header_is_one_error_and_wrong_usage() {
    let project = project();
    project.write("unknown.csv", "text,nmber\nBuy milk,A1\nCall Bob,A2\n");
    std::fs::write(project.path("latin.csv"), b"text,n\xfcmber\nBuy milk,A1\n").unwrap();
    for (file, part) in [("unknown.csv", "no field `nmber`; did you mean `number`?"), ("latin.csv", "not UTF-8 text")] {
        let wrong = project.run(&["records", "import", "memo", file]);
        assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong));
        let told = text(&wrong);
        assert!(told.contains("line 1: ") && told.contains(part) && !told.contains("line 2"), "{told}");
    }
}

#[test]
fn a_choice_is_exported_and_imported_as_its_word() {
    let project = Project::new();
    project.write("brain.yaml", "store: sqlite:data.db\n");
    project.write("tasks.csv", "title,domain\nOrder tiles,business\nBook the dentist,personal\n");
    project.ok(&["records", "import", "task", "tasks.csv"]);
    project.ok(&["records", "export", "task", "-o", "out.csv"]);
    let again = json(&project.ok(&["records", "import", "task", "out.csv", "--key", "id", "--json"]));
    assert_eq!(again["unchanged"], 2, "{again}");
    project.write("wrong.csv", "title,domain\nOrder tiles,busines\n");
    let wrong = text(&project.run(&["records", "import", "task", "wrong.csv", "--dry-run"]));
    assert!(wrong.contains("line 2:") && wrong.contains("domain"), "{wrong}");
}
