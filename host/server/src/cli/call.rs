//! The command `tollbridge call BRIDGE [JSON]`: one paid call, from the quote to the verified seal.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_ledger::{CheckpointKey, Proof, ProofContext};
use tollbridge_tools::explained::ExplainedError;
use tollbridge_tools::hinted::Hinted;
use tollbridge_tools::input::read_input;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;
use zeroize::Zeroizing;

use super::failed_call::FailedCall;
use super::profiles::Profiles;
use super::server_access::{self, LoginArgs};

/// Call a bridge: get the price, pay, show the answer and verify its seal
#[derive(Args, Debug)]
pub(super) struct CallArgs {
    /// Name of the bridge, or its address
    ///
    /// A name (`tax_jar_lookup`, `agents/summarization`) refers to the server of the profile, or of
    /// the configuration. For another server give the whole address, for example
    /// http://127.0.0.1:8402/v1/oracle/tax_jar_lookup
    #[arg(value_name = "BRIDGE")]
    callee: String,
    /// Input as JSON, `@FILE`, or `-` for standard input
    #[arg(default_value = "{}")]
    input: String,
    #[command(flatten)]
    login: LoginArgs,
    /// Pay from the account's prepaid credit instead of a new payment
    #[arg(long)]
    credit: bool,
    /// Use a payment intent that is already paid
    #[arg(long, conflicts_with = "credit")]
    intent: Option<String>,
}

pub(super) async fn run(args: CallArgs, global: &Global, out: Output) -> Result<()> {
    let input = read_input(&args.input)?;
    let url = address(&args.callee, &args.login, global)?;
    let key = key(&args, &url)?;
    let caller = Caller { http: super::http_client::http_client()?, url, key, input };
    let answer = match (&args.intent, args.credit) {
        (Some(intent), _) => caller.call(&[("x-payment-intent-id", intent)]).await?,
        (None, true) => caller.call(&[("x-payment-source", "credit")]).await?,
        (None, false) => caller.quote_and_pay(out).await?,
    };
    let (status, seal) = (answer.status(), header(&answer, "x-worm-seal"));
    let (tx, request) = (header(&answer, "x-transaction-id"), header(&answer, "x-request-id"));
    let body: Value = answer.json().await.context("the answer is not JSON")?;
    if !status.is_success() {
        let failed = FailedCall {
            url: &caller.url,
            key: caller.key.as_ref().map(|key| key.as_str()),
            request: request.as_deref(),
        };
        return Err(failed.explained(status.as_u16(), &body, global).await.error());
    }
    let checked = match &seal {
        Some(seal) => Some(caller.check(seal).await?),
        None => None,
    };
    let proof = checked.as_ref().map(Proof::to_json);
    let result = json!({ "answer": body, "transaction_id": tx, "worm_seal": seal, "proof": proof });
    out.result(&result, || serde_json::to_string_pretty(&body).unwrap_or_default());
    match (seal, checked) {
        (Some(seal), Some(proof)) => {
            out.note(&format!("seal     {seal}"));
            out.success(&format!("checked  record {} is in the ledger of {} records", proof.seq, proof.tree_size));
        }
        _ => out.note("this call is free, so nothing was sealed"),
    }
    Ok(())
}

/// Returns the address to call; `callee` is a name or an address.
fn address(callee: &str, login: &LoginArgs, global: &Global) -> Result<Url> {
    if let Ok(url) = Url::parse(callee) {
        return Ok(url);
    }
    let Some(path) = path_of(callee) else {
        let hint = "use a name such as tax_jar_lookup or agents/summarization, or the whole address";
        return Err(Hinted::error(format!("`{callee}` is neither a name nor a URL"), hint));
    };
    let server = match &login.profile {
        Some(name) => Profiles::of_user()?.get(name)?.server.clone(),
        None => {
            let server = global.load(&[])?.config.server;
            server_access::parse(server.public_url(server.listen).as_str())?
        }
    };
    server.join(&path).with_context(|| format!("`{server}` has no paths"))
}

