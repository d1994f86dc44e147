//! `CallPayments`: the payment components that every call uses.

use std::sync::Arc;

use tollbridge_store::{Db, Hosts, Store};

use super::authorizer::PaymentAuthorizer;
use super::balance_holds::BalanceHolds;
use super::balance_shares::BalanceShares;
use super::host_reservations::HostReservations;
use super::intents::Intents;
use super::mpp::challenges::Challenges;
use super::mpp::credentials::Credentials;
use super::mpp::rail::MppRail;
use super::quote_signer::QuoteSigner;
use super::quotes::{QuotePolicy, Quotes};
use super::wallet::offers::WalletOffers;
use super::wallet::payments::WalletPayments;
use super::wallet::rail::WalletRail;

/// The ways to pay that a server accepts besides intents and credit.
#[derive(Default)]
pub struct PaymentRails {
    /// Payment by wallet, if accepted.
    pub wallet: Option<WalletRail>,
    /// Payment by MPP credential, if accepted.
    pub mpp: Option<MppRail>,
}

/// The components that quote prices, read payments and authorize calls.
pub struct CallPayments {
    /// The issuer of quotes.
    pub quotes: Arc<Quotes>,
    /// The reader of payment intents.
    pub intents: Arc<Intents>,
    /// The authorizer of calls, which reserves their price.
    pub authorizer: PaymentAuthorizer,
    /// This host's shares of balances that several hosts spend.
    pub shares: BalanceShares,
    /// The wallet rail, if the server accepts payments by wallet.
    pub wallet_rail: Option<Arc<WalletRail>>,
    /// The issuer of offers that wallets can pay.
    pub wallet_offers: Arc<WalletOffers>,
    /// The reader of payments by wallet.
    pub wallet_payments: Arc<WalletPayments>,
    /// The issuer of MPP challenges.
    pub challenges: Challenges,
    /// The reader of MPP credentials.
    pub credentials: Credentials,
    store: Arc<dyn Store>,
}

impl CallPayments {
    /// Creates the components on top of a store and its balances.
    pub fn new(signer: QuoteSigner, store: Arc<dyn Store>, policy: QuotePolicy, rails: PaymentRails) -> Self {
        let (wallet, mpp) = (rails.wallet.map(Arc::new), rails.mpp.map(Arc::new));
        let signer = Arc::new(signer);
        let quotes = Arc::new(Quotes::new(signer.clone(), policy));
        let intents = Arc::new(Intents::new(signer, store.clone()));
        let holds = Arc::new(BalanceHolds::new(store.clone()));
        let wallet_offers = Arc::new(WalletOffers::new(quotes.clone(), wallet.clone()));
        let wallet_payments = Arc::new(WalletPayments::new(store.clone(), intents.clone(), wallet.clone()));
        Self {
            authorizer: PaymentAuthorizer::new(store.clone(), intents.clone(), holds.clone()),
            shares: BalanceShares::new(holds, None),
            challenges: Challenges::new(mpp.clone(), quotes.clone(), wallet_offers.clone()),
            credentials: Credentials::new(mpp, store.clone(), intents.clone(), wallet_payments.clone()),
            wallet_rail: wallet,
            quotes,
            intents,
            wallet_offers,
            wallet_payments,
            store,
        }
    }

    /// Coordinates holds with other hosts, so that no two hosts reserve the same money.
    #[must_use]
    pub fn with_hosts(self, hosts: Arc<Hosts>, db: Db) -> Self {
        let reservations = Arc::new(HostReservations::new(hosts, db));
        let holds = Arc::new(BalanceHolds::new(self.store.clone()).with_reservations(reservations.clone()));
        Self {
            authorizer: PaymentAuthorizer::new(self.store.clone(), self.intents.clone(), holds.clone()),
            shares: BalanceShares::new(holds, Some(reservations)),
            ..self
        }
    }
}
