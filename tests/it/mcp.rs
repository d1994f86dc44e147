//! MCP and OAuth: with the official client, and with invalid or hostile requests.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::mcp::{modern, run_client};
use tollbridge_tests::{
    Client, Folder, Person, Reply, Server, agents, guest, hidden, manifest, worker, worker_manifest,
};

const REDIRECT: &str = "http://127.0.0.1:4321/cb";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// The code challenge for the example verifier in RFC 7636.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async fn started() -> Result<(Folder, Server, Client)> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&manifest("costly", "1.0.0", "50.00"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    Ok((folder, server, client))
}

async fn form(client: &Client, path: &str, fields: &[(&str, &str)]) -> Result<Reply> {
    client.send(client.request(Method::POST, path).form(fields)).await
}

async fn registered(client: &Client) -> Result<String> {
    let body = json!({ "client_name": "<i>app</i>", "redirect_uris": [REDIRECT] });
    let reply = client.post("/oauth/register", &body).await?.must(201)?;
    Ok(reply.json["client_id"].as_str().context("no client id")?.to_owned())
}

fn authorize(base: &str, id: &str) -> Vec<(String, String)> {
    let pairs = [
        ("response_type", "code"),
        ("client_id", id),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "a b&c"),
        ("scope", "call"),
        ("resource", &format!("{base}/mcp")),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

fn path_of(fields: &[(String, String)]) -> Result<String> {
    let url = reqwest::Url::parse_with_params("http://x/oauth/authorize", fields)?;
    Ok(format!("{}?{}", url.path(), url.query().unwrap_or_default()))
}

/// Returns the query parameters of the redirect that sends a person back to the client.
fn sent_back(reply: &Reply) -> Result<std::collections::HashMap<String, String>> {
    let location = reply.header("location").context("not redirected back")?;
    ensure!(location.starts_with(REDIRECT), "redirected elsewhere: {location}");
    let url = reqwest::Url::parse(location)?;
    Ok(url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
}

/// Grants consent as a person does; returns the authorization code.
async fn consent(person: &mut Person, base: &str, id: &str, limit: &str) -> Result<String> {
    let page = person.visit(&path_of(&authorize(base, id))?).await?.must(200)?;
    ensure!(page.text.contains("app") && !page.text.contains("<i>app"), "not escaped: {}", page.text);
    let token = hidden(&page, "form_token").context("no token")?;
    let mut fields = authorize(base, id);
    fields.extend(
        [("form_token", token.as_str()), ("decision", "allow"), ("max_spend_gbp", limit)]
            .map(|(n, v)| (n.to_owned(), v.to_owned())),
    );
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let back = sent_back(&person.send("/oauth/authorize", &fields).await?.must(303)?)?;
    ensure!(back["state"] == "a b&c" && back["iss"] == base, "{back:?}");
    Ok(back["code"].clone())
}

async fn exchange(client: &Client, id: &str, code: &str) -> Result<Reply> {
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", id),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    form(client, "/oauth/token", &fields).await
}

#[tokio::test]
async fn the_official_client_finds_its_way_in_and_calls_tools() -> Result<()> {
    let (folder, server, client) = started().await?;
    let (_, key) = folder.key()?;
    run_client("client.py", &[&server.url, &key]).await?;
    // Five calls at 10 p were made from £10: three with a token (one for each protocol
    // generation and one more), two with a key (one for each generation).
    let balance = client.with_key(&key).get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£9.50", "{balance}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_request_without_a_key_gets_the_authorization_server() -> Result<()> {
    let (_folder, server, client) = started().await?;
    let refused = modern(&client, "tools/list", None, json!({})).await?.must_be(401, "E001")?;
    let challenge = refused.header("www-authenticate").context("no challenge")?;
    let place = format!("resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\"", server.url);
    ensure!(challenge.starts_with("Bearer ") && challenge.contains(&place), "{challenge}");
    ensure!(challenge.contains("scope=\"call\"") && !challenge.contains("error="), "{challenge}");
    for bad in ["x", "tb_at_x", "tb_test_x"] {
        let refused = modern(&client.with_key(bad), "tools/list", None, json!({})).await?.must_be(401, "E001")?;
        ensure!(
            refused.header("www-authenticate").is_some_and(|c| c.contains("error=\"invalid_token\"")),
            "{refused:?}"
        );
    }
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let metadata = client.get(path).await?.must(200)?.json;
        ensure!(metadata["resource"] == format!("{}/mcp", server.url), "{metadata}");
        ensure!(metadata["authorization_servers"] == json!([server.url]), "{metadata}");
    }
    let metadata = client.get("/.well-known/oauth-authorization-server").await?.must(200)?.json;
    ensure!(
        metadata["issuer"] == server.url && metadata["code_challenge_methods_supported"] == json!(["S256"]),
        "{metadata}"
    );
    ensure!(metadata["authorization_response_iss_parameter_supported"] == true, "{metadata}");
    Ok(())
}

#[tokio::test]
async fn a_key_without_permission_gets_the_missing_scope() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let owner = client.with_key(&folder.developer);
    let made = owner.post("/v1/keys", &json!({ "scopes": ["manage"] })).await?.must(201)?.json;
    let manager = client.with_key(made["api_key"].as_str().context("no key")?);
    let refused = modern(&manager, "tools/list", None, json!({})).await?.must_be(403, "E021")?;
    let challenge = refused.header("www-authenticate").unwrap_or_default();
    ensure!(challenge.contains("insufficient_scope") && challenge.contains("resource_metadata="), "{challenge}");
    Ok(())
}

#[tokio::test]
async fn malformed_messages_are_refused_in_order() -> Result<()> {
    let (folder, server, client) = started().await?;
    let client = client.with_key(&folder.key()?.1);
    client.get("/mcp").await?.must_be(405, "E013")?;
    client.send(client.request(Method::DELETE, "/mcp")).await?.must_be(405, "E013")?;
    let post = |body: &'static str| {
        let request = client.request(Method::POST, "/mcp").header("content-type", "application/json");
        client.send(request.header("accept", "application/json, text/event-stream").body(body))
    };
    for body in ["", "{", "[]", "7", "{\"jsonrpc\":\"1.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":1}"] {
        let reply = post(body).await?;
        ensure!((400..=422).contains(&reply.status), "{body}: {} {}", reply.status, reply.text);
    }
    let evil = client.request(Method::POST, "/mcp").header("origin", "https://evil.example").json(&json!({}));
    client.send(evil.header("accept", "application/json, text/event-stream")).await?.must(403)?;
    let unknown = modern(&client, "no/such", None, json!({})).await?.must(404)?;
    ensure!(unknown.json["error"]["code"] == -32601, "{}", unknown.text);
    let missing = modern(&client, "tools/call", Some("none"), json!({ "name": "none" })).await?;
    ensure!(missing.json["error"]["code"] == -32602, "{}", missing.text);
    let mismatch = modern(&client, "tools/call", Some("echo"), json!({ "name": "costly" })).await?.must(400)?;
    ensure!(mismatch.json["error"]["code"] == -32020, "{}", mismatch.text);
    let dear =
        modern(&client, "tools/call", Some("costly"), json!({ "name": "costly", "arguments": {} })).await?.must(200)?;
    ensure!(dear.json["result"]["isError"] == true, "{}", dear.text);
    ensure!(server.client().get("/health/live").await?.status == 200, "the server has exited");
    Ok(())
}

