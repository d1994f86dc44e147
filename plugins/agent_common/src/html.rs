//! Text that stands between tags: pasted out of a page.

/// The text without its tags, each character where it was; none for a text without pairs of tags.
///
/// Cells of a row are parted by a tab, rows and paragraphs by line ends.
#[must_use]
pub fn plain(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let pairs = ["</td>", "</th>", "</p>", "</li>", "</h1>", "</h2>", "</h3>", "</div>", "</article>"];
    let tags: usize = pairs.iter().map(|tag| lower.matches(tag).count()).sum();
    if tags < 2 {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let name: String = after
            .chars()
            .skip(1)
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '/')
            .collect::<String>()
            .to_lowercase();
        if !name.chars().any(|c| c.is_ascii_alphabetic()) {
            out.push('<');
            rest = after.get(1..).unwrap_or_default();
            continue;
        }
        // Without an end here there is none further on: what is left stays.
        let Some(end) = after.find('>') else {
            rest = after;
            break;
        };
        let width = after.get(..=end).unwrap_or_default().chars().count();
        let sign = match name.trim_start_matches('/') {
            "td" | "th" if name.starts_with('/') => '\t',
            "tr" | "p" | "li" | "h1" | "h2" | "h3" | "h4" | "div" | "br" | "br/" | "ul" | "ol" | "table" => '\n',
            _ => ' ',
        };
        // The last cell of a row ends with the row.
        let next = after.get(end + 1..).unwrap_or_default().trim_start();
        let ends_row = next.get(..4).is_some_and(|tag| tag.eq_ignore_ascii_case("</tr"));
        out.push(if sign == '\t' && ends_row { ' ' } else { sign });
        out.extend(std::iter::repeat_n(' ', width - 1));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn tags_become_blanks() {
        let text = "<table><tr><td>Aisle 1</td><td>204</td></tr><tr><td>Aisle 2</td><td>199</td></tr></table> odd?";
        let told = plain(text).unwrap_or_default();
        assert_eq!(told.chars().count(), text.chars().count());
        let lines: Vec<String> = told
            .lines()
            .map(|line| line.split('\t').map(str::trim).collect::<Vec<_>>().join("|"))
            .filter(|line| !line.is_empty())
            .collect();
        assert_eq!(lines, ["Aisle 1|204", "Aisle 2|199", "odd?"]);
        assert_eq!(plain("a < b and c > d"), None);
        assert_eq!(plain("<p>1</p><p>2</p> <a <b").as_deref(), Some("\n  1\n   \n  2\n    <a <b"));
        assert_eq!(plain("x <p>One.</p><p>Two < 3.</p>").map(|text| text.contains("Two < 3.")), Some(true));
    }
}
