//! USDC, the token with which clients pay by default, on each network.

/// Chain, contract and name of USDC on each network; its EIP-712 version is always `2`,
/// and it has 6 decimals. Clients with default settings pay only with these tokens.
///
/// Source: `x402` 2.25.0 (PyPI), `mechanisms/evm/default_assets.py`, the entries with the
/// symbol USDC and EIP-3009; `vectors/default_assets.json` has all entries.
pub(crate) const USDC: [(u64, &str, &str); 17] = [
    (1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin"),
    (50, "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1", "USDC"),
    (51, "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4", "USDC"),
    (137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin"),
    (143, "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", "USDC"),
    (1328, "0x4fCF1784B31630811181f670Aea7A7bEF803eaED", "USDC"),
    (1329, "0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392", "USDC"),
    (5042, "0x3600000000000000000000000000000000000000", "USDC"),
    (8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
    (10143, "0x534b2f3A21130d7a60830c2Df862319e593943A3", "USDC"),
    (42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin"),
    (42220, "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", "USDC"),
    (43114, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin"),
    (84532, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
    (421_614, "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin"),
    (5_042_002, "0x3600000000000000000000000000000000000000", "USDC"),
    (11_142_220, "0x01C5C0122039549AD1493B8220cABEdD739BC44E", "USDC"),
];
