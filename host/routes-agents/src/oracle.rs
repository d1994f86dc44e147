//! `POST /v1/oracle/{bridge}`: a paid call of a data bridge.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tollbridge_api::bridges::CALL_ERRORS;
use tollbridge_api::components::{CALL_PARAMETERS, reference};
use tollbridge_api::error::ApiError;
use tollbridge_api::operation::Operation;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{Call, CallAnswer};
use tollbridge_paywall::call_headers::{
    PAYMENT_REMAINING, REPLAYED, add_seal_headers, header_value, idempotency_key, max_cost, recovered_response,
    spend_limit,
};
use tollbridge_paywall::payment_source::source;
use tollbridge_paywall::{mpp, wallet};
use tollbridge_web::admit::{Caller, RequestId, Share};
use tollbridge_web::body::PluginRequest;
use tollbridge_web::error_mapping::{access_error, checkout_error};
use tollbridge_web::{AppState, Path, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let mut operation = Operation::new(
        "callBridge",
        "Call a bridge",
        "A paid call of any bridge; every live bridge is also listed with its own schemas.",
    )
    .alias("/api/v1/oracle/{bridge}")
    .optional_key()
    .optional_body::<Map<String, Value>>()
    .answer_schema(200, "The answer", json!({}))
    .sealed()
    .errors(&CALL_ERRORS);
    operation.parameters.extend(CALL_PARAMETERS.map(|name| reference("parameters", name)));
    Routes::new("bridges").post("/v1/oracle/{bridge}", call, operation)
}

async fn call(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    caller: Option<Caller>,
    Share(share): Share,
    Path(bridge): Path<String>,
    PluginRequest { headers, body }: PluginRequest,
) -> Result<Response, ApiError> {
    if caller.is_none() && app.settings.require_key {
        return Err(access_error(&tollbridge_access::AccessError::MissingKey));
    }
    let call = Call {
        request_id: request_id.to_string(),
        now_ms: now_ms(),
        spend: caller.as_ref().and_then(|Caller(principal)| spend_limit(principal)),
        max_cost: max_cost(&headers)?,
        account: caller.map(|Caller(principal)| principal.account_id.clone()),
        share,
        kind: PluginKind::Bridge,
        // Both path prefixes share one route name, so that a request repeated at the
        // other prefix counts as a repeat.
        route: format!("POST /v1/oracle/{bridge}"),
        name: bridge,
        source: source(&app.paywall, &headers, &body)?,
        body,
        idempotency_key: idempotency_key(&headers)?.map(str::to_owned),
        queued: None,
    };
    // Free the headers before awaiting the call.
    drop(headers);
    let (payment, token) = (wallet::payment_of(&call.source), mpp::token_of(&call.source));
    let answer = app.checkout.run(call).await;
    let answer = answer.map_err(|error| mpp::keep_paid(&app.paywall, checkout_error(&app, error), token.as_deref()))?;
    let mut response = respond(answer)?;
    wallet::add_receipt(&app.paywall, &mut response, payment.as_deref())?;
    mpp::add_receipt(&app.paywall, &mut response, token.as_deref())?;
    Ok(response)
}

fn respond(answer: CallAnswer) -> Result<Response, ApiError> {
    let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(match answer {
        CallAnswer::Free(body) => ([json], body).into_response(),
        CallAnswer::Paid { sealed, remaining, .. } => {
            let (tx, seal) = (*sealed.tx(), *sealed.seal());
            let mut response = ([json], sealed.into_body()).into_response();
            add_seal_headers(&mut response, &tx, &seal)?;
            if let Some(remaining) = remaining {
                response.headers_mut().insert(PAYMENT_REMAINING, header_value(&remaining.pounds())?);
            }
            response
        }
        CallAnswer::Replayed(recovered) => {
            let mut response = recovered_response(recovered)?;
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            response
        }
    })
}
