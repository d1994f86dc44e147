//! Changes in percent: `prices up 12 % and unit sales 5 % lower`.

use agent_common::patterns;
use agent_common::quantity::{self, Style};

use crate::role_words::{PRICE_SUBJECT, SOLD_SUBJECT};
use crate::roles::{self, Role};
use crate::sale_words::QUANTITY;

const UP: &[&str] = &[
    "up",
    "rise",
    "rose",
    "rais",
    "increas",
    "higher",
    "more",
    "grew",
    "grow",
    "dearer",
    "gain",
    "added",
    "climb",
    "hike",
    "hausse",
    "augment",
    "sub",
    "aument",
    "gestiegen",
    "erhöh",
    "teurer",
    "mehr",
    "höher",
    "stieg",
    "meer",
    "hoger",
    "verhoog",
    "plus",
    "jump",
];
const DOWN: &[&str] = &[
    "down",
    "fall",
    "fell",
    "drop",
    "lower",
    "less",
    "fewer",
    "cut",
    "reduc",
    "decreas",
    "off",
    "discount",
    "cheaper",
    "lost",
    "lose",
    "shrank",
    "sank",
    "declin",
    "slip",
    "baiss",
    "baj",
    "gesunken",
    "gesenkt",
    "billiger",
    "günstiger",
    "weniger",
    "niedriger",
    "sank",
    "fiel",
    "rabatt",
    "descuento",
    "remise",
    "sconto",
    "minder",
    "lager",
    "minus",
    "dip",
    "loss",
    "shed",
];

