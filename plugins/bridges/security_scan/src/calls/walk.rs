//! The pass over a file that keeps brackets, chains of names and assignments, and hands out calls as they close.

mod assign;

use crate::calls::imports;
use crate::calls::names::{Bound, Names, module};
use crate::calls::token::{Piece, Token, is_plain, pieces};
use crate::calls::walk::assign::Pending;
use crate::language::Language;
use crate::source::Source;

/// Brackets in brackets that are followed; deeper ones are only counted.
const DEEPEST: usize = 60;
/// Arguments of one call that are kept.
const MOST_ARGUMENTS: usize = 60;
/// Words after which a chain of names begins anew.
const KEYWORDS: &str = "return typeof new await yield in of instanceof case throw else delete void do not and or if elif while \
    for with lambda assert raise del is const let var except async";
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
        let word = self.text(at);
        let (is_keyword, is_as) = (KEYWORDS.split(' ').any(|keyword| keyword == word), word == "as");
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
}

#[cfg(test)]
mod tests;
