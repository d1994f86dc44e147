//! Whether words ask for something, apart from telling it.

/// Verbs that a request begins with: of several languages, in the forms that ask.
const VERBS: &[&str] = &[
    "add",
    "analyse",
    "analyze",
    "answer",
    "assess",
    "audit",
    "average",
    "boil",
    "build",
    "calculate",
    "categorise",
    "categorize",
    "check",
    "choose",
    "classify",
    "clean",
    "combine",
    "compare",
    "compute",
    "condense",
    "convert",
    "correct",
    "count",
    "create",
    "decide",
    "describe",
    "detect",
    "determine",
    "eval",
    "estimate",
    "evaluate",
    "explain",
    "extract",
    "fill",
    "filter",
    "find",
    "fix",
    "flag",
    "forecast",
    "format",
    "generate",
    "get",
    "give",
    "go",
    "grade",
    "group",
    "help",
    "identify",
    "implement",
    "join",
    "judge",
    "keep",
    "label",
    "list",
    "listen",
    "look",
    "make",
    "mark",
    "match",
    "merge",
    "name",
    "optimise",
    "optimize",
    "outline",
    "paraphrase",
    "parse",
    "pick",
    "pivot",
    "plan",
    "point",
    "predict",
    "project",
    "pull",
    "put",
    "quote",
    "rank",
    "rate",
    "read",
    "recommend",
    "refactor",
    "remove",
    "reply",
    "return",
    "review",
    "revise",
    "rewrite",
    "say",
    "score",
    "see",
    "send",
    "shorten",
    "show",
    "simplify",
    "solve",
    "sort",
    "spell",
    "split",
    "state",
    "suggest",
    "sum",
    "summarise",
    "summarize",
    "summary",
    "tag",
    "take",
    "tally",
    "tell",
    "test",
    "total",
    "translate",
    "triage",
    "use",
    "validate",
    "verify",
    "write",
    // German
    "prüfe",
    "prüfen",
    "kontrolliere",
    "fasse",
    "übersetze",
    "übersetzen",
    "schreibe",
    "schreib",
    "nenne",
    "finde",
    "berechne",
    "bewerte",
    "sortiere",
    "ordne",
    "klassifiziere",
    "zähle",
    "gib",
    "sag",
    "zeige",
    "erstelle",
    "suche",
    "extrahiere",
    "liste",
    "vergleiche",
    "summiere",
    "summe",
    "markiere",
    // French
    "traduis",
    "traduisez",
    "traduire",
    "résume",
    "résumez",
    "classe",
    "classez",
    "trouve",
    "trouvez",
    "vérifie",
    "vérifiez",
    "extrais",
    "extrayez",
    "calcule",
    "calculez",
    "donne",
    "donnez",
    "écris",
    "écrivez",
    "indique",
    // Spanish, Portuguese, Italian
    "traduce",
    "traduzca",
    "resume",
    "resuma",
    "clasifica",
    "revisa",
    "revise",
    "extrae",
    "extraia",
    "calcula",
    "calcule",
    "escribe",
    "escreva",
    "traduza",
    "encuentra",
    "busca",
    "dime",
    "dame",
    "lista",
    "traduci",
    "riassumi",
    "classifica",
    "scrivi",
    "calcola",
    "trova",
    "estrai",
    "controlla",
    "verifica",
    "escreve",
    // Dutch
    "vat",
    "vertaal",
    "geef",
    "schrijf",
    "bereken",
    "controleer",
    "zoek",
];
/// Verbs of [`VERBS`] that also begin many sentences of a text; they need company.
const WEAK_VERBS: &[&str] = &[
    "go", "keep", "use", "see", "take", "name", "state", "test", "plan", "reply", "send", "help", "total", "average",
    "summary", "lista", "classe", "project", "answer", "rate", "read", "get", "look",
];
const POLITE: &[&str] = &[
    "please", "pls", "plz", "bitte", "kindly", "hi", "hello", "hey", "and", "now", "just", "then", "ok", "okay", "so",
    "quickly", "also", "first",
];
const QUESTIONS: &[&str] = &[
    "what", "whats", "what's", "which", "who", "whose", "whom", "when", "where", "why", "how", "is", "are", "was",
    "were", "do", "does", "did", "can", "could", "would", "will", "should", "has", "have", "any", "was", "wie",
    "welche", "welcher", "welches", "wann", "wer", "ist", "sind", "gibt", "quel", "quelle", "quels", "quelles",
    "comment", "est", "combien", "qué", "cuál", "cuáles", "cómo", "qual", "quais", "quale", "wat", "welk", "hoe",
    "hur",
];
/// Words by which people ask wherever they stand.
const ASKING: &[&str] = &[
    "please",
    "pls",
    "plz",
    "bitte",
    "por favor",
    "s'il te plaît",
    "s'il vous plaît",
    "svp",
    "per favore",
    "alsjeblieft",
    "i need",
    "we need",
    "i want",
    "we want",
    "i'd like",
    "i would like",
    "need:",
    "can you",
    "could you",
    "would you",
    "tell me",
    "give me",
    "show me",
    "let me know",
    "point out",
    "ich brauche",
    "können sie",
    "kannst du",
    "j'ai besoin",
    "pouvez-vous",
    "peux-tu",
    "necesito",
    "puedes",
    "pode",
    "i'd be glad",
    "merci de",
    "need in",
    "need to know",
    "for me",
];
/// Languages to translate to, in English.
const LANGUAGES: &[&str] = &[
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "portuguese",
    "dutch",
    "polish",
    "swedish",
    "danish",
    "norwegian",
    "finnish",
    "czech",
    "turkish",
    "arabic",
    "chinese",
    "japanese",
    "korean",
    "russian",
    "ukrainian",
    "greek",
    "hungarian",
    "romanian",
    "hebrew",
    "hindi",
];
/// Things that are asked for.
const WANTED: &[&str] = &[
    "sentiment",
    "spam",
    "ham or",
    "label",
    "labels",
    "category",
    "categories",
    "classify",
    "classification",
    "tl;dr",
    "tldr",
    "summary",
    "gist",
    "bottom line",
    "bullet",
    "bullets",
    "translate",
    "translation",
    "forecast",
    "predict",
    "outlier",
    "outliers",
    "anomaly",
    "anomalies",
    "elasticity",
    "as json",
    "as csv",
    "json like",
    "in one sentence",
    "in two sentences",
    "two sentences",
    "one sentence",
    "one word",
    "pos/neg",
    "to english",
    "into english",
    "in english",
    "english please",
    "to german",
    "in french",
    "extract",
    "entities",
    "key-value",
    "code review",
    "supported",
    "evidence",
    "refactor",
    "python",
    "javascript",
    "function that",
    "checksum",
    "in apa",
    "to apa",
    "apa 7",
    "which intent",
    "positive or negative",
    "positive, negative",
    "level shifts",
    "unit check",
    "style check",
    "duplicates",
    "aspect",
    "verdict",
    "per product",
    "by region",
    "totals",
    "audit",
    "tick list",
    "fields",
    "items:",
    "in a table",
    "ranking",
    "rank",
    "best first",
    "validate",
    "nitpicks",
    "kotlin",
    "java",
    "rust",
    "golang",
    "typescript",
    "php",
    "swift",
    "ruby",
    "lua",
    "sql",
    "extension function",
    "function which",
    "at most",
    "max",
    "legit or",
    "good or bad",
    "in welche",
    "übersetzen",
    "prüfen",
    "chicago",
    "bibliography",
];
const DEICTIC: &[&str] = &[
    "below",
    "the following",
    "this",
    "these",
    "attached",
    "above",
    "here is",
    "here are",
    "here's",
    "folgende",
    "ci-dessous",
    "siguiente",
    "diesen",
    "diese",
    "dieser",
    "ce",
    "cet",
    "este",
];

