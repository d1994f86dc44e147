//! The public pages: the catalogue, the documents, and pages for missing paths.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Client, Folder, Person, Reply, eventually};

/// Checks the parts that every page must have.
fn is_page(reply: &Reply) -> Result<()> {
    let text = &reply.text;
    ensure!(reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{reply:?}");
    let policy = reply.header("content-security-policy").unwrap_or_default();
    ensure!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    for part in
        ["<html lang=\"en\">", "<meta name=\"description\" content=\"", "rel=\"icon\"", "<h1>", "href=\"#main\""]
    {
        ensure!(text.contains(part), "no {part} in {text}");
    }
    ensure!(!text.contains(" style=\"") && !text.contains("onclick"), "markup forbidden by the policy: {text}");
    ensure!(!text.contains("src=\"http") && !text.contains("<link rel=\"stylesheet\" href=\"http"), "{text}");
    Ok(())
}

#[tokio::test]
async fn every_plugin_has_a_page_with_a_call_to_try() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let person = Person::new(&client);
    let list = person.visit("/catalogue").await?.must(200)?;
    is_page(&list)?;
    ensure!(list.text.contains("href=\"/catalogue/bridges/echo\"") && list.text.contains("£0.10"), "{}", list.text);
    let page = person.visit("/catalogue/bridges/echo").await?.must(200)?;
    is_page(&page)?;
    let policy = page.header("content-security-policy").unwrap_or_default();
    ensure!(policy.contains("script-src 'self';") && policy.contains("connect-src 'self';"), "{policy}");
    for part in ["£0.10", "Paid calls in the ledger", "1.0.0", "Largest input"] {
        ensure!(page.text.contains(part), "no {part} in {}", page.text);
    }
    let missing = person.visit("/catalogue/bridges/none").await?.must(404)?;
    is_page(&missing)?;
    ensure!(missing.text.contains("<code>none</code>") && missing.text.contains("E012"), "{}", missing.text);
    person.visit("/catalogue/agents/echo").await?.must(404)?;
    Ok(())
}

#[tokio::test]
async fn the_catalogue_is_searched_without_scripts() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let found = async |query: &str| -> Result<bool> {
        let page = client.get(&format!("/catalogue?{query}")).await?.must(200)?;
        is_page(&page)?;
        Ok(page.text.contains("href=\"/catalogue/bridges/echo\""))
    };
    for yes in ["", "q=ECHO", "kind=bridges", "max=0.10", "max=nonsense", "available=on&sort=price", "sort=speed"] {
        ensure!(found(yes).await?, "the query `{yes}` must find the bridge");
    }
    for no in ["q=no-such-thing", "kind=agents", "max=0.09", "q=%3Cscript%3E"] {
        ensure!(!found(no).await?, "{no} finds it");
    }
    let page = client.get("/catalogue?q=%22%3E%3Cscript%3Ealert(1)").await?.must(200)?;
    ensure!(!page.text.contains("<script"), "{}", page.text);
    // A bridge that was called shows its median time.
    let caller = client.with_key(&folder.key()?.1);
    caller.call_on_credit("echo").await?.must(200)?;
    let page = client.get("/catalogue/bridges/echo").await?.must(200)?;
    ensure!(
        page.text.contains("<dt>Median time</dt>") && page.text.contains("100% of 1 call answered"),
        "{}",
        page.text
    );
    Ok(())
}

#[tokio::test]
async fn documents_have_a_menu_and_a_page_each() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let contents = client.get("/docs").await?.must(200)?;
    is_page(&contents)?;
    let mut read = 0;
    for link in contents.text.split("href=\"/docs/").skip(1) {
        let name = link.split('"').next().context("an open attribute")?;
        let page = client.get(&format!("/docs/{name}")).await?.must(200)?;
        is_page(&page).with_context(|| name.to_owned())?;
        ensure!(page.text.len() < 150_000, "/docs/{name} is {} bytes", page.text.len());
        read += 1;
    }
    ensure!(read > 20, "only {read} documents");
    client.get("/docs/none").await?.must_be(404, "E012")?;
    let routes = client.get("/docs/api").await?.must(200)?;
    ensure!(routes.text.contains("/v1/oracle/{bridge}") && routes.text.contains("E003"), "{}", routes.text);
    Ok(())
}

#[tokio::test]
async fn a_missing_path_is_a_page_for_a_browser_and_json_for_a_program() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let person = Person::new(&client);
    let page = person.visit("/nope").await?.must(404)?;
    is_page(&page)?;
    ensure!(page.text.contains("<h1>Not Found"), "{}", page.text);
    client.get("/nope").await?.must_be(404, "E012")?;
    person.visit("/v1/nope").await?.must_be(404, "E012")?;
    for icon in ["/favicon.svg", "/favicon.ico"] {
        let icon = client.get(icon).await?.must(200)?;
        ensure!(icon.header("content-type") == Some("image/svg+xml"), "{icon:?}");
    }
    Ok(())
}

