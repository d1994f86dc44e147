//! Tasks whose texts stand in other marks than a list, brought into one: pages, chats, numbered blocks, records, paragraphs.

use agent_common::patterns::{compiled, groups, is_match};
use agent_common::{chat, handles};

use crate::names::names;

/// Words of those who want more than one text judged.
pub(crate) const SEVERAL: &str = r"(?i)\b(?:each|every|all|these|them|they|those|both|which (?:is|one)s? which|one per|jede[rsn]?|alle|chaque|cada|texts|messages|mails|emails|e-mails|paragraphs|reviews|tickets|comments|notes|items|posts|sentences|headlines|questions|requests|letters|teasers|blurbs|documents|snippets|entries|papers|reports|titles|answers|ads|quotes|complaints|articles|following \w+s)\b";

/// The task with its texts as items of a list, where they stand in other marks; else as it is.
#[must_use]
pub fn prepared(task: &str) -> String {
    let task = plain(&task.replace("\r\n", "\n"));
    let task = corrected(&task).unwrap_or(task);
    let task = under_comments(&task).unwrap_or(task);
    of_chat(&task)
        .or_else(|| numbered_blocks(&task))
        .or_else(|| records(&task))
        .or_else(|| handles::listed(&task, &names(task.split("\n\n").next().unwrap_or_default())))
        .or_else(|| rows(&task))
        .or_else(|| below_colon(&task))
        .or_else(|| short_lines(&task))
        .or_else(|| paragraphs(&task))
        .unwrap_or(task)
}

/// A page without its marks, the items of its lists in lines.
fn plain(task: &str) -> String {
    if !is_match(r"(?i)<(?:li|p|div|td|ul|ol|br|h[1-6])\b[^>]*>", task) {
        return task.to_owned();
    }
    let mut text = task.to_owned();
    for (pattern, with) in [
        (r"(?i)\s*<li\b[^>]*>\s*", "\n- "),
        (r"(?i)\s*</(?:p|h[1-6]|div|ul|ol|table)>\s*", "\n\n"),
        (r"(?i)\s*(?:<br\s*/?>|</tr>)\s*", "\n"),
        (r"<[^>]*>", ""),
    ] {
        if let Some(regex) = compiled(pattern) {
            text = regex.replace_all(&text, with).into_owned();
        }
    }
    let entities = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " ")];
    let text = entities.iter().fold(text, |text, (entity, sign)| text.replace(entity, sign));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n").trim().to_owned()
}

/// The first paragraph and what stands behind `here is the full list, use only this one`.
fn corrected(task: &str) -> Option<String> {
    let cue = compiled(
        r"(?i)\b(?:use only th(?:is|ese)|only use th(?:is|ese)|ignore (?:the (?:list|one|lines?) above|that|those|the first (?:list|one))|here (?:is|are) the (?:full|right|correct|real|correct) \w+)\b[^\n]*",
    )?;
    let found = cue.find(task)?;
    let head = task.split("\n\n").next()?;
    let below = task.get(found.end()..)?.trim();
    (found.start() >= head.len() && below.lines().count() > 1).then(|| format!("{head}\n\n{below}"))
}

/// `# classify each line` above lines without such a sign.
fn under_comments(task: &str) -> Option<String> {
    let sign = ["# ", "// ", "-- "].into_iter().find(|sign| task.starts_with(sign))?;
    let head: Vec<&str> = task.lines().map_while(|line| line.strip_prefix(sign)).collect();
    let below: Vec<&str> = task.lines().skip(head.len()).collect();
    let fits = below.iter().filter(|line| !line.trim().is_empty()).count() > 1
        && below.iter().all(|line| !line.starts_with(sign));
    fits.then(|| format!("{}\n\n{}", head.join("\n"), below.join("\n").trim()))
}

fn blocks_of(task: &str) -> Vec<&str> {
    task.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.trim().is_empty()).collect()
}

/// One block as the list, all others as what is said of it.
fn with_list(blocks: &[&str], at: usize, items: &[String]) -> String {
    let others: Vec<&str> =
        blocks.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, block)| *block).collect();
    listed(&others.join("\n"), items)
}

/// The rows of a table by their cells with words; not where figures decide.
fn rows(task: &str) -> Option<String> {
    let blocks = blocks_of(task);
    let is_table = |block: &&str| block.lines().count() > 2 && block.lines().all(|line| line.contains('|'));
    let at = blocks.iter().position(is_table)?;
    let others: usize =
        blocks.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, block)| names(block).len()).max()?;
    let figures =
        blocks.iter().enumerate().any(|(place, block)| place != at && block.contains(|c: char| c.is_ascii_digit()));
    let wordy = |cell: &&str| cell.chars().filter(|c| c.is_alphabetic()).count() > 2;
    let row = |line: &str| line.split('|').map(str::trim).filter(wordy).collect::<Vec<_>>().join(", ");
    // The first line names the columns, the line below it may be a rule.
    let below = blocks.get(at)?.lines().skip(1).filter(|line| line.contains(char::is_alphanumeric));
    let items: Vec<String> = below.map(row).collect();
    (others > 1 && !figures && items.len() > 1 && items.iter().all(|item| !item.is_empty()))
        .then(|| with_list(&blocks, at, &items))
}

