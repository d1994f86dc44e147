//! Code samples of one example call, for different clients.

use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::Offer;

/// A code sample for one kind of client.
pub(crate) struct Snippet {
    pub title: &'static str,
    pub about: &'static str,
    pub code: String,
}

/// The example call shown in the code samples.
pub(crate) struct Sample<'a> {
    pub base: &'a str,
    pub kind: PluginKind,
    pub name: &'a str,
    /// The id of the agent's first skill, if it has any.
    pub skill: Option<&'a str>,
    /// An example input of the plugin.
    pub input: &'a Value,
    pub sandbox: bool,
}

impl<'a> Sample<'a> {
    /// Returns a plugin's example with the shortest input.
    pub(crate) fn of(offer: &'a Offer, base: &'a str, sandbox: bool) -> Option<Self> {
        let examples = offer.plugin.description().examples.iter();
        let example = examples.min_by_key(|example| example.input.to_string().len())?;
        Some(Self {
            base,
            kind: offer.kind,
            name: &offer.name,
            skill: offer.skills.first().map(|skill| skill.id.as_str()),
            input: &example.input,
            sandbox,
        })
    }

    /// Returns the route for a call without a key.
    pub(crate) fn route(&self) -> String {
        match self.kind {
            PluginKind::Bridge => format!("/v1/oracle/{}", self.name),
            PluginKind::Agent => format!("/v1/paid/agents/{}", self.name),
        }
    }

    /// Returns the route for a call by an account.
    pub(crate) fn account_route(&self) -> String {
        match self.kind {
            PluginKind::Bridge => self.route(),
            PluginKind::Agent => format!("/v1/agents/{}/invoke", self.name),
        }
    }

    /// Returns the body of the call's request.
    pub(crate) fn body(&self) -> Value {
        match self.kind {
            PluginKind::Bridge => self.input.clone(),
            PluginKind::Agent => json!({ "input": self.input }),
        }
    }

    /// Returns all code samples.
    pub(crate) fn snippets(&self) -> Vec<Snippet> {
        let mut all = vec![
            Snippet {
                title: "curl",
                about: "Request a quote, pay it, then call. No account is needed.",
                code: self.curl(),
            },
            Snippet {
                title: "curl, from credit",
                about: "With an account: one request, paid from its prepaid credit.",
                code: self.curl_on_credit(),
            },
            Snippet {
                title: "Python",
                about: "The client pays within its budget and checks the seal.",
                code: self.python(),
            },
            Snippet {
                title: "TypeScript",
                about: "The same client for Node.js and browsers.",
                code: self.typescript(),
            },
            Snippet { title: "MCP", about: "Client configuration, and an example of a tool call.", code: self.mcp() },
        ];
        if let Some(skill) = self.skill.filter(|_| self.kind == PluginKind::Agent) {
            all.push(Snippet { title: "A2A", about: "An A2A message over JSON-RPC.", code: self.a2a(skill) });
        }
        all
    }

    fn curl(&self) -> String {
        let (base, route, body) = (self.base, self.route(), quoted(&self.body().to_string()));
        let pay = if self.sandbox {
            format!("# 2. pay: in the sandbox with one request\ncurl -s -X POST {base}/pay/$intent")
        } else {
            "# 2. pay: open payment.payment_link of quote.json".to_owned()
        };
        format!(
            "# 1. ask: HTTP 402 with a quote\n\
             curl -s {base}{route} -H 'Content-Type: application/json' \\\n  -d {body} > quote.json\n\
             intent=$(python3 -c 'import json; print(json.load(open(\"quote.json\"))[\"payment\"][\"payment_intent_id\"])')\n\
             {pay}\n\
             # 3. call: the answer, with its seal in the headers\n\
             curl -si {base}{route} -H \"X-Payment-Intent-Id: $intent\" \\\n  \
             -H 'Content-Type: application/json' -d {body}"
        )
    }

    fn curl_on_credit(&self) -> String {
        let (base, route, body) = (self.base, self.account_route(), quoted(&self.body().to_string()));
        format!(
            "curl -si {base}{route} \\\n  -H \"Authorization: Bearer $KEY\" -H 'X-Payment-Source: credit' \\\n  \
             -H 'Content-Type: application/json' -d {body}"
        )
    }

