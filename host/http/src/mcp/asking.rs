//! Asking the person behind a client to pay, where the client can show a link
//! (multi round-trip requests): the call is answered with the link of its quote,
//! and comes again with the intent of that quote as its state.
//!
//! Invariant: nothing is kept meanwhile. The state names an intent, which this
//! host signed for one account, one price and a time, and which spends once;
//! the checkout refuses what does not fit.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitationCapability, ErrorData, InputRequest,
    InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use tollbridge_core::limits::{MCP_PAYMENT_LOOK_EVERY_MS, MCP_PAYMENT_WAIT_MS};
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{CheckoutError, PaymentSource};
use tollbridge_payment::PaymentDeclined;

use crate::mcp::calls::sender;
use crate::mcp::paid::paid_by_wallet;
use crate::mcp::round::{PAYMENT, Round, accepted};
use crate::pay;
use crate::state::AppState;

/// How a call is to be paid, after what its client was asked before.
pub(crate) enum Paying {
    /// From credit. If that does not do, whether its client can be asked.
    Credit { may_ask: bool },
    /// By an intent that its person has paid, or let expire.
    Intent(String),
    /// By what a wallet signed.
    Wallet(PaymentSource),
    /// Not at all: nobody is known who could.
    Nothing,
    /// Its person still has the link open.
    Open(InputRequiredResult),
    /// Its person does not want to.
    Refused,
}

impl Paying {
    /// What a request says of it. Waits for a while for a payment that was
    /// promised.
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
        // Without a response it is a further look at a payment that was promised.
        if accepted(request, PAYMENT) == Some(false) {
            return Ok(Self::Refused);
        }
        if settled(app, intent).await? {
            return Ok(Self::Intent(intent.clone()));
        }
        Ok(Self::Open(InputRequiredResult::from_request_state(round.next(Some(intent)))))
    }

    /// Where the money of a call comes from.
    pub(crate) fn source(&self) -> PaymentSource {
        match self {
            Self::Intent(intent) => PaymentSource::Intent(intent.clone()),
            Self::Wallet(source) => source.clone(),
            Self::Nothing => PaymentSource::Nothing,
            _ => PaymentSource::Credit,
        }
    }

    /// The question to its client, if a payment is what a failed call lacks.
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
            "`{}` costs {} a call, which the account's credit does not cover. Pay {} at this link and the call goes \
             on, or decline and add credit at {base}/account.",
            terms.bridge.trim_start_matches("agents/"),
            terms.price.display_gbp(),
            terms.charge.display_gbp(),
        );
        let link = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message,
            url: format!("{base}/pay/{}", required.issued.pay_token),
            // Of no meaning in the newest era, and asked for by the library.
            elicitation_id: required.issued.pay_token.clone(),
        };
        let question = InputRequest::Elicitation(ElicitRequest::new(link));
        let questions = InputRequests::from([(PAYMENT.to_owned(), question)]);
        Some(InputRequiredResult::new(Some(questions), Some(round.next(Some(&required.issued.intent_id)))))
    }
}

/// What a client can show its person. Who asks by `initialize` has no session here,
/// and what it can do is forgotten.
pub(crate) fn elicitation(context: &RequestContext<RoleServer>) -> Option<ElicitationCapability> {
    let version = context.protocol_version()?;
    let newest = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
    context.client_capabilities().and_then(|capabilities| capabilities.elicitation).filter(|_| newest)
}

fn shows_links(context: &RequestContext<RoleServer>) -> bool {
    elicitation(context).is_some_and(|shown| shown.url.is_some())
}

/// Whether an intent is paid, or cannot be any more; looks for a while.
async fn settled(app: &AppState, intent: &str) -> Result<bool, ErrorData> {
    let until = Instant::now() + Duration::from_millis(MCP_PAYMENT_WAIT_MS);
    let wrong = |error: PaymentDeclined| ErrorData::invalid_params(format!("requestState: {error}"), None);
    loop {
        // What the processor does not say at the moment may be known all the same.
        let _ = pay::look(app, intent).await;
        let standing = app.payments.intent_status(intent, now_ms()).map_err(wrong)?;
        if standing.paid.is_some() || standing.expired {
            return Ok(true);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
        tokio::time::sleep(Duration::from_millis(MCP_PAYMENT_LOOK_EVERY_MS)).await;
    }
}