/// Returns the path of a bridge or an agent by its name.
fn path_of(callee: &str) -> Option<String> {
    let (name, route) = match callee.split_once('/') {
        None => (callee, "/v1/oracle/NAME"),
        Some(("bridges", name)) => (name, "/v1/oracle/NAME"),
        Some(("agents", name)) => (name, "/v1/agents/NAME/invoke"),
        Some(_) => return None,
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_name.then(|| route.replace("NAME", name))
}

/// Returns the key to send. The key of a log-in is used only if the command line asks for payment
/// by account.
fn key(args: &CallArgs, url: &Url) -> Result<Option<Zeroizing<String>>> {
    let login = &args.login;
    let is_wanted = login.key.is_some() || login.profile.is_some() || args.credit;
    let key = if is_wanted { login.key_for(url)? } else { None };
    if args.credit && key.is_none() {
        let hint = format!("tollbridge plugin login --server {}, or pass --key", url.origin().ascii_serialization());
        return Err(Hinted::error("payment from credit needs the account's key", hint));
    }
    Ok(key)
}

/// The body of a 402 response.
#[derive(Deserialize)]
struct Quoted {
    payment: QuotedPayment,
    input: Option<InputProblem>,
}

/// The price of a call, and how to pay it.
#[derive(Deserialize)]
struct QuotedPayment {
    payment_intent_id: String,
    amount_gbp: String,
    charge_gbp: String,
    payment_link: String,
}

/// The reason why a paid call with this input would be refused.
#[derive(Default, Deserialize)]
#[serde(default)]
struct InputProblem {
    field: String,
    message: String,
    example: Option<String>,
}

/// The keys that a server publishes. A key that signs checkpoints has a verifier key.
#[derive(Deserialize)]
struct PublishedKeys {
    keys: Vec<PublishedKey>,
}

#[derive(Deserialize)]
struct PublishedKey {
    verifier_key: Option<String>,
}

struct Caller {
    http: Client,
    url: Url,
    key: Option<Zeroizing<String>>,
    input: Value,
}

impl Caller {
    async fn call(&self, headers: &[(&str, &str)]) -> Result<Response> {
        let mut request = self.http.post(self.url.clone()).json(&self.input);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.as_str());
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.with_context(|| format!("cannot reach {}", self.url))
    }

    /// Requests a quote, pays it in the sandbox, and repeats the call.
    async fn quote_and_pay(&self, out: Output) -> Result<Response> {
        let quote = self.call(&[]).await?;
        if quote.status() != StatusCode::PAYMENT_REQUIRED {
            return Ok(quote);
        }
        let Quoted { payment, input } = quote.json().await.context("the 402 response contains no quote")?;
        // Do not pay for a call that would then be refused. For an empty input, the quote
        // reports a problem without a field: ignore it, because here an empty input is
        // intentional.
        if let Some(problem) = input.filter(|problem| !problem.field.is_empty()) {
            return Err(lacking(&problem).error());
        }
        let QuotedPayment { payment_intent_id: intent, amount_gbp, charge_gbp, payment_link } = payment;
        out.note(&format!("quote    £{amount_gbp} a call, the link takes £{charge_gbp}"));
        let paid = self.http.post(self.url.join(&format!("/pay/{intent}"))?).send().await?;
        if !paid.status().is_success() {
            bail!("this server takes no sandbox payments; pay at {payment_link} and repeat with --intent {intent}");
        }
        out.note(&format!("paid     in the sandbox, intent {}…", intent.get(..14).unwrap_or(&intent)));
        self.call(&[("x-payment-intent-id", &intent)]).await
    }

    /// Fetches the proof of a seal and verifies it locally, against the host's published key.
    async fn check(&self, seal: &str) -> Result<Proof> {
        let get = async |path: &str| -> Result<String> {
            Ok(self.http.get(self.url.join(path)?).send().await?.error_for_status()?.text().await?)
        };
        let proof = get(&format!("/v1/ledger/proof/{seal}")).await.context("the seal has no proof")?;
        let keys = get("/.well-known/jwks.json").await.context("the server publishes no keys")?;
        let proof = Proof::parse(&proof).context("the proof is malformed")?;
        ensure!(hex::encode(proof.seal) == seal, "the proof is for another seal");
        let keys: PublishedKeys = serde_json::from_str(&keys).context("the server publishes no keys")?;
        let keys: Vec<CheckpointKey> =
            keys.keys.iter().filter_map(|key| key.verifier_key.as_ref()?.parse().ok()).collect();
        proof.verify(&ProofContext { keys: &keys, record: None, since: None }).context("the proof is invalid")?;
        Ok(proof)
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Converts an input problem in a quote to the error of a refused call.
fn lacking(problem: &InputProblem) -> ExplainedError {
    let explanation = ExplainedError::here(400, "E011", &problem.message).with_field(&problem.field);
    match &problem.example {
        Some(example) => explanation.with_hint(&format!("nothing was paid; an example of a valid input: {example}")),
        None => explanation.with_hint("nothing was paid"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callee_is_a_name_or_an_address() {
        assert_eq!(path_of("tax_jar_lookup").as_deref(), Some("/v1/oracle/tax_jar_lookup"));
        assert_eq!(path_of("bridges/iban_validation").as_deref(), Some("/v1/oracle/iban_validation"));
        assert_eq!(path_of("agents/code-review").as_deref(), Some("/v1/agents/code-review/invoke"));
        for wrong in ["", "agents/", "skills/x", "a b", "../x", "agents/x/invoke", "x?y"] {
            assert_eq!(path_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_incomplete_input_is_reported_before_payment() {
        let problem = json!({ "field": "/id", "message": "`id` is missing", "example": "{\"id\":1}" });
        let explanation = lacking(&serde_json::from_value(problem).unwrap());
        assert_eq!(
            (explanation.message.as_str(), explanation.lines.as_slice()),
            ("400 E011: `id` is missing", &["field /id".to_owned()][..])
        );
        assert_eq!(explanation.hint.as_deref(), Some("nothing was paid; an example of a valid input: {\"id\":1}"));
        assert_eq!(explanation.object["details"]["field"], "/id");
    }
}
