//! Entity matching: duplicates in one list of records, or links between two, with the weight of every field.
//!
//! Invariants: the same records give the same answer; every number in the answer is finite; the pairs compared in a
//! call are bounded; no input panics.

mod block;
mod column;
mod group;
mod input;
mod model;
mod output;
mod similar;
mod table;
mod value;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::block::Pairs;
use crate::column::Column;
use crate::input::{MOST_DETAILED, MOST_LISTED, Parameters};
use crate::model::{Agreement, Compared, DEGREES, Model};
use crate::output::{Findings, MethodUsed, Pair, Part, Weighed};
use crate::table::{Lists, text_of};

/// From this many records on, weights are estimated unless the caller says otherwise.
const ESTIMATED_FROM: usize = 50;
/// Pairs listed unless the caller says otherwise.
const LISTED: usize = 200;
/// Characters of an id that are shown.
const ID_SHOWN: usize = 40;

/// A pair that may be a match.
struct JudgedPair {
    pair: (usize, usize),
    weights: Vec<f64>,
    weight: f64,
    probability: f64,
}

/// Finds the matches that the input asks for.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let (threshold, review) = bounds(&input)?;
    let lists = Lists::read(call, &input)?;
    let columns = column::read(&input, &lists)?;
    let records = lists.all().count();
    let second = lists.against.as_ref().map(|_| lists.records.len());
    let possible = match second {
        Some(first) => first * (records - first),
        None => records * records.saturating_sub(1) / 2,
    };
    let candidates = block::pairs(&columns, records, second);
    let compared = Compared::new(&columns, &candidates.pairs);
    let usual = if records >= ESTIMATED_FROM { Parameters::Estimated } else { Parameters::Fixed };
    let model = match input.parameters.unwrap_or(usual) {
        Parameters::Estimated => Model::estimated(&columns, &compared, records, possible),
        Parameters::Fixed => Model::fixed(&columns, records, possible),
    };
    let mut judged = judge(&columns, &model, &candidates, &compared, review);
    if input.one_to_one && second.is_some() {
        let pairs: Vec<(usize, usize)> = judged.iter().map(|judged| judged.pair).collect();
        let mut keep = group::once(records, &pairs).into_iter();
        judged.retain(|_| keep.next().unwrap_or(false));
    }
    let matches: Vec<(usize, usize)> =
        judged.iter().filter(|judged| judged.probability >= threshold).map(|judged| judged.pair).collect();
    let groups = if second.is_none() { group::groups(records, &matches) } else { Vec::new() };
    let max_pairs = input.max_pairs.map_or(LISTED, |max| max as usize);
    let id = column::id_field(&input, &lists.all().flat_map(|record| record.keys()).collect())?;
    let listed = judged.iter().take(max_pairs);
    let shown = if input.details == Some(false) { &[] } else { columns.as_slice() };
    let result = Findings {
        pairs: listed.map(|judged| pair(judged, &lists, shown, threshold, id.as_deref())).collect(),
        groups,
        matches: matches.len(),
        to_review: judged.len() - matches.len(),
        compared: candidates.pairs.len(),
        possible,
    };
    let limitations = limitations(&model, &candidates, judged.len() > max_pairs, second.is_none());
    let method = used(&columns, &model, candidates.keys, threshold, review);
    Ok(Report::new(result, method, limitations))
}

fn bounds(input: &Input) -> Result<(f64, f64), Error> {
    let threshold = input.threshold.unwrap_or(0.9);
    if !(0.5..=0.9999).contains(&threshold) {
        return Err(Error::invalid("/threshold", "must lie between 0.5 and 0.9999"));
    }
    let review = input.review.unwrap_or(0.5);
    if !(0.01..=threshold).contains(&review) {
        return Err(Error::invalid("/review", "must lie between 0.01 and `threshold`"));
    }
    let limit = if input.details == Some(false) { MOST_LISTED } else { MOST_DETAILED };
    if input.max_pairs.is_some_and(|wanted| !(1..=limit).contains(&wanted)) {
        let text = format!("must lie between 1 and {limit} ({MOST_LISTED} with `details` false)");
        return Err(Error::invalid("/max_pairs", text));
    }
    if input.one_to_one && input.against.is_none() {
        return Err(Error::invalid("/one_to_one", "is for two lists; give `against`, or leave it out"));
    }
    Ok((threshold, review))
}

