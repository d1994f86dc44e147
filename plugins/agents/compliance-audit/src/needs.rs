//! Items that a task says have to be there, wherever it says so: `it needs a term and a penalty`, `must be there: a, b`.

use agent_common::patterns::{compiled, groups, is_match};
use agent_common::request::{PieceKind, Request};
use agent_common::{asking, prose, quotes};

use crate::asked;
use crate::document::Document;
use crate::wants;

/// What has to be there, and the task without the sentences that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// As the person names them.
    pub items: Vec<String>,
    /// The sentences that name them.
    pub said: String,
    /// All else.
    pub rest: String,
}

impl Needs {
    /// Whether these are the items rather than those that were read from the words that ask.
    pub fn overrules(&self, asked: &str, named: &[String]) -> bool {
        let alike = named.iter().all(|item| self.items.contains(item)) && named.len() <= self.items.len();
        alike || !wants::names_them(asked)
    }

    /// What is to be audited.
    pub fn documents(&self) -> Vec<Document> {
        let opens = |start: usize| self.rest.get(..start).is_some_and(|text| text.is_empty() || text.ends_with('\n'));
        let quoted: Vec<&str> = quotes::find(&self.rest)
            .iter()
            .filter(|quote| opens(quote.start) && quote.text.split_whitespace().count() > 9)
            .map(|quote| quote.text)
            .collect();
        if let [only] = quoted.as_slice() {
            return vec![Document { name: "document".into(), text: (*only).to_owned() }];
        }
        let request = Request::read(&self.rest);
        let several = asked::documents(&request);
        let set_apart = |kind: &PieceKind| {
            matches!(kind, PieceKind::Quoted | PieceKind::Fenced { .. } | PieceKind::Email { .. } | PieceKind::Json(_))
        };
        if several.len() > 1 || request.material.iter().any(|piece| set_apart(&piece.kind) && piece.text.len() > 60) {
            return several;
        }
        let asks = |line: &&str| {
            let states = line.contains(':') || line.contains(|c: char| c.is_ascii_digit());
            (asking::wants_work(line) && asking::asks(line) && !states) || (asking::closes(line) && !states)
        };
        let lines: Vec<&str> = self.rest.lines().filter(|line| !asks(line)).collect();
        vec![Document { name: "document".into(), text: lines.join("\n").trim().to_owned() }]
    }
}

/// Words of those who say what has to be there; beginnings of words.
const CUES: &str = r"\b(?:must|should|need|requir|has to|have to|check|items?\b|points?\b|look (?:for|out)|want|told|follow|these\b|mandatory|listed|lists?\b|contain|includ|missing|present|there\b|asks?\b|asked|says?\b|necessary|essential|elements?\b|particulars|clauses?\b|verif|audit|compulsory|obligatory|see if|which of|tick|expect|insist|muss|müss|soll|brauch|prüf|pflicht|fehl|enthalt|vorhanden|doit|doivent|obligatoire|vérifi|conten|debe|falta|comprueb|revis|deve|controll|moet)";

/// A list behind a verb of need.
const VERBS: &[&str] = &[
    r"\b(?:must|should|shall|has to|have to|needs? to|supposed to|ought to|required to)\s+(?:have|contain|include|state|name|mention|show|link(?: to)?|give|list|carry|specify|cover|provide|bear|display)\b(?:\s+(?:at least|all of|the following|all|both|these))?:?\s+(.+)",
    r"\b(?:i\.\s?e\.|namely|that is to say|in particular),?\s+(.+)",
    r"\b(?:needs?|requires?|we want|i want|she wants|he wants|they want|wants|expects?|insists on|demands?|asks for|asked for|are after|looking for|look for)\s+(.+)",
];

/// Reads what has to be there.
pub fn find(text: &str) -> Option<Needs> {
    let sentences = prose::sentences(text);
    let first = literal(text, &sentences).or_else(|| below(text)).or_else(|| questions(text, &sentences));
    first.or_else(|| {
        let plain =
            |sentence: &str| behind_colon(sentence).or_else(|| behind_verb(sentence)).or_else(|| before_verb(sentence));
        let told = sentences.iter().find_map(|one| Some((one, plain(one.text)?)));
        let (sentence, items) = told.or_else(|| sentences.iter().find_map(|one| Some((one, bare(text, one.text)?))))?;
        Some(Needs { items, said: sentence.text.to_owned(), rest: without(text, &[sentence.text]) })
    })
}

