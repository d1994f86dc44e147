//! Runs the README's commands in a shell, in order; each must succeed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tollbridge_tests::{Client, Folder, Server, binary, eventually, published_plugins, target, workspace};

/// The address at which `make run` serves, according to the README.
const SERVED: &str = "http://127.0.0.1:8402";
/// The plugins that the README's commands call.
const CALLED: [&str; 4] =
    ["bridges/tax_jar_lookup", "bridges/anomaly_detection", "bridges/forecast", "agents/analytics-forecast"];

#[tokio::test(flavor = "multi_thread")]
async fn its_commands_work_when_they_are_pasted_in_order() -> Result<()> {
    let readme = fs::read_to_string(workspace().join("README.md"))?;
    let makefile = fs::read_to_string(workspace().join("Makefile"))?;
    let (make, pasted): (Vec<&str>, Vec<&str>) =
        blocks(&readme).into_iter().partition(|block| block.starts_with("make "));
    // CI runs these make targets; this test only checks that they exist.
    for line in make.iter().flat_map(|block| block.lines()) {
        let target = line.split_whitespace().nth(1).context("`make` without a target")?;
        ensure!(makefile.contains(&format!("\n{target}:")), "the Makefile has no {target}");
    }
    ensure!(make.len() >= 2 && pasted.len() >= 4, "{} and {} blocks", make.len(), pasted.len());

    let folder = Folder::new("")?;
    registry_of(&folder)?;
    let server = folder.serve().await?;
    let work = clone_of(&folder)?;
    let said = paste(&folder, &work, &server, &pasted.join("\n").replace(SERVED, &server.url))?;
    let refused: Vec<&str> =
        said.match_indices("\"code\":\"E").filter_map(|(at, _)| said.get(at + 8..at + 12)).collect();
    ensure!(refused == ["E003"], "only the quote may be an error: {refused:?} {said}");
    ensure!(said.contains("\"country\":\"GB\"") && said.contains("\"inclusion\":["), "no answer or no proof: {said}");
    ensure!(said.contains("\"forecast\"") || said.contains("\"points\""), "the agent has no forecast: {said}");
    is_sold(&server, "weather").await?;
    folder.verify().map(drop)
}

/// Returns the blocks of shell commands, in order.
fn blocks(readme: &str) -> Vec<&str> {
    let parts = readme.split("```sh\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}

/// Fills a registry with those plugins of this repository that the README calls.
fn registry_of(folder: &Folder) -> Result<()> {
    let from = published_plugins();
    for plugin in CALLED {
        let to = folder.registry().join(plugin);
        fs::create_dir_all(to.parent().context("no folder")?)?;
        let copied = Command::new("cp").arg("-R").arg(from.join(plugin)).arg(&to).status()?;
        ensure!(copied.success(), "{plugin} is not published: make plugins");
    }
    let own = folder.registry().join("publishers.toml");
    let both = format!("{}\n{}", fs::read_to_string(&own)?, fs::read_to_string(from.join("publishers.toml"))?);
    Ok(fs::write(own, both)?)
}

/// Creates a folder that looks like a clone of this repository after `make run`: with the
/// files that commands find automatically and the registry that the server serves.
fn clone_of(folder: &Folder) -> Result<PathBuf> {
    let work = folder.path().join("work");
    fs::create_dir_all(work.join("target/release"))?;
    symlink(binary(), work.join("target/release/tollbridge"))?;
    symlink(folder.registry(), work.join("plugin-registry"))?;
    symlink(folder.data(), work.join("data"))?;
    let copied = Command::new("sh")
        .args([
            "-euc",
            r#"tar -C "$0" --exclude ./plugins/target -c ./Cargo.toml ./plugins ./sdk ./wit | tar -C "$1" -x"#,
        ])
        .args([workspace().as_path(), work.as_path()])
        .status()?;
    ensure!(copied.success(), "the sources are not copied");
    Ok(work)
}

/// Runs commands in a shell, each of which must succeed; returns the output.
fn paste(folder: &Folder, work: &Path, server: &Server, commands: &str) -> Result<String> {
    let mut shell = Command::new("bash");
    shell.current_dir(work).args(["-euxo", "pipefail", "-c", commands]);
    shell.env_remove("TOLLBRIDGE_CONFIG").envs(folder.environment()).envs(folder.variables.iter().cloned());
    // `make test` compiles the plugins in this folder: their dependencies are already
    // there.
    shell.env("CARGO_TARGET_DIR", target().join("plugins"));
    let as_published = [("LTO", "off"), ("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16")];
    shell.envs(as_published.map(|(setting, value)| (format!("CARGO_PROFILE_RELEASE_{setting}"), value)));
    // `tollbridge call NAME` finds the server by this address.
    shell.env("TOLLBRIDGE__SERVER__LISTEN", server.url.trim_start_matches("http://"));
    let output = shell.output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{out}\n{err}");
    Ok(out.into_owned())
}

async fn is_sold(server: &Server, bridge: &str) -> Result<()> {
    let client: Client = server.client();
    let quoted = || async {
        let reply = client.call(bridge, &serde_json::json!({}), &[]).await?;
        Ok((reply.status == 402).then_some(()))
    };
    eventually("the bridge is sold", 20, quoted).await.map(drop)
}
