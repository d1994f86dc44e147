//! A bridge that finds the cheapest language model for a job.
//!
//! Prices stand in the table `prices`, made from the LiteLLM package; the operator may replace it. Sums are whole
//! numbers, never floating point.

mod input;
mod model;
mod money;
mod rank;

use bridge_common::{Report, calendar::date_of_unix_ms};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{
    Call, Error, bridge,
    tables::{self, Page},
};

pub use crate::input::Input;
use crate::{
    input::{Job, Kind},
    model::{Model, Name},
    money::{Amount, Rate},
    rank::{LeftOut, Query, Ranked},
};

/// Pages of a table, of 1 MiB each: more models than anybody sells.
const PAGES_MAX: usize = 50;

/// The answer of this bridge.
pub type Output = Report<Ranking>;

/// The models that can do the job, and what it costs with each.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ranking {
    /// The cheapest first; equal costs by id.
    pub models: Vec<Ranked>,
    /// Models that can do the job, listed or not.
    pub eligible: usize,
    /// Models of this kind in the table.
    pub considered: usize,
    /// Why the others cannot.
    pub left_out: LeftOut,
    /// The job as it was understood.
    pub job: Job,
    /// The rate given; null when costs are in US dollars only.
    pub gbp_per_usd: Option<String>,
}

const METHOD: &str = "price per token × tokens × calls in whole numbers of 1e-15 USD, for each model of the table that \
     fits the job; sorted by cost, then by id; prices for long calls apply to the whole call";

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    call.without_stored("the name of a model")?;
    let (name, limit, kinds) = (input.name()?, input.limit()?, input.kinds()?);
    let mut wish = Query {
        job: input.job(kinds.first().copied().unwrap_or_default())?,
        part: input.part()?,
        rate: input.gbp_per_usd.as_deref().map(rate).transpose()?,
        most: input.max_cost_usd.as_deref().map(most).transpose()?,
        today: date_of_unix_ms(call.now_ms),
        name,
        input: &input,
    };
    let table = tables::Table::open("prices")?;
    let pages: Vec<(Kind, Vec<Page>)> = kinds.iter().map(|kind| (*kind, pages(&table, *kind))).collect();
    let mut shelves = Vec::new();
    for (kind, pages) in &pages {
        shelves.push((*kind, names(pages)?));
    }
    input.check_providers(|| shelves.iter().flat_map(|(_, names)| names).map(|name| name.provider).collect())?;
    for (kind, names) in shelves {
        wish.job = input.job(kind)?;
        let Some(ranking) = ranking(&wish, names, limit)? else { continue };
        let limitations = limitations(&wish, &ranking.models);
        return Ok(Report::new(ranking, METHOD, limitations).with_data([table.info()]));
    }
    Err(not_found(&wish, &table, &kinds)?)
}

/// The ranking among the models of a kind; none if a name was asked for that is not among them.
fn ranking(wish: &Query<'_>, names: Vec<Name<'_>>, limit: usize) -> Result<Option<Ranking>, Error> {
    let considered = names.len();
    let mut left_out = LeftOut::default();
    let mut offers = Vec::new();
    for name in names {
        if wish.asks_for(name) {
            offers.extend(wish.offer(Model::read(name)?, &mut left_out));
        } else {
            left_out.not_asked_for = left_out.not_asked_for.saturating_add(1);
        }
    }
    if wish.name.is_some() && left_out.not_asked_for == considered {
        return Ok(None);
    }
    let eligible = offers.len();
    let models = rank::rank(offers, limit, wish.rate);
    let gbp_per_usd = wish.input.gbp_per_usd.clone();
    Ok(Some(Ranking { models, eligible, considered, left_out, job: wish.job, gbp_per_usd }))
}

/// Nobody has the name among these kinds: says so, and among which it is.
fn not_found(wish: &Query<'_>, table: &tables::Table, kinds: &[Kind]) -> Result<Error, Error> {
    let name = wish.name.as_deref().unwrap_or_default();
    for kind in Kind::PRICED.into_iter().filter(|kind| !kinds.contains(kind)) {
        let pages = pages(table, kind);
        if names(&pages)?.into_iter().any(|name| wish.asks_for(name)) {
            let asked = kinds.first().copied().unwrap_or_default().text();
            let message = format!("model `{name}` of kind `{asked}`; it is of kind `{}`, so ask for that", kind.text());
            return Ok(Error::not_found(message));
        }
    }
    let kinds = kinds.iter().map(|kind| kind.text()).collect::<Vec<_>>().join(", ");
    Ok(Error::not_found(format!("model `{name}` among those that the table of prices has for {kinds}")))
}

fn names(pages: &[Page]) -> Result<Vec<Name<'_>>, Error> {
    pages.iter().flat_map(Page::entries).map(Name::read).collect()
}

/// The entries of all models of a kind.
fn pages(table: &tables::Table, kind: Kind) -> Vec<Page> {
    let Ok((start, end)) = kind.keys() else { return Vec::new() };
    table.pages(start, Some(end)).take(PAGES_MAX).collect()
}

fn rate(text: &str) -> Result<Rate, Error> {
    let wrong = "give pounds for one dollar as decimal text above 0, for example \"0.7634\"";
    Rate::parse(text).ok_or_else(|| Error::invalid("/gbp_per_usd", wrong))
}

/// Decimal text as an amount: up to nine digits before the point and six after it.
fn most(text: &str) -> Result<Amount, Error> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str, most| (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let amount = || {
        let whole: u128 = whole.parse().ok()?;
        let fraction: u128 = format!("{fraction:0<6}").parse().ok()?;
        whole.checked_mul(1_000_000)?.checked_add(fraction)?.checked_mul(1_000_000_000).map(Amount)
    };
    let amount = if digits(whole, 9) && digits(fraction, 6) { amount() } else { None };
    amount.ok_or_else(|| Error::invalid("/max_cost_usd", "give US dollars as decimal text, for example \"0.05\""))
}

fn limitations(wish: &Query<'_>, models: &[Ranked]) -> Vec<String> {
    let mut notes = vec![
        "list prices that providers published, collected by others; check a provider's page before you commit"
            .to_owned(),
        "tokenizers differ: the same text has more tokens in one model than in another".to_owned(),
        "charges per request, for tools, images, cache writes, taxes and discounts are not counted".to_owned(),
        "what a model is for is by its list entry and its name; models that make pictures, sound or films, and rankers, are not in the table".to_owned(),
        format!("ends of models are compared with the day of the call, {}", wish.today),
    ];
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    note(
        models.iter().any(|model| model.max_input_tokens.is_none() || model.max_output_tokens.is_none()),
        "where a limit is null, whether the job fits is not known",
    );
    note(wish.job.batch, "models without batch prices are listed at their ordinary ones");
    note(
        wish.job.batch && wish.job.cached_input_tokens > 0,
        "whether batch and cache prices go together differs by provider; the lower one was used for cached tokens",
    );
    note(wish.rate.is_some(), "pounds are by the rate given, without the costs of changing money");
    note(models.is_empty(), "no model fits; `left_out` says why");
    notes
}

bridge! { handle: handle, examples: ["../cases/cheapest_vision_tools.json", "../cases/gpt_4o.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
