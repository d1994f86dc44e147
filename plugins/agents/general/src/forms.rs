//! What the material of a task is, as a set of forms: a rule of a skill holds only over the forms it is for.

use agent_common::patterns::{all, is_match};
use agent_common::request::{Piece, PieceKind, Request};
use agent_common::table::Table;
use agent_common::{phrases, series};

/// A set of forms.
pub type Forms = u32;

pub const CAPTIONS: Forms = 1;
pub const DIFF: Forms = 1 << 1;
pub const CODE: Forms = 1 << 2;
/// Two rows or more of named columns.
pub const TABLE: Forms = 1 << 3;
/// Labels with values: lines, an object, a form, a row.
pub const RECORD: Forms = 1 << 4;
/// Four numbers or more in order.
pub const SERIES: Forms = 1 << 5;
/// Two texts or more.
pub const ITEMS: Forms = 1 << 6;
/// A dozen words or more.
pub const TEXT: Forms = 1 << 7;
/// Prices beside what was sold at them.
pub const PRICES: Forms = 1 << 8;
/// People with their posts, and what they want.
pub const LEADS: Forms = 1 << 9;
/// What someone says, beside a source.
pub const CLAIMS: Forms = 1 << 10;
pub const REFERENCES: Forms = 1 << 11;
/// Anything between quotation marks.
pub const QUOTE: Forms = 1 << 12;
/// Labels or columns of the material that the request names.
pub const NAMED: Forms = 1 << 13;
/// Labels to choose from, in the request.
pub const OPTIONS: Forms = 1 << 14;
/// Technical data of a video.
pub const MEDIA: Forms = 1 << 15;
/// Words of another language than English.
pub const FOREIGN: Forms = 1 << 16;
/// Three numbers or more.
pub const NUMBERS: Forms = 1 << 17;
/// A document with clauses.
pub const CLAUSES: Forms = 1 << 18;
/// Anything to work on.
pub const MATERIAL: Forms = 1 << 19;

/// Names of fields that the request asks for.
pub const FIELDS: Forms = 1 << 20;
/// The request asks whether something is there.
pub const PRESENCE: Forms = 1 << 21;
/// The request speaks of good and bad moods.
pub const MOODS: Forms = 1 << 22;
/// Rows that can be grouped.
pub const GROUPS: Forms = 1 << 23;

/// `topic? (politics, sports)`, `kinds: invoice, quote`, `choose from a / b`.
const CHOICE: &str = r"\b(?:kinds?|labels?|tags?|topics?|classes|categor\w+|choose from|pick (?:among|from|one of)|choice is|options?|genres?|issues?|topic)\b[^.\n]{0,25}[:(?] *\(?`?\w[\w &-]*`?(?: ?[,/|] ?(?:or |and )?`?\w[\w &-]*`?)+|\b(?:pick|choose) (?:among|from|between) \w[\w ]*,";
const PRESENT: &str = r"(?:^|[^@\w])(?:mention(?:s\b [^:]|\b)|includes?|enthält|enthalten|contient|mentionne|incluye|contiene|figur[ae]n?\b|complete\b|completo|vollständig|must (?:be (?:there|filled|in|on|stated|printed)|have|contain|name)|has to (?:be (?:in|on)|contain|name)|(?:has|have|is|have we got|got) everything|everything (?:in|on) (?:it|there|here)|forg[eo]t\w*|(?:wants?|needs?|requires?|demands?|asks for) (?:these|the following|to see|that|every|all)|look(?:s|ing)? for|what(?:'s|s| is) (?:missing|not (?:on|in))|not (?:on|in) it\b|missing\b|fehl(?:t|en)|manque|is (?:it|this|that|the \w+) (?:in|on) (?:here|there|it|ours|this|the)|are (?:these|they|those|all) (?:in|on|there)|anything about|checklist|tick(?:ed| list)|audit|contains?\b|needed:|check-?list|-check\b|see (?:if|whether)|(?:find out|whether|check) if? ?.{0,20}(?:names|states|says)|requirements|check (?:the \w+ )?for (?:these|the following)|cover(?:s|ed)?\b|all there|is there (?:a|an|any)\b|gibt es|¿hay|y a-t-il)";
/// `if it mentions a bill -> ACCOUNTS` sorts.
const SORTS: &str = r"\b(?:if|when|wenn|si) (?:it|they|one|a \w+|the \w+|es|el|elle|il) (?:mentions?|contains?|includes?|enthält|contient)\b.*(?:->|→|=>|:|then|goes|is)|(?:->|→|=>) ?[A-Z]{3}";
const LEFT_EMPTY: &str = r"leave (?:it|them|that)|(?:empty|blank|null) (?:if|when|where)|don't invent";
const MOOD: &str = r"\bpos(?:itiv\w*)?\b.*\bn[eé]g(?:ativ\w*)?\b|\bn[eé]g(?:ativ\w*)?\b.*\bpos(?:itiv\w*)?\b|\bsentiment|stimmung|\bmood\b";

