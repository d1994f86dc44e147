//! Who may do the job, and for how much: the cheapest first.
//!
//! Invariants: the order depends on cost, then on the id; a model that cannot do the job is counted, not listed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    input::{Ability, Input, Job},
    model::{Model, Name, Prices},
    money::{Amount, Rate},
};

/// Tokens that prices are given for.
const MILLION: u64 = 1_000_000;

/// A model that can do the job.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ranked {
    /// From 1, the cheapest.
    pub rank: usize,
    /// Its id, which begins with the provider's name for most providers.
    pub model: String,
    /// Who sells it.
    pub provider: String,
    /// All calls together in US dollars, exact decimal text.
    pub cost_usd: String,
    /// The same in pounds at the rate given, to 15 decimals; null without a rate.
    pub cost_gbp: Option<String>,
    /// US dollars for a million tokens of input, of the tier that applies.
    pub input_usd_per_million: String,
    /// … of cached input; null when there is no special price.
    pub cached_input_usd_per_million: Option<String>,
    /// … of output.
    pub output_usd_per_million: String,
    /// These are the prices of calls with more input tokens than this; null for the ordinary ones.
    pub tier_above_tokens: Option<u64>,
    /// These are batch prices.
    pub batch_price: bool,
    /// Most tokens of input; null when not known.
    pub max_input_tokens: Option<u64>,
    /// Most tokens of output; null when not known.
    pub max_output_tokens: Option<u64>,
    /// What it is listed with. What is not here is not known, or not there.
    pub abilities: Vec<Ability>,
    /// The day on which its provider stops it, if one is announced.
    pub ends: Option<String>,
}

/// Models that were left out, by the first reason that applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Another name, or another provider.
    pub not_asked_for: usize,
    /// Price 0.
    pub zero_price: usize,
    /// Stopped by its provider.
    pub ended: usize,
    /// Not listed with an ability that is needed.
    pub ability: usize,
    /// The request, or the window asked for, does not fit.
    pub context: usize,
    /// The answer is too long.
    pub output: usize,
    /// Above the cost given.
    pub too_dear: usize,
}

/// What decides.
#[derive(Debug)]
pub struct Query<'i> {
    pub input: &'i Input,
    pub job: Job,
    pub name: Option<String>,
    pub part: Option<String>,
    pub rate: Option<Rate>,
    pub most: Option<Amount>,
    /// Today, `YYYY-MM-DD`.
    pub today: String,
}

/// A cost and its model.
#[derive(Debug)]
pub struct Offer<'t> {
    pub cost: Amount,
    model: Model<'t>,
    prices: Prices,
    tier: Option<u64>,
    batch: bool,
}

impl Query<'_> {
    /// The offer of a model, or none, counted in `left`.
    pub fn offer<'t>(&self, model: Model<'t>, left: &mut LeftOut) -> Option<Offer<'t>> {
        if let Some(reason) = self.reason(&model, left) {
            *reason = reason.saturating_add(1);
            return None;
        }
        let (prices, tier) = model.prices_for(self.job.input_tokens);
        let batch = self.job.batch && prices.batch_input.is_some() && prices.batch_output.is_some();
        let cost = cost(&self.job, prices, batch);
        match cost.filter(|cost| self.most.is_none_or(|most| *cost <= most)) {
            Some(cost) => Some(Offer { cost, model, prices, tier, batch }),
            None => {
                left.too_dear = left.too_dear.saturating_add(1);
                None
            }
        }
    }

    /// Where a model that cannot do the job is counted.
    fn reason<'l>(&self, model: &Model<'_>, left: &'l mut LeftOut) -> Option<&'l mut usize> {
        let fits = |most: Option<u64>, count: u64| most.is_none_or(|most| count <= most);
        let context = self.input.min_context.is_none_or(|least| model.max_input.is_some_and(|most| most >= least));
        let zero = |amount: Option<Amount>| amount.is_none_or(|amount| amount.0 == 0);
        if !self.input.include_zero && zero(model.prices.input) && zero(model.prices.output) {
            Some(&mut left.zero_price)
        } else if !self.input.include_ended && model.ends.is_some_and(|day| day <= self.today.as_str()) {
            Some(&mut left.ended)
        } else if !self.input.needs.iter().all(|need| model.flags.contains(need.letter())) {
            Some(&mut left.ability)
        } else if !context || !fits(model.max_input, self.job.input_tokens) {
            Some(&mut left.context)
        } else if !fits(model.max_output, self.job.output_tokens) {
            Some(&mut left.output)
        } else {
            None
        }
    }

    /// Whether it has the name, and one of the providers, that were asked for.
    pub fn asks_for(&self, name: Name<'_>) -> bool {
        let named = |wanted: &String| is_lower_case_of(wanted, name.id) || is_lower_case_of(wanted, name.short());
        let is = |list: &[String]| list.iter().any(|provider| provider == name.provider);
        self.name.as_ref().is_none_or(named)
            && self.part.as_ref().is_none_or(|part| name.id.to_lowercase().contains(part.as_str()))
            && self.input.providers.as_ref().is_none_or(|list| is(list))
            && !is(&self.input.without_providers)
    }
}