/// Words in small letters, without signs at their ends.
fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

fn has(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        lower.match_indices(phrase).any(|(at, _)| {
            let before = lower.get(..at).and_then(|text| text.chars().next_back());
            let after = lower.get(at + phrase.len()..).and_then(|text| text.chars().next());
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            edge(before) && (edge(after) || !phrase.ends_with(char::is_alphanumeric))
        })
    })
}

/// How strongly a sentence or a short line asks: 0 tells, 2 asks, 4 asks for what agents do.
#[must_use]
pub fn strength(text: &str) -> u32 {
    let whole = of_one(text);
    let sentences = crate::sentences::split(text);
    if sentences.len() < 2 || text.split_whitespace().count() > 70 {
        return whole;
    }
    sentences.iter().map(|sentence| of_one(sentence.text)).max().unwrap_or(0).max(whole)
}

fn of_one(text: &str) -> u32 {
    let text = text.trim();
    let lower = text.to_lowercase().replace('’', "'");
    let words = words(&lower);
    let Some(first) = words.iter().find(|word| !POLITE.contains(&word.as_str())) else { return 0 };
    let mut score = 0;
    let question = lower.trim_end_matches(|c: char| "\"'”») \t:)".contains(c)).ends_with(['?', '？'])
        || lower.contains("? ")
        || lower.contains("??");
    if question {
        score += 2;
    }
    let opening = lower.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(first.as_str())
        || POLITE.contains(&words.first().map_or("", String::as_str));
    // `Review 1:` and `Summary: all well` name a text, they ask for none.
    let names = words.len() < 4 && words.get(1).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    if opening && VERBS.contains(&first.as_str()) && !names {
        score += if WEAK_VERBS.contains(&first.as_str()) { 1 } else { 3 };
    }
    if QUESTIONS.contains(&first.as_str()) && (question || words.len() < 12) {
        score += 1;
    }
    if has(&lower, ASKING) {
        score += 2;
    }
    if has(&lower, WANTED) && words.len() < 40 {
        score += 2;
    }
    if has(&lower, DEICTIC) && (lower.ends_with(':') || question) {
        score += 1;
    }
    if lower.ends_with(':') && words.len() > 2 {
        score += 1;
    }
    // `one of them is special, find it`
    let last = lower.rsplit([',', ';', '–']).next().unwrap_or_default();
    let last = last.split_whitespace().find(|word| !POLITE.contains(word)).unwrap_or_default();
    if lower.contains([',', ';', '–']) && words.len() < 25 && VERBS.contains(&last) && !WEAK_VERBS.contains(&last) {
        score += 2;
    }
    let names_language = words.len() < 12 && words.iter().any(|word| LANGUAGES.contains(&word.as_str()));
    if names_language && (lower.ends_with(':') || has(&lower, ASKING)) {
        score += 2;
    }
    if words.len() > 70 { score / 2 } else { score }
}

