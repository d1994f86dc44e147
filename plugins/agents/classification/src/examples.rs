//! Examples that a task gives for its labels.

use agent_common::request::Item;

use crate::label::Label;
use crate::texts::unlabelled;

/// `"text" -> label` in the head and among the texts; what is left are the texts.
pub(crate) fn examples(head: &str, items: Vec<Item>, labels: &[Label]) -> (Vec<(String, String)>, Vec<Item>) {
    let example = |line: &str| -> Option<(String, String)> {
        let (text, label) = ["->", "→", "=>"].iter().find_map(|sign| line.rsplit_once(sign))?;
        let label = label.trim().trim_matches(['"', '`', '.', ' ']);
        let bare = text.trim().trim_start_matches(['-', '*', '•', ' ']).trim_matches(['"', '“', '”', ' ']);
        let fits = !label.is_empty() && label != "?" && label.split_whitespace().count() <= 3;
        fits.then(|| (bare.to_owned(), label.to_owned()))
    };
    let mut found: Vec<(String, String)> = head.lines().filter_map(example).collect();
    let mut left = Vec::new();
    for item in items {
        let open =
            item.text.trim_end().trim_end_matches('?').trim_end().trim_end_matches("->").trim_end_matches('→').trim();
        match example(&item.text) {
            Some(pair) if labels.is_empty() || labels.iter().any(|label| label.name.eq_ignore_ascii_case(&pair.1)) => {
                found.push(pair)
            }
            _ => {
                let bare = unlabelled(if item.text.trim_end().ends_with("->") || item.text.contains("-> ?") {
                    open
                } else {
                    &item.text
                });
                let text = bare.trim_matches(['"', '“', '”']).to_owned();
                left.push(Item { text, ..item });
            }
        }
    }
    (found, left)
}
