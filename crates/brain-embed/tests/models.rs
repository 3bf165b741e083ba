//! Models on disk: installed completely or not at all, described by their own metadata, and never a reason to fail.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::path::Path;

use brain_embed::models::{BUILT_IN, Description, ModelsDir, Pooling, open};
use brain_embed::{Encoder, StaticTable};
use brain_testbed::tiny_model;

/// A folder with a small model that is installed as `tiny`.
fn installed() -> (tempfile::TempDir, ModelsDir) {
    let folder = tempfile::tempdir().unwrap();
    let models = ModelsDir::new(folder.path().join("models"));
    install(&models, 1);
    (folder, models)
}

fn install(models: &ModelsDir, seed: u32) {
    let unfinished = models.unfinished().unwrap();
    tiny_model(&unfinished, seed).unwrap();
    models.finish(&unfinished, "tiny", "a test").unwrap();
}

fn described(dir: &Path, source: &str) -> Description {
    Description::examine(dir, source).unwrap()
}

#[test]
fn a_model_is_found_replaced_and_removed() {
    let (_folder, models) = installed();
    let first = models.find("tiny").unwrap();
    assert_eq!(first.description.shape.hidden_size, 16);
    install(&models, 2);
    let second = models.find("tiny").unwrap();
    assert_ne!(first.description.id(), second.description.id(), "other weights, other name");
    assert_eq!(models.names().unwrap(), ["tiny"]);
    models.remove("tiny").unwrap();
    assert!(models.names().unwrap().is_empty());
    assert!(models.find("tiny").unwrap_err().to_string().contains("there is no model `tiny`"));
    for name in ["", ".", "..", "a/b", "Größe", BUILT_IN, "-x"] {
        assert!(models.find(name).unwrap_err().to_string().contains("is not a valid model name"), "{name}");
    }
}

#[test]
fn files_changed_after_installation_are_detected() {
    let (_folder, models) = installed();
    let dir = models.path().join("tiny");
    let mut config = std::fs::read_to_string(dir.join("config.json")).unwrap();
    config.push(' ');
    std::fs::write(dir.join("config.json"), config).unwrap();
    assert!(models.find("tiny").unwrap_err().to_string().contains("install the model again"));
}

#[test]
fn pooling_and_prefixes_come_from_the_metadata_or_the_model_family() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    tiny_model(dir, 1).unwrap();
    let plain = described(dir, "acme/tiny");
    assert_eq!((plain.pooling, plain.query_prefix.as_str()), (Pooling::Mean, ""));
    let bge = described(dir, "BAAI/bge-small-en-v1.5");
    assert_eq!(bge.pooling, Pooling::Cls);
    assert!(bge.query_prefix.starts_with("Represent this sentence") && bge.target_prefix.is_empty());
    assert_ne!(plain.id(), bge.id(), "another vector, another name");
    std::fs::write(
        dir.join("config_sentence_transformers.json"),
        r#"{"prompts": {"query": "query: ", "passage": "passage: "}}"#,
    )
    .unwrap();
    std::fs::create_dir(dir.join("1_Pooling")).unwrap();
    let pooling = dir.join("1_Pooling/config.json");
    std::fs::write(&pooling, r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#).unwrap();
    let said = described(dir, "acme/bge-like");
    assert_eq!(
        (said.pooling, said.query_prefix.as_str(), said.target_prefix.as_str()),
        (Pooling::Mean, "query: ", "passage: ")
    );
    std::fs::write(&pooling, r#"{"pooling_mode_max_tokens": true}"#).unwrap();
    assert!(Description::examine(dir, "").unwrap_err().to_string().contains("only pooling by mean"));
}

#[test]
fn an_unusable_model_is_replaced_by_the_table_with_a_warning() {
    let (_folder, models) = installed();
    for name in [None, Some(BUILT_IN)] {
        let (encoder, problem) = open(name, &models);
        assert_eq!((encoder.id(), problem), (StaticTable::built_in().id(), None));
    }
    let (encoder, problem) = open(Some("absent"), &models);
    assert_eq!(encoder.id(), StaticTable::built_in().id());
    let problem = problem.unwrap();
    assert!(
        problem.contains("`absent`") && problem.contains("built-in table") && problem.lines().count() == 1,
        "{problem}"
    );
    let (encoder, problem) = open(Some("tiny"), &models);
    if cfg!(feature = "transformer") {
        assert_eq!((encoder.dim(), problem), (16, None));
    } else {
        assert_eq!(encoder.dim(), StaticTable::built_in().dim());
        assert!(problem.unwrap().contains("without the feature `transformer`"));
    }
}

#[cfg(feature = "transformer")]
#[test]
fn embeddings_of_phrases_are_cached_and_those_of_queries_are_not() {
    let (_folder, models) = installed();
    let (encoder, _) = open(Some("tiny"), &models);
    let cache = models.path().join("tiny/phrases.cache");
    let mut asked = vec![0.0; 16];
    encoder.encode("pay bob", &mut asked);
    assert!(!cache.exists());
    let phrases = encoder.encode_targets(&["pay bob", "call the bill"]);
    assert_eq!(phrases[0], asked);
    assert_eq!(cache.metadata().unwrap().len(), 16 + 2 * (32 + 64 + 4));
    assert_eq!(open(Some("tiny"), &models).0.encode_targets(&["pay bob", "call the bill"]), phrases);
}
