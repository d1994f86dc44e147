//! Tests of the list that an operator loads for the bridge `sanctions_screen`: the
//! bridge's script converts a published list; calls use the operator's list by default;
//! without it, calls are refused and not charged.

use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, workspace};

/// Invented people, in the columns of the UK Sanctions List that the script reads.
const LIST: &str = "Report Date: 01-Nov-2026\n\
    Unique ID,Name 6,Name 1,Name type,Regime Name,D.O.B,Nationality(/ies)\n\
    TST0002,MUSTER,Otto,Primary Name,Test regime,,Ruritania\n\
    TST0001,EXAMPLEOVA,Maria,Primary Name,Test regime,01/02/1970,Ruritania\n\
    TST0001,EXAMPLOVA,Masha,Alias,Test regime,dd/mm/1970,Ruritania\n";

#[tokio::test]
async fn an_operators_list_is_screened_against() -> Result<()> {
    let folder = Folder::new("")?;
    let subject =
        json!({ "subjects": [{ "name": "Maria Exampleova", "birth": "1970-02-01" }, { "name": "Carl None" }] });

    let (server, client) = serve(&folder, "alice@example.com").await?;
    let before = client.get("/v1/balance").await?.json["credit_gbp"].clone();
    let refused = ask(&client, &subject).await?.must_be(503, "E027")?;
    ensure!(
        refused.text.contains("plugins.sanctions_screen.tables"),
        "the error does not name the setting: {}",
        refused.text
    );
    // Without a payment and without the operator's list, a call gets the same refusal
    // instead of a quote; a call with its own list gets a quote.
    for input in [&subject, &json!({ "resource_id": "Jane Doe" })] {
        let refused = client.call("sanctions_screen", input, &[]).await?.must_be(503, "E027")?;
        ensure!(refused.json["payment"].is_null(), "the answer contains a quote: {}", refused.text);
    }
    let own = json!({ "subjects": [{ "name": "Jane Doe" }], "list": [{ "name": "Carl None" }] });
    client.call("sanctions_screen", &own, &[]).await?.must_quote(None)?;
    ensure!(client.get("/v1/balance").await?.json["credit_gbp"] == before, "the call was charged");
    server.stop().await?;

    let table = make_table(&folder)?;
    let config = std::fs::read_to_string(folder.config())?;
    let own = format!("\n[plugins.sanctions_screen]\ntables = {{ sanctions = \"{table}\" }}\n");
    std::fs::write(folder.config(), format!("{config}{own}"))?;
    let (server, client) = serve(&folder, "bob@example.com").await?;
    let answer = ask(&client, &subject).await?.must(200)?.json;
    let found = &answer["result"]["subjects"];
    ensure!(found[0]["outcome"] == "strong" && found[1]["outcome"] == "clear", "{answer}");
    ensure!(found[0]["matches"][0]["id"] == "TST0001", "{answer}");
    ensure!(answer["result"]["entries"] == 2 && answer["result"]["names"] == 3, "{answer}");
    ensure!(answer["data"][0]["as_of"] == "2026-11-01" && answer["data"][0]["source"] == "invented", "{answer}");
    // The caller's own list takes precedence over the operator's.
    let own = json!({ "subjects": [{ "name": "Otto Muster" }], "list": [{ "name": "Carl None" }] });
    let answer = ask(&client, &own).await?.must(200)?.json;
    ensure!(answer["result"]["subjects"][0]["outcome"] == "clear" && answer["data"] == json!([]), "{answer}");
    server.stop().await?;
    folder.verify()?;
    Ok(())
}

async fn serve(folder: &Folder, buyer: &str) -> Result<(Server, Client)> {
    let server = folder.serve_published().await?;
    let client = folder.funded(&server, buyer, "10.00").await?;
    Ok((server, client))
}

async fn ask(client: &Client, input: &Value) -> Result<tollbridge_tests::Reply> {
    client.call("sanctions_screen", input, &[("x-payment-source", "credit")]).await
}

/// Converts the list with the bridge's script; returns the table.
fn make_table(folder: &Folder) -> Result<String> {
    let (list, table) = (folder.path().join("list.csv"), folder.path().join("sanctions.tsv"));
    std::fs::write(&list, LIST)?;
    let script = workspace().join("plugins/bridges/sanctions_screen/make_table.py");
    let about = ["--version", "1", "--as-of", "2026-11-01", "--licence", "CC0-1.0", "--source", "invented"];
    let made = Command::new("python3").arg(script).args(about).arg(&list).output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(&table, made.stdout)?;
    Ok(table.display().to_string())
}
