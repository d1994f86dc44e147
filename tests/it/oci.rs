//! Versions as OCI artifacts: pushed to the server's own registry and pulled from
//! it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Digest as _;
use tollbridge_tests::{Client, Folder, Reply, Server, guest, manifest};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.wasm.config.v0+json";

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(sha2::Sha256::digest(bytes)))
}

/// Starts a server, and creates a version outside its registry that the server does not
/// have.
pub(crate) async fn open() -> Result<(Folder, Server, String)> {
    let mut folder = Folder::new("")?;
    let staging = folder.path().join("staging");
    let output = folder.try_publish("tester", &staging, &manifest("echo", "1.0.0", "0.00"), &guest::echo("1.0.0")?)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let server = folder.serve().await?;
    let host = server.url.trim_start_matches("http://").to_owned();
    let docker = folder.path().join("docker");
    std::fs::create_dir(&docker)?;
    let auth = STANDARD.encode(format!("key:{}", folder.developer));
    std::fs::write(docker.join("config.json"), json!({ "auths": { &host: { "auth": auth } } }).to_string())?;
    folder.variables.push(("DOCKER_CONFIG".to_owned(), docker.display().to_string()));
    Ok((folder, server, host))
}

fn staged(folder: &Folder) -> String {
    folder.path().join("staging/bridges/echo/1.0.0").display().to_string()
}

fn same(one: &Path, other: &Path) -> Result<()> {
    for file in ["plugin.toml", "plugin.sig", "plugin.wasm"] {
        ensure!(std::fs::read(one.join(file))? == std::fs::read(other.join(file))?, "{file} differs");
    }
    Ok(())
}

#[tokio::test]
async fn a_signed_version_is_pushed_serves_and_comes_back() -> Result<()> {
    let (folder, server, host) = open().await?;
    let pushed = folder.run_json(&["plugin", "push", &staged(&folder), &format!("{host}/bridges/echo")])?;
    ensure!(pushed["reference"] == format!("{host}/bridges/echo:1.0.0"), "{pushed}");
    let answer = server.client().call("echo", &json!({}), &[]).await?.must(200)?;
    ensure!(answer.json["version"] == "1.0.0", "{}", answer.text);
    same(&folder.version("echo", "1.0.0"), &folder.path().join("staging/bridges/echo/1.0.0"))?;
    // Pushing the same version again changes nothing.
    let again = folder.run_json(&["plugin", "push", "echo@1.0.0", &format!("{host}/bridges/echo:1.0.0")])?;
    ensure!(again["digest"] == pushed["digest"], "{again}");
    let owner = server.client().with_key(&folder.developer);
    let digest = pushed["digest"].as_str().context("no digest")?;
    for reference in ["1.0.0", "latest", digest] {
        let shown = owner.get(&format!("/v2/bridges/echo/manifests/{reference}")).await?.must(200)?;
        ensure!(shown.header("docker-content-digest") == Some(digest), "{reference}: {}", shown.text);
        ensure!(
            shown.json["config"]["mediaType"] == CONFIG && shown.json["layers"].as_array().map(Vec::len) == Some(1)
        );
    }
    let tags = owner.get("/v2/bridges/echo/tags/list").await?.must(200)?.json;
    ensure!(tags == json!({ "name": "bridges/echo", "tags": ["1.0.0"] }), "{tags}");
    let other = folder.path().join("other");
    std::fs::create_dir(&other)?;
    let into = other.display().to_string();
    let reference = format!("{host}/bridges/echo:1.0.0");
    let refused = folder.try_run(&["plugin", "pull", &reference, "--into", &into])?;
    ensure!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("not trusted"));
    ensure!(!other.join("bridges").exists(), "a refused version was stored");
    std::fs::copy(folder.registry().join("publishers.toml"), other.join("publishers.toml"))?;
    let pulled = folder.run_json(&["plugin", "pull", &reference, "--into", &into])?;
    ensure!(pulled["new"] == true && pulled["digest"] == pushed["digest"], "{pulled}");
    same(&other.join("bridges/echo/1.0.0"), &folder.version("echo", "1.0.0"))?;
    let pulled = folder.run_json(&["plugin", "pull", &reference, "--into", &into])?;
    ensure!(pulled["new"] == false, "{pulled}");
    Ok(())
}

