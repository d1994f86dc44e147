//! Pieces of material: what a task brings, and what each is by its looks.

use serde_json::Value;

use crate::blocks::{Block, Kind};
use crate::table::Table;

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

/// The material of a block, without the marks around it; none for what only parts others.
pub(crate) fn of_block(task: &str, block: &Block, title: Option<String>) -> Option<Piece> {
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
            text = text
                .lines()
                .map(|line| line.strip_prefix('>').unwrap_or(line).trim_start())
                .collect::<Vec<_>>()
                .join("\n");
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
