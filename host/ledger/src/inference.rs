//! The record of one paid request to a model.
//!
//! Credit goes to `providers`, from which the operator pays its providers
//! outside of these books; there is no margin and no split. The amount is what
//! the provider takes, rounded up to a millipence.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;

/// A request to a model that an account's credit paid for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InferenceCharge {
    /// Account whose credit pays.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Of the input, what the provider had in its cache.
    pub cached_tokens: u64,
    /// Whether the tokens were counted here, because the provider did not.
    pub estimated: bool,
    /// Tokens of the request.
    pub input_tokens: u64,
    /// The provider's own name of the model.
    pub model: String,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Name of the provider.
    pub provider: String,
    /// Id of the HTTP request.
    pub request_id: String,
}

#[cfg(test)]
mod tests {
    use super::super::bodies::{Payer, RecordedShares, Route, TestCredit};
    use super::super::entry::Entry;
    use super::super::entry_error::EntryError;
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
        })
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
        // All of the price.
        let all = with_models(&book, 10_000, 0);
        book.seal(&Entry::Route(all)).unwrap();
        book.checkpoint();
        let export = book.export();
        assert!(export.contains("{\"account\":\"providers\",\"millipence\":11251}"), "{export}");
        check(&export, &pinned()).unwrap();
    }

    #[test]
    fn models_take_no_more_than_there_is_and_nothing_is_left_over() {
        let book = Book::new();
        for (taken, margin) in [(0, 10_000), (1, 10_000), (1, 9_998), (10_001, 0), (-1, 10_001)] {
            let route = Entry::Route(with_models(&book, taken, margin));
            assert!(route.draft([0; 32], 0).is_err(), "{taken} of 10,000");
        }
        assert_eq!(charge(0).draft([0; 32], 0).unwrap_err(), EntryError::Amount(0));
        assert_eq!(charge(-1).draft([0; 32], 0).unwrap_err(), EntryError::Amount(-1));
    }
}
