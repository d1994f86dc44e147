//! Sales told in sentences and lists: `at 18 we sold 101`, `Celle: 9.00 -> 260 sold`.

use agent_common::quantity::Style;
use agent_common::sentences;

use crate::roles::{self, Role, Told};
use crate::sale::Sale;
use crate::{amounts, percents};

/// What sentences tell.
#[derive(Debug, Default, PartialEq)]
pub struct Reading {
    pub sales: Vec<Sale>,
    /// The price that holds today, where it stands with its sales.
    pub current: Option<f64>,
    /// A price or a number of sales found no partner.
    pub odd: bool,
}

/// The sales of a text, in order.
pub fn read(task: &str) -> Reading {
    let style = amounts::style(task);
    let mut reading = Reading::default();
    // A price that waits for the sentence that tells what was sold at it.
    let mut waiting: Option<(Told, String)> = None;
    let mut left: Vec<f64> = Vec::new();
    for line in task.lines().filter(|line| !line.trim_start().starts_with(['{', '[', '|'])) {
        for segment in segments(line, style) {
            let told = roles::read(&segment, style);
            let pairs = paired(&told).or_else(|| reduced(&segment, &told, style, reading.sales.first()));
            if let Some(pairs) = pairs {
                reading.take(&segment, pairs, &told);
                waiting = None;
                continue;
            }
            let prices: Vec<&Told> = told.iter().filter(|one| one.role == Role::Price).collect();
            let sold: Vec<&Told> = told.iter().filter(|one| one.role == Role::Sold).collect();
            match (waiting.take(), prices.as_slice(), sold.as_slice()) {
                (Some((price, before)), [], [sold]) => {
                    let tried = told.iter().find(|one| one.role == Role::Tried).map(|one| one.value);
                    let pair = Pair { price, sold: sold.value, tried, end: usize::MAX };
                    reading.take(&before, vec![pair], &[]);
                }
                (_, [price], []) => waiting = Some(((*price).clone(), segment.clone())),
                (None, [], [_]) | (_, [], []) => {}
                // `which price - 9, 11 or 13?` names prices again.
                (_, prices, []) => left.extend(prices.iter().map(|one| one.value)),
                _ => reading.odd = true,
            }
        }
    }
    if reading.sales.iter().any(|sale| sale.name.is_none()) {
        reading.sales.iter_mut().for_each(|sale| sale.name = None);
    }
    reading.odd |= left.iter().any(|price| !reading.sales.iter().any(|sale| sale.price == *price));
    share_tries(task, style, &mut reading);
    reading
}

/// `we took 20 % off and shifted 57`: the price is that of the first sale, changed.
fn reduced(segment: &str, told: &[Told], style: Option<Style>, base: Option<&Sale>) -> Option<Vec<Pair>> {
    let has = |role: Role| told.iter().filter(|one| one.role == role).count();
    let sold = told.iter().find(|one| one.role == Role::Sold)?;
    let percent = told.iter().find(|one| one.role == Role::Percent)?;
    if has(Role::Sold) != 1 || has(Role::Percent) != 1 || has(Role::Price) != 0 {
        return None;
    }
    let value = agent_common::figures::round(percents::changed(segment, base?.price, style)?);
    let price = Told { value, role: Role::Price, start: 0, ..percent.clone() };
    Some(vec![Pair { price, sold: sold.value, tried: None, end: sold.end }])
}

/// `500 visitors each` says of all sales how many could have bought.
fn share_tries(task: &str, style: Option<Style>, reading: &mut Reading) {
    let each = ["each", "jeweils", "chacun", "per variant", "per arm", "in both"]
        .iter()
        .any(|word| task.to_lowercase().contains(word));
    let all = roles::read(task, style);
    let tries: Vec<f64> = all.iter().filter(|one| one.role == Role::Tried).map(|one| one.value).collect();
    let none = reading.sales.iter().all(|sale| sale.tried.is_none());
    if let ([tried], true, true) = (tries.as_slice(), each, none) {
        for sale in &mut reading.sales {
            sale.tried = Some(*tried);
        }
    }
}

struct Pair {
    price: Told,
    sold: f64,
    tried: Option<f64>,
    end: usize,
}

impl Reading {
    fn take(&mut self, segment: &str, pairs: Vec<Pair>, told: &[Told]) {
        let single = pairs.len() == 1;
        let prices: Vec<&Told> = told.iter().filter(|one| one.role == Role::Price).collect();
        let went = matches!(prices.as_slice(), [from, to] if segment.get(from.end..to.start).is_some_and(moves));
        let moved = went && !single && changes(segment);
        for pair in pairs {
            // `Old price 40: …. New price 46: …`
            let new = single && !self.sales.is_empty() && segment.to_lowercase().starts_with("new ");
            if pair.price.now || new || (single && says_now(segment)) || (moved && pair.end == usize::MAX) {
                self.current = Some(pair.price.value);
            }
            let name = if single { name(segment, &pair.price) } else { None };
            self.sales.push(Sale { name, price: pair.price.value, quantity: pair.sold, tried: pair.tried });
        }
    }
}

