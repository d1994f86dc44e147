//! Extension `bazaar`: describes how to call a resource, so that facilitators can list
//! it. Also defines the format of the facilitators' lists (section 8 of the
//! specification).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::wire::PaymentRequirements;

/// Name of the extension.
const EXTENSION: &str = "bazaar";
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The content of `extensions.bazaar` in a 402 response: an example call and the schema
/// of the example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bazaar {
    /// `input`, an example call, and `output`, an example result.
    pub info: Value,
    /// JSON Schema (2020-12) of `info`.
    pub schema: Value,
    /// Path of the route with its parameters, such as `/users/:userId`; `None` if the
    /// route has no parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_template: Option<String>,
}

/// The encoding of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyType {
    /// JSON data.
    Json,
    /// Form data.
    FormData,
    /// Plain text.
    Text,
}

impl Bazaar {
    /// Describes an endpoint with a body: `method` is POST, PUT or PATCH, `body` an
    /// example, `body_schema` the schema of bodies.
    pub fn http_body(method: &str, kind: BodyType, body: &Value, body_schema: &Value, output: Option<&Value>) -> Self {
        let input = json!({ "type": "http", "method": method, "bodyType": kind, "body": body });
        let schema = json!({
            "type": "object",
            "properties": {
                "type": { "type": "string", "const": "http" },
                "method": { "type": "string", "enum": ["POST", "PUT", "PATCH"] },
                "bodyType": { "type": "string", "enum": ["json", "form-data", "text"] },
                "body": body_schema,
            },
            "required": ["type", "method", "bodyType", "body"],
            "additionalProperties": false,
        });
        Self::of(&input, &schema, output)
    }

    /// Describes an endpoint with query parameters: `method` is GET, HEAD or DELETE,
    /// `query` an example object, `query_schema` its schema.
    pub fn http_query(method: &str, query: &Value, query_schema: &Value, output: Option<&Value>) -> Self {
        let input = json!({ "type": "http", "method": method, "queryParams": query });
        let schema = json!({
            "type": "object",
            "properties": {
                "type": { "type": "string", "const": "http" },
                "method": { "type": "string", "enum": ["GET", "HEAD", "DELETE"] },
                "queryParams": query_schema,
            },
            "required": ["type", "method"],
            "additionalProperties": false,
        });
        Self::of(&input, &schema, output)
    }

    /// Describes a tool of the Model Context Protocol with the tool's own input schema.
    pub fn mcp_tool(tool: &str, description: &str, input_schema: &Value, output: Option<&Value>) -> Self {
        let input = json!({ "type": "mcp", "tool": tool, "description": description, "inputSchema": input_schema });
        let schema = json!({
            "type": "object",
            "properties": {
                "type": { "type": "string", "const": "mcp" },
                "tool": { "type": "string" },
                "description": { "type": "string" },
                "inputSchema": { "type": "object" },
            },
            "required": ["type", "tool", "inputSchema"],
            "additionalProperties": false,
        });
        Self::of(&input, &schema, output)
    }

    /// Inserts this description into the `extensions` of a 402 response.
    pub fn advertise(&self, extensions: &mut Map<String, Value>) {
        extensions.insert(EXTENSION.to_owned(), serde_json::to_value(self).unwrap_or_default());
    }

    fn of(input: &Value, input_schema: &Value, output: Option<&Value>) -> Self {
        let mut info = json!({ "input": input });
        let mut properties = json!({ "input": input_schema });
        if let (Some(example), Some(info), Some(properties)) =
            (output, info.as_object_mut(), properties.as_object_mut())
        {
            info.insert("output".to_owned(), json!({ "type": "json", "example": example }));
            let schema = json!({
                "type": "object",
                "properties": { "type": { "type": "string" }, "example": {} },
                "required": ["type"],
            });
            properties.insert("output".to_owned(), schema);
        }
        let schema = json!({ "$schema": DRAFT, "type": "object", "properties": properties, "required": ["input"] });
        Self { info, schema, route_template: None }
    }
}

/// One resource in a facilitator's list (section 8.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscoveredResource {
    /// URL of the resource.
    pub resource: String,
    /// Type of the resource: `http`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Version of x402 that the resource uses.
    #[serde(rename = "x402Version")]
    pub version: u64,
    /// Ways to pay that the resource accepts.
    pub accepts: Vec<PaymentRequirements>,
    /// Time of the last update, Unix seconds.
    pub last_updated: u64,
    /// Category, provider and further data about the resource.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// A page of a facilitator's list, from `GET /discovery/resources` (section 8.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscoveryPage {
    /// Version of x402 that the list uses.
    #[serde(rename = "x402Version")]
    pub version: u64,
    /// The resources on this page.
    pub items: Vec<DiscoveredResource>,
    /// Position of this page in the list.
    pub pagination: Pagination,
}

/// The position of a page in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pagination {
    /// Maximum number of entries per page, 1 to 100.
    pub limit: u64,
    /// Number of entries before this page.
    pub offset: u64,
    /// Total number of entries.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_form_of_the_specification() {
        let schema = json!({ "type": "object" });
        let body = Bazaar::http_body("POST", BodyType::FormData, &json!({ "a": 1 }), &schema, Some(&json!([])));
        assert_eq!(body.info["input"]["bodyType"], "form-data");
        assert_eq!(body.info["output"], json!({ "type": "json", "example": [] }));
        assert_eq!(body.schema["properties"]["input"]["properties"]["body"], schema);
        let tool = Bazaar::mcp_tool("t", "d", &schema, None);
        assert_eq!(
            tool.info,
            json!({ "input": { "type": "mcp", "tool": "t", "description": "d", "inputSchema": schema } })
        );
        assert!(tool.schema["properties"].get("output").is_none());
        let mut extensions = Map::new();
        Bazaar::http_query("GET", &json!({}), &schema, None).advertise(&mut extensions);
        assert_eq!(extensions["bazaar"]["info"]["input"]["method"], "GET");
    }
}
