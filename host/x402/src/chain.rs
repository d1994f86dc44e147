//! Looks up a payment on its chain through JSON-RPC, to find the outcome of an
//! authorization whose settlement is unclear.
//!
//! Invariant: only a transfer of exactly this amount to exactly this payee, in a
//! transaction that used exactly this nonce, counts as the payment.
//!
//! Source: EIP-3009 (`authorizationState`, `AuthorizationUsed`), Permit2 (`nonceBitmap`),
//! EIP-20 (`Transfer`), EIP-1474 (`eth_call`, `eth_getLogs`, `eth_getTransactionByHash`,
//! `eth_getTransactionReceipt`).

use std::time::Duration;

use reqwest::{Client, Url};
use serde_json::{Value, json};
use sha3::{Digest, Keccak256};

use crate::bytes32::TransactionHash;
use crate::check::Authorized;
use crate::facilitator::{LookupError, SetUpError, root_cause};
use crate::permit2::PERMIT2;
use crate::scheme::Scheme;
use crate::text::hex_bytes;
use tollbridge_core::limits::EGRESS_IDLE_MS_MAX;

/// Maximum size of a node's response.
const RESPONSE_BYTES_MAX: usize = 256 << 10;
/// Number of recent blocks searched for events: nodes limit the range of a search, and an
/// authorization is at most a few hours old.
const BLOCKS_BACK: u64 = 9_000;
const TIMEOUT: Duration = Duration::from_secs(10);
const TRANSFER: &str = "Transfer(address,address,uint256)";

/// The outcome of an authorization on its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChain {
    /// The authorization was carried out by this transaction.
    Moved(TransactionHash),
    /// The authorization was not carried out. Once it has expired, it never will be.
    Unused,
    /// The nonce was used, but not for this payment: the authorization was canceled, or
    /// another payment or amount used the nonce.
    UsedOtherwise,
}

/// A client of a chain node.
pub struct ChainReader {
    client: Client,
    url: Url,
}

