//! The parts of a text by their looks: fences, quotes, lists, tables, JSON, e-mails, captions, code and prose.

use serde_json::Value;

use crate::lines::{self, Line};
use crate::{code_lines, grid, quotes, table, table::Table};

/// What a block is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Prose,
    /// `Label: value` lines, two at least.
    Labelled,
    Item(Option<String>),
    Quoted(Option<String>),
    BlockQuote,
    Fence(Option<String>),
    Table(Table),
    Json(Value),
    Email(Vec<(String, String)>),
    Captions(&'static str),
    Code(Option<&'static str>),
    /// A title that stands for what follows: `--- memo_1.txt ---`, `TEXT A`.
    Divider(String),
    Rule,
}

/// A block: what it is, its whole place and the place of its text, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: (usize, usize),
}

struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line<'t>>,
    grids: Vec<grid::Grid>,
}

/// The blocks of a text in order.
pub(crate) fn read(text: &str) -> Vec<Block> {
    let reader = Reader { text, lines: lines::split(text), grids: grid::find(text) };
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = 0;
    while at < reader.lines.len() {
        if reader.lines.get(at).is_none_or(Line::is_blank) {
            at += 1;
            continue;
        }
        let (kind, next, inner) = reader.block(at, blocks.last());
        let start = reader.start(at);
        let end = reader.end(next - 1);
        blocks.push(Block { kind, start, end, text: inner.unwrap_or((start, end)) });
        at = next;
    }
    blocks
}

type Found = (Kind, usize, Option<(usize, usize)>);

