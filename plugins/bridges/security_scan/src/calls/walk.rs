//! The pass over a file that keeps brackets, chains of names and assignments, and hands out calls as they close.

use crate::calls::imports;
use crate::calls::names::{Bound, Names, module};
use crate::calls::token::{Piece, Token, is_plain, pieces};
use crate::calls::value;
use crate::language::Language;
use crate::source::Source;

/// Brackets in brackets that are followed; deeper ones are only counted.
const DEEPEST: usize = 60;
/// Arguments of one call that are kept.
const MOST_ARGUMENTS: usize = 60;
/// Bytes of a chain of names; a longer one is followed no further.
const LONGEST_CHAIN: usize = 200;

/// An argument: its key, if it has one, and its pieces.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    pub key: Option<Piece>,
    /// It stands in an object (`{shell: true}`) that is an argument; such have no position.
    pub nested: bool,
    pub from: usize,
    pub to: usize,
}

/// A call that was closed, or an import (`import a.b`, without arguments).
pub struct Site<'a> {
    /// Byte at which what is called begins.
    pub at: usize,
    pub name: String,
    pub arguments: &'a [Argument],
    pub pieces: &'a [Piece],
    pub names: &'a Names,
}

/// A chain of names being read: `a.b().c`.
struct Chain {
    first: usize,
    name: String,
}

impl Chain {
    /// The chain with one more part; nothing when it grows too long to be anything known.
    fn followed_by(self, part: &str) -> Option<Self> {
        let name = self.name + part;
        (name.len() <= LONGEST_CHAIN).then_some(Self { first: self.first, name })
    }
}

struct Frame {
    open: u8,
    callee: Option<Chain>,
    arguments: Vec<Argument>,
    /// First piece after the bracket.
    first: usize,
    /// First piece of the argument that is being read, and its key.
    begin: usize,
    key: Option<Piece>,
}

/// An assignment whose value is being read.
struct Pending {
    targets: Vec<(String, String)>,
    depth: usize,
    from: usize,
}

struct Walk<'a, F: FnMut(&Site<'_>)> {
    source: &'a Source,
    pieces: &'a [Piece],
    names: Names,
    frames: Vec<Frame>,
    /// Open brackets beyond the deepest that is followed.
    deeper: usize,
    chain: Option<Chain>,
    pending: Vec<Pending>,
    /// Pieces of the object or pattern that was closed last.
    closed: (usize, usize),
    tell: F,
}