/// Three labels or more that the request names.
pub const NAMED_ALL: Forms = 1 << 24;
/// A table of three columns or more.
pub const WIDE: Forms = 1 << 25;

/// The request says how short the answer is to be.
pub const SHORT: Forms = 1 << 26;

/// What a form is called in an answer.
const NAMES: [(Forms, &str); 9] = [
    (CAPTIONS, "captions"),
    (DIFF, "a diff"),
    (CODE, "code"),
    (LEADS, "people who may buy"),
    (CLAIMS, "claims beside a source"),
    (REFERENCES, "references"),
    (SERIES, "a series of numbers"),
    (TABLE, "a table"),
    (RECORD, "labels with values"),
];

/// The most telling form that a rule asked for.
pub fn name(forms: Forms) -> Option<&'static str> {
    NAMES.iter().find(|(form, _)| forms & form != 0).map(|(_, name)| *name)
}

const PRICE: &str = r"\b(?:prices?|priced|prix|prezz[oi]|precios?|preise?|fees?|fares?|tariffs?|charge[ds]?|tickets?|beitrag|gebühr|sell(?:ing)?|sold)\b|preis|[€£$] ?\d|\d ?(?:€|eur|euros?|pounds?|dollars?|usd|gbp)\b|\b[ap]\b[\W_]{1,3}\d|[{,]\W*p\W{1,3}\d|\bat \d";
const SOLD: &str = r"\b(?:sold|sell|units?|qty|quantit\w+|demand|customers?|subscribers?|guests|bookings?|portions?|pieces?|visitors?|attendance|sales|ventes?|vendit\w|vendid\w+|ventas|verkauft\w*|absatz|menge|stück|noleggi|coches|seats|tubes|kits|scoops|glasses|orders|mitglieder|packs|members|rentals?|cups|tickets|buyers|downloads|licen[cs]es|loaves|bottles|jars|boxes|bags)\b|[{,]\W*q\W{1,3}\d|(?:sales|sold|units|qty)";
const POST: &str = r"\b(?:ceo|cfo|cto|coo|cmo|cio|vp|directors?|directrice|directeur|head of|heads|managers?|owners?|founder|buyer|students?|étudiant\w*|intern|purchas\w+|procurement|decision maker|freelancer|developer|employees|salariés|staff|mitarbeiter|geschäftsführer\w*|einkäufer\w*|einkauf|leiter\w*|inhaber\w*|praktikant\w*|company|firm|firma|partner|chef|boss|trainee|assistant|temp|sole trader|consultant|empleados|gerente|director\w*)\b";
const WISH: &str = r"\b(?:demos?|démonstration|quote|quotation|trial|budgets?|pricing|unsubscribed|newsletter|webinar|brochure|offer|angebot|call ?back|meeting|downloaded|visits?|visited|interested|interest\w*|signed up|opened|clicked|ready to buy|urgent|vendor|supplier|contract|presupuesto|timeline|timeframe|replied|attended|asked for|wants?|deposit|source|upgrade|enquir\w+)\b";

