//! Texts that stand in other marks than a list: lines of writers, of a chat, or one a line where the request says so.

use agent_common::patterns::is_match;
use agent_common::request::{Item, Piece, PieceKind, Request};
use agent_common::{chat, handles};

/// Words of those who want each line, or each of several texts, judged.
const BY_LINE: &str = r"(?i)\b(?:per line|per row|each line|every line|line by line|by line|one per line|each message|every message|per message|each comment|every comment|je zeile|pro zeile|par ligne|por línea|list of labels)\b";
const SEVERAL: &str = r"(?i)\b(?:each|every|all|these|them|both|texts|messages|mails|emails|reviews|comments|notes|posts|paragraphs|tweets|statements|headlines|quotes|answers|cards|entries|per \w+)\b";

/// The texts of a task where the common reader finds one text only; none if it is one.
#[must_use]
pub fn items(task: &str, request: &Request, found: &[Item]) -> Option<Vec<Item>> {
    if found.len() > 1 {
        return None;
    }
    let none: &[String] = &[];
    let item = |text: &str| Item { label: None, text: text.trim().to_owned(), start: 0 };
    if let Some((lines, around)) =
        chat::read(task).filter(|_| is_match(r"(?i)sentiment|positive|mood|label|rate", task))
    {
        let lower = around.to_lowercase();
        let named: Vec<_> = lines.iter().filter(|line| lower.contains(&line.speaker.to_lowercase())).collect();
        let mut speakers: Vec<&str> = named.iter().map(|line| line.speaker.as_str()).collect();
        speakers.dedup();
        let several = is_match(SEVERAL, &around);
        if several && !around.is_empty() && named.is_empty() {
            return Some(lines.iter().map(|line| item(&line.text)).collect());
        }
        let one = speakers.iter().all(|one| Some(one) == speakers.first());
        if several && one && !named.is_empty() {
            return Some(named.iter().map(|line| item(&line.text)).collect());
        }
        return None;
    }
    if let Some(block) = task.split("\n\n").skip(1).find_map(|block| handles::read(block, none)) {
        let header = ["from", "to", "subject", "date", "question", "answer", "q", "a"];
        let letter = block.iter().any(|line| header.contains(&line.name.to_lowercase().as_str()));
        return (!letter).then(|| {
            block
                .iter()
                .map(|line| Item { label: Some(line.name.clone()), text: line.text.clone(), start: 0 })
                .collect()
        });
    }
    let [only] = found else { return None };
    // A short first paragraph asks, too, where the common reader takes it for a title.
    let first = task.split("\n\n").next().filter(|first| first.split_whitespace().count() < 25);
    let asked = format!("{}\n{}", request.instruction, first.unwrap_or_default());
    if is_match(BY_LINE, &asked) && only.text.trim().lines().count() > 1 {
        return Some(only.text.lines().filter(|line| !line.trim().is_empty()).map(item).collect());
    }
    let paragraphs: Vec<&str> = only.text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect();
    let paragraphs: Vec<&str> = paragraphs.into_iter().filter(|part| Some(*part) != first.map(str::trim)).collect();
    let letter = paragraphs.iter().any(|part| is_match(r"(?i)^(?:dear|hi|hello|from:|to:|subject:)", part));
    let each = is_match(r"(?i)\b(?:each|every|per (?:paragraph|text|review|comment|message))\b", &asked);
    (each && paragraphs.len() > 1 && !letter).then(|| paragraphs.into_iter().map(item).collect())
}

/// Things that stand as a list below words that ask for them: `By aspect:` above `- wifi`.
#[must_use]
pub fn names(task: &str, request: &Request) -> Option<Vec<String>> {
    let words = r"(?i)\b(?:aspects?|topics?|features?|criteria|points?|things|following|these)\b";
    let above = task
        .lines()
        .take_while(|line| !line.trim_start().starts_with(['-', '*', '•', '1']))
        .collect::<Vec<_>>()
        .join("\n");
    let asks =
        is_match(words, &request.instruction) || (above.split_whitespace().count() < 25 && is_match(words, &above));
    let list: Vec<String> =
        request.material.iter().filter(|piece| is_name(piece)).map(|piece| piece.text.trim().to_lowercase()).collect();
    let others = request
        .material
        .iter()
        .filter(|piece| !is_name(piece))
        .map(|piece| piece.text.split_whitespace().count())
        .sum::<usize>();
    (asks && list.len() > 1 && others > 5).then_some(list)
}

fn is_name(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::ListItem)
        && (1..=3).contains(&piece.text.split_whitespace().count())
        && !piece.text.trim_end().ends_with(['.', '!', '?'])
}

/// The text beside such a list.
#[must_use]
pub fn beside_names(request: &Request) -> Vec<Item> {
    let material = request.material.iter().filter(|piece| !is_name(piece)).cloned().collect();
    Request { instruction: String::new(), material }.items()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_apart() {
        for (task, count) in [
            ("game comments -> sentiment\n\ngg_wolf: worst update ever, unplayable\nLumi: such a beautiful game", 2),
            ("```\ngreat job team\nthis build is broken\n```\nsentiment per line please", 2),
            (
                "mood of each paragraph\n\nI love the new office, wonderful light.\n\nThe canteen is disgusting and dirty.",
                2,
            ),
            ("Sentiment of each review?\n\nWe loved it. All was fine.\n\nNever again, the room was dirty.", 2),
            (
                "Sentiment of each of the guest's messages\n\n[10:00] Guest: It is broken.\n[10:01] Desk: Sorry.\n[10:03] Guest: Thank you, great help",
                2,
            ),
        ] {
            let request = Request::read(task);
            let found = request.items();
            assert_eq!(items(task, &request, &found).map_or(found.len(), |items| items.len()), count, "{task}");
        }
        let mail = "Is this mail positive?\n\nDear all,\n\nthe trip was great.\n\nJo";
        let request = Request::read(mail);
        assert_eq!(items(mail, &request, &request.items()), None);
    }
}
