//! The content of an e-mail, rendered as plain text and as equivalent simple HTML.

use std::fmt::Write as _;
use std::time::Duration;

/// An e-mail to one person.
#[derive(Clone)]
pub struct EmailMessage {
    /// Purpose of the e-mail.
    pub kind: EmailKind,
    /// Address of the recipient.
    pub to: String,
    /// Subject; one line.
    pub subject: String,
    /// Body of the e-mail.
    pub paragraphs: Vec<Paragraph>,
    /// Time after which the e-mail is useless and is no longer sent.
    pub good_for: Duration,
}

/// The purpose of an e-mail, as shown in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailKind {
    /// An e-mail with a sign-in link.
    SignIn,
    /// An e-mail with a link that confirms a new account's address.
    Confirm,
    /// An e-mail that reports an action on an account.
    Notice,
}

/// A part of an e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paragraph {
    /// Plain text.
    Text(String),
    /// A link with its label and address.
    Link {
        /// Text of the link.
        label: String,
        /// Address of the link.
        url: String,
    },
}

impl EmailKind {
    /// Returns the name used in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Confirm => "confirm",
            Self::Notice => "notice",
        }
    }
}

impl EmailMessage {
    /// Renders the e-mail as plain text. Each link is on its own line, so that no mail
    /// program takes a following full stop for part of the URL.
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

    /// Renders the e-mail as HTML that loads no external content.
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
        let email = EmailMessage {
            kind: EmailKind::SignIn,
            to: "a@b.example".to_owned(),
            subject: "s".to_owned(),
            paragraphs,
            good_for: Duration::from_secs(1),
        };
        assert_eq!(email.text(), "<b>Ada's</b> & others\n\nGo:\nhttps://b.example/?a=1&b=\"2\"\n");
        let html = email.html();
        assert!(html.contains("&lt;b&gt;Ada&#39;s&lt;/b&gt; &amp; others") && !html.contains("<b>"), "{html}");
        assert!(html.contains("href=\"https://b.example/?a=1&amp;b=&quot;2&quot;\""), "{html}");
    }
}