const BIBTEX: &str = r"@(?:article|book|misc|inproceedings|online|thesis)\s*\{";
const CODE_LINE: &str = r"(?m)^\s*(?:def \w+\(|class \w+|function \w*\(|import \w|#include|public \w+|const \w+ =|let \w+ =|fn \w+|func \w+|return \S|for \(|if \(|\w+ = \w+\()";
const OBJECT: &str = r#"(?s)\{\s*"\w+"\s*:|</\w+>|begin:v|(?m:^\[\w+\]\s*$)|(?m:^\s*[\w.-]+\s*=\s*\S+)"#;
const CLAIM: &str = r#"(?m)\b(?:claims?|statements?|sentences|quotes?|text|behauptung(?:en)?|aussagen?|affirmations?|afirmación|afirmaciones|affermazione|we (?:write|wrote|say|print)|article|draft|brief)\b[^.\n]{0,40}(?:[:=]|["“«])|(?:we|i) (?:write|wrote|say)"#;
const SOURCE: &str = r#"(?m)\b(?:sources?|quellen?|fuentes?|fonte|study|exhibit \w+|chronicle|abstract|minutes|reads|says|letter|report)\b[^.\n]{0,60}(?:[:=]|["“«—])"#;
const REFERENCE: &str = r"https?://(?:dx\.)?doi\.org/|\bdoi:\s*10\.|@(?:article|book|misc|inproceedings)\{|\b10\.\d{4,}/|(?m:^ty  - )|\b\d{4}-\d{3}[\dx]\b.*\bissn|issn.*\b\d{4}-\d{3}[\dx]\b|\(\d{4}\)\. |orcid\.org|arxiv:|\bpmid";
const OTHER_LANGUAGE: &str = r"[à-ÿąćęłńóśźżğışčřžůěőű]|[\u{370}-\u{ffff}]|\b(?:der|die|das|und|nicht|ist|le|les|des|une|est|el|los|las|una|il|gli|het|een|niet)\b";
const CLAUSE: &str = r"(?m)§ ?\d|^\s*(?:article|clause|section|\d{1,2}\.\d) |\b(?:the (?:landlord|tenant|lessor|lessee|licensee|supplier|client|parties|seller|buyer|employer|employee|processor|controller)|hereby|hereinafter)\b";

/// A set that is being filled.
#[derive(Default)]
struct Set(Forms);

impl Set {
    fn add(&mut self, form: Forms, is: bool) {
        self.0 |= if is { form } else { 0 };
    }
}

/// The forms of a task; `request` in small letters.
pub fn of(text: &str, read: &Request, request: &str) -> Forms {
    let lower = text.to_lowercase();
    let mut set = Set::default();
    let bibtex = is_match(BIBTEX, &lower);
    let piece = |piece: &Piece| is_code(&piece.kind) && is_match(r"[;{}()=]", &piece.text);
    let code = !bibtex && (all(CODE_LINE, text).len() > 1 || read.material.iter().any(piece));
    set.add(CODE, code);
    of_words(&lower, code, &mut set);
    of_request(request, &mut set);
    let tables = read.tables();
    let rows = tables.iter().map(|table| table.rows.len()).max().unwrap_or(0);
    set.add(TABLE, rows > 1);
    set.add(WIDE, tables.iter().any(|table| table.columns.len() > 2 && table.rows.len() > 1));
    set.add(GROUPS, tables.iter().any(repeats) || tables.len() > 1);
    let labels = labels(read);
    set.add(RECORD, labels.len() > 1 || rows == 1 || is_match(OBJECT, &lower));
    let narrow = tables.iter().all(|table| table.columns.len() < 3);
    let long = |series: &series::Series| series.values.len() > 3 && (narrow || is_timed(&series.labels));
    set.add(SERIES, series::read(text, read).iter().any(long));
    let items = read.items().len();
    set.add(ITEMS, items > 1 || rows > 1);
    let words: usize = read.material.iter().map(|piece| piece.text.split_whitespace().count()).sum();
    set.add(TEXT, words > 11);
    set.add(MATERIAL, words > 1);
    let (posts, wishes) = (all(POST, &lower).len(), all(WISH, &lower).len());
    let people = posts > 0 && wishes > 1 && posts + wishes > 2;
    set.add(LEADS, people && !code && (items > 1 || labels.len() > 3));
    let quoted = read.material.iter().any(|piece| piece.kind == PieceKind::Quoted);
    set.add(QUOTE, quoted || !agent_common::quotes::find(text).is_empty());
    let columns: Vec<String> = tables.iter().flat_map(|table| table.columns.clone()).collect();
    let named = named(&labels, &columns, request);
    set.add(NAMED, named > 1);
    set.add(NAMED_ALL, named > 2);
    set.0
}

/// Forms that the words of the whole task show.
fn of_words(lower: &str, code: bool, set: &mut Set) {
    set.add(CAPTIONS, is_match(r"(?m)\d\s+-->\s+\d|^webvtt", lower));
    set.add(DIFF, is_match(r"(?m)^@@ |^diff --git|^\+\+\+ \S", lower));
    let numbers = all(r"(\d+(?:[.,]\d+)*)", lower).len();
    set.add(NUMBERS, numbers > 2);
    set.add(PRICES, is_match(PRICE, lower) && is_match(SOLD, lower) && numbers > 3);
    set.add(CLAIMS, is_match(CLAIM, lower) && is_match(SOURCE, lower) && !code);
    let parts = all(r"(?m)\b(author|title|publisher|year|journal|doi|isbn)\s*[:=]", lower).len();
    set.add(REFERENCES, is_match(REFERENCE, lower) || parts > 2);
    set.add(MEDIA, is_match(r"\b\d{3,4} ?[x×] ?\d{3,4}\b", lower) && is_match(r"fps|mp4|video|bit ?rate|codec", lower));
    set.add(FOREIGN, is_match(OTHER_LANGUAGE, lower));
    set.add(CLAUSES, is_match(CLAUSE, lower));
}

