//! A server for tests of official MPP clients, which pay it: with `evm` in the sandbox,
//! or with `stripe` and a fake Stripe. Prints one line of JSON, serves until its standard
//! input is closed, then checks the ledger.

use std::io::Read;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tollbridge_tests::Folder;
use tollbridge_tests::stripe::{SECRET_KEY, Stripe};

#[tokio::main]
async fn main() -> Result<()> {
    let method = std::env::args().nth(1).context("name the method: stripe or evm")?;
    let stripe = Stripe::start().await?;
    let settings = match method.as_str() {
        "stripe" => format!("{}[payments.mpp]\nnetwork_id = \"profile_test\"\n", stripe.config()),
        "evm" => "[payments.mpp]\nevm = true\n".to_owned(),
        other => bail!("{other} is not a method; name stripe or evm"),
    };
    let folder = Folder::new(&settings)?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    println!("{}", json!({ "server": server.url, "stripe": stripe.url(), "secret_key": SECRET_KEY }));
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}
