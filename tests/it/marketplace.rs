//! The marketplace: plugins that accounts deploy, the operator's approval, and the
//! owner's view.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{FakeProvider, KEY, KEY_VARIABLE, TEXT, Wire};
use tollbridge_tests::{
    Folder, Receiver, Server, eventually, manifest, published_plugins, worker, worker_manifest, workspace,
};

use crate::agents::{Shop, both_verifiers_agree};
use crate::plugin_logs::the_log_is_its_owners;

/// An agent that exports the right functions but traps in `describe`.
const TRAPS_WHEN_ASKED: &str = r#"(module
  {{MEMORY}}
  {{REALLOC}}
  (func (export "describe") (result i32) unreachable)
  (func (export "run") (param i32) (result i32) unreachable))"#;

/// Returns a deployment of the test agent, with the given members changed.
pub(crate) fn deployment(changes: &Value) -> Result<Value> {
    use base64::Engine as _;
    let code = base64::engine::general_purpose::STANDARD.encode(worker("echo")?);
    let mut body = json!({
        "name": "helper", "price_gbp": "0.10", "description": "helps", "component_base64": code,
        "grants": ["bridges"], "bridges": ["echo"], "limits": { "time_ms": 1000, "memory_mib": 8 },
        "skills": [{ "id": "testing", "description": "for tests" }],
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    Ok(body)
}

/// Returns whether the list of agents contains a callable agent with this slug.
fn is_live(listed: &Value, slug: &str) -> bool {
    let agents = listed["agents"].as_array().into_iter().flatten();
    agents.filter(|agent| agent["agent_id"] == *slug).any(|agent| agent["status"] == "deployed")
}

#[tokio::test]
async fn an_account_deploys_sells_and_switches_off() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let (maker, caller) = (shop.caller("maker").await?, shop.caller("a").await?);
    let live = maker.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must(201)?;
    let slug = live.json["agent_id"].as_str().context("no agent_id")?.to_owned();
    ensure!(slug.ends_with("-helper") && live.json["version"] == "1.0.0" && live.json["new"] == true, "{}", live.text);
    // The agent's id is prefixed with the handle; its name is unchanged.
    let listed = caller.get("/api/v1/agents").await?.must(200)?.json;
    let listed = listed["agents"].as_array().context("no list")?.iter().find(|one| one["agent_id"] == *slug);
    let shown = caller.get(&format!("/api/v1/agents/{slug}")).await?.must(200)?.json;
    for view in [&live.json, listed.context("not in the list")?, &shown] {
        ensure!(view["name"] == "helper" && view["slug"] == *slug, "{view}");
    }
    let path = format!("/v1/agents/{slug}/invoke");
    let done = caller.post(&path, &json!({ "task": "hello" })).await?.must(200)?;
    ensure!(done.json["proof"]["statement"]["agent_id"] == *slug, "{}", done.text);
    caller.post(&path, &json!({ "task": "fail" })).await?.must_be(502, "E017")?;
    let about = format!("/api/v1/agents/{slug}");
    let counted = || async {
        let stats = maker.get(&format!("{about}/earnings")).await?.must(200)?.json;
        Ok((stats["failed"] == 1).then_some(stats))
    };
    let (stats, _) = eventually("the failure is counted", 20, counted).await?;
    ensure!(stats["calls"] == 1 && stats["earned_pence"] == 8 && stats["success_rate"] == 0.5, "{stats}");
    caller.get(&format!("{about}/earnings")).await?.must_be(404, "E007")?;
    ensure!(
        maker.get(&format!("{about}/logs")).await?.must(200)?.text.contains("unreachable"),
        "no failure in the log"
    );
    the_log_is_its_owners(&shop, &slug, &maker, &caller)?;
    let again = maker.post("/api/v1/agents/deploy", &deployment(&json!({ "price_gbp": "0.12" }))?).await?.must(201)?;
    ensure!(again.json["version"] == "1.0.1" && again.json["price_pence"] == 12, "{}", again.text);
    let same = deployment(&json!({ "version": "1.0.1", "price_gbp": "0.13" }))?;
    maker.post("/api/v1/agents/deploy", &same).await?.must_be(409, "E010")?;
    caller.post(&format!("{about}/disable"), &json!({})).await?.must_be(404, "E007")?;
    maker.post(&format!("{about}/disable"), &json!({})).await?.must(200)?;
    caller.post(&path, &json!({ "task": "hello" })).await?.must_be(404, "E007")?;
    maker.post(&format!("{about}/enable"), &json!({})).await?.must(200)?;
    caller.post(&path, &json!({ "task": "hello" })).await?.must(200)?;
    shop.folder.run(&["plugin", "disable", &format!("agents/{slug}")])?;
    maker.post(&format!("{about}/enable"), &json!({})).await?.must_be(409, "E010")?;
    let listed = caller.get("/api/v1/agents").await?.must(200)?;
    ensure!(is_live(&listed.json, "worker") && !is_live(&listed.json, &slug), "{}", listed.text);
    both_verifiers_agree(&shop.folder)
}

#[tokio::test]
async fn bad_deployments_are_refused_by_name_and_leave_nothing() -> Result<()> {
    use base64::Engine as _;
    let shop = Shop::open("10.00").await?;
    let maker = shop.caller("maker").await?;
    let encode = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let component = |name: &str| Ok::<_, anyhow::Error>(encode(&tollbridge_tests::guest::component(name)?));
    let left = || -> Result<_> {
        let on_disk = [tree(&shop.folder.registry())?, tree(&shop.folder.data().join("compiled"))?];
        let in_store = [shop.folder.run_json(&["plugin", "list"])?, shop.folder.run_json(&["publisher", "list"])?];
        Ok((on_disk, in_store, shop.folder.records()?))
    };
    let before = left()?;
    for (changes, status, code, says) in [
        (json!({ "component_base64": component("trap_in_describe")? }), 400, "E011", "world"),
        (
            json!({ "component_base64": encode(&tollbridge_tests::guest::compile_agent(TRAPS_WHEN_ASKED)?) }),
            400,
            "E011",
            "describe",
        ),
        (json!({ "component_base64": component("core_module")? }), 400, "E011", "core module"),
        (json!({ "component_base64": encode(b"hello") }), 400, "E011", "not a WebAssembly component"),
        (json!({ "component_base64": "%" }), 400, "E011", "base64"),
        (json!({ "grants": [], "bridges": [] }), 400, "E011", "bridges"),
        (json!({ "grants": ["http", "bridges"], "allow_hosts": ["example.com"] }), 400, "E011", "plugins.allow_hosts"),
        (json!({ "name": "../../x" }), 400, "E011", "name"),
        (json!({ "name": "" }), 400, "E011", ""),
        (json!({ "price_gbp": "0.001" }), 400, "E011", "price_gbp"),
        (json!({ "price_gbp": "-1" }), 400, "E011", "price_gbp"),
        (json!({ "developer_pct": 99 }), 403, "E008", "developer_pct"),
        (json!({ "publisher": "tester" }), 400, "E011", "publisher"),
        (json!({ "kind": "bridge" }), 400, "E011", "kind"),
        (json!({ "limits": { "memory_mib": 100_000 } }), 400, "E011", "memory_mib"),
        (json!({ "version": "one" }), 400, "E011", "version"),
    ] {
        let reply = maker.post("/api/v1/agents/deploy", &deployment(&changes)?).await?.must_be(status, code)?;
        ensure!(reply.text.contains(says), "{changes} is not explained: {}", reply.text);
    }
    shop.server.client().post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must_be(401, "E001")?;
    ensure!(left()? == before, "files were left: {:?} is not {before:?}", left()?);
    // An accepted version keeps its compiled code. A version that is refused because its
    // number is taken by different bytes leaves no files behind.
    maker.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must(201)?;
    let before = left()?;
    let other = json!({ "version": "1.0.0", "component_base64": encode(&tollbridge_tests::agents::mirror()?),
        "grants": [], "bridges": [] });
    maker.post("/api/v1/agents/deploy", &deployment(&other)?).await?.must_be(409, "E010")?;
    ensure!(left()? == before, "a conflicting version left files");
    Ok(())
}

/// Revoking an account stops all versions that it deployed; its earnings remain, and no
/// other account is affected.
#[tokio::test]
async fn an_account_that_is_revoked_stops_at_once() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let (maker, caller) = (shop.caller("maker").await?, shop.caller("a").await?);
    let other = shop.caller("other").await?;
    let deploy = async |by: &tollbridge_tests::Client, changes: Value| -> Result<String> {
        let live = by.post("/api/v1/agents/deploy", &deployment(&changes)?).await?.must(201)?;
        Ok(live.json["agent_id"].as_str().context("no agent_id")?.to_owned())
    };
    let slug = deploy(&maker, json!({})).await?;
    ensure!(deploy(&maker, json!({ "price_gbp": "0.12" })).await? == slug, "a different agent");
    let second = deploy(&maker, json!({ "name": "second" })).await?;
    let theirs = deploy(&other, json!({})).await?;
    let invoke = async |slug: &str| caller.post(&format!("/v1/agents/{slug}/invoke"), &json!({ "task": "x" })).await;
    for slug in [&slug, &second, &theirs] {
        invoke(slug).await?.must(200)?;
    }
    let balance = async || -> Result<Value> { Ok(maker.get("/v1/balance").await?.must(200)?.json) };
    let earned = balance().await?;
    ensure!(earned["balance_pence"].as_i64().is_some_and(|pence| pence > 0), "{earned}");
    let account = earned["user_id"].as_str().context("no user_id")?;

    let revoked = shop.folder.run_json(&["publisher", "revoke", account])?;
    ensure!(
        revoked["revoked"] == true && revoked["publishers"].as_array().is_some_and(|all| all.len() == 1),
        "{revoked}"
    );
    let before = caller.get("/v1/balance").await?.json["credit_gbp"].clone();
    for slug in [&slug, &second] {
        invoke(slug).await?.must_be(503, "E016")?;
        // A pin, a rollback or an approval does not reactivate a revoked version.
        let id = format!("agents/{slug}");
        for act in
            [vec!["plugin", "pin", &id, "1.0.0"], vec!["plugin", "rollback", &id], vec!["plugin", "approve", &id]]
        {
            let _ = shop.folder.try_run(&act)?;
            invoke(slug).await?.must_be(503, "E016")?;
        }
    }
    ensure!(caller.get("/v1/balance").await?.json["credit_gbp"] == before, "a refused call was charged");
    ensure!(balance().await? == earned, "earnings changed: {} was {earned}", balance().await?);
    invoke(&theirs).await?.must(200)?;
    let why = maker.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must_be(403, "E022")?;
    ensure!(why.text.contains("operator"), "{}", why.text);
    let agents = caller.get("/api/v1/agents").await?.must(200)?.json;
    ensure!(!is_live(&agents, &slug) && is_live(&agents, &theirs), "{agents}");
    let listed = shop.folder.run_json(&["publisher", "list"])?;
    let state = |account: &str| {
        let found = listed["publishers"].as_array()?.iter().find(|one| one["account"] == account)?;
        found["revoked"].as_bool()
    };
    ensure!(state(account) == Some(true), "{listed}");
    ensure!(!shop.folder.try_run(&["publisher", "revoke", "acct_nobody"])?.status.success(), "unknown account");

    // The revocation survives a restart.
    let Shop { folder, server, .. } = shop;
    server.stop().await?;
    let server = folder.serve().await?;
    let caller = server.client().with_key(caller.key().context("no key")?);
    caller.post(&format!("/v1/agents/{slug}/invoke"), &json!({ "task": "x" })).await?.must_be(503, "E016")?;
    caller.post(&format!("/v1/agents/{theirs}/invoke"), &json!({ "task": "x" })).await?.must(200)?;
    both_verifiers_agree(&folder)
}

