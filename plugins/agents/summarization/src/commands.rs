//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{self, Kind, Token};
use agent_common::slots::Common;
use agent_common::{framed, language_names};
use serde_json::{Value, json};

use crate::input::{Document, Format, Input};

/// The published list.
pub(crate) const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`summarize in 2 sentences`, `in 3 bullets`, `in at most 40 words`, `about TOPIC`, followed by a \
    colon and the text";
/// Most words of a topic that is not quoted.
const TOPIC_MAX: usize = 5;
/// Words that may stand in a topic without occurring in the text.
const ARTICLES: [&str; 6] = ["the", "a", "of", "and", "its", "their"];
/// Clauses that contradict each other, although they set different members.
const EXCLUSIVE: [(&str, &str); 11] = [
    ("paragraph", "bullets"),
    ("paragraph", "exactbullets"),
    ("paragraph", "mostbullets"),
    ("exactbullets", "mostbullets"),
    ("exactbullets", "sentences"),
    ("mostbullets", "sentences"),
    ("words", "fewerwords"),
    ("plain", "language"),
    ("perdocument", "sentences"),
    ("perdocument", "exactbullets"),
    ("about", "containing"),
];

/// The words of a task; topics are words that occur in it a second time.
struct Topics(Vec<String>);

impl Slots for Topics {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "language" => language_names::read(tokens),
            "topic" => self.topics(tokens),
            _ => Common.read(kind, tokens),
        }
    }
}

impl Topics {
    fn topics(&self, tokens: &[Token]) -> Vec<(usize, Value)> {
        let quoted = Common.read("quoted", tokens);
        if !quoted.is_empty() {
            return quoted;
        }
        let article = |token: &Token| ARTICLES.contains(&token.lower.as_str());
        let occurs = |token: &&Token| {
            let twice = self.0.iter().filter(|word| **word == token.lower).count() > 1;
            token.kind == Kind::Word && (article(token) || twice)
        };
        let most = tokens.iter().take(TOPIC_MAX).take_while(occurs).count();
        let topic = |length: usize| {
            let words = tokens.get(..length).unwrap_or_default();
            let text = words.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
            words.last().is_some_and(|last| !article(last)).then(|| (length, json!(text)))
        };
        (1..=most).rev().filter_map(topic).collect()
    }
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let words = lexer::tokens(task).into_iter().map(|token| token.lower).collect();
    let split = framed::text(task, &Grammar::new(COMMANDS), &Topics(words));
    let reading = split.reading;
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let first = |name: &'static str| reading.all(name).next();
    let fewer = first("fewerwords").and_then(|found| found.count("n"));
    form.max_words = form.max_words.or(fewer.map(|words| words.saturating_sub(1)));
    form.format = if first("json").is_some() {
        Some(Format::Json)
    } else if first("bullets").or(first("mostbullets")).is_some() {
        Some(Format::Bullets)
    } else {
        first("paragraph").map(|_| Format::Text)
    };
    let quoted = first("quote").map(|found| found.text("text")).unwrap_or_default();
    let question = question.or_else(|| doubt(&reading, &split.text, &quoted));
    let text = if split.text.is_empty() { quoted } else { split.text };
    form.documents = documents(&text);
    form.text = Some(text).filter(|text| form.documents.is_none() && !text.is_empty());
    Draft { form, question }
}

/// Returns the question about clauses or a text that leave open what is asked for.
fn doubt(reading: &Reading, text: &str, quoted: &str) -> Option<String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let asks = reading.found.iter().any(|found| !matches!(found.clause.as_str(), "object" | "quote"));
    if text.is_empty() && quoted.is_empty() {
        return Some("the text to summarise is missing; paste it behind the command".into());
    }
    if !text.is_empty() && !quoted.is_empty() {
        return Some("the text in quotation marks and the text below: which one is to be summarised?".into());
    }
    if !asks {
        return Some(format!("what is to be done with the text? Use {SHOWN}"));
    }
    if let Some((a, b)) = EXCLUSIVE.iter().find(|(a, b)| has(a) && has(b)) {
        return Some(format!("the command has a `{a}` and a `{b}` clause, which contradict each other; keep one"));
    }
    let twice = ["fewerwords", "containing", "quote"].iter().find_map(|name| reading.one(name).err());
    twice.or_else(|| not_prose(text))
}

/// Returns the question about material that has no sentences to choose from.
fn not_prose(text: &str) -> Option<String> {
    let several = |is: &dyn Fn(&str) -> bool| text.lines().filter(|line| is(line.trim())).count() > 1;
    let is_item = |line: &str| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark))
            || (number.len() < line.len() && number.starts_with(['.', ')']))
    };
    let labelled = |line: &str| line.split(' ').next().is_some_and(|word| word.len() > 1 && word.ends_with(':'));
    let looks = [
        ("a list", several(&is_item)),
        ("labelled lines, such as mail headers or a conversation", several(&labelled)),
        ("a quoted mail", text.lines().any(|line| line.starts_with('>'))),
        ("a table", several(&|line| line.matches('|').count() > 1 || line.contains('\t'))),
        ("code", several(&|line| line.ends_with(['{', '}', ';']))),
        ("HTML", text.contains("</")),
        ("captions", text.contains("-->")),
    ];
    let (what, _) = looks.into_iter().find(|(_, is)| *is)?;
    Some(format!("the material looks like {what}, whose sentences do not stand alone; give running text"))
}

/// Returns the documents of a text with lines such as `--- title ---`.
fn documents(text: &str) -> Option<Vec<Document>> {
    let title = |line: &str| {
        let inner = line.trim().strip_prefix("---")?.strip_suffix("---")?.trim_matches(['-', ' ']);
        (!inner.is_empty()).then(|| inner.to_owned())
    };
    let mut all: Vec<Document> = Vec::new();
    for line in text.lines() {
        if let Some(title) = title(line) {
            all.push(Document { title: Some(title), text: String::new() });
        } else {
            let last = all.last_mut()?;
            last.text.push_str(line);
            last.text.push('\n');
        }
    }
    (!all.is_empty()).then_some(all)
}
