//! What a task says besides the sales: today's price, cost, bounds, the goal.

use agent_common::quantity::Style;

use crate::amounts::{after, all, before, range};

/// Terms of a task.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    pub current: Option<f64>,
    /// A price that is thought of.
    pub candidate: Option<f64>,
    pub cost: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The task speaks of revenue and not of profit.
    pub revenue: bool,
    pub elasticity: Option<f64>,
    /// Changes are shares of what was before, and not of the midpoint.
    pub simple: bool,
}

const NOW_AFTER: &[&str] = &[
    "current price",
    "current p",
    "currently at",
    "currently charge",
    "currently charging",
    "currently",
    "today's price",
    "price today",
    "price is now",
    "present price",
    "existing price",
    "price now",
    "we charge",
    "i charge",
    "charging",
    "we ask",
    "i ask",
    "we sit at",
    "sit at",
    "we are at",
    "we're at",
    "now at",
    "status quo",
    "preis ist heute",
    "aktueller preis",
    "heutiger preis",
    "heute",
    "derzeit",
    "aktuell",
    "prix actuel",
    "actuellement",
    "chiediamo",
    "prezzo attuale",
    "precio actual",
    "cobramos",
    "today",
    "now",
    "huidige prijs",
    "preço atual",
    "list price",
];
const NOW_BEFORE: &[&str] = &[
    "right now",
    "at the moment",
    "today",
    "is the normal price",
    "is our price",
    "is the current price",
    "is what we charge",
    "currently",
    "is our current price",
    "now",
    "heute",
    "derzeit",
    "aktuell",
    "aujourd",
    "adesso",
    "hoy",
];
const COST: &[&str] = &[
    "unit cost",
    "unit costs",
    "marginal cost",
    "variable cost",
    "variable costs",
    "cost per unit",
    "cost price",
    "costs us",
    "costs me",
    "cost us",
    "cost of goods",
    "costs",
    "cost",
    "cogs",
    "selbstkosten",
    "stückkosten",
    "kosten",
    "coût",
    "einkauf",
    "wareneinsatz",
    "ingredients",
    "materials",
    "coûtent",
    "coûte",
    "buying price",
    "buying-in price",
    "wholesale price",
    "i buy one for",
    "i buy them for",
    "i buy them at",
    "we buy them for",
    "we buy them at",
    "we buy at",
    "buy it for",
    "buy it at",
    "einkaufspreis",
    "prix d'achat",
    "precio de compra",
    "inkoopprijs",
    "cuesta",
    "cuestan",
    "kostet uns",
    "costa",
    "coûts",
    "costo",
    "costi",
    "coste",
    "custo",
    "we pay",
    "purchase price",
];
const RANGE: &[&str] = &[
    "allowed",
    "allows",
    "allow",
    "bounds",
    "bound",
    "limits",
    "limit",
    "limiti",
    "limites",
    "grenzen",
    "erlaubt sind",
    "erlaubt",
    "zulässig",
    "zwischen",
    "entre",
    "tra",
    "between",
    "within",
    "range of",
    "price range",
    "range",
    "charge from",
    "ask from",
    "anything from",
    "von",
    "min/max",
    "min max",
    "stay in",
    "corridor",
];
const HIGH: &[&str] = &[
    "at most",
    "maximum",
    "max.",
    "max",
    "hard cap",
    "cap of",
    "capped at",
    "cap",
    "no more than",
    "not above",
    "go above",
    "no higher than",
    "nothing above",
    "not higher than",
    "nicht über",
    "no más de",
    "up to",
    "ceiling",
    "höchstens",
    "maximal",
    "upper limit",
    "not exceed",
    "never above",
    "never more than",
    "not over",
    "au maximum",
];
const LOW: &[&str] = &[
    "at least",
    "minimum",
    "min.",
    "min",
    "no less than",
    "not below",
    "go below",
    "no lower than",
    "nothing below",
    "nicht unter",
    "never below",
    "floor of",
    "floor",
    "mindestens",
    "lower limit",
    "not go below",
    "not under",
    "never under",
];

/// Reads the words of a task; rows of data are left out before.
pub fn read(words: &str, style: Option<Style>) -> Terms {
    let lower = words.to_lowercase();
    let moved = moved(words, style);
    let value = |found: Option<crate::amounts::Amount>| found.map(|amount| amount.value);
    let bounds =
        range(words, RANGE, style).filter(|_| moved.is_none() || lower.contains("between") || lower.contains("allow"));
    let cost = value(after(words, COST, 36, style));
    let current = moved
        .map(|(from, _)| from)
        .or_else(|| value(after(words, NOW_AFTER, 14, style)))
        .or_else(|| value(before(words, NOW_BEFORE, 8, style)));
    let profit = [
        "profit",
        "margin",
        "gewinn",
        "marge",
        "bénéfice",
        "utile",
        "beneficio",
        "contribution",
        "deckungsbeitrag",
        "earns",
        "winst",
    ]
    .iter()
    .any(|w| lower.contains(w));
    let revenue =
        ["revenue", "turnover", "umsatz", "chiffre d", "ricavi", "ricavo", "ingresos", "omzet", "receita", "takings"]
            .iter()
            .any(|w| lower.contains(w));
    Terms {
        current: current.filter(|current| Some(*current) != cost || moved.is_some()),
        candidate: moved.map(|(_, to)| to),
        cost,
        low: bounds.map(|b| b.0).or_else(|| value(after(words, LOW, 12, style))),
        high: bounds.map(|b| b.1).or_else(|| value(after(words, HIGH, 12, style))),
        revenue: revenue && !profit,
        elasticity: elasticity(words),
        simple: false,
    }
}