#[tokio::test]
async fn agents_get_their_tasks_through_one_tool() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&agents::manifest("mirror", "0.10"), &agents::mirror()?)?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    let list = modern(&client, "tools/list", None, json!({})).await?.must(200)?.json;
    let tools = &list["result"]["tools"];
    ensure!(tools[0]["name"] == "get_task" && tools[1]["name"] == "invoke_agent", "{list}");
    let tool = &tools[1];
    ensure!(tool["inputSchema"]["properties"]["agent_slug"]["enum"] == json!(["mirror"]), "{tool}");
    let call = async |arguments: Value| -> Result<Value> {
        let params = json!({ "name": "invoke_agent", "arguments": arguments });
        Ok(modern(&client, "tools/call", Some("invoke_agent"), params).await?.must(200)?.json["result"].clone())
    };
    let done = call(json!({ "agent_slug": "mirror", "task": "look into it" })).await?;
    let made = &done["structuredContent"];
    ensure!(done["isError"] == false && made["status"] == "completed" && made["agent_slug"] == "mirror", "{done}");
    ensure!(made["output"]["bytes"] == "00012" && made["proof"]["algorithm"] == "Ed25519", "{done}");
    let id = made["task_id"].as_str().context("no task id")?;
    client.get(&format!("/v1/workforce/proof/{id}/public")).await?.must(200)?;
    ensure!(done["_meta"]["worm_seal"].as_str().is_some_and(|seal| seal.len() == 64), "{done}");
    for wrong in [
        json!({}),
        json!({ "agent_slug": "mirror" }),
        json!({ "agent_slug": "missing", "task": "x" }),
        json!({ "agent_slug": "mirror", "task": "x", "wait_ms": 60_001 }),
    ] {
        let failed = call(wrong.clone()).await?;
        ensure!(failed["isError"] == true, "{wrong}: {failed}");
    }
    let balance = client.get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£9.90", "{balance}");
    folder.verify().map(drop)
}

