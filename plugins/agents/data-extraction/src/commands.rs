//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{Kind as Sort, Token};
use agent_common::material::Text;
use agent_common::{framing, slots};
use serde_json::{Value, json};

use crate::input::{DateOrder, Decimals, Field, Input, Kind};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`extract invoice number, total and due date: TEXT`, `extract all e-mail addresses: TEXT`, \
    `extract everything: TEXT`";
/// Words that end the name of a field.
const STOPS: [&str; 18] = [
    "from", "in", "out", "leave", "keep", "if", "when", "null", "use", "put", "with", "using", "please", "thanks",
    "thx", "return", "turn", "one",
];
/// The names of kinds.
const KINDS: [(&str, Kind); 20] = [
    ("e-mail address", Kind::Email),
    ("email address", Kind::Email),
    ("mail address", Kind::Email),
    ("e-mail", Kind::Email),
    ("email", Kind::Email),
    ("phone number", Kind::Phone),
    ("telephone number", Kind::Phone),
    ("phone", Kind::Phone),
    ("date", Kind::Date),
    ("amount of money", Kind::Amount),
    ("amount", Kind::Amount),
    ("iban", Kind::Iban),
    ("web address", Kind::Url),
    ("link", Kind::Url),
    ("url", Kind::Url),
    ("text", Kind::Text),
    ("number", Kind::Number),
    ("integer", Kind::Number),
    ("iso date", Kind::Date),
    ("bank account", Kind::Iban),
];

/// The slots of this agent: `fields` and `kinds`.
struct Names;

impl Slots for Names {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "fields" => fields(tokens).into_iter().collect(),
            "kinds" => kinds(tokens).into_iter().collect(),
            "word" => {
                let word = tokens.first().filter(|token| token.kind == Sort::Word);
                word.map(|token| (1, json!(token.text))).into_iter().collect()
            }
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
    let has = |name: &str| reading.all(name).next().is_some();
    let list = |name: &str| {
        let values = reading.all(name).filter_map(|found| found.value(name)?.as_array()).flatten();
        values.cloned().collect::<Vec<Value>>()
    };
    let required = (!has("empty")).then_some(true);
    let read = |value: Value| serde_json::from_value::<Field>(value).ok().map(|field| Field { required, ..field });
    let fields: Vec<Field> = list("fields").into_iter().chain(list("kinds")).filter_map(read).collect();
    let repeated = fields.iter().enumerate().find(|(at, field)| fields.iter().take(*at).any(|o| o.name == field.name));
    let question = form::unread(&reading.unread, SHOWN).or_else(|| {
        if fields.is_empty() && !has("everything") {
            Some(format!("which fields? Name the labels of the text: {SHOWN}"))
        } else if text.is_empty() {
            Some("which text? Paste it behind the command".to_owned())
        } else if let Some((_, field)) = repeated {
            Some(format!("the field `{}` is named twice; keep one", field.name))
        } else if has("everything") && !fields.is_empty() {
            Some("everything, or only some fields? Keep one".to_owned())
        } else {
            let both = (has("dayfirst") && has("monthfirst")) || (has("comma") && has("point"));
            both.then(|| "two clauses about dates or decimals contradict each other; which one applies?".to_owned())
        }
    });
    let is_html = text.starts_with('<') && text.contains("</");
    let form = Input {
        html: is_html.then(|| text.clone()),
        text: (!is_html && !text.is_empty()).then_some(text),
        fields: (!fields.is_empty()).then_some(fields),
        schema: None,
        dates: has("dayfirst")
            .then_some(DateOrder::DayFirst)
            .or_else(|| has("monthfirst").then_some(DateOrder::MonthFirst)),
        decimals: has("comma").then_some(Decimals::Comma).or_else(|| has("point").then_some(Decimals::Point)),
    };
    Draft { form, question }
}

/// Reads the name of a kind: how many tokens it takes.
fn kind(tokens: &[Token]) -> Option<(usize, Kind)> {
    let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let (length, name) = slots::longest(&names, tokens).into_iter().next()?;
    KINDS.iter().find(|(known, _)| name == *known).map(|(_, kind)| (length, *kind))
}

fn is_separator(token: &Token) -> bool {
    matches!(token.lower.as_str(), "," | ";" | "and" | "&") && token.kind != Sort::Quoted
}

fn kinds(tokens: &[Token]) -> Option<(usize, Value)> {
    let (mut found, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some((length, kind)) = tokens.get(at..).and_then(kind) {
        if matches!(kind, Kind::Text | Kind::Number) {
            break;
        }
        let words: Vec<&str> =
            tokens.get(at..at + length).into_iter().flatten().map(|token| token.text.as_str()).collect();
        found.push(Field { name: words.join(" "), kind, everywhere: Some(true), ..Field::default() });
        end = at + length;
        let skip = |token: &&Token| is_separator(token) || matches!(token.lower.as_str(), "all" | "the");
        at = end + tokens.get(end..).into_iter().flatten().take_while(skip).count();
    }
    (end > 0).then(|| (end, json!(found)))
}

/// Reads names of fields up to a word that begins another clause.
fn fields(tokens: &[Token]) -> Option<(usize, Value)> {
    let (mut found, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some((length, field)) = tokens.get(at..).and_then(field) {
        found.push(field);
        end = at + length;
        let separators = tokens.get(end..).into_iter().flatten().take_while(|token| is_separator(token)).count();
        if separators == 0 {
            break;
        }
        at = end + separators;
    }
    (!found.is_empty()).then(|| (end, json!(found)))
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
        if !is(at, &["the", "a", "an"]) {
            all = Some(true);
        }
        at += 1;
    }
    let first = at;
    let mut words: Vec<&str> = Vec::new();
    while let Some(token) = tokens.get(at) {
        let begins = is(at, &STOPS) || is(at, &["as"]) || is_separator(token);
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

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    fn shown(task: &str) -> String {
        let Draft { form, question } = draft(task);
        let field = |field: &Field| {
            format!("{}{}:{}", field.name, if field.all.is_some() { "*" } else { "" }, field.kind.name())
        };
        let fields: Vec<String> = form.fields.iter().flatten().map(field).collect();
        format!("{} {}", fields.join(", "), question.unwrap_or_default()).trim().to_owned()
    }

    #[test]
    fn commands_become_fields() {
        let cases = [
            (
                "Extract lot no and the total as number from this invoice as JSON, please\nlot no: 5",
                "lot no:text, total:number",
            ),
            (
                "get from, to & \"terms and conditions\" out of the text: From: x",
                "from:text, to:text, terms and conditions:text",
            ),
            ("Find all dates and all amounts in this letter: x", "dates:date, amounts:amount"),
            ("list all order numbers; leave missing fields empty\n\nx", "order numbers*:text"),
            ("extract due date (date), e-mail (text): x", "due date:date, e-mail:text"),
        ];
        for (task, expect) in cases {
            assert_eq!(shown(task), expect, "{task}");
        }
    }

    #[test]
    fn what_is_unclear_is_a_question() {
        let cases = [
            ("summarize the total: x", "words that this agent does not know"),
            ("extract total with care: x", "does not know: `with care`"),
            ("extract total, total: x", "named twice"),
            ("extract everything and get total: x", "Keep one"),
            ("extract all dates, dates are day first, dates are month first: x", "contradict"),
            ("extract total", "which text?"),
            ("in this letter: x", "which fields?"),
        ];
        for (task, expect) in cases {
            assert!(shown(task).contains(expect), "{task}: {}", shown(task));
        }
    }
}
