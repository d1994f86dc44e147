//! What a person asks for, apart from the material that it is asked about.

pub use crate::piece::{Item, Piece, PieceKind};
use crate::table::Table;
use crate::{asking, blocks, items, layout, piece};

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
        if request.instruction.is_empty() { request.asked_in_mail().unwrap_or(request) } else { request }
    }

    /// What is asked; sentences beside a table where nothing else asks.
    #[must_use]
    pub fn instruction_or_prose(&self) -> String {
        if !self.instruction.trim().is_empty() {
            return self.instruction.clone();
        }
        let is_beside = |piece: &&Piece| piece.kind == PieceKind::Prose && Table::read(&piece.text).is_none();
        let beside = self.material.iter().filter(is_beside).map(|piece| piece.text.as_str());
        beside.filter(|text| text.split_whitespace().count() < 60).collect::<Vec<_>>().join("\n")
    }

    fn of_parts(task: &str, parts: &[layout::Part]) -> Self {
        let mut asked: Vec<&str> = Vec::new();
        let mut material: Vec<Piece> = Vec::new();
        for part in parts {
            match part {
                layout::Part::Asks(start, end) => {
                    let text = task.get(*start..*end).map(|text| text.trim().trim_start_matches(['.', ',', ';', ' ']));
                    asked.extend(text.filter(|text| !text.is_empty() && !asking::closes(text)));
                }
                layout::Part::Material(block, label) => material.extend(piece::of_block(task, block, label.clone())),
            }
        }
        Self { instruction: asked.join("\n"), material }
    }

    /// Someone may ask in a mail; then its body is the task.
    fn asked_in_mail(&self) -> Option<Self> {
        let [Piece { kind: PieceKind::Email { body, .. }, start, text, .. }] = self.material.as_slice() else {
            return None;
        };
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
        if tables.is_empty() {
            let listed =
                self.material.iter().filter(|piece| piece.label.is_some() && piece.kind == PieceKind::ListItem);
            let own: Vec<Table> = listed
                .filter_map(|piece| Some(Table { title: piece.label.clone(), ..crate::pairs::read(&piece.text)? }))
                .collect();
            tables = if own.len() > 1 { own } else { Table::read_all(&self.text()) };
        }
        tables
    }

    /// The pairs `Label: value` of the material, also several in one line (`Title: X. Date: Y.`).
    #[must_use]
    pub fn labelled(&self) -> Vec<(String, String)> {
        items::labelled(&self.material)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(piece: &Piece) -> char {
        match &piece.kind {
            PieceKind::Prose => 'p',
            PieceKind::Quoted => 'q',
            PieceKind::Fenced { .. } => 'f',
            PieceKind::Table(_) => 't',
            PieceKind::Json(_) => 'j',
            PieceKind::Email { .. } => 'e',
            PieceKind::Code { .. } => 'c',
            PieceKind::ListItem => 'l',
        }
    }

    /// Task, instruction, kinds of the pieces, items.
    type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

    const CASES: &[Case] = &[
        ("Sentiment? \"I love it\"", "Sentiment?", "q", &["I love it"]),
        ("“Great place.” Is that positive or negative?", "Is that positive or negative?", "q", &["Great place."]),
        ("Quel est le sentiment ? « Très déçu. »", "Quel est le sentiment ?", "q", &["Très déçu."]),
        ("「とても良い」 Is this positive?", "Is this positive?", "q", &["とても良い"]),
        (
            "The soup was cold. Is that positive or negative?",
            "Is that positive or negative?",
            "p",
            &["The soup was cold."],
        ),
        ("sentiment of this: too slow", "sentiment of this", "p", &["too slow"]),
        (
            "How positive is this sentence:\n\nNever been this good.",
            "How positive is this sentence:",
            "p",
            &["Never been this good."],
        ),
        (
            "Hi!\n\nPlease summarise this.\n\nOne two three. Four five.\n\nThanks, Gwen",
            "Please summarise this.",
            "p",
            &["One two three. Four five."],
        ),
        ("Translate to German:\nSave\nCancel\nBack", "Translate to German:", "p", &["Save", "Cancel", "Back"]),
        ("Classify each:\n1. red car\n2. blue bike", "Classify each:", "ll", &["red car", "blue bike"]),
        ("Label these reviews:\n- good\n- bad\n\nThanks!", "Label these reviews:", "ll", &["good", "bad"]),
        (
            "Tag each:\n\nReview 1: Nice and quick.\nReview 2: Slow and dear.",
            "Tag each:",
            "ll",
            &["Nice and quick.", "Slow and dear."],
        ),
        (
            "A) shares fall\nB) shares rise\n\nPositive or negative?",
            "Positive or negative?",
            "ll",
            &["shares fall", "shares rise"],
        ),
        (
            "Which are positive?\n\"one is fine\"\n\"two is bad\"",
            "Which are positive?",
            "qq",
            &["one is fine", "two is bad"],
        ),
        ("Spam?\n```\nWin now\n```", "Spam?", "f", &["Win now"]),
        (
            "Review this code:\n\n```python\ndef f(x):\n    return x\n```",
            "Review this code:",
            "f",
            &["def f(x):\n    return x"],
        ),
        ("What is wrong here?\n\ndef f(x):\n    return y\n", "What is wrong here?", "c", &["def f(x):\n    return y"]),
        ("Sum by region:\nregion,sales\nnorth,1\nsouth,2", "Sum by region:", "t", &["north, 1", "south, 2"]),
        ("| a | b |\n|---|---|\n| x | 2 |\n\nSum b please.", "Sum b please.", "t", &["x, 2"]),
        ("{\"labels\":[\"a\"],\"items\":[\"x y\",\"z\"]}", "", "j", &["x y", "z"]),
        ("Judge each.\n[{\"id\":1,\"text\":\"ok\"},{\"id\":2,\"text\":\"no\"}]", "Judge each.", "j", &["ok", "no"]),
        ("> quoted mail\n> second line\n\nIs this spam?", "Is this spam?", "q", &["quoted mail", "second line"]),
        ("Aspects of camera. Text: The camera is good.", "Aspects of camera.", "p", &["The camera is good."]),
        (
            "From: a@b.example\nSubject: Hi\n\nIt broke.\n\n---\nWhat is the mood of this e-mail?",
            "What is the mood of this e-mail?",
            "e",
            &["From: a@b.example\nSubject: Hi\n\nIt broke."],
        ),
        (
            "Is there a call to action?\n\n1\n00:00:01,000 --> 00:00:02,000\nBuy now.\n",
            "Is there a call to action?",
            "c",
            &["1\n00:00:01,000 --> 00:00:02,000\nBuy now."],
        ),
        ("What is the sentiment of this review?", "What is the sentiment of this review?", "", &[]),
        (
            "Please find the best price from the attached sales history.",
            "Please find the best price from the attached sales history.",
            "",
            &[],
        ),
        ("Spam or not spam? The mail is in my inbox.", "Spam or not spam? The mail is in my inbox.", "", &[]),
        ("Three invoices are attached. I need the totals.", "Three invoices are attached. I need the totals.", "", &[]),
        ("The bridge opened in May.", "", "p", &["The bridge opened in May."]),
        ("Forecast the next two months: 10, 12, 14", "Forecast the next two months", "p", &["10, 12, 14"]),
        ("Sold: Jan 10, Feb 12, Mar 14. What comes next?", "What comes next?", "p", &["Sold: Jan 10, Feb 12, Mar 14."]),
        (
            "Claim: \"It is 8 km.\" Source: \"8.4 km long.\" Supported?",
            "Supported?",
            "qq",
            &["It is 8 km.", "8.4 km long."],
        ),
        (
            "summarize\n\nFirst line of it. Second one.\n\nMax. 2 sentences.",
            "summarize\nMax. 2 sentences.",
            "p",
            &["First line of it. Second one."],
        ),
        (
            "Two texts, one bullet each please.\n\nTEXT A\nThe shop opens.\n\nTEXT B\nThe dairy closes.",
            "Two texts, one bullet each please.",
            "pp",
            &["The shop opens.", "The dairy closes."],
        ),
    ];

    #[test]
    fn instruction_and_material() {
        for (task, instruction, kinds, items) in CASES {
            let request = Request::read(task);
            assert_eq!(request.instruction, *instruction, "{task}");
            assert_eq!(request.material.iter().map(kind).collect::<String>(), *kinds, "{task}");
            let texts: Vec<String> = request.items().into_iter().map(|item| item.text).collect();
            assert_eq!(texts, *items, "{task}");
        }
    }

    #[test]
    fn places_labels_tables_and_pairs() {
        let request = Request::read("Tag each, é:\n\nReview 1: Nice.\nReview 2: Bad.");
        let told: Vec<_> =
            request.items().into_iter().map(|item| (item.label.unwrap_or_default(), item.start)).collect();
        assert_eq!(told, [("Review 1".into(), 24), ("Review 2".into(), 40)]);
        let request = Request::read("Compare.\n\nExport one:\nsku,n\nA,1\n\nExport two:\nsku,n\nA,2");
        let titles: Vec<_> = request.tables().into_iter().map(|table| table.title.unwrap_or_default()).collect();
        assert_eq!(titles, ["Export one", "Export two"]);
        let request =
            Request::read("How do I cite this page? Organisation: Coastguard. Title: Tide tables. Date: 2023");
        let pairs = request.labelled();
        let told: Vec<_> = pairs.iter().map(|(label, value)| format!("{label}={value}")).collect();
        assert_eq!(told, ["Organisation=Coastguard", "Title=Tide tables", "Date=2023"]);
        let request = Request::read("Extract all.\n\nName: Jo Lind\nTotal: 5.00\nFrom: CPH   To: OSL");
        assert_eq!(request.labelled().len(), 4);
    }
}
