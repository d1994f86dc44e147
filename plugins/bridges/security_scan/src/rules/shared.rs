//! What looks alike in several languages.

use crate::rule::{LIKELY, LOW, MAYBE, MEDIUM, Rule};

pub(super) const CODE: &[Rule] = &[
    Rule::new(
        "web.cors",
        (MEDIUM, LIKELY, "CWE-942"),
        &["origin", "Origin", "CORS", "cors"],
        r#"(?i)(?:\borigins?["']?\s*(?::|=|=>)\s*\[?\s*(?:["']\*["']|true\b)|allowedOrigins?\s*\(\s*"\*"|Access-Control-Allow-Origin["']?\s*[,:\]=]+\s*["']\*|AllowOrigins:\s*\[\]string\{\s*"\*"|CORS_(?:ALLOW_ALL_ORIGINS|ORIGIN_ALLOW_ALL)\s*=\s*True)[^}]*?(?:\bcredentials["']?\s*(?::|=)\s*true\b|supports_credentials\s*=\s*True|Allow-?_?Credentials["']?\s*[,:(\]=]+\s*["']?true|allowCredentials\s*\(\s*true)"#,
        "Any site may call this service with the visitor's cookies",
        "Name the origins, or leave credentials out.",
    )
    .over(8)
    .in_strings(),
    Rule::new(
        "web.plain-http",
        (LOW, MAYBE, "CWE-319"),
        &["http://"],
        r#"(?i)\b\w*(?:login|auth|password|token|payment|api_?url|webhook)\w*["']?\s*(?::|=|:=|=>)\s*["']http://[a-z0-9.-]+\.[a-z]{2,}"#,
        "What is sent can be read and changed on the way",
        "Use https.",
    )
    .unless(r"http://(?:localhost|127\.|10\.|192\.168\.|0\.0\.0\.0|[\w.-]+\.(?:local|internal|test|example|svc)\b|(?:www\.)?example\.|www\.w3\.org|schemas\.)"),
];
