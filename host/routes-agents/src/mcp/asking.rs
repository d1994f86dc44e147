//! Asks the client's user to pay, if the client can show a link (multi round-trip requests): the
//! answer to the call is a link to its quote, and the client repeats the call with the quote's
//! intent as its state.
//!
//! Invariant: the server keeps no state in between. The client's state names an intent, which this
//! host signed for one account, one price and a limited time, and which can be spent once; the
//! checkout refuses any other use.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitationCapability, ErrorData, InputRequest,
    InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{CheckoutError, PaymentSource};
use tollbridge_payment::PaymentDeclined;
use tollbridge_web::AppState;

use crate::mcp::paid::paid_by_wallet;
use crate::mcp::round::{PAYMENT, Round, accepted};
use crate::mcp::sender::sender;

/// Time that one request waits for its user to pay.
const MCP_PAYMENT_WAIT_MS: u64 = 15_000;
/// Interval between checks for the user's payment.
const MCP_PAYMENT_POLL_MS: u64 = 2_000;

/// The payment of a call, as determined from the client's answers so far.
pub(crate) enum Paying {
    /// From credit; `may_ask` is whether the client can be asked for a payment if credit does not
    /// suffice.
    Credit { may_ask: bool },
    /// From an intent that the user has paid or let expire.
    Intent(String),
    /// From a wallet's signed payment.
    Wallet(PaymentSource),
    /// No payment: the caller has neither an account nor a wallet payment.
    Nothing,
    /// The user has not yet paid at the link.
    Open(InputRequiredResult),
    /// The user declined to pay.
    Refused,
}

impl Paying {
    /// Determines the payment of a call. If the user agreed to pay at the link, waits a
    /// while for the payment.
    pub(crate) async fn of(
        app: &AppState,
        request: &CallToolRequestParams,
        round: &Round,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        if let Some(source) = paid_by_wallet(app, context)? {
            return Ok(Self::Wallet(source));
        }
        let Some(intent) = &round.intent else {
            return Ok(match sender(context)?.principal.as_ref() {
                Some(_) => Self::Credit { may_ask: shows_links(context) },
                None => Self::Nothing,
            });
        };
        // If the request does not contain the user's answer, the client is polling for
        // the payment.
        if accepted(request, PAYMENT) == Some(false) {
            return Ok(Self::Refused);
        }
        if settled(app, intent).await? {
            return Ok(Self::Intent(intent.clone()));
        }
        Ok(Self::Open(InputRequiredResult::from_request_state(round.next(Some(intent)))))
    }

    /// Returns the payment source of the call.
    pub(crate) fn source(&self) -> PaymentSource {
        match self {
            Self::Intent(intent) => PaymentSource::Intent(intent.clone()),
            Self::Wallet(source) => source.clone(),
            Self::Nothing => PaymentSource::Nothing,
            _ => PaymentSource::Credit,
        }
    }

    /// Returns a payment request for the client, if the call failed for lack of credit.
    pub(crate) fn ask(&self, app: &AppState, error: &CheckoutError, round: &Round) -> Option<InputRequiredResult> {
        let (Self::Credit { may_ask: true }, CheckoutError::PaymentRequired(required)) = (self, error) else {
            return None;
        };
        if !matches!(required.problem, Some(PaymentDeclined::InsufficientCredit(_))) {
            return None;
        }
        let terms = &required.issued.quote.terms;
        let base = &app.settings.base_url;
        let message = format!(
            "`{}` costs {} a call, which the account's credit does not cover. Pay {} at this link and the call \
            continues, or decline and add credit at {base}/account.",
            terms.bridge.trim_start_matches("agents/"),
            terms.price.display_gbp(),
            terms.charge.display_gbp(),
        );
        let link = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message,
            url: format!("{base}/pay/{}", required.issued.pay_token),
            // The library requires this id; the newest protocol version does not use it.
            elicitation_id: required.issued.pay_token.clone(),
        };
        let question = InputRequest::Elicitation(ElicitRequest::new(link));
        let questions = InputRequests::from([(PAYMENT.to_owned(), question)]);
        Some(InputRequiredResult::new(Some(questions), Some(round.next(Some(&required.issued.intent_id)))))
    }
}

/// Returns what the client can ask its user for. A client that connects with `initialize` has no
/// session here, so its capabilities are unknown.
pub(crate) fn elicitation(context: &RequestContext<RoleServer>) -> Option<ElicitationCapability> {
    let version = context.protocol_version()?;
    let newest = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
    context.client_capabilities().and_then(|capabilities| capabilities.elicitation).filter(|_| newest)
}

fn shows_links(context: &RequestContext<RoleServer>) -> bool {
    elicitation(context).is_some_and(|shown| shown.url.is_some())
}

/// Waits up to `MCP_PAYMENT_WAIT_MS` for an intent to be paid or to expire; returns false
/// if neither happened.
async fn settled(app: &AppState, intent: &str) -> Result<bool, ErrorData> {
    let until = Instant::now() + Duration::from_millis(MCP_PAYMENT_WAIT_MS);
    let wrong = |error: PaymentDeclined| ErrorData::invalid_params(format!("requestState: {error}"), None);
    loop {
        // The error is ignored, because `status` below reports an unknown intent too.
        let _ = app.check_payment(intent).await;
        let intent_status = app.payments.intents.status(intent, now_ms()).map_err(wrong)?;
        if intent_status.paid.is_some() || intent_status.expired {
            return Ok(true);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
        tokio::time::sleep(Duration::from_millis(MCP_PAYMENT_POLL_MS)).await;
    }
}
