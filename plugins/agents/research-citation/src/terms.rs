//! Words of a sentence that carry meaning, and which of them say the same.

/// Words that say nothing of what a sentence is about, in the languages that are read.
const STOP: &[&str] = &[
    "a",
    "about",
    "after",
    "all",
    "also",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "being",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "for",
    "from",
    "had",
    "has",
    "have",
    "he",
    "her",
    "his",
    "how",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "more",
    "most",
    "than",
    "of",
    "on",
    "one",
    "or",
    "our",
    "out",
    "over",
    "per",
    "she",
    "so",
    "some",
    "such",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "up",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "will",
    "with",
    "would",
    "you",
    "your",
    "been",
    "not",
    "no",
    "never",
    "none",
    "nor",
    "neither",
    "without",
    "cannot",
    "nobody",
    "nothing",
    "every",
    "each",
    "only",
    "about",
    "around",
    "approximately",
    "roughly",
    "nearly",
    "almost",
    "less",
    "fewer",
    "least",
    "under",
    "below",
    "above",
    "between",
    "during",
    "since",
    "until",
    "i",
    "year",
    "years",
    "million",
    "billion",
    "thousand",
    "hundred",
    "percent",
    "cent",
    "writes",
    "says",
    "states",
    "according",
    // German
    "der",
    "die",
    "das",
    "den",
    "dem",
    "des",
    "ein",
    "eine",
    "einen",
    "einem",
    "einer",
    "und",
    "oder",
    "ist",
    "sind",
    "war",
    "waren",
    "hat",
    "haben",
    "wird",
    "werden",
    "wurde",
    "wurden",
    "in",
    "im",
    "am",
    "an",
    "auf",
    "von",
    "vom",
    "zu",
    "zum",
    "zur",
    "mit",
    "für",
    "bei",
    "nach",
    "aus",
    "als",
    "es",
    "sie",
    "er",
    "sich",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nie",
    "jahr",
    "prozent",
    "mehr",
    // French, Spanish, Dutch, Italian
    "le",
    "la",
    "les",
    "un",
    "une",
    "des",
    "du",
    "de",
    "et",
    "est",
    "sont",
    "a",
    "au",
    "aux",
    "en",
    "dans",
    "par",
    "pour",
    "que",
    "qui",
    "il",
    "elle",
    "ne",
    "pas",
    "el",
    "los",
    "las",
    "una",
    "y",
    "es",
    "son",
    "fue",
    "con",
    "por",
    "para",
    "del",
    "al",
    "se",
    "su",
    "entre",
    "het",
    "een",
    "van",
    "op",
    "zijn",
    "was",
    "werd",
    "di",
    "il",
    "lo",
    "gli",
    "della",
    "che",
    "è",
];
/// Words that say the same, by their beginnings or whole; one group a line.
const ALIKE: &[&[&str]] = &[
    &[
        "rise",
        "rose",
        "rising",
        "risen",
        "grow",
        "grew",
        "grown",
        "growth",
        "increas",
        "climb",
        "gain",
        "higher",
        "gestiegen",
        "stieg",
        "steig",
        "wuchs",
        "gewachsen",
        "augment",
        "aumen",
        "creci",
        "toenam",
        "gestegen",
    ],
    &[
        "fall", "fell", "fallen", "drop", "declin", "decreas", "shrank", "shrunk", "reduc", "reduced", "lower",
        "gesunken", "sank", "sinke", "gefallen", "baiss", "diminu", "dismin", "redu", "daalde", "gedaald",
    ],
    &["found", "founded", "establish", "creat", "launch", "start", "began", "begin", "begun", "set up", "gegründet"],
    &["employ", "staff", "worker", "workforce", "personnel", "mitarbeit", "beschäftig"],
    &["cost", "price", "paid", "expens", "kost"],
    &["visitor", "guest", "visit", "besucher"],
    &["inhabit", "resident", "population", "people live", "citizen", "einwohner", "habitant"],
    &["car", "cars", "vehicle", "automobile"],
    &["children", "child", "kids", "minors", "under-18s"],
    &["free", "nothing", "gratis", "kostenlos", "gratuit"],
    &["entry", "admission", "entrance", "pay", "ticket"],
    &["study", "trial", "experiment", "survey", "studie"],
    &["patient", "subject", "participant", "respondent", "volunteer"],
    &["include", "enrol", "comprise", "consist", "contain"],
    &["measure", "long", "length", "mesure", "lang"],
    &["weigh", "weight", "weighs", "wiegt", "gewicht"],
    &["tall", "high", "height", "hoch"],
    &["built", "build", "construct", "erected", "gebaut"],
    &["carried", "conducted", "performed", "done", "took place", "held", "run"],
    &["buy", "bought", "purchas", "acquir"],
    &["company", "firm", "business", "enterprise"],
    &["doctor", "physician"],
    &["big", "large", "huge"],
    &["begin", "commence"],
    &["home", "live", "lives"],
    &["help", "aid", "support"],
    &["show", "demonstrat", "reveal"],
    &["member", "belong"],
    &["last", "lasts", "lasted", "duration"],
    &["open", "opened", "inaugurat"],
    &["closed", "close", "shut"],
    &["sales", "revenue", "turnover", "umsatz"],
    &["electricity", "power"],
    &["use", "used", "using", "utilis", "utiliz"],
];
/// Pairs of which one denies the other.
const OPPOSED: &[(&[&str], &[&str])] = &[
    (
        &[
            "rise",
            "rose",
            "rising",
            "risen",
            "grow",
            "grew",
            "increas",
            "climb",
            "stieg",
            "gestiegen",
            "augment",
            "aument",
        ],
        &[
            "fall", "fell", "fallen", "drop", "declin", "decreas", "shrank", "sank", "gesunken", "baiss", "dismin",
            "diminu",
        ],
    ),
    (&["allow", "permit", "permitted", "erlaubt"], &["ban", "banned", "forbid", "forbidden", "prohibit", "verboten"]),
    (&["above", "exceed"], &["below", "beneath", "under"]),
    (&["safe", "harmless"], &["unsafe", "dangerous", "harmful"]),
    (&["legal", "lawful"], &["illegal", "unlawful"]),
    (&["win", "won"], &["lose", "lost"]),
    (&["increase", "improv"], &["worsen", "deteriorat"]),
    (&["accept", "approv"], &["reject", "refus"]),
    (&["open", "opened"], &["close", "closed", "shut"]),
    (&["faster", "quicker"], &["slower"]),
    (&["before"], &["after"]),
    (&["cheaper"], &["dearer", "costlier"]),
    (&["first"], &["last"]),
];
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nor", "neither", "without", "cannot", "nobody", "nothing", "fail", "failed",
    "fails", "nicht", "kein", "keine", "keinen", "keiner", "keinem", "nie", "niemand", "pas", "aucun", "aucune",
    "jamais", "nunca", "ningún", "ninguna", "ningun", "niet", "geen", "non",
];

