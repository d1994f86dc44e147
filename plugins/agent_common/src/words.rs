//! What a caller asks in words, apart from what it is asked about.

/// Words that may come before the verb.
const POLITE: [&str; 9] = ["please", "can", "could", "would", "you", "kindly", "i", "want", "to"];
/// A request is short; a longer first line is the material itself.
const REQUEST_MAX: usize = 200;

/// The task in words; nothing where it is the JSON that came as the input.
pub fn of<'t, I>(task: &'t str, input: Option<&I>) -> &'t str {
    let task = task.trim();
    if input.is_some() && task.starts_with('{') { "" } else { task }
}

/// Parts `Summarise this: …` into request and material. Without a request that
/// begins with one of `verbs`, all of it is material.
#[must_use]
pub fn request<'t>(text: &'t str, verbs: &[&str]) -> (&'t str, &'t str) {
    let text = text.trim();
    let Some(line) = text.lines().next() else { return ("", text) };
    let mut first =
        line.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let verb = first.find(|word| !POLITE.contains(&word.as_str())).unwrap_or_default();
    if !verbs.contains(&verb.as_str()) {
        return ("", text);
    }
    let colon = line.find(": ").or_else(|| line.strip_suffix(':').map(str::len)).map(|at| at + 1);
    let at = colon.or_else(|| (line.len() < text.len()).then_some(line.len()));
    match at.filter(|at| *at <= REQUEST_MAX).and_then(|at| text.split_at_checked(at)) {
        Some((head, body)) => (head.trim().trim_end_matches(':'), body.trim()),
        None => ("", text),
    }
}

/// A line `Label: value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labelled<'t> {
    /// The text before the colon, without bullets.
    pub label: &'t str,
    /// The text behind the colon, without white space around it.
    pub value: &'t str,
    /// Place of the value's first character in the text, from 0, in characters.
    pub start: usize,
}

/// All lines of the form `Label: value`, the label of at most five words.
#[must_use]
pub fn labelled(text: &str) -> Vec<Labelled<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((label, value)) = line.split_once(':') {
            let clean = label.trim().trim_start_matches(['-', '*', ' ']);
            let fits = clean.chars().any(char::is_alphabetic) && clean.split_whitespace().count() <= 5;
            if fits && !value.trim().is_empty() && !value.starts_with("//") {
                let indent = value.chars().take_while(|c| c.is_whitespace()).count();
                let at = start + label.chars().count() + 1 + indent;
                lines.push(Labelled { label: clean, value: value.trim(), start: at });
            }
        }
        start += line.chars().count();
    }
    lines
}

/// The lines below a heading (`Sources:`), up to the next of `headings`; what
/// stands on the heading's own line counts too.
#[must_use]
pub fn section(text: &str, heading: &str, headings: &[&str]) -> Option<String> {
    let mut inside = false;
    let mut section: Option<String> = None;
    for line in text.lines() {
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        let head = head.trim().trim_matches(['#', '*', ' ']).to_lowercase();
        if headings.contains(&head.as_str()) {
            inside = head == heading;
            if inside && !rest.trim().is_empty() {
                section.get_or_insert_default().push_str(rest.trim());
                section.get_or_insert_default().push('\n');
            }
        } else if inside {
            let all = section.get_or_insert_default();
            all.push_str(line);
            all.push('\n');
        }
    }
    section.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_parted_from_its_material() {
        let verbs = ["summarise", "sum"];
        assert_eq!(request("Please summarise this: One. Two.", &verbs), ("Please summarise this", "One. Two."));
        assert_eq!(request("Summarise the text\n\nOne: two.", &verbs), ("Summarise the text", "One: two."));
        assert_eq!(request("Note: summarise", &verbs), ("", "Note: summarise"));
        assert_eq!(request("", &verbs), ("", ""));
        assert_eq!(of("{\"a\":1}", Some(&1)), "");
        assert_eq!(of(" {x ", None::<&i32>), "{x");
    }

    #[test]
    fn labels_and_sections() {
        let lines = labelled("Né: x\nTotal due: 5\nhttp://a.b\n");
        assert_eq!(
            lines.iter().map(|l| (l.label, l.value, l.start)).collect::<Vec<_>>(),
            [("Né", "x", 4), ("Total due", "5", 17)]
        );
        let text = "Claims:\na\nSources: b\nc\n";
        assert_eq!(section(text, "sources", &["claims", "sources"]).as_deref(), Some("b\nc"));
        assert_eq!(section(text, "references", &["claims", "sources", "references"]), None);
    }
}