/// Uploads a blob in one piece.
async fn upload(client: &Client, repository: &str, bytes: &[u8]) -> Result<Reply> {
    let begun =
        client.send(client.request(Method::POST, &format!("/v2/{repository}/blobs/uploads/"))).await?.must(202)?;
    let location = begun.header("location").context("no location")?.to_owned();
    let path = format!("{location}?digest={}", digest(bytes));
    client.send(client.request(Method::PUT, &path).body(bytes.to_vec())).await
}

/// Pushes a component with manifest annotations, as a third-party tool does.
async fn push(client: &Client, place: (&str, &str), wasm: &[u8], annotations: &Value) -> Result<Reply> {
    let (repository, tag) = place;
    for blob in [wasm, b"{}"] {
        upload(client, repository, blob).await?.must(201)?;
    }
    let image = json!({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": { "mediaType": CONFIG, "digest": digest(b"{}"), "size": 2 },
        "layers": [{ "mediaType": "application/wasm", "digest": digest(wasm), "size": wasm.len() }],
        "annotations": annotations,
    });
    let request = client.request(Method::PUT, &format!("/v2/{repository}/manifests/{tag}"));
    client.send(request.header("content-type", MANIFEST).body(image.to_string())).await
}

fn refused(reply: &Reply, status: u16, code: &str) -> Result<()> {
    ensure!(reply.status == status && reply.json["errors"][0]["code"] == code, "{}: {}", reply.status, reply.text);
    Ok(())
}

#[tokio::test]
async fn a_push_without_a_signature_is_deployed_under_its_account() -> Result<()> {
    let (folder, server, _) = open().await?;
    folder.publish_echo("1.0.0", "0.10")?;
    let maker = server.client().signed_up("maker@example.com").await?;
    let wasm = tollbridge_tests::worker("echo")?;
    let toml = "price_gbp = \"0.10\"\npurpose = \"helps\"\ngrants = [\"bridges\"]\nbridges = [\"echo\"]\n\
                [limits]\ntime_ms = 1000\nmemory_mib = 8\n[[skills]]\nid = \"testing\"\ndescription = \"for tests\"\n";
    let annotations = json!({ "tollbridge.plugin.toml": toml });
    // The refusal contains the handle with which the account's plugin names must
    // begin.
    let reply = push(&maker, ("agents/helper", "1.0.0"), &wasm, &annotations).await?;
    refused(&reply, 403, "DENIED")?;
    let handle = reply.text.split("are called ").nth(1).and_then(|rest| rest.split('-').next()).context("no handle")?;
    let repository = format!("agents/{handle}-helper");
    refused(&push(&maker, (&repository, "1.0.0"), &wasm, &json!({})).await?, 400, "MANIFEST_INVALID")?;
    let pushed = push(&maker, (&repository, "1.0.0"), &wasm, &annotations).await?.must(201)?;
    let listed = server.client().get(&format!("/api/v1/{repository}")).await?.must(200)?.json;
    ensure!(listed["status"] == "deployed" && listed["version"] == "1.0.0", "{listed}");
    // The tag returns a manifest signed by the host; the manifest as pushed is available
    // by its digest.
    let shown = maker.get(&format!("/v2/{repository}/manifests/1.0.0")).await?.must(200)?.json;
    ensure!(shown["annotations"]["tollbridge.plugin.sig"].is_string(), "{shown}");
    let digest = pushed.header("docker-content-digest").context("no digest")?;
    maker.get(&format!("/v2/{repository}/manifests/{digest}")).await?.must(200)?;
    let other = server.client().signed_up("other@example.com").await?;
    refused(&other.get(&format!("/v2/{repository}/manifests/1.0.0")).await?, 404, "MANIFEST_UNKNOWN")?;
    refused(&push(&other, (&repository, "1.0.1"), &wasm, &annotations).await?, 403, "DENIED")
}

