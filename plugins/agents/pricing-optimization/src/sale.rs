//! What was sold at a price.

/// What was sold at a price.
#[derive(Debug, Clone, PartialEq)]
pub struct Sale {
    pub name: Option<String>,
    pub price: f64,
    pub quantity: f64,
    /// Who could have bought, where the task says how many.
    pub tried: Option<f64>,
}

impl Sale {
    /// A price and what was sold at it.
    pub fn of(price: f64, quantity: f64) -> Self {
        Self { name: None, price, quantity, tried: None }
    }
}

/// The different prices, in order.
pub fn prices(sales: &[Sale]) -> Vec<f64> {
    let mut prices: Vec<f64> = sales.iter().map(|sale| sale.price).collect();
    prices.sort_by(f64::total_cmp);
    prices.dedup();
    prices
}
