//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{Kind as Sort, Token};
use agent_common::material::Text;
use agent_common::{framing, slots};
use serde_json::{Value, json};

use crate::input::{Field, Input, Kind};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`extract invoice number, total and due date: TEXT`, `extract all e-mail addresses: TEXT`, \
    `extract everything: TEXT`";
/// Words that end the name of a field.
const STOPS: &str = "from in out leave keep if when null use put with using please thanks thx return turn one as";
/// The names of kinds.
const KINDS: [(Kind, &[&str]); 8] = [
    (Kind::Email, &["e-mail address", "email address", "mail address", "e-mail", "email"]),
    (Kind::Phone, &["phone number", "telephone number", "phone"]),
    (Kind::Date, &["date", "iso date"]),
    (Kind::Amount, &["amount of money", "amount"]),
    (Kind::Iban, &["iban", "bank account"]),
    (Kind::Url, &["web address", "link", "url"]),
    (Kind::Text, &["text"]),
    (Kind::Number, &["number", "integer"]),
];

/// The slots of this agent: `fields` and `kinds`.
struct Names;

impl Slots for Names {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "fields" => list(tokens, field, false).into_iter().collect(),
            "kinds" => list(tokens, everywhere, true).into_iter().collect(),
            "word" if tokens.first().is_some_and(|token| token.kind == Sort::Word) => vec![(1, Value::Null)],
            _ => slots::Common.read(kind, tokens),
        }
    }
}

/// Splits a task into its command and its text.
pub fn split(task: &str) -> Text {
    framing::read(task, &Grammar::new(COMMANDS), &Names)
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let Text { reading, text } = split(task);
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let has = |name: &str| reading.all(name).next().is_some();
    let mut fields: Vec<Field> = Vec::new();
    for name in ["fields", "kinds"] {
        let values = reading.all(name).filter_map(|found| found.value(name)?.as_array()).flatten();
        fields.extend(values.filter_map(|field| serde_json::from_value(field.clone()).ok()));
    }
    if !has("empty") {
        fields.iter_mut().for_each(|field| field.required = Some(true));
    }
    let repeated = fields.iter().enumerate().find(|(at, field)| fields.iter().take(*at).any(|o| o.name == field.name));
    let question = question.or_else(|| {
        if fields.is_empty() && !has("everything") {
            Some(format!("which fields? Name the labels of the text: {SHOWN}"))
        } else if text.is_empty() {
            Some("which text? Paste it behind the command".to_owned())
        } else if let Some((_, field)) = repeated {
            Some(format!("the field `{}` is named twice; keep one", field.name))
        } else {
            let both = has("everything") && !fields.is_empty();
            both.then(|| "everything, or only some fields? Keep one".to_owned())
        }
    });
    let is_html = text.starts_with('<') && text.contains("</");
    let place = if is_html { &mut form.html } else { &mut form.text };
    *place = Some(text).filter(|text| !text.is_empty());
    form.fields = Some(fields).filter(|fields| !fields.is_empty());
    Draft { form, question }
}

/// Reads the name of a kind: how many tokens it takes.
fn kind(tokens: &[Token]) -> Option<(usize, Kind)> {
    let length = |names: &[&str]| slots::longest(names, tokens).first().map(|(length, _)| *length);
    let all = KINDS.iter().filter_map(|(kind, names)| Some((length(names)?, *kind)));
    all.max_by_key(|(length, _)| *length)
}

fn is_separator(token: &Token) -> bool {
    matches!(token.lower.as_str(), "," | ";" | "and" | "&") && token.kind != Sort::Quoted
}

/// Reads a list of fields; the separators between two can be left out only where `is_loose`.
fn list(tokens: &[Token], read: fn(&[Token]) -> Option<(usize, Field)>, is_loose: bool) -> Option<(usize, Value)> {
    let is_between =
        |token: &&Token| is_separator(token) || (is_loose && matches!(token.lower.as_str(), "all" | "the"));
    let (mut found, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some((length, field)) = tokens.get(at..).and_then(read) {
        found.push(field);
        end = at + length;
        at = end + tokens.get(end..).into_iter().flatten().take_while(is_between).count();
        if at == end && !is_loose {
            break;
        }
    }
    (!found.is_empty()).then(|| (end, json!(found)))
}

/// Reads a kind whose values have a form of their own.
fn everywhere(tokens: &[Token]) -> Option<(usize, Field)> {
    let (length, kind) = kind(tokens).filter(|(_, kind)| !matches!(kind, Kind::Text | Kind::Number))?;
    let words: Vec<&str> = tokens.get(..length)?.iter().map(|token| token.text.as_str()).collect();
    Some((length, Field { name: words.join(" "), kind, everywhere: Some(true), ..Field::default() }))
}

/// Reads one field: articles, `all`, its name, its kind.
fn field(tokens: &[Token]) -> Option<(usize, Field)> {
    let is = |at: usize, words: &[&str]| {
        tokens.get(at).is_some_and(|token| token.kind != Sort::Quoted && words.contains(&token.lower.as_str()))
    };
    if is(0, &["everything"]) {
        return None;
    }
    let mut at = 0;
    let mut all = None;
    while is(at, &["the", "a", "an", "all", "every", "each"]) && tokens.len() > at + 1 {
        all = all.or(is(at, &["all", "every", "each"]).then_some(true));
        at += 1;
    }
    let first = at;
    let mut words: Vec<&str> = Vec::new();
    while let Some(token) = tokens.get(at) {
        let is_stop = token.kind != Sort::Quoted && STOPS.split(' ').any(|stop| stop == token.lower);
        let begins = is_stop || is_separator(token);
        // `dates are day first` is a clause of its own.
        if is(at, &["are", "is"]) {
            return None;
        }
        let mark = token.kind == Sort::Mark && !matches!(token.text.as_str(), "#" | "/" | "%" | "°" | "'" | "’");
        // `from` and `in` can be labels: `from, to and seat`.
        let alone = at == first && tokens.get(at + 1).is_none_or(is_separator) && !is_separator(token);
        if mark || (begins && !alone) {
            break;
        }
        words.push(&token.text);
        at += 1;
        if token.kind == Sort::Quoted {
            break;
        }
    }
    let name = words.join(" ");
    let suffix = |open: usize| tokens.get(open..).and_then(kind);
    let mut kind = Kind::Text;
    if is(at, &["("])
        && let Some((length, own)) = suffix(at + 1)
        && is(at + 1 + length, &[")"])
    {
        (kind, at) = (own, at + 2 + length);
    } else if is(at, &["as"]) {
        let article = usize::from(is(at + 1, &["a", "an"]));
        if let Some((length, own)) = suffix(at + 1 + article) {
            (kind, at) = (own, at + 1 + article + length);
        }
    }
    let named = !name.is_empty() && name.len() <= 100;
    named.then(|| (at, Field { name, kind, all, ..Field::default() }))
}