impl<'t> Reader<'t> {
    fn line(&self, at: usize) -> &'t str {
        self.lines.get(at).map_or("", |line| line.text)
    }

    fn start(&self, at: usize) -> usize {
        self.lines.get(at).map_or(self.text.len(), |line| line.start)
    }

    fn end(&self, at: usize) -> usize {
        self.lines.get(at).map_or(self.text.len(), Line::end)
    }

    fn blank(&self, at: usize) -> bool {
        self.lines.get(at).is_none_or(Line::is_blank)
    }

    /// The block that begins with a line and the line behind it.
    fn block(&self, at: usize, before: Option<&Block>) -> Found {
        self.fence(at)
            .or_else(|| self.json(at))
            .or_else(|| self.captions(at))
            .or_else(|| self.email(at))
            .or_else(|| self.block_quote(at))
            .or_else(|| self.code(at))
            .or_else(|| self.divider(at))
            .or_else(|| self.quoted(at))
            .or_else(|| self.item(at, before))
            .or_else(|| self.table(at))
            .or_else(|| self.labelled(at))
            .unwrap_or_else(|| self.prose(at))
    }

    fn fence(&self, at: usize) -> Option<Found> {
        let line = self.line(at).trim();
        let (mark, close) = if line.starts_with("```") {
            ("```", "```")
        } else if line.starts_with("~~~") {
            ("~~~", "~~~")
        } else if line == "<<<" {
            ("<<<", ">>>")
        } else if line == "\"\"\"" {
            ("\"\"\"", "\"\"\"")
        } else {
            return None;
        };
        let language = line.trim_start_matches(mark.chars().next()?).trim();
        let last = (at + 1..self.lines.len()).find(|at| self.line(*at).trim() == close);
        let end = last.unwrap_or(self.lines.len());
        let language = (!language.is_empty()).then(|| language.to_lowercase());
        let inner = (self.start(at + 1), self.end(end.saturating_sub(1)).max(self.start(at + 1)));
        Some((Kind::Fence(language), (end + 1).min(self.lines.len()), Some(inner)))
    }

    fn json(&self, at: usize) -> Option<Found> {
        let line = self.line(at);
        let start = self.start(at) + line.find(['{', '['])?;
        if !line.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let mut values = Vec::new();
        let mut end = start;
        while let Some(rest) = self.text.get(end..) {
            let skipped = rest.len() - rest.trim_start().len();
            let Some((value, len)) = table::value_at(rest.trim_start()) else { break };
            let after = self.text.get(end + skipped + len..).unwrap_or_default();
            let tail = after.split('\n').next().unwrap_or_default().trim();
            if !tail.is_empty() && tail != "," {
                break;
            }
            values.push(value);
            end += skipped + len + usize::from(tail == ",");
        }
        let value = if values.len() == 1 { values.pop()? } else { Value::Array(values) };
        if end == start {
            return None;
        }
        let next = (at..self.lines.len()).find(|at| self.start(*at) >= end).unwrap_or(self.lines.len());
        Some((Kind::Json(value), next, Some((start, end))))
    }

    fn captions(&self, at: usize) -> Option<Found> {
        let timing = |at: usize| self.line(at).contains("-->");
        let index = |at: usize| {
            !self.blank(at) && self.line(at).trim().bytes().all(|byte| byte.is_ascii_digit()) && timing(at + 1)
        };
        let vtt = self.line(at).trim().starts_with("WEBVTT");
        if !(vtt || timing(at) || index(at)) {
            return None;
        }
        let mut next = at + 1;
        let mut end = next;
        while next < self.lines.len() {
            let cue = timing(next) || index(next);
            if self.blank(next) {
                next += 1;
                continue;
            }
            // Behind a blank line only the next cue goes on; text goes on below its own cue.
            if self.blank(next - 1) && !cue && !self.line(next).trim().starts_with("NOTE") {
                break;
            }
            next += 1;
            end = next;
        }
        Some((
            Kind::Captions(if vtt || !self.text.contains(",0") && self.text.contains("WEBVTT") {
                "vtt"
            } else {
                "srt"
            }),
            end,
            None,
        ))
    }

    fn email(&self, at: usize) -> Option<Found> {
        let first = lines::header(self.line(at))?;
        let mut headers = vec![(first.0.to_owned(), first.1.to_owned())];
        let mut next = at + 1;
        while let Some((name, value)) = lines::header(self.line(next)) {
            headers.push((name.to_owned(), value.to_owned()));
            next += 1;
        }
        let named = |name: &str| headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
        let subject = ["subject", "betreff", "objet", "asunto", "oggetto"].iter().any(|name| named(name));
        let address = headers.iter().any(|(_, value)| value.contains('@'));
        let mail =
            (headers.len() > 1 && (subject || address || headers.len() > 2)) || subject || (named("from") && address);
        if !mail {
            return None;
        }
        let body = next;
        let stops = |at: usize| {
            let line = self.line(at);
            let again = lines::header(line).is_some()
                && at > body
                && self.blank(at - 1)
                && (lines::header(self.line(at + 1)).is_some() || line.starts_with("From:"));
            again
                || (lines::rule(line) && !line.trim().starts_with('='))
                || lines::divider(line).is_some()
                || line.trim().starts_with("```")
        };
        let end = (body..self.lines.len()).find(|at| stops(*at)).unwrap_or(self.lines.len());
        let last = (body..end).rev().find(|at| !self.blank(*at)).map_or(body, |at| at + 1);
        let inner = (self.start(body).min(self.end(last - 1)), self.end(last - 1));
        Some((Kind::Email(headers), last.max(at + 1), Some(inner)))
    }

    fn block_quote(&self, at: usize) -> Option<Found> {
        let quotes = |at: usize| self.line(at).starts_with("> ") || self.line(at).trim() == ">";
        let next = (at..self.lines.len()).find(|at| !quotes(*at)).unwrap_or(self.lines.len());
        (next > at).then_some((Kind::BlockQuote, next, None))
    }

    fn code(&self, at: usize) -> Option<Found> {
        let language = code_lines::code(self.line(at)).filter(|_| !self.line(at).starts_with("//"))?;
        let mut language = language;
        let mut next = at + 1;
        let mut end = next;
        while next < self.lines.len() {
            let line = self.line(next);
            let near = !self.blank(next - 1);
            let inner = line.starts_with([' ', '\t']) || line.starts_with(['}', ')', '#']);
            if let Some(found) = code_lines::code(line) {
                language = language.or(found);
                end = next + 1;
            } else if inner
                || (near && !self.blank(next) && line.contains('=') && !line.contains(". ") && !line.contains("->"))
            {
                end = next + 1;
            } else if !self.blank(next) {
                break;
            }
            next += 1;
        }
        // One line that looks like code in a sentence is none.
        let strong = end > at + 1
            || self.line(at).trim_end().ends_with(['{', ';', '}', ':', ')'])
            || self.line(at).starts_with("def ");
        strong.then_some((Kind::Code(language), end, None))
    }

    fn divider(&self, at: usize) -> Option<Found> {
        let line = self.line(at);
        if lines::rule(line) {
            return Some((Kind::Rule, at + 1, None));
        }
        let alone = lines::is_count(line.trim().trim_end_matches(':')) && !self.blank(at + 1);
        let letter = line.trim().len() == 2
            && line.trim().ends_with(':')
            && line.trim().starts_with(|c: char| c.is_ascii_uppercase());
        let title = lines::divider(line).or_else(|| (alone || letter).then(|| line.trim().trim_end_matches(':')))?;
        Some((Kind::Divider(title.to_owned()), at + 1, None))
    }

    /// A line that is a quotation, with a short label before it perhaps; the quotation may go on over lines.
    fn quoted(&self, at: usize) -> Option<Found> {
        let from = self.start(at);
        let rest = self.text.get(from..)?;
        let line = self.line(at);
        let marked = lines::marker(line).map(|(label, body)| (label.map(str::to_owned), body));
        let (label, body) = match marked {
            Some(marked) => marked,
            None => {
                let counted = lines::counted(line).map(|(label, body)| (Some(label.to_owned()), body));
                let signs = [": ", " => ", " -> ", " = "];
                let sign = signs.iter().find_map(|sign| line.find(sign).map(|at| (at, sign.len())));
                let short = sign.filter(|(at, _)| {
                    *at > 0
                        && line
                            .get(..*at)
                            .is_some_and(|l| l.split_whitespace().count() <= 3 && !l.contains(['"', '“', '(']))
                });
                counted
                    .or_else(|| short.map(|(at, len)| (line.get(..at).map(|l| l.trim().to_owned()), at + len)))
                    .unwrap_or((None, 0))
            }
        };
        let first = quotes::find(rest.get(body..)?).into_iter().next()?;
        if !rest.get(body..body + first.start)?.trim().is_empty() {
            return None;
        }
        let asks = label.as_deref().is_some_and(crate::asking::asks);
        let end = body + first.end;
        let tail = rest.get(end..)?.split('\n').next()?.trim();
        let alone =
            tail.trim_matches([',', '.', ';', ' ']).is_empty() || (tail.starts_with('(') && tail.ends_with(')'));
        let next = (at + 1..self.lines.len()).find(|at| self.start(*at) >= from + end).unwrap_or(self.lines.len());
        let mark = rest.get(body + first.start..)?.chars().next()?.len_utf8();
        let inner_start = from + body + first.start + mark;
        let inner = self.text.get(inner_start..)?;
        let lead = inner.len() - inner.trim_start().len();
        let inner = (inner_start + lead, inner_start + lead + first.text.len());
        (alone && !asks && first.text.len() > 1).then_some((Kind::Quoted(label), next, Some(inner)))
    }

    fn item(&self, at: usize, before: Option<&Block>) -> Option<Found> {
        let line = self.line(at);
        let (label, body) = lines::marker(line)
            .map(|(label, body)| (label.map(str::to_owned), body))
            .or_else(|| lines::counted(line).map(|(label, body)| (Some(label.to_owned()), body)))?;
        let item = |at: usize| lines::marker(self.line(at)).is_some() || lines::counted(self.line(at)).is_some();
        let follows = before.is_some_and(|block| matches!(block.kind, Kind::Item(_)));
        // One mark alone is an item only below or above another, or behind a line that ends with a colon.
        let mut next = at + 1;
        while next < self.lines.len() && !self.blank(next) && !item(next) && self.line(next).starts_with([' ', '\t']) {
            next += 1;
        }
        let mut more = next;
        while more < self.lines.len() && self.blank(more) {
            more += 1;
        }
        let counted = lines::marker(line).is_none();
        let spaced = counted.then(|| self.paragraph_end(at)).filter(|end| *end > next && item_after(self, *end, &item));
        let next = spaced.unwrap_or(next);
        let alone = at > 0 && self.line(at - 1).trim_end().ends_with(':');
        let listed = follows || item(more) || spaced.is_some() || alone || (counted && line.trim_end().len() > body);
        listed.then(|| (Kind::Item(label), next, Some((self.start(at) + body.min(line.len()), self.end(next - 1)))))
    }

    fn paragraph_end(&self, at: usize) -> usize {
        let stops = |at: usize| self.blank(at) || lines::counted(self.line(at)).is_some();
        (at + 1..self.lines.len()).find(|at| stops(*at)).unwrap_or(self.lines.len())
    }

    fn table(&self, at: usize) -> Option<Found> {
        let grid = self.grids.iter().find(|grid| grid.lines.start == at)?;
        Some((Kind::Table(grid.table.clone()), grid.lines.end, None))
    }

    fn labelled(&self, at: usize) -> Option<Found> {
        let labelled = |at: usize| {
            let line = self.line(at);
            line.split_once(':').is_some_and(|(label, value)| {
                let words = label.split_whitespace().count();
                (1..=4).contains(&words)
                    && label.chars().any(char::is_alphabetic)
                    && !label.contains(['?', '!', ','])
                    && !value.starts_with("//")
                    && (value.is_empty() || value.starts_with([' ', '\t']))
                    && !(crate::asking::strength(label) > 2 && value.trim().is_empty())
            })
        };
        let next = (at..self.lines.len()).find(|at| !labelled(*at)).unwrap_or(self.lines.len());
        (next > at + 1).then_some((Kind::Labelled, next, None))
    }

    fn prose(&self, at: usize) -> Found {
        let stops = |at: usize| {
            self.blank(at)
                || self.line(at).trim().starts_with("```")
                || self.grids.iter().any(|grid| grid.lines.start == at)
                || lines::marker(self.line(at)).is_some()
                || lines::rule(self.line(at))
                || self.block_quote(at).is_some()
                || self.captions(at).is_some()
                || self.code(at).is_some()
                || self.quoted(at).is_some()
                || self.json(at).is_some()
                || self.divider(at).is_some()
                || self.item(at, None).is_some()
                || self.labelled(at).is_some()
                || (self.email(at).is_some())
        };
        let next = (at + 1..self.lines.len()).find(|at| stops(*at)).unwrap_or(self.lines.len());
        (Kind::Prose, next, None)
    }
}

fn item_after(reader: &Reader<'_>, from: usize, item: &dyn Fn(usize) -> bool) -> bool {
    let next = (from..reader.lines.len()).find(|at| !reader.blank(*at));
    next.is_some_and(item)
}
