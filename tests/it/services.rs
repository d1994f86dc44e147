//! Host services for plugins: tables, the ledger, models. The test builds one plugin that
//! uses all three, and pays for its calls.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, Server, eventually};

const SOURCE: &str = r#"
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, inference, ledger, tables::{Info, Table}};

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Input {
    Look { table: String, key: String },
    Record { id: String },
    Verify { document: String, record: Option<String> },
    Prompt { text: String },
}

#[derive(Default, Serialize, JsonSchema)]
pub struct Output {
    text: Option<String>,
    rows: u64,
    source: String,
}

pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    Ok(match input {
        Input::Look { table, key } => {
            let table = Table::open(&table)?;
            let Info { rows, source, .. } = table.info();
            Output { text: table.get(&key), rows, source }
        }
        Input::Record { id } => {
            let found = ledger::record(&id).map_err(|error| error.at("/id"))?;
            let entry = found.ok_or_else(|| Error::not_found("no such record"))?;
            Output { text: entry.body, rows: entry.seq, source: entry.seal }
        }
        Input::Verify { document, record } => match ledger::verify(&document, record.as_deref())? {
            ledger::Verdict::Proven(proven) => Output { text: None, rows: proven.seq, source: proven.seal },
            ledger::Verdict::NotProven(why) => Output { text: Some(why), ..Output::default() },
        },
        Input::Prompt { text } => {
            let text = inference::Request::new(100).user(text).complete()?.text;
            Output { text: Some(text), ..Output::default() }
        }
    })
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/capital.json"] }
tollbridge_sdk::test_cases!(handle);
"#;

const TABLE: &str = "#{\"version\":\"3\",\"as_of\":\"2026-01-01\",\"licence\":\"CC0-1.0\",\"source\":\"an atlas\"}\n\
                     DE\tBerlin\nGB\tLondon\n";

const CASES: [(&str, &str); 5] = [
    (
        "capital",
        r#"{"about": "the table it ships", "input": {"ask": "look", "table": "capitals", "key": "GB"},
            "output": {"text": "London", "rows": 2, "source": "an atlas"}}"#,
    ),
    (
        "stated",
        r#"{"about": "by hand", "input": {"ask": "look", "table": "capitals", "key": "FR"}, "partial": true,
            "output": {"text": "Paris", "rows": 1}, "tables": {"capitals": {"rows": {"FR": "Paris"}}}}"#,
    ),
    (
        "hidden",
        r#"{"about": "by hand", "input": {"ask": "look", "table": "capitals", "key": "GB"},
            "tables": {"capitals": null}, "error": {"kind": "unavailable", "message": "`capitals`"}}"#,
    ),
    (
        "record",
        r#"{"about": "by hand", "input": {"ask": "record", "id": "SEAL"}, "partial": true,
            "ledger": {"records": [{"seal": "SEAL", "seq": 7, "body": "{}"}]}, "output": {"text": "{}", "rows": 7}}"#,
    ),
    (
        "prompt",
        r#"{"about": "by hand", "input": {"ask": "prompt", "text": "?"}, "partial": true,
            "inference": {"completions": [{"text": "yes"}]}, "output": {"text": "yes"}}"#,
    ),
];

/// Creates the project of the plugin `atlas`, which costs 10 p per call.
fn project(folder: &Folder) -> Result<PathBuf> {
    let path = folder.path().join("atlas");
    folder.run(&["plugin", "new", "atlas", "--path", &path.display().to_string(), "--publisher", "tester"])?;
    let manifest = std::fs::read_to_string(path.join("plugin.toml"))?;
    let mut manifest: toml::Table = manifest.parse()?;
    manifest.insert("grants".to_owned(), toml::Value::try_from(["tables", "ledger", "inference"])?);
    manifest.insert("price_gbp".to_owned(), "0.10".into());
    std::fs::write(path.join("plugin.toml"), toml::to_string(&manifest)?)?;
    std::fs::write(path.join("src/lib.rs"), SOURCE)?;
    std::fs::remove_dir_all(path.join("cases"))?;
    for dir in ["cases", "tables"] {
        std::fs::create_dir(path.join(dir))?;
    }
    for (name, case) in CASES {
        std::fs::write(path.join(format!("cases/{name}.json")), case.replace("SEAL", &"ab".repeat(32)))?;
    }
    std::fs::write(path.join("tables/capitals.tsv"), TABLE)?;
    Ok(path)
}

