//! The sandbox processor: paying is one click or one POST, and no real money
//! moves. A payment is one atomic write: the intent's row and its postings.

use sha2::{Digest, Sha256};

use super::intent::{IntentRow, Payments, Problem, Standing};
use crate::ledger::{Entry, EntryError, Payment};
use crate::store::{Change, Collection, Expect, Put, Refusal, SubmitError, Writer};

/// Name of this processor in rows and records.
pub(super) const SANDBOX: &str = "sandbox";

/// A payment that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paid {
    Now,
    /// It had been paid before; nothing was taken again.
    Before,
}

#[derive(Debug, thiserror::Error)]
pub enum PayError {
    #[error("the quote expired before it was paid; ask for a fresh one")]
    Expired,
    #[error(transparent)]
    Problem(#[from] Problem),
    #[error(transparent)]
    Write(SubmitError),
    #[error("the payment cannot be written down: {0}")]
    Encoding(#[from] serde_json::Error),
    #[error(transparent)]
    Entry(#[from] EntryError),
}

impl Payments {
    /// Pays an intent, named by its id or by its pay token. At most once.
    pub async fn pay_in_sandbox(&self, writer: &Writer, text: &str, now_ms: u64) -> Result<Paid, PayError> {
        let standing = self.standing(text, now_ms)?;
        if standing.paid.is_some() {
            return Ok(Paid::Before);
        }
        if standing.expired {
            return Err(PayError::Expired);
        }
        match writer.submit(payment(&standing, now_ms)?).await {
            Ok(_) => Ok(Paid::Now),
            // Somebody else paid it in the meantime.
            Err(SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. })) => Ok(Paid::Before),
            Err(error) => Err(PayError::Write(error)),
        }
    }
}

fn payment(standing: &Standing, now_ms: u64) -> Result<Change, PayError> {
    let terms = &standing.quote.terms;
    let handle = standing.quote.handle.as_str();
    let row = IntentRow {
        bridge: terms.bridge.clone(),
        account: terms.account.clone(),
        price: terms.price,
        charge: terms.charge,
        paid_ms: now_ms,
        processor: SANDBOX.to_owned(),
    };
    let entry = Entry::Payment(Payment {
        intent: handle.to_owned(),
        bridge: terms.bridge.clone(),
        account: terms.account.clone(),
        processor: SANDBOX.to_owned(),
        reference: None,
        amount: terms.charge,
    });
    let tx = Sha256::new().chain_update(b"tollbridge payment v1").chain_update(handle).finalize();
    Ok(Change {
        puts: vec![Put {
            collection: Collection::Intents,
            key: handle.to_owned(),
            value: Some(serde_json::to_vec(&row)?),
            expect: Expect::Absent,
        }],
        record: Some(entry.draft(tx.into(), now_ms)?),
        ..Change::default()
    })
}
