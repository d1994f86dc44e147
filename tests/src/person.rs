//! A person with a browser that runs no scripts: it keeps the session cookie and submits
//! the forms of pages.

use anyhow::{Context, Result, ensure};
use reqwest::Method;

use crate::{Client, Reply};

pub struct Person {
    client: Client,
    cookie: Option<String>,
}

impl Person {
    pub fn new(client: &Client) -> Self {
        Self { client: client.clone(), cookie: None }
    }

    /// Returns the session cookie in the form in which the browser sends it.
    pub fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }

    pub async fn visit(&self, path: &str) -> Result<Reply> {
        let mut request = self.client.request(Method::GET, path).header("accept", "text/html");
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        self.client.send(request).await
    }

    /// Submits a form as if from a page of the server, and keeps the cookie that the
    /// response sets.
    pub async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Result<Reply> {
        self.send_from("same-origin", path, fields).await
    }

    /// Submits a form as if from a page of the given site.
    pub async fn send_from(&mut self, site: &str, path: &str, fields: &[(&str, &str)]) -> Result<Reply> {
        let mut request = self.client.request(Method::POST, path).header("accept", "text/html");
        request = request.header("sec-fetch-site", site).header("origin", "null").form(&fields);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let reply = self.client.send(request).await?;
        if let Some(set) = reply.header("set-cookie") {
            ensure!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "an unsafe cookie: {set}");
            let pair = set.split(';').next().unwrap_or_default();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        Ok(reply)
    }

    /// Loads a page and submits one of its forms with the page's form token.
    pub async fn fill(&mut self, page: &str, path: &str, fields: &[(&str, &str)]) -> Result<Reply> {
        let page = self.visit(page).await?.must(200)?;
        let token = hidden(&page, "form_token").context("the page has no form token")?;
        let fields: Vec<(&str, &str)> =
            [("form_token", token.as_str())].into_iter().chain(fields.iter().copied()).collect();
        self.send(path, &fields).await
    }

    /// Signs in with a key.
    pub async fn sign_in(&mut self, key: &str) -> Result<()> {
        let reply = self.send("/account/sign-in", &[("key", key), ("next", "")]).await?.must(303)?;
        ensure!(reply.header("location") == Some("/account"), "redirected elsewhere: {reply:?}");
        Ok(())
    }
}

/// Returns the value of a hidden field of a page.
pub fn hidden(page: &Reply, name: &str) -> Option<String> {
    let marker = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.text.split_once(&marker)?;
    rest.split('"').next().map(str::to_owned)
}
