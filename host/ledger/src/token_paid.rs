//! A payment in tokens, with the exchange rate to the pound.

use serde::{Deserialize, Serialize};

use super::chart::LedgerAccount;
use super::entry_error::EntryError;
use super::names::name;
use crate::limits::LEDGER_NAME_BYTES_MAX;

/// An amount of a token, and the exchange rate used for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenPaid {
    /// Amount in the token's smallest unit, as a decimal string, because it may exceed
    /// the exact range of a JSON number.
    pub amount: String,
    /// Address of the token's contract.
    pub asset: String,
    /// The blockchain, as a CAIP-2 id.
    pub network: String,
    /// Rate in whole tokens per pound, as a decimal string.
    pub rate: String,
    /// Unix time in seconds at which the rate was valid.
    pub rate_as_of_s: u64,
    /// Source of the rate.
    pub rate_source: String,
}

impl TokenPaid {
    pub(super) fn check(&self) -> Result<(), EntryError> {
        let whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (before, after) = self.rate.split_once('.').unwrap_or((&self.rate, "0"));
        if !whole(&self.amount) || self.amount.len() > LEDGER_NAME_BYTES_MAX || !whole(before) || !whole(after) {
            let why = "`token` has an amount or a rate that is not a decimal number".to_owned();
            return Err(EntryError::Malformed { kind: "payment", why });
        }
        name("rate", &self.rate)?;
        name("asset", &self.asset)?;
        name("network", &self.network)?;
        name("rate_source", &self.rate_source)
    }
}

/// Returns the clearing account that receives a payment in tokens, or in pounds if
/// `token` is `None`.
pub(super) const fn clearing_of(token: Option<&TokenPaid>) -> LedgerAccount {
    match token {
        Some(_) => LedgerAccount::WalletClearing,
        None => LedgerAccount::ProcessorClearing,
    }
}

#[cfg(test)]
mod tests {
    use tollbridge_core::money::Millipence;

    use super::*;
    use crate::Entry;
    use crate::payment::Payment;
    use crate::settlement::Purchase;

    fn token() -> TokenPaid {
        TokenPaid {
            amount: "125000".to_owned(),
            asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e".to_owned(),
            network: "eip155:84532".to_owned(),
            rate: "1.25".to_owned(),
            rate_as_of_s: 1_780_000_000,
            rate_source: "ecb".to_owned(),
        }
    }

    fn payment(token: Option<TokenPaid>) -> Entry {
        Entry::Payment(Payment {
            intent: "ab".repeat(16),
            bridge: "sentiment_feed".to_owned(),
            account: None,
            processor: Payment::X402.to_owned(),
            reference: Some(format!("0x{}", "1".repeat(64))),
            token,
            amount: Millipence::new(10_000),
        })
    }

    fn first_account(entry: &Entry) -> String {
        entry.postings().unwrap()[0].account.clone()
    }

    #[test]
    fn token_payments_are_not_part_of_the_processors_balance() {
        assert_eq!(first_account(&payment(Some(token()))), "wallet:clearing");
        assert_eq!(first_account(&payment(None)), "processor:clearing");
        let bought = Entry::Purchase(Purchase {
            account: "wallet_0x1".to_owned(),
            amount: Millipence::new(10_000),
            intent: "ab".repeat(16),
            processor: Payment::X402.to_owned(),
            product: "credit".to_owned(),
            reference: None,
            token: Some(token()),
        });
        assert_eq!(first_account(&bought), "wallet:clearing");
    }

    #[test]
    fn numbers_read_back_and_other_values_are_refused() {
        let entry = payment(Some(token()));
        assert_eq!(Entry::read("payment", &entry.body().unwrap()).unwrap(), entry);
        for (amount, rate) in [("", "1"), ("1.5", "1"), ("-1", "1"), ("1", ""), ("1", "1."), ("1", ".5"), ("1", "1e3")]
        {
            let wrong = TokenPaid { amount: amount.to_owned(), rate: rate.to_owned(), ..token() };
            assert!(payment(Some(wrong)).postings().is_err(), "{amount:?} {rate:?}");
        }
        let wrong = TokenPaid { network: "no network".to_owned(), ..token() };
        assert!(payment(Some(wrong)).postings().is_err());
    }
}
