//! The command `tollbridge webhooks`; `listen` and `trigger` are for local development.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use reqwest::Url;
use serde::Deserialize;
use serde_json::json;
use tollbridge_core::time::now_ms;
use tollbridge_http::{ReceivedWebhook, listen};
use tollbridge_ledger::events;
use tollbridge_operator::{Command, DeliveryView, WebhookView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};
use tollbridge_webhooks::signed_headers;

use super::http_client::{ServerError, http_client};
use super::server_access::{ServerAccess, ServerArgs, parse};
use super::shown::{cells, lines};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum WebhooksCommand {
    /// Receive webhooks here, check their signatures and show them
    Listen(ListenArgs),
    /// Send a signed sample of an event to a receiver
    Trigger(TriggerArgs),
    /// Register a webhook; by default the operator's own, which receives the events of the whole server
    Add(AddArgs),
    /// List the webhooks of the operator or of an account
    List {
        #[arg(long, default_value = events::OPERATOR)]
        account: String,
        /// List the webhooks of all accounts, with their state
        #[arg(long, conflicts_with = "account")]
        all: bool,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show a webhook of any account, with its latest deliveries
    Show {
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Send one event again, or all that failed since a time
    Replay(ReplayArgs),
    /// Resume deliveries to a webhook that was disabled by status 410
    Enable {
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Delete a webhook
    Delete {
        id: String,
        #[arg(long, default_value = events::OPERATOR)]
        account: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Args, Debug)]
pub(super) struct AddArgs {
    /// URL of the receiver
    url: String,
    #[arg(long, default_value = "*", value_delimiter = ',')]
    events: Vec<String>,
    /// Signing secret [default: made by the server]
    #[arg(long, env = "TOLLBRIDGE_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Option<String>,
    #[arg(long, default_value = events::OPERATOR)]
    account: String,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Args, Debug)]
pub(super) struct ReplayArgs {
    id: String,
    /// One event, by its id in `webhooks show`
    #[arg(long, value_name = "ID", required_unless_present = "failed_since")]
    event: Option<String>,
    /// All events whose attempts ran out since TIME (1h, 2d, 2026-11-23T10:00:00Z); at
    /// most 1,000
    #[arg(long, value_name = "TIME", conflicts_with = "event")]
    failed_since: Option<String>,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Args, Debug)]
pub(super) struct ListenArgs {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1:4242", value_name = "ADDR")]
    listen: SocketAddr,
    /// Signing secret
    #[arg(long, env = "TOLLBRIDGE_WEBHOOK_SECRET", hide_env_values = true, default_value = "local-webhook-secret")]
    secret: String,
    // The server with which this receiver is registered while it listens.
    #[command(flatten)]
    elsewhere: ServerArgs,
    /// Events to register for
    #[arg(long, default_value = "*", value_delimiter = ',')]
    events: Vec<String>,
    /// Header that carries the signature
    #[arg(long, default_value = "X-Service-Signature")]
    header: String,
}

#[derive(Args, Debug)]
pub(super) struct TriggerArgs {
    /// Name of the event, for example earn.completed
    event: String,
    /// URL of the receiver
    #[arg(long, default_value = "http://127.0.0.1:4242/")]
    url: Url,
    /// Signing secret
    #[arg(long, env = "TOLLBRIDGE_WEBHOOK_SECRET", hide_env_values = true, default_value = "local-webhook-secret")]
    secret: String,
    /// Header that carries the signature
    #[arg(long, default_value = "X-Service-Signature")]
    header: String,
}

pub(super) async fn run(command: WebhooksCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command): (_, Command) = match command {
        WebhooksCommand::Listen(args) => return receive(args, out).await,
        WebhooksCommand::Trigger(args) => return trigger(args, out).await,
        WebhooksCommand::Add(AddArgs { url, events, secret, account, data }) => {
            (data, command::WebhookAdd { account, url, events, secret }.into())
        }
        WebhooksCommand::List { data, all: true, .. } => return list_all(global, &data, out).await,
        WebhooksCommand::List { account, data, .. } => return list(global, &data, account, out).await,
        WebhooksCommand::Show { id, data } => return show(global, &data, id, out).await,
        WebhooksCommand::Replay(ReplayArgs { id, event, failed_since, data }) => {
            (data, command::WebhookReplay { id, event, failed_since }.into())
        }
        WebhooksCommand::Enable { id, data } => (data, command::WebhookEnable { id }.into()),
        WebhooksCommand::Delete { id, account, data } => (data, command::WebhookDelete { account, id }.into()),
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}

async fn list(global: &Global, data: &DataArgs, account: String, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::WebhookList { account }, |answer| {
        let rows: Vec<_> = answer.webhooks.iter().map(|one| cells((&one.id, &one.url, &one.events))).collect();
        table(&["WEBHOOK", "URL", "EVENTS"], &rows)
    })
    .await
    .map(drop)
}