fn word_list(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn way(text: &str) -> Option<f64> {
    let words = word_list(text);
    let place = |list: &[&str]| {
        words.iter().position(|word| list.iter().any(|one| word == one || (one.len() > 3 && word.starts_with(one))))
    };
    match (place(UP), place(DOWN)) {
        (Some(up), Some(down)) => Some(if up < down { 1.0 } else { -1.0 }),
        (Some(_), None) => Some(1.0),
        (None, Some(_)) => Some(-1.0),
        (None, None) => None,
    }
}

fn subject(text: &str) -> Option<Role> {
    let words = word_list(text);
    let place = |lists: &[&[&str]]| {
        words.iter().position(|word| lists.iter().any(|list| list.iter().any(|one| word.starts_with(one))))
    };
    let money = place(&[PRICE_SUBJECT, &["off", "dearer", "cheaper"]]);
    let sold = place(&[&QUANTITY[..], SOLD_SUBJECT, &["sell", "sold", "selling"]]);
    match (money, sold) {
        (Some(price), Some(sold)) => Some(if price < sold { Role::Price } else { Role::Sold }),
        (Some(_), None) => Some(Role::Price),
        (None, Some(_)) => Some(Role::Sold),
        (None, None) => None,
    }
}

/// What a clause says of a change, as a share of 1: `prices up 12 %` is 0.12.
fn of_clause(clause: &str, style: Option<Style>) -> Option<(Option<Role>, f64)> {
    let found: Vec<quantity::Quantity> = quantity::scan(clause).into_iter().filter(|one| one.percent).collect();
    let [one] = found.as_slice() else { return None };
    let written = clause.get(one.start..one.end)?;
    let value = quantity::read(written, style).map_or(one.value, |read| read.value);
    let (before, behind) = (clause.get(..one.start)?, clause.get(one.end..)?);
    let signed = written.trim_start().starts_with(['-', '−']) || before.ends_with(['-', '−']);
    let sign =
        if signed { -1.0 } else { way(behind).or_else(|| way(before)).or(before.ends_with('+').then_some(1.0))? };
    let of = subject(before).or_else(|| subject(behind));
    Some((of, sign * value.abs() / 100.0))
}

fn clauses(text: &str) -> Vec<String> {
    let joints = r"(?:,? (?:and|but|while|und|et|y|e|en|then|so|led to|leads to|resulted in|caused|lost us|gave|made|cost us) |[;\n→]|->|[,.!?](?:\s|$))";
    let Some(joint) = patterns::compiled(joints) else { return Vec::new() };
    joint.split(text).map(str::to_owned).collect()
}

/// A clause that tells of two changes, cut between them: `a 8% price cut raised volume by 10%`.
fn halves(clause: &str) -> Vec<&str> {
    let found: Vec<quantity::Quantity> = quantity::scan(clause).into_iter().filter(|one| one.percent).collect();
    let [first, second] = found.as_slice() else { return vec![clause] };
    let between = clause.get(first.end..second.start).unwrap_or_default();
    let told = clause.get(..first.start).is_some_and(|before| way(before).is_some());
    // What the first changes stands before it, or in the two words behind it.
    let skip = if told { 0 } else { 2 };
    let words = between.match_indices(|c: char| !c.is_whitespace()).map(|(at, _)| at);
    let starts: Vec<usize> = words
        .filter(|at| *at == 0 || between.get(..*at).is_some_and(|before| before.ends_with(char::is_whitespace)))
        .collect();
    let cut = first.end + starts.get(skip).copied().unwrap_or(0);
    match (clause.get(..cut), clause.get(cut..)) {
        (Some(before), Some(behind)) => vec![before, behind],
        _ => vec![clause],
    }
}

/// The one change of the price and the one change of what was sold, as shares of 1.
pub fn read(task: &str, style: Option<Style>) -> Option<(f64, f64)> {
    let mut price: Vec<f64> = Vec::new();
    let mut sold: Vec<f64> = Vec::new();
    for clause in clauses(task).iter().flat_map(|clause| halves(clause)) {
        match of_clause(clause, style) {
            Some((Some(Role::Price), change)) => price.push(change),
            Some((Some(_), change)) => sold.push(change),
            // `prices up 10 %, down 4 % in units`: what has no subject cannot be told.
            Some((None, _)) => return None,
            None => {}
        }
    }
    for sentence in task.lines() {
        let told = roles::read(sentence, style);
        let of = |role: Role| told.iter().filter(|one| one.role == role).map(|one| one.value).collect::<Vec<_>>();
        if let ([from, to], true) = (of(Role::Price).as_slice(), price.is_empty() && !sold.is_empty()) {
            price.push(to / from - 1.0);
        }
        if let ([from, to], true) = (of(Role::Sold).as_slice(), sold.is_empty() && !price.is_empty()) {
            sold.push(to / from - 1.0);
        }
    }
    let ([price], [sold]) = (price.as_slice(), sold.as_slice()) else { return None };
    (price.abs() > 1e-6 && price.abs() < 3.0 && *sold > -1.0).then_some((*price, *sold))
}

/// The price after the one change in percent that a sentence tells: `20 % off` of 18 is 14.4.
pub fn changed(sentence: &str, base: f64, style: Option<Style>) -> Option<f64> {
    let mut all = clauses(sentence).into_iter().filter_map(|clause| of_clause(&clause, style));
    let (of, change) = all.next()?;
    (all.next().is_none() && of != Some(Role::Sold) && change > -1.0).then_some(base * (1.0 + change))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_percent() {
        let cases = [
            (
                "We put prices up 12 % in January and unit sales came in 5 % lower. What's our elasticity roughly?",
                Some((0.12, -0.05)),
            ),
            ("A 10% price increase led to a 4% drop in sales", Some((0.10, -0.04))),
            ("Price -8%, volume +11%. Elasticity?", Some((-0.08, 0.11))),
            ("Wir haben den Preis um 5 % erhöht und der Absatz ist um 10 % gesunken.", Some((0.05, -0.10))),
            ("We cut fares by 15 percent and ridership grew 9 percent.", Some((-0.15, 0.09))),
            ("raised the fee from 20 to 24 and sign-ups fell by 12%", Some((0.2, -0.12))),
            ("Sales fell 12 % after we made the tickets 6 % dearer", None),
            ("price elasticity: a 8% price cut raised volume by 10%", Some((-0.08, 0.1))),
            ("Margin is 20 %, we sell 100 at 5.", None),
        ];
        for (task, expect) in cases {
            let found = read(task, None).map(|(price, sold)| ((price * 1e6).round() / 1e6, (sold * 1e6).round() / 1e6));
            assert_eq!(found, expect, "{task}");
        }
        assert_eq!(changed("During the fair we took 20 % off and shifted 57 a week.", 18.0, None), Some(14.4));
    }
}
