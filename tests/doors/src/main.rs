//! Implements the tasks of two bridges as a user would without Tollbridge: with the usual
//! libraries, served by axum. Benchmarks compare the bridges with this server.

use std::sync::LazyLock;

use axum::{Json, Router, http::StatusCode, routing::post};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiktoken_rs::{CoreBPE, o200k_base};

static O200K: LazyLock<CoreBPE> = LazyLock::new(|| o200k_base().expect("the encoding is in the library"));

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
struct Tokens {
    tokens: usize,
    characters: usize,
    bytes: usize,
}

#[derive(Deserialize)]
struct Checked {
    output: Value,
    schema: Value,
}

#[derive(Serialize)]
struct Verdict {
    valid: bool,
    errors: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    path: String,
    schema_path: String,
    message: String,
}

async fn token_count(Json(Text { text }): Json<Text>) -> Json<Tokens> {
    let tokens = O200K.encode_ordinary(&text).len();
    Json(Tokens { tokens, characters: text.chars().count(), bytes: text.len() })
}

async fn validation(Json(Checked { output, schema }): Json<Checked>) -> Result<Json<Verdict>, StatusCode> {
    let validator = jsonschema::draft202012::new(&schema).map_err(|_| StatusCode::BAD_REQUEST)?;
    let errors = validator.iter_errors(&output).map(|error| Finding {
        path: error.instance_path().to_string(),
        schema_path: error.schema_path().to_string(),
        message: error.to_string(),
    });
    let errors: Vec<_> = errors.collect();
    Ok(Json(Verdict { valid: errors.is_empty(), errors }))
}

#[tokio::main]
async fn main() {
    LazyLock::force(&O200K);
    let app = Router::new().route("/token_count", post(token_count)).route("/validation", post(validation));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    axum::serve(listener, app).await.expect("it serves");
}
