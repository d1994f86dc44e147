//! The plugin contract is frozen: components built for version 1.0.0 load and answer on
//! every later host.
//!
//! `tests/frozen/1.0.0` holds a bridge and an agent, built when the contract was frozen.
//! Each imports every function of the contract and of the small wasi packages beside it,
//! and answers with its input. A change of `wit/` that removes or changes any of these
//! functions fails here; such a change needs a new version of the contract beside this
//! one.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Folder, manifest, workspace};

const GRANTS: &str = "grants = [\"logging\", \"config\", \"keyvalue\", \"tables\", \"ledger\", \"inference\", \
                      \"bridges\"]\nbridges = [\"other\"]\n[limits]";

fn frozen(kind: &str) -> Result<Vec<u8>> {
    let path = workspace().join("tests/frozen/1.0.0").join(kind).with_extension("wasm");
    let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    // Checks that the fixtures still import everything.
    for interface in ["panic", "tables", "ledger", "inference", "bridges"] {
        let name = format!("tollbridge:plugin/{interface}@1.0.0");
        ensure!(bytes.windows(name.len()).any(|at| at == name.as_bytes()), "{kind} does not import {name}");
    }
    Ok(bytes)
}

#[tokio::test]
async fn components_of_version_1_load_and_answer() -> Result<()> {
    let folder = Folder::new("")?;
    let bridge = manifest("old", "1.0.0", "0.10").replace("[limits]", GRANTS);
    folder.publish(&bridge, &frozen("bridge")?)?;
    folder.publish(&bridge.replace("kind = \"bridge\"", "kind = \"agent\""), &frozen("agent")?)?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "old@example.com", "1.00").await?;
    let input = json!({ "a": [1, 2] });
    let answer = client.call("old", &input, &[("x-payment-source", "credit")]).await?.must(200)?;
    ensure!(answer.json == input, "{}", answer.text);
    let answer = client.post("/v1/agents/old/invoke", &json!({ "input": input })).await?.must(200)?;
    ensure!(answer.json["output"] == input && answer.json["proof"].is_object(), "{}", answer.text);
    folder.verify()?;
    server.stop().await
}
