//! Words that ask for a figure. All folded.

use crate::query::Op;

const SUM: &[&str] = &[
    "sum",
    "total",
    "totals",
    "totalled",
    "totaled",
    "summe",
    "summen",
    "add",
    "altogether",
    "overall",
    "combined",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "somme",
    "additionner",
    "additionne",
    "suma",
    "sumar",
    "somma",
    "soma",
    "zusammen",
    "summiere",
    "summieren",
    "sums",
    "tally",
    "aggregate",
    "summed",
    "addiere",
    "addieren",
    "totale",
    "totaal",
    "som",
    "total's",
    "gesamtzahl",
    "sume",
    "totaliser",
    "cumulative",
];

pub const MEAN: &[&str] = &[
    "average",
    "averages",
    "mean",
    "avg",
    "durchschnitt",
    "durchschnittlich",
    "durchschnittliche",
    "durchschnittlicher",
    "durchschnittliches",
    "durchschnittlichen",
    "mittelwert",
    "moyenne",
    "moyen",
    "promedio",
    "media",
    "gemiddelde",
    "gemiddeld",
    "averaged",
    "schnitt",
];

const MEDIAN: &[&str] = &["median", "mediane", "mediana", "mediaan"];

pub const MAX: &[&str] = &[
    "highest",
    "most",
    "largest",
    "biggest",
    "maximum",
    "max",
    "greatest",
    "longest",
    "oldest",
    "heaviest",
    "tallest",
    "latest",
    "dearest",
    "hochste",
    "hochsten",
    "hochster",
    "grosste",
    "grossten",
    "grosster",
    "meisten",
    "meiste",
    "maximal",
    "maximale",
    "mayor",
    "maggiore",
    "maior",
    "strongest",
    "costliest",
    "newest",
    "fastest",
    "priciest",
    "best",
    "teuerste",
    "teuersten",
    "hoogste",
];

pub const MIN: &[&str] = &[
    "lowest",
    "least",
    "smallest",
    "minimum",
    "min",
    "fewest",
    "cheapest",
    "shortest",
    "youngest",
    "lightest",
    "earliest",
    "niedrigste",
    "niedrigsten",
    "kleinste",
    "kleinsten",
    "wenigsten",
    "menor",
    "minore",
    "weakest",
    "slowest",
    "billigste",
    "gunstigste",
    "laagste",
    "worst",
    "minimal",
];

pub const DISTINCT: &[&str] = &[
    "distinct",
    "different",
    "unique",
    "verschiedene",
    "verschiedenen",
    "unterschiedliche",
    "differents",
    "differentes",
    "distintos",
    "distinti",
];

pub const COUNT: &[&str] =
    &["count", "counts", "number", "anzahl", "nombre", "numero", "aantal", "frequency", "tally", "counted"];

const HOW_MANY: &[&str] =
    &["wieviele", "combien", "cuantos", "cuantas", "quanti", "quante", "quantos", "quantas", "wieviel", "hoeveel"];

const SHARE: &[&str] = &[
    "share",
    "percentage",
    "percentages",
    "percent",
    "proportion",
    "anteil",
    "prozent",
    "prozentsatz",
    "part",
    "porcentaje",
    "percentuale",
    "shares",
    "anteile",
    "pct",
    "fraction",
    "%",
];

/// The figure that a word asks for.
pub fn op(word: &str) -> Option<Op> {
    let all: &[(&[&str], Op)] = &[
        (SUM, Op::Sum),
        (MEAN, Op::Mean),
        (MEDIAN, Op::Median),
        (MAX, Op::Max),
        (MIN, Op::Min),
        (SHARE, Op::Share),
        (COUNT, Op::Count),
        (HOW_MANY, Op::Count),
    ];
    let found = all.iter().find(|(words, _)| words.contains(&word)).map(|(_, op)| *op);
    found.or_else(|| ["gesamt", "total"].iter().any(|head| word.len() > 8 && word.starts_with(head)).then_some(Op::Sum))
}
