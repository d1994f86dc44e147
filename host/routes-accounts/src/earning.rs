//! Earnings other than calls: `/v1/earn/1`, `/v1/a2a/settle` and `/v1/memory`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_core::timestamp::Timestamp;
use tollbridge_market::earning::{
    EarnReceipt, EarningError, EarningReceipt, MemoryReceipt, NewMemoryItem, ResultCheck, Settlement,
    SettlementReceipt, TaskClaim,
};
use tollbridge_market::limits::{EARN_TASK_PENCE, MEMORY_KEPT_S_MAX};
use tollbridge_paywall::call_headers::{IDEMPOTENCY_KEY, REPLAYED, add_seal_headers, spend_limit};
use tollbridge_store::SubmitError;
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::body::{JsonRequest, parse};
use tollbridge_web::{AppState, Path, Routes};

/// Error codes that the paid routes of this module share.
const ERRORS: [Code; 7] = [
    Code::PaymentRequired,
    Code::PlatformRules,
    Code::AgentNotFound,
    Code::AlreadySealed,
    Code::IdempotencyReused,
    Code::InProgress,
    Code::NotLoaded,
];

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("earning")
        .get(
            "/v1/earn/1",
            tasks,
            Operation::new("listEarnTasks", "List paying tasks", "Tasks that pay now.")
                .answer::<PayingTasks>(200, "The tasks"),
        )
        .post(
            "/v1/earn/1",
            claim,
            Operation::new("earn", "Hand in a result", "Pays 78 p, once for each account and task.")
                .body::<ClaimBody>()
                .answer::<EarnReceipt>(200, "The receipt")
                .sealed()
                .errors(&ERRORS),
        )
        .post(
            "/v1/a2a/settle",
            settle,
            Operation::new(
                "settle",
                "Pay an agent",
                "One of your agents pays another account's agent from your credit.",
            )
            .body::<SettleBody>()
            .answer::<SettlementReceipt>(200, "The receipt")
            .sealed()
            .errors(&ERRORS),
        )
        .post(
            "/v1/memory/store",
            store_memory,
            Operation::new("storeMemory", "Store memory", "Stores an item for an agent, at the price of the server.")
                .body::<RememberBody>()
                .answer::<MemoryReceipt>(200, "The receipt")
                .sealed()
                .errors(&ERRORS),
        )
        .get(
            "/v1/memory/{agent}/{key}",
            read_memory,
            Operation::new("readMemory", "Read memory", "An item that this account stored.")
                .answer::<MemoryItemView>(200, "The item")
                .errors(&[Code::AgentNotFound]),
        )
        .delete(
            "/v1/memory/{agent}/{key}",
            forget,
            Operation::new("deleteMemory", "Delete memory", "Deletes an item that this account stored.")
                .empty(204, "The item was deleted")
                .errors(&[Code::AgentNotFound, Code::InProgress]),
        )
}

#[derive(Serialize, JsonSchema)]
struct PayingTasks {
    tasks: Vec<PayingTask>,
}

/// A task that pays.
#[derive(Serialize, JsonSchema)]
struct PayingTask {
    task: String,
    description: String,
    pays_pence: i64,
    /// Number of further results that are paid.
    left: u64,
    /// The schema of a result; null if a bridge checks it.
    result_schema: Option<Value>,
}

/// A stored item.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoredMemoryItem")]
struct MemoryItemView {
    agent: String,
    key: String,
    value: Value,
    stored_at: Timestamp,
    expires_at: Timestamp,
}

/// Lists the tasks that pay now.
async fn tasks(State(app): State<Arc<AppState>>, Caller(_): Caller) -> Result<Json<PayingTasks>, ApiError> {
    let tasks = app.earning.tasks.all().map_err(refused)?;
    let open = tasks.into_iter().filter(|task| task.is_paying()).map(|task| PayingTask {
        pays_pence: EARN_TASK_PENCE,
        left: task.max_completions.saturating_sub(task.completions),
        result_schema: match task.check {
            ResultCheck::Schema(schema) => Some(schema),
            ResultCheck::Bridge { .. } => None,
        },
        task: task.id,
        description: task.description,
    });
    Ok(Json(PayingTasks { tasks: open.collect() }))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "EarnClaim")]
#[serde(deny_unknown_fields)]
struct ClaimBody {
    task: String,
    result: Value,
}

