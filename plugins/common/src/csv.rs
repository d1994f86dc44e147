//! CSV text as rows of cells (RFC 4180).

/// Cells of CSV text, row by row. A cell that begins with a quote ends at the next single one; it may hold separators,
/// line ends and doubled quotes. A line without any cell text is left out if it has no separator.
///
/// Reading stops behind `most` rows: one more than that is a sign that there are more.
#[must_use]
pub fn rows(text: &str, separator: char, most: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            letter if letter == separator && !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                keep(&mut rows, std::mem::take(&mut row));
                if rows.len() > most {
                    return rows;
                }
            }
            letter => cell.push(letter),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        keep(&mut rows, row);
    }
    rows
}

fn keep(rows: &mut Vec<Vec<String>>, row: Vec<String>) {
    if row.len() > 1 || row.iter().any(|cell| !cell.trim().is_empty()) {
        rows.push(row);
    }
}

/// Whichever of comma, semicolon and tab occurs most in the first line; a comma when none does.
#[must_use]
pub fn separator(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let count = |separator: char| first.chars().filter(|c| *c == separator).count();
    [';', '\t'].into_iter().fold(',', |best, next| if count(next) > count(best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    /// The examples of RFC 4180, section 2.
    #[test]
    fn rfc_4180() {
        for (text, expect) in [
            ("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", table(&[&["aaa", "bbb", "ccc"], &["zzz", "yyy", "xxx"]])),
            (
                "\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx",
                table(&[&["aaa", "b\r\nbb", "ccc"], &["zzz", "yyy", "xxx"]]),
            ),
            ("\"aaa\",\"b\"\"bb\",\"ccc\"", table(&[&["aaa", "b\"bb", "ccc"]])),
        ] {
            assert_eq!(rows(text, ',', 100), expect, "{text}");
        }
    }

    #[test]
    fn stops_behind_the_most_and_leaves_empty_lines_out() {
        assert_eq!(rows("a\n\n \nb\nc\nd\n", ',', 2), table(&[&["a"], &["b"], &["c"]]));
        assert_eq!(rows("a\nb", ',', 2), table(&[&["a"], &["b"]]));
        assert_eq!((separator("a;b;c"), separator("a\tb"), separator("a")), (';', '\t', ','));
    }
}