/// A word with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// In small letters.
    pub word: String,
    /// A capital begins it and it does not begin the sentence.
    pub name: bool,
}

/// The words of meaning, without figures.
pub fn terms(text: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for (at, raw) in text
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’' || c == '-'))
        .filter(|w| !w.is_empty())
        .enumerate()
    {
        let word = raw.to_lowercase().replace('’', "'");
        let word = word.trim_matches(['\'', '-']).trim_end_matches("'s").to_owned();
        let figure = word.chars().next().is_none_or(|c| c.is_ascii_digit());
        let one = word.chars().count() < 2;
        if figure
            || one
            || STOP.contains(&word.as_str())
            || word.ends_with("n't")
            || agent_common::number_words::cardinal(&word).is_some()
            || is_unit(&word)
        {
            continue;
        }
        let name = at > 0 && raw.chars().next().is_some_and(char::is_uppercase);
        if !terms.iter().any(|term| term.word == word) {
            terms.push(Term { word, name });
        }
    }
    terms
}

fn is_unit(word: &str) -> bool {
    [
        "km",
        "cm",
        "mm",
        "kg",
        "mg",
        "euro",
        "euros",
        "dollars",
        "dollar",
        "pounds",
        "hz",
        "kilometres",
        "kilometers",
        "kilomètres",
        "kilometer",
        "metres",
        "meters",
        "mètres",
        "hours",
        "minutes",
        "seconds",
        "days",
        "weeks",
        "months",
        "grams",
        "tonnes",
        "litres",
        "drittel",
        "hälfte",
        "third",
        "thirds",
        "half",
        "quarter",
        "quarters",
        "stunden",
        "minuten",
        "inches",
    ]
    .contains(&word)
}

/// Whether two words say the same.
pub fn alike(a: &str, b: &str) -> bool {
    a == b || kin(a, b) || ALIKE.iter().any(|group| in_group(a, group) && in_group(b, group))
}

/// Forms of one word: a long beginning in common.
fn kin(a: &str, b: &str) -> bool {
    let (short, long) = if a.chars().count() <= b.chars().count() { (a, b) } else { (b, a) };
    let (n, m) = (short.chars().count(), long.chars().count());
    let common = short.chars().zip(long.chars()).take_while(|(x, y)| x == y).count();
    n >= 4 && m - n <= 4 && common >= if n > 5 { (n - 2).max(5) } else { (n - 1).max(4) }
        || (n >= 3 && common == n && m - n <= 2)
}

fn in_group(word: &str, group: &[&str]) -> bool {
    group.iter().any(|one| word == *one || (one.len() >= 4 && word.starts_with(one) && word.len() <= one.len() + 5))
}

/// Whether one text has a word and the other its opposite, and neither has both.
pub fn opposed(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
    };
    let (a, b) = (words(a), words(b));
    let has = |words: &[String], group: &[&str]| words.iter().any(|word| in_group(word, group));
    OPPOSED.iter().any(|(up, down)| {
        let (au, ad, bu, bd) = (has(&a, up), has(&a, down), has(&b, up), has(&b, down));
        (au && !ad && bd && !bu) || (ad && !au && bu && !bd)
    })
}

/// Whether a text denies.
pub fn negated(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty()).collect();
    let denies = |(at, word): (usize, &&str)| {
        let soft = *word == "not" && words.get(at + 1).is_some_and(|next| *next == "only");
        let doubt = *word == "no"
            && words.get(at + 1).is_some_and(|next| ["doubt", "later", "longer"].contains(next) && *next != "longer");
        let free = *word == "nothing"
            && at > 0
            && words.get(at - 1).is_some_and(|before| ["pay", "pays", "cost", "costs"].contains(before));
        (NEGATIONS.contains(word) || word.ends_with("n't")) && !soft && !doubt && !free
    };
    words.iter().enumerate().any(denies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_the_same() {
        for (a, b) in [
            ("reduces", "reduced"),
            ("grew", "increased"),
            ("inhabitants", "population"),
            ("patient", "patients"),
            ("enrolled", "included"),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
        for (a, b) in [("station", "statue"), ("north", "south"), ("bread", "broad"), ("cat", "cattle")] {
            assert!(!alike(a, b), "{a} {b}");
        }
        assert!(opposed("Dogs are allowed", "Dogs are banned") && !opposed("prices rose", "prices rose, then fell"));
        assert!(
            negated("It didn't rain")
                && negated("No rain fell")
                && !negated("Not only rain")
                && negated("es regnet nicht")
        );
    }
}
