//! The handlers' shared state: the services behind the routes, and the settings.

use std::sync::Arc;

use tollbridge_access::AccessControl;
use tollbridge_agents::a2a::A2aService;
use tollbridge_agents::qualification::Qualifications;
use tollbridge_agents::{AgentService, DeployService, PluginStatsIndexer};
use tollbridge_batches::Batches;
use tollbridge_connections::ConnectionLimits;
use tollbridge_core::config::{LoggedRequests, Network};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::request_log::RequestLog;
use tollbridge_core::signing::Keyring;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::Gateway;
use tollbridge_ledger::Notary;
use tollbridge_market::accounts::{Accounts, EmailLinks, Payouts, Withdrawals};
use tollbridge_market::catalog::Catalog;
use tollbridge_market::checkout::Checkout;
use tollbridge_market::earning::EarningService;
use tollbridge_market::reputation::Reputation;
use tollbridge_payment::{CallPayments, PaymentDeclined, PaymentService, StripeWebhookSecret};
use tollbridge_paywall::Paywall;
use tollbridge_site::FirstCall;
use tollbridge_store::Writer;
use tollbridge_webhooks::Webhooks;

use crate::peers::Peers;
use crate::readiness::Readiness;

/// Routes of one module, whose handlers share [`AppState`].
pub type Routes = tollbridge_api::routes::Routes<Arc<AppState>>;

/// The handlers' shared state.
pub struct AppState {
    /// The part of the configuration that the routes need.
    pub settings: Settings,
    /// Keys, sessions and rate limits.
    pub access: Arc<AccessControl>,
    /// Accounts, their keys and balances.
    pub accounts: Arc<Accounts>,
    /// Sign-in links, and e-mail notices to holders of accounts.
    pub email_links: Arc<EmailLinks>,
    /// The current plugins and offers.
    pub catalog: Arc<Catalog>,
    /// The checkout, which runs every paid call.
    pub checkout: Arc<Checkout>,
    /// Models of all providers.
    pub gateway: Arc<Gateway>,
    /// Files, and batches of requests to models.
    pub batches: Arc<Batches>,
    /// Tasks of agents.
    pub agents: Arc<AgentService>,
    /// Plugins that accounts deploy.
    pub deployments: Arc<DeployService>,
    /// The measured quality of agents with models.
    pub qualifications: Qualifications,
    /// Call statistics by plugin, from the ledger.
    pub plugin_stats: Arc<PluginStatsIndexer>,
    /// The builder of payment offers in 402 responses, and reader of the payments sent
    /// for them.
    pub paywall: Paywall,
    /// Quotes, intents and credit.
    pub payments: Arc<CallPayments>,
    /// The payment processor.
    pub payment_service: Arc<PaymentService>,
    /// Connected payout accounts.
    pub payouts: Arc<Payouts>,
    /// Withdrawals of earnings.
    pub withdrawals: Arc<Withdrawals>,
    /// The secret that verifies Stripe's events.
    pub event_secret: Option<StripeWebhookSecret>,
    /// The price of the tier Pro; `None` if it is not for sale.
    pub pro_price: Option<Millipence>,
    /// The ledger and its checkpoints.
    pub notary: Arc<Notary>,
    /// The writer of the store.
    pub writer: Arc<Writer>,
    /// Whether load balancers should send calls to this host.
    pub readiness: Arc<Readiness>,
    /// The log of recent requests.
    pub requests: Arc<RequestLog>,
    /// The agent-to-agent protocol.
    pub a2a: A2aService,
    /// Public keys that verify this host's signatures.
    pub keys: Arc<Keyring>,
    /// Webhook endpoints and deliveries.
    pub webhooks: Arc<Webhooks>,
    /// Earn tasks, payments between agents, and stored memory items.
    pub earning: Arc<EarningService>,
    /// Proven earnings of accounts.
    pub reputation: Reputation,
    /// Other hosts of the ledger, if configured.
    pub peers: Option<Arc<Peers>>,
}

/// The part of the configuration that the routes need.
pub struct Settings {
    /// Public address, without a trailing slash.
    pub base_url: String,
    /// Name of the site.
    pub display_name: String,
    /// Whether calls of bridges require a key.
    pub require_key: bool,
    /// Whether this server is a sandbox, in which no real money moves.
    pub sandbox: bool,
    /// Largest request body, bytes.
    pub body_limit: usize,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// The requests that are logged individually.
    pub logged_requests: LoggedRequests,
    /// Connection limits of the public listener.
    pub connections: ConnectionLimits,
    /// Header that carries the signature of a webhook.
    pub signature_header: String,
}

impl AppState {
    /// Asks the processor whether the payment of an intent or pay link has arrived,
    /// because it may not be recorded yet when the payer returns. An unreachable
    /// processor is not an error here.
    ///
    /// # Errors
    ///
    /// This server did not issue the intent.
    pub async fn check_payment(&self, token: &str) -> Result<(), PaymentDeclined> {
        let intent_status = self.payments.intents.status(token, now_ms())?;
        if self.settings.sandbox || intent_status.paid.is_some() {
            return Ok(());
        }
        if let Err(error) = self.payment_service.orders.check(&intent_status.quote.handle, now_ms()).await {
            tracing::debug!(%error, "the processor did not report whether a payment arrived");
        }
        Ok(())
    }

    /// Returns route, price and version of every serving bridge.
    pub fn offers(&self) -> Vec<(String, String, String)> {
        let snapshot = self.catalog.snapshot();
        let live = snapshot.live(PluginKind::Bridge);
        live.map(|offer| (format!("/v1/oracle/{}", offer.name), offer.price.pounds(), offer.version_text.clone()))
            .collect()
    }

    /// Returns route and input of the bridge with the shortest call, as an example.
    pub fn shortest_call(&self) -> Option<(String, String)> {
        FirstCall::of(&self.catalog.snapshot()).map(|call| (call.path(), call.input))
    }
}
