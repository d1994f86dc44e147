//! Sign-in by e-mail link, verified addresses, and recovery from a lost key, tested with
//! a strict mail server that can be made to fail.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_mail::testing::{FakeMailServer, Fault, ReceivedEmail};
use tollbridge_tests::{Client, Folder, Person, Reply, Server, hidden};

const ADA: &str = "ada@example.com";

fn config(address: SocketAddr) -> String {
    format!("[email]\nsmtp = \"smtp+plain://{address}\"\nfrom = \"The Bridge <no-reply@bridge.example.com>\"\n")
}

/// Starts a server that sends e-mail, and the mail server that receives it.
async fn with_mail(more: &str) -> Result<(FakeMailServer, Folder, Server, Client)> {
    let (mail, address) = FakeMailServer::start().await;
    let (folder, server, client) = Folder::with_echo(&format!("{}{more}", config(address))).await?;
    Ok((mail, folder, server, client))
}

/// Opens an account with an address; returns its key after the confirmation e-mail has
/// arrived.
async fn signed_up(mail: &FakeMailServer, client: &Client, email: &str) -> Result<String> {
    let before = mail.emails().len();
    let made = client.post("/v1/signup", &json!({ "email": email })).await?.must(201)?.json;
    let emails = mail.wait_for(before + 1).await;
    let last = emails.last().context("no e-mail")?;
    ensure!(last.to == email && emails.len() == before + 1, "{emails:?}");
    Ok(made["api_key"].as_str().context("no key")?.to_owned())
}

/// Requests a link through the sign-in page, and returns the e-mail.
async fn email_for(mail: &FakeMailServer, person: &mut Person, email: &str, next: &str) -> Result<ReceivedEmail> {
    let before = mail.emails().len();
    let asked = person.send("/account/email", &[("email", email), ("next", next)]).await?.must(200)?;
    ensure!(asked.text.contains("Check your e-mail") && person.cookie().is_none(), "{}", asked.text);
    mail.wait_for(before + 1).await.pop().filter(|sent| sent.to == email).context("no e-mail")
}

/// Returns the local path of an e-mail's link.
fn path_of(server: &Server, sent: &ReceivedEmail) -> Result<String> {
    let link = sent.link().context("no link in the e-mail")?;
    Ok(link.strip_prefix(&server.url).with_context(|| link.clone())?.to_owned())
}

/// Opens a link and presses its button, as a browser without scripts does.
async fn press(person: &mut Person, path: &str) -> Result<Reply> {
    let page = person.visit(path).await?.must(200)?;
    let (link, next) = (hidden(&page, "link").context("no link")?, hidden(&page, "next").context("no next")?);
    person.send("/account/email/open", &[("link", &link), ("next", &next)]).await
}

/// Signs a person in by e-mail.
async fn by_email(mail: &FakeMailServer, server: &Server, email: &str) -> Result<Person> {
    let mut person = Person::new(&server.client());
    let sent = email_for(mail, &mut person, email, "").await?;
    press(&mut person, &path_of(server, &sent)?).await?.must(303)?;
    ensure!(person.cookie().is_some(), "not signed in");
    Ok(person)
}

