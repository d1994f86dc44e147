//! What each number of a sentence is: a price, units sold, who could have bought, or something else.

use agent_common::patterns;
use agent_common::quantity::{self, Style};

use crate::role_words as words;
use crate::sale_words::{PRICE, QUANTITY, TRIED};

/// What a number says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Price,
    Sold,
    Tried,
    /// A share of those who could have bought: `3.2 % bought`.
    Rate,
    /// A change in percent.
    Percent,
    /// A number that nothing explains.
    Bare,
    /// A cost, a bound, a date, a duration, a sum of money taken.
    Other,
}

/// A number of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub value: f64,
    pub role: Role,
    pub start: usize,
    pub end: usize,
    /// The sentence says of it that it is today's.
    pub now: bool,
    /// A currency stands beside it.
    pub money: bool,
}

/// The words around a number.
struct Around {
    /// Words before it, back to the number before; the nearest last, hedges left out.
    lead: Vec<String>,
    /// Words behind it, up to the next number.
    next: Vec<String>,
    /// What stands directly behind: `/wk`.
    glued: String,
}

/// The numbers of a sentence with their roles, in order.
pub fn read(sentence: &str, style: Option<Style>) -> Vec<Told> {
    let lower = sentence.to_ascii_lowercase();
    let scanned: Vec<quantity::Quantity> =
        quantity::scan(sentence).into_iter().filter(|q| is_number(&lower, q)).collect();
    let scanned = with_own_money(sentence, scanned);
    let mut found = Vec::new();
    for (at, own) in scanned.iter().enumerate() {
        let from = at.checked_sub(1).and_then(|at| scanned.get(at)).map_or(0, |before| before.end);
        let to = scanned.get(at + 1).map_or(lower.len(), |after| after.start);
        let around =
            around(lower.get(from..own.start).unwrap_or_default(), lower.get(own.end..to).unwrap_or_default(), own);
        let written = sentence.get(own.start..own.end).unwrap_or_default();
        // `1.2m subscribers` are no metres.
        let scale = if own.unit.as_deref() == Some("m") && written.ends_with(['m', 'M']) { 1e6 } else { 1.0 };
        let value = quantity::read(written, style).map_or(own.value, |one| one.value).abs() * scale;
        let says_now = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "now" || word == "nun" || word == "jetzt")
        };
        let now = around.lead.iter().rev().take(6).any(|word| words::NOW.contains(&word.as_str()))
            || says_now(lower.get(from..own.start).unwrap_or_default());
        found.push(Told {
            value,
            role: role(own, &around),
            start: own.start,
            end: own.end,
            now,
            money: own.currency.is_some(),
        });
    }
    changes(&lower, &mut found);
    bounded(&lower, &mut found);
    found
}

/// In `between 20 and 30 dollars` both are bounds.
fn bounded(lower: &str, found: &mut [Told]) {
    for at in 1..found.len() {
        let (before, after) = found.split_at_mut(at);
        let (Some(low), Some(high)) = (before.last_mut(), after.first_mut()) else { continue };
        let lead = word_list(lower.get(..low.start).unwrap_or_default());
        let between = lower.get(low.end..high.start).unwrap_or_default().trim();
        let opens = lead.last().is_some_and(|word| {
            ["between", "zwischen", "entre", "tra", "tussen", "bounds", "allowed", "limits"].contains(&word.as_str())
        });
        if opens && ["and", "und", "et", "y", "e", "en", "-", "–", "to"].contains(&between) {
            (low.role, high.role) = (Role::Other, Role::Other);
        }
    }
}

