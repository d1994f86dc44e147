//! The account pages, as seen by browsers and by attackers who use a victim's browser.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Client, Folder, Person, Reply, Server, guest, hidden, manifest};

/// Starts a server with a bridge, and signs in the developer who earns from it.
async fn signed_in() -> Result<(Folder, Server, Client, Person)> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let mut person = Person::new(&client);
    person.sign_in(&folder.developer).await?;
    Ok((folder, server, client, person))
}

/// Returns the API key that a page shows.
fn shown_key(page: &Reply) -> Result<String> {
    let (_, rest) = page.text.split_once("id=\"key\">").context("no key is shown")?;
    Ok(rest.split('<').next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_newcomer_signs_up_and_sees_the_key_once() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let mut person = Person::new(&client);
    let away = person.visit("/account/keys").await?.must(303)?;
    ensure!(away.header("location") == Some("/account/sign-in?next=%2Faccount%2Fkeys"), "{away:?}");
    let page = person.visit("/account/sign-in?referral=abc").await?.must(200)?;
    ensure!(page.text.contains("value=\"abc\"") && page.header("cache-control") == Some("no-store"), "{page:?}");

    let bad = person.send("/account/sign-up", &[("email", "missing")]).await?.must(422)?;
    ensure!(bad.text.contains("value=\"missing\"") && bad.text.contains("role=\"alert\""), "{}", bad.text);
    let made = person.send("/account/sign-up", &[("email", "ada@example.com")]).await?.must(200)?;
    let key = shown_key(&made)?;
    client.with_key(&key).get("/v1/balance").await?.must(200)?;
    for page in ["/account", "/account/keys", "/account/earnings"] {
        let page = person.visit(page).await?.must(200)?;
        ensure!(!page.text.contains(&key), "the key is shown again");
        ensure!(page.header("cache-control") == Some("no-store"), "{page:?}");
    }
    ensure!(person.visit("/account").await?.text.contains("£10.00"), "the credit is not shown");
    // An address that differs only in case is refused, too.
    for same in ["ada@example.com", "ADA@Example.com"] {
        let again = person.send("/account/sign-up", &[("email", same)]).await?.must(422)?;
        ensure!(!again.text.contains("id=\"key\""), "a key was issued for another account's address");
        client.post("/v1/signup", &json!({ "email": same })).await?.must_be(409, "E010")?;
    }
    Ok(())
}

/// A malformed query still shows the page.
#[tokio::test]
async fn an_odd_address_shows_the_page_all_the_same() -> Result<()> {
    let (_folder, _server, _client, person) = signed_in().await?;
    for path in ["keys", "earnings", "money", "webhooks", "apps", "sign-in"] {
        for query in ["done=1&done=2&next=a&next=b", "done=%FF&next=%FF&referral=%00", "&&=&%", "done[]=x"] {
            let page = person.visit(&format!("/account/{path}?{query}")).await?.must(200)?;
            ensure!(page.text.starts_with("<!doctype html>"), "{path}?{query}: {}", page.text);
        }
    }
    Ok(())
}

#[tokio::test]
async fn pages_cannot_be_framed_and_run_no_scripts() -> Result<()> {
    let (_folder, _server, _client, person) = signed_in().await?;
    for path in ["/account", "/account/keys", "/account/earnings", "/account/money", "/account/sign-in"] {
        let page = person.visit(path).await?.must(200)?;
        let policy = page.header("content-security-policy").unwrap_or_default();
        ensure!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        ensure!(page.header("x-frame-options") == Some("DENY"), "{page:?}");
        ensure!(page.header("access-control-allow-origin").is_none(), "other sites may read {path}");
        ensure!(!page.text.contains("<script") && !page.text.contains(" style="), "{path} has scripts or styles");
    }
    Ok(())
}

#[tokio::test]
async fn keys_are_made_rolled_and_revoked() -> Result<()> {
    let (_folder, _server, client, mut person) = signed_in().await?;
    let fields = [("label", "<b>shop</b>"), ("scope", "call"), ("max_spend_gbp", "1.50")];
    let made = person.fill("/account/keys", "/account/keys", &fields).await?.must(200)?;
    let first = shown_key(&made)?;
    client.with_key(&first).get("/v1/balance").await?.must(200)?;
    client.with_key(&first).get("/v1/keys").await?.must_be(403, "E021")?;
    let page = person.visit("/account/keys").await?.must(200)?;
    ensure!(page.text.contains("shop") && !page.text.contains("<b>shop"), "the name is not escaped: {}", page.text);
    ensure!(page.text.contains("£1.50") && page.text.contains("this session"), "{}", page.text);
    for (name, value) in [("scope", ""), ("max_spend_gbp", "much"), ("max_spend_gbp", "-1")] {
        let fields = [("label", "x"), ("scope", if name == "scope" { value } else { "call" }), (name, value)];
        person.fill("/account/keys", "/account/keys", &fields).await?.must(400)?;
    }

    let id = id_of(&page, "shop").context("no id")?;
    let rolled = person.fill("/account/keys", &format!("/account/keys/{id}/roll"), &[]).await?.must(200)?;
    let second = shown_key(&rolled)?;
    client.with_key(&second).get("/v1/balance").await?.must(200)?;
    client.with_key(&first).get("/v1/balance").await?.must(200)?;
    let gone = person.fill("/account/keys", &format!("/account/keys/{id}/revoke"), &[]).await?.must(303)?;
    ensure!(gone.header("location") == Some("/account/keys?done=revoked"), "{gone:?}");
    client.with_key(&first).get("/v1/balance").await?.must_be(401, "E001")?;
    let unknown = person.fill("/account/keys", "/account/keys/key_none/revoke", &[]).await?.must(404)?;
    ensure!(unknown.text.contains("<h1>Not Found"), "the error of a page must be shown as a page: {}", unknown.text);
    Ok(())
}

/// Returns the id of the key with this label.
fn id_of(page: &Reply, label: &str) -> Option<String> {
    let (_, card) = page.text.split_once(label)?;
    let (_, rest) = card.split_once("<code>")?;
    rest.split('<').next().map(str::to_owned)
}

#[tokio::test]
async fn forms_of_other_sites_change_nothing() -> Result<()> {
    let (_folder, _server, client, mut person) = signed_in().await?;
    let before = client.with_key(&_folder.developer).get("/v1/keys").await?.text;
    let page = person.visit("/account/keys").await?.must(200)?;
    let token = hidden(&page, "form_token").context("no token")?;
    let fields = [("form_token", token.as_str()), ("label", "x"), ("scope", "call")];
    for site in ["cross-site", "same-site"] {
        person.send_from(site, "/account/keys", &fields).await?.must(403)?;
        let mut stranger = Person::new(&client);
        stranger.send_from(site, "/account/sign-in", &[("key", &_folder.developer)]).await?.must(403)?;
        ensure!(stranger.cookie().is_none(), "another site signed a person in");
    }
    for wrong in ["", "x", &"0".repeat(64)] {
        person.send("/account/keys", &[("form_token", wrong), ("label", "x"), ("scope", "call")]).await?.must(403)?;
    }
    // The token of another session is refused, too.
    let mut other = Person::new(&client);
    other.sign_in(&_folder.key()?.1).await?;
    other.send("/account/keys", &fields).await?.must(403)?;
    ensure!(client.with_key(&_folder.developer).get("/v1/keys").await?.text == before, "a key was created");
    // A session cookie gives access to pages, but not to the API.
    let cookie = person.cookie().context("no cookie")?.to_owned();
    let api = client.request(reqwest::Method::GET, "/v1/balance").header("cookie", cookie);
    client.send(api).await?.must_be(401, "E001").map(drop)
}

#[tokio::test]
async fn sessions_end() -> Result<()> {
    let (folder, _server, client, mut person) = signed_in().await?;
    let cookie = person.cookie().context("no cookie")?.to_owned();
    let old = client.request(reqwest::Method::GET, "/account").header("cookie", cookie);
    person.fill("/account", "/account/sign-out", &[]).await?.must(303)?;
    ensure!(person.cookie().is_none(), "the cookie remains");
    client.send(old).await?.must(303)?;

    for bad in ["", "x", "tb_test_", &format!("{}x", folder.developer)] {
        let refused = person.send("/account/sign-in", &[("key", bad)]).await?.must(422)?;
        ensure!(refused.text.contains("role=\"alert\"") && person.cookie().is_none(), "{bad}: {}", refused.text);
    }
    let owner = client.with_key(&folder.developer);
    let made = owner.post("/v1/keys", &json!({ "scopes": ["call"] })).await?.must(201)?.json;
    person.send("/account/sign-in", &[("key", made["api_key"].as_str().context("no key")?)]).await?.must(422)?;

    // A session ends when its key is revoked.
    let made = owner.post("/v1/keys", &json!({})).await?.must(201)?.json;
    person.sign_in(made["api_key"].as_str().context("no key")?).await?;
    person.visit("/account").await?.must(200)?;
    let id = made["id"].as_str().context("no id")?;
    owner.send(owner.request(reqwest::Method::DELETE, &format!("/v1/keys/{id}"))).await?.must(204)?;
    person.visit("/account").await?.must(303)?;
    // Sign-in redirects only to paths on this server.
    let next = [("key", folder.developer.as_str()), ("next", "https://evil.example/")];
    let reply = person.send("/account/sign-in", &next).await?.must(303)?;
    ensure!(reply.header("location") == Some("/account"), "{reply:?}");
    Ok(())
}

#[tokio::test]
async fn earnings_are_shown_by_plugin_and_day() -> Result<()> {
    let (folder, server, client, person) = signed_in().await?;
    let caller = client.with_key(&folder.key()?.1);
    ensure!(person.visit("/account/earnings").await?.must(200)?.text.contains("No sales in"), "sales without calls");
    for _ in 0..3 {
        caller.call_on_credit("echo").await?.must(200)?;
    }
    let page = person.visit("/account/earnings").await?.must(200)?;
    // The developer earns 80 % of 10 p, three times.
    ensure!(page.text.contains("£0.24") && page.text.contains("3 sales"), "{}", page.text);
    ensure!(page.text.contains("<rect class=\"s0\"") && page.text.contains(": echo £0.24</title>"), "{}", page.text);
    ensure!(
        person.visit("/account").await?.must(200)?.text.contains("£0.24"),
        "the overview does not show the earnings"
    );
    // The totals survive a restart, and no sale is counted twice.
    server.stop().await?;
    let server = folder.serve().await?;
    let mut person = Person::new(&server.client());
    person.sign_in(&folder.developer).await?;
    server.client().with_key(caller.key().context("no key")?).call_on_credit("echo").await?.must(200)?;
    let page = person.visit("/account/earnings").await?.must(200)?;
    ensure!(page.text.contains("£0.32") && page.text.contains("4 sales"), "{}", page.text);
    folder.verify().map(drop)
}

#[tokio::test]
async fn webhooks_are_added_looked_at_replayed_and_deleted() -> Result<()> {
    let local = "[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\nretries = [\"1s\"]";
    let (folder, _server, client) = Folder::with_echo(local).await?;
    let mut person = Person::new(&client);
    person.sign_in(&folder.developer).await?;
    let here = "/account/webhooks";
    for (url, event) in [("nonsense", "earn.completed"), ("http://127.0.0.1:9/hook", "no.such")] {
        person.fill(here, here, &[("url", url), ("event", event)]).await?.must(400)?;
    }
    // No server listens on this port, so every delivery attempt fails and is shown.
    let wish = [("url", "http://127.0.0.1:9/hook"), ("event", "billing.split"), ("event", "earn.completed")];
    let made = person.fill(here, here, &wish).await?.must(200)?;
    let (_, rest) = made.text.split_once("id=\"secret\">").context("no secret is shown")?;
    let secret = rest.split('<').next().unwrap_or_default().to_owned();
    ensure!(secret.starts_with("whsec_"), "{secret}");
    let list = person.visit(here).await?.must(200)?;
    ensure!(!list.text.contains(&secret) && list.text.contains("billing.split, earn.completed"), "{}", list.text);
    let (_, rest) = list.text.split_once("href=\"/account/webhooks/").context("not listed")?;
    let one = format!("{here}/{}", rest.split('"').next().unwrap_or_default());
    person.fill(here, "/account/webhooks/test", &[]).await?.must(303)?;
    let failed =
        async || -> Result<bool> { Ok(person.visit(&one).await?.must(200)?.text.contains("name=\"event_id\"")) };
    let mut seen = false;
    for _ in 0..100 {
        seen = failed().await?;
        if seen {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    ensure!(seen, "no attempt is shown");
    let page = person.visit(&one).await?.must(200)?;
    let event = hidden(&page, "event_id").context("no event")?;
    let again = person.fill(&one, &format!("{one}/replay"), &[("event_id", &event)]).await?.must(303)?;
    ensure!(again.header("location") == Some(&format!("{one}?done=replayed")), "{again:?}");
    person.fill(&one, &format!("{one}/replay"), &[("event_id", "none")]).await?.must(404)?;
    let rolled = person.fill(&one, &format!("{one}/roll"), &[]).await?.must(200)?;
    ensure!(rolled.text.contains("whsec_") && !rolled.text.contains(&secret), "the secret did not change");
    person.fill(&one, &format!("{one}/burn"), &[]).await?.must(404)?;

    let mut other = Person::new(&client);
    other.sign_in(&folder.key()?.1).await?;
    other.visit(&one).await?.must(404)?;
    other.fill(here, &format!("{one}/delete"), &[]).await?.must(404)?;
    person.fill(&one, &format!("{one}/delete"), &[]).await?.must(303)?;
    person.visit(&one).await?.must(404).map(drop)
}

#[tokio::test]
async fn earnings_are_withdrawn_once_and_credit_is_added() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("costly", "1.0.0", "8.00"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    client.with_key(&folder.key()?.1).call_on_credit("costly").await?.must(200)?;
    let mut person = Person::new(&client);
    person.sign_in(&folder.developer).await?;
    let here = "/account/money";
    let page = person.visit(here).await?.must(200)?;
    ensure!(page.text.contains("£6.40") && page.text.contains("Connect a payout account"), "{}", page.text);
    let once = hidden(&page, "once").unwrap_or_else(|| "0".repeat(32));
    let early = person.fill(here, "/account/money/withdraw", &[("once", &once)]).await?.must(409)?;
    ensure!(early.text.contains("<h1>Conflict") && early.text.contains("E020"), "{}", early.text);

    connect(&server, &mut person, "ac_test_ok").await?;
    let page = person.visit(here).await?.must(200)?;
    ensure!(page.text.contains("acct_test_ok"), "{}", page.text);
    let once = hidden(&page, "once").context("no withdrawal is offered")?;
    for wrong in ["", "x", &"g".repeat(32)] {
        person.fill(here, "/account/money/withdraw", &[("once", wrong)]).await?.must(400)?;
    }
    person.send("/account/money/withdraw", &[("once", &once)]).await?.must(403)?;
    // Submitting a form twice makes one withdrawal.
    for _ in 0..2 {
        let sent = person.fill(here, "/account/money/withdraw", &[("once", &once)]).await?.must(303)?;
        ensure!(sent.header("location") == Some("/account/money?done=sent"), "{sent:?}");
    }
    let page = person.visit("/account/money?done=sent").await?.must(200)?;
    ensure!(page.text.contains("Withdrawal sent") && page.text.matches("£6.40").count() == 1, "{}", page.text);
    ensure!(page.text.contains("settled") && page.text.contains("less than £5.00"), "{}", page.text);

    // After a change of the payout account, withdrawals wait for a day.
    connect(&server, &mut person, "ac_test_refuses").await?;
    client.with_key(&folder.key()?.1).call_on_credit("costly").await?.must(200)?;
    let page = person.visit(here).await?.must(200)?;
    ensure!(page.text.contains("waits 24 hours") && hidden(&page, "once").is_none(), "{}", page.text);

    for bad in ["much", "", "0", "-5", "7.50", "99999999999999999999", "9223372036854775807"] {
        let refused = person.fill(here, "/account/money/top-up", &[("pounds", bad)]).await?.must(400)?;
        ensure!(refused.text.contains("role=\"alert\"") && refused.text.contains("E011"), "{bad}: {}", refused.text);
    }
    let leaving = person.fill(here, "/account/money/top-up", &[("pounds", "7")]).await?.must(200)?;
    let pay = next_page(&server, &leaving)?;
    ensure!(person.visit(&pay).await?.must(200)?.text.contains("£7.00"), "a different amount");
    let paid = person.send(&pay, &[]).await?.must(303)?;
    ensure!(paid.header("location") == Some(&pay), "{paid:?}");
    ensure!(person.visit(&pay).await?.must(200)?.text.contains("href=\"/account/money\""), "no link back");
    let page = person.visit(here).await?.must(200)?;
    ensure!(page.text.contains("£17.00"), "{}", page.text);

    // Another account cannot see the withdrawal.
    let mut other = Person::new(&client);
    other.sign_in(&folder.key()?.1).await?;
    let page = other.visit(here).await?.must(200)?;
    ensure!(!page.text.contains("settled") && !page.text.contains("acct_test"), "{}", page.text);
    folder.verify().map(drop)
}

/// Returns the local address that the redirect page to the processor leads to.
fn next_page(server: &Server, leaving: &Reply) -> Result<String> {
    let (_, rest) = leaving.text.split_once("class=\"button\" href=\"").context("no link to continue")?;
    let url = rest.split('"').next().unwrap_or_default().replace("&#38;", "&");
    ensure!(leaving.header("refresh") == Some(&format!("0; url={url}")), "{leaving:?}");
    Ok(url.strip_prefix(&server.url).with_context(|| format!("{url} is not a page of the sandbox"))?.to_owned())
}

/// Connects one of the sandbox's payout accounts.
async fn connect(server: &Server, person: &mut Person, code: &str) -> Result<()> {
    let leaving = person.fill("/account/money", "/account/money/connect", &[]).await?.must(200)?;
    let path = next_page(server, &leaving)?;
    person.visit(&path).await?.must(200)?;
    let (_, state) = path.split_once("state=").context("no state")?;
    let back = format!("/account/connect/callback?state={state}&code={code}");
    let connected = person.visit(&back).await?.must(200)?;
    ensure!(connected.text.contains("href=\"/account/money\""), "{}", connected.text);
    // The link works once, and an error page says so.
    let again = person.visit(&back).await?.must(400)?;
    ensure!(again.text.contains("<h1>Bad Request") && again.text.contains("/account/connect"), "{}", again.text);
    Ok(())
}

#[tokio::test]
async fn whatever_a_browser_meets_on_its_way_is_a_page() -> Result<()> {
    let folder = Folder::new("[payments]\nquote_ttl = \"1s\"\n[tiers.free]\nper_minute = 12\nper_hour = 100")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let client = server.client();
    let quote = client.call("echo", &json!({}), &[]).await?.must(402)?;
    let link = quote.json["payment"]["payment_link"].as_str().context("no link")?;
    let link = link.strip_prefix(&server.url).context("a link to another server")?.to_owned();
    let mut person = Person::new(&client);
    let is_page = |reply: &Reply, code: &str| {
        let page = reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
        let safe = reply.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'"));
        page && safe && reply.text.contains("<h1>") && reply.text.contains(code)
    };
    for path in ["/pay/pt_nonsense", "/account/nowhere"] {
        let missing = person.visit(path).await?.must(404)?;
        ensure!(is_page(&missing, "E012"), "{path}: {missing:?}");
    }
    let stale = person.visit("/account/connect/callback?state=x&code=y").await?.must(400)?;
    ensure!(is_page(&stale, "E011"), "{stale:?}");
    let unknown = person.send("/pay/pt_nonsense", &[]).await?.must(404)?;
    ensure!(is_page(&unknown, "E012"), "{unknown:?}");
    tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
    ensure!(person.visit(&link).await?.must(200)?.text.contains("expired"), "not expired");
    let late = person.send(&link, &[]).await?.must(410)?;
    ensure!(is_page(&late, "E003"), "{late:?}");
    // Programs get JSON on the same paths.
    client.post(&link, &json!({})).await?.must_be(410, "E003")?;
    client.get("/pay/pt_nonsense").await?.must_be(404, "E012")?;
    // API paths return JSON to browsers, too.
    person.visit("/v1/balance").await?.must_be(401, "E001")?;
    for _ in 0..12 {
        if person.visit("/account/sign-in").await?.status == 429 {
            break;
        }
    }
    let limited = person.visit("/account/sign-in").await?.must(429)?;
    ensure!(is_page(&limited, "E002") && limited.header("retry-after").is_some(), "{limited:?}");
    Ok(())
}