/// An account that is revoked before its first deployment cannot deploy; other accounts
/// are unaffected.
#[tokio::test]
async fn an_account_that_is_revoked_never_begins_to_deploy() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let (newcomer, other) = (shop.caller("newcomer").await?, shop.caller("other").await?);
    let shown = newcomer.get("/v1/balance").await?.must(200)?.json;
    let account = shown["user_id"].as_str().context("no user_id")?;
    for _ in 0..2 {
        let revoked = shop.folder.run_json(&["publisher", "revoke", account])?;
        ensure!(revoked["publishers"].as_array().is_some_and(|all| all.len() == 1), "{revoked}");
    }
    newcomer.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must_be(403, "E022")?;
    let listed = shop.folder.run_json(&["publisher", "list"])?;
    let found = listed["publishers"].as_array().and_then(|all| all.iter().find(|one| one["account"] == account));
    ensure!(found.is_some_and(|one| one["revoked"] == true), "{listed}");
    other.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must(201)?;
    both_verifiers_agree(&shop.folder)
}

#[tokio::test]
async fn an_agent_is_deployed_from_a_terminal() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let maker = shop.caller("maker").await?;
    let project = shop.folder.path().join("project");
    std::fs::create_dir_all(&project)?;
    std::fs::write(project.join("plugin.toml"), worker_manifest("me", "helper", "0.10", "echo", 1_000))?;
    std::fs::write(project.join("plugin.wasm"), worker("echo")?)?;
    let (project, wasm) = (project.display().to_string(), project.join("plugin.wasm").display().to_string());
    let key = maker.key().context("no key")?;
    let to = ["--component", &wasm, "--server", &shop.server.url, "--key", key];
    let deployed = shop.folder.run_json(&[&["plugin", "publish", &project], &to[..]].concat())?;
    let slug = deployed[0]["agent_id"].as_str().context("no agent_id")?;
    maker.post(&format!("/v1/agents/{slug}/invoke"), &json!({ "task": "x" })).await?.must(200)?;
    Ok(())
}

