//! Cyclomatic and cognitive complexity of a stretch of tokens.
//!
//! Cyclomatic (McCabe 1976): one for each decision. Cognitive (Campbell, SonarSource 2018): one for each break in the
//! flow, and one more for each control structure around it; `else`, sequences of equal logical operators, jumps to labels
//! and recursion count one. Statements without braces do not deepen the nesting.

use crate::language::Language;
use crate::token::{Kind, Token};

/// Measures of a function, without the 1 that every function has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Complexity {
    pub decisions: usize,
    pub cognitive: usize,
    pub nesting: usize,
}

/// An open block: of a control structure or not, and whether its arms are decisions.
#[derive(Clone, Copy)]
struct Block {
    control: bool,
    arms: Option<usize>,
    indent: usize,
}

struct Walk<'a> {
    tokens: &'a [&'a Token<'a>],
    language: Language,
    /// For each token the place of the next `:`, `;` or `{`.
    ends: Vec<usize>,
    blocks: Vec<Block>,
    /// How many of them belong to control structures.
    depth: usize,
    /// The next block belongs to a control structure; it has arms.
    pending: Option<bool>,
    brackets: usize,
    last_operator: &'a str,
    complexity: Complexity,
}

/// Measures tokens; `name` is that of the function, for recursion.
#[must_use]
pub fn measure<'a>(tokens: &'a [&'a Token<'a>], language: Language, name: Option<&str>) -> Complexity {
    let mut walk = Walk {
        tokens,
        language,
        ends: Vec::new(),
        blocks: Vec::new(),
        depth: 0,
        pending: None,
        brackets: 0,
        last_operator: "",
        complexity: Complexity::default(),
    };
    walk.ends = vec![tokens.len(); tokens.len()];
    let mut next = tokens.len();
    for (at, end) in walk.ends.iter_mut().enumerate().rev() {
        *end = next;
        if tokens.get(at).is_some_and(|token| token.kind == Kind::Mark && [":", ";", "{"].contains(&token.text)) {
            next = at;
        }
    }
    for at in 0..tokens.len() {
        walk.step(at);
    }
    let calls = |(at, token): (usize, &&Token<'_>)| {
        let before = at.checked_sub(1).map_or("", |before| walk.text(before));
        token.kind == Kind::Word
            && Some(token.text) == name
            && walk.text(at + 1) == "("
            && !["def", "."].contains(&before)
    };
    let mut complexity = walk.complexity;
    complexity.cognitive += usize::from(tokens.iter().enumerate().any(calls));
    complexity
}

