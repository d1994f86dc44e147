//! The buyer's view of spending.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Folder, Person};

#[tokio::test]
async fn spending_is_shown_by_bridge_and_day_with_receipts() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let key = folder.key()?.1;
    let caller = client.with_key(&key);
    let mut buyer = Person::new(&client);
    buyer.sign_in(&key).await?;
    let empty = buyer.visit("/account/spending").await?.must(200)?;
    ensure!(empty.text.contains("Nothing was spent"), "{}", empty.text);
    for _ in 0..3 {
        caller.call_on_credit("echo").await?.must(200)?;
    }
    // A failed call costs nothing.
    caller.call("no_such_bridge", &json!({}), &[("x-payment-source", "credit")]).await?.must(404)?;
    let page = buyer.visit("/account/spending").await?.must(200)?;
    ensure!(
        page.text.contains("<p class=\"amount\">£0.30</p>") && page.text.contains("£9.70 of credit"),
        "{}",
        page.text
    );
    ensure!(page.text.contains(": echo £0.30</title>"), "{}", page.text);
    ensure!(page.text.matches("/account/receipts/").count() == 3, "{}", page.text);
    ensure!(
        buyer.visit("/account").await?.must(200)?.text.contains("£0.30"),
        "the overview does not show the spent amount"
    );

    let (_, rest) = page.text.split_once("href=\"/account/receipts/").context("no receipt")?;
    let seal = rest.split('"').next().unwrap_or_default().to_owned();
    let receipt = buyer.visit(&format!("/account/receipts/{seal}")).await?.must(200)?;
    for part in ["One call to echo", "£0.10", "prepaid credit", "/v1/ledger/proof/", &seal] {
        ensure!(receipt.text.contains(part), "no {part} in {}", receipt.text);
    }
    // The owner of the bridge is a party to the record, but did not pay.
    let mut owner = Person::new(&client);
    owner.sign_in(&folder.developer).await?;
    for path in [seal.as_str(), "none", &"0".repeat(64)] {
        owner.visit(&format!("/account/receipts/{path}")).await?.must(404)?;
    }
    ensure!(
        owner.visit("/account/spending").await?.must(200)?.text.contains("Nothing was spent"),
        "sales are listed as spending"
    );
    Ok(())
}

#[tokio::test]
async fn a_payment_by_link_of_an_account_is_spending_once() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let key = folder.key()?.1;
    let caller = client.with_key(&key);
    let quote = caller.call("echo", &json!({}), &[]).await?.must(402)?;
    let intent = quote.json["payment"]["payment_intent_id"].as_str().context("no intent")?.to_owned();
    caller.post(&format!("/pay/{intent}"), &json!({})).await?.must(200)?;
    caller.call("echo", &json!({}), &[("x-payment-intent-id", &intent)]).await?.must(200)?;
    let charge = quote.json["payment"]["charge_gbp"].as_str().context("no charge")?;
    let mut buyer = Person::new(&client);
    buyer.sign_in(&key).await?;
    let page = buyer.visit("/account/spending").await?.must(200)?;
    ensure!(page.text.contains(&format!("<p class=\"amount\">£{charge}</p>")), "{charge}: {}", page.text);
    // A refunded payment was not spent, and its receipt shows the refund.
    let unused = caller.paid_intent("echo").await?;
    let given = caller.post(&format!("/v1/payments/{unused}/refund"), &json!({})).await?.must(200)?;
    ensure!(given.json["status"] == "refunded", "{}", given.text);
    let page = buyer.visit("/account/spending").await?.must(200)?;
    ensure!(page.text.contains(&format!("<p class=\"amount\">£{charge}</p>")), "{charge}: {}", page.text);
    ensure!(page.text.contains(&format!("(£{charge} refunded)")), "{}", page.text);
    let receipt = page.text.split("/account/receipts/").nth(1).and_then(|rest| rest.split('"').next());
    let receipt = buyer.visit(&format!("/account/receipts/{}", receipt.context("no receipt")?)).await?.must(200)?;
    ensure!(receipt.text.contains(&format!("<dt>Refunded</dt><dd>£{charge}</dd>")), "{}", receipt.text);
    Ok(())
}
