//! HTML as people paste it, as lines of text.

use crate::patterns;

/// The words of a text without HTML: list items and paragraphs as lines, cells parted by `|`. Other texts stay.
#[must_use]
pub fn read(text: &str) -> String {
    if !text.contains("</") {
        return text.to_owned();
    }
    let Some(tag) = patterns::compiled(r"</?[a-zA-Z][^<>]{0,200}>") else { return text.to_owned() };
    let mut plain = String::new();
    let mut end = 0;
    for found in tag.find_iter(text) {
        plain.push_str(text.get(end..found.start()).unwrap_or_default());
        let inner = found.as_str().trim_matches(['<', '>', '/']).to_lowercase();
        let name = inner.split_whitespace().next().unwrap_or_default();
        plain.push_str(match name {
            "b" | "i" | "em" | "strong" | "span" | "a" | "u" => "",
            "td" | "th" => " | ",
            _ => "\n",
        });
        end = found.end();
    }
    plain.push_str(text.get(end..).unwrap_or_default());
    let plain = plain
        .replace("&amp;", "&")
        .replace("&nbsp;", " ")
        .replace("&euro;", "€")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    let lines: Vec<&str> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_lines() {
        assert_eq!(
            read("<ul>\n<li><b>Lind</b> – asked</li>\n<li>May &amp; Co</li></ul>\nrank"),
            "Lind – asked\nMay & Co\nrank"
        );
        assert_eq!(read("a < b and c > d"), "a < b and c > d");
    }
}
