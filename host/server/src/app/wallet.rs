//! Settings for payment by wallet, built from the configuration.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tollbridge_core::config::{AssetConfig, Config, Processor, Settle, X402Config};
use tollbridge_core::time::now_ms;
use tollbridge_payment::{SandboxFacilitator, SettleWhen, WalletFacilitator, WalletRail};
use tollbridge_x402::{Address, ChainId, ChainReader, Deadlines, Facilitator, Rate, Token};

/// Lifetime of an exchange rate without a configured date, as in the sandbox: practically
/// unlimited.
const FOR_EVER: Duration = Duration::from_secs(100 * 366 * 86_400);

/// Returns the settings for payment by wallet; `None` if it is not configured.
pub(super) fn wallet_rail(config: &Config) -> Result<Option<WalletRail>> {
    let x402 = &config.payments.x402;
    if !x402.enabled {
        return Ok(None);
    }
    let sandbox = config.payments.processor == Processor::Sandbox;
    let token = token(x402, sandbox)?;
    let pay_to = x402.pay_to.as_deref().unwrap_or_default();
    let pay_to = Address::configured(pay_to).context("payments.x402.pay_to")?;
    let facilitator: Arc<dyn WalletFacilitator> = match &x402.facilitator {
        None => Arc::new(SandboxFacilitator),
        Some(base) => {
            let key = x402.facilitator_key.clone();
            let facilitator = Facilitator::new(&base.to_string(), key, Deadlines::default());
            Arc::new(facilitator.context("payments.x402.facilitator")?)
        }
    };
    let settle = match x402.settle {
        Settle::Before => SettleWhen::Before,
        Settle::After => SettleWhen::After,
    };
    let rail = WalletRail::new(token, pay_to, x402.timeout.as_secs(), rate(x402)?, facilitator, settle);
    let rail = rail.context("payments.x402")?;
    let rail = rail.with_upto(x402.upto_risk);
    let rail = if x402.serve_others { rail.serving_others() } else { rail };
    Ok(Some(match &x402.node {
        Some(node) => rail.with_chain(ChainReader::new(&node.to_string()).context("payments.x402.node")?),
        None => rail,
    }))
}

fn rate(x402: &X402Config) -> Result<Rate> {
    let (as_of_s, max_age) = match x402.rate_as_of_s {
        Some(as_of_s) => (as_of_s, x402.rate_max_age),
        None => (now_ms() / 1000, FOR_EVER),
    };
    let tokens = x402.gbp_rate.as_deref().unwrap_or_default();
    Rate::new(tokens, &*x402.rate_source, as_of_s, max_age.as_secs()).context("payments.x402.gbp_rate")
}

/// Returns the token for payments. Test money must not pay for real calls, nor real money for test
/// calls.
fn token(x402: &X402Config, sandbox: bool) -> Result<Token> {
    let chain: ChainId = x402.network.parse().context("payments.x402.network")?;
    match chain.is_of_real_money() {
        Some(true) if sandbox => bail!(
            "payments.x402.network: {chain} uses real money, and payments.processor is \"sandbox\"; use a test \
            network such as {}",
            ChainId::BASE_SEPOLIA
        ),
        Some(false) if !sandbox => bail!(
            "payments.x402.network: {chain} is a test network, whose money is worthless; use {} or another one",
            ChainId::BASE
        ),
        _ => {}
    }
    let Some(AssetConfig { address, name, version, decimals }) = &x402.asset else {
        return Token::usdc(chain).with_context(|| {
            format!("payments.x402.asset: no USDC is known on {chain}; name the token's contract and its asset_name")
        });
    };
    Ok(Token {
        chain,
        address: Address::configured(address).context("payments.x402.asset")?,
        name: name.clone(),
        version: version.clone(),
        decimals: u8::try_from(*decimals).context("payments.x402.asset_decimals")?,
    })
}