fn shown_key(page: &Reply) -> Result<String> {
    let (_, rest) = page.text.split_once("id=\"key\">").context("no key is shown")?;
    Ok(rest.split('<').next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_link_signs_in_once_and_verifies_the_address() -> Result<()> {
    let (mail, folder, server, client) = with_mail("[telemetry]\nrequests = \"all\"\n").await?;
    let key = signed_up(&mail, &client, ADA).await?;
    let holder = client.with_key(&key);
    let account = holder.get("/v1/account").await?.must(200)?.json;
    ensure!(account["email"] == ADA && account["email_verified_at"] == Value::Null, "{account}");
    let confirm = &mail.emails()[0];
    ensure!(confirm.header("Subject").is_some_and(|subject| subject.starts_with("Confirm")), "{confirm:?}");

    let mut person = Person::new(&client);
    let page = person.visit("/account/sign-in").await?.must(200)?;
    ensure!(page.text.contains("action=\"/account/email\""), "no form: {}", page.text);
    // An address that differs only in case is the same; the e-mail goes to the address as
    // stored.
    let asked = person.send("/account/email", &[("email", "ADA@Example.com"), ("next", "/account/keys")]).await?;
    asked.must(200)?;
    let emails = mail.wait_for(2).await;
    let sent = emails.get(1).context("no e-mail")?;
    ensure!(sent.to == ADA && sent.from == "no-reply@bridge.example.com", "{sent:?}");
    let path = path_of(&server, sent)?;
    // A mail program that scans links by opening them does not use the link up.
    for _ in 0..3 {
        let page = person.visit(&path).await?.must(200)?;
        ensure!(page.text.contains(ADA) && page.header("cache-control") == Some("no-store"), "{}", page.text);
        ensure!(page.text.contains("This address is not confirmed yet"), "{}", page.text);
        ensure!(
            page.header("referrer-policy") == Some("no-referrer") && page.header("set-cookie").is_none(),
            "{page:?}"
        );
    }
    client.send(client.request(Method::HEAD, &path)).await?;
    let opened = press(&mut person, &path).await?.must(303)?;
    ensure!(opened.header("location") == Some("/account/keys"), "{opened:?}");
    ensure!(person.visit("/account").await?.must(200)?.text.contains("confirmed "), "not shown as confirmed");
    let account = holder.get("/v1/account").await?.must(200)?.json;
    ensure!(account["email_verified_at"].is_string(), "{account}");
    let shown = folder.run_json(&["account", "show", ADA])?;
    ensure!(shown["email_verified_ms"].is_u64(), "{shown}");

    // The link is used up, so a thief gains nothing from it.
    let mut thief = Person::new(&client);
    thief.visit(&path).await?.must(404)?;
    let link = path.split("link=").nth(1).and_then(|rest| rest.split('&').next()).context("no link")?;
    for bad in [link, "", "x", &format!("{link}A")] {
        let refused = thief.send("/account/email/open", &[("link", bad)]).await?.must(422)?;
        ensure!(refused.text.contains("role=\"alert\"") && thief.cookie().is_none(), "{bad}: {}", refused.text);
    }
    // Another site's page cannot press the button.
    let other = path_of(&server, confirm)?;
    let token = other.split("link=").nth(1).context("no link")?;
    thief.send_from("cross-site", "/account/email/open", &[("link", token)]).await?.must(403)?;
    // The first link is still valid, because it was never used; by now the address is
    // already confirmed.
    ensure!(!thief.visit(&other).await?.must(200)?.text.contains("is not confirmed yet"), "it is confirmed");
    press(&mut thief, &other).await?.must(303)?;
    ensure!(mail.violations().is_empty(), "{:?}", mail.violations());
    let log = server.log();
    ensure!(!log.contains(link) && !log.contains(token) && !log.contains(ADA), "the log contains secrets: {log}");
    Ok(())
}

#[tokio::test]
async fn a_link_opened_a_hundred_times_at_once_signs_in_once() -> Result<()> {
    let (mail, _folder, server, client) = with_mail("").await?;
    signed_up(&mail, &client, ADA).await?;
    let path = path_of(&server, &mail.emails()[0])?;
    let link = path.split("link=").nth(1).context("no link")?.to_owned();
    let presses = (0..100).map(|_| {
        let (client, link) = (client.clone(), link.clone());
        tokio::spawn(async move {
            let mut person = Person::new(&client);
            let reply = person.send("/account/email/open", &[("link", &link)]).await?;
            anyhow::Ok((reply.status, person.cookie().is_some()))
        })
    });
    let mut signed_in = 0;
    for press in presses.collect::<Vec<_>>() {
        match press.await?? {
            (303, true) => signed_in += 1,
            (422, false) => {}
            other => anyhow::bail!("{other:?}"),
        }
    }
    ensure!(signed_in == 1, "{signed_in} people signed in");
    Ok(())
}

#[tokio::test]
async fn the_existence_of_an_account_is_not_revealed() -> Result<()> {
    let (mail, _folder, server, client) = with_mail("").await?;
    signed_up(&mail, &client, ADA).await?;
    // A slow mail server does not delay the page.
    mail.fail([Fault::Slow(Duration::from_secs(3)); 4]);
    let mut person = Person::new(&client);
    let mut pages = Vec::new();
    for email in [ADA, "bob@example.com"] {
        let begun = Instant::now();
        let asked = person.send("/account/email", &[("email", email)]).await?.must(200)?;
        ensure!(begun.elapsed() < Duration::from_secs(2), "{email} took {:?}", begun.elapsed());
        pages.push(asked.text.replace(email, "ADDRESS"));
    }
    ensure!(pages[0] == pages[1], "{} differs from {}", pages[0], pages[1]);
    // Known and unknown addresses are refused in the same way, after the same
    // number of requests.
    let mut refusals = Vec::new();
    for email in [ADA, "bob@example.com"] {
        let mut left = 0;
        let refused = loop {
            let reply = person.send("/account/email", &[("email", email)]).await?;
            if reply.status != 200 || left > 5 {
                break reply.must(429)?;
            }
            left += 1;
        };
        ensure!(refused.header("retry-after").is_some(), "{refused:?}");
        ensure!(refused.text.contains("try again in 60 minutes"), "{}", refused.text);
        refusals.push(refused.text.replace(email, "ADDRESS"));
    }
    ensure!(refusals[0] == refusals[1], "{} differs from {}", refusals[0], refusals[1]);
    let emails = mail.wait_for(3).await;
    ensure!(emails.len() == 3 && emails.iter().all(|sent| sent.to == ADA), "{emails:?}");
    // An invalid address is reported as such, and counts against no limit.
    for bad in ["", "nobody", "a@b", "a@b.c\r\nBcc: d@e.f"] {
        let refused = person.send("/account/email", &[("email", bad)]).await?.must(422)?;
        ensure!(refused.text.contains("role=\"alert\""), "{bad}: {}", refused.text);
    }
    drop(server);
    Ok(())
}

#[tokio::test]
async fn one_client_cannot_send_mail_in_bulk() -> Result<()> {
    let (_mail, _folder, _server, client) = with_mail("").await?;
    let mut person = Person::new(&client);
    for n in 0..20 {
        person.send("/account/email", &[("email", &format!("n{n}@example.com"))]).await?.must(200)?;
    }
    let refused = person.send("/account/email", &[("email", "more@example.com")]).await?.must(429)?;
    ensure!(refused.text.contains("too many links") && refused.header("retry-after").is_some(), "{}", refused.text);
    Ok(())
}

#[tokio::test]
async fn an_email_is_sent_again_after_the_mail_server_failed() -> Result<()> {
    let (mail, folder, server, client) = with_mail("").await?;
    for (fault, email) in [
        (Fault::Hangup, "a@example.com"),
        (Fault::Message(451), "b@example.com"),
        (Fault::DropAfterData, "c@example.com"),
    ] {
        mail.fail([fault]);
        let before = mail.emails().len();
        client.post("/v1/signup", &json!({ "email": email })).await?.must(201)?;
        let wanted = before + if fault == Fault::DropAfterData { 2 } else { 1 };
        let emails = mail.wait_for(wanted).await;
        ensure!(emails.len() == wanted, "{fault:?}: {} e-mails", emails.len());
        let last = emails.last().context("no e-mail")?;
        ensure!(last.to == email, "{last:?}");
        press(&mut Person::new(&client), &path_of(&server, last)?).await?.must(303)?;
    }
    mail.fail([Fault::Recipient(550)]);
    client.post("/v1/signup", &json!({ "email": "d@example.com" })).await?.must(201)?;
    let counted = async || -> Result<bool> {
        let metrics = folder.metrics().await?;
        Ok([
            "tollbridge_letters_total{outcome=\"sent\"} 3",
            "tollbridge_letters_total{outcome=\"refused\"} 1",
            "tollbridge_letter_failures_total 3",
        ]
        .iter()
        .all(|line| metrics.contains(line)))
    };
    for _ in 0..200 {
        if counted().await? {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ensure!(counted().await?, "{}", folder.metrics().await?);
    ensure!(mail.violations().is_empty(), "{:?}", mail.violations());
    Ok(())
}

#[tokio::test]
async fn a_lost_key_is_replaced_by_e_mail() -> Result<()> {
    let (mail, _folder, server, client) = with_mail("").await?;
    let lost = signed_up(&mail, &client, ADA).await?;
    let mut person = by_email(&mail, &server, ADA).await?;
    let page = person.visit("/account/keys").await?.must(200)?;
    ensure!(page.text.contains("You signed in by e-mail") && !page.text.contains("this session"), "{}", page.text);
    let fields = [("label", "new"), ("scope", "call"), ("scope", "manage")];
    let made = person.fill("/account/keys", "/account/keys", &fields).await?.must(200)?;
    let key = shown_key(&made)?;
    let reported = mail.wait_for(3).await.pop().context("no e-mail")?;
    ensure!(reported.header("Subject").is_some_and(|subject| subject.contains("new key")), "{reported:?}");
    ensure!(reported.to == ADA && !reported.raw.contains(&key), "{reported:?}");

    // The old key is revoked, and the session continues.
    let listed = client.with_key(&key).get("/v1/keys").await?.must(200)?.json;
    let keys = listed["keys"].as_array().context("no list")?;
    let first = keys.iter().find(|key| key["label"] == "first key").and_then(|key| key["id"].as_str());
    let path = format!("/account/keys/{}/revoke", first.context("no first key")?);
    person.fill("/account/keys", &path, &[]).await?.must(303)?;
    client.with_key(&lost).get("/v1/balance").await?.must_be(401, "E001")?;
    person.visit("/account").await?.must(200)?;
    // The new key can pay for calls and manage the account.
    client.with_key(&key).call_on_credit("echo").await?.must(200)?;
    Person::new(&client).sign_in(&key).await?;
    // Signing out ends the session.
    person.fill("/account", "/account/sign-out", &[]).await?.must(303)?;
    person.visit("/account").await?.must(303)?;
    ensure!(mail.violations().is_empty(), "{:?}", mail.violations());
    Ok(())
}

#[tokio::test]
async fn access_to_the_mailbox_alone_withdraws_no_money() -> Result<()> {
    let more = "[payments]\nsandbox_credit = \"100.00\"\n";
    let (mail, address) = FakeMailServer::start().await;
    let folder = Folder::new(&format!("{}{more}", config(address)))?;
    folder.publish_echo("1.0.0", "8.00")?;
    let server = folder.serve().await?;
    let client = server.client();
    client.with_key(&folder.key()?.1).call_on_credit("echo").await?.must(200)?;

    // The developer has a key, sets an address, and confirms it.
    let owner = client.with_key(&folder.developer);
    let mut person = Person::new(&client);
    person.sign_in(&folder.developer).await?;
    let changed = person.fill("/account", "/account/email/change", &[("email", ADA)]).await?.must(303)?;
    ensure!(changed.header("location") == Some("/account?done=changed-sent"), "{changed:?}");
    let sent = mail.wait_for(1).await.pop().context("no e-mail")?;
    press(&mut Person::new(&client), &path_of(&server, &sent)?).await?.must(303)?;
    let away = owner.get("/account/connect").await?.must(303)?;
    let state = away.header("location").and_then(|place| place.split("state=").nth(1)).context("no state")?;
    owner.get(&format!("/account/connect/callback?state={state}&code=ac_test_ok")).await?.must(200)?;

    // An attacker with access to the mailbox signs in.
    let mut thief = by_email(&mail, &server, ADA).await?;
    let page = thief.visit("/account/money").await?.must(200)?;
    ensure!(page.text.contains("Sign in with an API key to withdraw"), "{}", page.text);
    let once = "0".repeat(32);
    for (path, fields) in [
        ("/account/money/withdraw", vec![("once", once.as_str())]),
        ("/account/money/connect", vec![]),
        ("/account/email/change", vec![("email", "thief@example.com")]),
    ] {
        let refused = thief.fill("/account/money", path, &fields).await?.must(403)?;
        ensure!(refused.text.contains("you signed in by e-mail"), "{path}: {}", refused.text);
    }
    let fields = [("label", "x"), ("scope", "call"), ("scope", "manage")];
    let key = shown_key(&thief.fill("/account/keys", "/account/keys", &fields).await?.must(200)?)?;
    // For a day no key can withdraw anything, and the owner was notified.
    for key in [&key, &folder.developer] {
        let refused = client.with_key(key).post("/v1/withdraw", &json!({})).await?.must_be(409, "E020")?;
        ensure!(refused.error().contains("e-mail sign-in"), "{}", refused.text);
        let wait: u64 = refused.header("retry-after").context("no wait")?.parse()?;
        ensure!((86_000..=86_401).contains(&wait), "{wait} s");
    }
    ensure!(
        person.visit("/account/money").await?.must(200)?.text.contains("Withdrawals resume"),
        "the page does not show the wait"
    );
    let reported = mail.wait_for(3).await.pop().context("no e-mail")?;
    ensure!(reported.header("Subject").is_some_and(|subject| subject.contains("new key")), "{reported:?}");
    let account = owner.get("/v1/account").await?.must(200)?.json;
    ensure!(account["withdrawals_from"].is_string(), "{account}");

    // When the owner changes the address, the attacker's session ends, and the new
    // address must be confirmed.
    person.fill("/account", "/account/email/change", &[("email", "ada2@example.com")]).await?.must(303)?;
    thief.visit("/account").await?.must(303)?;
    let account = owner.get("/v1/account").await?.must(200)?.json;
    ensure!(account["email"] == "ada2@example.com" && account["email_verified_at"] == Value::Null, "{account}");
    let emails = mail.wait_for(5).await;
    let subjects: Vec<String> = emails[3..].iter().filter_map(|sent| sent.header("Subject")).collect();
    ensure!(subjects.iter().any(|subject| subject.contains("has a new address")), "{subjects:?}");
    ensure!(mail.violations().is_empty(), "{:?}", mail.violations());
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_withdrawal_notifies_a_confirmed_address() -> Result<()> {
    let (mail, address) = FakeMailServer::start().await;
    let folder = Folder::new(&format!("{}[payments]\nsandbox_credit = \"100.00\"\n", config(address)))?;
    folder.publish_echo("1.0.0", "8.00")?;
    let server = folder.serve().await?;
    let client = server.client();
    let owner = client.with_key(&folder.developer);
    let mut person = Person::new(&client);
    person.sign_in(&folder.developer).await?;
    person.fill("/account", "/account/email/change", &[("email", ADA)]).await?.must(303)?;
    let sent = mail.wait_for(1).await.pop().context("no e-mail")?;
    let away = owner.get("/account/connect").await?.must(303)?;
    let state = away.header("location").and_then(|place| place.split("state=").nth(1)).context("no state")?;
    owner.get(&format!("/account/connect/callback?state={state}&code=ac_test_ok")).await?.must(200)?;
    let payer = client.with_key(&folder.key()?.1);
    for confirmed in [false, true] {
        payer.call_on_credit("echo").await?.must(200)?;
        let request = owner.request(Method::POST, "/v1/withdraw").header("idempotency-key", format!("w{confirmed}"));
        owner.send(request).await?.must(200)?;
        if !confirmed {
            press(&mut Person::new(&client), &path_of(&server, &sent)?).await?.must(303)?;
        }
    }
    // A repeat under the same key does not make another withdrawal.
    let repeat = owner.request(Method::POST, "/v1/withdraw").header("idempotency-key", "wtrue");
    owner.send(repeat).await?.must(200)?;
    let emails = mail.wait_for(2).await;
    ensure!(emails.len() == 2, "{emails:?}");
    let text = emails[1].part("text/plain").context("no text")?;
    ensure!(text.contains("£6.40") && emails[1].to == ADA, "{text}");
    Ok(())
}

#[tokio::test]
async fn a_sandbox_of_this_machine_shows_the_link() -> Result<()> {
    let (_folder, server, client) = Folder::with_echo("").await?;
    client.post("/v1/signup", &json!({ "email": ADA })).await?.must(201)?;
    let mut person = Person::new(&client);
    let asked = person.send("/account/email", &[("email", ADA)]).await?.must(200)?;
    let (_, rest) = asked.text.split_once("id=\"link\" href=\"").context("no link is shown")?;
    let link = rest.split('"').next().unwrap_or_default().replace("&#38;", "&").replace("&amp;", "&");
    let path = link.strip_prefix(&server.url).context("a link to another server")?;
    press(&mut person, path).await?.must(303)?;
    ensure!(person.visit("/account").await?.must(200)?.text.contains("confirmed "), "not confirmed");
    let unknown = person.send("/account/email", &[("email", "bob@example.com")]).await?.must(200)?;
    ensure!(!unknown.text.contains("id=\"link\""), "{}", unknown.text);
    Ok(())
}

#[tokio::test]
async fn remote_clients_get_the_reason_instead_of_a_link() -> Result<()> {
    // Links are not shown by a sandbox on a public address, nor by a server with real
    // money.
    let stripe = "[payments]\nprocessor = \"stripe\"\n[payments.stripe]\nsecret_key = \"sk_test_1\"\n\
                  webhook_secret = \"whsec_1\"\nclient_id = \"ca_1\"\n";
    for (config, is_missed) in [("[email]\nshow_links = false\n", false), (stripe, true)] {
        let folder = Folder::new(config)?;
        let server = folder.serve().await?;
        let mut person = Person::new(&server.client());
        let page = person.visit("/account/sign-in").await?.must(200)?;
        ensure!(page.text.contains("Sign-in by e-mail is not set up"), "{}", page.text);
        let refused = person.send("/account/email", &[("email", ADA)]).await?.must(422)?;
        ensure!(refused.text.contains("not set up on this server"), "{}", refused.text);
        let found: Value = serde_json::from_slice(&folder.try_run(&["--json", "doctor"])?.stdout)?;
        let email = found.as_array().context("no list")?.iter().find(|one| one["what"] == "e-mail");
        let email = email.context("the doctor does not mention e-mail")?;
        ensure!(email["ok"] == !is_missed, "{email}");
        ensure!(email["text"].as_str().is_some_and(|text| text.contains("email.smtp")), "{email}");
    }
    let folder = Folder::new("")?;
    let text = std::fs::read_to_string(folder.config())?;
    std::fs::write(folder.config(), format!("{text}\n{stripe}[email]\nshow_links = true\n"))?;
    let refused = folder.try_run(&["config", "check"])?;
    ensure!(!refused.status.success(), "links are shown with real payments");
    let why = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    ensure!(why.contains("email.show_links"), "{why}");
    Ok(())
}