/// Returns every path below a folder.
fn tree(folder: &std::path::Path) -> Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(tree(&path)?);
        }
        found.push(path);
    }
    found.sort();
    Ok(found)
}

/// Returns the test bridge as an account deploys it.
fn bridge(version: &str) -> Result<Value> {
    use base64::Engine as _;
    let code = base64::engine::general_purpose::STANDARD.encode(tollbridge_tests::guest::echo(version)?);
    Ok(json!({
        "name": "parrot", "version": version, "price_gbp": "0.10", "description": "says it again",
        "component_base64": code, "limits": { "time_ms": 1000, "memory_mib": 8 },
    }))
}

#[tokio::test]
async fn a_bridge_of_an_account_serves_when_the_operator_approves_it() -> Result<()> {
    let (folder, server) = empty().await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    let caller = folder.funded(&server, "caller@example.com", "1.00").await?;
    let up = maker.post("/api/v1/bridges/deploy", &bridge("1.0.0")?).await?.must(202)?;
    ensure!(up.json["status"] == "waiting" && up.json["new"] == true, "{}", up.text);
    let name = up.json["name"].as_str().context("no name")?.to_owned();
    ensure!(name.ends_with("-parrot"), "{name}");
    let path = format!("/v1/oracle/{name}");
    // Before approval, other accounts cannot see the bridge, and its owner sees that it
    // is waiting.
    caller.post(&path, &json!({})).await?.must_be(404, "E012")?;
    ensure!(!caller.get("/api/v1/bridges").await?.must(200)?.text.contains("parrot"));
    let mine = maker.get("/api/v1/plugins").await?.must(200)?;
    ensure!(mine.json["plugins"][0]["name"] == *name && mine.json["plugins"][0]["waiting"] == "1.0.0", "{}", mine.text);
    ensure!(caller.get("/api/v1/plugins").await?.must(200)?.json["plugins"] == json!([]));

    folder.run(&["plugin", "approve", &name])?;
    let request = caller.request(reqwest::Method::POST, &path).header("X-Payment-Source", "credit");
    let answer = caller.send(request.json(&json!({ "a": 1 }))).await?.must(200)?;
    ensure!(answer.text.contains("1.0.0"), "{}", answer.text);
    let about = format!("/api/v1/bridges/{name}");
    let earned = maker.get(&format!("{about}/earnings")).await?.must(200)?;
    ensure!(earned.json["calls"] == 1 && earned.json["earned_pence"] == 8, "{}", earned.text);
    ensure!(earned.json["failed"].is_null() && earned.json["name"] == *name, "{}", earned.text);
    caller.get(&format!("{about}/earnings")).await?.must_be(404, "E012")?;
    caller.get(&format!("{about}/logs")).await?.must_be(404, "E012")?;
    maker.get(&format!("{about}/logs")).await?.must(200)?;

    // A new version waits for approval while the previous version serves.
    maker.post("/api/v1/bridges/deploy", &bridge("1.1.0")?).await?.must(202)?;
    let versions = maker.get(&format!("{about}/versions")).await?.must(200)?;
    ensure!(versions.json["versions"] == json!(["1.0.0", "1.1.0"]), "{}", versions.text);
    ensure!(caller.get(&about).await?.must(200)?.json["version"] == "1.0.0");
    folder.run(&["plugin", "approve", &format!("bridges/{name}"), "1.1.0"])?;
    let now = || async { Ok((caller.get(&about).await?.json["version"] == "1.1.0").then_some(())) };
    eventually("the approved version serves", 20, now).await?;
    // An approval survives a restart.
    let (key, caller_key) = (maker.key().context("no key")?, caller.key().context("no key")?);
    server.stop().await?;
    let server = folder.serve().await?;
    let (maker, caller) = (server.client().with_key(key), server.client().with_key(caller_key));
    ensure!(caller.get(&about).await?.must(200)?.json["version"] == "1.1.0");
    maker.post(&format!("{about}/disable"), &json!({})).await?.must(200)?;
    ensure!(caller.post(&path, &json!({})).await?.status == 503);
    caller.post(&format!("{about}/enable"), &json!({})).await?.must_be(404, "E012")?;
    maker.post(&format!("{about}/enable"), &json!({})).await?.must(200)?;
    folder.verify()?;
    server.stop().await
}