async fn list_all(global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::WebhookListAll {}, |answer| {
        let row =
            |WebhookView { id, account_id, url, state, delivered, waiting, given_up, last_at, last_result, .. }: &_| {
                cells((id, account_id, state, delivered, waiting, given_up, last_at, last_result, url))
            };
        let rows: Vec<_> = answer.webhooks.iter().map(row).collect();
        let head = ["WEBHOOK", "ACCOUNT", "STATE", "DELIVERED", "WAITING", "GIVEN UP", "LAST", "RESULT", "URL"];
        table(&head, &rows)
    })
    .await
    .map(drop)
}

async fn show(global: &Global, data: &DataArgs, id: String, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::WebhookShow { id }, |answer| {
        let row = |DeliveryView { at, event, event_id, attempt, result, took_ms, next_at, .. }: &_| {
            cells((at, event, event_id, attempt, result, took_ms, next_at))
        };
        let rows: Vec<_> = answer.deliveries.iter().map(row).collect();
        let head = ["AT", "EVENT", "ID", "ATTEMPT", "RESULT", "MS", "AGAIN AT"];
        format!("{}\n\n{}", lines(&answer.webhook), table(&head, &rows))
    })
    .await
    .map(drop)
}

async fn receive(args: ListenArgs, out: Output) -> Result<()> {
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}; choose another with --listen", args.listen))?;
    let address = listener.local_addr()?;
    let registered = match args.elsewhere.access()? {
        Some(access) => Some((register(&args, &access, address).await?, access)),
        None => None,
    };
    out.note(&format!("listening on http://{address}/ for events signed with the secret; Ctrl-C to quit"));
    let show = move |received: &ReceivedWebhook| {
        let answer = json!({ "signature_valid": received.valid, "id": received.id, "body": received.body });
        out.result(&answer, || format!("{}  {}", received.id, received.body));
        if !received.valid {
            out.warning("E006: webhook signature invalid; does --secret match this endpoint's secret?");
        }
    };
    let stop = async {
        // If signals cannot be received, the process can only be killed, which has the
        // same effect.
        let _ = tokio::signal::ctrl_c().await;
    };
    listen(listener, args.header.clone(), args.secret.clone(), show, stop).await;
    if let Some((id, ServerAccess { server, key })) = registered {
        let url = parse(&server)?.join(&format!("/v1/webhooks/{id}"))?;
        http_client()?.delete(url).bearer_auth(key.as_str()).send().await?;
    }
    Ok(())
}

/// The answer to a registration.
#[derive(Deserialize)]
#[serde(untagged)]
enum Registered {
    New { id: String },
    Refused(ServerError),
}

/// Registers this receiver and returns its id.
async fn register(args: &ListenArgs, access: &ServerAccess, address: SocketAddr) -> Result<String> {
    let body = json!({ "url": format!("http://{address}/"), "events": args.events, "secret": args.secret });
    let server = parse(&access.server)?;
    let url = server.join("/v1/webhooks")?;
    let key = access.key.as_str();
    let answer = http_client()?.post(url).bearer_auth(key).json(&body).send().await?;
    match answer.json().await.context("the server's answer is not JSON")? {
        Registered::New { id } => Ok(id),
        Registered::Refused(ServerError { error, .. }) => bail!(
            "the server refused: {}; private addresses need webhooks.allow_networks = [\"127.0.0.0/8\"]",
            error.as_deref().unwrap_or("no reason")
        ),
    }
}

async fn trigger(args: TriggerArgs, out: Output) -> Result<()> {
    let samples = events::samples(now_ms())?;
    let names: Vec<&str> = samples.iter().map(|sample| sample.event).collect();
    let sample_event = samples.iter().find(|sample| sample.event == args.event);
    let sample = sample_event
        .with_context(|| format!("there is no event `{}`; the events are {}", args.event, names.join(", ")))?;
    let row = events::unsealed(sample.clone());
    let (id, body) = (format!("evt_example_{}", now_ms()), events::body(&row));
    let headers = signed_headers(&args.header, std::iter::once(args.secret.as_str()), &id, now_ms() / 1000, &body)?;
    let sent = http_client()?.post(args.url.clone()).headers(headers).body(body).send().await;
    let status = sent.with_context(|| format!("cannot reach {}", args.url))?.status();
    anyhow::ensure!(status.is_success(), "the receiver answered {status}");
    out.success(&format!("{} sent to {}, which answered {}", args.event, args.url, status.as_u16()));
    Ok(())
}
