//! `brain pack docs`: the content of a document, and the soundness of its drawings.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::PathBuf;

use brain_author::docs::{html, markdown};
use brain_registry::{PackSource, Registry, load, load_sources};

fn trades() -> Registry {
    load(&[PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/trades"))]).unwrap().registry
}

/// A pack with everything that a document can show.
fn rich() -> Registry {
    let files = [
        (
            "pack.yaml",
            "name: claims\nversion: 2.0.0\ntitle: Claims & more\nhosts: [api.example.com]\nsettings: {limit: 500}\n",
        ),
        (
            "records/claim.yaml",
            "record: claim\ntitle: Claim\nfields:\n  number: {type: string, indexed: true}\n  amount: money\nkey: number\ndedupe: [number]\nmerge: {amount: keep}\nsearch: [number]\nlabel: number\nstates:\n  received: [triaged, rejected, withdrawn]\n  triaged: [triaged, assigned, rejected]\n  assigned: [assessed, triaged]\n  assessed: [approved, rejected, assigned]\n  approved: [paid, assessed]\n  paid: []\n  rejected: [received]\n  withdrawn: []\n",
        ),
        (
            "tools/claims.yaml",
            r#"domain: claims
tools:
  triage:
    title: Triage <a> claim
    input:
      amount: money
      kind: {type: enum, values: [{token: new, label: New claim, aliases: [fresh]}, {token: repeat, label: Repeat}]}
    may_inject: true
    behavior:
      decide:
        rules:
          - {when: {amount: '> 10000'}, then: {level: high}, steps: [{id: scan, tool: claims.scan, args: {pages: 3}}]}
          - {when: {kind: '"repeat"'}, then: {level: middle}}
        otherwise: {then: {level: low}}
  assign:
    title: Assign a claim
    input: {claim_id: {type: uuid, entity: claim}}
    requires: [{record: claim_id, state: triaged, else: "Triage it first."}]
    behavior: {record: {transition: claim, to: assigned}}
    undo: {cannot: "Somebody has read it."}
  reject:
    title: Reject a claim
    input: {claim_id: {type: uuid, entity: claim}}
    behavior: {record: {transition: claim, to: rejected}}
    undo: none
  scan:
    title: Scan a document
    input: {pages: integer}
    behavior: {http: {method: POST, url: "https://api.example.com/scan"}}
    undo: none
    cost: {fixed: 0.50, per_unit: 0.01, units: "= input.pages", unit: page, currency: EUR}
    retry: {attempts: 7, delay: 1s}
    timeout: 2m
    acknowledge: {text: "It costs money.", within: 1h}
    delegate: {secret: env:SCAN, within: 2d}
    review: {when: "= input.pages > 100", ask: "Readable?"}
    blockers: [{code: too_many, when: "= input.pages > 500", else: "Too many."}]
    permission: docs:scan
  score:
    title: Score a claim
    input: {pages: integer}
    behavior: {worker: {topic: scoring, lease: 1m}}
    undo: none
"#,
        ),
        (
            "playbooks/all.yaml",
            r#"playbook: claims.everything
title: Everything
slots: {pages: integer}
roles: [{role: expert, cardinality: zero_or_more, kinds: [claim], label: Expert}]
steps:
  - {id: scan, tool: claims.scan}
  - {id: score, tool: claims.score, after: []}
  - {id: again, tool: claims.score, after: [scan], when: "= slots.pages > 3"}
  - {id: each, tool: claims.score, after: [scan, score], foreach: "= roles", args: {pages: "= index"}}
  - {id: last, tool: claims.score, after: [again, each, scan], on_failure: continue}
"#,
        ),
    ];
    let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    load_sources(vec![PackSource::new("claims", files)]).unwrap_or_else(|report| panic!("{report}")).registry
}

#[test]
fn every_tool_playbook_and_record_type_of_trades_is_documented() {
    let registry = trades();
    let text = markdown(&registry, "trades").unwrap();
    let page = html(&registry, "trades").unwrap();
    let declared = || registry.tools().values().filter(|tool| !tool.def.is_generated());
    let names = declared().map(|tool| ("tool", &tool.def.name));
    let names = names.chain(registry.playbooks().map(|one| ("playbook", &one.name)));
    for (kind, name) in names.chain(registry.records().keys().map(|name| ("record", name))) {
        let anchor = format!("{kind}-{}", name.replace(['.', '_'], "-"));
        assert!(text.contains(&format!("<a id=\"{anchor}\">")), "{anchor}");
        assert!(page.contains(&format!("<h3 id=\"{anchor}\">")), "{anchor}");
        assert!(text.contains(&format!("`{name}`")), "{name}");
    }
    for phrase in declared().flat_map(|tool| &tool.def.phrases) {
        assert!(text.contains(phrase.as_str()), "{phrase}");
    }
    assert!(text.contains("`ask.quote` (“how many quotes are there”)"), "generated tools have one paragraph");
    assert!(text.starts_with("# Trades\n"));
    for heading in ["## Settings", "## Tools: quote", "## Playbooks", "## Record types"] {
        assert!(text.contains(heading), "{heading}");
    }
    assert!(text.contains("This quote is final and cannot change."));
    assert!(markdown(&registry, "nothing").is_none());
}

#[test]
fn every_link_resolves() {
    for (registry, pack) in [(trades(), "trades"), (rich(), "claims")] {
        let page = html(&registry, pack).unwrap();
        for link in page.split("href=\"#").skip(1) {
            let anchor = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
        }
    }
}

#[test]
fn state_machines_are_drawn_with_the_tools_that_move_them() {
    let text = markdown(&trades(), "trades").unwrap();
    let quote = text.split("id=\"record-quote\"").nth(1).unwrap();
    let drawing = quote.split("```").nth(1).unwrap();
    assert_eq!(
        drawing,
        "mermaid\nstateDiagram-v2\n    direction LR\n    state \"draft\" as s0\n    state \"final\" as s1\n    [*] --> s0\n    s0 --> s1 : finalize\n    s1 --> [*]\n"
    );
}

#[test]
fn everything_a_pack_declares_is_in_its_document() {
    let registry = rich();
    let text = markdown(&registry, "claims").unwrap();
    for part in [
        "May call**: `api.example.com`",
        "→ level",
        "| `> 10000` |",
        "(New claim, “fresh”)",
        "0.01 EUR per page",
        "7 attempts",
        "**Timeout**: 2m",
        "“It costs money.” (within 1h)",
        "within 2d",
        "“Readable?” when",
        "Too many.",
        "`docs:scan`",
        "topic `scoring`, kept for 1m",
        "Somebody has read it.",
        "when merged: keep",
        "**Unique**: `number`",
        "any number",
        "flowchart LR",
        "for each of `= roles`",
        "a failure does not stop the run",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_page_is_self_contained_and_escapes_text() {
    for (registry, pack) in [(trades(), "trades"), (rich(), "claims")] {
        let page = html(&registry, pack).unwrap();
        for outside in ["<script", "<link", "src=", "@import", "url(http"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
    let page = html(&rich(), "claims").unwrap();
    assert!(page.contains("Triage &lt;a&gt; claim") && page.contains("<h1>Claims &amp; more</h1>"));
}

/// The rectangles of a class in a drawing.
fn boxes(drawing: &str) -> Vec<[f64; 4]> {
    let number = |text: &str, name: &str| -> f64 {
        text.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let rects = drawing.split("<rect class=\"box").skip(1);
    rects.map(|text| ["x", "y", "width", "height"].map(|name| number(text, name))).collect()
}

#[test]
fn boxes_of_a_drawing_do_not_overlap_and_are_inside() {
    let page = html(&rich(), "claims").unwrap();
    let drawings: Vec<&str> =
        page.split("<svg class=\"drawing\"").skip(1).map(|text| text.split("</svg>").next().unwrap()).collect();
    assert_eq!(drawings.len(), 2);
    for drawing in drawings {
        let size: Vec<f64> = drawing
            .split("viewBox=\"0 0 ")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .split(' ')
            .map(|one| one.parse().unwrap())
            .collect();
        let all = boxes(drawing);
        assert!(all.len() >= 5);
        for (index, [x, y, width, height]) in all.iter().enumerate() {
            assert!(*x >= 0.0 && *y >= 0.0 && x + width <= size[0] && y + height <= size[1]);
            for [a, b, c, d] in &all[index + 1..] {
                let apart = x + width <= *a || a + c <= *x || y + height <= *b || b + d <= *y;
                assert!(apart, "{x},{y} and {a},{b}");
            }
        }
    }
}

#[test]
fn writes_a_page_to_look_at() {
    // BRAIN_LOOK=/tmp cargo test … leaves the pages there.
    let Ok(folder) = std::env::var("BRAIN_LOOK") else { return };
    std::fs::write(format!("{folder}/claims.html"), html(&rich(), "claims").unwrap()).unwrap();
    std::fs::write(format!("{folder}/trades.html"), html(&trades(), "trades").unwrap()).unwrap();
    std::fs::write(format!("{folder}/trades.md"), markdown(&trades(), "trades").unwrap()).unwrap();
}
