//! Templates: `{{name}}`, `{{name.member}}`, `{{#if name}}…{{else}}…{{/if}}`, `{{#each name}}…{{this}}…{{/each}}`, and
//! `\{{` for two plain braces.
//!
//! Invariants: a read template has balanced blocks, at most [`DEPTH_MAX`] deep; rendering ends by its own bounds and
//! puts values in as they are: braces in them mean nothing.

use serde_json::{Map, Value};

/// Deepest nesting of blocks.
const DEPTH_MAX: usize = 8;
/// Longest rendered text, in bytes.
const RENDERED_MAX: usize = 131_072;
/// Most steps of rendering.
const STEPS_MAX: usize = 200_000;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Variable(String),
    /// Its variable, and where to go on (a piece's place) if it is empty.
    If(String, usize),
    /// At the end of the first branch: where the block ends.
    Else(usize),
    EndIf,
    /// Its variable, and where the block ends.
    Each(String, usize),
    /// Where the block begins.
    EndEach(usize),
}

/// Reads a template. The error has the line, from 1, and what is wrong.
pub fn read(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    let mut plain = String::new();
    while let Some(at) = rest.find("{{") {
        let line = text.get(..text.len() - rest.len() + at).unwrap_or_default().matches('\n').count() + 1;
        let (head, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        if let Some(head) = head.strip_suffix('\\') {
            plain.push_str(head);
            plain.push_str("{{");
            rest = tail.get(2..).unwrap_or_default();
            continue;
        }
        plain.push_str(head);
        let inner = tail.get(2..).unwrap_or_default();
        let (tag, after) = inner.split_once("}}").ok_or(format!("line {line}: {{{{ without }}}}"))?;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        add(&mut pieces, &mut open, tag.trim()).map_err(|why| format!("line {line}: {why}"))?;
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    if open.is_empty() { Ok(pieces) } else { Err("a block is not closed with {{/if}} or {{/each}}".to_owned()) }
}

fn add(pieces: &mut Vec<Piece>, open: &mut Vec<usize>, tag: &str) -> Result<(), String> {
    let here = pieces.len();
    if let Some((block, name)) = tag.strip_prefix('#').and_then(|tag| tag.split_once(' ')) {
        let name = checked(name.trim())?;
        if open.len() >= DEPTH_MAX {
            return Err(format!("blocks more than {DEPTH_MAX} deep"));
        }
        open.push(here);
        pieces.push(match block {
            "if" => Piece::If(name, 0),
            "each" => Piece::Each(name, 0),
            _ => return Err(format!("unknown block #{block}; there are #if and #each")),
        });
        return Ok(());
    }
    match tag {
        "else" => {
            let start = open.last().copied().and_then(|at| pieces.get_mut(at));
            let Some(Piece::If(_, next @ 0)) = start else { return Err("{{else}} belongs once into {{#if}}".into()) };
            *next = here + 1;
            pieces.push(Piece::Else(0));
        }
        "/if" => {
            let start = open.pop().ok_or("{{/if}} without {{#if}}")?;
            let end = |piece: &mut Piece| {
                if let Piece::Else(next) = piece {
                    *next = here
                }
            };
            match pieces.get_mut(start) {
                Some(Piece::If(_, next @ 0)) => *next = here,
                Some(Piece::If(_, next)) => {
                    let at = next.saturating_sub(1);
                    pieces.get_mut(at).map(end);
                }
                _ => return Err("{{/if}} closes {{#each}}".into()),
            }
            pieces.push(Piece::EndIf);
        }
        "/each" => {
            let start = open.pop().ok_or("{{/each}} without {{#each}}")?;
            let Some(Piece::Each(_, next)) = pieces.get_mut(start) else {
                return Err("{{/each}} closes {{#if}}".into());
            };
            *next = here;
            pieces.push(Piece::EndEach(start));
        }
        name => pieces.push(Piece::Variable(checked(name)?)),
    }
    Ok(())
}

/// A name: letters, digits and `_`, members with full stops between.
fn checked(name: &str) -> Result<String, String> {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    if name.len() <= 100 && name.split('.').all(part) {
        return Ok(name.to_owned());
    }
    let shown: String = name.chars().take(40).collect();
    Err(format!("{shown:?} is no name; write \\{{{{ for plain braces"))
}

/// Names of variables that a template asks for (first parts of dotted names), in order.
pub fn names(pieces: &[Piece]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for piece in pieces {
        if let Piece::Variable(name) | Piece::If(name, _) | Piece::Each(name, _) = piece {
            let first = name.split('.').next().unwrap_or_default();
            if first != "this" && !names.iter().any(|known| known == first) {
                names.push(first.to_owned());
            }
        }
    }
    names
}

/// Why a template was not rendered.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// No value under this name.
    Missing(String),
    /// The value is of the wrong kind: the name, and what it should be.
    Kind(String, &'static str),
    /// A bound was met.
    TooLong,
}

/// One turn of a loop that is under way: its list, and the place in it.
struct Turn<'v> {
    items: &'v [Value],
    at: usize,
}

/// Puts values into a template.
pub fn render(pieces: &[Piece], values: &Map<String, Value>) -> Result<String, Failure> {
    let mut out = String::new();
    let mut turns: Vec<Turn<'_>> = Vec::new();
    let (mut at, mut steps) = (0usize, 0usize);
    while let Some(piece) = pieces.get(at) {
        steps += 1;
        if out.len() > RENDERED_MAX || steps > STEPS_MAX {
            return Err(Failure::TooLong);
        }
        at += 1;
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Variable(name) => put(&mut out, name, look_up(name, values, &turns)?)?,
            Piece::If(name, next) => {
                if is_empty(look_up(name, values, &turns)?) {
                    at = *next;
                }
            }
            Piece::Else(end) => at = *end,
            Piece::EndIf => {}
            Piece::Each(name, end) => {
                let Value::Array(items) = look_up(name, values, &turns)? else {
                    return Err(Failure::Kind(name.clone(), "a list"));
                };
                if items.is_empty() {
                    at = end + 1;
                } else {
                    turns.push(Turn { items, at: 0 });
                }
            }
            Piece::EndEach(start) => {
                let more = turns.last_mut().is_some_and(|turn| {
                    turn.at += 1;
                    turn.at < turn.items.len()
                });
                if more {
                    at = start + 1;
                } else {
                    turns.pop();
                }
            }
        }
    }
    if out.len() > RENDERED_MAX { Err(Failure::TooLong) } else { Ok(out) }
}

