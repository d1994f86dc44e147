//! Words around a number that tell what it is.

/// Words that make a number less exact, and say nothing of what it is.
pub const HEDGES: &[&str] = &[
    "about", "around", "roughly", "only", "some", "just", "approx", "approximately", "ca", "circa", "etwa", "environ",
    "unos", "unas", "nur", "still", "exactly", "average", "avg", "nearly", "almost", "even", "rund", "knapp", "ungefähr",
    "now", "then", "once", "again", "instead", "i", "we", "they", "exakt",
];
/// Words that say that something holds today.
pub const NOW: &[&str] = &[
    "since", "currently", "today", "seit", "depuis", "desde", "aktuell", "derzeit", "heute", "aujourd'hui", "nowadays",
    "current", "present", "normally", "usually", "normal", "regular", "actuellement", "ahora", "hoy", "adesso", "oggi",
];
/// Words directly before a price.
pub const PRICE_LEAD: &[&str] = &[
    "@", "price", "priced", "charge", "charged", "charging", "charges", "ask", "asked", "asking", "asks", "p", "p=", "tag", "ticket-price", "preis",
    "prix", "prezzo", "precio", "verlangt", "verlangen", "verlangten", "cobramos", "cobraba", "cobrábamos", "listed",
    "rate", "fee", "price=", "=price",
];
/// Words before a price, or before something else.
pub const WEAK_LEAD: &[&str] = &["at", "for", "a", "à", "zu", "für", "für", "por", "per", "para", "bei", "voor", "op", "til", "to", "auf", "je", "is", "was", "costs", "cost", "från"];
/// Words that say what something is, be it a price or a number of things.
pub const COPULA: &[&str] = &["is", "was"];
/// Verbs before units sold.
pub const SOLD_LEAD: &[&str] = &[
    "sold", "sell", "sells", "selling", "shift", "shifted", "moved", "shifting", "had", "have", "get", "got", "bought", "served",
    "did", "verkauft", "verkauften", "verkaufen", "vendu", "vendus", "vendimos", "vendemos", "vendíamos", "venduto", "venduti", "q", "q=", "qty",
    "sees", "see", "saw", "made", "took", "rented", "booked", "signed", "gives", "gave",
];
/// Things and people that are counted as sold.
pub const SOLD_UNITS: &[&str] = &[
    "sales", "sold", "people", "packs", "tubes", "clients", "riders", "rides", "seats", "licen", "covers", "patients", "coches", "pax", "bought",
    "entries",
];
/// What is said to move, when it is the price.
pub const PRICE_SUBJECT: &[&str] = &[
    "price", "preis", "prix", "precio", "prezzo", "prijs", "tarif", "fee", "fare", "charge", "rate", "toll", "rent", "subscription", "discount",
    "raise", "dearer", "cheaper", "cost", "aparcamiento", "ticket", "admission",
];
/// What is said to move, when it is what was sold.
pub const SOLD_SUBJECT: &[&str] = &[
    "sell", "selling", "shift", "ridership", "traffic", "attendance", "visitors", "customers", "buyers", "footfall", "passengers", "readers", "cars", "coches",
    "clientes", "kunden", "clients", "besucher", "kunde", "stück", "nachfrage", "demande", "demanda", "domanda", "vraag",
    "consumption", "usage", "output", "turnout", "unit", "subscri", "sign", "member", "players", "students", "patients", "guests",
    "occupancy", "trips", "cups", "rides", "quantities", "business", "take-up",
];
/// Names that a number belongs to: `week 3`.
pub const LABEL: &[&str] = &[
    "week", "weeks", "month", "day", "variant", "version", "group", "store", "test", "phase", "round", "branch", "option", "tier", "period",
    "quarter", "no", "#", "question", "chapter", "year", "semaine", "woche", "monat", "tag", "mes", "semana", "store", "shop", "town", "batch",
    "kw", "wk", "season",
];
/// Words that a bound follows.
pub const BOUND: &[&str] = &["most", "max", "maximum", "min", "minimum", "cap", "capped", "ceiling", "floor", "between", "limit", "least", "bounds", "allowed"];
/// Words around a cost.
pub const COST: &[&str] = &[
    "cost", "costs", "costing", "coût", "coûte", "coûtent", "kosten", "kostet", "costo", "costi", "coste", "cuesta", "custo", "cogs", "buying", "purchase",
    "einkauf", "einkaufspreis", "ingredients", "material", "materials", "pay", "landed", "wholesale", "buy", "supplier", "variable", "marginal",
    "costa", "kost", "zero-cost", "inkoop", "printing", "rohstoffe", "fixed",
];
/// Sums of money that came in.
pub const TAKEN: &[&str] = &[
    "revenue", "profit", "turnover", "takings", "umsatz", "gewinn", "earned", "recettes", "ingresos", "income", "ricavi", "profits", "made", "took", "sales",
    "budget",
];
/// `each` and its like behind a price, or before a time.
pub const EACH: &[&str] = &[
    "a", "an", "each", "per", "par", "pro", "por", "al", "am", "im", "il", "le", "la", "every", "je", "the", "à", "die", "in", "l", "los", "jede",
];
/// What a price is for.
pub const APIECE: &[&str] = &[
    "piece", "unit", "item", "stück", "pièce", "unidad", "head", "cup", "glass", "bottle", "seat", "copy", "ticket", "ride",
];
/// Small coins.
pub const COINS: &[&str] = &["pence", "p", "cents", "cent", "ct", "c", "quid", "bucks", "kr", "kronor", "kroner", "francs", "pesos", "rupees"];
/// Units of time.
pub const TIME: &[&str] = &[
    "day", "days", "week", "weeks", "wk", "month", "months", "mo", "year", "years", "hour", "hours", "minute", "minutes", "night", "nights",
    "quarter", "quarters", "weekend", "weekends", "jour", "jours", "semaine", "semaines", "mois", "ans", "an", "tag", "tage", "tagen", "woche", "wochen", "monat",
    "monate", "monaten", "jahr", "jahre", "día", "días", "semana", "semanas", "mes", "meses", "año", "giorno", "giorni", "settimana",
    "mese", "mesi", "dag", "dagen", "weken", "maand", "season", "evening", "morning", "match", "matinee",
];
/// First letters of months.
pub const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "okt", "nov", "dec", "dez"];
/// Verbs of those who bought out of those who could have.
pub const BOUGHT: &[&str] = &["conver", "bought", "buy", "purchas", "signed", "checkout"];
/// Words before the first value of a change.
pub const FROM: &[&str] = &["from", "von", "de", "da", "van", "od", "from:", "desde", "från"];
/// Words before the second value of a change.
pub const TO: &[&str] = &["to", "auf", "à", "a", "naar", "nach", "na", "al", "até", "->", "→", "till"];
/// Words behind a number that are no thing it counts.
pub const LINK: &[&str] = &[
    "and", "or", "but", "to", "at", "for", "in", "per", "each", "the", "when", "if", "is", "was", "are", "were", "vs", "versus", "on", "of", "from",
    "with", "it", "then", "while", "after", "before", "since", "until", "than", "as", "by", "because", "und", "oder", "bei", "zu", "auf", "dann", "für",
    "et", "ou", "puis", "por", "para", "con", "y", "pero", "now", "today", "right", "right now", "last", "this", "that", "which", "what", "should",
    "would", "so", "do", "did", "during", "over", "under", "off", "more", "less", "times", "here", "there", "we", "our", "you", "they", "got", "gave", "gives",
    "every", "only", "just", "about", "still", "again", "per", "against", "instead", "all", "und", "the", "einen", "ist", "war", "avec",
];