/// Runs the official client with an agent that takes longer than a direct call may wait.
#[tokio::test]
async fn long_tasks_tell_their_progress_and_are_fetched_later() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&worker_manifest("tester", "worker", "0.20", "echo", 5_500), &worker("echo")?)?;
    let server = folder.serve().await?;
    let (_, key) = folder.key()?;
    run_client("tasks.py", &[&server.url, &key]).await?;
    // Two of the four tasks were answered, and only these are charged.
    let balance = server.client().with_key(&key).get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£9.60", "{balance}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_repeated_call_with_its_own_key_is_charged_once() -> Result<()> {
    let (folder, _server, client) = started().await?;
    let client = client.with_key(&folder.key()?.1);
    let mut seals = Vec::new();
    for _ in 0..2 {
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "echo", "arguments": {} } });
        let request = client.request(Method::POST, "/mcp").header("idempotency-key", "once").json(&body);
        let reply = client.send(request.header("accept", "application/json, text/event-stream")).await?.must(200)?;
        seals.push(reply.json["result"]["_meta"]["worm_seal"].clone());
    }
    ensure!(seals[0].is_string() && seals[0] == seals[1], "{seals:?}");
    let balance = client.get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£9.90", "{balance}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn registration_takes_no_dangerous_address() -> Result<()> {
    let (_folder, _server, client) = started().await?;
    for bad in ["javascript:alert(1)", "http://evil.example/cb", "data:text/html,x", "https://a.example/#x", ""] {
        let reply = client.post("/oauth/register", &json!({ "redirect_uris": [bad] })).await?.must(400)?;
        ensure!(reply.json["error"] == "invalid_redirect_uri" && reply.json["code"] == "E011", "{}", reply.text);
    }
    for bad in [json!({}), json!({ "redirect_uris": [] }), json!([]), json!({ "redirect_uris": "x" })] {
        client.post("/oauth/register", &bad).await?.must(400)?;
    }
    let asked = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_basic", "x": 1 });
    let made = client.post("/oauth/register", &asked).await?.must(201)?.json;
    ensure!(made["token_endpoint_auth_method"] == "none" && made.get("client_secret").is_none(), "{made}");
    Ok(())
}

#[tokio::test]
async fn the_consent_shows_errors_only_to_its_own_client() -> Result<()> {
    let (folder, server, client) = started().await?;
    let id = registered(&client).await?;
    let mut person = Person::new(&client);
    let away = person.visit(&path_of(&authorize(&server.url, &id))?).await?.must(303)?;
    ensure!(
        away.header("location").is_some_and(|to| to.starts_with("/account/sign-in?next=%2Foauth%2Fauthorize")),
        "{away:?}"
    );
    person.sign_in(&folder.key()?.1).await?;
    let with = |name: &str, value: &str| {
        let mut fields = authorize(&server.url, &id);
        fields.retain(|(own, _)| own != name);
        fields.push((name.to_owned(), value.to_owned()));
        path_of(&fields)
    };
    // With an unknown client or address the person is not redirected: the address may be an
    // attacker's.
    for (name, value) in
        [("client_id", "client_x"), ("redirect_uri", "https://evil.example"), ("redirect_uri", "http://127.0.0.1:1/x")]
    {
        let page = person.visit(&with(name, value)?).await?.must(400)?;
        ensure!(page.header("location").is_none() && page.text.contains("<h1>"), "{page:?}");
    }
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("scope", "admin", "invalid_scope"),
        ("resource", "https://there.example/mcp", "invalid_target"),
    ] {
        let back = sent_back(&person.visit(&with(name, value)?).await?.must(303)?)?;
        ensure!(back["error"] == error && back["state"] == "a b&c" && back["iss"] == server.url, "{name}: {back:?}");
    }
    let page = person.visit(&path_of(&authorize(&server.url, &id))?).await?.must(200)?;
    let policy = page.header("content-security-policy").unwrap_or_default();
    ensure!(
        policy.contains("form-action 'self' http://127.0.0.1:4321;") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    // Without the form token of this session, nothing is granted.
    let mut fields = authorize(&server.url, &id);
    fields.push(("decision".to_owned(), "allow".to_owned()));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    person.send("/oauth/authorize", &fields).await?.must(403)?;
    let token = hidden(&page, "form_token").context("no token")?;
    let denied: Vec<(&str, &str)> = fields
        .into_iter()
        .filter(|(name, _)| *name != "decision")
        .chain([("form_token", token.as_str()), ("decision", "deny")])
        .collect();
    let back = sent_back(&person.send("/oauth/authorize", &denied).await?.must(303)?)?;
    ensure!(back["error"] == "access_denied", "{back:?}");
    Ok(())
}

