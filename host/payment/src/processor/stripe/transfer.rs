//! Transfers at Stripe: payouts to developers.

use serde::Deserialize;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;

use super::super::error::{LookupError, ProcessorError};
use super::super::transfer::ProcessorTransfer;
use super::amount::{format_pence, parse_pence};
use super::client::StripeClient;
use super::http::{List, form, path_segment};

#[derive(Deserialize)]
struct ObjectId {
    id: String,
}

#[derive(Deserialize)]
struct Transfer {
    id: String,
    currency: String,
    amount_reversed: i64,
    transfer_group: Option<String>,
}

pub(super) async fn transfer(
    client: &StripeClient,
    withdrawal: &str,
    destination: &str,
    amount: Millipence,
) -> Result<String, ProcessorError> {
    let fields = form(&[
        ("amount", &format_pence(amount)?),
        ("currency", "gbp"),
        ("destination", destination),
        ("transfer_group", withdrawal),
        ("metadata[tollbridge_withdrawal]", withdrawal),
    ]);
    let mut key = format!("tb_transfer_{withdrawal}");
    if Defect::RetryWithNewKey.is_planted() {
        key.push_str(&getrandom::u32().unwrap_or(0).to_string());
    }
    let transfer: ObjectId = client.post("/v1/transfers", fields, key).await?;
    Ok(transfer.id)
}

pub(super) async fn find_transfer(
    client: &StripeClient,
    withdrawal: &str,
) -> Result<Option<ProcessorTransfer>, LookupError> {
    let query = [("transfer_group", withdrawal), ("limit", "1")];
    let page: List<Transfer> = client.get("/v1/transfers", &query).await?;
    page.data.into_iter().next().map(Transfer::into_stated).transpose()
}

/// Finds a transfer by Stripe's id, and returns it with the withdrawal that it paid;
/// `None` if it paid no withdrawal.
pub(super) async fn transfer_of(
    client: &StripeClient,
    id: &str,
) -> Result<Option<(String, ProcessorTransfer)>, LookupError> {
    let mut transfer: Transfer = client.get(&format!("/v1/transfers/{}", path_segment(id)), &[]).await?;
    let Some(withdrawal) = transfer.transfer_group.take() else { return Ok(None) };
    Ok(Some((withdrawal, transfer.into_stated()?)))
}

impl Transfer {
    fn into_stated(self) -> Result<ProcessorTransfer, LookupError> {
        Ok(ProcessorTransfer { reversed: parse_pence(self.amount_reversed, Some(&self.currency))?, reference: self.id })
    }
}