#[tokio::test]
async fn a_bridge_is_deployed_from_a_terminal() -> Result<()> {
    let (folder, server) = empty().await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    let project = folder.path().join("project");
    std::fs::create_dir_all(&project)?;
    std::fs::write(project.join("plugin.toml"), manifest("parrot", "1.0.0", "0.10").replace("tester", "me"))?;
    std::fs::write(project.join("plugin.wasm"), tollbridge_tests::guest::echo("1.0.0")?)?;
    let (project, wasm) = (project.display().to_string(), project.join("plugin.wasm").display().to_string());
    let key = maker.key().context("no key")?;
    let to = ["--component", &wasm, "--server", &server.url, "--key", key];
    let deployed = folder.run_json(&[&["plugin", "publish", &project], &to[..]].concat())?;
    let name = deployed[0]["name"].as_str().context("no name")?;
    ensure!(deployed[0]["status"] == "waiting", "{deployed}");
    folder.run(&["plugin", "approve", name])?;
    let path = format!("/v1/oracle/{name}");
    let live = || async { Ok((maker.post(&path, &json!({})).await?.status == 402).then_some(())) };
    eventually("the approved bridge quotes its price", 20, live).await?;
    server.stop().await
}

#[tokio::test]
async fn an_account_deploys_so_often_in_an_hour() -> Result<()> {
    let (folder, server) = empty().await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    // A refused deployment counts against the limit, because checking it takes as much
    // work.
    let wrong = json!({ "name": "x", "price_gbp": "0.10", "component_base64": "" });
    for _ in 0..60 {
        maker.post("/api/v1/agents/deploy", &wrong).await?.must_be(400, "E011")?;
    }
    let refused = maker.post("/api/v1/bridges/deploy", &bridge("1.0.0")?).await?.must_be(429, "E002")?;
    ensure!(refused.header("retry-after").is_some() && refused.text.contains("60 times"), "{}", refused.text);
    // Another account can still deploy.
    let other = folder.funded(&server, "other@example.com", "1.00").await?;
    other.post("/api/v1/bridges/deploy", &bridge("1.0.0")?).await?.must(202)?;
    server.stop().await
}