/// In `6.5 EUR 64 glasses` the currency belongs to what stands before it.
fn with_own_money(sentence: &str, mut scanned: Vec<quantity::Quantity>) -> Vec<quantity::Quantity> {
    for at in 1..scanned.len() {
        let (before, after) = scanned.split_at_mut(at);
        let (Some(price), Some(other)) = (before.last_mut(), after.first_mut()) else { continue };
        let written = sentence.get(other.start..other.end).unwrap_or_default();
        let beside =
            price.end > other.start || sentence.get(price.end..other.start).is_some_and(|text| text.trim().is_empty());
        let Some(digit) = written.find(|c: char| c.is_ascii_digit()) else { continue };
        if beside && marked_before(written) && (price.currency.is_none() || price.end > other.start) {
            let money = other.currency.take();
            price.currency = price.currency.take().or(money);
            price.end = price.end.min(other.start);
            other.start += digit;
        }
    }
    scanned
}

/// Whether letters or a sign stand before the digits.
fn marked_before(written: &str) -> bool {
    written.starts_with(|c: char| c.is_alphabetic() || "€£$".contains(c))
}

/// Ordinals, and `one` as a word, are no numbers; neither are parts of names (`Q1`, `4b`, `2024-01`).
fn is_number(lower: &str, own: &quantity::Quantity) -> bool {
    let before = lower.get(..own.start).and_then(|text| text.chars().next_back());
    let after = lower.get(own.end..).and_then(|text| text.chars().next());
    let small_word = own.in_words && own.value < 3.0;
    let inside = before.is_some_and(|c| c.is_alphabetic() && !"x@pq".contains(c))
        || (after.is_some_and(char::is_alphabetic)
            && own.unit.is_none()
            && !own.in_words
            && own.currency.is_none()
            && own.value.fract() == 0.0
            && lower.get(own.end..).is_some_and(|rest| {
                rest.chars().take_while(|c| c.is_alphabetic()).count() == 1
                    && !rest.starts_with(['x', '@', 'p', 'c', '€'])
            }));
    !own.ordinal && !small_word && !inside
}

fn word_list(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !(c.is_alphanumeric() || "'’=@→>-/#€$£".contains(c)));
    split
        .map(|word| word.trim_matches(['\'', '’']))
        .map(|word| word.split_once('/').map_or(word, |(name, _)| if name.is_empty() { word } else { name }))
        .filter(|word| !word.is_empty() && !words::HEDGES.contains(word))
        .map(str::to_owned)
        .collect()
}

fn around(before: &str, behind: &str, own: &quantity::Quantity) -> Around {
    let before = before.rsplit([')', ';', '(']).next().unwrap_or_default();
    let lead = word_list(before).into_iter().filter(|word| !["€", "$", "£"].contains(&word.as_str())).collect();
    // What a comma or a bracket parts off is another matter.
    let own_part = behind.split([',', '(', ')', ';', ':']).next().unwrap_or_default();
    let mut next = word_list(own_part);
    if let Some(unit) = &own.unit {
        next.insert(0, unit.to_lowercase());
    }
    let glued = behind.chars().take(12).collect();
    Around { lead, next, glued }
}

/// Whether a sale is counted for each day or week behind the number: `a day`, `/wk`, `par jour`.
fn for_each_time(around: &Around) -> bool {
    let first = around.next.first().map(String::as_str).unwrap_or_default();
    let second = around.next.get(1).map(String::as_str).unwrap_or_default();
    let glued = around.glued.trim_start().strip_prefix('/').map(|rest| rest.trim_start());
    glued.is_some_and(|rest| words::TIME.iter().any(|time| rest.starts_with(time)) || rest.starts_with(['d', 'w', 'm']))
        || (words::EACH.contains(&first) && words::TIME.contains(&second))
        || ["daily", "weekly", "monthly", "täglich", "pw", "pm"].contains(&first)
}

