//! External views for operators: metrics, and the log as JSON lines.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Folder, Reply, Server, eventually};

fn request_id(reply: &Reply) -> Result<String> {
    Ok(reply.header("x-request-id").context("no request id")?.to_owned())
}

/// Returns the log lines about a request; every line of the log must be a JSON object.
fn lines_of(server: &Server, id: &str) -> Result<Vec<Value>> {
    let log = server.log();
    let lines = log.lines().map(|line| serde_json::from_str(line).with_context(|| format!("no JSON: {line}")));
    let lines = lines.collect::<Result<Vec<Value>>>()?;
    Ok(lines.into_iter().filter(|line| line["request_id"] == id && line["message"] == "answered").collect())
}

/// Returns the value of a series in the text of the metrics.
fn value(metrics: &str, series: &str) -> Option<u64> {
    metrics.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok())
}

#[tokio::test]
async fn each_request_has_a_line_of_json() -> Result<()> {
    let folder = Folder::new("[telemetry]\nrequests = \"all\"\n")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = Server::start(&folder, &["--json"]).await?;
    let caller = server.client().signed_up("caller@example.com").await?;
    let answered = caller.call_on_credit("echo").await?.must(200)?;
    let refused = caller.call("echo", &json!({}), &[]).await?.must(402)?;
    let [line] = &lines_of(&server, &request_id(&answered)?)?[..] else { anyhow::bail!("{}", server.log()) };
    let expected = json!({
        "level": "INFO", "plugin": "echo", "method": "POST", "route": "/v1/oracle/{bridge}", "path": "/v1/oracle/echo",
        "status": 200, "bytes": answered.text.len(),
    });
    for (name, expected) in expected.as_object().context("no object")? {
        ensure!(line[name] == *expected, "{name}: {line}");
    }
    ensure!(line["account"].as_str().is_some_and(|account| account.starts_with("acct_")), "{line}");
    ensure!(line["ms"].as_f64().is_some_and(|ms| ms > 0.0) && line.get("code").is_none(), "{line}");
    ensure!(line["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{line}");
    let [line] = &lines_of(&server, &request_id(&refused)?)?[..] else { anyhow::bail!("{}", server.log()) };
    ensure!(line["status"] == 402 && line["code"] == "E003", "{line}");
    ensure!(!server.log().contains(caller.key().context("no key")?), "a key is in the log");
    server.stop().await
}

#[tokio::test]
async fn refused_requests_alone_can_be_logged() -> Result<()> {
    let folder = Folder::new("[telemetry]\nrequests = \"refused\"\n")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let caller = server.client().signed_up("caller@example.com").await?;
    let answered = caller.call_on_credit("echo").await?.must(200)?;
    let refused = caller.get("/v1/keys/nothing/more").await?.must(404)?;
    let log = server.log();
    ensure!(log.contains(&request_id(&refused)?) && log.contains("E012"), "{log}");
    ensure!(!log.contains(&request_id(&answered)?), "{log}");
    server.stop().await
}

#[tokio::test]
async fn requests_and_money_are_counted() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let before = folder.metrics().await?;
    for series in [
        "tollbridge_payments_total{processor=\"sandbox\"}",
        "tollbridge_refunds_total{step=\"failed\"}",
        "tollbridge_disputes_total{stage=\"opened\"}",
        "tollbridge_revenue_millipence_total{kind=\"bridge\",plugin=\"echo\"}",
    ] {
        ensure!(value(&before, series) == Some(0), "{series} does not start at zero:\n{before}");
    }
    let paid = client.paid_intent("echo").await?;
    client.call_with("echo", &paid).await?.must(200)?;
    let refunded = client.paid_intent("echo").await?;
    folder.run(&["payment", "refund", &refunded])?;
    for nowhere in 0..50 {
        client.get(&format!("/nowhere/{nowhere}")).await?.must(404)?;
    }
    let backup = folder.path().join("backup");
    folder.run(&["backup", &backup.display().to_string()])?;
    let after = folder.metrics().await?;
    let count = |series: &str| value(&after, series).with_context(|| format!("{series} is not in\n{after}"));
    let request = |route: &str, method: &str, status: u16| {
        format!("tollbridge_http_requests_total{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}")
    };
    ensure!(count(&request("/v1/oracle/{bridge}", "POST", 200))? == 1, "{after}");
    ensure!(count(&request("/v1/oracle/{bridge}", "POST", 402))? == 2, "{after}");
    ensure!(count(&request("none", "GET", 404))? == 50 && !after.contains("/nowhere"), "{after}");
    ensure!(
        count("tollbridge_http_request_seconds_bucket{route=\"/v1/oracle/{bridge}\",le=\"+Inf\"}")? == 3,
        "{after}"
    );
    ensure!(count("tollbridge_revenue_millipence_total{kind=\"bridge\",plugin=\"echo\"}")? == 10_000, "{after}");
    ensure!(count("tollbridge_payments_total{processor=\"sandbox\"}")? == 2, "{after}");
    ensure!(count("tollbridge_payments_millipence_total{processor=\"sandbox\"}")? == 20_000, "{after}");
    for step in ["owed", "paid"] {
        ensure!(count(&format!("tollbridge_refunds_total{{step=\"{step}\"}}"))? == 1, "{after}");
    }
    ensure!(count("tollbridge_withdrawals_open")? == 0 && count("tollbridge_hosts")? == 1, "{after}");
    ensure!(count("tollbridge_data_disk_free_bytes")? <= count("tollbridge_data_disk_size_bytes")?, "{after}");
    server.stop().await?;
    // The time of the last backup survives a restart.
    let server = folder.serve().await?;
    let known = async || -> Result<Option<()>> {
        let metrics = folder.metrics().await?;
        Ok(value(&metrics, "tollbridge_backup_timestamp_seconds").filter(|time| *time > 1_700_000_000).map(|_| ()))
    };
    eventually("the time of the last backup is exported", 20, known).await?;
    server.stop().await
}
