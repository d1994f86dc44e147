//! Artifacts from another host's registry that a host follows because its configuration
//! lists them: downloaded, updated, refused, and still served while the source is down.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, eventually, guest, manifest};

use crate::oci::open;

/// Time to wait for the effect of the next check. Checks run every second, but a slow
/// machine takes longer.
const NEXT_LOOK_S: u64 = 40;

/// Creates a separate host that follows the given artifacts and serves their versions.
fn following(source: &Folder, artifacts: &str) -> Result<Folder> {
    let host = source.host_with_own_registry()?;
    let config = std::fs::read_to_string(host.config())?;
    let with = format!("[registry]\nartifacts_every = \"1s\"\nartifacts = {artifacts}\n");
    std::fs::write(host.config(), config.replacen("[registry]\n", &with, 1))?;
    Ok(host)
}

/// Publishes a version to a folder outside the source's registry, and pushes it to the
/// source.
fn push(source: &Folder, host: &str, version: &str) -> Result<()> {
    let staging = source.path().join("staging");
    let folder = staging.join("bridges/echo").join(version);
    if !folder.exists() {
        let component = guest::echo(version)?;
        let output = source.try_publish("tester", &staging, &manifest("echo", version, "0.00"), &component)?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let folder = folder.display().to_string();
    source.run_json(&["plugin", "push", &folder, &format!("{host}/bridges/echo")]).map(drop)
}

/// Waits until a host serves a version.
async fn serves(client: &Client, version: &str) -> Result<()> {
    let what = format!("version {version} serves");
    eventually(&what, NEXT_LOOK_S, || async {
        let answer = client.call("echo", &json!({}), &[]).await?;
        Ok((answer.status == 200 && answer.json["version"] == version).then_some(()))
    })
    .await
    .map(drop)
}

/// Waits until the metrics contain a line.
async fn counts(host: &Folder, line: &str) -> Result<()> {
    eventually(line, NEXT_LOOK_S, || async {
        Ok(host.metrics().await?.lines().any(|there| there == line).then_some(()))
    })
    .await
    .map(drop)
}

/// Returns the part of `tollbridge doctor`'s report that is about artifacts.
fn doctor(host: &Folder) -> Result<Value> {
    let found: Value = serde_json::from_slice(&host.try_run(&["--json", "doctor"])?.stdout)?;
    let artifacts = found.as_array().and_then(|all| all.iter().find(|one| one["what"] == "artifacts"));
    artifacts.cloned().context("the doctor does not mention artifacts")
}

/// Returns the problems with artifacts in the operator's status.
fn reported(host: &Folder) -> Result<Vec<String>> {
    let status: Value = serde_json::from_slice(&host.try_run(&["--json", "status"])?.stdout)?;
    let problems = status["problems"].as_array().context("no problems")?;
    let reported = problems.iter().filter_map(|one| one["what"].as_str()).filter(|what| what.contains("is not taken"));
    Ok(reported.map(str::to_owned).collect())
}

#[tokio::test]
async fn a_tag_is_followed_and_a_registry_that_is_away_takes_nothing_away() -> Result<()> {
    let (source, registry, address) = open().await?;
    push(&source, &address, "1.0.0")?;
    let host = following(&source, &format!("[\"{address}/bridges/echo:latest\"]"))?;
    ensure!(doctor(&host)?["text"] == format!("{address}/bridges/echo:latest is bridge/echo 1.0.0"));
    let server = host.serve().await?;
    serves(&server.client(), "1.0.0").await?;
    counts(&host, "tollbridge_artifacts_total{outcome=\"taken\"} 1").await?;
    push(&source, &address, "1.1.0")?;
    serves(&server.client(), "1.1.0").await?;
    for version in ["1.0.0", "1.1.0"] {
        let (here, there) = (host.version("echo", version), source.version("echo", version));
        for file in ["plugin.toml", "plugin.sig", "plugin.wasm"] {
            ensure!(std::fs::read(here.join(file))? == std::fs::read(there.join(file))?, "{version}: {file} differs");
        }
    }
    registry.stop().await?;
    counts(&host, "tollbridge_artifacts_failing 1").await?;
    ensure!(server.log().contains("an artifact is not taken"), "{}", server.log());
    serves(&server.client(), "1.1.0").await?;
    let found = doctor(&host)?;
    ensure!(found["ok"] == false && found["text"].as_str().is_some_and(|text| text.contains(&address)), "{found}");
    // A host starts without waiting for the source, and serves what it downloaded
    // earlier.
    server.stop().await?;
    let server = host.serve().await?;
    serves(&server.client(), "1.1.0").await?;
    let again = Server::start(&source, &["--listen", &address]).await?;
    counts(&host, "tollbridge_artifacts_failing 0").await?;
    push(&source, &address, "1.2.0")?;
    serves(&server.client(), "1.2.0").await?;
    again.stop().await?;
    server.stop().await
}

#[tokio::test]
async fn an_artifact_of_an_untrusted_signer_waits_until_it_is_trusted() -> Result<()> {
    let (source, _registry, address) = open().await?;
    push(&source, &address, "1.0.0")?;
    // Follows all versions of a repository.
    let host = following(&source, &format!("[{{ reference = \"{address}/bridges/echo\" }}]"))?;
    let publishers = host.registry().join("publishers.toml");
    let trusted = std::fs::read_to_string(&publishers)?;
    std::fs::write(&publishers, "")?;
    let server = host.serve().await?;
    counts(&host, "tollbridge_artifacts_failing 1").await?;
    ensure!(!host.metrics().await?.contains("tollbridge_artifacts_total{outcome=\"refused\"} 0"), "not counted");
    let problems = reported(&host)?;
    let expected = format!("{address}/bridges/echo is not taken: ");
    ensure!(
        matches!(&problems[..], [one] if one.starts_with(&expected) && one.contains("tester is not trusted")),
        "{problems:?}"
    );
    ensure!(!host.version("echo", "1.0.0").exists(), "an untrusted version was stored");
    ensure!(server.log().contains("publisher tester is not trusted"), "{}", server.log());
    std::fs::write(&publishers, trusted)?;
    serves(&server.client(), "1.0.0").await?;
    counts(&host, "tollbridge_artifacts_failing 0").await?;
    ensure!(reported(&host)?.is_empty(), "{:?}", reported(&host)?);
    // A new version is downloaded although the configuration does not name it.
    push(&source, &address, "1.0.1")?;
    serves(&server.client(), "1.0.1").await?;
    server.stop().await
}

#[tokio::test]
async fn a_version_that_is_there_under_other_bytes_stays_as_it_is() -> Result<()> {
    let (source, _registry, address) = open().await?;
    push(&source, &address, "1.0.0")?;
    let host = following(&source, &format!("[\"{address}/bridges/echo:1.0.0\"]"))?;
    // On this host, the same publisher has published the same version with a different
    // price.
    let priced = manifest("echo", "1.0.0", "0.10");
    let output = source.try_publish("tester", &host.registry(), &priced, &guest::echo("1.0.0")?)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let before = std::fs::read(host.version("echo", "1.0.0").join("plugin.toml"))?;
    let server = host.serve().await?;
    counts(&host, "tollbridge_artifacts_failing 1").await?;
    ensure!(server.log().contains("published with other bytes"), "{}", server.log());
    ensure!(std::fs::read(host.version("echo", "1.0.0").join("plugin.toml"))? == before, "the version was replaced");
    server.client().call("echo", &json!({}), &[]).await?.must(402)?;
    server.stop().await
}

#[test]
fn a_configuration_with_a_wrong_reference_is_refused_with_its_line() -> Result<()> {
    let host = Folder::new("")?;
    let config = std::fs::read_to_string(host.config())?;
    let wrong = config.replacen("[registry]\n", "[registry]\nartifacts = [\"bridges/tax:1.0.0\"]\n", 1);
    std::fs::write(host.config(), wrong)?;
    let refused = host.try_run(&["config", "check"])?;
    let reported = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    ensure!(!refused.status.success() && reported.contains("registry.artifacts"), "{reported}");
    ensure!(reported.contains("write REGISTRY/REPOSITORY:TAG"), "{reported}");
    Ok(())
}