/// Starts a server with the operator's agent `prompted`, which runs prompts, and
/// optionally with a provider.
async fn with_runner(provider: Option<&FakeProvider>) -> Result<(Folder, Server)> {
    let one = provider.map(|provider| {
        format!(
            "[inference]\nusd_gbp = 1\n[inference.providers.one]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\n\
             models = [{{ id = \"m\", input_usd_per_mtok = 1, output_usd_per_mtok = 1, context = 8000 }}]\n",
            provider.url
        )
    });
    let mut folder = Folder::new(&one.unwrap_or_default())?;
    folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
    let registry = published_plugins().join("agents/prompted");
    let newest = std::fs::read_dir(&registry).context("plugins are not published; run make build")?;
    let modified = |path: &std::path::PathBuf| path.metadata().and_then(|about| about.modified()).ok();
    let newest = newest.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(modified);
    let built = newest.context("prompted is not published")?;
    let manifest = std::fs::read_to_string(workspace().join("plugins/agents/prompted/plugin.toml"))?;
    let manifest = manifest.replace("publisher = \"tollbridge\"", "publisher = \"tester\"");
    folder.publish(&manifest, &std::fs::read(built.join("plugin.wasm"))?)?;
    let server = folder.serve().await?;
    Ok((folder, server))
}

