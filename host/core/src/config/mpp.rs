//! `[payments.mpp]`: payments through the HTTP authentication scheme `Payment`.

use super::key::Key;
use super::processor::Processor;
use super::reader::Reader;

/// The section `[payments.mpp]`.
#[derive(Clone, Debug)]
pub struct MppConfig {
    /// Whether payment credentials are accepted.
    pub enabled: bool,
    /// Whether challenges of the method `evm`, which a wallet answers with a signature,
    /// are offered.
    pub evm: bool,
    /// The seller's Stripe profile; required for charging payment tokens.
    pub network_id: Option<String>,
    /// The payment methods that the seller accepts.
    pub payment_method_types: Vec<String>,
}

impl MppConfig {
    pub(super) fn read(r: &mut Reader, processor: Option<Processor>) -> Option<Self> {
        let enabled = r.required::<bool>("payments.mpp.enabled");
        let evm = r.required::<bool>("payments.mpp.evm");
        let network_id = r.optional::<String>("payments.mpp.network_id");
        let types = r.required::<Vec<String>>("payments.mpp.payment_method_types");

        let (network_id, types) = (network_id?, types?);
        let plain = |text: &str| {
            !text.is_empty()
                && text.len() <= 255
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if network_id.as_deref().is_some_and(|id| !plain(id)) {
            let message = "is not the id of a profile; copy it from Stripe, like \"profile_1MqDcVKA5fEO2tZvKQm9g8Yj\"";
            r.error(&Key::from("payments.mpp.network_id"), message.to_owned());
        }
        if types.is_empty() || types.len() > 20 || !types.iter().all(|one| plain(one)) {
            let message = "must list the accepted payment methods, like [\"card\", \"link\"]";
            r.error(&Key::from("payments.mpp.payment_method_types"), message.to_owned());
        }
        if network_id.is_some() && processor? == Processor::Sandbox {
            let message = "is set, and payments.processor is \"sandbox\", which uses its own profile";
            r.warn("payments.mpp.network_id", message);
        }
        Some(Self { enabled: enabled?, evm: evm?, network_id, payment_method_types: types })
    }
}
