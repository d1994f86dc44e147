//! Transaction ids of disputes.

use sha2::{Digest, Sha256};
use tollbridge_ledger::DisputeStage;
use tollbridge_store::Hash;

/// Returns the transaction id of one stage of a dispute, so that each stage is recorded
/// once.
pub(super) fn dispute_tx(id: &str, stage: DisputeStage) -> Hash {
    let stage: &[u8] = match stage {
        DisputeStage::Opened => b"opened",
        DisputeStage::Relieved => b"relieved",
        DisputeStage::Won => b"won",
    };
    let digest = Sha256::new().chain_update(b"tollbridge dispute v1").chain_update(stage);
    digest.chain_update(id).finalize().into()
}

/// Returns the transaction id of the record by which the failed refund `refund` relieves
/// the dispute `id`. It depends on both ids, so that a refund relieves a dispute only
/// once.
pub(super) fn dispute_relief_tx(id: &str, refund: &str) -> Hash {
    let stage = dispute_tx(id, DisputeStage::Relieved);
    Sha256::new().chain_update(stage).chain_update(refund).finalize().into()
}

/// Returns the id of the transaction that opens a dispute.
pub(super) fn dispute_opened_tx(id: &str) -> Hash {
    dispute_tx(id, DisputeStage::Opened)
}
