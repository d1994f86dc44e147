//! `tollbridge call URL [JSON]`: one paid call, from quote to checked seal.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use tollbridge_ledger::{CheckpointKey, Proof, ProofContext};
use tollbridge_tools::input::read_input;
use tollbridge_tools::output::Output;

/// Call a bridge: ask for the price, pay, show the answer and check its seal
#[derive(Args, Debug)]
pub(super) struct CallArgs {
    /// Address of the bridge, for example http://127.0.0.1:8402/v1/oracle/tax_jar_lookup
    url: String,
    /// Input as JSON, `@FILE`, or `-` for standard input
    #[arg(default_value = "{}")]
    input: String,
    /// API key; needed to pay by credit
    #[arg(long, env = "TOLLBRIDGE_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Pay from prepaid credit instead of a new payment
    #[arg(long, requires = "key")]
    credit: bool,
    /// Use a payment intent that is already paid
    #[arg(long, conflicts_with = "credit")]
    intent: Option<String>,
}

pub(super) async fn run(args: CallArgs, out: Output) -> Result<()> {
    let input = read_input(&args.input)?;
    let url = reqwest::Url::parse(&args.url).with_context(|| format!("`{}` is not a URL", args.url))?;
    let caller = Caller { http: super::http_client::http_client()?, url, key: args.key, input };
    let answer = match (&args.intent, args.credit) {
        (Some(intent), _) => caller.call(&[("x-payment-intent-id", intent)]).await?,
        (None, true) => caller.call(&[("x-payment-source", "credit")]).await?,
        (None, false) => caller.quote_and_pay(out).await?,
    };
    let (status, seal) = (answer.status(), header(&answer, "x-worm-seal"));
    let tx = header(&answer, "x-transaction-id");
    let body: Value = answer.json().await.context("the answer is not JSON")?;
    ensure!(status.is_success(), "{}", describe(status, &body));
    let checked = match &seal {
        Some(seal) => Some(caller.check(seal).await?),
        None => None,
    };
    let result = json!({ "answer": body, "transaction_id": tx, "worm_seal": seal, "proof": checked });
    out.result(&result, || serde_json::to_string_pretty(&body).unwrap_or_default());
    match (seal, checked) {
        (Some(seal), Some(proof)) => {
            out.note(&format!("seal     {seal}"));
            let number = |name: &str| proof.get(name).and_then(Value::as_u64).unwrap_or_default();
            let (seq, size) = (number("seq"), number("tree_size"));
            out.success(&format!("checked  record {seq} is in the ledger of {size} records"));
        }
        _ => out.note("this call is free, so nothing was sealed"),
    }
    Ok(())
}

struct Caller {
    http: Client,
    url: reqwest::Url,
    key: Option<String>,
    input: Value,
}

impl Caller {
    async fn call(&self, headers: &[(&str, &str)]) -> Result<Response> {
        let mut request = self.http.post(self.url.clone()).json(&self.input);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.with_context(|| format!("cannot reach {}", self.url))
    }

    /// Asks without paying, pays the quote in the sandbox, asks again.
    async fn quote_and_pay(&self, out: Output) -> Result<Response> {
        let quote = self.call(&[]).await?;
        if quote.status() != StatusCode::PAYMENT_REQUIRED {
            return Ok(quote);
        }
        let body: Value = quote.json().await.context("the quote is not JSON")?;
        let payment = body.get("payment").context("the 402 carries no quote")?;
        let text = |name: &str| payment.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let intent = text("payment_intent_id");
        out.note(&format!("quote    £{} a call, the link takes £{}", text("amount_gbp"), text("charge_gbp")));
        let paid = self.http.post(self.url.join(&format!("/pay/{intent}"))?).send().await?;
        if !paid.status().is_success() {
            bail!(
                "this server takes no sandbox payments; pay at {} and repeat with --intent {intent}",
                text("payment_link")
            );
        }
        out.note(&format!("paid     in the sandbox, intent {}…", intent.get(..14).unwrap_or(&intent)));
        self.call(&[("x-payment-intent-id", &intent)]).await
    }

    /// Fetches the proof of a seal and verifies it here, against the host's
    /// published key.
    async fn check(&self, seal: &str) -> Result<Value> {
        let get = async |path: &str| -> Result<Value> {
            Ok(self.http.get(self.url.join(path)?).send().await?.error_for_status()?.json().await?)
        };
        let proof = get(&format!("/v1/ledger/proof/{seal}")).await.context("the seal has no proof")?;
        let keys = get("/.well-known/jwks.json").await.context("the server publishes no keys")?;
        let parsed = Proof::parse(&proof.to_string()).context("the proof is malformed")?;
        ensure!(hex::encode(parsed.seal) == seal, "the proof is for another seal");
        let keys = checkpoint_keys(&keys);
        parsed.verify(&ProofContext { keys: &keys, record: None, since: None }).context("the proof is wrong")?;
        Ok(proof)
    }
}

/// The keys for checkpoints that a server publishes.
fn checkpoint_keys(jwks: &Value) -> Vec<CheckpointKey> {
    let keys = jwks.get("keys").and_then(Value::as_array).into_iter().flatten();
    keys.filter_map(|key| key.get("verifier_key")?.as_str()?.parse().ok()).collect()
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn describe(status: StatusCode, body: &Value) -> String {
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    format!("{} {}: {}", status.as_u16(), text("code"), text("error"))
}
