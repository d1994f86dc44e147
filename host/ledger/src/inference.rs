//! The record of one paid request to a model.
//!
//! The price moves from credit to `providers`; the operator pays the model providers for
//! it outside of these books. There is no margin and no split. The amount is the
//! provider's charge, rounded up to a millipence. If a wallet paid for the request, the
//! same record receives the wallet's tokens and spends them.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::chart::{LedgerAccount, transfer};
use super::entry_error::EntryError;
use super::names::{name, party};
use super::token_paid::TokenPaid;

/// A request to a model, paid from an account's credit or by a wallet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InferenceCharge {
    /// Account whose credit pays; for a wallet payment, the account to which the credit
    /// would belong.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Number of input tokens that the provider read from its cache.
    pub cached_tokens: u64,
    /// Whether the host counted the tokens itself, because the provider reported no
    /// counts.
    pub estimated: bool,
    /// Number of tokens in the request.
    pub input_tokens: u64,
    /// The provider's name for the model.
    pub model: String,
    /// Number of tokens in the answer.
    pub output_tokens: u64,
    /// Name of the provider.
    pub provider: String,
    /// Id of the HTTP request.
    pub request_id: String,
    /// The wallet payment, if a wallet paid for this request instead of credit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wallet: Option<WalletPaid>,
}

/// A wallet payment for one request, settled after the answer (x402, scheme `upto`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletPaid {
    /// Public handle of the offer's intent.
    pub intent: String,
    /// `x402`, or `sandbox` in sandbox mode.
    pub processor: String,
    /// Hash of the blockchain transaction.
    pub reference: String,
    /// The paid amount in tokens.
    pub token: TokenPaid,
}

impl InferenceCharge {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let from = match &self.wallet {
            Some(wallet) => {
                wallet.check()?;
                party(&self.account)?;
                LedgerAccount::WalletClearing
            }
            None => LedgerAccount::Credit(self.account.clone()),
        };
        transfer(&from, &LedgerAccount::Providers, self.amount)
    }

    pub(super) fn check_names(&self) -> Result<(), EntryError> {
        name("model", &self.model)?;
        name("provider", &self.provider)?;
        name("request_id", &self.request_id)
    }
}

impl WalletPaid {
    fn check(&self) -> Result<(), EntryError> {
        party(&self.intent)?;
        name("processor", &self.processor)?;
        name("reference", &self.reference)?;
        self.token.check()
    }
}

#[cfg(test)]
mod tests {
    use super::super::bodies::{Payer, RecordedShares, TestCredit};
    use super::super::entry::Entry;
    use super::super::entry_error::EntryError;
    use super::super::route::Route;
    use super::super::sabotage_tests::{canonical, check, pinned};
    use super::super::testing::{Book, policy, split};
    use super::*;

    fn charge(amount: i64) -> Entry {
        Entry::Inference(InferenceCharge {
            account: "acct_caller".to_owned(),
            amount: Millipence::new(amount),
            cached_tokens: 0,
            estimated: false,
            input_tokens: 900,
            model: "meta-llama/Llama-3.3-70B".to_owned(),
            output_tokens: 40,
            provider: "groq".to_owned(),
            request_id: "req_01".to_owned(),
            wallet: None,
        })
    }

    fn paid_by_wallet(amount: i64, processor: &str) -> InferenceCharge {
        let Entry::Inference(charge) = charge(amount) else { panic!("another entry") };
        let token = TokenPaid {
            amount: "212".to_owned(),
            asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e".to_owned(),
            network: "eip155:84532".to_owned(),
            rate: "1.25".to_owned(),
            rate_as_of_s: 1_780_000_000,
            rate_source: "ecb".to_owned(),
        };
        let reference = format!("0x{}", "1".repeat(64));
        let wallet = WalletPaid { intent: "ab".repeat(16), processor: processor.to_owned(), reference, token };
        InferenceCharge { account: "wallet_0x1".to_owned(), wallet: Some(wallet), ..charge }
    }

    #[test]
    fn a_wallets_payment_for_a_request_is_not_credit() {
        let mut book = Book::new();
        book.seal(&policy("Tollbridge")).unwrap();
        let entry = Entry::Inference(paid_by_wallet(17, "sandbox"));
        assert_eq!(Entry::read("inference", &entry.body().unwrap()).unwrap(), entry);
        book.seal(&entry).unwrap();
        book.checkpoint();
        let export = book.export();
        assert!(export.contains("{\"account\":\"wallet:clearing\",\"millipence\":-17}"), "{export}");
        check(&export, &pinned()).unwrap();
        let changes: [fn(&mut InferenceCharge); 5] = [
            |charge| charge.account = "a b".to_owned(),
            |charge| charge.wallet.as_mut().unwrap().intent = "a b".to_owned(),
            |charge| charge.wallet.as_mut().unwrap().reference = String::new(),
            |charge| charge.wallet.as_mut().unwrap().processor = "a b".to_owned(),
            |charge| charge.wallet.as_mut().unwrap().token.amount = "1.5".to_owned(),
        ];
        for change in changes {
            let mut wrong = paid_by_wallet(17, "sandbox");
            change(&mut wrong);
            assert!(Entry::Inference(wrong.clone()).draft([0; 32], 0).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_sandbox_takes_no_tokens_of_a_chain() {
        let mut book = Book::new();
        book.seal(&policy("Tollbridge")).unwrap();
        book.seal(&Entry::Inference(paid_by_wallet(17, "x402"))).unwrap();
        book.checkpoint();
        assert!(check(&book.export(), &pinned()).is_err());
    }

    fn with_models(book: &Book, taken: i64, margin: i64) -> Route {
        let shares: RecordedShares = split().split(Millipence::new(margin)).into();
        let route = book.route(Payer::Account("acct_caller".to_owned()), 10);
        Route { inference: Some(Millipence::new(taken)), shares, ..route }
    }

    #[test]
    fn the_verifier_follows_the_money_of_models() {
        let mut book = Book::new();
        book.seal(&policy("Tollbridge")).unwrap();
        let amount = Millipence::new(100_000);
        book.seal(&Entry::Grant(TestCredit { account: "acct_caller".to_owned(), amount })).unwrap();
        book.seal(&charge(17)).unwrap();
        let route = with_models(&book, 1_234, 8_766);
        let value = serde_json::to_value(&route).unwrap();
        assert_eq!(serde_json::to_string(&route).unwrap(), canonical(&value));
        book.seal(&Entry::Route(route)).unwrap();
        // The cost of models is the whole price.
        let all = with_models(&book, 10_000, 0);
        book.seal(&Entry::Route(all)).unwrap();
        book.checkpoint();
        let export = book.export();
        assert!(export.contains("{\"account\":\"providers\",\"millipence\":11251}"), "{export}");
        check(&export, &pinned()).unwrap();
    }

    #[test]
    fn models_are_paid_within_the_budget_without_a_remainder() {
        let book = Book::new();
        for (taken, margin) in [(0, 10_000), (1, 10_000), (1, 9_998), (10_001, 0), (-1, 10_001)] {
            let route = Entry::Route(with_models(&book, taken, margin));
            assert!(route.draft([0; 32], 0).is_err(), "{taken} of 10,000");
        }
        assert_eq!(charge(0).draft([0; 32], 0).unwrap_err(), EntryError::Amount(0));
        assert_eq!(charge(-1).draft([0; 32], 0).unwrap_err(), EntryError::Amount(-1));
    }
}
