//! The code in a model's answer.

/// The first fenced block, else the whole answer. An open fence goes to the end.
pub fn code(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !fence(line));
    if lines.next().is_none() {
        return format!("{}\n", text.trim_matches('\n').trim_end());
    }
    let block: Vec<&str> = lines.take_while(|line| !fence(line)).collect();
    format!("{}\n", block.join("\n"))
}

fn fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fenced_or_not() {
        for (text, expect) in [
            ("x = 1", "x = 1\n"),
            ("\n  x = 1\n\n", "  x = 1\n"),
            ("Here:\n```python\nx = 1\n```\nDone.\n```\ny\n```", "x = 1\n"),
            ("```\nx\n", "x\n"),
        ] {
            assert_eq!(code(text), expect);
        }
    }
}
