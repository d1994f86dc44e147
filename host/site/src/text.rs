//! Text formatting: dates as text, and the texts of plugins and errors as HTML.

use askama::filters::{Escaper, Html};
use tollbridge_core::time::rfc3339;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats Unix milliseconds as `31 Jan 2026, 12:00 UTC`.
pub fn moment(ms: u64) -> String {
    let text = rfc3339(ms);
    match (day(&text), text.get(11..16)) {
        (Some(day), Some(time)) => format!("{day}, {time} UTC"),
        _ => text,
    }
}

/// Formats a date that starts like `2026-01-31` as `31 Jan 2026`.
pub fn day(date: &str) -> Option<String> {
    Some(format!("{} {}", day_of_month(date)?, date.get(..4)?))
}

/// Formats `2026-01-31` as `31 Jan`.
pub fn day_of_month(date: &str) -> Option<String> {
    let month: usize = date.get(5..7)?.parse().ok()?;
    let day: u8 = date.get(8..10)?.parse().ok()?;
    Some(format!("{day} {}", MONTHS.get(month.checked_sub(1)?)?))
}

/// Converts a text to HTML. Text between backticks becomes code; all other text is
/// escaped.
pub fn inline(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, after)) = after.split_once('`') else { break };
        escape(&mut html, before);
        html.push_str("<code>");
        escape(&mut html, code);
        html.push_str("</code>");
        rest = after;
    }
    escape(&mut html, rest);
    html
}

/// Appends a text to HTML after escaping it.
pub(crate) fn escape(html: &mut String, text: &str) {
    // Writing into memory does not fail.
    let _ = Html.write_escaped_str(&mut *html, text);
}

/// Formats a number with its noun in the singular or plural.
pub fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_words() {
        assert_eq!(moment(1_700_000_000_120), "14 Nov 2023, 22:13 UTC");
        assert_eq!(day_of_month("2026-01-05").as_deref(), Some("5 Jan"));
        assert_eq!((day("2026-13-05"), day("2026-00-05"), day("soon")), (None, None, None));
    }

    #[test]
    fn only_code_is_marked_up() {
        assert_eq!(inline("as `GB` or `<b>`"), "as <code>GB</code> or <code>&#60;b&#62;</code>");
        assert_eq!(inline("a ` alone & <i>"), "a ` alone &#38; &#60;i&#62;");
        assert_eq!(inline(""), "");
    }
}