#[tokio::test]
async fn the_registry_refuses_in_the_words_of_its_specification() -> Result<()> {
    let (folder, server, _) = open().await?;
    let nobody = server.client();
    let asked = nobody.get("/v2/").await?;
    refused(&asked, 401, "UNAUTHORIZED")?;
    ensure!(asked.header("www-authenticate").is_some_and(|how| how.starts_with("Basic ")), "no authentication");
    let wrong = nobody.send(nobody.request(Method::GET, "/v2/").basic_auth("key", Some("tb_wrong"))).await?;
    refused(&wrong, 401, "UNAUTHORIZED")?;
    let owner = nobody.with_key(&folder.developer);
    nobody.send(nobody.request(Method::GET, "/v2/").basic_auth("key", Some(&folder.developer))).await?.must(200)?;
    // The key works as a password only for the registry.
    let account = nobody.request(Method::GET, "/v1/account").basic_auth("key", Some(&folder.developer));
    ensure!(nobody.send(account).await?.status != 200, "a password opens the API");
    refused(&owner.get("/v2/library/echo/tags/list").await?, 404, "NAME_UNKNOWN")?;
    refused(&owner.get(&format!("/v2/bridges/echo/blobs/{}", digest(b"x"))).await?, 404, "BLOB_UNKNOWN")?;
    refused(&owner.get("/v2/bridges/echo/blobs/uploads/none").await?, 404, "BLOB_UPLOAD_UNKNOWN")?;
    let begin = || owner.send(owner.request(Method::POST, "/v2/bridges/echo/blobs/uploads/"));
    let location = begin().await?.must(202)?.header("location").context("no location")?.to_owned();
    let piece = |range: &'static str, bytes: &'static str| {
        owner.send(owner.request(Method::PATCH, &location).header("content-range", range).body(bytes))
    };
    ensure!(piece("0-2", "abc").await?.must(202)?.header("range") == Some("0-2"), "wrong range");
    piece("0-2", "abc").await?.must(416)?;
    piece("3-5", "def").await?.must(202)?;
    let whole = format!("{location}?digest={}", digest(b"abcdef"));
    owner.send(owner.request(Method::PUT, &whole)).await?.must(201)?;
    let blob = format!("/v2/bridges/echo/blobs/{}", digest(b"abcdef"));
    let part = owner.send(owner.request(Method::GET, &blob).header("range", "bytes=1-3")).await?.must(206)?;
    ensure!(part.text == "bcd", "{}", part.text);
    nobody.signed_up("other@example.com").await?.get(&blob).await?.must(404)?;
    let location = begin().await?.must(202)?.header("location").context("no location")?.to_owned();
    let wrong = format!("{location}?digest={}", digest(b"other"));
    refused(&owner.send(owner.request(Method::PUT, &wrong).body("body")).await?, 400, "DIGEST_INVALID")?;
    // Another account cannot push a version that `tester` signed, and no account can push
    // a modified version.
    let version = folder.path().join("staging/bridges/echo/1.0.0");
    let read = |file: &str| std::fs::read_to_string(version.join(file));
    let (toml, sig, wasm) = (read("plugin.toml")?, read("plugin.sig")?, std::fs::read(version.join("plugin.wasm"))?);
    let signed = json!({ "tollbridge.plugin.toml": toml, "tollbridge.plugin.sig": sig });
    let other = nobody.signed_up("another@example.com").await?;
    refused(&push(&other, ("bridges/echo", "1.0.0"), &wasm, &signed).await?, 403, "DENIED")?;
    let forged = json!({ "tollbridge.plugin.toml": format!("{toml}#\n"), "tollbridge.plugin.sig": sig });
    refused(&push(&owner, ("bridges/echo", "1.0.0"), &wasm, &forged).await?, 400, "MANIFEST_INVALID")?;
    refused(&push(&owner, ("bridges/echo", "1.0.1"), &wasm, &signed).await?, 400, "MANIFEST_INVALID")?;
    refused(&push(&owner, ("bridges/other", "1.0.0"), &wasm, &signed).await?, 400, "MANIFEST_INVALID")?;
    ensure!(!folder.registry().join("bridges").exists(), "a refused version was stored");
    push(&owner, ("bridges/echo", "1.0.0"), &wasm, &signed).await?.must(201)?;
    server.client().call("echo", &json!({}), &[]).await?.must(200).map(drop)
}
