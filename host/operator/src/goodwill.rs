//! Goodwill: credit that the operator gives away at its own expense.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_ledger::{Entry, FundingSource, Goodwill, Notary, NotaryError};
use tollbridge_market::accounts::Accounts;
use tollbridge_store::{Refusal, SubmitError};

use super::accounts::account_id;
use super::answers::answers;
use super::error::OperatorError;
use super::records::exact;

answers! {
    /// The credit that the operator gave, or would give in a dry run.
    GivenCredit {
        state: String, account_id: String, amount_gbp: String, reason: String, from: String,
        #[serde(skip_serializing_if = "Option::is_none")] credit_gbp: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")] worm_seal: Option<Option<String>>,
    }
}

/// A gift of credit, as given by the command.
pub(super) struct GoodwillOrder {
    pub(super) amount_gbp: String,
    /// A short code, for the record.
    pub(super) reason: String,
    /// Uses money that the operator deposited, not earnings from calls.
    pub(super) own_money: bool,
    /// Reports the effect without giving credit.
    pub(super) dry_run: bool,
}

/// The commands for goodwill.
pub(super) struct GoodwillCommands {
    pub(super) notary: Arc<Notary>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) sandbox: bool,
}

impl GoodwillCommands {
    /// Gives an account credit at the operator's expense.
    pub(super) async fn give(&self, account: &str, order: GoodwillOrder) -> Result<GivenCredit, OperatorError> {
        let account = account_id(&self.accounts, account)?;
        let amount: Millipence =
            order.amount_gbp.parse().map_err(|error| OperatorError::Refused(format!("`amount`: {error}")))?;
        let source = match (order.own_money, self.sandbox) {
            (false, _) => FundingSource::Platform,
            (true, true) => FundingSource::Grant,
            (true, false) => FundingSource::Deposit,
        };
        let entry =
            Entry::Goodwill(Goodwill { account: account.clone(), amount, reason: order.reason.clone(), source });
        // A dry run reports the effect of a real run, so it makes the same checks.
        entry.postings().map_err(NotaryError::from)?;
        let house = self.notary.balance(&source.ledger_account())?;
        if source == FundingSource::Platform && house < amount {
            return Err(too_little(house, amount));
        }
        let answer = GivenCredit {
            state: "not done (dry run)".to_owned(),
            account_id: account.clone(),
            amount_gbp: amount.pounds(),
            reason: order.reason,
            from: source.ledger_account().to_string(),
            ..GivenCredit::default()
        };
        if order.dry_run {
            return Ok(answer);
        }
        let sealed = match self.notary.note(&entry, Vec::new(), now_ms()).await {
            Ok(receipt) => receipt.sealed,
            // Another payment spent the operator's money after the check above.
            Err(NotaryError::Submit(SubmitError::Refused(Refusal::Insufficient { .. }))) => {
                return Err(too_little(self.notary.balance(&source.ledger_account())?, amount));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(GivenCredit {
            state: "given".to_owned(),
            credit_gbp: Some(self.accounts.balance(&account)?.credit.pounds()),
            worm_seal: Some(sealed.map(|(_, seal)| hex::encode(seal))),
            ..answer
        })
    }
}

fn too_little(house: Millipence, amount: Millipence) -> OperatorError {
    OperatorError::Refused(format!(
        "the house has earned £{} (`platform` in the ledger), which is less than £{}; give less, or use money of \
         your own: --own-money",
        exact(house),
        exact(amount)
    ))
}
