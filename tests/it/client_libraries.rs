//! The client libraries of this repository (`clients/`), tested against simulated faults
//! and against a real server with the repository's bridges and agents.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use tollbridge_tests::{Folder, workspace};

fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

async fn run(program: &str, script: PathBuf, variables: &[(&str, &str)]) -> Result<String> {
    let output = tokio::process::Command::new(program).arg(script).envs(variables.iter().copied()).output().await?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(text)
}

/// Runs `script` of `clients/` with the interpreter `program` against a server, and
/// checks the ledger.
async fn passes_end_to_end(program: &str, script: &str) -> Result<()> {
    let folder = Folder::new("")?;
    let server = folder.serve_published().await?;
    let (_, key) = folder.key()?;
    let variables = [("BASE_URL", server.url.as_str()), ("API_KEY", key.as_str())];
    let said = run(program, workspace().join("clients").join(script), &variables).await;
    let said = said.with_context(|| server.log())?;
    ensure!(said.ends_with("ok\n"), "{said}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_library_survives_its_faults() -> Result<()> {
    for script in ["test_values.py", "test_client.py"] {
        run(&python(), workspace().join("clients/python/tests").join(script), &[]).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_library_passes_end_to_end() -> Result<()> {
    passes_end_to_end(&python(), "python/tests/e2e.py").await
}

/// Runs only with `make test-all`, where `scripts/test-clients.sh` has compiled the
/// client.
#[tokio::test(flavor = "multi_thread")]
async fn the_node_library_passes_end_to_end() -> Result<()> {
    if std::env::var_os("CLIENTS_NODE").is_none() {
        return Ok(());
    }
    passes_end_to_end("node", "typescript/tests/e2e.mjs").await
}