#[tokio::test]
async fn a_program_spends_at_most_its_allowance() -> Result<()> {
    let (folder, server, client) = started().await?;
    let (_, key) = folder.key()?;
    let id = registered(&client).await?;
    let mut person = Person::new(&client);
    person.sign_in(&key).await?;
    let code = consent(&mut person, &server.url, &id, "0.15").await?;
    let issued = exchange(&client, &id, &code).await?.must(200)?.json;
    let token = client.with_key(issued["access_token"].as_str().context("no token")?);
    let call = json!({ "name": "echo", "arguments": {} });
    let first = modern(&token, "tools/call", Some("echo"), call.clone()).await?.must(200)?;
    ensure!(first.json["result"]["isError"] == false, "{}", first.text);
    let second = modern(&token, "tools/call", Some("echo"), call).await?.must(200)?;
    let text = second.json["result"]["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(
        second.json["result"]["isError"] == true && text.contains("daily limit, which is used up"),
        "{}",
        second.text
    );
    let balance = client.with_key(&key).get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£9.90", "{balance}");
    Ok(())
}

#[tokio::test]
async fn codes_and_tokens_are_used_once_and_end() -> Result<()> {
    let (folder, server, client) = started().await?;
    let id = registered(&client).await?;
    let other = registered(&client).await?;
    let mut person = Person::new(&client);
    person.sign_in(&folder.key()?.1).await?;

    let code = consent(&mut person, &server.url, &id, "1.00").await?;
    let stolen = exchange(&client, &other, &code).await?.must(400)?;
    ensure!(stolen.json["error"] == "invalid_grant", "{}", stolen.text);
    let issued = exchange(&client, &id, &code).await?.must(200)?;
    ensure!(issued.header("cache-control") == Some("no-store") && issued.json["token_type"] == "Bearer", "{issued:?}");
    let access = issued.json["access_token"].as_str().context("no token")?.to_owned();
    let token = client.with_key(&access);
    modern(&token, "tools/list", None, json!({})).await?.must(200)?;
    let elsewhere = token.call("echo", &json!({}), &[("x-payment-source", "credit")]).await?.must_be(401, "E001")?;
    ensure!(elsewhere.text.contains("/mcp"), "{}", elsewhere.text);
    // Using the code a second time revokes its tokens.
    exchange(&client, &id, &code).await?.must(400)?;
    modern(&token, "tools/list", None, json!({})).await?.must(401)?;

    // The client revokes its token.
    let code = consent(&mut person, &server.url, &id, "1.00").await?;
    let issued = exchange(&client, &id, &code).await?.must(200)?.json;
    let refresh = issued["refresh_token"].as_str().context("no refresh token")?;
    form(&client, "/oauth/revoke", &[("token", refresh)]).await?.must(200)?;
    form(&client, "/oauth/revoke", &[("token", "nonsense")]).await?.must(200)?;
    let again = [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", id.as_str())];
    form(&client, "/oauth/token", &again).await?.must(400)?;

    // The person revokes the client's access.
    let code = consent(&mut person, &server.url, &id, "1.00").await?;
    let issued = exchange(&client, &id, &code).await?.must(200)?.json;
    let token = client.with_key(issued["access_token"].as_str().context("no token")?);
    modern(&token, "tools/list", None, json!({})).await?.must(200)?;
    let apps = person.visit("/account/apps").await?.must(200)?;
    let (_, rest) = apps.text.split_once("/account/apps/").context("no app")?;
    let grant = rest.split('/').next().unwrap_or_default().to_owned();
    person.fill("/account/apps", &format!("/account/apps/{grant}/end"), &[]).await?.must(303)?;
    modern(&token, "tools/list", None, json!({})).await?.must(401)?;

    for (fields, error) in [
        (vec![("grant_type", "password")], "unsupported_grant_type"),
        (vec![], "invalid_request"),
        (vec![("grant_type", "authorization_code")], "invalid_request"),
        (vec![("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "y")], "invalid_grant"),
        (vec![("grant_type", "refresh_token"), ("grant_type", "refresh_token")], "invalid_request"),
    ] {
        let reply = form(&client, "/oauth/token", &fields).await?.must(400)?;
        ensure!(reply.json["error"] == error, "{fields:?}: {}", reply.text);
    }
    Ok(())
}