fn says_now(segment: &str) -> bool {
    let lower = segment.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| ["now", "since", "today", "currently", "jetzt", "heute", "adesso", "ahora"].contains(&word))
}

fn moves(between: &str) -> bool {
    let lower = between.to_lowercase();
    lower.split_whitespace().any(|word| crate::role_words::TO.contains(&word))
}

/// Whether a price did move, and is not only thought of.
fn changes(segment: &str) -> bool {
    let lower = segment.to_ascii_lowercase();
    let thought = [" if ", "would", "when the price goes", "suppose", "imagine", "elasticity when", "should"];
    !thought.iter().any(|word| lower.contains(word))
}

/// What stands before a colon or in quotation marks before the numbers.
fn name(segment: &str, price: &Told) -> Option<String> {
    let before = segment.get(..price.start).unwrap_or_default();
    if let Some(quoted) = agent_common::quotes::find(before).first() {
        return Some(quoted.text.to_owned());
    }
    let label = segment.split([':', '–', '—', '|']).next().filter(|label| label.len() < segment.len())?;
    let label = label.trim().trim_start_matches(['-', '*', '•', ' ']);
    let label = label.split_once(" (").filter(|(name, _)| !name.is_empty()).map_or(label, |(name, _)| name);
    let words = label.split_whitespace().count();
    (segment.contains(':') && (1..5).contains(&words) && label.contains(char::is_alphabetic)).then(|| label.to_owned())
}

/// A line whole if it tells of sales; else its sentences.
fn segments(line: &str, style: Option<Style>) -> Vec<String> {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    if paired(&roles::read(line, style)).is_some_and(|pairs| pairs.len() == 1) {
        return vec![line.to_owned()];
    }
    sentences::split(line).iter().flat_map(|one| one.text.split(';')).map(|part| part.trim().to_owned()).collect()
}

/// Prices with what was sold at them; none unless each price finds its partner.
fn paired(told: &[Told]) -> Option<Vec<Pair>> {
    let mut kinds: Vec<Told> =
        told.iter().filter(|one| !matches!(one.role, Role::Other | Role::Percent)).cloned().collect();
    let count = |kinds: &[Told], role: Role| kinds.iter().filter(|one| one.role == role).count();
    for one in &mut kinds {
        if one.role == Role::Rate {
            one.role = Role::Sold;
        }
    }
    // Visitors are what is sold where nothing else is counted.
    if count(&kinds, Role::Sold) == 0 && count(&kinds, Role::Tried) == count(&kinds, Role::Price) {
        kinds.iter_mut().filter(|one| one.role == Role::Tried).for_each(|one| one.role = Role::Sold);
    }
    explain_bare(&mut kinds);
    kinds.retain(|one| one.role != Role::Bare);
    let (prices, sold, tried) = (count(&kinds, Role::Price), count(&kinds, Role::Sold), count(&kinds, Role::Tried));
    // `62 of 500 visitors bought`: the one number that is tried belongs to the one sale.
    if prices == 0 || prices != sold || (tried != 0 && tried != sold) {
        return None;
    }
    let of = |role: Role| kinds.iter().filter(move |one| one.role == role).cloned();
    let ordered: Vec<Role> = kinds.iter().map(|one| one.role).filter(|role| *role != Role::Tried).collect();
    let in_turn = ordered.chunks(2).all(|pair| pair.first() != pair.get(1));
    let in_rows = ordered.chunks(prices).all(|run| run.iter().all(|role| Some(role) == run.first()));
    if !in_turn && !in_rows {
        return None;
    }
    let mut tries = of(Role::Tried);
    let pairs: Vec<Pair> = of(Role::Price)
        .zip(of(Role::Sold))
        .map(|(price, sold)| Pair { tried: tries.next().map(|one| one.value), sold: sold.value, end: sold.end, price })
        .collect();
    let last = pairs.len().saturating_sub(1);
    let rows = in_rows && !(in_turn && prices == 1) && prices == 2;
    Some(
        pairs
            .into_iter()
            .enumerate()
            .map(|(at, pair)| if rows && at == last { Pair { end: usize::MAX, ..pair } } else { pair })
            .collect(),
    )
}

