//! A new client's first minute: calls, gets the price, pays, gets the answer, and checks
//! its seal.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, answering, intent_of, manifest, workspace};

#[tokio::test]
async fn a_quote_says_everything_that_a_payer_needs() -> Result<()> {
    let (_folder, server, client) = Folder::with_echo("").await?;
    let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    let payment = &quote.json["payment"];
    for (member, expect) in [
        ("amount_gbp", json!("0.10")),
        ("amount_pence", json!(10)),
        ("charge_gbp", json!("0.10")),
        ("charge_pence", json!(10)),
        ("currency", json!("gbp")),
        ("bridge", json!("echo")),
    ] {
        ensure!(payment[member] == expect, "{member}: {payment}");
    }
    let link = payment["payment_link"].as_str().context("no link")?;
    ensure!(link.starts_with(&format!("{}/pay/", server.url)), "{link}");
    ensure!(!link.contains(&intent_of(&quote)?), "the link shows the secret: {link}");
    ensure!(payment["expires_at"].as_str().is_some_and(|time| time.ends_with('Z')), "{payment}");
    ensure!(quote.header("cache-control") == Some("no-store"), "{quote:?}");
    Ok(())
}

#[tokio::test]
async fn a_newcomer_pays_calls_and_verifies() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    let (intent, records) = (intent_of(&quote)?, folder.records()?);
    let link = quote.json["payment"]["payment_link"].as_str().context("no link")?;
    let page = link.strip_prefix(&server.url).context("the link leads elsewhere")?;

    let shown = client.get(page).await?.must(200)?;
    ensure!(shown.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{shown:?}");
    ensure!(shown.text.contains("echo") && shown.text.contains("0.10"), "{}", shown.text);
    ensure!(shown.header("x-frame-options") == Some("DENY"), "{shown:?}");
    ensure!(folder.records()? == records, "viewing the page wrote to the ledger");
    client.call_with("echo", &intent).await?.must_quote(Some("unpaid"))?;

    let paid = client.post(page, &json!({})).await?.must(200)?;
    ensure!(paid.json["status"] == "paid", "{}", paid.text);
    let answer = client.call_with("echo", &intent).await?.must(200)?;
    ensure!(answer.json == json!({ "version": "1.0.0", "input": {} }), "{}", answer.text);
    ensure!(answer.header("x-transaction-id").is_some_and(|tx| tx.len() == 67 && tx.starts_with("tx_")), "{answer:?}");
    ensure!(answer.header("x-payment-remaining") == Some("0.00"), "{answer:?}");
    proof_holds(&folder, &client, &answer).await?;
    folder.verify()?;
    server.stop().await
}

/// Checks the proof of an answer with the independent verifier in Python.
async fn proof_holds(folder: &Folder, client: &Client, answer: &Reply) -> Result<()> {
    let seal = answer.header("x-worm-seal").context("no seal")?;
    ensure!(seal.len() == 64, "{seal}");
    let proof = client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
    let keys = client.get("/.well-known/jwks.json").await?.must(200)?;
    let key = keys.json["keys"][0]["verifier_key"].as_str().context("no verifier key")?;
    let file = folder.path().join("proof.json");
    std::fs::write(&file, &proof.text)?;
    let python = std::env::var("PYTHON");
    let named = python.is_ok();
    let python = python.unwrap_or_else(|_| "python3".to_owned());
    let able = Command::new(&python).args(["-c", "import cryptography"]).output().is_ok_and(|ran| ran.status.success());
    if !able && !named {
        eprintln!("{python} has no `cryptography`; `make test` installs it");
        return Ok(());
    }
    let check = |path: &std::path::Path| {
        let script = workspace().join("docs/verify.py");
        Command::new(&python).arg(script).arg("proof").arg(path).args(["--key", key]).output()
    };
    let ran = check(&file)?;
    ensure!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    let leaf = proof.json["leaf_hash"].as_str().context("no leaf")?;
    let other = if leaf.starts_with('0') { '1' } else { '0' };
    std::fs::write(&file, proof.text.replace(leaf, &format!("{other}{}", &leaf[1..])))?;
    ensure!(!check(&file)?.status.success(), "a forged leaf passed");
    Ok(())
}

#[tokio::test]
async fn one_command_does_it_all() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let url = format!("{}/v1/oracle/echo", server.url);
    let done = folder.run_json(&["call", &url, "{}"])?;
    ensure!(done["answer"] == json!({ "version": "1.0.0", "input": {} }), "{done}");
    let seal = done["worm_seal"].as_str().context("no seal")?;
    ensure!(done["proof"]["seal"] == seal || done["proof"]["worm_seal"] == seal, "{done}");

    let (_, key) = folder.key()?;
    folder.run(&["call", &url, "--key", &key, "--credit"])?;
    let balance = client.with_key(&key).get("/v1/balance").await?.must(200)?;
    ensure!(balance.json["credit_pence"] == 990, "{}", balance.text);

    let wrong = folder.try_run(&["call", &format!("{url}o"), "{}"])?;
    ensure!(wrong.status.code() == Some(1), "{wrong:?}");
    ensure!(String::from_utf8_lossy(&wrong.stderr).contains("E012"), "{wrong:?}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn free_bridges_need_no_payment_and_no_seal() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.00")?;
    let server = folder.serve().await?;
    let (client, records) = (server.client(), folder.records()?);
    let answer = client.call("echo", &json!({}), &[]).await?.must(200)?;
    ensure!(answer.header("x-worm-seal").is_none(), "{answer:?}");
    ensure!(folder.records()? == records, "a free call wrote to the ledger");
    Ok(())
}

