//! Authentication, keys and rate limits.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tollbridge_tests::{Client, Folder, Reply};

fn number(reply: &Reply, name: &str) -> Result<u64> {
    let text = reply.header(name).with_context(|| format!("no {name}: {reply:?}"))?;
    text.parse().with_context(|| format!("{name}: {text}"))
}

#[tokio::test]
async fn signing_up_gives_an_account_and_a_key_once() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let made = client.post("/v1/signup", &json!({ "email": "ada@example.com" })).await?.must(201)?.json;
    ensure!(made["account_id"] == made["user_id"] && made["account_id"].is_string(), "{made}");
    let (key, code) = (made["api_key"].as_str().context("no key")?, made["referral_code"].as_str().context("no code")?);
    ensure!(key.starts_with("tb_test_"), "a sandbox gives test keys: {key}");
    let ada = client.with_key(key);
    let balance = ada.get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£10.00" && balance["balance_pence"] == 0, "{balance}");
    ensure!(balance["withdrawal_eligible"] == false, "{balance}");
    ada.call_on_credit("echo").await?.must(200)?;

    for email in ["ada@example.com", "ada@EXAMPLE.com"] {
        let known = client.post("/v1/signup", &json!({ "email": email })).await?.must_be(409, "E010")?;
        ensure!(!known.text.contains("tb_test_"), "{}", known.text);
    }
    for bad in ["", "ada", "a@b", "a b@example.com", "a@example.com\nBcc: x@example.com"] {
        client.post("/v1/signup", &json!({ "email": bad })).await?.must_be(400, "E011")?;
    }
    let body = json!({ "email": "bert@example.com", "referral_code": "missing" });
    client.post("/v1/signup", &body).await?.must_be(400, "E011")?;
    client.post("/v1/signup", &json!({ "email": "b@example.com", "tier": "pro" })).await?.must_be(400, "E011")?;
    let body = json!({ "email": "bert@example.com", "referral_code": code });
    client.post("/v1/signup", &body).await?.must(201)?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn one_address_signs_up_five_times_a_day() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    for number in 1..=5 {
        client.signed_up(&format!("user{number}@example.com")).await?;
    }
    let sixth = client.post("/v1/signup", &json!({ "email": "user6@example.com" })).await?.must_be(429, "E002")?;
    let wait = number(&sixth, "retry-after")?;
    ensure!((1..=86_400).contains(&wait), "wait {wait} s");
    // The operator can create any number of accounts: the sign-up limit per client
    // address does not apply.
    folder.key().map(drop)
}

#[tokio::test]
async fn keys_that_are_not_keys_are_refused() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let (_, key) = folder.key()?;
    let good = client.with_key(&key);
    good.get("/v1/balance").await?.must(200)?;
    let refused = |reply: Reply| -> Result<Reply> {
        let reply = reply.must_be(401, "E001")?;
        ensure!(reply.header("www-authenticate").is_some_and(|scheme| scheme.starts_with("Bearer")), "{reply:?}");
        Ok(reply)
    };
    for path in ["/v1/balance", "/v1/keys"] {
        refused(client.get(path).await?)?;
    }
    let mut typo = key.clone();
    let last = typo.pop().context("an empty key")?;
    typo.push(if last == 'A' { 'B' } else { 'A' });
    for bad in [typo.as_str(), "", "tb_test_", "tb_live_0000000000000000000000000000000000", "x", &key[..key.len() - 3]]
    {
        refused(client.with_key(bad).get("/v1/balance").await?)?;
        // A wrong key is refused instead of being ignored.
        refused(client.with_key(bad).call("echo", &json!({}), &[]).await?)?;
    }
    for spaced in [format!("Bearer  {key}"), format!("Bearer {} {}", &key[..12], &key[12..])] {
        let request = client.request(Method::GET, "/v1/balance").header("authorization", spaced);
        let reply = refused(client.send(request).await?)?;
        ensure!(reply.text.contains("white space"), "{}", reply.text);
    }
    let basic = client.request(Method::GET, "/v1/balance").header("authorization", format!("Basic {key}"));
    refused(client.send(basic).await?)?;
    let twice = good.request(Method::GET, "/v1/balance").header("authorization", format!("Bearer {key}"));
    good.send(twice).await?.must_be(400, "E011").map(drop)
}