async fn claim(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    RequestId(request_id): RequestId,
    JsonRequest { headers, body: bytes }: JsonRequest,
) -> Result<Response, ApiError> {
    let body: ClaimBody = parse(&bytes)?;
    let claim = TaskClaim {
        account: &principal.account_id,
        task: &body.task,
        result: &body.result,
        idempotency_key: key_of(&headers)?,
        body: &bytes,
        request_id: &request_id,
        now_ms: now_ms(),
    };
    app.earning.claims.claim(claim).await.map_err(refused).and_then(done)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Settle")]
#[serde(deny_unknown_fields)]
struct SettleBody {
    from_agent: String,
    to_agent: String,
    /// Pounds.
    #[schemars(regex(pattern = r"^[0-9]{1,5}(\.[0-9]{1,2})?$"))]
    amount_gbp: String,
}

async fn settle(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonRequest { headers, body: bytes }: JsonRequest,
) -> Result<Response, ApiError> {
    let body: SettleBody = parse(&bytes)?;
    let amount: Millipence = body.amount_gbp.parse().map_err(|error: tollbridge_core::money::ParseAmountError| {
        ApiError::invalid("/amount_gbp", error.to_string())
    })?;
    let spend = spend_limit(&principal);
    let settlement = Settlement {
        account: &principal.account_id,
        from_agent: &body.from_agent,
        to_agent: &body.to_agent,
        amount,
        spend: spend.as_ref(),
        idempotency_key: key_of(&headers)?,
        body: &bytes,
        now_ms: now_ms(),
    };
    app.earning.settlements.settle(settlement).await.map_err(refused).and_then(done)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "MemoryItem")]
#[serde(deny_unknown_fields)]
struct RememberBody {
    agent: String,
    #[schemars(regex(pattern = r"^[A-Za-z0-9_.:-]{1,128}$"))]
    key: String,
    value: Value,
    #[schemars(range(min = 1, max = MEMORY_KEPT_S_MAX))]
    ttl_seconds: Option<u64>,
}

async fn store_memory(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    JsonRequest { headers, body: bytes }: JsonRequest,
) -> Result<Response, ApiError> {
    let body: RememberBody = parse(&bytes)?;
    let spend = spend_limit(&principal);
    let new = NewMemoryItem {
        account: &principal.account_id,
        agent: &body.agent,
        key: &body.key,
        value: &body.value,
        ttl_s: body.ttl_seconds,
        spend: spend.as_ref(),
        idempotency_key: key_of(&headers)?,
        body: &bytes,
        now_ms: now_ms(),
    };
    app.earning.memories.set(&app.writer, new).await.map_err(refused).and_then(done)
}

async fn read_memory(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path((agent, key)): Path<(String, String)>,
) -> Result<Json<MemoryItemView>, ApiError> {
    let item = app.earning.memories.read(&principal.account_id, &agent, &key, now_ms()).map_err(refused)?;
    Ok(Json(MemoryItemView {
        agent,
        key,
        value: item.value,
        stored_at: Timestamp::from_ms(item.stored_ms),
        expires_at: Timestamp::from_ms(item.expires_ms),
    }))
}

async fn forget(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path((agent, key)): Path<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let deleted = app.earning.memories.delete(&app.writer, &principal.account_id, &agent, &key, now_ms()).await;
    deleted.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

fn key_of(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let key = headers.get(IDEMPOTENCY_KEY).map(HeaderValue::to_str).transpose();
    key.map_err(|_| refused(EarningError::BadKey))
}

/// Builds the response for a sealed receipt, with the headers that name its record.
fn done(done: EarningReceipt) -> Result<Response, ApiError> {
    let mut response = ([(header::CONTENT_TYPE, "application/json")], done.body).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    // Only a paid change is sealed; a free one has no seal.
    if done.seal != [0; 32] {
        add_seal_headers(&mut response, &done.tx, &done.seal)?;
    }
    if done.replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn refused(error: EarningError) -> ApiError {
    let message = error.to_string();
    match error {
        EarningError::Invalid { field, .. } => ApiError::invalid(&field, message),
        EarningError::BadKey => ApiError::invalid("", message),
        EarningError::NoTask(_) | EarningError::NoItem(_) => not_found(message),
        EarningError::NoAgent(_) | EarningError::NotYours(_) => ApiError::new(Code::AgentNotFound, message),
        EarningError::Unchecked(_) => ApiError::new(Code::NotLoaded, message).retry_after(60),
        EarningError::BudgetSpent => ApiError::new(Code::Overloaded, message).retry_after(3_600),
        EarningError::Unpaid(problem) => ApiError::new(Code::PaymentRequired, format!("payment required: {problem}"))
            .hint("buy credit with POST /api/v1/checkout/session {\"product\":\"credit\",\"quantity\":1}"),
        EarningError::InFlight => ApiError::new(Code::InProgress, message).retry_after(1),
        EarningError::AlreadySealed | EarningError::MemoryFull => ApiError::new(Code::AlreadySealed, message),
        EarningError::KeyReused => ApiError::new(Code::IdempotencyReused, message),
        EarningError::Submit(SubmitError::Refused(_)) => {
            ApiError::new(Code::InProgress, "another request made a change first; try again").retry_after(1)
        }
        EarningError::Submit(SubmitError::Busy) => ApiError::new(Code::Overloaded, message).retry_after(1),
        other => internal(&other),
    }
}