#[tokio::test]
async fn the_platform_rules_are_sealed() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let rules = client.get("/v1/platform%20rules").await?.must(200)?.json;
    ensure!(rules == client.get("/v1/platform-rules").await?.must(200)?.json, "the rules differ between requests");
    for (member, expect) in [
        ("earnings_floor_pct", json!(80)),
        ("platform_fee_pct", json!(2.5)),
        ("worm_sealed", json!(true)),
        ("immutable", json!(true)),
        ("split", json!({ "developer_pct": 80, "platform_pct": 17.5, "treasury_pct": 2.5 })),
    ] {
        ensure!(rules[member] == expect, "{member}: {rules}");
    }
    ensure!(rules["layer"].is_string() && rules["description"].is_string(), "{rules}");
    let seal = rules["worm_seal"].as_str().context("no seal")?;
    client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200).map(drop)
}

#[tokio::test]
async fn every_bridge_is_listed_and_documented() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&manifest("mirror", "2.1.0", "1.00"), &answering::mirror(r#"{"type":"object"}"#)?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let list = client.get("/api/v1/bridges").await?.must(200)?.json;
    let bridges = list["bridges"].as_array().context("no list")?;
    let names: Vec<&str> = bridges.iter().filter_map(|bridge| bridge["name"].as_str()).collect();
    ensure!(names == ["echo", "mirror"], "{names:?}");
    let members = json!({
        "name": "mirror", "purpose": "for tests", "price_gbp": "1.00", "price_pence": 100, "version": "2.1.0",
        "publisher": "tester", "status": "live", "input_schema": { "type": "object" },
        "output_schema": { "type": "object" }, "examples": [],
    });
    for (member, expect) in members.as_object().into_iter().flatten() {
        ensure!(bridges[1][member] == *expect, "{member}: {}", bridges[1]);
    }
    let document = client.get("/openapi.json").await?.must(200)?.json;
    ensure!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")), "{document}");
    for name in names {
        let operation = &document["paths"][format!("/v1/oracle/{name}")]["post"];
        ensure!(operation["x-aliases"] == json!([format!("/api/v1/oracle/{name}")]), "{name}: {operation}");
    }
    the_document_is_sent_once(&client).await?;
    every_documented_get_exists(&client, &document).await
}

/// A client that already has the current document gets 304 without a body.
async fn the_document_is_sent_once(client: &Client) -> Result<()> {
    let get = || client.request(reqwest::Method::GET, "/openapi.json");
    let plain = client.send(get()).await?.must(200)?;
    let tag = plain.header("etag").context("no ETag")?.to_owned();
    ensure!(tag.starts_with('"'), "{tag} is not a strong tag");
    let again = client.send(get().header("if-none-match", &tag)).await?.must(304)?;
    ensure!(again.text.is_empty(), "{again:?}");
    let compressed = client.send(get().header("accept-encoding", "gzip")).await?.must(200)?;
    ensure!(compressed.header("content-encoding") == Some("gzip"), "{:?}", compressed.headers);
    ensure!(compressed.header("etag").is_some_and(|other| other != tag), "both encodings have the same tag");
    Ok(())
}

/// Every documented GET route exists: none is answered like an unknown path.
async fn every_documented_get_exists(client: &Client, document: &Value) -> Result<()> {
    let paths = document["paths"].as_object().context("no paths")?;
    ensure!(paths.len() > 10, "only {} paths", paths.len());
    for (path, methods) in paths {
        if methods["get"].is_object() {
            let reply = client.get(&path.replace(['{', '}'], "")).await?;
            ensure!(!reply.text.contains("GET /openapi.json lists every route"), "{path} is documented but missing");
            ensure!(reply.status < 500, "{path}: {}", reply.text);
        }
    }
    Ok(())
}

#[tokio::test]
async fn pages_and_health_answer() -> Result<()> {
    let (_folder, server, client) = Folder::with_echo("").await?;
    for page in ["/", "/catalogue", "/catalogue/bridges/echo", "/docs"] {
        let reply = client.get(page).await?.must(200)?;
        ensure!(reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{reply:?}");
        ensure!(reply.text.contains("echo") || page == "/docs", "{page} does not mention the bridge");
        ensure!(reply.header("content-security-policy").is_some(), "{page} has no policy");
    }
    ensure!(client.get("/health/live").await?.must(200)?.json["status"] == "live", "not live");
    let ready = client.get("/health/ready").await?.must(200)?;
    ensure!(ready.json["plugins"] == json!({ "live": 1, "unavailable": 0 }), "{}", ready.text);
    server.stop().await
}