/// Goes through a file and tells every call and import.
pub fn walk(source: &Source, tell: impl FnMut(&Site<'_>)) {
    let pieces = pieces(source);
    let mut walk = Walk {
        source,
        pieces: &pieces,
        names: Names::new(source.language),
        frames: Vec::new(),
        deeper: 0,
        chain: None,
        pending: Vec::new(),
        closed: (0, 0),
        tell,
    };
    let mut at = 0;
    while at < pieces.len() {
        at = walk.step(at);
    }
    walk.finish(0, pieces.len());
}

impl<F: FnMut(&Site<'_>)> Walk<'_, F> {
    fn token(&self, at: usize) -> Option<Token> {
        self.pieces.get(at).map(|piece| piece.token)
    }

    fn text(&self, at: usize) -> &str {
        self.pieces.get(at).map_or("", |piece| piece.text(self.source))
    }

    fn before(&self, at: usize) -> Option<Token> {
        at.checked_sub(1).and_then(|at| self.token(at))
    }

    fn is_python(&self) -> bool {
        self.source.language == Language::Python
    }

    /// Takes the piece at `at` and gives the place of the next.
    fn step(&mut self, at: usize) -> usize {
        match self.token(at) {
            Some(Token::Word) => return self.word(at),
            Some(Token::Line) => self.line(at),
            Some(Token::Text) => self.chain = None,
            Some(Token::Mark(b'.')) => {}
            Some(Token::Mark(b'?')) if self.token(at + 1) == Some(Token::Mark(b'.')) => {}
            Some(Token::Mark(open @ (b'(' | b'[' | b'{'))) => self.open(open, at),
            Some(Token::Mark(close @ (b')' | b']' | b'}'))) => self.close(close, at),
            Some(Token::Mark(b',')) => self.comma(at),
            Some(Token::Mark(b';')) => self.end_of_statement(at),
            Some(Token::Mark(b'=')) => self.equals(at),
            Some(Token::Mark(b':')) => self.colon(at),
            Some(Token::Mark(_)) | None => self.chain = None,
        }
        at + 1
    }

    fn word(&mut self, at: usize) -> usize {
        const KEYWORDS: &[&str] = &[
            "return",
            "typeof",
            "new",
            "await",
            "yield",
            "in",
            "of",
            "instanceof",
            "case",
            "throw",
            "else",
            "delete",
            "void",
            "do",
            "not",
            "and",
            "or",
            "if",
            "elif",
            "while",
            "for",
            "with",
            "lambda",
            "assert",
            "raise",
            "del",
            "is",
            "const",
            "let",
            "var",
            "except",
            "async",
        ];
        let word = self.text(at);
        let (is_keyword, is_as) = (KEYWORDS.contains(&word), word == "as");
        if self.before(at) == Some(Token::Mark(b'.')) {
            let word = format!(".{word}");
            self.chain = self.chain.take().and_then(|chain| chain.followed_by(&word));
            return at + 1;
        }
        if matches!(word, "import" | "from") && self.begins_statement(at) {
            if self.is_python() {
                // A statement begins here whatever brackets were left open before it.
                self.frames.clear();
                self.deeper = 0;
            }
            return self.import(at);
        }
        if is_as
            && self.is_python()
            && let (Some(chain), Some(Token::Word)) = (self.chain.take(), self.token(at + 1))
        {
            let name = self.text(at + 1).to_owned();
            let full = self.names.resolve(&chain.name);
            self.names.bind(&name, Bound::Name(full));
        }
        self.chain = (!is_keyword && !is_as).then(|| Chain { first: at, name: self.text(at).to_owned() });
        at + 1
    }

    fn begins_statement(&self, at: usize) -> bool {
        matches!(self.before(at), None | Some(Token::Line | Token::Mark(b';' | b':' | b'{' | b'}')))
    }

    fn import(&mut self, at: usize) -> usize {
        self.chain = None;
        let pieces = self.pieces.get(at..).unwrap_or_default();
        let Some((imported, length)) = imports::read(self.source, pieces, &mut self.names) else { return at + 1 };
        for name in imported {
            self.tell(at, format!("import {name}"), &[]);
        }
        at + length
    }

    fn tell(&mut self, at: usize, name: String, arguments: &[Argument]) {
        let Some(piece) = self.pieces.get(at) else { return };
        let site = Site { at: piece.at(), name, arguments, pieces: self.pieces, names: &self.names };
        (self.tell)(&site);
    }

    fn depth(&self) -> usize {
        self.frames.len() + self.deeper
    }

    fn open(&mut self, open: u8, at: usize) {
        let chain = self.chain.take();
        if self.deeper > 0 || self.frames.len() >= DEEPEST {
            self.deeper += 1;
            return;
        }
        let defines = chain.as_ref().is_some_and(|chain| {
            let before = chain.first.checked_sub(1).map_or("", |at| self.text(at));
            matches!(before, "def" | "class" | "function")
        });
        let callee = chain.filter(|_| open == b'(' && !defines);
        self.frames.push(Frame { open, callee, arguments: Vec::new(), first: at + 1, begin: at + 1, key: None });
    }

    fn close(&mut self, close: u8, at: usize) {
        self.finish(self.depth(), at);
        self.chain = None;
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let wanted = match close {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        let Some(place) = self.frames.iter().rposition(|frame| frame.open == wanted) else { return };
        self.end_argument(at);
        self.frames.truncate(place + 1);
        let Some(frame) = self.frames.pop() else { return };
        self.closed = (frame.first, at);
        match frame.callee {
            Some(callee) => self.call(callee, &frame.arguments),
            None if wanted == b'{' => self.options(frame.arguments),
            None => {}
        }
    }

    fn call(&mut self, callee: Chain, arguments: &[Argument]) {
        let name = self.names.resolve(&callee.name);
        let first = arguments.first().filter(|argument| argument.to == argument.from + 1);
        let text = first.map_or("", |argument| self.text(argument.from));
        let loads = !self.is_python() && matches!(name.as_str(), "require" | "import") && arguments.len() == 1;
        let is_text = is_plain(text) && text.starts_with(['"', '\'', '`']);
        let loaded = (loads && is_text).then(|| module(text.trim_matches(['"', '\'', '`'])));
        self.tell(callee.first, name, arguments);
        self.chain = match loaded {
            Some(name) => Some(Chain { name, ..callee }),
            None => callee.followed_by("()"),
        };
    }

    /// The members of an object that is an argument belong to the call.
    fn options(&mut self, members: Vec<Argument>) {
        if self.is_python() {
            return;
        }
        if let Some(Frame { open: b'(', arguments, .. }) = self.frames.last_mut() {
            let members = members.into_iter().filter(|member| member.key.is_some());
            let room = MOST_ARGUMENTS.saturating_sub(arguments.len());
            arguments.extend(members.take(room).map(|member| Argument { nested: true, ..member }));
        }
    }

    fn end_argument(&mut self, at: usize) {
        if self.deeper > 0 {
            return;
        }
        let Some(frame) = self.frames.last_mut() else { return };
        if at > frame.begin && frame.arguments.len() < MOST_ARGUMENTS {
            let argument = Argument { key: frame.key, nested: false, from: frame.begin, to: at };
            frame.arguments.push(argument);
        }
        (frame.begin, frame.key) = (at + 1, None);
    }

    fn comma(&mut self, at: usize) {
        self.finish(self.depth(), at);
        self.chain = None;
        self.end_argument(at);
    }

    fn line(&mut self, at: usize) {
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.begin == at) {
            frame.begin = at + 1;
        }
        if (self.is_python() && !self.frames.is_empty()) || self.goes_on(at) {
            return;
        }
        match self.pending.last_mut() {
            Some(pending) if pending.from >= at => pending.from = at + 1,
            _ => self.end_of_statement(at),
        }
    }

    /// Whether the statement goes on after the end of this line: a backslash; in JavaScript an operator around it.
    fn goes_on(&self, at: usize) -> bool {
        let before = match self.before(at) {
            Some(Token::Mark(mark)) => mark,
            _ => b' ',
        };
        let next = match self.token(at + 1) {
            Some(Token::Mark(mark)) => mark,
            _ => b' ',
        };
        before == b'\\' || (!self.is_python() && (b"+-*/&|?:<>%^".contains(&before) || b".?+-*/&|:".contains(&next)))
    }

    fn end_of_statement(&mut self, at: usize) {
        self.finish(self.depth(), at);
        self.chain = None;
    }

    /// `name:` in an object.
    fn colon(&mut self, at: usize) {
        self.chain = None;
        let key = at.checked_sub(1).and_then(|at| self.pieces.get(at)).copied();
        if let Some(frame) = self.frames.last_mut()
            && self.deeper == 0
            && frame.open == b'{'
            && frame.begin + 1 == at
        {
            (frame.key, frame.begin) = (key, at + 1);
        }
    }

    /// `name=` of an argument, or an assignment.
    fn equals(&mut self, at: usize) {
        self.chain = None;
        let touches = |a: Option<&Piece>, b: Option<&Piece>| matches!((a, b), (Some(a), Some(b)) if a.end() == b.at());
        let this = self.pieces.get(at);
        let (last, next) = (at.checked_sub(1).and_then(|at| self.pieces.get(at)), self.pieces.get(at + 1));
        let compares = matches!(next.map(|next| next.token), Some(Token::Mark(b'=' | b'>'))) && touches(this, next);
        let changes =
            matches!(last.map(|last| last.token), Some(Token::Mark(mark)) if b"=!<>+-*/%&|^~:?@".contains(&mark));
        if compares || (changes && touches(last, this)) || self.deeper > 0 {
            return;
        }
        let is_python = self.is_python();
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.open == b'(' || is_python) {
            if frame.begin + 1 == at && frame.open == b'(' {
                (frame.key, frame.begin) = (last.copied(), at + 1);
            }
            return;
        }
        let targets = self.targets(at);
        let depth = self.depth();
        self.pending.retain(|pending| pending.depth < depth || pending.from == at.saturating_sub(1));
        self.pending.push(Pending { targets, depth, from: at + 1 });
    }

    /// What stands before an `=`: a name, or the members of `{a, b: c}` with the names that they get.
    fn targets(&self, at: usize) -> Vec<(String, String)> {
        let Some(name) = at.checked_sub(1) else { return Vec::new() };
        match self.token(name) {
            Some(Token::Word) if !matches!(self.before(name), Some(Token::Mark(b'.' | b':'))) => {
                vec![(self.text(name).to_owned(), String::new())]
            }
            Some(Token::Mark(b'}')) if !self.is_python() => self.members(self.closed.0, self.closed.1),
            _ => Vec::new(),
        }
    }

    fn members(&self, from: usize, to: usize) -> Vec<(String, String)> {
        let words = self.pieces.get(from..to.min(from + MOST_ARGUMENTS)).unwrap_or_default();
        let member = |part: &[Piece]| {
            let mut names = part.iter().filter(|piece| piece.token == Token::Word).map(|piece| piece.text(self.source));
            let name = names.next()?;
            Some((names.next().unwrap_or(name).to_owned(), format!(".{name}")))
        };
        words.split(|piece| piece.token == Token::Mark(b',')).filter_map(member).collect()
    }

    /// Assignments at this depth or deeper end here: their names get what was read.
    fn finish(&mut self, depth: usize, at: usize) {
        while let Some(pending) = self.pending.pop_if(|pending| pending.depth >= depth) {
            let begins = |word: &str| matches!(word, "await" | "new");
            let from = if begins(self.text(pending.from)) { pending.from + 1 } else { pending.from };
            let value = match &self.chain {
                Some(chain) if chain.first == from && !self.names.is_constant(&chain.name) => {
                    Bound::Name(self.names.resolve(&chain.name))
                }
                _ if value::is_constant(self.source, self.pieces, from..at, &self.names) => Bound::Constant,
                _ => Bound::Other,
            };
            for (name, member) in pending.targets {
                let bound = match &value {
                    Bound::Name(full) if full.starts_with('?') => Bound::Other,
                    Bound::Name(full) => Bound::Name(format!("{full}{member}")),
                    other => other.clone(),
                };
                self.names.bind(&name, bound);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls with their arguments as `name(key=value|value)`.
    fn calls(language: Language, text: &str) -> Vec<String> {
        let source = Source::new(String::new(), text.to_owned(), Some(language));
        let mut got = Vec::new();
        walk(&source, |site| {
            let argument = |argument: &Argument| {
                let range = value::range(site.pieces, argument.from..argument.to);
                let key = argument.key.map(|key| format!("{}=", key.text(&source))).unwrap_or_default();
                format!("{key}{}", source.text.get(range).unwrap_or_default())
            };
            let arguments: Vec<String> = site.arguments.iter().map(argument).collect();
            got.push(format!("{}({})", site.name, arguments.join("|")));
        });
        got
    }

    #[test]
    fn python_names_and_arguments() {
        let calls = |text| calls(Language::Python, text);
        assert_eq!(
            calls("import subprocess as sp\nsp.run(a, shell=True)\nf(b)\n"),
            ["import subprocess()", "subprocess.run(a|shell=True)", "f(b)"]
        );
        assert_eq!(
            calls("from os import popen as p\nq = p\nq(x[1, 2], (3, 4))\n"),
            ["import os.popen()", "os.popen(x[1, 2]|(3, 4))"]
        );
        assert_eq!(
            calls("c = paramiko.SSHClient()\nc.exec_command(a == b)\n"),
            ["paramiko.SSHClient()", "paramiko.SSHClient().exec_command(a == b)"]
        );
        assert_eq!(calls("def f(a=g()):\n  pass\nclass A(B): pass\n"), ["g()"]);
        assert_eq!(calls("with open(a) as f:\n  f.read()\n"), ["open(a)", "open().read()"]);
        assert_eq!(
            calls("f(\n  a,\n  b=1\n)\nhashlib.md5(x).hexdigest()"),
            ["f(a|b=1)", "hashlib.md5(x)", "hashlib.md5().hexdigest()"]
        );
    }

    #[test]
    fn javascript_names_and_arguments() {
        let calls = |text| calls(Language::Javascript, text);
        let last = |text| calls(text).pop().unwrap_or_default();
        assert_eq!(last("const {exec: run} = require('node:child_process'); run(a)"), "child_process.exec(a)");
        assert_eq!(last("import x from 'fs'; x.promises.readFile(f)"), "fs.readFile(f)");
        assert_eq!(
            last("var fs = require('fs');\nfunction f(){ var {readFile: r} = fs.promises;\nr(n)}"),
            "fs.readFile(n)"
        );
        assert_eq!(last("require('fs').promises.open(n)"), "fs.open(n)");
        assert_eq!(
            last("spawn(c, {shell: true, 'cwd': d})"),
            "spawn(c|shell=true|cwd=d|{shell: true, 'cwd': d})".replace("cwd=", "'cwd'=")
        );
        assert_eq!(last("var f = require('child_process'); function g(){ var f = /x/; f.exec(s) }"), "?.exec(s)");
        assert_eq!(last("new RegExp(a, 'i')"), "RegExp(a|'i')");
    }

    #[test]
    fn brackets_that_do_not_match_do_no_harm() {
        for text in ["(((", ")))", "f([)]", "a = {(}", "f(a, (b]", "= = =", "import", "from x", "{a = ", "a.b.", "."] {
            for language in [Language::Python, Language::Javascript] {
                calls(language, &format!("{text}\n{text}"));
            }
        }
        let deep = "f(".repeat(100_000) + &")".repeat(100_000);
        assert!(calls(Language::Python, &deep).len() <= DEEPEST);
    }
}