struct Customer {
    client: Client,
}

impl Customer {
    async fn ask(&self, input: Value) -> Result<Reply> {
        self.client.call("atlas", &input, &[("x-payment-source", "credit")]).await
    }

    async fn credit(&self) -> Result<Value> {
        Ok(self.client.get("/v1/balance").await?.json["credit_gbp"].clone())
    }

    /// Makes a call that must fail without a charge; returns the error.
    async fn is_free(&self, input: Value, status: u16, code: &str) -> Result<String> {
        let before = self.credit().await?;
        let reply = self.ask(input).await?.must_be(status, code)?;
        ensure!(self.credit().await? == before, "the call was charged: {}", reply.text);
        Ok(reply.json["error"].as_str().unwrap_or_default().to_owned())
    }
}

async fn customer(folder: &Folder, server: &Server, email: &str) -> Result<Customer> {
    Ok(Customer { client: folder.funded(server, email, "10.00").await? })
}

fn look(table: &str, key: &str) -> Value {
    json!({ "ask": "look", "table": table, "key": key })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_gets_tables_ledger_and_an_honest_word_about_models() -> Result<()> {
    let folder = Folder::new("")?;
    let path = project(&folder)?.display().to_string();
    let built = folder.run_json(&["plugin", "build", &path])?;
    ensure!(built[0]["tables"] == json!([{ "name": "capitals", "rows": 2 }]), "{built}");
    let tested = folder.run_json(&["plugin", "test", "--component-only", &path])?;
    ensure!(tested["ok"] == true && tested["cases"] == CASES.len(), "{tested}");
    folder.run(&["plugin", "publish", &path])?;
    let server = folder.serve().await?;
    let (alice, bob) =
        (customer(&folder, &server, "alice@example.com").await?, customer(&folder, &server, "bob@example.com").await?);
    tables(&folder, &alice).await?;
    ledger(&server, &alice, &bob).await?;
    let text = alice.is_free(json!({ "ask": "prompt", "text": "?" }), 503, "E005").await?;
    ensure!(text.contains("[inference.providers.NAME]"), "the error does not name the fix: {text}");
    server.stop().await?;
    folder.verify()?;
    operators_table(&folder).await?;
    tampered_table(&folder).await
}

async fn tables(folder: &Folder, alice: &Customer) -> Result<()> {
    let reply = alice.ask(look("capitals", "GB")).await?.must(200)?;
    ensure!(reply.json == json!({ "text": "London", "rows": 2, "source": "an atlas" }), "{}", reply.text);
    ensure!(reply.header("x-worm-seal").is_some(), "the answer has no seal");
    let text = alice.is_free(look("cities", "GB"), 503, "E027").await?;
    ensure!(text.contains("`cities`") && text.contains("plugins.atlas.tables"), "{text}");
    let shown = folder.run_json(&["plugin", "inspect", "atlas"])?.to_string();
    ensure!(shown.contains("\"capitals\"") && shown.contains("\"rows\":2"), "{shown}");
    Ok(())
}

async fn ledger(server: &Server, alice: &Customer, bob: &Customer) -> Result<()> {
    let paid = alice.ask(look("capitals", "DE")).await?.must(200)?;
    let seal = paid.header("x-worm-seal").context("no seal")?.to_owned();
    let transaction = paid.header("x-transaction-id").context("no transaction")?.to_owned();
    let record = |id: &str| json!({ "ask": "record", "id": id });
    // Alice can read her own record, by seal and by transaction id.
    let by_seal = alice.ask(record(&seal)).await?.must(200)?;
    let body = by_seal.json["text"].as_str().context("no body")?;
    ensure!(
        by_seal.json["source"] == seal.as_str() && body.contains(transaction.trim_start_matches("tx_")),
        "{}",
        by_seal.text
    );
    ensure!(alice.ask(record(&transaction)).await?.must(200)?.json == by_seal.json, "the records differ");
    // For another account's record, the plugin learns only that it exists.
    let theirs = bob.ask(record(&seal)).await?.must(200)?;
    ensure!(theirs.json["text"].is_null() && theirs.json["rows"] == by_seal.json["rows"], "{}", theirs.text);
    bob.is_free(record(&transaction), 404, "E012").await?;
    bob.is_free(record("none"), 400, "E011").await?;

    let document = server.client().get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
    let verify = |document: &str, record: Value| json!({ "ask": "verify", "document": document, "record": record });
    let proven = bob.ask(verify(&document.text, Value::Null)).await?.must(200)?;
    ensure!(proven.json["source"] == seal.as_str() && proven.json["text"].is_null(), "{}", proven.text);
    let proven = alice.ask(verify(&document.text, body.into())).await?.must(200)?;
    ensure!(proven.json["text"].is_null(), "{}", proven.text);
    // Forged proof documents: with another seal, with another record, or without a proof.
    let foreign = document.text.replace(&seal, &"0".repeat(64));
    for (document, record) in
        [(foreign.as_str(), Value::Null), (&document.text, "{}".into()), ("{}", Value::Null), ("x", Value::Null)]
    {
        let refused = bob.ask(verify(document, record)).await?.must(200)?;
        ensure!(refused.json["text"].is_string(), "proven: {document}");
    }
    Ok(())
}

async fn operators_table(folder: &Folder) -> Result<()> {
    let (file, config) = (folder.path().join("cities.tsv"), std::fs::read_to_string(folder.config())?);
    let own = format!("\n[plugins.atlas]\ntables = {{ cities = \"{}\" }}\n", file.display());
    std::fs::write(folder.config(), format!("{config}{own}"))?;
    std::fs::write(&file, TABLE.replace("London", "Leeds"))?;
    let server = folder.serve().await?;
    let carol = customer(folder, &server, "carol@example.com").await?;
    let reply = carol.ask(look("cities", "GB")).await?.must(200)?;
    ensure!(reply.json["text"] == "Leeds", "{}", reply.text);
    ensure!(
        carol.ask(look("capitals", "GB")).await?.must(200)?.json["text"] == "London",
        "the plugin's own table must remain"
    );
    server.stop().await?;
    // An invalid file is reported with the line number; a missing file is not an error.
    std::fs::write(&file, TABLE.replace("GB\t", "AA\t"))?;
    let server = folder.serve().await?;
    is_told(folder, "cities.tsv: line 3: is not in order").await?;
    server.client().call("atlas", &json!({}), &[]).await?.must_be(503, "E016")?;
    server.stop().await?;
    std::fs::remove_file(&file)?;
    let server = folder.serve().await?;
    let dave = customer(folder, &server, "dave@example.com").await?;
    dave.is_free(look("cities", "GB"), 503, "E027").await?;
    server.stop().await?;
    Ok(std::fs::write(folder.config(), config)?)
}

async fn tampered_table(folder: &Folder) -> Result<()> {
    let version = std::fs::read_dir(folder.registry().join("bridges/atlas"))?.next().context("no version")??;
    let table = version.path().join("tables/capitals.tsv");
    ensure!(std::fs::read_to_string(&table)? == TABLE, "a different table was published");
    std::fs::write(&table, TABLE.replace("London", "Ludlow"))?;
    let server = folder.serve().await?;
    is_told(folder, "tables/capitals.tsv is not the file that the manifest names").await?;
    server.client().call("atlas", &json!({}), &[]).await?.must_be(503, "E016")?;
    std::fs::write(&table, TABLE)?;
    let erin = customer(folder, &server, "erin@example.com").await?;
    let ask = || async { Ok((erin.ask(look("capitals", "GB")).await?.status == 200).then_some(())) };
    eventually("the genuine table serves again", 20, ask).await?;
    server.stop().await
}

/// Waits until `plugin inspect` reports this problem of `atlas`.
async fn is_told(folder: &Folder, what: &str) -> Result<()> {
    let ask =
        || async { Ok(folder.run_json(&["plugin", "inspect", "atlas"])?.to_string().contains(what).then_some(())) };
    eventually(what, 20, ask).await.with_context(|| folder.run(&["plugin", "inspect", "atlas"]).unwrap_or_default())?;
    Ok(())
}
