//! What a person asks for, apart from the material that it is asked about.

use serde_json::Value;

use crate::blocks::{self, Block, Kind};
use crate::table::Table;
use crate::{asking, items, layout};

/// What a piece of material is.
#[derive(Debug, Clone, PartialEq)]
pub enum PieceKind {
    /// Sentences, lines, or `Label: value` lines.
    Prose,
    /// A text between quotation marks, or a block quote.
    Quoted,
    /// A text between fences.
    Fenced {
        /// The word behind the opening fence.
        language: Option<String>,
    },
    /// Rows and columns.
    Table(Table),
    /// An object or an array.
    Json(Value),
    /// A message with its headers.
    Email {
        /// Names and values, as written.
        headers: Vec<(String, String)>,
        /// The text below them.
        body: String,
    },
    /// Code without a fence; captions are code of the language `srt` or `vtt`.
    Code {
        /// By its looks, where they tell.
        language: Option<String>,
    },
    /// An item of a list.
    ListItem,
}

/// A piece of material.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its text, without marks, fences and labels.
    pub text: String,
    /// Place of its first character in the task, from 0, in characters.
    pub start: usize,
    /// `Review 1`, `a`, `memo_1.txt`: what the person calls it.
    pub label: Option<String>,
}

/// A text to be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What the person calls it.
    pub label: Option<String>,
    /// The text.
    pub text: String,
    /// Place of its first character in the task, in characters.
    pub start: usize,
}

/// A task, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The words that ask, without greetings and thanks; empty if the task has none.
    pub instruction: String,
    /// What is asked about, in order; empty if the task brings none.
    pub material: Vec<Piece>,
}

impl Request {
    /// Takes a task apart.
    #[must_use]
    pub fn read(task: &str) -> Self {
        let blocks = blocks::read(task);
        let parts = layout::read(task, &blocks);
        let request = Self::of_parts(task, &parts);
        if request.instruction.is_empty() { request.from_within_mail().unwrap_or(request) } else { request }
    }

    fn of_parts(task: &str, parts: &[layout::Part]) -> Self {
        let mut asked: Vec<&str> = Vec::new();
        let mut material: Vec<Piece> = Vec::new();
        for part in parts {
            match part {
                layout::Part::Asks(start, end) => {
                    asked.extend(task.get(*start..*end).map(str::trim).filter(|text| !text.is_empty()));
                }
                layout::Part::Material(block, label) => material.extend(piece(task, block, label.clone())),
            }
        }
        Self { instruction: asked.join("\n"), material }
    }

    /// Someone may ask in a mail; then its body is the task.
    fn from_within_mail(&self) -> Option<Self> {
        let [Piece { kind: PieceKind::Email { body, .. }, start, text, .. }] = self.material.as_slice() else { return None };
        let inner = Self::read(body);
        if asking::strength(&inner.instruction) < 4 || !asking::wants_work(&inner.instruction) {
            return None;
        }
        let shift = start + text.chars().count() - body.chars().count();
        let moved = |piece: Piece| Piece { start: piece.start + shift, ..piece };
        Some(Self { instruction: inner.instruction, material: inner.material.into_iter().map(moved).collect() })
    }

    /// The material as one text, its pieces parted by blank lines; items and lines of one list by line ends.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut before: Option<&PieceKind> = None;
        for piece in &self.material {
            if let Some(kind) = before {
                let listed = |kind: &PieceKind| matches!(kind, PieceKind::ListItem | PieceKind::Quoted);
                text.push_str(if listed(kind) && listed(&piece.kind) { "\n" } else { "\n\n" });
            }
            text.push_str(&piece.text);
            before = Some(&piece.kind);
        }
        text
    }

    /// The separate texts to be judged: items of a list, quotations, lines or paragraphs that are each a text, else
    /// the material as one. Empty without material.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        items::read(&self.material)
    }

    /// All tables of the material: grids, JSON, and lists of pairs where there is nothing else.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let mut tables: Vec<Table> = Vec::new();
        for piece in &self.material {
            let label = |table: Table| Table { title: table.title.clone().or_else(|| piece.label.clone()), ..table };
            match &piece.kind {
                PieceKind::Table(table) => tables.push(label(table.clone())),
                PieceKind::Json(value) => tables.extend(Table::of_json(value).map(label)),
                PieceKind::Fenced { .. } => tables.extend(Table::read_all(&piece.text).into_iter().map(label)),
                PieceKind::Quoted if piece.text.contains('\n') => tables.extend(Table::read_all(&piece.text)),
                PieceKind::Email { body, .. } => tables.extend(Table::read_all(body)),
                _ => {}
            }
        }
        if tables.is_empty() { Table::read_all(&self.text()) } else { tables }
    }

    /// The pairs `Label: value` of the material, also several in one line (`Title: X. Date: Y.`).
    #[must_use]
    pub fn labelled(&self) -> Vec<(String, String)> {
        items::labelled(&self.material)
    }
}

fn piece(task: &str, block: &Block, title: Option<String>) -> Option<Piece> {
    let (from, to) = block.text;
    let raw = task.get(from..to)?;
    let lead = raw.len() - raw.trim_start_matches(['\n', '\r']).len();
    let trimmed = if matches!(block.kind, Kind::Code(_) | Kind::Fence(_) | Kind::Captions(_) | Kind::Table(_)) {
        raw.trim_matches(['\n', '\r'])
    } else {
        raw.trim()
    };
    let lead = if trimmed.is_empty() { lead } else { raw.find(trimmed).unwrap_or(lead) };
    let start = |byte: usize| task.get(..byte).unwrap_or_default().chars().count();
    let mut text = trimmed.to_owned();
    let mut at = start(from + lead);
    let mut label = title;
    let kind = match &block.kind {
        Kind::Quoted(own) => {
            label = own.clone().or(label);
            PieceKind::Quoted
        }
        Kind::BlockQuote => {
            text = text.lines().map(|line| line.strip_prefix('>').unwrap_or(line).trim_start()).collect::<Vec<_>>().join("\n");
            PieceKind::Quoted
        }
        Kind::Item(own) => {
            label = own.clone().or(label);
            PieceKind::ListItem
        }
        Kind::Fence(language) => PieceKind::Fenced { language: language.clone() },
        Kind::Table(table) => {
            label = label.or_else(|| table.title.clone());
            PieceKind::Table(table.clone())
        }
        Kind::Json(value) => PieceKind::Json(value.clone()),
        Kind::Email(headers) => {
            let body = text.clone();
            text = task.get(block.start..block.end)?.trim().to_owned();
            at = start(block.start);
            PieceKind::Email { headers: headers.clone(), body }
        }
        Kind::Captions(language) => PieceKind::Code { language: Some((*language).to_owned()) },
        Kind::Code(language) => PieceKind::Code { language: language.map(str::to_owned) },
        Kind::Prose | Kind::Labelled => PieceKind::Prose,
        Kind::Divider(_) | Kind::Rule => return None,
    };
    let empty = text.trim().is_empty() && !matches!(kind, PieceKind::Code { .. });
    (!empty).then_some(Piece { kind, text, start: at, label })
}
