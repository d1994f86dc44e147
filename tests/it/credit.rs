//! Credit that the operator gives away while real payments are configured.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tollbridge_tests::Folder;

use crate::stripe::{paid, the_other_verifier_agrees, with_stripe};

const ADA: &str = "ada@example.com";

fn give(folder: &Folder, amount: &str, options: &[&str]) -> Result<Value> {
    folder.run_json(&[&["credit", "give", ADA, amount, "--reason", "late_answers"], options].concat())
}

/// Tries to give credit, which must be refused; returns the error text.
fn refused(folder: &Folder, args: &[&str]) -> Result<String> {
    let output = folder.try_run(&[&["credit", "give"], args].concat())?;
    ensure!(output.status.code() == Some(1), "the gift was not refused: {output:?}");
    Ok(String::from_utf8(output.stderr)?)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_platform_gives_credit_only_from_its_own_money() -> Result<()> {
    let (stripe, folder, server, buyer) = with_stripe().await?;
    // From four calls at 10 p, the platform's share is 7 p.
    let (intent, _) = paid(&stripe, &buyer).await?;
    for _ in 0..3 {
        buyer.call_with("echo", &intent).await?.must(200)?;
    }
    let customer = server.client().signed_up(ADA).await?;
    let account = folder.run_json(&["account", "show", ADA])?["account_id"].as_str().context("no account")?.to_owned();
    let dry = give(&folder, "0.05", &["--dry-run"])?;
    ensure!(dry["state"] == "not done (dry run)" && dry["from"] == "platform", "{dry}");
    let export = folder.run(&["ledger", "export"])?;
    ensure!(!export.contains("goodwill") && !export.contains("credit-give"), "a dry run left a record");
    let why = refused(&folder, &[ADA, "0.08", "--reason", "late_answers", "--dry-run"])?;
    ensure!(why.contains("the house has earned £0.07"), "{why}");

    let given = give(&folder, "0.05", &[])?;
    ensure!(given["state"] == "given" && given["account_id"] == account.as_str(), "{given}");
    ensure!(given["credit_gbp"] == "0.05", "{given}");
    let why = refused(&folder, &[ADA, "0.03", "--reason", "late_answers"])?;
    ensure!(why.contains("--own-money"), "{why}");
    let why = refused(&folder, &[ADA, "0.01", "--reason", "she was very angry"])?;
    ensure!(why.contains("is not a name"), "{why}");
    refused(&folder, &["missing@example.com", "0.01", "--reason", "late_answers"])?;
    let given = give(&folder, "1.00", &["--own-money"])?;
    ensure!(given["from"] == "processor:clearing" && given["credit_gbp"] == "1.05", "{given}");

    // The customer spends the given credit like any other, and sees where it came from.
    customer.call_on_credit("echo").await?.must(200)?;
    let page = customer.get("/v1/transactions").await?.must(200)?.json;
    let kinds: Vec<&str> =
        page["transactions"].as_array().into_iter().flatten().filter_map(|row| row["kind"].as_str()).collect();
    ensure!(kinds == ["route", "goodwill", "goodwill"], "{page}");
    let listed = folder.run_json(&["payment", "list", "--email", ADA, "--kind", "goodwill"])?;
    ensure!(listed["payments"].as_array().is_some_and(|rows| rows.len() == 2), "{listed}");
    let test_credit = folder.try_run(&["account", "credit", &account, "1.00"])?;
    ensure!(String::from_utf8_lossy(&test_credit.stderr).contains("credit give"), "{test_credit:?}");

    // The command is sealed in the ledger, with the account but without its e-mail
    // address.
    let acts = folder.run_json(&["audit"])?;
    let of_gifts = acts["acts"].as_array().context("no acts")?.iter().filter(|act| act["command"] == "credit-give");
    ensure!(of_gifts.filter(|act| act["target"] == account.as_str()).count() == 4, "{acts}");
    let export = folder.run(&["ledger", "export"])?;
    ensure!(!export.contains(ADA), "an address is in the ledger");
    stripe.must_have_no_violations()?;
    the_other_verifier_agrees(&folder).await?;
    folder.verify().map(drop)
}