fn prompt() -> Value {
    json!({
        "name": "haiku", "price_gbp": "0.20", "description": "says it in three lines",
        "prompt": "Answer with a haiku.", "model": "m",
        "input_schema": { "type": "object", "properties": { "season": { "type": "string" } }, "required": ["season"] },
    })
}

#[tokio::test]
async fn an_agent_is_made_of_a_prompt_alone() -> Result<()> {
    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let (folder, server) = with_runner(Some(&provider)).await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    let caller = folder.funded(&server, "caller@example.com", "1.00").await?;
    for (change, field) in [
        (json!({ "prompt": " " }), "declaration.instructions"),
        (json!({ "bridges": ["echo"] }), "/bridges"),
        (json!({ "component_base64": "AA==" }), "/prompt"),
        (json!({ "input_schema": { "type": "nonsense" } }), "input schema"),
        (json!({ "input_schema": "object" }), "/input_schema"),
    ] {
        let mut body = prompt();
        for (name, value) in change.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let refused = maker.post("/api/v1/agents/deploy", &body).await?.must_be(400, "E011")?;
        ensure!(refused.text.contains(field), "{change}: {}", refused.text);
    }
    let live = maker.post("/api/v1/agents/deploy", &prompt()).await?.must(201)?;
    let slug = live.json["agent_id"].as_str().context("no agent_id")?.to_owned();
    ensure!(live.json["input_schema"]["required"] == json!(["season"]), "{}", live.text);
    ensure!(live.json["output_schema"]["properties"]["text"].is_object(), "{}", live.text);
    let path = format!("/v1/agents/{slug}/invoke");
    let before = provider.seen().len();
    caller.post(&path, &json!({ "input": { "season": 3 } })).await?.must_be(400, "E011")?;
    caller.post(&path, &json!({ "input": {} })).await?.must_be(400, "E011")?;
    ensure!(provider.seen().len() == before, "a model was called for an invalid input");
    let done = caller.post(&path, &json!({ "task": "Winter", "input": { "season": "winter" } })).await?.must(200)?;
    ensure!(done.json["output"]["text"] == TEXT && done.json["output"]["provider"] == "one", "{}", done.text);
    ensure!(done.json["proof"]["statement"]["slug"] == *slug, "{}", done.text);
    let asked = provider.seen().pop().context("no model was called")?;
    let messages = &asked["messages"];
    ensure!(messages[0] == json!({ "role": "system", "content": "Answer with a haiku." }), "{asked}");
    ensure!(messages[1]["content"] == "Winter\n\n{\"season\":\"winter\"}" && asked["model"] == "m", "{asked}");
    // The provider is paid from the price; the rest is split.
    let earned = maker.get(&format!("/api/v1/agents/{slug}/earnings")).await?.must(200)?;
    ensure!(earned.json["calls"] == 1 && earned.json["gross_millipence"] == 20_000, "{}", earned.text);
    ensure!((15_000..16_000).contains(&earned.json["earned_millipence"].as_i64().unwrap_or(0)), "{}", earned.text);
    // A changed prompt creates a new version.
    let mut other = prompt();
    other["prompt"] = "Answer with a limerick.".into();
    ensure!(maker.post("/api/v1/agents/deploy", &other).await?.must(201)?.json["version"] == "1.0.1");
    caller.post(&path, &json!({ "input": { "season": "spring" } })).await?.must(200)?;
    let asked = provider.seen().pop().context("no model was called")?;
    ensure!(asked["messages"][0]["content"] == "Answer with a limerick.", "{asked}");
    ensure!(provider.wrong().is_empty(), "{:?}", provider.wrong());
    both_verifiers_agree(&folder)?;
    server.stop().await
}

