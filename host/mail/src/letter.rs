//! What is in a letter: plain text, and the same as simple HTML.

use std::fmt::Write as _;
use std::time::Duration;

/// A letter to one person.
#[derive(Clone)]
pub struct Letter {
    /// What it is for.
    pub kind: LetterKind,
    /// Address of the reader.
    pub to: String,
    /// What it is about; one line.
    pub subject: String,
    /// What it says.
    pub paragraphs: Vec<Paragraph>,
    /// After this time it is of no use any more.
    pub good_for: Duration,
}

/// What letters are for, as the log tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterKind {
    /// Has a link to sign in with.
    SignIn,
    /// Has a link by which a new account's address is confirmed.
    Confirm,
    /// Says what was done with an account.
    Notice,
}

/// A part of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paragraph {
    /// Words.
    Text(String),
    /// Something to press: what it says, and the address behind it.
    Link {
        /// What it says.
        label: String,
        /// Where it leads.
        url: String,
    },
}

impl LetterKind {
    /// Its name in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Confirm => "confirm",
            Self::Notice => "notice",
        }
    }
}

impl Letter {
    /// As plain text. Links stand on lines of their own, so that no program takes
    /// a full stop for a part of one.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for paragraph in &self.paragraphs {
            let gap = if out.is_empty() { "" } else { "\n\n" };
            // Writing to a String cannot fail.
            let _ = match paragraph {
                Paragraph::Text(text) => write!(out, "{gap}{text}"),
                Paragraph::Link { label, url } => write!(out, "{gap}{label}:\n{url}"),
            };
        }
        out.push('\n');
        out
    }

    /// The same as HTML that loads nothing from anywhere.
    pub(crate) fn html(&self) -> String {
        let mut out = String::from("<!doctype html><html><body>\n");
        for paragraph in &self.paragraphs {
            let _ = match paragraph {
                Paragraph::Text(text) => writeln!(out, "<p>{}</p>", escaped(text)),
                Paragraph::Link { label, url } => {
                    let (label, url) = (escaped(label), escaped(url));
                    writeln!(out, "<p><a href=\"{url}\">{label}</a></p>\n<p>{url}</p>")
                }
            };
        }
        out.push_str("</body></html>\n");
        out
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_markup() {
        let link = Paragraph::Link { label: "Go".to_owned(), url: "https://b.example/?a=1&b=\"2\"".to_owned() };
        let paragraphs = vec![Paragraph::Text("<b>Ada's</b> & others".to_owned()), link];
        let letter = Letter {
            kind: LetterKind::SignIn,
            to: "a@b.example".to_owned(),
            subject: "s".to_owned(),
            paragraphs,
            good_for: Duration::from_secs(1),
        };
        assert_eq!(letter.text(), "<b>Ada's</b> & others\n\nGo:\nhttps://b.example/?a=1&b=\"2\"\n");
        let html = letter.html();
        assert!(html.contains("&lt;b&gt;Ada&#39;s&lt;/b&gt; &amp; others") && !html.contains("<b>"), "{html}");
        assert!(html.contains("href=\"https://b.example/?a=1&amp;b=&quot;2&quot;\""), "{html}");
    }
}
