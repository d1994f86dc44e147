//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{Kind, Token};
use agent_common::material::Text;
use agent_common::{framing, slots};
use serde_json::{Value, json};

use crate::input::Input;

/// The published list.
pub const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`items: IBAN, e-mail address, \"exact words\": TEXT`, `are the fields A and B filled in: TEXT`, \
    `redact e-mail addresses and phone numbers: TEXT`, `audit this document: TEXT`";
/// Words that end a list of items.
const STOPS: &str = "redact please thanks are is exist exists filled have has word literally verbatim exactly";
/// Kinds of personal data, as the input names them; `all` is all of them.
const PERSONAL: [(&str, &str); 11] = [
    ("all", "personal data"),
    ("email", "e-mail address|email address|e-mail|email"),
    ("phone", "phone number"),
    ("iban", "iban"),
    ("card", "card number"),
    ("date_of_birth", "date of birth|dates of birth"),
    ("ip_address", "ip address"),
    ("name", "name"),
    ("nhs_number", "nhs number"),
    ("national_insurance", "national insurance number"),
    ("us_ssn", "social security number"),
];
/// Items with check digits.
const NUMBERS: [(&str, &str); 3] =
    [("valid IBAN", "iban"), ("valid VAT number", "vat number"), ("valid card number", "card number")];

/// The slots of this agent: `items`, `numbers` and `personal`.
struct Names;

impl Slots for Names {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "items" => items(tokens).into_iter().collect(),
            "numbers" => listed(tokens, &NUMBERS),
            "personal" => listed(tokens, &PERSONAL),
            _ => slots::Common.read(kind, tokens),
        }
    }
}

/// Splits a task into its command and its document.
pub fn split(task: &str) -> Text {
    framing::read(task, &Grammar::new(COMMANDS), &Names)
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let Text { reading, text } = split(task);
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let has = |name: &str| reading.all(name).next().is_some();
    let kinds: Vec<String> = reading.all("redact").flat_map(|found| found.texts("kinds")).collect();
    let redacts = has("redact") || has("anonymise");
    if redacts {
        // `all` is no kind: every kind is replaced if none is named.
        let named = serde_json::from_value(json!(kinds)).ok().filter(|_| !kinds.is_empty());
        form.redact.get_or_insert_default().types = named;
    }
    let nothing = form.checklist.is_none() && form.labels.is_none() && form.phrases.is_none() && !redacts;
    let doubts = [
        (has("labels") && has("filled"), "must the fields be filled in, or only be there? Keep one"),
        (form.redact.is_some() && !redacts, "which personal data shall be replaced?"),
        (nothing && !has("audit"), "what shall be checked? Name the items behind `items:`"),
        (text.is_empty(), "which document? Paste its text behind the command"),
    ];
    let doubt = || doubts.iter().find(|(open, _)| *open).map(|(_, question)| (*question).to_owned());
    let question = question.or_else(doubt);
    form.document = Some(text).filter(|text| !text.is_empty());
    Draft { form, question }
}

fn is_separator(token: &Token) -> bool {
    matches!(token.lower.as_str(), "," | ";" | "and" | "or" | "&") && token.kind != Kind::Quoted
}

/// Reads the values of names in a list, with separators between them.
fn listed(tokens: &[Token], known: &[(&str, &str)]) -> Vec<(usize, Value)> {
    let names: Vec<&str> = known.iter().flat_map(|(_, names)| names.split('|')).collect();
    let (mut found, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some((length, name)) = tokens.get(at..).and_then(|rest| slots::longest(&names, rest).into_iter().next()) {
        let own = known.iter().find(|(_, names)| names.split('|').any(|own| name == own));
        found.extend(own.map(|(value, _)| *value));
        end = at + length;
        let skip = |token: &&Token| is_separator(token) || matches!(token.lower.as_str(), "all" | "the");
        at = end + tokens.get(end..).into_iter().flatten().take_while(skip).count();
    }
    if end == 0 { Vec::new() } else { vec![(end, json!(found))] }
}

/// Reads items up to a word that begins another clause. A quoted item keeps its marks.
fn items(tokens: &[Token]) -> Option<(usize, Value)> {
    let (mut found, mut words, mut end): (Vec<String>, Vec<String>, usize) = (Vec::new(), Vec::new(), 0);
    let source = |at: usize| {
        let next = tokens.get(at + 1).map(|token| token.lower.as_str());
        matches!(next, Some("this" | "the" | "my" | "our" | "it"))
    };
    for (at, token) in tokens.iter().enumerate() {
        let word = token.lower.as_str();
        let ends = STOPS.split(' ').any(|stop| stop == word)
            || (matches!(word, "in" | "of" | "from" | "against") && source(at));
        let mark = token.kind == Kind::Mark && !matches!(word, "," | ";" | "&" | "/" | "'" | "’" | "(" | ")" | "%");
        if token.kind != Kind::Quoted && (mark || ends) {
            break;
        }
        if is_separator(token) {
            found.extend(Some(std::mem::take(&mut words).join(" ")).filter(|item| !item.is_empty()));
            continue;
        }
        // `the exact words "…"` belongs to another clause.
        if token.kind == Kind::Quoted && !words.is_empty() {
            return None;
        }
        if !(words.is_empty() && matches!(word, "a" | "an" | "the" | "any")) {
            words.push(if token.kind == Kind::Quoted { format!("\"{}\"", token.text) } else { token.text.clone() });
        }
        end = at + 1;
    }
    found.extend(Some(words.join(" ")).filter(|item| !item.is_empty()));
    (!found.is_empty()).then(|| (end, json!(found)))
}
