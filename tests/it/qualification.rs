//! Qualification of agents: an agent of the agent card uses a chat model only after its
//! answers with the model have been measured.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, Wire};
use tollbridge_tests::{Client, Folder, Reply};

const AGENT: &str = "/api/v1/agents/translation";

fn config(provider: &FakeProvider) -> String {
    let models = ["first", "second"]
        .map(|id| format!("{{ id = \"{id}\", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = 100000 }}"));
    format!(
        "[inference]\nusd_gbp = 1\n[inference.providers.one]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\n\
         models = [{}]\n",
        provider.url,
        models.join(", ")
    )
}

async fn translate(client: &Client) -> Result<Reply> {
    let input = json!({ "text": "Hello, how are you today?", "target": "de" });
    client.post("/v1/agents/translation/invoke", &json!({ "input": input })).await
}

/// Runs an operator command that the command line sends only after a measurement.
async fn command(folder: &Folder, body: &Value) -> Result<Value> {
    let admin: Value = serde_json::from_slice(&std::fs::read(folder.data().join("admin.json"))?)?;
    let text = |name: &str| admin[name].as_str().context("no admin listener");
    let request = reqwest::Client::new().post(format!("http://{}/command", text("address")?));
    let response = request.bearer_auth(text("token")?).json(body).send().await?;
    ensure!(response.status().is_success(), "{}", response.text().await?);
    Ok(response.json().await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_uses_only_a_model_that_is_qualified_for_it() -> Result<()> {
    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let mut folder = Folder::new(&config(&provider))?;
    folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
    let server = folder.serve_published().await?;
    let client = folder.funded(&server, "buyer@example.com", "10.00").await?;
    // Unqualified: listed as unavailable, and refused before a quote.
    let shown = client.get(AGENT).await?.must(200)?.json;
    ensure!(shown["status"] == "unavailable", "{shown}");
    let refused = translate(&client).await?.must_be(503, "E005")?;
    ensure!(refused.text.contains("tollbridge inference qualify --agent translation"), "{}", refused.text);
    ensure!(provider.seen().is_empty(), "an unqualified model was asked");

    // A model that answers every task with the same words is measured and not admitted.
    provider.always(Act::Say("Hallo, wie geht es dir heute?".to_owned()));
    let before = folder.records_of("route")?.len();
    let arguments = ["inference", "qualify", "--agent", "translation", "--model", "second"];
    let measured = folder.run_json(&arguments)?;
    let qualification = &measured[0]["qualification"];
    ensure!(qualification["admitted"] == false && qualification["model"] == "second", "{measured}");
    ensure!(qualification["tasks"].as_u64() > Some(30), "{measured}");
    let asked = provider.seen();
    ensure!(asked.len() > 10 && asked.iter().all(|one| one["model"] == "second"), "{} requests", asked.len());
    ensure!(folder.records_of("route")?.len() == before, "a measurement was sold");
    let shown = client.get(AGENT).await?.must(200)?.json;
    ensure!(shown["qualifications"][0]["admitted"] == false && shown["status"] == "unavailable", "{shown}");
    translate(&client).await?.must_be(503, "E005")?;

    // A budget that is spent stops the measurement, and nothing is recorded.
    let stopped = folder.try_run(&[&arguments[..4], &["--model", "first", "--budget-gbp", "0.0001"]].concat())?;
    let errors = String::from_utf8_lossy(&stopped.stderr).into_owned();
    ensure!(!stopped.status.success() && errors.contains("budget"), "{errors}");
    let unknown = folder.try_run(&[&arguments[..4], &["--model", "third"]].concat())?;
    ensure!(String::from_utf8_lossy(&unknown.stderr).contains("first, second"), "{unknown:?}");

    // Whether a measurement admits the agent follows from its figures, whatever it says.
    let measure = |wrong: u32| {
        let measured = json!({ "model": "second", "version": "1", "tasks": 60, "answered": 40, "wrong": wrong, "admitted": wrong > 2 });
        json!({ "command": "inference-qualify", "id": "translation", "measured": measured })
    };
    ensure!(command(&folder, &measure(3)).await?["admitted"] == false);
    ensure!(command(&folder, &measure(2)).await?["admitted"] == true);
    let shown = client.get(AGENT).await?.must(200)?.json;
    ensure!(shown["status"] == "deployed" && shown["qualifications"][0]["wrong"] == 2, "{shown}");
    let page = client.get("/catalogue/agents/translation").await?.must(200)?.text;
    ensure!(page.contains("second, used: 40 of 60 tasks answered, 2 wrong"), "{page}");
    let answer = translate(&client).await?.must(200)?.json;
    ensure!(answer.to_string().contains("Hallo"), "{answer}");
    let last = provider.seen().pop().context("no request")?;
    ensure!(last["model"] == "second", "{last}");
    ensure!(provider.wrong().is_empty(), "{:?}", provider.wrong());
    folder.verify()?;
    server.stop().await
}
