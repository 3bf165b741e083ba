//! `brain doctor` detects problems.

use std::process::Output;

use serde_json::{Value, json};

use crate::Site;
use crate::common::{brain, json as output};
use crate::outside::Outside;

fn doctor(site: &Site, pack: Option<&std::path::Path>, env: &[(&str, &str)]) -> Output {
    let mut command = brain(&site.store());
    command.args(["--json", "--allow-private-hosts", "doctor"]).envs(env.iter().copied());
    if let Some(pack) = pack {
        command.arg("--pack").arg(pack);
    }
    command.output().unwrap()
}

fn check(output: &Value, name: &str) -> (String, String) {
    let found = output["checks"].as_array().unwrap().iter().find(|check| check["check"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} in {output:#}"));
    (found["level"].as_str().unwrap().to_owned(), found["detail"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn doctor_notices_the_wrong_pack_missing_secrets_and_unreachable_hosts() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    site.call("ops.note", json!({"text": "a"})).await;
    let pack = site.pack();
    let well = doctor(&site, Some(&pack), &[]);
    let found = output(&well);
    assert!(well.status.success(), "{found:#}");
    for name in ["pack and store", "secrets", "hosts", "clock"] {
        assert_eq!(check(&found, name).0, "good", "{name}: {found:#}");
    }

    // Another pack has none of the tools that this store uses.
    let other = site.folder.path().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("pack.yaml"), "name: other\nversion: 1.0.0\ntitle: Other\n").unwrap();
    let wrong = doctor(&site, Some(&other), &[]);
    let found = output(&wrong);
    assert_eq!(wrong.status.code(), Some(1), "{found:#}");
    let (level, detail) = check(&found, "pack and store");
    assert!(level == "bad" && detail.contains("ops.note") && detail.contains("record type memo"), "{detail}");

    // A newer version of the right pack: some definitions match.
    let tools = pack.join("tools/ops.yaml");
    let text = std::fs::read_to_string(&tools).unwrap();
    std::fs::write(&tools, text.replace("  note:\n", "  jot:\n")).unwrap();
    let (level, detail) = check(&output(&doctor(&site, Some(&pack), &[])), "pack and store");
    assert!(level == "look" && detail.contains("tool ops.note"), "{level}: {detail}");

    // One secret that is not set here, and one that is.
    let auth = "idempotency: key\n    retry";
    let with_auth = text.replace("/send\"}}", "/send\", auth: {bearer: \"env:OPS_TOKEN\"}}}");
    assert!(with_auth != text && text.contains(auth));
    std::fs::write(&tools, with_auth).unwrap();
    let missing = doctor(&site, Some(&pack), &[]);
    let (level, detail) = check(&output(&missing), "secrets");
    assert!(level == "bad" && detail.contains("OPS_TOKEN") && detail.contains("ops.send"), "{level}: {detail}");
    assert_eq!(missing.status.code(), Some(1));
    let there = output(&doctor(&site, Some(&pack), &[("OPS_TOKEN", "hush-hush")]));
    assert_eq!(check(&there, "secrets").0, "good");
    assert!(!there.to_string().contains("hush-hush"));

    // A host where nothing listens is only a warning, because it may be started later.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let yaml = std::fs::read_to_string(pack.join("pack.yaml")).unwrap();
    std::fs::write(pack.join("pack.yaml"), yaml.replace("hosts: [", &format!("hosts: [\"{free}\", "))).unwrap();
    let output_of = doctor(&site, Some(&pack), &[("OPS_TOKEN", "x")]);
    let (level, detail) = check(&output(&output_of), "hosts");
    assert!(level == "look" && detail.contains(&free.to_string()), "{level}: {detail}");
    assert!(output_of.status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_looks_at_the_server_of_the_store() {
    let outside = Outside::start().await;
    let mut site = Site::start(&outside, &[], &[]);
    site.call("ops.note", json!({"text": "a"})).await;
    let pack = site.pack();
    assert_eq!(check(&output(&doctor(&site, Some(&pack), &[])), "server").0, "good");
    site.server.terminate();
    site.server.ended();

    // The server has another pack; the command has the right one.
    let other = site.folder.path().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("pack.yaml"), "name: other\nversion: 1.0.0\ntitle: Other\n").unwrap();
    site.server = crate::serve(site.folder.path(), &other, &[], &[]);
    let (level, detail) = check(&output(&doctor(&site, Some(&pack), &[])), "server");
    assert!(level == "look" && detail.contains("packs other") && detail.contains("ops.note"), "{level}: {detail}");
    let theirs = doctor(&site, None, &[]);
    assert_eq!(check(&output(&theirs), "pack and store").0, "bad", "what the server has");
    assert_eq!(theirs.status.code(), Some(1));
}

#[tokio::test]
async fn doctor_and_serve_notice_what_the_first_call_would_be_refused_for() {
    let outside = Outside::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (pack, store) = (folder.path().join("pack"), folder.path().join("s.db"));
    outside.write_pack(&pack);
    let run = |args: &[&str]| {
        let mut command = brain(&store);
        command.env("BRAIN_NOTIFY_WEBHOOK", "http://127.0.0.1:9/x").env("BRAIN_NOTIFY_SECRET", "env:NO_SUCH_SECRET");
        command.arg("--pack").arg(&pack).args(args).stdin(std::process::Stdio::null()).output().unwrap()
    };
    let found = output(&run(&["doctor", "--json"]));
    let (level, detail) = check(&found, "hosts");
    assert!(level == "bad" && detail.contains("--allow-private-hosts"), "{level}: {detail}");
    let (level, detail) = check(&found, "secrets");
    assert!(level == "bad" && detail.contains("NO_SUCH_SECRET") && detail.contains("notify.webhook"), "{detail}");
    let serve = run(&["serve", "--addr", "127.0.0.1:0"]);
    assert_eq!(serve.status.code(), Some(1));
    let told = crate::common::text(&serve);
    assert!(told.contains("NO_SUCH_SECRET") && !told.contains("listens") && !told.contains("started"), "{told}");
}