#[tokio::test]
async fn a_prompt_without_a_provider_or_a_runner_says_so() -> Result<()> {
    let (folder, server) = with_runner(None).await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    let mut body = prompt();
    body.as_object_mut().into_iter().for_each(|members| drop(members.remove("model")));
    let live = maker.post("/api/v1/agents/deploy", &body).await?.must(201)?;
    let slug = live.json["agent_id"].as_str().context("no agent_id")?;
    let before = maker.get("/v1/balance").await?.json["credit_pence"].clone();
    let task = json!({ "input": { "season": "winter" } });
    maker.post(&format!("/v1/agents/{slug}/invoke"), &task).await?.must_be(503, "E005")?;
    ensure!(maker.get("/v1/balance").await?.json["credit_pence"] == before, "the call was charged");
    server.stop().await?;
    let (folder, server) = empty().await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    let refused = maker.post("/api/v1/agents/deploy", &prompt()).await?.must_be(503, "E016")?;
    ensure!(refused.text.contains("`prompted`"), "{}", refused.text);
    server.stop().await
}

/// The owner and the caller of an agent each get every event once.
#[tokio::test]
async fn events_tell_of_an_agent() -> Result<()> {
    let folder = Folder::new("[webhooks]\nallow_networks = [\"127.0.0.0/8\"]")?;
    folder.publish(&manifest("echo", "1.0.0", "0.05"), &tollbridge_tests::guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let maker = folder.funded(&server, "maker@example.com", "1.00").await?;
    let receiver = Receiver::start().await?;
    let events = ["agent.deployed", "agent.completed", "agent.failed", "billing.split"];
    let hook = json!({ "url": receiver.url, "events": events, "secret": "a-secret-of-enough-bytes" });
    maker.post("/v1/webhooks", &hook).await?.must(201)?;
    let live = maker.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must(201)?;
    let slug = live.json["agent_id"].clone();
    let reported = receiver.wait_for("agent.deployed", 1, 20).await?[0].json();
    let data = &reported["data"];
    ensure!(data["agent_id"] == slug && data["price_gbp"] == 0.1 && data["earn_rate"] == 0.8, "{reported}");
    ensure!(data["name"] == "helper", "{reported}");
    ensure!(data["constitution"].is_string() && reported["timestamp"].is_u64(), "{reported}");
    let path = format!("/v1/agents/{}/invoke", slug.as_str().context("no agent_id")?);
    let done = maker.post(&path, &json!({ "task": "hello" })).await?.must(200)?;
    let reported = receiver.wait_for("agent.completed", 1, 20).await?[0].json();
    ensure!(reported["data"]["task_id"] == done.json["task_id"] && reported["data"]["agent_id"] == slug, "{reported}");
    ensure!(reported["data"]["duration_ms"].is_u64() && reported["ts"].is_u64(), "{reported}");
    let reported = receiver.wait_for("billing.split", 1, 20).await?[0].json();
    let data = &reported["data"];
    ensure!(data["gross_pence"] == 10 && data["agent_pence"] == 8 && data["platform_pence"] == 2, "{reported}");
    maker.post(&path, &json!({ "task": "fail" })).await?.must_be(502, "E017")?;
    let reported = receiver.wait_for("agent.failed", 1, 20).await?[0].json();
    ensure!(reported["data"]["task_id"].is_string() && reported["data"]["retries"] == 1, "{reported}");
    folder.verify()?;
    server.stop().await
}

async fn empty() -> Result<(Folder, Server)> {
    let folder = Folder::new("")?;
    let server = folder.serve().await?;
    Ok((folder, server))
}