/// Whether a text asks.
#[must_use]
pub fn asks(text: &str) -> bool {
    strength(text) >= 2
}

/// Whether a sentence speaks of the asker's own situation.
pub(crate) fn is_context(text: &str) -> bool {
    let own = [
        "unser",
        "unsere",
        "mein",
        "meine",
        "notre",
        "nos",
        "mon",
        "mes",
        "nuestro",
        "nuestra",
        "mi",
        "nosso",
        "nostro",
        "i",
        "i'm",
        "im",
        "we",
        "my",
        "our",
        "me",
        "us",
        "you",
        "it's",
        "your",
        "attached",
        "screenshot",
        "inbox",
        "ich",
        "wir",
        "je",
        "nous",
        "thanks",
        "sorry",
        "ignore",
        "answer",
    ];
    words(text).iter().any(|word| own.contains(&word.as_str()))
}

/// Whether a text asks for what agents do, not for a parcel or a call.
#[must_use]
pub fn wants_work(text: &str) -> bool {
    let lower = text.to_lowercase();
    let verb = words(&lower).iter().any(|word| VERBS.contains(&word.as_str()) && !WEAK_VERBS.contains(&word.as_str()));
    has(&lower, WANTED)
        || (verb
            && (has(&lower, DEICTIC) || has(&lower, ASKING) || lower.trim_end().ends_with('?') || strength(&lower) > 2))
}