/// Checks the size of everything that a first visit loads, as transferred.
#[tokio::test]
async fn a_first_visit_loads_little() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let mut sum = 0;
    for path in ["/", "/style.css", "/favicon.svg", "/catalogue/bridges/echo", "/try.js", "/seal.js"] {
        let request = client.request(reqwest::Method::GET, path).header("accept-encoding", "gzip");
        let reply = request.send().await?;
        let compressed = reply.headers().get("content-encoding").is_some_and(|encoding| encoding == "gzip");
        let bytes = reply.bytes().await?;
        sum += bytes.len();
        ensure!(compressed == bytes.starts_with(&[0x1f, 0x8b]), "{path} does not match its content-encoding");
        ensure!(compressed || bytes.len() < 1_024, "{path} is not compressed");
    }
    ensure!(sum < 30_000, "{sum} bytes");
    pages_of_accounts_stay_plain(&client).await
}

/// Account pages are not compressed: an attacker who can inject content into them could
/// infer their form token from the compressed size.
async fn pages_of_accounts_stay_plain(client: &Client) -> Result<()> {
    let request = client.request(reqwest::Method::GET, "/account/sign-in").header("accept-encoding", "gzip");
    let reply = request.send().await?;
    ensure!(reply.headers().get("content-encoding").is_none(), "{:?}", reply.headers());
    Ok(())
}

#[tokio::test]
async fn a_quote_and_a_new_account_say_what_credit_is() -> Result<()> {
    let (_folder, _server, client) = Folder::with_echo("").await?;
    let quote = client.call("echo", &json!({}), &[]).await?.must(402)?;
    let hint = quote.json["hint"].as_str().unwrap_or_default();
    ensure!(hint.contains("X-Payment-Source: credit"), "{}", quote.text);
    let mut person = Person::new(&client);
    let made = person.send("/account/sign-up", &[("email", "ada@example.com")]).await?.must(200)?;
    ensure!(made.text.contains("/v1/balance"), "{}", made.text);
    let intent = quote.json["payment"]["payment_intent_id"].as_str().context("no intent")?;
    let pay = format!("/pay/{intent}");
    person.send(&pay, &[]).await?.must(303)?;
    let paid = person.visit(&pay).await?.must(200)?;
    ensure!(paid.text.contains(&format!("X-Payment-Intent-Id: {intent}")), "{}", paid.text);
    ensure!(paid.text.contains("href=\"/catalogue/bridges/echo\""), "no link back: {}", paid.text);
    let link = quote.json["payment"]["payment_link"].as_str().context("no link")?;
    let path = link.split_once("/pay/").map(|(_, token)| format!("/pay/{token}")).context("no token")?;
    ensure!(!person.visit(&path).await?.must(200)?.text.contains(intent), "the link reveals the intent");
    Ok(())
}

/// Returns the state of a version on a plugin's page.
fn state_of(page: &Reply, version: &str) -> Option<String> {
    let (_, rest) = page.text.split_once("id=\"versions\"")?;
    let (_, rest) = rest.split_once(&format!("<tr><td>{version}</td><td>"))?;
    rest.split('<').next().map(str::to_owned)
}

#[tokio::test]
async fn versions_are_listed_with_their_outcome() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let states = async || -> Result<[Option<String>; 2]> {
        let page = client.get("/catalogue/bridges/echo").await?.must(200)?;
        Ok(["1.1.0", "1.0.0"].map(|version| state_of(&page, version)))
    };
    let wait_for = async |wanted: [Option<&str>; 2]| {
        let wanted = wanted.map(|state| state.map(str::to_owned));
        let seen = async || Ok((states().await? == wanted).then_some(()));
        eventually(&format!("versions are {wanted:?}"), 20, seen).await.map(drop)
    };
    wait_for([None, Some("live")]).await?;
    folder.publish_echo("1.1.0", "0.12")?;
    wait_for([Some("live"), Some("earlier")]).await?;
    let page = client.get("/catalogue/bridges/echo").await?.must(200)?;
    let (_, list) = page.text.split_once("id=\"versions\"").context("no list")?;
    ensure!(list.find("1.1.0") < list.find("<td>1.0.0"), "the newest is not first: {list}");
    ensure!(list.contains("£0.12") && list.contains("£0.10") && !list.contains("not known"), "{list}");
    ensure!(list.matches("title=\"SHA-256 ").count() == 2, "{list}");
    folder.run(&["plugin", "yank", "echo", "1.1.0"])?;
    wait_for([Some("yanked"), Some("live")]).await
}