impl ChainReader {
    /// Creates a client of the node at `url`; sends no request.
    ///
    /// # Errors
    ///
    /// Fails if `url` is not a valid URL or the client cannot be created.
    pub fn new(url: &str) -> Result<Self, SetUpError> {
        let bad = || SetUpError::BadUrl(tollbridge_core::excerpt::excerpt(url, 200));
        let url: Url = url.parse().map_err(|_| bad())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad());
        }
        tollbridge_core::tls_provider::install();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT)
            .pool_idle_timeout(Duration::from_millis(EGRESS_IDLE_MS_MAX))
            .no_proxy()
            .build();
        Ok(Self { client: client.map_err(|error| SetUpError::Client(root_cause(&error)))?, url })
    }

    /// Looks up the outcome of a payment.
    ///
    /// # Errors
    ///
    /// Fails if the node's responses do not determine the outcome.
    pub async fn look_up(&self, payment: &Authorized) -> Result<OnChain, LookupError> {
        let is_used = match payment.requirement().scheme() {
            Scheme::Exact => self.is_used(payment).await?,
            Scheme::Upto { .. } => self.is_permit_used(payment).await?,
        };
        if !is_used {
            return Ok(OnChain::Unused);
        }
        for hash in self.users(payment).await? {
            if self.moves(payment, hash).await? {
                return Ok(OnChain::Moved(hash));
            }
        }
        Ok(OnChain::UsedOtherwise)
    }

    /// Returns whether the token contract has recorded the payment's nonce as used.
    async fn is_used(&self, payment: &Authorized) -> Result<bool, LookupError> {
        let contract = payment.requirement().token().address.to_string();
        let arguments = [payment.payer().word(), payment.nonce().bytes()];
        let used = self.call(&contract, "authorizationState(address,bytes32)", arguments).await?;
        let used = used.ok_or(format!("{contract} does not support authorizations; is it the address of the token?"));
        used.map(|word| word != [0; 32]).map_err(LookupError)
    }

    /// Returns whether Permit2 has recorded the payment's nonce as used: the first 31
    /// bytes of the nonce select a word, the last byte selects a bit in that word.
    async fn is_permit_used(&self, payment: &Authorized) -> Result<bool, LookupError> {
        let nonce = payment.nonce().bytes();
        let mut place = [0; 32];
        place.split_at_mut(1).1.copy_from_slice(nonce.split_at(31).0);
        let contract = PERMIT2.to_string();
        let word = self.call(&contract, "nonceBitmap(address,uint256)", [payment.payer().word(), place]).await?;
        let word =
            word.ok_or_else(|| LookupError(format!("{contract} does not support nonces; is Permit2 deployed?")))?;
        let bit = nonce.last().copied().unwrap_or_default();
        let byte = word.iter().rev().nth(usize::from(bit / 8)).copied().unwrap_or_default();
        Ok(byte & (1 << (bit % 8)) != 0)
    }

    /// Finds the transactions that may have used the payment's nonce; the caller checks
    /// each of them.
    async fn users(&self, payment: &Authorized) -> Result<Vec<TransactionHash>, LookupError> {
        let (requirement, payer) = (payment.requirement(), payment.payer().word());
        let nonce = hex_of(&payment.nonce().bytes());
        let is_upto = matches!(requirement.scheme(), Scheme::Upto { .. });
        // Permit2 emits no event with the nonce, so `upto` searches the transfers to the
        // payee.
        let topics = match is_upto {
            false => [event("AuthorizationUsed(address,bytes32)"), hex_of(&payer), nonce.clone()],
            true => [event(TRANSFER), hex_of(&payer), hex_of(&requirement.pay_to().word())],
        };
        let from = self.block_number().await?.saturating_sub(BLOCKS_BACK);
        let contract = requirement.token().address.to_string();
        let filter = json!([{ "address": contract, "fromBlock": format!("0x{from:x}"), "topics": topics }]);
        let logs = self.ask("eth_getLogs", filter).await?;
        let logs = logs.as_array().ok_or_else(|| invalid_answer("eth_getLogs"))?;
        let mut users = Vec::new();
        for log in logs {
            let Some(hash) = text_of(log, "/transactionHash").and_then(|hash| hash.parse().ok()) else { continue };
            if !is_upto || self.has_input(hash, nonce.trim_start_matches("0x")).await? {
                users.push(hash);
            }
        }
        Ok(users)
    }

    /// Returns whether the input data of a transaction contains these hexadecimal digits.
    async fn has_input(&self, transaction: TransactionHash, digits: &str) -> Result<bool, LookupError> {
        let method = "eth_getTransactionByHash";
        let answer = self.ask(method, json!([transaction.to_string()])).await?;
        let input = text_of(&answer, "/input").ok_or_else(|| invalid_answer(method))?;
        Ok(input.to_ascii_lowercase().contains(digits))
    }

    /// Calls a function of a contract and returns the resulting 32-byte word; `None` if
    /// no contract at the address returns one.
    async fn call(
        &self,
        contract: &str,
        function: &str,
        arguments: [[u8; 32]; 2],
    ) -> Result<Option<[u8; 32]>, LookupError> {
        let data = [selector(function).as_slice(), &arguments.concat()].concat();
        let answer = self.ask("eth_call", json!([{ "to": contract, "data": hex_of(&data) }, "latest"])).await?;
        Ok(hex_bytes(answer.as_str().ok_or_else(|| invalid_answer("eth_call"))?))
    }

    /// Returns whether a transaction moves exactly the payment's amount to exactly its
    /// payee.
    async fn moves(&self, payment: &Authorized, transaction: TransactionHash) -> Result<bool, LookupError> {
        let receipt = self.ask("eth_getTransactionReceipt", json!([transaction.to_string()])).await?;
        if text_of(&receipt, "/status") != Some("0x1") {
            return Ok(false);
        }
        let requirement = payment.requirement();
        let topics = json!([event(TRANSFER), hex_of(&payment.payer().word()), hex_of(&requirement.pay_to().word()),]);
        let amount = hex_of(&payment.amount().word());
        let contract = requirement.token().address;
        let logs =
            receipt.get("logs").and_then(Value::as_array).ok_or_else(|| invalid_answer("eth_getTransactionReceipt"))?;
        Ok(logs.iter().any(|log| {
            log.get("topics") == Some(&topics)
                && text_of(log, "/data") == Some(&amount)
                && text_of(log, "/address").and_then(|address| address.parse().ok()) == Some(contract)
        }))
    }

    async fn block_number(&self) -> Result<u64, LookupError> {
        let number = self.ask("eth_blockNumber", json!([])).await?;
        let digits = number.as_str().and_then(|text| text.strip_prefix("0x"));
        digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).ok_or_else(|| invalid_answer("eth_blockNumber"))
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, LookupError> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let failed = |error: reqwest::Error| LookupError(format!("{method}: {}", root_cause(&error)));
        let mut response = self.client.post(self.url.clone()).json(&body).send().await.map_err(failed)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if bytes.len().saturating_add(chunk.len()) > RESPONSE_BYTES_MAX {
                return Err(LookupError(format!("{method}: the response is too large")));
            }
            bytes.extend_from_slice(&chunk);
        }
        let mut answer: Value = serde_json::from_slice(&bytes).map_err(|_| invalid_answer(method))?;
        match answer.get_mut("result").map(Value::take) {
            Some(result) => Ok(result),
            None => {
                let error = text_of(&answer, "/error/message").unwrap_or("no result");
                Err(LookupError(format!("{method}: {}", tollbridge_core::excerpt::excerpt(error, 200))))
            }
        }
    }
}

/// Returns the string at a JSON pointer in a response.
fn text_of<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

fn invalid_answer(method: &str) -> LookupError {
    LookupError(format!("{method}: unexpected response from the node"))
}

fn selector(signature: &str) -> [u8; 4] {
    let hash: [u8; 32] = Keccak256::digest(signature).into();
    let mut selector = [0; 4];
    selector.copy_from_slice(hash.split_at(4).0);
    selector
}

fn event(signature: &str) -> String {
    hex_of(&Keccak256::digest(signature))
}

fn hex_of(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}