    fn python(&self) -> String {
        let (name, input) = (self.name, python(self.input));
        let call = match self.kind {
            PluginKind::Bridge => format!("client.call_any(\"{name}\", {input})"),
            PluginKind::Agent => format!("client.agent_any(\"{name}\", None, {input})"),
        };
        format!(
            "from tollbridge import Client\n\n\
             client = Client(\"{}\", key=\"tb_…\", budget=\"1.00\")\n\
             answer = {call}\n\
             print(answer.charged_gbp, answer.result)\n\
             client.verify(answer)",
            self.base
        )
    }

    fn typescript(&self) -> String {
        let (name, input) = (self.name, self.input);
        let call = match self.kind {
            PluginKind::Bridge => format!("client.callAny(\"{name}\", {input})"),
            PluginKind::Agent => format!("client.agentAny(\"{name}\", undefined, {input})"),
        };
        format!(
            "import {{ Client }} from \"tollbridge\";\n\n\
             const client = new Client(\"{}\", {{ key: \"tb_…\", budget: \"1.00\" }});\n\
             const answer = await {call};\n\
             console.log(answer.charged, answer.result);\n\
             await client.verify(answer);",
            self.base
        )
    }

    fn mcp(&self) -> String {
        let server = json!({ "mcpServers": { "tollbridge": {
            "url": format!("{}/mcp", self.base),
            "headers": { "Authorization": "Bearer tb_…" },
        } } });
        let call = match self.kind {
            PluginKind::Bridge => json!({ "name": self.name, "arguments": self.input }),
            PluginKind::Agent => {
                let arguments = json!({ "agent_slug": self.name, "task": "", "input": self.input });
                json!({ "name": "invoke_agent", "arguments": arguments })
            }
        };
        format!("{}\n\n{}", pretty(&server), pretty(&call))
    }

    fn a2a(&self, skill: &str) -> String {
        let message = json!({
            "kind": "message", "messageId": "m1", "role": "user",
            "parts": [{ "kind": "data", "data": self.input }],
            "metadata": { "capability": skill },
        });
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": { "message": message },
        });
        format!(
            "# the card: {base}/.well-known/agent-card.json\n\
             curl -s {base}/v1/a2a/execute -H \"Authorization: Bearer $KEY\" \\\n  \
             -H 'Content-Type: application/json' -d {}",
            quoted(&pretty(&body)),
            base = self.base
        )
    }
}

/// Formats JSON with indentation.
pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Quotes a text for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Formats a JSON value as Python source.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let pair = |(name, value): (&String, &Value)| format!("{}: {}", Value::from(name.as_str()), python(value));
            format!("{{{}}}", members.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        // JSON strings and numbers are valid Python.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(kind: PluginKind, input: &Value) -> Sample<'_> {
        Sample { base: "http://h", kind, name: "echo", skill: Some("say:echo"), input, sandbox: true }
    }

    #[test]
    fn a_bridge_is_called_in_every_way() {
        let input = json!({ "text": "it's", "deep": { "on": true, "none": null } });
        let all = sample(PluginKind::Bridge, &input).snippets();
        let titles: Vec<&str> = all.iter().map(|one| one.title).collect();
        assert_eq!(titles, ["curl", "curl, from credit", "Python", "TypeScript", "MCP"]);
        let code = |title: &str| &all.iter().find(|one| one.title == title).unwrap().code;
        assert!(code("curl").contains("it'\\''s") && code("curl").contains("http://h/pay/$intent"), "{}", code("curl"));
        let python = "client.call_any(\"echo\", {\"deep\": {\"none\": None, \"on\": True}, \"text\": \"it's\"})";
        assert!(code("Python").contains(python), "{}", code("Python"));
        assert!(code("TypeScript").contains("client.callAny(\"echo\", {"), "{}", code("TypeScript"));
    }

    #[test]
    fn an_agent_is_called_by_its_skill() {
        let input = json!({ "class": 1 });
        let sample = sample(PluginKind::Agent, &input);
        assert_eq!(sample.route(), "/v1/paid/agents/echo");
        assert_eq!(
            (sample.account_route().as_str(), sample.body()),
            ("/v1/agents/echo/invoke", json!({ "input": input }))
        );
        let all = sample.snippets();
        let last = all.last().unwrap();
        assert!(last.title == "A2A" && last.code.contains("\"capability\": \"say:echo\""), "{}", last.code);
    }
}
