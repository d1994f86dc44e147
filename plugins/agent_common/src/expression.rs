//! Formulas over the columns of a table: `qty * price`, `(gross - net) / net`.

use crate::exact::Exact;
use crate::lexer::{self, Kind, Token};
use crate::{columns, slots};

/// A formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// The cell of a column.
    Column(String),
    /// A number.
    Number(Exact),
    /// Two parts with `+`, `-`, `*` or `/` between them.
    Both(Box<Expression>, char, Box<Expression>),
}

impl Expression {
    /// Reads a whole text as a formula or as the name of a column.
    pub fn parse(text: &str, names: &[String]) -> Result<Self, String> {
        if let Some(name) = names.iter().find(|name| name.trim().eq_ignore_ascii_case(text.trim())) {
            return Ok(Self::Column(name.clone()));
        }
        let tokens = lexer::tokens(text);
        let all = Self::read(&tokens, names).into_iter().find(|(length, _)| *length == tokens.len());
        all.map(|(_, formula)| formula).ok_or_else(|| {
            format!("`{text}` is neither a column nor a formula over columns; the columns are {}", names.join(", "))
        })
    }

    /// Returns all formulas that begin with the first token, the longest first.
    pub fn read(tokens: &[Token], names: &[String]) -> Vec<(usize, Self)> {
        let mut found = sum(tokens, names, 0);
        found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        found.dedup_by_key(|(length, _)| *length);
        found
    }

    /// Returns the value, given the value of each column; none if one is missing or a
    /// divisor is zero.
    pub fn value(&self, cell: &dyn Fn(&str) -> Option<Exact>) -> Option<Exact> {
        match self {
            Self::Column(name) => cell(name),
            Self::Number(number) => Some(*number),
            Self::Both(a, sign, b) => {
                let (a, b) = (a.value(cell)?, b.value(cell)?);
                match sign {
                    '+' => a.plus(b),
                    '-' => a.minus(b),
                    '*' => a.times(b),
                    _ => a.over(b),
                }
            }
        }
    }

    /// Returns the columns that it uses.
    pub fn columns(&self) -> Vec<&str> {
        match self {
            Self::Column(name) => vec![name],
            Self::Number(_) => Vec::new(),
            Self::Both(a, _, b) => a.columns().into_iter().chain(b.columns()).collect(),
        }
    }

    /// Returns the formula as a text that [`Self::parse`] reads.
    pub fn text(&self) -> String {
        let part = |part: &Self| match part {
            Self::Both(..) => format!("({})", part.text()),
            Self::Column(name) if !name.chars().all(|c| c.is_alphanumeric() || c == '_') => format!("\"{name}\""),
            _ => part.text(),
        };
        match self {
            Self::Column(name) => name.clone(),
            Self::Number(number) => number.text(),
            Self::Both(a, sign, b) => format!("{} {sign} {}", part(a), part(b)),
        }
    }
}

type Found = Vec<(usize, Expression)>;

fn sum(tokens: &[Token], names: &[String], depth: usize) -> Found {
    chain(tokens, &[("+", '+'), ("-", '-'), ("−", '-'), ("plus", '+'), ("minus", '-')], &|rest| {
        product(rest, names, depth)
    })
}

fn product(tokens: &[Token], names: &[String], depth: usize) -> Found {
    let signs =
        [("*", '*'), ("×", '*'), ("·", '*'), ("x", '*'), ("times", '*'), ("/", '/'), ("÷", '/'), ("divided by", '/')];
    chain(tokens, &signs, &|rest| atom(rest, names, depth))
}

/// Reads parts with signs between them, from the left; also each shorter chain.
fn chain(tokens: &[Token], signs: &[(&str, char)], part: &dyn Fn(&[Token]) -> Found) -> Found {
    let mut found = part(tokens);
    let mut at = 0;
    while let Some((length, left)) = found.get(at).cloned() {
        at += 1;
        for (words, sign) in signs {
            let words: Vec<&str> = words.split(' ').collect();
            let start = length + words.len();
            let same = tokens.get(length..start).is_some_and(|here| here.iter().map(|t| &t.lower).eq(words.iter()));
            let rest = tokens.get(start..).filter(|_| same && found.len() < 40).unwrap_or_default();
            for (more, right) in part(rest) {
                found.push((start + more, Expression::Both(Box::new(left.clone()), *sign, Box::new(right))));
            }
        }
    }
    found
}

fn atom(tokens: &[Token], names: &[String], depth: usize) -> Found {
    let Some(first) = tokens.first() else { return Vec::new() };
    if first.text == "(" && depth < 8 {
        let inner = sum(tokens.get(1..).unwrap_or_default(), names, depth + 1);
        let closed = |length: &usize| tokens.get(length + 1).is_some_and(|token| token.text == ")");
        return inner.into_iter().filter(|(n, _)| closed(n)).map(|(n, formula)| (n + 2, formula)).collect();
    }
    let article = usize::from(first.lower == "the");
    let columns = column(tokens.get(article..).unwrap_or_default(), names);
    let mut found: Found = columns.into_iter().map(|(n, name)| (n + article, Expression::Column(name))).collect();
    if first.kind == Kind::Number
        && let Some((length, number)) = slots::number(tokens)
    {
        found.extend(Exact::read(&number).map(|number| (length, Expression::Number(number))));
    }
    found
}

/// Returns the columns whose name begins with the first token, the longest first. A plural
/// is the column only if no other column fits as well.
pub fn column(tokens: &[Token], names: &[String]) -> Vec<(usize, String)> {
    if let Some(quoted) = tokens.first().filter(|token| token.kind == Kind::Quoted) {
        let same = |name: &&String| columns::fold(name.trim()) == columns::fold(&quoted.text);
        let exact = names.iter().find(same).map(|name| (1, name.clone()));
        return exact.into_iter().collect();
    }
    let read: Vec<(usize, String)> = slots::longest(names, tokens)
        .into_iter()
        .filter_map(|(length, name)| Some((length, name.as_str()?.to_owned())))
        .collect();
    let exact = |(length, name): &(usize, String)| {
        let words: Vec<String> =
            tokens.iter().take(*length).flat_map(|token| columns::name_words(&token.text)).collect();
        words == columns::name_words(name)
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for length in (1..=read.first().map_or(0, |(length, _)| *length)).rev() {
        let here: Vec<&(usize, String)> = read.iter().filter(|(n, _)| *n == length).collect();
        let precise: Vec<&&(usize, String)> = here.iter().filter(|one| exact(one)).collect();
        match (precise.as_slice(), here.as_slice()) {
            ([one], _) => found.push((**one).clone()),
            ([], [one]) => found.push((*one).clone()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn formulas() {
        let names = ["qty", "unit_price", "forest %", "order", "orders", "net (EUR)"].map(str::to_owned);
        for (text, expect) in rows::<(String, String)>(include_str!("../cases/expression.json")) {
            let shown = Expression::parse(&text, &names).map(|formula| {
                let cell = |name: &str| {
                    Exact::read(match name {
                        "qty" => "2",
                        "unit_price" => "3",
                        _ => "",
                    })
                };
                format!("{} = {}", formula.text(), formula.value(&cell).map_or("_".into(), Exact::text))
            });
            assert_eq!(shown.unwrap_or_default(), expect, "{text}");
            if let Ok(formula) = Expression::parse(&text, &names) {
                assert_eq!(Expression::parse(&formula.text(), &names), Ok(formula), "{text}");
            }
        }
    }
}