/// Forms that the request shows.
fn of_request(request: &str, set: &mut Set) {
    let yes_or_no = is_match(r"\b(?:yes|ja|oui|sí) ?(?:or|/|oder|ou|o) ?(?:no|nein|non)\b", request);
    set.add(OPTIONS, !yes_or_no && (phrases::choices(request).len() > 1 || is_match(CHOICE, request)));
    set.add(FIELDS, phrases::fields(request).len() > 1);
    set.add(PRESENCE, is_match(PRESENT, request) && !is_match(LEFT_EMPTY, request) && !is_match(SORTS, request));
    set.add(SHORT, is_match(r"\b(?:sentences?|bullets?|bullet points|stichpunkte\w*|sätzen?)\b", request));
    set.add(MOODS, is_match(MOOD, request));
}

/// Whether most labels are times.
fn is_timed(labels: &[String]) -> bool {
    let timed = labels.iter().filter(|label| {
        agent_common::periods::read(label, None).is_some() || agent_common::dates::read(label, None).is_some()
    });
    timed.count() * 2 > labels.len()
}

fn is_code(kind: &PieceKind) -> bool {
    match kind {
        PieceKind::Code { language } => !matches!(language.as_deref(), Some("srt" | "vtt")),
        PieceKind::Fenced { language } => !matches!(
            language.as_deref(),
            Some(
                "csv"
                    | "json"
                    | "text"
                    | "txt"
                    | "srt"
                    | "vtt"
                    | "tsv"
                    | "log"
                    | "ini"
                    | "env"
                    | "html"
                    | "xml"
                    | "yaml"
            )
        ),
        _ => false,
    }
}

/// The labels of the material, and the names of an object's members.
fn labels(read: &Request) -> Vec<String> {
    let mut labels: Vec<String> = read.labelled().into_iter().map(|(label, _)| label).collect();
    let of_piece = |piece: &Piece| {
        let mut names = all(r#""([A-Za-z_][\w ]*)"\s*:"#, &piece.text);
        names.extend(all(
            r"(?m)^\s*(?:[-*•]|\d+[.)]|<li>)?\s*([A-Za-zÀ-ÿ][\wÀ-ÿ /.'-]{1,30}?)\s*(?:[:=]|\.{3,}|\t)\s*\S",
            &piece.text,
        ));
        names.extend(all(r"\b([a-z_]{3,20})=\S", &piece.text));
        names.extend(all(r"<\w+>([A-Z][\w ]{1,25}):", &piece.text));
        names
    };
    labels.extend(read.material.iter().flat_map(of_piece));
    labels.sort();
    labels.dedup();
    labels
}

/// Whether a column has a word twice, or several columns are to be worked on.
fn repeats(table: &Table) -> bool {
    table.columns.len() > 2
        || (0..table.columns.len()).any(|column| {
            let mut cells: Vec<&str> = table.cells(column);
            cells.retain(|cell| cell.chars().any(char::is_alphabetic));
            let all = cells.len();
            cells.sort_unstable();
            cells.dedup();
            cells.len() < all
        })
}

/// How many of the names stand in the request.
fn named(labels: &[String], columns: &[String], request: &str) -> usize {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], " ");
    let request = format!(" {} ", plain(request));
    let mut names: Vec<String> = labels.iter().chain(columns).map(|name| plain(name.trim())).collect();
    names.sort();
    names.dedup();
    let stands = |name: &&String| name.len() > 1 && agent_common::patterns::count_word(&request, name) > 0;
    names.iter().filter(stands).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::SKILLS;

    #[test]
    fn all_patterns_are_regular_expressions() {
        let own = [
            PRICE,
            SOLD,
            POST,
            WISH,
            CHOICE,
            PRESENT,
            SORTS,
            LEFT_EMPTY,
            MOOD,
            BIBTEX,
            CODE_LINE,
            OBJECT,
            CLAIM,
            SOURCE,
            REFERENCE,
            OTHER_LANGUAGE,
            CLAUSE,
        ];
        let asks = SKILLS.iter().flat_map(|skill| skill.asks.iter().map(|ask| ask.says));
        for pattern in own.into_iter().chain(asks) {
            assert!(agent_common::patterns::compiled(pattern).is_some(), "{pattern}");
        }
    }
}
