//! Requests whose answer no table tells.

use agent_common::columns::fold;
use agent_common::sheet::Sheet;

/// What no table tells.
const BEYOND: &[&str] = &[
    "for their",
    "match their",
    "for its",
    "outliers",
    "outlier",
    "lied",
    "lie",
    "lying",
    "unfair",
    "unfairly",
    "fair",
    "market",
    "benchmark",
    "fill",
    "guess",
    "true",
    "truth",
    "honest",
    "real",
    "last year",
    "previous",
    "yesterday",
    "rule 1",
    "rule 2",
    "rule 3",
    "rule 4",
    "rule 5",
    "policy",
    "guideline",
    "guidelines",
    "our rules",
    "the rules",
    "house rules",
    "usual rules",
    "as agreed",
    "specification",
    "spec",
    "permitted limits",
    "allowed limits",
    "the limits",
    "tolerance",
    "tolerances",
    "spelling",
    "spelled",
    "similar",
    "sense",
    "suit",
    "suits",
    "plausible for",
    "look impossible",
    "makes sense",
    "make sense",
    "fits the",
    "belongs",
    "really",
    "actually",
    "exist in reality",
    "still work",
    "still works",
    "deliverable",
    "reachable",
    "fake",
    "fraud",
    "fraudulent",
    "stolen",
    "price list",
    "master list",
    "master data",
    "our catalogue",
    "catalogue",
    "reference list",
    "approved list",
    "official list",
    "sister",
    "other file",
    "second file",
    "other table",
    "translate",
    "profession",
    "capital of",
    "gender",
    "the contract",
    "regulation",
    "law",
    "legal limit",
    "legal limits",
    "attached",
    "attachment",
    "schema file",
    "our database",
    "crm",
    "erp",
    "overpriced",
    "reasonable",
    "realistic",
    "suspicious",
    "competitor",
    "belong",
];

/// Words that a second table gives an answer to.
const OTHER_TABLE: &[&str] = &[
    "other table",
    "second file",
    "other file",
    "master list",
    "reference list",
    "price list",
    "catalogue",
    "approved list",
];

pub(crate) fn beyond(instruction: &str, sheet: &Sheet, tables: usize) -> Option<&'static str> {
    let folded = format!(
        " {} ",
        fold(instruction).replace(|c: char| !c.is_alphanumeric(), " ").split_whitespace().collect::<Vec<_>>().join(" ")
    );
    let column = |word: &str| {
        sheet.table.columns.iter().any(|name| fold(name).contains(word))
            || sheet.table.rows.iter().flatten().any(|cell| fold(cell) == word)
    };
    BEYOND.iter().copied().find(|word| {
        let two = tables > 1 && OTHER_TABLE.contains(word);
        let filled = *word == "fill" && folded.contains(" filled ");
        folded.contains(&format!(" {word} ")) && !column(word) && !two && !filled
    })
}