const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "dear",
    "good morning",
    "good afternoon",
    "good evening",
    "greetings",
    "hi there",
    "hello there",
    "hey there",
    "bonjour",
    "salut",
    "hallo",
    "guten tag",
    "guten morgen",
    "hola",
    "olá",
    "ciao",
    "buongiorno",
    "dzień dobry",
    "buenos días",
    "moin",
    "sehr geehrte",
];
const CLOSINGS: &[&str] = &[
    "thanks",
    "thank you",
    "many thanks",
    "thx",
    "cheers",
    "regards",
    "best regards",
    "kind regards",
    "best",
    "merci",
    "merci d'avance",
    "merci beaucoup",
    "danke",
    "vielen dank",
    "danke schön",
    "gracias",
    "muchas gracias",
    "obrigado",
    "obrigada",
    "grazie",
    "bedankt",
    "thanks in advance",
    "thanks a lot",
    "ta",
    "z góry dziękuję",
    "viele grüße",
    "mit freundlichen grüßen",
    "yours",
    "sincerely",
    "much appreciated",
    "thank you very much",
    "thanks so much",
    "liebe grüße",
    "please and thank you",
    "danke im voraus",
    "gracias de antemano",
];

/// A line or sentence that only greets.
pub(crate) fn greets(text: &str) -> bool {
    let lower = text.trim().trim_end_matches([',', '!', '.', ':', ' ']).to_lowercase();
    let short = lower.split_whitespace().count() <= 4;
    short
        && !text.contains('?')
        && GREETINGS
            .iter()
            .any(|word| lower == *word || lower.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ','])))
        && !asks(&lower)
}

/// A line or sentence that only thanks or signs.
#[must_use]
pub fn closes(text: &str) -> bool {
    let lower = text.trim().trim_end_matches(['!', '.', ',', ' ', ')', ':']).to_lowercase();
    let word = CLOSINGS.iter().any(|word| {
        lower == *word || lower.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ',', '!', '.', '-']))
    });
    word && !text.contains('?') && lower.split_whitespace().count() <= 6
}

/// The text without a greeting before it: `hi there, my boss …`.
pub(crate) fn without_greeting(text: &str) -> &str {
    let trimmed = text.trim_start();
    let cut = trimmed.find([',', '!', '.', '\n', ':']).filter(|at| *at < 40);
    match cut.and_then(|at| trimmed.split_at_checked(at + 1)) {
        Some((head, rest)) if greets(head) => without_greeting(rest),
        _ => trimmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_and_telling() {
        let asking = [
            "Please sum up the table in two sentences.",
            "good or bad??",
            "Is that positive or negative?",
            "Sentiment?",
            "sentiment of this:",
            "Return JSON like [{\"n\":1}].",
            "Vat dit samen in maximaal 2 zinnen:",
            "Boil this down to max 25 words",
            "I need the profit per product from this list.",
            "Bitte ins Deutsche übersetzen:",
            "Which batches are outliers",
            "Extraia o nome do cliente, o CPF e o valor total.",
            "Five bullets for the intranet please.",
            "Quel est le sentiment de cet avis ?",
            "average age by gender from the survey below?",
            "Rank these.",
            "nitpicks welcome:",
        ];
        for text in asking {
            assert!(asks(text), "{text}: {}", strength(text));
        }
        let telling = [
            "The airport branch was closed from August to December 2024.",
            "Review 1: great",
            "Thanks!",
            "It arrived with a broken shade.",
            "Jan 210, Feb 214",
            "The soup was excellent and the waiter charming.",
            "name,age",
            "",
            "I hate the weight of it.",
        ];
        for text in telling {
            assert!(!asks(text), "{text}: {}", strength(text));
        }
    }

    #[test]
    fn greetings_and_thanks() {
        for text in ["Hi!", "Dear all,", "Good morning,", "Bonjour,", "Hello Jo,"] {
            assert!(greets(text), "{text}");
        }
        for text in ["Thanks, Gwen", "Merci d'avance", "Many thanks, Edda", "cheers T.", "Best regards"] {
            assert!(closes(text), "{text}");
        }
        assert!(!greets("Hi, is this spam?") && !closes("Thanks to the new motor it is far more reliable now"));
        assert_eq!(without_greeting("hi there, my boss"), "my boss");
    }
}
