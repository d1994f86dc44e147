//! `Token`: the token of a payment, including the data that a payer signs.

use crate::address::Address;
use crate::network::ChainId;
use crate::usdc::USDC;

/// A token that supports `transferWithAuthorization` (EIP-3009). `name` and `version`
/// belong to its EIP-712 domain: payers sign them, so wrong values make every signature
/// invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Chain on which the token exists.
    pub chain: ChainId,
    /// Address of the token's contract.
    pub address: Address,
    /// Name in the token's EIP-712 domain, which differs between chains: `USD Coin` on
    /// Base, `USDC` on Base's test network.
    pub name: String,
    /// Version in the token's EIP-712 domain.
    pub version: String,
    /// Number of decimals: 6 means that 1,000,000 smallest units are one token.
    pub decimals: u8,
}

impl Token {
    /// Returns the USDC token that official clients use on a chain; `None` if they have
    /// none for this chain.
    pub fn usdc(chain: ChainId) -> Option<Self> {
        let (_, address, name) = USDC.into_iter().find(|(number, _, _)| *number == chain.get())?;
        let address = address.parse().ok()?;
        Some(Self { chain, address, name: name.to_owned(), version: "2".to_owned(), decimals: 6 })
    }

    /// Returns the chains for which [`Self::usdc`] returns a token.
    pub fn usdc_chains() -> impl Iterator<Item = ChainId> {
        USDC.into_iter().map(|(number, _, _)| ChainId::new(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::vectors;

    #[test]
    fn these_are_the_assets_of_official_clients() {
        let published = vectors("default_assets.json");
        let mut known = 0;
        for (network, assets) in published["assets"].as_object().unwrap() {
            let asset = &assets[0];
            if asset["symbol"] != "USDC" || !asset["asset_transfer_method"].is_null() {
                continue;
            }
            let token = Token::usdc(network.parse().unwrap()).unwrap();
            assert_eq!(token.address.to_string(), asset["asset"].as_str().unwrap());
            assert_eq!(token.address, Address::configured(asset["asset"].as_str().unwrap()).unwrap_or(token.address));
            assert_eq!(
                (token.name.as_str(), token.version.as_str()),
                (asset["name"].as_str().unwrap(), asset["version"].as_str().unwrap())
            );
            assert_eq!(u64::from(token.decimals), asset["decimals"].as_u64().unwrap());
            known += 1;
        }
        assert_eq!(known, Token::usdc_chains().count());
        assert_eq!(Token::usdc(ChainId::new(4326)), None);
    }
}
