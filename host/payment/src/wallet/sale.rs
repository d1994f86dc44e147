//! `UptoSale`: a model's answer that a wallet pays by `upto`, with all data needed to
//! seal it once it is paid.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, InferenceCharge, WalletPaid};
use tollbridge_store::{Change, Expect, Hash, StoredAnswer, hexed};
use tollbridge_x402::TransactionHash;

use super::payment::WalletPayment;
use super::settlement_row::{SettlementRow, booked_key, open_key, put};
use crate::error::PaymentError;
use crate::intent::IntentRow;
use crate::recorder::intent_put;

/// An unpaid answer. It is stored in the row of the settlement request, so that no
/// model runs twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UptoSale {
    /// Transaction id of the sale.
    #[serde(with = "hexed")]
    pub tx: Hash,
    /// Cost and its reason, without the payment.
    pub charge: InferenceCharge,
    /// The answer, without its body.
    pub answer: StoredAnswer,
    /// The body of the answer.
    #[serde(with = "base64_text")]
    pub body: Bytes,
}

impl UptoSale {
    /// Returns the price for the caller.
    pub(super) const fn amount(&self) -> Millipence {
        self.charge.amount
    }

    /// Returns the change to write when it is paid: the record, the answer for repeats,
    /// and the use of the offer's intent.
    pub(super) fn change(
        &self,
        payment: &WalletPayment,
        transaction: TransactionHash,
        processor: &str,
        now_ms: u64,
    ) -> Result<Change, PaymentError> {
        let (handle, reference) = (&payment.quote().handle, transaction.to_string());
        let token = payment.terms.token_paid(payment.authorized.requirement(), payment.units(self.amount())?);
        let row = IntentRow {
            bridge: payment.sold_as().to_owned(),
            account: None,
            price: self.amount(),
            charge: self.amount(),
            paid_ms: now_ms,
            processor: processor.to_owned(),
            reference: Some(reference.clone()),
        };
        let (intent, processor) = (handle.as_str().to_owned(), processor.to_owned());
        let wallet = Some(WalletPaid { intent: intent.clone(), processor, reference, token });
        let entry = Entry::Inference(InferenceCharge { wallet, ..self.charge.clone() });
        Ok(Change {
            puts: vec![
                put(open_key(handle), None::<&SettlementRow>, Expect::Any)?,
                put(booked_key(handle), Some(&payment.taken()), Expect::Any)?,
                intent_put(handle, &row)?,
            ],
            record: Some(entry.draft(self.tx, now_ms)?),
            answer: Some(StoredAnswer { intent: Some(intent), body: self.body.clone(), ..self.answer.clone() }),
            ..Change::default()
        })
    }
}

/// Serializes bytes as base64.
mod base64_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Bytes::from).map_err(serde::de::Error::custom)
    }
}