/// Whether shares of what was before are asked for, and not those of the midpoint.
pub fn simple(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let midpoint =
        has(&["midpoint", "mid-point", " arc ", "(arc)", "punto medio", "point milieu", "mittelpunkt", "bogen"]);
    let no_midpoint = has(&[
        "not midpoint",
        "not the midpoint",
        "no midpoint",
        "not mid-point",
        "without the midpoint",
        "instead of midpoint",
        "not arc",
        "rather than midpoint",
        "instead of the midpoint",
    ]);
    let plain = has(&[
        "simple percent",
        "simple (",
        "simple method",
        "simple formula",
        "point elasticity",
        "initial price as",
        "old price as",
        "based on the initial",
        "relative to the old",
        "relative to the initial",
        "starting value",
        "initial value",
        "einfache prozent",
        "ausgangswert",
        "simple elasticity",
        "plain percent",
        "simple ratio",
        "percentage-change method",
        "original price as",
        "ordinary percent",
    ]);
    no_midpoint || (plain && !midpoint)
}

/// `cut the price from 240 to 220`
fn moved(words: &str, style: Option<Style>) -> Option<(f64, f64)> {
    let lower = words.to_lowercase();
    let amounts = all(words, style);
    let at = [
        "price from",
        "prices from",
        "price went from",
        "price goes from",
        "price moved from",
        "raise from",
        "cut from",
        "go from",
        "price change from",
        "it from",
        "preis von",
    ]
    .iter()
    .find_map(|word| lower.find(word).map(|at| at + word.len()))?;
    let place = amounts.iter().position(|amount| amount.start >= at)?;
    let (from, to) = (amounts.get(place)?, amounts.get(place + 1)?);
    let near = from.start - at < 6
        && words
            .get(from.end..to.start)?
            .trim_matches(|c: char| c.is_whitespace() || "€$£".contains(c))
            .ends_with("to");
    near.then_some((from.value, to.value))
}

/// An elasticity that is given as a number below 0.
fn elasticity(words: &str) -> Option<f64> {
    let lower = words.to_lowercase().replace('−', "-");
    let at = lower.find("elasticity").or_else(|| lower.find("elastizität")).or_else(|| lower.find("élasticité"))?;
    let rest = lower.get(at..)?;
    let digits = rest.find(|c: char| c.is_ascii_digit())?;
    let lead = rest.get(..digits)?;
    let known = ["of", "is", "=", ":", "about", "constant", "at", "von", "de"].iter().any(|word| {
        lead.split_whitespace().any(|one| one.trim_end_matches(['-', '~']) == *word || one.starts_with('='))
    });
    let known = known || ["", "-"].contains(&lead.trim_start_matches("elasticity").trim());
    let first = agent_common::quantity::scan(rest).into_iter().next()?;
    let signed = lead.trim_end().ends_with('-') || lead.contains("minus");
    (known
        && lead.len() < 34
        && !ends(lead)
        && (0.05..=20.0).contains(&first.value.abs())
        && (signed || first.value < 0.0 || lead.contains("constant")))
    .then(|| -first.value.abs())
}

fn ends(text: &str) -> bool {
    text.contains(['.', '?', '\n', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_in_words() {
        let cases = [
            ("We sit at 109 right now and a kit costs us 40. The board allows 99 to 129.", "109 40 99 129"),
            ("Unser Preis ist heute 60 €. Erlaubt sind 40 bis 60 €. Kosten pro Stück: 20 €.", "60 20 40 60"),
            ("Prix actuel 1,40 €. Entre 1,20 et 1,80 €, quel prix rapporte le plus ?", "1.4 - 1.2 1.8"),
            ("Is my menu too cheap? I ask 7. City rules: at most 9. Cost of ingredients 3 per menu.", "7 3 - 9"),
            ("current p = 16, marginal cost = 6, bounds [12, 16]. optimise profit", "16 6 12 16"),
            (
                "Given a constant price elasticity of -2.5 and unit costs of 9 euros, what price? We may charge from 10 to 20 and ask 12 today.",
                "12 9 10 20",
            ),
            ("18 is the normal price. Wine costs us 9.", "18 9 - -"),
            ("Adesso chiediamo 1.200,00 €. Limiti: 1.000–1.600 €. Costo per noleggio: 300 €.", "1200 300 1000 1600"),
            ("would revenue grow if I cut the price from 240 to 220", "240 - - -"),
            ("(today 27, hard cap 33)", "27 - - 33"),
        ];
        for (text, expect) in cases {
            let terms = read(text, crate::amounts::style(text));
            let show = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value}"));
            let told = [terms.current, terms.cost, terms.low, terms.high].map(show).join(" ");
            assert_eq!(told, expect, "{text}");
        }
        assert_eq!(elasticity("a constant price elasticity of -2.5 and"), Some(-2.5));
        assert_eq!(elasticity("tell elasticity + direction (today 27)"), None);
    }
}