/// A number that nothing explains is the partner of the one beside it.
fn explain_bare(kinds: &mut [Told]) {
    let count = |kinds: &[Told], role: Role| kinds.iter().filter(|one| one.role == role).count();
    let bare = count(kinds, Role::Bare);
    let (prices, sold) = (count(kinds, Role::Price), count(kinds, Role::Sold));
    let missing = if bare > 0 && prices == sold + bare {
        Role::Sold
    } else if bare > 0 && sold == prices + bare {
        Role::Price
    } else {
        return;
    };
    let known: Vec<f64> = kinds.iter().filter(|one| one.role != Role::Bare).map(|one| one.value).collect();
    // `we charged 9, and it is still 9` tells of no sales.
    for one in kinds.iter_mut().filter(|one| one.role == Role::Bare && !known.contains(&one.value)) {
        one.role = missing;
    }
}

/// The one price of a clause that says that it holds today.
pub fn current(task: &str) -> Option<f64> {
    let style = amounts::style(task);
    let sentences = task.lines().flat_map(sentences::split).map(|one| one.text);
    for clause in sentences.flat_map(|one| one.split([';', '('])).flat_map(|part| part.split(", ")) {
        let lower = clause.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| c.is_whitespace() || ".,:?!()".contains(c)).collect();
        let says = NOW_WORDS.iter().any(|word| words.contains(word))
            || NOW_PHRASES.iter().any(|phrase| lower.contains(phrase));
        let told = roles::read(clause, style);
        let prices: Vec<&Told> = told.iter().filter(|one| matches!(one.role, Role::Price | Role::Bare)).collect();
        let sold = told.iter().any(|one| matches!(one.role, Role::Sold | Role::Tried | Role::Percent));
        let one = prices.first().filter(|first| prices.iter().all(|price| price.value == first.value));
        if let (true, Some(price), false) = (says, one, sold) {
            return Some(price.value);
        }
    }
    None
}

/// The one price of the sales that a plain statement beside them names again: `we're on 8.90`.
pub fn named_again(beside: &str, sales: &[Sale]) -> Option<f64> {
    let style = amounts::style(beside);
    let mut found: Vec<f64> = Vec::new();
    for sentence in beside.lines().flat_map(sentences::split).map(|one| one.text) {
        let lower = sentence.to_lowercase();
        let thought = lower.ends_with('?') || THOUGHT.iter().any(|word| lower.contains(word));
        let told = roles::read(sentence, style);
        let units = told.iter().any(|one| matches!(one.role, Role::Sold | Role::Tried | Role::Percent));
        if thought || units || paired(&told).is_some() {
            continue;
        }
        let known = |one: &&Told| {
            matches!(one.role, Role::Price | Role::Bare) && sales.iter().any(|sale| sale.price == one.value)
        };
        found.extend(told.iter().filter(known).map(|one| one.value));
    }
    found.dedup();
    if let [price] = found.as_slice() { Some(*price) } else { None }
}

/// Words of what is wished or asked, and of what is no more.
const THOUGHT: &[&str] = &[
    "want",
    "should",
    "would",
    "could",
    "tell me",
    "which",
    "between",
    " vs",
    "compare",
    "last year",
    "used to",
    "if ",
    "think",
    "idea",
    "plan to",
    "allowed",
    "limit",
    "max",
    "min",
    "suggest",
    "competitor",
    "rival",
    "tested",
    "tried",
    "from ",
    " or ",
    "soll",
    "test",
    "was ",
    "were ",
];

