//! `plugin logs`: printing the last lines, and following new ones.

use std::fs::File;

use anyhow::{Result, ensure};
use serde_json::json;
use tollbridge_tests::{Client, binary, eventually};

use crate::agents::Shop;

/// Checks that only the owner of a plugin can read its log with the command line from
/// another machine.
pub fn the_log_is_its_owners(shop: &Shop, slug: &str, maker: &Client, caller: &Client) -> Result<()> {
    let logs = |client: &Client| {
        let key = client.key().unwrap_or_default();
        shop.folder.try_run(&["plugin", "logs", slug, "--server", &shop.server.url, "--key", key])
    };
    let (own, other) = (logs(maker)?, logs(caller)?);
    let reported = String::from_utf8_lossy(&own.stdout);
    ensure!(own.status.success() && reported.contains("Z error req_") && reported.contains("unreachable"), "{own:?}");
    let refused = String::from_utf8_lossy(&other.stderr);
    ensure!(!other.status.success() && refused.contains("404"), "{other:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn later_log_lines_are_followed() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let path = shop.folder.path().join("followed");
    let mut follower = tokio::process::Command::new(binary())
        .args(["--config".as_ref(), shop.folder.config().as_os_str()])
        .args(["plugin", "logs", "agents/worker", "--follow"])
        .envs(shop.folder.environment())
        .stdout(File::create(&path)?)
        .kill_on_drop(true)
        .spawn()?;
    for expect in 1..=2 {
        caller.post("/v1/agents/worker/invoke", &json!({ "task": "fail" })).await?.must_be(502, "E017")?;
        let reported = || async {
            let text = std::fs::read_to_string(&path)?;
            Ok((text.lines().filter(|line| line.contains("Z error req_")).count() == expect).then_some(()))
        };
        eventually("the failure is logged once", 20, reported).await?;
    }
    Ok(follower.kill().await?)
}