/// Lines below one that names the labels and ends in a colon.
fn below_colon(task: &str) -> Option<String> {
    let lines: Vec<&str> = task.lines().collect();
    let at = lines.iter().position(|line| line.trim_end().ends_with(':') && names(line).len() > 1)?;
    let marked = |line: &str| is_match(r"^\s*(?:[-*•>|{\[\x22“]|\(?\w{1,2}[.)]\s)", line);
    let items: Vec<String> =
        lines.get(at + 1..)?.iter().take_while(|line| !line.trim().is_empty()).map(|line| (*line).to_owned()).collect();
    let below: Vec<&str> = lines.get(at + 1 + items.len()..)?.to_vec();
    let same_start = items.iter().all(|item| is_match(r"^\s*[A-Z]{1,5}[-_ ]?\d+\b", item));
    let fits = items.len() > 1
        && !items.iter().any(|item| marked(item))
        && same_start
        && below.iter().all(|line| line.trim().is_empty());
    fits.then(|| listed(&lines.get(..=at).unwrap_or_default().join("\n"), &items))
}

/// A block of short lines that are no sentences, with what is said of them above or below.
fn short_lines(task: &str) -> Option<String> {
    let blocks = blocks_of(task);
    let ends = |line: &str| line.trim_end().ends_with(['.', ':', ',', '?', '!', ';']);
    let fits = |block: &str| {
        let marked = block.lines().any(|line| {
            is_match(r"^\s*(?:[-*•>|{\x22“]|\(?\w{1,2}[.)]\s)", line)
                || line.contains(['=', '|', ';', '→'])
                || line.contains("->")
        });
        let lines = block.lines().count();
        lines > 1
            && !marked
            && block.lines().all(|line| (1..=8).contains(&line.split_whitespace().count()) && !ends(line))
    };
    let own: Vec<usize> = blocks
        .iter()
        .enumerate()
        .filter(|(at, block)| (*at > 0 || blocks.len() > 1) && fits(block))
        .map(|(at, _)| at)
        .collect();
    let [only] = own.as_slice() else { return None };
    let said: usize =
        blocks.iter().enumerate().filter(|(at, _)| at != only).map(|(_, block)| block.split_whitespace().count()).sum();
    let block = blocks.get(*only)?;
    let coded = block.lines().all(|line| line.contains(|c: char| c.is_ascii_digit()))
        || block.lines().all(|line| line.split_whitespace().count() < 3);
    let items: Vec<String> = block.lines().map(str::to_owned).collect();
    (blocks.len() > 1 && (4..80).contains(&said) && coded).then(|| with_list(&blocks, *only, &items))
}

fn listed(head: &str, items: &[String]) -> String {
    let flat = |item: &String| format!("- {}", item.split_whitespace().collect::<Vec<_>>().join(" "));
    format!("{}\n\n{}", head.trim(), items.iter().map(flat).collect::<Vec<_>>().join("\n"))
}