#[tokio::test]
async fn keys_have_scopes_and_an_end() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let owner = client.with_key(&folder.key()?.1);
    let make = async |body: serde_json::Value| -> Result<(String, Client)> {
        let made = owner.post("/v1/keys", &body).await?.must(201)?.json;
        let id = made["id"].as_str().context("no id")?.to_owned();
        Ok((id, client.with_key(made["api_key"].as_str().context("no key")?)))
    };
    let (caller_id, caller) = make(json!({ "label": "shop", "scopes": ["call"] })).await?;
    caller.call_on_credit("echo").await?.must(200)?;
    caller.get("/v1/keys").await?.must_be(403, "E021")?;
    caller.post("/v1/keys", &json!({})).await?.must_be(403, "E021")?;
    let (_, manager) = make(json!({ "scopes": ["manage"] })).await?;
    manager.get("/v1/keys").await?.must(200)?;
    manager.call_on_credit("echo").await?.must_be(403, "E021")?;
    manager.get("/v1/balance").await?.must_be(403, "E021")?;
    owner.post("/v1/keys", &json!({ "scopes": [] })).await?.must_be(400, "E011")?;
    owner.post("/v1/keys", &json!({ "scopes": ["root"] })).await?.must_be(400, "E011")?;

    let listed = owner.get("/v1/keys").await?.must(200)?;
    let keys = listed.json["keys"].as_array().context("no keys")?;
    ensure!(keys.len() == 3 && keys.iter().any(|key| key["label"] == "shop"), "{}", listed.text);
    ensure!(!listed.text.contains("tb_test_"), "the list shows keys");

    let delete = |client: &Client, id: &str| client.request(Method::DELETE, &format!("/v1/keys/{id}"));
    let stranger = client.with_key(&folder.key()?.1);
    stranger.send(delete(&stranger, &caller_id)).await?.must_be(404, "E012")?;
    caller.call_on_credit("echo").await?.must(200)?;
    owner.send(delete(&owner, &caller_id)).await?.must(204)?;
    let gone = caller.get("/v1/balance").await?.must_be(401, "E001")?;
    ensure!(gone.text.contains("revoked"), "{}", gone.text);
    caller.call("echo", &json!({}), &[]).await?.must_be(401, "E001").map(drop)
}

#[tokio::test]
async fn a_rolled_key_is_replaced() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let owner = client.with_key(&folder.key()?.1);
    let first = owner.post("/v1/keys", &json!({ "label": "old" })).await?.must(201)?.json;
    let id = first["id"].as_str().context("no id")?;
    let rolled = owner.post(&format!("/v1/keys/{id}/roll"), &json!({})).await?.must(201)?.json;
    ensure!(rolled["id"] != first["id"] && rolled["api_key"] != first["api_key"], "{rolled}");
    client.with_key(rolled["api_key"].as_str().context("no key")?).get("/v1/balance").await?.must(200)?;
    owner.post("/v1/keys/key_none/roll", &json!({})).await?.must_be(404, "E012")?;
    // At most ten keys can be active at a time.
    let mut refused = false;
    for _ in 0..10 {
        let made = owner.post("/v1/keys", &json!({})).await?;
        refused |= made.status == 409 && made.code() == "E010";
        ensure!(refused || made.status == 201, "{}", made.text);
    }
    ensure!(refused, "keys are unlimited");
    Ok(())
}

/// A key with a spending limit can be given away safely: its holder cannot use it to
/// create a key without a limit.
#[tokio::test]
async fn a_key_with_a_limit_makes_no_keys() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let owner = client.with_key(&folder.key()?.1);
    let limited = owner.post("/v1/keys", &json!({ "max_spend_gbp": "5.00" })).await?.must(201)?.json;
    let holder = client.with_key(limited["api_key"].as_str().context("no key")?);
    holder.post("/v1/keys", &json!({})).await?.must_be(403, "E021")?;
    // Even with the scope `manage`, a key with a limit cannot create keys.
    let wish = json!({ "max_spend_gbp": "5.00", "scopes": ["call", "manage"] });
    let manager = owner.post("/v1/keys", &wish).await?.must(201)?.json;
    let holder = client.with_key(manager["api_key"].as_str().context("no key")?);
    let keys = owner.get("/v1/keys").await?.must(200)?.json;
    let first = keys["keys"][0]["id"].as_str().context("no id")?;
    for path in ["/v1/keys".to_owned(), format!("/v1/keys/{first}/roll")] {
        let refused = holder.post(&path, &json!({})).await?.must_be(403, "E021")?;
        ensure!(refused.text.contains("spending limit"), "{}", refused.text);
    }
    Ok(())
}

