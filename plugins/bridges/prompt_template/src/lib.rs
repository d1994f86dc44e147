//! A bridge that optimises prompts: it shortens a template, renders it strictly, and says what is wrong with it.
//!
//! Everything is by rules; no model is asked. Values of variables are never changed.

mod input;
mod lint;
mod output;
mod shorten;
mod template;
mod text;

use std::collections::{BTreeMap, HashSet};

use bridge_common::Report;
use serde_json::{Map, Value};
use tollbridge_sdk::{Call, Error, bridge};

pub use crate::input::Input;
use crate::{
    input::{Message, Role},
    lint::{Finding, Severity, finding},
    output::{Answer, Output, Sizes, Variables},
    shorten::{Change, Changes, Level},
    template::{Failure, Piece},
    text::Size,
};

/// Optimises one prompt.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let (messages, fields) = input::messages(call, &input)?;
    let level = input.level.unwrap_or_default();
    let before = parsed(&messages, &fields)?;
    let variables = variables_of(&before, input.variables.as_ref());
    let mut changes = Changes::default();
    let optimised = optimise(&messages, level, &mut changes);
    let optimised = delimit(optimised, &input, &variables, &mut changes)?;
    let after = parsed(&optimised, &fields)?;
    let mut findings = variable_findings(&variables);
    if let Some(values) = &input.variables {
        lint::values(values, &mut findings);
        broken_delimiters(&input, values, &mut findings);
    }
    let plain: Vec<(String, String)> =
        optimised.iter().map(|message| (format!("{:?}", message.role), message.content.clone())).collect();
    lint::contradictions(&plain, &mut findings);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let rendered = match &input.variables {
        Some(values) => Some((rendered(&messages, &before, values)?, rendered(&optimised, &after, values)?)),
        None => None,
    };
    Ok(answer(&messages, optimised, rendered, variables, findings, changes, level))
}

fn parsed(messages: &[Message], fields: &[String]) -> Result<Vec<Vec<Piece>>, Error> {
    let read = |(message, field): (&Message, &String)| {
        template::read(&message.content).map_err(|why| Error::invalid(field.clone(), why))
    };
    messages.iter().zip(fields).map(read).collect()
}

/// Variables asked for and given.
fn variables_of(pieces: &[Vec<Piece>], values: Option<&Map<String, Value>>) -> Variables {
    let mut needed: Vec<String> = Vec::new();
    for name in pieces.iter().flat_map(|pieces| template::names(pieces)) {
        if !needed.contains(&name) {
            needed.push(name);
        }
    }
    let missing =
        needed.iter().filter(|name| values.is_none_or(|values| !values.contains_key(*name))).cloned().collect();
    let unused = values.into_iter().flat_map(Map::keys).filter(|key| !needed.contains(key)).cloned().collect();
    Variables { needed, missing, unused }
}

fn variable_findings(used: &Variables) -> Vec<Finding> {
    let unused = used.unused.iter().map(|name| {
        let at = lint::pointer("/variables", name);
        finding("unused_variable", Severity::Warning, at, format!("no part of the prompt uses {name}"))
    });
    let missing = used.missing.iter().map(|name| {
        let message = format!("{name} has no value; rendering needs one");
        finding("missing_variable", Severity::Info, "/variables", message)
    });
    unused.chain(missing).collect()
}

/// Shortens each message; sentences are compared with earlier ones of the same role.
fn optimise(messages: &[Message], level: Level, changes: &mut Changes) -> Vec<Message> {
    let mut sentences: BTreeMap<Role, HashSet<String>> = BTreeMap::new();
    let mut out = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        // What the model or a tool said is a record, not an instruction.
        let level = match message.role {
            Role::Assistant | Role::Tool => Level::None,
            _ => level,
        };
        let known = sentences.entry(message.role).or_default();
        let content = shorten::shorten(&message.content, place, level, known, changes);
        for range in content.lines().flat_map(|line| text::sentences(line).into_iter().filter_map(|r| line.get(r))) {
            known.insert(text::words(range).join(" "));
        }
        out.push(Message { role: message.role, content });
    }
    out
}