/// The messages of a chat; of one who speaks, where the request names that one.
fn of_chat(task: &str) -> Option<String> {
    let (lines, around) = chat::read(task)?;
    let lower = around.to_lowercase();
    let mut wanted: Vec<&str> =
        lines.iter().map(|line| line.speaker.as_str()).filter(|name| !name.is_empty()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let left_out = |name: &str| {
        let name = name.to_lowercase();
        [
            "not those of the ",
            "not those of ",
            "not the ",
            "not ",
            "except ",
            "without ",
            "ignore the ",
            "ignore ",
            "but not the ",
            "skip the ",
            "skip ",
        ]
        .iter()
        .any(|cue| lower.contains(&format!("{cue}{name}")))
    };
    let named: Vec<&str> =
        wanted.iter().copied().filter(|name| lower.contains(&name.to_lowercase()) && !left_out(name)).collect();
    let chosen: Vec<&str> = match named.as_slice() {
        [] => wanted.iter().copied().filter(|name| !left_out(name)).collect(),
        some => some.to_vec(),
    };
    let items: Vec<String> =
        lines.iter().filter(|line| chosen.contains(&line.speaker.as_str())).map(|line| line.text.clone()).collect();
    (!items.is_empty() && !around.is_empty()).then(|| listed(&around, &items))
}

/// `(1)` in a line of its own above each text.
fn numbered_blocks(task: &str) -> Option<String> {
    let mark = r"^\s*(?:\(?\d{1,3}[.):]|#\d{1,3}:?|\[\d{1,3}\]|(?i:text|mail|message|ticket|item|receipt|no\.?|document) ?#?\d{1,3}:?)\s*$";
    let lines: Vec<&str> = task.lines().collect();
    let first = lines.iter().position(|line| is_match(mark, line))?;
    let mut items: Vec<String> = Vec::new();
    for line in lines.get(first..)? {
        if is_match(mark, line) {
            items.push(String::new());
        } else if let Some(last) = items.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    let head = lines.get(..first)?.join("\n");
    let full = items.iter().all(|item| !item.trim().is_empty());
    (items.len() > 1 && full && !head.trim().is_empty()).then(|| listed(&head, &items))
}

/// Blocks of `Name: value` lines that all begin with the same name.
fn records(task: &str) -> Option<String> {
    let blocks: Vec<&str> = task.split("\n\n").map(str::trim).filter(|block| !block.is_empty()).collect();
    let key = |block: &str| groups(r"^([^\s:][^:\n]{0,24}):\s", block).get(1).cloned();
    let keyed: Vec<(usize, String)> = blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.lines().count() > 1 && block.lines().all(|line| line.contains(':')))
        .filter_map(|(at, block)| Some((at, key(block)?)))
        .collect();
    let (from, name) = keyed.first()?.clone();
    let own: Vec<usize> = keyed.iter().filter(|(_, one)| *one == name).map(|(at, _)| *at).collect();
    if own.len() < 2 || name.eq_ignore_ascii_case("from") || from == 0 {
        return None;
    }
    let values = |block: &&str| {
        let value = |line: &str| line.split_once(':').map_or(line, |(_, value)| value).trim().to_owned();
        block.lines().map(value).collect::<Vec<_>>().join(". ")
    };
    let items: Vec<String> = own.iter().filter_map(|at| blocks.get(*at)).map(values).collect();
    let head: Vec<&str> =
        blocks.iter().enumerate().filter(|(at, _)| !own.contains(at)).map(|(_, block)| *block).collect();
    Some(listed(&head.join("\n"), &items))
}

/// Paragraphs that are each a text, above or below one that names the labels and speaks of several texts.
fn paragraphs(task: &str) -> Option<String> {
    let blocks: Vec<&str> = task.split("\n\n").map(str::trim).filter(|block| !block.is_empty()).collect();
    let (first, last) = (blocks.first()?, blocks.last()?);
    let asks = |block: &str| names(block).len() > 1 && block.split_whitespace().count() < 70;
    let (head, items) = if asks(first) {
        (*first, blocks.get(1..)?)
    } else if asks(last) {
        (*last, blocks.get(..blocks.len() - 1)?)
    } else {
        return None;
    };
    let is_text = |block: &&str| {
        let lines = block.lines().count();
        let marked = block.lines().any(|line| is_match(r"^\s*(?:[-*•>|{\[#]|\(?\d{1,3}[.)]|\x60)", line));
        let described = is_match(r"^[^\s:]+(?: [^\s:]+){0,2}(?:: | = | - )", block) && lines > 1;
        lines < 8 && !marked && !described && block.split_whitespace().count() > 2 && !block.ends_with(':')
    };
    let opened = items
        .first()
        .is_some_and(|block| is_match(r"(?i)^(?:from|to|subject|date|dear|hi|hello|von|an)\b[^\n]{0,60}[:,]", block));
    let lines_of_texts = items
        .iter()
        .any(|block| block.lines().count() > 2 && block.lines().all(|line| line.split_whitespace().count() < 9));
    (items.len() > 1 && is_match(SEVERAL, head) && items.iter().all(is_text) && !opened && !lines_of_texts)
        .then(|| listed(head, &items.iter().map(|block| (*block).to_owned()).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_other_marks() {
        let cases = [
            (
                "Kinds: invoice, quote. Tell me the kind of every paragraph.\n\nOur quote for the stairs.\n\nInvoice for 12 doors.",
                2,
            ),
            ("<p>Sort into travel, recipes:</p><ul><li>Bake it</li><li>Fly there</li></ul>", 2),
            ("Which is fuel, which food?\n\n(1)\nSHELL\nDIESEL\n\n(2)\nCAFE", 2),
            ("Sale or rent? Labels: sale, rent\n\nObject: Flat 2\nText: to rent\n\nObject: Barn\nText: for sale", 2),
            (
                "Label only the messages of the Customer (thanks, question).\n\n[10:02] Customer: When?\n[10:03] Agent: Friday.\n[10:04] Customer: Thanks",
                2,
            ),
            ("travel or food?\n\n- a\n- b\nsorry, here is the full list, use only this one:\n- c\n- d\n- e", 3),
        ];
        for (task, count) in cases {
            let done = prepared(task);
            assert_eq!(done.lines().filter(|line| line.starts_with("- ")).count(), count, "{done}");
        }
        assert_eq!(prepared("label these issues (bug, feature, docs)\n\n| # | title |\n|---|---|\n| 812 | App crashes with an error |\n| 815 | Feature request: please add dark mode |").lines().count(), 4);
        assert_eq!(
            names("Expense category for each row, pick among travel, meals, software. JSON please."),
            ["travel", "meals", "software"]
        );
        for task in [
            "Spam or ham?\n\nDear all,\n\nwe meet at nine.\n\nJo",
            "Sort into a or b:\n\n- x\n- y",
            "bug or question?\n\nIt fails.",
        ] {
            assert_eq!(prepared(task), task);
        }
    }
}