fn look_up<'v>(name: &str, values: &'v Map<String, Value>, turns: &[Turn<'v>]) -> Result<&'v Value, Failure> {
    let mut parts = name.split('.');
    let missing = || Failure::Missing(name.to_owned());
    let mut value = match parts.next() {
        Some("this") => turns.last().and_then(|turn| turn.items.get(turn.at)).ok_or_else(missing)?,
        first => values.get(first.unwrap_or_default()).ok_or_else(missing)?,
    };
    for part in parts {
        value = value.get(part).ok_or_else(missing)?;
    }
    Ok(value)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn put(out: &mut String, name: &str, value: &Value) -> Result<(), Failure> {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Number(_) | Value::Bool(_) => out.push_str(&value.to_string()),
        _ => return Err(Failure::Kind(name.to_owned(), "a text, number or boolean")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(template: &str, values: Value, expect: Result<&str, &str>) {
        let Value::Object(values) = values else { panic!("an object") };
        let got = read(template).and_then(|pieces| render(&pieces, &values).map_err(|why| format!("{why:?}")));
        match expect {
            Ok(text) => assert_eq!(got.as_deref(), Ok(text), "{template}"),
            Err(part) => assert!(got.as_ref().is_err_and(|why| why.contains(part)), "{template} {got:?}"),
        }
    }

    #[test]
    fn rendering() {
        check("a {{ b }}c", json!({"b": "{{c}}"}), Ok("a {{c}}c"));
        check("{{u.n}} {{k}}", json!({"u": {"n": 1.5}, "k": true}), Ok("1.5 true"));
        check("{{#if a}}x{{else}}y{{/if}}z", json!({"a": ""}), Ok("yz"));
        check("{{#if a}}x{{else}}y{{/if}}z", json!({"a": 0}), Ok("xz"));
        check("{{#if a}}x{{/if}}z", json!({"a": []}), Ok("z"));
        check(
            "{{#each l}}<{{this.n}}{{#each this.m}}{{this}},{{/each}}>{{/each}}.",
            json!({"l": [{"n": "p", "m": [1, 2]}, {"n": "q", "m": []}]}),
            Ok("<p1,2,><q>."),
        );
        check("\\{{a}} {b}", json!({}), Ok("{{a}} {b}"));
        check("{{a}}", json!({}), Err("Missing(\"a\")"));
        check("{{a.b}}", json!({"a": {}}), Err("Missing"));
        check("{{a}}", json!({"a": []}), Err("Kind"));
        check("{{#each a}}{{/each}}", json!({"a": 1}), Err("a list"));
        check("\n{{a", json!({}), Err("line 2"));
        check("{{#if a}}", json!({}), Err("not closed"));
        check("{{/if}}{{#each a}}{{/if}}", json!({}), Err("without"));
        check("{{#each a}}{{/if}}", json!({}), Err("closes"));
        check("{{else}}", json!({}), Err("belongs"));
        check("{{a b}}", json!({}), Err("no name"));
        check(
            "{{#each a}}{{#each b}}{{#each b}}{{t}}{{/each}}{{/each}}{{/each}}",
            json!({"a": vec![1; 200], "b": vec![1; 200], "t": "x".repeat(99)}),
            Err("TooLong"),
        );
    }
}