/// Whether `text` is this in lower case; nearly all ids are plain ASCII.
fn is_lower_case_of(lower: &str, text: &str) -> bool {
    if text.is_ascii() { lower.eq_ignore_ascii_case(text) } else { text.to_lowercase() == lower }
}

/// The cost of all calls; none when it is beyond all bounds.
fn cost(job: &Job, prices: Prices, batch: bool) -> Option<Amount> {
    let (input, output) =
        if batch { (prices.batch_input?, prices.batch_output?) } else { (prices.input?, prices.output?) };
    // A batch price for input is already lower than that of the cache, or not known together with it.
    let cached = prices.cached.unwrap_or(input).min(input);
    let fresh = input.times(job.input_tokens.checked_sub(job.cached_input_tokens)?)?;
    let one = fresh.plus(cached.times(job.cached_input_tokens)?)?.plus(output.times(job.output_tokens)?)?;
    one.times(job.calls)
}

/// The cheapest offers, ranked.
pub fn rank(mut offers: Vec<Offer<'_>>, limit: usize, rate: Option<Rate>) -> Vec<Ranked> {
    let order = |a: &Offer<'_>, b: &Offer<'_>| a.cost.cmp(&b.cost).then_with(|| a.model.name.id.cmp(b.model.name.id));
    if limit < offers.len() {
        // Only what is listed has to be in order.
        offers.select_nth_unstable_by(limit, order);
        offers.truncate(limit);
    }
    offers.sort_by(order);
    offers.into_iter().enumerate().map(|(place, offer)| offer.ranked(place.saturating_add(1), rate)).collect()
}

impl Offer<'_> {
    fn ranked(self, rank: usize, rate: Option<Rate>) -> Ranked {
        let (prices, model) = (self.prices, self.model);
        let million =
            |price: Option<Amount>| price.and_then(|price| price.times(MILLION)).unwrap_or_default().to_string();
        let (input, output) =
            if self.batch { (prices.batch_input, prices.batch_output) } else { (prices.input, prices.output) };
        Ranked {
            rank,
            cost_usd: self.cost.to_string(),
            cost_gbp: rate.and_then(|rate| self.cost.at(rate)).map(|cost| cost.to_string()),
            input_usd_per_million: million(input),
            cached_input_usd_per_million: prices.cached.map(|price| million(Some(price))),
            output_usd_per_million: million(output),
            tier_above_tokens: self.tier,
            batch_price: self.batch,
            max_input_tokens: model.max_input,
            max_output_tokens: model.max_output,
            abilities: Ability::ALL.into_iter().filter(|ability| model.flags.contains(ability.letter())).collect(),
            ends: model.ends.map(str::to_owned),
            model: model.name.id.to_owned(),
            provider: model.name.provider.to_owned(),
        }
    }
}