impl<'a> Walk<'a> {
    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| if token.kind == Kind::Text { "\"" } else { token.text })
    }

    fn push(&mut self, block: Block) {
        self.depth += usize::from(block.control);
        self.complexity.nesting = self.complexity.nesting.max(self.depth);
        self.blocks.push(block);
    }

    fn pop(&mut self) -> Option<Block> {
        let block = self.blocks.pop()?;
        self.depth -= usize::from(block.control);
        Some(block)
    }

    fn step(&mut self, at: usize) {
        let Some(token) = self.tokens.get(at) else { return };
        if self.language.is_indented()
            && let Some(indent) = token.indent.filter(|_| self.brackets == 0)
        {
            while self.blocks.last().is_some_and(|block| block.indent >= indent) {
                self.pop();
            }
            self.last_operator = "";
        }
        match token.kind {
            Kind::Word => self.word(at, token),
            Kind::Mark => self.mark(at, token.text),
            Kind::Number | Kind::Text => {}
        }
    }

    fn count(&mut self, nested: bool) {
        self.complexity.decisions += 1;
        self.complexity.cognitive += if nested { 1 + self.depth } else { 1 };
    }

    fn open(&mut self, arms: bool, indent: Option<usize>) {
        match indent {
            Some(indent) => {
                self.push(Block { control: true, arms: None, indent });
            }
            None => self.pending = Some(arms),
        }
    }

    fn word(&mut self, at: usize, token: &Token<'a>) {
        let before = at.checked_sub(1).map_or("", |before| self.text(before));
        if [".", "->", "?.", "::"].contains(&before) {
            return;
        }
        if self.language.is_indented() {
            return self.python(at, token);
        }
        match token.text {
            "else" => {
                self.complexity.cognitive += 1;
                if self.text(at + 1) != "if" {
                    self.open(false, None);
                }
            }
            "if" if before == "else" => {
                self.complexity.decisions += 1;
                self.open(false, None);
            }
            "elseif" if self.language == Language::Php => {
                self.count(false);
                self.open(false, None);
            }
            "do" if self.language.nests("do") => self.open(false, None),
            "for" if self.text(at + 1) == "<" => {}
            "case" if !matches!(self.language, Language::Rust | Language::Kotlin) => self.complexity.decisions += 1,
            word if self.language.branches(word) => {
                self.complexity.cognitive += 1 + self.depth;
                let by_arms = matches!(self.language, Language::Rust | Language::Kotlin) || word == "match";
                self.open(by_arms, None);
            }
            word if self.language.nests(word) => {
                self.count(true);
                self.open(false, None);
            }
            "goto" => self.complexity.cognitive += 1,
            "break" | "continue" => {
                let label = self.tokens.get(at + 1).filter(|next| next.line == token.line && next.kind == Kind::Word);
                self.complexity.cognitive +=
                    usize::from(label.is_some() || (self.language == Language::Rust && self.text(at + 1) == "'"));
            }
            _ => {}
        }
    }

    fn python(&mut self, at: usize, token: &Token<'a>) {
        let indent = token.indent.filter(|_| self.brackets == 0);
        match (token.text, indent) {
            ("elif", Some(_)) => {
                self.count(false);
                self.open(false, indent);
            }
            ("else", Some(_)) => {
                self.complexity.cognitive += 1;
                self.open(false, indent);
            }
            ("if" | "while" | "for" | "except", Some(_)) => {
                self.count(true);
                self.open(false, indent);
            }
            ("case", Some(_)) if self.text(at + 1) != "=" => self.complexity.decisions += 1,
            // A conditional expression, or the condition of a comprehension.
            ("if", None) => self.count(true),
            ("for", None) if self.text(at.wrapping_sub(1)) != "async" => self.complexity.decisions += 1,
            ("for", None) => {
                // `async for` at the start of a line is a loop; its indentation is that of `async`.
                self.count(true);
                let start = at.checked_sub(1).and_then(|before| self.tokens.get(before)).and_then(|token| token.indent);
                if start.is_some() {
                    self.open(false, start);
                }
            }
            ("and" | "or", _) => self.logical(token.text),
            _ => {}
        }
    }

    fn logical(&mut self, operator: &'a str) {
        self.complexity.decisions += 1;
        if self.last_operator != operator {
            self.complexity.cognitive += 1;
            self.last_operator = operator;
        }
    }

    fn mark(&mut self, at: usize, mark: &'a str) {
        match mark {
            "(" | "[" => {
                self.brackets += 1;
                self.last_operator = "";
            }
            ")" | "]" => self.brackets = self.brackets.saturating_sub(1),
            "{" if self.language.is_indented() => self.brackets += 1,
            "}" if self.language.is_indented() => self.brackets = self.brackets.saturating_sub(1),
            "{" => {
                let pending = self.pending.take();
                let arms = pending.filter(|arms| *arms).map(|_| 0);
                self.push(Block { control: pending.is_some(), arms, indent: 0 });
                self.last_operator = "";
            }
            "}" => {
                // The last arm is no decision.
                let arms = self.pop().and_then(|block| block.arms);
                self.complexity.decisions += arms.unwrap_or(0).saturating_sub(1);
                self.last_operator = "";
            }
            ";" if self.brackets == 0 => {
                self.pending = None;
                self.last_operator = "";
            }
            ";" | "," => self.last_operator = "",
            "&&" | "||" => self.logical(mark),
            // Null-coalescing is a decision; the white paper leaves it out of the cognitive measure.
            "??" => self.complexity.decisions += 1,
            "?:" if matches!(self.language, Language::Php | Language::Kotlin) => self.complexity.decisions += 1,
            "?" if self.is_conditional(at) => self.count(true),
            "=>" | "->" => {
                if let Some(arms) = self.blocks.last_mut().and_then(|block| block.arms.as_mut()) {
                    *arms += 1;
                }
            }
            _ => {}
        }
    }

    /// Whether `?` belongs to `a ? b : c`: a colon comes before the end of the statement, and no type is meant.
    fn is_conditional(&self, at: usize) -> bool {
        let knows = !matches!(self.language, Language::Rust | Language::Kotlin | Language::Go | Language::Python);
        let before = at.checked_sub(1).map_or("", |before| self.text(before));
        let wildcard = ["<", ","].contains(&before) || [">", ")", ",", "=", ";"].contains(&self.text(at + 1));
        let end = self.ends.get(at).copied().filter(|end| end - at < 200);
        knows && !wildcard && end.is_some_and(|end| self.text(end) == ":")
    }
}
