//! One model of the table: prices, limits, abilities.
//!
//! Invariant: a model has a price for input and output, else it is not in the table.

use tollbridge_sdk::Error;

use crate::money::Amount;

/// Whose price an entry is: all that most questions need of most entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'t> {
    pub id: &'t str,
    pub provider: &'t str,
    /// The key of the entry, and its other columns.
    key: &'t str,
    rest: &'t str,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model<'t> {
    pub name: Name<'t>,
    pub prices: Prices,
    /// Dearer or cheaper prices of long calls, by bound.
    pub tiers: Vec<(u64, Prices)>,
    pub max_input: Option<u64>,
    pub max_output: Option<u64>,
    /// One letter for each ability; see `input::Ability`.
    pub flags: &'t str,
    /// The day on which its provider stops it.
    pub ends: Option<&'t str>,
}

/// Prices per token; none where there is no special one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prices {
    pub input: Option<Amount>,
    pub output: Option<Amount>,
    pub cached: Option<Amount>,
    pub batch_input: Option<Amount>,
    pub batch_output: Option<Amount>,
}

impl Prices {
    fn read<'t>(mut columns: impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut next = || -> Option<Option<Amount>> {
            let text = columns.next()?;
            if text.is_empty() { Some(None) } else { amount(text).map(Some) }
        };
        Some(Self { input: next()?, output: next()?, cached: next()?, batch_input: next()?, batch_output: next()? })
    }

    /// These prices, with those of `base` where there is none.
    fn over(self, base: Self) -> Self {
        Self {
            input: self.input.or(base.input),
            output: self.output.or(base.output),
            cached: self.cached.or(base.cached),
            batch_input: self.batch_input.or(self.input).or(base.batch_input),
            batch_output: self.batch_output.or(self.output).or(base.batch_output),
        }
    }
}

impl<'t> Name<'t> {
    /// Reads what an entry begins with; its key is `kind:id`.
    pub fn read((key, value): (&'t str, &'t str)) -> Result<Self, Error> {
        let id = key.split_once(':').map(|(_, id)| id);
        let columns = value.split_once('\t');
        let name = id.zip(columns).map(|(id, (provider, rest))| Self { id, provider, key, rest });
        name.ok_or_else(|| broken(key))
    }

    /// The id without what stands before its last slash.
    pub fn short(&self) -> &'t str {
        self.id.rsplit('/').next().unwrap_or(self.id)
    }
}

impl<'t> Model<'t> {
    /// Reads the rest of the entry of this name.
    pub fn read(name: Name<'t>) -> Result<Self, Error> {
        Self::parse(name).ok_or_else(|| broken(name.key))
    }

    fn parse(name: Name<'t>) -> Option<Self> {
        let mut columns = name.rest.split('\t');
        let prices = Prices::read(columns.by_ref())?;
        prices.input.zip(prices.output)?;
        let (max_input, max_output) = (number(columns.next()?)?, number(columns.next()?)?);
        let flags = columns.next()?;
        let ends = Some(columns.next()?).filter(|day| !day.is_empty());
        let tiers = columns.next()?.split(';').filter(|tier| !tier.is_empty()).map(tier).collect::<Option<Vec<_>>>()?;
        Some(Self { name, prices, tiers, max_input, max_output, flags, ends })
    }

    /// The prices of a call with so many input tokens, and the bound above which they apply.
    pub fn prices_for(&self, input_tokens: u64) -> (Prices, Option<u64>) {
        let tier = self.tiers.iter().rev().find(|(bound, _)| input_tokens > *bound);
        match tier {
            Some((bound, prices)) => (prices.over(self.prices), Some(*bound)),
            None => (self.prices, None),
        }
    }
}

fn broken(key: &str) -> Error {
    Error::unavailable(format!("the table `prices` is broken at {key}"))
}

/// Prices of today fit into 64 bits, which are read faster.
fn amount(text: &str) -> Option<Amount> {
    text.parse::<u64>().map(u128::from).or_else(|_| text.parse()).ok().map(Amount)
}

fn tier(text: &str) -> Option<(u64, Prices)> {
    let mut columns = text.split(',');
    let bound = columns.next()?.parse().ok()?;
    Some((bound, Prices::read(columns)?))
}

fn number(text: &str) -> Option<Option<u64>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_entry() {
        let value = "p\t10\t20\t1\t\t\t1000\t\ttv\t2027-01-01\t100,15,,2,,;500,30,60,,,";
        let model = Model::read(Name::read(("chat:a/b:c", value)).unwrap()).unwrap();
        assert_eq!((model.name.id, model.name.short(), model.max_output), ("a/b:c", "b:c", None));
        let check = |tokens, input, output, bound| {
            let (prices, above) = model.prices_for(tokens);
            assert_eq!((prices.input, prices.output, above), (Some(Amount(input)), Some(Amount(output)), bound));
        };
        check(100, 10, 20, None);
        check(101, 15, 20, Some(100));
        check(501, 30, 60, Some(500));
    }

    #[test]
    fn a_broken_entry_is_named() {
        for value in ["", "p\t1", "p\t\t2\t\t\t\t\t\t\t\t", "p\t1\tx\t\t\t\t\t\t\t\t"] {
            let error = Name::read(("chat:a", value)).and_then(Model::read).unwrap_err();
            assert!(error.message().contains("chat:a"), "{error}");
        }
    }
}
