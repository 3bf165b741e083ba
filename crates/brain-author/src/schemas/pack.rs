//! `pack.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, closed, defs, either, map_of, name, part, text, texts, value};

pub(super) fn schema() -> (Value, Defs) {
    let nouns = json!({"type": "object", "additionalProperties": texts()});
    let root = closed(
        vec![
            ("name", "Unique over all packs.", name()),
            ("version", "Yours.", text()),
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
            ("nouns", "What people call things, by domain or record type: `{cbu: [client account]}`.", nouns),
        ],
        &["name", "version"],
    );
    let help = closed(vec![("text", "A sentence or two.", text()), ("examples", "Things to try.", texts())], &[]);
    (root, defs([("help", help)]))
}