fn role(own: &quantity::Quantity, around: &Around) -> Role {
    let next = |at: usize| around.next.get(at).map(String::as_str).unwrap_or_default();
    let lead = |back: usize| around.lead.iter().rev().nth(back).map(String::as_str).unwrap_or_default();
    let near = |list: &[&str], far: usize| around.lead.iter().rev().take(far).any(|word| list.contains(&word.as_str()));
    let first = next(0);
    if own.percent {
        let all = around.next.iter().take(3).chain(around.lead.iter().rev().take(3));
        let bought = all.into_iter().any(|word| words::BOUGHT.iter().any(|one| word.starts_with(one)));
        return if bought { Role::Rate } else { Role::Percent };
    }
    let coin = words::COINS.contains(&first) && (first.len() > 2 || around.glued.starts_with(first));
    let money = own.currency.is_some() || coin;
    // `booked 38 hours`: hours can be what is sold.
    let let_out = near(&["booked", "rented", "hired", "billed", "vermietet", "gebucht"], 1)
        && words::TIME.contains(&first)
        && !money;
    if let_out {
        return Role::Sold;
    }
    if is_time(own, around, money) || near(words::BOUND, 2) || (!money && words::LABEL.contains(&lead(0))) {
        return Role::Other;
    }
    let usual = near(&["normally", "usually", "regularly", "normalerweise"], 3);
    let cost = !usual
        && (words::COST.iter().any(|list| near(&[list], 5))
            || words::COST.contains(&first)
            || words::COST.contains(&next(1)));
    let taken =
        words::TAKEN.iter().any(|word| near(&[word], 3) || next(0) == *word || (next(0) == "in" && next(1) == *word));
    if cost || (money && taken) {
        return Role::Other;
    }
    if !usual
        && (words::COSTS.iter().any(|one| near(&[one], 5))
            || words::COSTS.contains(&first)
            || words::COSTS.contains(&next(1)))
    {
        let ours = near(words::SELLER, 6) || words::COSTS.contains(&first) || words::COSTS.contains(&next(1));
        return if ours { Role::Other } else { Role::Bare };
    }
    if words::NO_COUNT.iter().any(|one| first.starts_with(one)) && !money {
        return Role::Other;
    }

    if TRIED.iter().any(|one| first.starts_with(one)) {
        return Role::Tried;
    }
    let strong =
        near(words::PRICE_LEAD, 1) || (PRICE.iter().any(|word| lead(0).starts_with(word)) && !lead(0).contains("sold"));
    if money
        || strong
        || ["each", "apiece"].contains(&first)
        || (words::EACH.contains(&first) && words::APIECE.contains(&next(1)))
    {
        return Role::Price;
    }
    counted_or_bare(around)
}

/// What is left without a sign of a price: a number of things by the noun or verb beside it, a weak price, or nothing.
fn counted_or_bare(around: &Around) -> Role {
    let next = |at: usize| around.next.get(at).map(String::as_str).unwrap_or_default();
    let lead = |back: usize| around.lead.iter().rev().nth(back).map(String::as_str).unwrap_or_default();
    let near = |list: &[&str], far: usize| around.lead.iter().rev().take(far).any(|word| list.contains(&word.as_str()));
    let first = next(0);
    let counted = |word: &str| QUANTITY.iter().chain(words::SOLD_UNITS).any(|one| word.starts_with(one));
    if counted(first) || counted(next(1)) && !words::LINK.contains(&first) {
        return Role::Sold;
    }
    // `at 260 it was 49`: what was, the price beside it tells; `the price is 6.5` is one.
    let copula = words::COPULA.contains(&lead(0));
    let priced = PRICE.iter().any(|word| lead(1).starts_with(word));
    let weak = near(words::WEAK_LEAD, 1) && (!copula || priced);
    if for_each_time(around) {
        return if weak { Role::Bare } else { Role::Sold };
    }
    let noun = first.chars().all(char::is_alphabetic)
        && first.chars().count() > 2
        && !words::LINK.contains(&first)
        && !words::SOLD_LEAD.contains(&first);
    let of_them = first == "of" && ["them", "those", "us"].contains(&next(1));
    if (noun && !words::EACH.contains(&first)) || of_them {
        return Role::Sold;
    }
    if near(words::SOLD_LEAD, 2) || QUANTITY.iter().any(|word| lead(0).starts_with(word)) {
        return Role::Sold;
    }
    if weak { Role::Price } else { Role::Bare }
}