/// Words that say that a price holds today.
const NOW_WORDS: &[&str] = &[
    "now",
    "today",
    "currently",
    "current",
    "presently",
    "aktuell",
    "aktueller",
    "derzeit",
    "heute",
    "momentan",
    "actuellement",
    "actuel",
    "aujourd'hui",
    "aujourd’hui",
    "actualmente",
    "ahora",
    "hoy",
    "adesso",
    "oggi",
    "attualmente",
    "nu",
    "hoje",
    "agora",
    "jetzt",
    "at-present",
    "nowadays",
];
const NOW_PHRASES: &[&str] = &[
    "at present",
    "at the moment",
    "right now",
    "these days",
    "price is",
    "preis ist",
    "prix est",
    "precio es",
    "prezzo è",
    "shelf price",
    "tag says",
    "menu says",
    "we charge",
    "i charge",
    "we ask",
    "i ask",
    "wir nehmen",
    "wir verlangen",
    "cobramos",
    "still",
    "list price",
    "normal price",
    "regular price",
    "zurzeit",
    "im moment",
    "en ce moment",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(task: &str) -> String {
        let reading = read(task);
        let show = |sale: &Sale| {
            let tried = sale.tried.map_or(String::new(), |tried| format!("/{tried}"));
            format!("{}x{}{tried}", sale.price, sale.quantity)
        };
        let sales: Vec<String> = reading.sales.iter().map(show).collect();
        let current = reading.current.map_or(String::new(), |current| format!(" now {current}"));
        format!("{}{current}", sales.join(" "))
    }

    #[test]
    fn prices_named_again() {
        let sales = [Sale::of(2.0, 840.0), Sale::of(2.5, 760.0)];
        assert_eq!(
            named_again(
                "Parking: 2.00 EUR = 840 cars/day, 2.50 EUR = 760 cars/day. Actual price 2.00. Maximise revenue.",
                &sales
            ),
            Some(2.0)
        );
        assert_eq!(named_again("We're on 2.50. Should we go to 2.00?", &sales), Some(2.5));
        assert_eq!(current("Last year we charged 9 everywhere and it is still 9."), Some(9.0));
    }

    #[test]
    fn sales_told_in_words() {
        let cases = [
            (
                "At 3.00 a cup I sold about 140 a day, since I went to 3.40 it is about 131 a day.",
                "3x140 3.4x131 now 3.4",
            ),
            (
                "en mars la baguette était à 1,20 € : 310 ventes par jour. En avril à 1,35 € : 236 ventes par jour.",
                "1.2x310 1.35x236",
            ),
            (
                "el aparcamiento subió de 2 a 2,50 euros la hora y los coches por día bajaron de 420 a 380.",
                "2x420 2.5x380 now 2.5",
            ),
            (
                "The price of a bus ticket rises from $2.00 to $2.20 and ridership falls from 50,000 to 48,500 a week.",
                "2x50000 2.2x48500 now 2.2",
            ),
            ("ok numbers for the burger: 8.50 -> 210/wk, 9.50 -> 202/wk, 10.50 -> 188/wk", "8.5x210 9.5x202 10.5x188"),
            ("Jan: €7.00 - 1,020 tickets\nFeb: €7.00 - 1,004 tickets\nMar: €8.00 - 983 tickets", "7x1020 7x1004 8x983"),
            ("- Mar: 6.20, 410 tubes\n- Apr: 6.60, 405 tubes", "6.2x410 6.6x405"),
            ("at $5 we had 1.2m subscribers, in the test market scaled up $6 gives 1.1m.", "5x1200000 6x1100000"),
            (
                "When I was asking forty for a haircut I had about thirty people in the chair every week. Since the new year I ask forty-eight and I still see twenty-eight of them most weeks.",
                "40x30 48x28 now 48",
            ),
            ("Kitty cat litter: in March at £8 we sold 120 bags; in April at £9 we sold 101 bags.", "8x120 9x101"),
            (
                "We charged 12 for the tour. 45 people came each week. Then we charged 15. 38 people came each week.",
                "12x45 15x38",
            ),
            (
                "Im Mai kostete das Eis 1,50 €, da haben wir 300 Kugeln verkauft. Im Juni 1,80 €, da waren es 270 Kugeln.",
                "1.5x300 1.8x270",
            ),
            ("We sold 340 jars at 5.50 and 290 jars at 6.25.", "5.5x340 6.25x290"),
            ("Price A $10: 500 visitors, 25 bought. Price B $12: 500 visitors, 22 bought.", "10x25/500 12x22/500"),
            ("Price 20 -> 24, units 600 -> 480", "20x600 24x480 now 24"),
            (
                "> At 240 per session we had 52 bookings in the quarter.\n> At 260 it was 49, at 280 it was 47.",
                "240x52 260x49 280x47",
            ),
            (
                "Rent per storage unit went 80 -> 100, occupied units 250 -> 200. Arc elasticity?",
                "80x250 100x200 now 100",
            ),
            (
                "Average attendance at 12 pounds was 5,400, at 14 pounds 5,150, at 16 pounds 4,100.",
                "12x5400 14x5150 16x4100",
            ),
            (
                "Two years ago I charged twenty-two an hour and was booked thirty-eight hours a week. I'm now at twenty-six and booked thirty-six hours.",
                "22x38 26x36 now 26",
            ),
            ("Which price - 9, 11 or 13?\n * Celle: 9.00 -> 260 sold\n * Gifhorn: 11.00 -> 246 sold", "9x260 11x246"),
            ("Wine by the glass: 6.5 EUR 64 glasses a night, 7.5 EUR 61 glasses a night.", "6.5x64 7.5x61"),
            ("A 10 e vendíamos 90 unidades, a 12 e 80 unidades", "10x90 12x80"),
        ];
        let wrong: Vec<String> = cases
            .iter()
            .filter(|(task, expect)| shown(task) != *expect)
            .map(|(task, expect)| format!("{task}\n  got  {}\n  want {expect}", shown(task)))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