/// Pairs from the review bound on, the likeliest first.
fn judge(columns: &[Column], model: &Model, found: &Pairs, compared: &Compared, review: f64) -> Vec<JudgedPair> {
    let mut judged: Vec<JudgedPair> = Vec::new();
    for (pair, degrees) in found.pairs.iter().zip(compared.pairs()) {
        let weights = model.weights(columns, pair.0, degrees);
        let weight = weights.iter().sum();
        let probability = model.probability(weight);
        if probability >= review {
            judged.push(JudgedPair { pair: *pair, weights, weight, probability });
        }
    }
    judged.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.pair.cmp(&b.pair)));
    judged
}

fn pair(judged: &JudgedPair, lists: &Lists, columns: &[Column], threshold: f64, id: Option<&str>) -> Pair {
    let (a, b) = judged.pair;
    let shown = |text: String| text.chars().take(ID_SHOWN).collect();
    let name = |place: usize| lists.all().nth(place).and_then(|record| text_of(record, id?)).map(shown);
    let agreements = model::compare(columns, a, b);
    let part = |((column, agreement), weight): ((&Column, &Agreement), &f64)| Part {
        name: column.name.clone(),
        agreement: agreement.degree.and_then(|degree| DEGREES.get(degree)).copied().unwrap_or("missing"),
        similarity: tidy(agreement.similarity),
        weight: tidy(*weight),
    };
    Pair {
        a,
        b: b - lists.against.as_ref().map_or(0, |_| lists.records.len()),
        a_id: name(a),
        b_id: name(b),
        probability: tidy(judged.probability),
        weight: tidy(judged.weight),
        decision: if judged.probability >= threshold { "match" } else { "review" },
        fields: columns.iter().zip(&agreements).zip(&judged.weights).map(part).collect(),
    }
}

fn used(columns: &[Column], model: &Model, keys: Vec<String>, threshold: f64, review: f64) -> MethodUsed {
    let weighed = |((column, m), u): ((&Column, &[f64; 4]), &[f64; 4])| Weighed {
        name: column.name.clone(),
        kind: column.kind,
        m: m.map(tidy),
        u: u.map(tidy),
    };
    MethodUsed {
        name: "Fellegi-Sunter with four degrees of agreement, Jaro-Winkler for words",
        blocking: keys,
        parameters: model.parameters,
        prior: tidy(model.prior),
        threshold,
        review,
        fields: columns.iter().zip(&model.m).zip(&model.u).map(weighed).collect(),
    }
}

fn limitations(model: &Model, found: &Pairs, cut: bool, one_list: bool) -> Vec<String> {
    let mut notes = vec![
        "fields are taken to agree independently of each other; members of a household who share name and address look likelier than they are"
            .to_owned(),
    ];
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    let fixed = model.parameters == Parameters::Fixed;
    note(fixed, "weights are fixed values by type, not fitted to these records: take the probabilities as an order");
    note(
        !fixed,
        "probabilities rest on weights estimated from these records; without clear matches among them they lean on fixed values",
    );
    note(found.keys.len() > 1, "pairs that share no blocking key were not compared");
    note(found.skipped > 0, "blocks of too many records were left out; a field with fewer equal values would help");
    note(cut, "only the likeliest pairs are listed; `max_pairs` sets how many");
    note(one_list, "groups join records by way of others; look at large ones");
    notes
}

/// Six significant digits.
fn tidy(value: f64) -> f64 {
    format!("{value:.5e}").parse().ok().filter(|v: &f64| v.is_finite()).unwrap_or(0.0)
}

bridge! { handle: handle, examples: ["../cases/customers.json", "../cases/two_lists.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