/// A text without some of its sentences.
fn without(text: &str, sentences: &[&str]) -> String {
    sentences.iter().fold(text.to_owned(), |rest, one| rest.replacen(one, "", 1))
}

/// `it must have the exact words "Keep dry"`.
fn literal(text: &str, sentences: &[prose::Sentence<'_>]) -> Option<Needs> {
    let cue =
        r"(?i)\b(?:exact(?:ly)?|verbatim|literal(?:ly)?|word for word|word-for-word)\b[^\x22“„«\n]{0,40}[\x22“„«]";
    let sentence = sentences.iter().find(|one| is_match(cue, one.text))?;
    let quoted: Vec<String> = quotes::find(sentence.text)
        .iter()
        .filter(|one| one.text.split_whitespace().count() > 1)
        .map(|one| one.text.to_owned())
        .collect();
    let first = quoted.first()?;
    // A quotation that goes beyond its sentence is the document.
    let rest = without(text, &[sentence.text]);
    (first.len() < 200).then(|| Needs { items: quoted.clone(), said: sentence.text.to_owned(), rest })
}

/// `Find out if the policy names` above a list of items, each in a line of its own.
fn below(text: &str) -> Option<Needs> {
    let mark = r"^\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-h][.)]|\[[ x]?\])\s+";
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.iter().position(|line| is_match(mark, line))?;
    let count = lines.iter().skip(from).take_while(|line| is_match(mark, line)).count();
    let head = lines.get(..from)?.iter().rev().find(|line| !line.trim().is_empty())?;
    let bare = |line: &&str| {
        let start = compiled(mark).and_then(|mark| mark.find(line).map(|found| found.end())).unwrap_or(0);
        wants::cleaned(line.get(start..).unwrap_or_default().trim_end_matches(['.', ';', ',']))
    };
    let items: Vec<String> = lines.iter().skip(from).take(count).map(bare).collect();
    let asks =
        is_match(CUES, &head.to_lowercase()) || asking::asks(head) || is_match(r"(?i)\bnames?$|\bhas$", head.trim());
    let rest: Vec<&str> = [lines.get(..from)?, lines.get(from + count..)?].concat();
    let document = rest.join(" ").split_whitespace().count() > head.split_whitespace().count() + 8;
    let fits = items.len() > 1 && asks && document && items.iter().all(|item| is_item(item) && !is_value(item));
    let said = || [vec![*head], lines.iter().skip(from).take(count).copied().collect()].concat().join("\n");
    fits.then(|| Needs { items: items.clone(), said: said(), rest: rest.join("\n").replacen(head, "", 1) })
}

/// `Is there a deposit? And a phone number?`
fn questions(text: &str, sentences: &[prose::Sentence<'_>]) -> Option<Needs> {
    let opens = r"(?i)^\W*(?:please )?(?:(?:can|could) you (?:check|see|tell me) (?:if|whether) )?(?:is there|are there|do(?:es)? (?:\S+ ){1,5}?(?:have|contain|mention|include|state|name|cover|give|(?:say|mention|contain) (?:anything|something) (?:on|about|regarding))|do (?:we|they|you) have|gibt es|enthält \S+(?: \S+)?)\s+(?:anything (?:on|about) )?(.+?)(?:\?|$)";
    let fragment = r"(?i)^\W*(.+?),?\s+(?:in (?:there|it|here)|there|included|present|mentioned|covered)\s*\?";
    let goes_on = r"(?i)^\W*(?:and|also|or|what about|how about|und|et|y)\s+(.+?)\?";
    let mut items: Vec<String> = Vec::new();
    let mut said: Vec<&str> = Vec::new();
    for sentence in sentences {
        let found = groups(if said.is_empty() { opens } else { goes_on }, sentence.text);
        let found = if found.is_empty() && !said.is_empty() { groups(opens, sentence.text) } else { found };
        let found = if found.is_empty() && said.is_empty() { groups(fragment, sentence.text) } else { found };
        let Some(list) = found.get(1) else {
            if said.is_empty() {
                continue;
            }
            break;
        };
        if sentence.text.split_whitespace().count() > 30 {
            break;
        }
        items.extend(parts(list));
        said.push(sentence.text);
    }
    let fits = !items.is_empty() && items.iter().all(|item| is_item(item));
    fits.then(|| Needs { items, said: said.join(" "), rest: without(text, &said) })
}

/// `Must be there: a, b and c`.
fn behind_colon(sentence: &str) -> Option<Vec<String>> {
    let (at, _) = sentence.match_indices(": ").filter(|(at, _)| !inside_quotes(sentence, *at)).last()?;
    let (head, list) = (sentence.get(..at)?.to_lowercase(), sentence.get(at + 2..)?);
    // `Required:` and `Items:` stand alone, `Signed, checked: Ann, Bob` is a label.
    let alone = is_match(
        r"^\W*(?:items?|checklist|required|needed|mandatory|points?|to check|necessary|essential|pflichtangaben)$",
        &head,
    );
    let items = parts(list);
    let fits = items.len() > 1 && items.iter().all(|item| is_item(item)) && items.iter().all(|item| !is_value(item));
    let tells = head.split_whitespace().count() > 1 && is_match(CUES, &head);
    (fits && (alone || tells)).then_some(items)
}

/// `it needs a penalty, a term and the governing law`.
fn behind_verb(sentence: &str) -> Option<Vec<String>> {
    let flat = sentence.replace('’', "'");
    VERBS.iter().find_map(|verb| {
        let found = groups(&format!("(?i){verb}"), &flat);
        let list = found.get(1)?;
        let items = parts(list);
        let fits = items.len() > 1 && items.iter().all(|item| is_item(item) && !is_value(item));
        fits.then_some(items)
    })
}

/// `tell me whether child labour and minimum wage are dealt with`.
fn before_verb(sentence: &str) -> Option<Vec<String>> {
    let found = groups(
        r"(?i)\b(?:whether|if|that)\s+(.+?)\s+(?:are|is)\s+(?:all |both |also )?(?:dealt with|covered|mentioned|addressed|included|in there|there|present|in it|regulated|stated|named|given|filled|settled|provided|agreed)\b",
        sentence,
    );
    let items = parts(found.get(1)?);
    (!items.is_empty() && items.iter().all(|item| is_item(item) && !is_value(item))).then_some(items)
}

/// `ingredients, allergens, best before - what is not on it`, where the words around ask.
fn bare(text: &str, sentence: &str) -> Option<Vec<String>> {
    let asks = r"(?i)\b(?:missing|what'?s not|whats not|not on it|not in it|all there|is it all|complete|present|included|what is (?:there|lacking|absent)|lacking|forgot|are they in|are these in|is it in|in there|covered|tick|fehlt|manque|falta|check|audit|which (?:ones? )?(?:are|is))\b";
    let (list, tail) = [" - ", " – ", " — ", "?"]
        .iter()
        .filter_map(|cut| sentence.split_once(cut))
        .min_by_key(|(list, _)| list.len())
        .unwrap_or((sentence, ""));
    let head = list.rsplit_once(": ").map_or("", |(head, _)| head);
    let items = parts(list.get(if head.is_empty() { 0 } else { head.len() + 2 }..)?);
    let next = text.split_once(sentence).map_or("", |(_, rest)| rest).lines().next().unwrap_or_default();
    let before = text.split_once(sentence).and_then(|(before, _)| before.lines().last()).unwrap_or_default();
    let asked = [head, tail, next, before].iter().any(|words| is_match(asks, words));
    let short = |item: &String| item.split_whitespace().count() <= 4 && is_item(item) && !is_value(item);
    (items.len() > 2 && asked && items.iter().all(short)).then_some(items)
}

fn inside_quotes(text: &str, at: usize) -> bool {
    quotes::find(text).iter().any(|quote| quote.start < at && at < quote.end)
}

/// The parts of a list; where a comma stands before its last `and`, the others join words of one item.
fn parts(list: &str) -> Vec<String> {
    let ends = [" - ", " – ", " — ", " (", "?", "\"", "“", " but ", " because ", " so that ", " in order", " else "];
    let end = ends.iter().filter_map(|end| list.find(end)).filter(|at| *at > 2).min().unwrap_or(list.len());
    let list = list.get(..end).unwrap_or(list).trim().trim_end_matches(['.', '!', ':', ';', ',']);
    let list = list
        .replace("terms and conditions", "terms\u{1}conditions")
        .replace("Terms and conditions", "Terms\u{1}conditions");
    let joiners =
        [" and ", " or ", " und ", " oder ", " sowie ", " et ", " ou ", " y ", " e ", " as well as ", " plus ", " & "];
    let oxford = list.contains(", and ") || list.contains(", or ");
    let pieces: Vec<&str> = list.split([',', ';']).collect();
    let mut found: Vec<String> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let piece = format!(" {} ", piece.trim());
        let bare = joiners.iter().find_map(|joiner| piece.strip_prefix(joiner)).unwrap_or(&piece).trim().to_owned();
        let last = at + 1 == pieces.len();
        let cut = joiners.iter().filter_map(|joiner| bare.rfind(joiner).map(|at| (at, joiner.len()))).max();
        match cut.filter(|_| last && !oxford) {
            Some((at, length)) => {
                found.push(bare.get(..at).unwrap_or_default().to_owned());
                found.push(bare.get(at + length..).unwrap_or_default().to_owned());
            }
            None => found.push(bare),
        }
    }
    let clean = found.iter().map(|item| wants::cleaned(item).replace('\u{1}', " and "));
    let mut items: Vec<String> = Vec::new();
    for item in clean.filter(|item| !item.is_empty()) {
        if !items.contains(&item) {
            items.push(item);
        }
    }
    items
}

/// Whether words can name something to look for.
fn is_item(item: &str) -> bool {
    let idle = [
        "ok",
        "okay",
        "it",
        "this",
        "that",
        "everything",
        "all",
        "good",
        "fine",
        "etc",
        "so on",
        "more",
        "help",
        "thanks",
        "please",
        "yes",
        "no",
        "correct",
        "complete",
    ];
    let words = item.split_whitespace().count();
    (1..=8).contains(&words)
        && !item.contains(": ")
        && item.chars().any(char::is_alphabetic)
        && !idle.contains(&item.to_lowercase().as_str())
        && !is_match(r"(?i)\b(?:i|we|you|he|she|they|is|are|was|were|will|can|to be|did|do|does|don't)\b", item)
}

/// Whether words are the value of something, not its name.
fn is_value(item: &str) -> bool {
    let digits = item.chars().filter(char::is_ascii_digit).count();
    item.contains(['@', '€', '$', '£', '%']) || (digits > 0 && digits * 3 >= item.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_to_be_there() {
        let cases = [
            (
                "find out if our policy names\n1. a hotel limit\n2. a mileage rate\n\nHotel limit: 5 EUR a night, first class is not refunded",
                "hotel limit|mileage rate",
            ),
            (
                "does this text mention purpose, provider and how to withdraw consent\n\nWe use one.",
                "purpose|provider|withdraw consent",
            ),
            ("Does this listing mention parking? And pets?\n\nParking: yes", "parking|pets"),
            (
                "tell me whether child labour, minimum wage and a channel are dealt with.",
                "child labour|minimum wage|channel",
            ),
            (
                "I insist on these, are they in?? return of deposit, handover date, no further claims\n\nThe lease ends.",
                "return of deposit|handover date|no further claims",
            ),
            (
                "is this ok? my lawyer said it needs a penalty, a term, the governing law\n\n\"1. Secret.\"",
                "penalty|term|governing law",
            ),
            (
                "please see if it has everything that Annex B wants, i.e. hazard, measure, review date.\n\nHazard: fire",
                "hazard|measure|review date",
            ),
            (
                "I audit forms. Must be there: patient name, procedure, date, signature of doctor. Form:\n\nDate: 1 May",
                "patient name|procedure|date|signature of doctor",
            ),
            (
                "Is there a withdrawal period of at least 14 days in those T&C? And a phone number? And the seller's address?\n\n§ 1",
                "withdrawal period of at least 14 days|phone number|seller's address",
            ),
            (
                "Our agency says the footer must link a privacy policy, terms and conditions, and an imprint. Does it?",
                "privacy policy|terms and conditions|imprint",
            ),
            (
                "My sister told us: amount, interest rate, signatures of both. See if we forgot something",
                "amount|interest rate|signatures of both",
            ),
            (
                "label!! ingredients, allergens, best before - whats not on it\n\nPIE",
                "ingredients|allergens|best before",
            ),
            ("the leaflet must have the exact words \"Keep away from heat\".\n\nSOAP", "Keep away from heat"),
            ("The contract should contain deposit, pets and notice period.\nRent: 5", "deposit|pets|notice period"),
            (
                "Laut Chef müssen rein: Preis, Lieferzeit und Gerichtsstand.\n\nPreis: 5 EUR",
                "Preis|Lieferzeit|Gerichtsstand",
            ),
        ];
        for (text, expect) in cases {
            assert_eq!(find(text).map(|found| found.items.join("|")).unwrap_or_default(), expect, "{text}");
        }
        for text in [
            "Please audit this policy.\n\nWe keep data for a year, then we delete it.",
            "Name: Ann\nDate: 1 May",
            "Rent: EUR 500, heating: EUR 50",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