/// Dates, years and durations.
fn is_time(own: &quantity::Quantity, around: &Around, money: bool) -> bool {
    let first = around.next.first().map(String::as_str).unwrap_or_default();
    let before = around.lead.last().map(String::as_str).unwrap_or_default();
    let month = |word: &str| words::MONTHS.iter().any(|month| word.starts_with(month));
    let whole = own.value.fract() == 0.0;
    let year = whole
        && (1990.0..2100.0).contains(&own.value)
        && (month(before) || ["in", "year", "since", "en", "im", "jahr"].contains(&before));
    let day = whole && own.value <= 31.0 && month(first);
    !money && (words::TIME.contains(&first) && !words::EACH.contains(&first) || year || day)
}

/// `from 2 to 2.20`: both are of one kind, which either of them, or what is said to move, tells.
fn changes(lower: &str, found: &mut [Told]) {
    for at in 1..found.len() {
        let (before, after) = found.split_at_mut(at);
        let (Some(from), Some(to)) = (before.last_mut(), after.first_mut()) else { continue };
        let between = lower.get(from.end..to.start).unwrap_or_default();
        let lead = lower.get(..from.start).unwrap_or_default();
        let words: Vec<String> = word_list(between);
        let moves = words.last().is_some_and(|word| words::TO.contains(&word.as_str())) && words.len() < 5;
        let opened = word_list(lead).last().is_some_and(|word| words::FROM.contains(&word.as_str()));
        if !moves || !opened {
            continue;
        }
        let said = last_subject(lead);
        let kinds = [from.role, to.role];
        let kind = if said == Some(Role::Price) && !kinds.contains(&Role::Other) {
            Role::Price
        } else if kinds.contains(&Role::Sold) {
            Role::Sold
        } else if let Some(said) = said {
            said
        } else if kinds.contains(&Role::Price) {
            Role::Price
        } else {
            continue;
        };
        (from.role, to.role) = (kind, kind);
    }
    // `Price 20 -> 24, units 600 -> 480`
    let arrows = ["->", "→", "=>"].iter().map(|sign| lower.matches(sign).count()).sum::<usize>() == 2;
    if let ([price, new, sold, last], true) = (found, arrows) {
        let subject = |one: &Told| last_subject(lower.get(..one.start).unwrap_or_default());
        match (subject(price), subject(sold)) {
            (Some(Role::Price), Some(Role::Sold)) => {
                [price.role, new.role, sold.role, last.role] = [Role::Price, Role::Price, Role::Sold, Role::Sold]
            }
            (Some(Role::Sold), Some(Role::Price)) => {
                [price.role, new.role, sold.role, last.role] = [Role::Sold, Role::Sold, Role::Price, Role::Price]
            }
            _ => {}
        }
        let open = |role: Role| matches!(role, Role::Bare | Role::Price);
        if price.role == Role::Price && open(new.role) && sold.role == Role::Sold && last.role == Role::Bare {
            (new.role, last.role) = (Role::Price, Role::Sold);
        }
    }
}

/// What the words before a change speak of.
fn last_subject(lead: &str) -> Option<Role> {
    let clause = lead.rsplit([',', ';', '.', '(', ')']).next().unwrap_or(lead);
    let clause = patterns::compiled(r" (and|und|et|y|e|en|while|but) ")
        .and_then(|joint| joint.find_iter(clause).last().map(|found| found.end()))
        .and_then(|at| clause.get(at..))
        .unwrap_or(clause);
    let words = word_list(clause);
    let is = |list: &[&str]| words.iter().any(|word| list.iter().any(|one| word.starts_with(one)));
    if is(words::PRICE_SUBJECT) {
        return Some(Role::Price);
    }
    (is(&QUANTITY) || is(words::SOLD_SUBJECT)).then_some(Role::Sold)
}
