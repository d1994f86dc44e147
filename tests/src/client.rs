//! A test client whose replies contain status, headers and body together.

use anyhow::{Context, Result, ensure};
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// An HTTP response.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub json: Value,
}

/// Returns the builder of an HTTP client that follows no redirect.
pub fn http() -> reqwest::ClientBuilder {
    // The TLS provider is installed once per process; later attempts fail harmlessly.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none())
}

impl Client {
    pub fn new(base: &str) -> Self {
        Self::over(http().build().unwrap_or_default(), base)
    }

    /// Creates a client that uses a custom HTTP client.
    pub fn over(http: reqwest::Client, base: &str) -> Self {
        Self { http, base: base.to_owned(), key: None }
    }

    /// Returns a copy of the client that sends an API key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// Returns a copy of the client for another server.
    #[must_use]
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// Signs up; returns a copy of the client that uses the new key.
    pub async fn signed_up(&self, email: &str) -> Result<Self> {
        let reply = self.post("/v1/signup", &json!({ "email": email })).await?;
        ensure!(reply.status == 201, "sign-up answered {}: {}", reply.status, reply.text);
        Ok(self.with_key(reply.json["api_key"].as_str().context("no api_key")?))
    }

    /// Returns the API key that the client sends.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    pub async fn send(&self, request: RequestBuilder) -> Result<Reply> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        let json = serde_json::from_str(&text).unwrap_or(Value::Null);
        Ok(Reply { status, headers, text, json })
    }

    pub async fn get(&self, path: &str) -> Result<Reply> {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Reply> {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// Calls a bridge with additional headers.
    pub async fn call(&self, bridge: &str, body: &Value, headers: &[(&str, &str)]) -> Result<Reply> {
        let mut request = self.request(Method::POST, &format!("/v1/oracle/{bridge}")).json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request).await
    }

    /// Calls a bridge and pays with an intent.
    pub async fn call_with(&self, bridge: &str, intent: &str) -> Result<Reply> {
        self.call(bridge, &json!({}), &[("x-payment-intent-id", intent)]).await
    }

    /// Calls a bridge and pays from prepaid credit.
    pub async fn call_on_credit(&self, bridge: &str) -> Result<Reply> {
        self.call(bridge, &json!({}), &[("x-payment-source", "credit")]).await
    }

    /// Requests a quote and pays it in the sandbox; returns the intent id.
    pub async fn paid_intent(&self, bridge: &str) -> Result<String> {
        let quote = self.call(bridge, &json!({}), &[]).await?;
        ensure!(quote.status == 402, "expected a quote, got {}: {}", quote.status, quote.text);
        let intent = intent_of(&quote)?;
        let paid = self.send(self.request(Method::POST, &format!("/pay/{intent}"))).await?;
        ensure!(paid.json["status"] == "paid", "not paid: {}", paid.text);
        Ok(intent)
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns this reply if it has the given status; fails otherwise.
    pub fn must(self, status: u16) -> Result<Self> {
        ensure!(self.status == status, "expected {status}, got {}: {}", self.status, self.text);
        Ok(self)
    }

    /// Returns this reply if it is an error with the given status and code, in the common
    /// error format; fails otherwise.
    pub fn must_be(self, status: u16, code: &str) -> Result<Self> {
        let reply = self.must(status)?;
        ensure!(reply.code() == code, "expected {code}: {}", reply.text);
        ensure!(!reply.error().is_empty(), "no error text: {}", reply.text);
        ensure!(reply.header("x-request-id").is_some_and(|id| id.starts_with("req_")), "no request id: {reply:?}");
        Ok(reply)
    }

    /// Returns this reply if it is a 402 with a new quote and `payment.reason` equal to
    /// `reason`; fails otherwise.
    pub fn must_quote(self, reason: Option<&str>) -> Result<Self> {
        let reply = self.must_be(402, "E003")?;
        ensure!(reply.json["payment"]["reason"].as_str() == reason, "expected {reason:?}: {}", reply.text);
        intent_of(&reply)?;
        Ok(reply)
    }

    /// Returns the text of an error in any of the server's formats; empty if there is
    /// none.
    pub fn error(&self) -> &str {
        let error = &self.json["error"];
        error.as_str().or_else(|| error["message"].as_str()).unwrap_or_default()
    }

    /// Returns the error code, or an empty text.
    pub fn code(&self) -> &str {
        self.json["code"].as_str().unwrap_or_default()
    }
}

/// Returns the intent id of a quote.
pub fn intent_of(quote: &Reply) -> Result<String> {
    let intent = quote.json["payment"]["payment_intent_id"].as_str();
    Ok(intent.with_context(|| format!("no intent in {}", quote.text))?.to_owned())
}
