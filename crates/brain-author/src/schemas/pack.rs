//! `pack.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, closed, defs, either, list, map_of, name, part, text, texts, value};

pub(super) fn schema() -> (Value, Defs) {
    let nouns = json!({"type": "object", "additionalProperties": texts()});
    let root = closed(
        vec![
            ("name", "Unique over all packs.", name()),
            ("version", "The pack's own version.", text()),
            ("title", "For people.", text()),
            ("description", "For people.", text()),
            ("requires", "Packs that must be loaded too.", texts()),
            (
                "settings",
                "Values that expressions see as `settings`; `currency`, `region`, `time_zone`, `locale` and `understanding` are known to Brain. Never a secret.",
                map_of(value()),
            ),
            ("hosts", "Hosts that `http` tools may call: `api.example.com`, `localhost:8080`.", texts()),
            ("help", "What to say to somebody who does not know what to ask.", either([text(), part("help")])),
            (
                "intent_tiers",
                "Kinds of action to ask about first if too many tools are likely.",
                list(part("intent_tier")),
            ),
            ("nouns", "What people call things, by domain or record type: `{cbu: [client account]}`.", nouns),
        ],
        &["name", "version"],
    );
    let help = closed(vec![("text", "A sentence or two.", text()), ("examples", "Things to try.", texts())], &[]);
    let kind = || {
        vec![
            ("id", "Unique on its level.", name()),
            ("label", "What people see.", text()),
            ("description", "What belongs to it.", text()),
            ("hint", "An example, or a hint for choosing it.", text()),
        ]
    };
    let mut of_tier = kind();
    of_tier.push(("kinds", "The second level.", list(part("intent_kind"))));
    let required = ["id", "label"];
    let tier = closed(of_tier, &required);
    (root, defs([("help", help), ("intent_tier", tier), ("intent_kind", closed(kind(), &required))]))
}