/// Puts tags around the variables that the caller names.
fn delimit(
    mut messages: Vec<Message>,
    input: &Input,
    used: &Variables,
    changes: &mut Changes,
) -> Result<Vec<Message>, Error> {
    for (at, name) in input.delimit.iter().flatten().enumerate() {
        if !used.needed.contains(name) {
            return Err(Error::invalid(format!("/delimit/{at}"), format!("the prompt has no variable {name}")));
        }
        for (place, message) in messages.iter_mut().enumerate() {
            let mut lines: Vec<String> = Vec::new();
            for (number, line) in message.content.lines().enumerate() {
                let tag = format!("{{{{{name}}}}}");
                let next = match line {
                    _ if line.contains(&format!("<{name}>{tag}")) || line.contains('\\') => line.to_owned(),
                    _ => line.replace(&tag, &format!("<{name}>{tag}</{name}>")),
                };
                if next != line {
                    changes.add(Change {
                        kind: "delimiter",
                        message: place,
                        line: number + 1,
                        before: text::cut(line, 120),
                        after: text::cut(&next, 120),
                        reason: "a model tells a value from instructions by the tags around it".to_owned(),
                    });
                }
                lines.push(next);
            }
            message.content = lines.join("\n");
        }
    }
    Ok(messages)
}

fn broken_delimiters(input: &Input, values: &Map<String, Value>, findings: &mut Vec<Finding>) {
    for name in input.delimit.iter().flatten() {
        let breaks = values.get(name).and_then(Value::as_str).is_some_and(|text| text.contains(&format!("</{name}")));
        if breaks {
            let at = lint::pointer("/variables", name);
            findings.push(finding("delimiter_break", Severity::High, at, format!("ends its own tag with </{name}>")));
        }
    }
}

fn rendered(messages: &[Message], pieces: &[Vec<Piece>], values: &Map<String, Value>) -> Result<Vec<Message>, Error> {
    let mut bytes = 0usize;
    let mut out = Vec::new();
    for (message, pieces) in messages.iter().zip(pieces) {
        let content = template::render(pieces, values).map_err(failure)?;
        bytes = bytes.saturating_add(content.len());
        out.push(Message { role: message.role, content });
    }
    if bytes > input::TEXT_MAX * 2 { Err(failure(Failure::TooLong)) } else { Ok(out) }
}

fn failure(failure: Failure) -> Error {
    match failure {
        Failure::Missing(name) => {
            let field = name.split('.').fold("/variables".to_owned(), |base, part| lint::pointer(&base, part));
            Error::invalid(
                field,
                format!(
                    "the prompt uses {name}, which has no value; leave `variables` out for a check without rendering"
                ),
            )
        }
        Failure::Kind(name, what) => {
            let field = name.split('.').fold("/variables".to_owned(), |base, part| lint::pointer(&base, part));
            Error::invalid(field, format!("the prompt uses {name} as {what}"))
        }
        Failure::TooLong => {
            Error::invalid("/variables", format!("the rendered prompt is longer than {} bytes", input::TEXT_MAX * 2))
        }
    }
}

fn answer(
    before: &[Message],
    optimised: Vec<Message>,
    rendered: Option<(Vec<Message>, Vec<Message>)>,
    variables: Variables,
    findings: Vec<Finding>,
    changes: Changes,
    level: Level,
) -> Output {
    let size = |messages: &[Message]| {
        let mut size = Size::default();
        messages.iter().for_each(|message| size.add(&message.content));
        size
    };
    let sizes = |a: &[Message], b: &[Message]| Sizes { before: size(a), after: size(b) };
    let single = |messages: &[Message]| match messages {
        [only] => Some(only.content.clone()),
        _ => None,
    };
    let mut limitations = vec![
        "Rules decide, no model was asked: read the optimised prompt before you use it, and compare answers on examples of your own.".to_owned(),
        "Token numbers are estimates (a quarter of the characters); each model counts in its own way.".to_owned(),
        "Signs of injection and contradictions are looked for in English only, and a clever one can pass.".to_owned(),
    ];
    if changes.count > changes.list.len() {
        limitations.push(format!("only the first {} of {} changes are listed", changes.list.len(), changes.count));
    }
    let method = match level {
        Level::None => "strict rendering and lint; no text was changed",
        Level::Whitespace => "white space removed outside code and quotes; then strict rendering and lint",
        Level::Full => {
            "white space, sentences that stood before and filler wordings removed outside code, quotes and template tags; then strict rendering and lint"
        }
    };
    let answer = Answer {
        template_size: sizes(before, &optimised),
        rendered_size: rendered.as_ref().map(|(a, b)| sizes(a, b)),
        prompt: rendered.as_ref().and_then(|(_, after)| single(after)),
        messages: rendered.map(|(_, after)| after),
        optimised,
        variables,
        changes_count: changes.count,
        changes: changes.list,
        findings,
    };
    Report::new(answer, method, limitations)
}

bridge! { handle: handle, examples: ["../cases/review.json", "../cases/injection.json"] }

#[cfg(test)]
mod tests;
