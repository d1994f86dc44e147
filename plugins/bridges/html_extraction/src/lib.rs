//! Text and data from HTML: title, main text, headings, links, tables and metadata of a document that the caller gives.
//!
//! Invariants: nothing is fetched and no script runs; the same document gives the same answer; no input panics.

mod article;
mod input;
mod links;
mod metadata;
mod output;
mod parse;
mod score;
mod sink;
mod table;
mod text;
mod tree;
mod url;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge, serde_json};

use article::Article;
pub use input::Input;
use input::Task;
pub use output::Output;
use output::{Counts, Document, Main};
use tree::{DOCUMENT, Id, Tree};

const METHOD: &str = "parsed by the HTML standard's tree construction (html5ever) without running scripts; main text by \
scores of paragraphs, class names and link density after Mozilla's Readability; tables by the standard's algorithm";
/// Bytes of an answer, somewhat below the manifest's `output_bytes`.
const LONGEST_ANSWER: usize = 1_040_000;
/// Bytes of the text that is counted.
const LONGEST_TEXT: usize = 1_048_576;

/// Extracts text and data from the document that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let task = Task::read(call, input)?;
    let tree = parse::parse(&task.html).map_err(|message| Error::invalid(task.field, message))?;
    let body = article::body(&tree);
    let article = article::find(&tree, body);
    let inside = marked(&tree, &article);
    let in_main = |id: Id| inside.get(id).copied().unwrap_or(false);
    let base = links::base(&tree, task.base.as_ref());
    let (headings, headings_count) = links::headings(&tree, &in_main);
    let (links, links_count) = links::links(&tree, &task, base.as_ref(), &in_main);
    let (tables, tables_count) = table::tables(&tree, task.tables, &in_main);
    let metadata = metadata::read(&tree, base.as_ref());
    let first = headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone());
    let counts = Counts { nodes: tree.len(), headings: headings_count, links: links_count, tables: tables_count };
    let title = title(&tree).or_else(|| {
        let stated = metadata.open_graph.iter().find(|own| own.property == "og:title");
        stated.map(|own| own.content.clone()).or(first)
    });
    let result = Document {
        title,
        main: main(&tree, body, &article, task.characters),
        headings,
        links,
        tables,
        metadata,
        counts,
    };
    let limitations = limitations(&task, &result, base.is_some());
    fits(Report::new(result, METHOD, limitations))
}

/// Refuses an answer that the host would not carry, with what would make it shorter.
fn fits(output: Output) -> Result<Output, Error> {
    let bytes = serde_json::to_vec(&output).map_or(usize::MAX, |bytes| bytes.len());
    if bytes <= LONGEST_ANSWER {
        return Ok(output);
    }
    let advice = "ask for fewer with max_characters, max_links and max_tables";
    Err(Error::invalid("/max_characters", format!("the answer has more than {LONGEST_ANSWER} bytes; {advice}")))
}

/// By node: whether it stands in the main text.
fn marked(tree: &Tree, article: &Article) -> Vec<bool> {
    let mut inside = vec![false; tree.len()];
    for root in &article.roots {
        let mut at = Some(*root);
        while let Some(id) = at {
            if article.gone.get(id).copied().unwrap_or(true) {
                at = tree.after(id, *root);
                continue;
            }
            if let Some(inside) = inside.get_mut(id) {
                *inside = true;
            }
            at = tree.following(id, *root);
        }
    }
    inside
}

fn title(tree: &Tree) -> Option<String> {
    let id = tree.walk(DOCUMENT).find(|id| tree.name(*id) == "title")?;
    Some(text::short(&text::raw(tree, id), 500)).filter(|title| !title.is_empty())
}

fn main(tree: &Tree, body: Id, article: &Article, most: usize) -> Main {
    let removed = |id: Id| article.gone.get(id).copied().unwrap_or(true);
    let whole = text::render(tree, &article.roots, LONGEST_TEXT, &removed);
    let all = text::render(tree, &[body], LONGEST_TEXT, &|_| false);
    let (characters, total) = (whole.chars().count(), all.chars().count());
    let cut = whole.char_indices().nth(most).map(|(at, _)| at);
    let text = cut.and_then(|at| whole.get(..at)).map_or(whole.clone(), |text| text.trim_end().to_owned());
    let found = match article.top {
        _ if characters == 0 => "none",
        Some(_) => "scored",
        None => "body",
    };
    let top = article.top.filter(|_| found == "scored");
    Main {
        text,
        characters,
        truncated: cut.is_some(),
        found,
        element: top.map(|(id, _)| called(tree, id)),
        score: top.map(|(_, score)| tidy(score)),
        share: tidy((characters as f64 / total.max(1) as f64).min(1.0)),
    }
}

/// An element as a selector would name it.
fn called(tree: &Tree, id: Id) -> String {
    let id_selector = tree.attribute(id, "id").map(|id| format!("#{id}")).unwrap_or_default();
    let classes = tree.attribute(id, "class").unwrap_or_default().split_ascii_whitespace().take(5);
    let classes: String = classes.map(|class| format!(".{class}")).collect();
    text::short(&format!("{}{id_selector}{classes}", tree.name(id)), 200)
}

fn limitations(task: &Task, result: &Document, based: bool) -> Vec<String> {
    let mut notes =
        vec!["scripts do not run and style sheets are not read: what only they show or hide is not seen".to_owned()];
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    let main = &result.main;
    note(
        main.found != "none",
        "what the main text is was judged by scores: parts can be missing, or some boilerplate left",
    );
    note(
        main.found != "none" && main.characters < 500,
        "the main text is short; scores tell little about short documents",
    );
    note(main.found == "none", "no visible text was found; the page may be made by scripts");
    note(
        !based && result.links.iter().any(|link| link.url.is_none()),
        "relative links were left as they are: no base is known",
    );
    note(result.counts.links > result.links.len() && task.links > 0, "more links than are in this answer");
    note(result.counts.headings > result.headings.len(), "more headings than are in this answer");
    note(result.counts.tables > result.tables.len() && task.tables > 0, "more tables than are in this answer");
    note(
        result.metadata.published.is_some() || result.metadata.modified.is_some(),
        "dates are given as the document states them, unchecked",
    );
    notes
}

/// Four decimals.
fn tidy(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

bridge! { handle: handle, examples: ["../cases/article.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