#[tokio::test]
async fn limits_are_reported_on_every_answer_and_enforced() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[tiers.free]\nper_minute = 5\nper_hour = 1000").await?;
    let payer = client.with_key(&folder.key()?.1);
    whole_minute_ahead().await;
    for (left, path) in [(4, "/v1/bridges"), (3, "/v1/nothing"), (2, "/v1/balance"), (1, "/v1/oracle/none"), (0, "/")] {
        let reply = payer.get(path).await?;
        ensure!(number(&reply, "x-ratelimit-limit-minute")? == 5, "{reply:?}");
        ensure!(number(&reply, "x-ratelimit-remaining-minute")? == left, "{path}: {reply:?}");
        ensure!(number(&reply, "x-ratelimit-reset")? > 1_700_000_000, "{reply:?}");
    }
    let refused = payer.call_on_credit("echo").await?.must_be(429, "E002")?;
    ensure!((1..=60).contains(&number(&refused, "retry-after")?), "{refused:?}");
    ensure!(number(&refused, "x-ratelimit-remaining-minute")? == 0, "{refused:?}");
    // Requests without a key count against a limit per client address, so they still
    // succeed although the key's limit is used up.
    for _ in 0..5 {
        client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    }
    client.call("echo", &json!({}), &[]).await?.must_be(429, "E002")?;
    // Health checks count against no limit.
    for _ in 0..10 {
        payer.get("/health/ready").await?.must(200)?;
    }
    let (account, pro) = folder.key()?;
    folder.run(&["account", "tier", &account, "pro"])?;
    let reply = client.with_key(&pro).get("/v1/balance").await?.must(200)?;
    ensure!(number(&reply, "x-ratelimit-limit-minute")? == 1000, "{reply:?}");
    Ok(())
}

/// With a limit of two calls a minute, two paid calls succeed although each takes four
/// requests, because quotes, payments and status requests count against a separate limit.
#[tokio::test]
async fn an_address_is_limited_by_its_calls_not_by_paying_for_them() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("[tiers.free]\nper_minute = 2\nper_hour = 1000").await?;
    whole_minute_ahead().await;
    for left in [1, 0] {
        let intent = client.paid_intent("echo").await?;
        client.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
        let answer = client.call_with("echo", &intent).await?.must(200)?;
        ensure!(number(&answer, "x-ratelimit-remaining-minute")? == left, "{answer:?}");
    }
    client.call("echo", &json!({}), &[]).await?.must_be(429, "E002")?;
    let mut refused = 0;
    for _ in 0..20 {
        refused += usize::from(client.call_with("echo", "pi_nothing").await?.status == 429);
    }
    // The separate limit is twenty requests a minute, and six were made above, so
    // fourteen of these succeed.
    ensure!(refused == 6, "{refused} of 20 were refused");
    Ok(())
}

#[tokio::test]
async fn an_enterprise_account_has_its_own_limits() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let (account, key) = folder.key()?;
    let limits = |args: &[&str]| folder.run_json(&[&["account", "limits", &account], args].concat());
    let reported = async || -> Result<u64> {
        number(&client.with_key(&key).get("/v1/balance").await?.must(200)?, "x-ratelimit-limit-minute")
    };
    let refused = folder.try_run(&["account", "limits", &account, "--per-minute", "7"])?;
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(!refused.status.success() && why.contains("enterprise"), "{why}");
    folder.run(&["account", "tier", &account, "enterprise"])?;
    let tier = reported().await?;
    let set = limits(&["--per-minute", "70000", "--per-hour", "90000"])?;
    ensure!(set["per_minute"] == 70_000 && set["per_hour"] == 90_000 && set["custom"] == true, "{set}");
    ensure!(reported().await? == 70_000, "the limits are not applied");
    // Options that are left out keep their values.
    let set = limits(&["--per-minute", "80000"])?;
    ensure!(set["per_minute"] == 80_000 && set["per_hour"] == 90_000, "{set}");
    ensure!(limits(&[])? == set && reported().await? == 80_000, "{set}");
    ensure!(!folder.try_run(&["account", "limits", &account, "--per-hour", "0"])?.status.success(), "a limit of 0");
    ensure!(limits(&["--reset"])?["custom"] == false && reported().await? == tier, "the limits still apply");
    // Changing the tier removes individual limits.
    limits(&["--per-minute", "70000"])?;
    folder.run(&["account", "tier", &account, "free"])?;
    ensure!(limits(&[])?["custom"] == false, "a free account has custom limits");
    Ok(())
}

