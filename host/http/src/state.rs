//! What the handlers share: the services behind the routes, and the settings.

use std::sync::Arc;

use tollbridge_access::AccessControl;
use tollbridge_agents::a2a::A2aService;
use tollbridge_agents::{AgentService, DeployService, PluginStatsIndexer};
use tollbridge_core::config::{LoggedRequests, Network};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::signing::Keyring;
use tollbridge_gateway::{Batches, Gateway};
use tollbridge_ledger::Notary;
use tollbridge_market::accounts::{Accounts, EmailLinks, Payouts, Withdrawals};
use tollbridge_market::catalog::Catalog;
use tollbridge_market::checkout::Checkout;
use tollbridge_market::earning::EarningService;
use tollbridge_market::reputation::Reputation;
use tollbridge_payment::{PaymentAuthorizer, PaymentService, StripeWebhookSecret};
use tollbridge_paywall::Paywall;
use tollbridge_site::FirstCall;
use tollbridge_store::Writer;
use tollbridge_webhooks::Webhooks;

use crate::peers::Peers;
use crate::readiness::Readiness;
use tollbridge_connections::ConnectionLimits;
use tollbridge_core::request_log::RequestLog;

/// Routes of one area, whose handlers share this.
pub(crate) type Routes = tollbridge_api::routes::Routes<Arc<AppState>>;

/// What the handlers share.
pub struct AppState {
    /// What the routes need to know of the configuration.
    pub settings: Settings,
    /// Keys, sessions and rate limits.
    pub access: Arc<AccessControl>,
    /// Accounts, their keys and balances.
    pub accounts: Arc<Accounts>,
    /// Links to sign in with, and what holders of accounts are told by e-mail.
    pub email_links: Arc<EmailLinks>,
    /// Plugins on offer.
    pub catalog: Arc<Catalog>,
    /// Paid calls.
    pub checkout: Arc<Checkout>,
    /// Models of all providers.
    pub gateway: Arc<Gateway>,
    /// Files, and batches of requests to models.
    pub batches: Arc<Batches>,
    /// Tasks of agents.
    pub agents: Arc<AgentService>,
    /// Plugins that accounts deploy.
    pub deployments: Arc<DeployService>,
    /// Counts by plugin, from the ledger.
    pub plugin_stats: Arc<PluginStatsIndexer>,
    /// What answers 402 offer, and what pays.
    pub paywall: Paywall,
    /// Quotes, intents and credit.
    pub payments: Arc<PaymentAuthorizer>,
    /// The payment processor.
    pub payment_service: Arc<PaymentService>,
    /// Connected payout accounts.
    pub payouts: Arc<Payouts>,
    /// Withdrawals of earnings.
    pub withdrawals: Arc<Withdrawals>,
    /// Signing secret of the events that Stripe sends.
    pub event_secret: Option<StripeWebhookSecret>,
    /// What Pro costs; none when it is not for sale.
    pub pro_price: Option<Millipence>,
    /// The ledger and its checkpoints.
    pub notary: Arc<Notary>,
    /// The writer of the store.
    pub writer: Arc<Writer>,
    /// Whether calls should be sent here.
    pub readiness: Arc<Readiness>,
    /// The last requests.
    pub requests: Arc<RequestLog>,
    /// Agent to agent.
    pub a2a: A2aService,
    /// Public halves of the keys that sign what this host says.
    pub keys: Arc<Keyring>,
    /// Webhook endpoints and deliveries.
    pub webhooks: Arc<Webhooks>,
    /// Tasks that pay, transfers and memory.
    pub earning: Arc<EarningService>,
    /// Earnings with their proofs.
    pub reputation: Reputation,
    /// Other hosts of the ledger, where there may be any.
    pub peers: Option<Arc<Peers>>,
}

/// What the routes need to know of the configuration.
pub struct Settings {
    /// Public address, without a slash at its end.
    pub base_url: String,
    /// Name of the site.
    pub display_name: String,
    /// Whether calls of bridges need a key.
    pub require_key: bool,
    /// Whether no real money moves.
    pub sandbox: bool,
    /// Largest request body, bytes.
    pub body_limit: usize,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// Which requests are logged one by one.
    pub logged_requests: LoggedRequests,
    /// How many connections the public listener takes.
    pub connections: ConnectionLimits,
    /// Header that carries the signature of a webhook.
    pub signature_header: String,
}

impl AppState {
    /// Route, price and version of every bridge that serves.
    pub fn offers(&self) -> Vec<(String, String, String)> {
        let snapshot = self.catalog.snapshot();
        let live = snapshot.live(PluginKind::Bridge);
        live.map(|offer| (format!("/v1/oracle/{}", offer.name), offer.price.pounds(), offer.version_text.clone()))
            .collect()
    }

    /// Route and input of the bridge that is the shortest to call: for showing how
    /// it is done.
    pub fn shortest_call(&self) -> Option<(String, String)> {
        FirstCall::of(&self.catalog.snapshot()).map(|call| (call.path(), call.input))
    }
}
