//! `/api/v1/reputation`: the verifiable earnings of an account, and of the platform as a whole.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_ledger::{IndexError, is_party};
use tollbridge_market::reputation::{PLATFORM, ReputationError, ReputationView};
use tollbridge_store::SubmitError;
use tollbridge_web::admit::Caller;
use tollbridge_web::{AppState, Routes};

/// Default number of records in a page.
const PAGE: usize = 20;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let operation = Operation::new(
        "reputation",
        "Reputation of an account or of the platform",
        "An account's earnings as of a signed checkpoint, with proofs. Without a key and without `user_id`, the \
        platform's total activity and its own share.",
    )
    .optional_key()
    .answer::<ReputationView>(200, "Totals and proven records");
    Routes::new("ledger").get("/api/v1/reputation", reputation, operation)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReputationQuery {
    /// The account; by default that of the key, or without a key `platform`, which means all
    /// accounts.
    user_id: Option<String>,
    /// Value of `next` on the previous page.
    after: Option<u64>,
    /// Records in the page.
    limit: Option<usize>,
}

async fn reputation(
    State(app): State<Arc<AppState>>,
    caller: Option<Caller>,
    query: Result<Query<ReputationQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<ReputationView>, ApiError> {
    let Query(query) = query.map_err(|error| ApiError::invalid("", error.body_text()))?;
    let own = caller.map(|Caller(principal)| principal.account_id.clone());
    let user = query.user_id.or(own).unwrap_or_else(|| PLATFORM.to_owned());
    if user != PLATFORM {
        let unknown = || not_found("no such account");
        if !is_party(&user) {
            return Err(unknown());
        }
        app.accounts.account(&user).map_err(|error| if error.is_missing() { unknown() } else { internal(&error) })?;
    }
    let limit = query.limit.unwrap_or(PAGE);
    let report = app.reputation.report(&user, query.after, limit, now_ms()).await.map_err(refused)?;
    Ok(Json(ReputationView::new(user, &report)))
}

fn refused(error: ReputationError) -> ApiError {
    match error {
        ReputationError::Counting => ApiError::new(Code::Overloaded, error.to_string()).retry_after(1),
        ReputationError::Index(IndexError::Submit(SubmitError::Busy)) => {
            ApiError::new(Code::Overloaded, error.to_string()).retry_after(1)
        }
        other => internal(&other),
    }
}