#[tokio::test]
async fn the_hour_has_its_own_limit() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[tiers.free]\nper_minute = 100\nper_hour = 3").await?;
    let payer = client.with_key(&folder.key()?.1);
    whole_minute_ahead().await;
    for _ in 0..3 {
        payer.get("/v1/balance").await?.must(200)?;
    }
    let refused = payer.get("/v1/balance").await?.must_be(429, "E002")?;
    ensure!(number(&refused, "x-ratelimit-remaining-minute")? == 0, "{refused:?}");
    let (reset, now) = (number(&refused, "x-ratelimit-reset")?, unix_s());
    ensure!(reset % 3600 == 0 && reset > now, "reset {reset} is not the end of an hour");
    ensure!(number(&refused, "retry-after")?.abs_diff(reset - now) <= 2, "{refused:?}");
    Ok(())
}

fn unix_s() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Waits for the start of a minute: rate-limit windows are aligned to the clock, and the
/// test must not span two of them.
async fn whole_minute_ahead() {
    let left = 60 - unix_s() % 60;
    if left < 10 {
        tokio::time::sleep(std::time::Duration::from_secs(left)).await;
    }
}

#[tokio::test]
async fn browsers_may_call_from_anywhere() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let preflight = client
        .request(Method::OPTIONS, "/v1/oracle/echo")
        .header("origin", "https://shop.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type,x-payment-intent-id,idempotency-key");
    let reply = client.send(preflight).await?;
    ensure!(reply.status == 200 || reply.status == 204, "{reply:?}");
    ensure!(reply.header("access-control-allow-origin") == Some("*"), "{reply:?}");
    let allowed = reply.header("access-control-allow-headers").unwrap_or_default().to_ascii_lowercase();
    ensure!(allowed.contains("x-payment-intent-id") && allowed.contains("authorization"), "{allowed}");
    let call =
        client.request(Method::POST, "/v1/oracle/echo").header("origin", "https://shop.example").json(&json!({}));
    let quote = client.send(call).await?.must_quote(None)?;
    ensure!(quote.header("access-control-allow-origin") == Some("*"), "{quote:?}");
    let exposed = quote.header("access-control-expose-headers").unwrap_or_default().to_ascii_lowercase();
    ensure!(exposed.contains("x-worm-seal") && exposed.contains("retry-after"), "{exposed}");
    ensure!(quote.header("access-control-allow-credentials").is_none(), "{quote:?}");
    // Scripts from other origins cannot read payment pages.
    let page = client.request(Method::GET, "/").header("origin", "https://shop.example");
    ensure!(client.send(page).await?.header("access-control-allow-origin").is_none(), "pages allow other origins");
    Ok(())
}

#[tokio::test]
async fn the_operator_makes_and_ends_keys() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let printed = folder.run(&["key", "create", "--tier", "pro", "--email", "ops@example.com"])?;
    let key = printed.trim_end_matches('\n');
    ensure!(key.starts_with("tb_test_") && !key.contains(char::is_whitespace), "not a key alone: {printed:?}");
    let ops = client.with_key(key);
    ops.get("/v1/balance").await?.must(200)?;

    let (account, other) = folder.key()?;
    let other = client.with_key(&other);
    folder.run(&["account", "suspend", &account])?;
    other.call_on_credit("echo").await?.must_be(403, "E022")?;
    other.get("/v1/balance").await?.must_be(403, "E022")?;
    ops.get("/v1/balance").await?.must(200)?;
    folder.run(&["account", "suspend", &account, "--undo"])?;
    other.call_on_credit("echo").await?.must(200)?;

    let keys = folder.run_json(&["key", "list", &account])?;
    let id = keys["keys"][0]["id"].as_str().with_context(|| format!("no key in {keys}"))?;
    folder.run(&["key", "revoke", &account, id])?;
    other.get("/v1/balance").await?.must_be(401, "E001")?;
    server.stop().await?;
    // The same commands work without a running server.
    let late = folder.run(&["key", "create"])?;
    let server = folder.serve().await?;
    server.client().with_key(late.trim()).get("/v1/balance").await?.must(200)?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_house_may_ask_for_a_key() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[bridges]\nrequire_key = true").await?;
    client.call("echo", &json!({}), &[]).await?.must_be(401, "E001")?;
    client.with_key(&folder.key()?.1).call("echo", &json!({}), &[]).await?.must_quote(None)?;
    client.get("/v1/bridges").await?.must(200).map(drop)
}
