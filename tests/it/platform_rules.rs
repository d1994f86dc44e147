//! No request can set the revenue split: every route with a body refuses the
//! corresponding members, even if the request has other errors.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tollbridge_tests::Folder;

/// Routes without a request object: their body is stored or verified unchanged. The last
/// one accepts only the form on its own page, from a signed-in person.
const NO_REQUEST: [&str; 4] =
    ["/v1/resources", "/v1/payments/stripe/events", "/v1/webhooks/{id}/verify", "/oauth/authorize"];

#[tokio::test]
async fn every_route_with_a_body_refuses_to_change_the_split() -> Result<()> {
    let (_folder, server, client) = Folder::with_echo("").await?;
    let owner = client.signed_up("ada@example.com").await?;
    let document = server.client().get("/openapi.json").await?.must(200)?.json;
    let paths = document["paths"].as_object().context("no paths")?;
    let (mut json_routes, mut form_routes) = (0, 0);
    for (path, methods) in paths {
        let Some(content) = methods["post"]["requestBody"]["content"].as_object() else { continue };
        if NO_REQUEST.contains(&path.as_str()) {
            continue;
        }
        let filled = path
            .replace("{bridge}", "echo")
            .replace("{slug}", "missing")
            .replace("{id}", "x")
            .replace("{task_id}", "x");
        ensure!(!filled.contains('{'), "{path} has a new parameter");
        let request = owner.request(Method::POST, &filled);
        let is_json = content.contains_key("application/json");
        json_routes += usize::from(is_json);
        form_routes += usize::from(!is_json);
        let request = if is_json {
            request.header("accept", "application/json, text/event-stream").json(&json!({ "treasury_pct": 0 }))
        } else if content.contains_key("multipart/form-data") {
            request.multipart(reqwest::multipart::Form::new().text("treasury_pct", "0"))
        } else {
            request.form(&[("treasury_pct", "0")])
        };
        let refused = owner.send(request).await?;
        let refused = refused.must_be(403, "E008").with_context(|| path.to_owned())?;
        ensure!(refused.text.contains("treasury_pct"), "{path}: {}", refused.text);
    }
    ensure!(json_routes >= 20 && form_routes >= 2, "{json_routes} routes with JSON, {form_routes} with forms");
    Ok(())
}
