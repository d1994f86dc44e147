//! From HTML to a tree, by the standard's tokenizer and tree construction (html5ever), in bounded work.
//!
//! The tokenizer compares every attribute of a tag with all before it, and hands out a tag only when it is complete. So
//! the text goes in by pieces that begin at each `<`, and what is in an unfinished tag is counted before more goes in.

use std::cell::Cell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use crate::sink::{DEEPEST, Excess, MOST_NODES, Sink};
use crate::tree::{Id, Tree};

/// Bytes that go in at once.
const PIECE: usize = 2_048;
/// Most attributes of a tag.
const MOST_ATTRIBUTES: usize = 1_000;

/// Counts tokens, and lets none through once the tree is too large.
struct LimitedTokens {
    builder: TreeBuilder<Id, Sink>,
    tokens: Cell<u64>,
}

impl TokenSink for LimitedTokens {
    type Handle = Id;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Id> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get().saturating_add(1));
        }
        if self.builder.sink.excess.get().is_some() && token != Token::EOFToken {
            return TokenSinkResult::Continue;
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Where a tag that is not complete stands, by the states of the standard's tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing is open, or a comment: attributes cannot follow.
    Outside,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(char),
    Unquoted,
}

/// The attributes of an unfinished tag.
struct Unfinished {
    state: State,
    attributes: usize,
    /// No token has come since the first piece of it.
    open: bool,
}

const NOTHING: Unfinished = Unfinished { state: State::Outside, attributes: 0, open: false };

impl Unfinished {
    fn count(&mut self, piece: &str) {
        let fresh = !self.open;
        if fresh {
            let rest = piece.strip_prefix('<').map(|rest| rest.strip_prefix('/').unwrap_or(rest));
            let tag = rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
            *self = Self { state: if tag { State::TagName } else { State::Outside }, attributes: 0, open: true };
        }
        for c in piece.chars().skip(if fresh { 2 } else { 0 }) {
            let before = self.state;
            self.state = before.then(c);
            if self.state == State::Name && before != State::Name {
                self.attributes = self.attributes.saturating_add(1);
            }
        }
    }
}

impl State {
    fn then(self, c: char) -> Self {
        let blank = matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0C');
        match (self, c) {
            (Self::Outside, _) => Self::Outside,
            (Self::Quoted(quote), _) if quote == c => Self::BeforeName,
            (Self::Quoted(quote), _) => Self::Quoted(quote),
            (Self::BeforeValue, '"' | '\'') => Self::Quoted(c),
            (_, '>') => Self::Outside,
            (Self::BeforeValue, _) if blank => Self::BeforeValue,
            (Self::TagName | Self::Unquoted | Self::BeforeName, _) if blank => Self::BeforeName,
            (Self::Name | Self::AfterName, _) if blank => Self::AfterName,
            (Self::TagName | Self::BeforeName | Self::Name | Self::AfterName, '/') => Self::BeforeName,
            (Self::Name | Self::AfterName, '=') => Self::BeforeValue,
            (Self::BeforeValue | Self::Unquoted, _) => Self::Unquoted,
            (Self::TagName, _) => Self::TagName,
            (Self::BeforeName | Self::AfterName | Self::Name, _) => Self::Name,
        }
    }
}

/// The pieces of a text: each begins at a `<` or has `PIECE` bytes at most.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let next = rest.char_indices().skip(1).find(|(at, c)| *c == '<' || *at >= PIECE);
        let (piece, after) = rest.split_at_checked(next.map_or(rest.len(), |(at, _)| at)).unwrap_or((rest, ""));
        rest = after;
        Some(piece)
    })
}

/// Reads a document; what is wrong with it is a text for the caller.
pub fn parse(text: &str) -> Result<Tree, String> {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let gate = LimitedTokens { builder: TreeBuilder::new(Sink::default(), options), tokens: Cell::new(0) };
    let tokenizer = Tokenizer::new(gate, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut unfinished = NOTHING;
    for piece in pieces(text) {
        unfinished.count(piece);
        if unfinished.attributes > MOST_ATTRIBUTES {
            return Err(format!("a tag has more than {MOST_ATTRIBUTES} attributes"));
        }
        let before = tokenizer.sink.tokens.get();
        queue.push_back(StrTendril::from(piece));
        // A script would run here; the text after it is read as if it had done nothing.
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        if tokenizer.sink.tokens.get() != before {
            unfinished = NOTHING;
        }
        refuse(&tokenizer.sink)?;
    }
    tokenizer.end();
    refuse(&tokenizer.sink)?;
    Ok(tokenizer.sink.builder.sink.tree.take())
}

fn refuse(gate: &LimitedTokens) -> Result<(), String> {
    match gate.builder.sink.excess.get() {
        Some(Excess::Nodes) => Err(format!("the document has more than {MOST_NODES} nodes; send parts")),
        Some(Excess::Depth) => Err(format!("elements are nested more than {DEEPEST} deep")),
        None => Ok(()),
    }
}
