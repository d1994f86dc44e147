//! Labels and texts of a task in words.

use agent_common::request::{Item, PieceKind, Request};
use agent_common::{phrases, quotes};

use crate::Label;

/// A task, taken apart.
#[derive(Debug, Default)]
pub struct Task {
    /// What it says of the labels, as written.
    pub head: String,
    /// The labels, with what is said of them.
    pub labels: Vec<Label>,
    /// The texts.
    pub items: Vec<Item>,
    /// Numbers of the texts, where they come from a table.
    pub values: Vec<Option<f64>>,
}

/// Words that lead to the names of labels.
const LEADS: &[&str] = &[
    "reply",
    "answer",
    "respond",
    "output",
    "write",
    "tell",
    "me",
    "route",
    "to",
    "just",
    "label",
    "labels",
    "with",
    "as",
    "put",
    "sort",
    "into",
    "in",
    "is",
    "it",
    "this",
    "that",
    "about",
    "a",
    "an",
    "the",
    "which",
    "language",
    "bank",
    "lines",
    "mark",
    "choose",
    "either",
    "these",
    "them",
    "each",
    "one",
    "of",
    "tag",
    "whether",
    "be",
    "classify",
    "or",
    "are",
    "they",
    "from",
    "only",
    "by",
    "please",
    "topic",
    "intent",
    "category",
    "exactly",
    "between",
    "say",
    "does",
    "belong",
    "was",
    "for",
    "text",
    "message",
    "kind",
    "type",
    "category:",
    "them:",
    "pick",
    "use",
    "using",
    "animal",
    "tense:",
    "decide",
];
/// Words above or before the texts.
const OPENINGS: &[&str] = &[
    "text",
    "texts",
    "mail",
    "e-mail",
    "email",
    "message",
    "messages",
    "ticket",
    "tickets",
    "review",
    "reviews",
    "item",
    "items",
    "now label",
    "now classify",
    "now",
    "new",
    "sentence",
    "input",
    "comment",
    "comments",
    "headline",
    "headlines",
    "to classify",
    "texts to label",
    "text to label",
    "question",
    "questions",
    "words",
    "list",
    "data",
    "here they are",
    "new text",
    "new message",
    "unlabelled",
    "unlabeled",
];

/// Takes a task apart.
#[must_use]
pub fn read(task: &str) -> Task {
    let request = Request::read(task);
    if let Some(found) = of_json(&request) {
        return found;
    }
    let (head, items) = parts(task, &request);
    let items_count = items.len();
    let (head, items) = match lines_of_numbers(task, &request) {
        Some((head, items)) if items.len() >= items_count => (head, items),
        _ => (head, items),
    };
    let numeric = crate::rules::NumberRules::read_alone(&head).is_some();
    let mut labels = if numeric { Vec::new() } else { labels(&head, &request.instruction) };
    let (examples, items) = examples(&head, items, &labels);
    for (text, name) in examples {
        match labels.iter_mut().find(|label| label.name.eq_ignore_ascii_case(&name)) {
            Some(label) => label.examples.push(text),
            None => labels.push(Label { name, examples: vec![text], ..Label::default() }),
        }
    }
    let values = values(&request, items.len());
    Task { head, labels, items, values }
}

fn of_json(request: &Request) -> Option<Task> {
    let value = request
        .material
        .iter()
        .find_map(|piece| if let PieceKind::Json(value) = &piece.kind { Some(value) } else { None })?;
    let list = ["labels", "categories", "classes", "options"].iter().find_map(|name| value.get(*name)?.as_array())?;
    let labels = list.iter().filter_map(|one| {
        let name = one.as_str().or_else(|| one.get("name")?.as_str())?;
        Some(Label {
            name: name.to_owned(),
            description: one.get("description").and_then(|text| text.as_str()).map(str::to_owned),
            ..Label::default()
        })
    });
    Some(Task {
        head: request.instruction.clone(),
        labels: labels.collect(),
        items: request.items(),
        values: Vec::new(),
    })
}

/// What is said of the labels, and the texts.
fn parts(task: &str, request: &Request) -> (String, Vec<Item>) {
    let listed = |kind: &PieceKind| !matches!(kind, PieceKind::Prose);
    let has_list = request.material.iter().any(|piece| listed(&piece.kind));
    let named = !names(&request.instruction).is_empty();
    let prose: Vec<&str> =
        request.material.iter().filter(|piece| !listed(&piece.kind)).map(|piece| piece.text.as_str()).collect();
    if has_list {
        let kept = Request {
            instruction: String::new(),
            material: request.material.iter().filter(|piece| listed(&piece.kind)).cloned().collect(),
        };
        let head = format!("{}\n{}", request.instruction, prose.join("\n"));
        let first = kept.material.first().map_or(0, |piece| piece.start);
        let before: String = task.chars().take(first).collect();
        return (if named || before.trim().is_empty() { head } else { before }, kept.items());
    }
    if named && !prose.is_empty() {
        return (request.instruction.clone(), short_list(request.items()));
    }
    // The labels stand in the first line, or in a paragraph of their own.
    let quoted: Vec<quotes::Quoted<'_>> =
        quotes::find(task).into_iter().filter(|quote| quote.text.split_whitespace().count() > 2).collect();
    let cut = opening(task)
        .or_else(|| quoted.first().map(|quote| quote.start))
        .or_else(|| task.find("\n\n").filter(|_| prose.len() > 1))
        .or_else(|| task.find(":\n").map(|at| at + 1))
        .or_else(|| task.find(": ").map(|at| at + 1));
    let Some((head, body)) = cut.and_then(|at| task.split_at_checked(at)) else {
        return (request.instruction.clone(), request.items());
    };
    if names(head).len() < 2 && phrases::described(head).len() < 2 && inline(head).len() < 2 && !head.contains("->") {
        return (format!("{}\n{}", request.instruction, prose.join("\n")), request.items());
    }
    let items = if quoted.is_empty() {
        Request::read(&format!("Classify each:\n\n{}", unlabelled(body))).items()
    } else {
        quotes::find(body).iter().map(|quote| Item { label: None, text: quote.text.to_owned(), start: 0 }).collect()
    };
    (head.to_owned(), short_list(items))
}

/// Where `Tickets:` or `Text: …` opens the texts.
fn opening(task: &str) -> Option<usize> {
    let mut at = 0;
    let mut found = None;
    for line in task.split_inclusive('\n') {
        let name = line.split(':').next().unwrap_or_default().trim().to_lowercase();
        if at > 0 && line.contains(':') && OPENINGS.contains(&name.as_str()) {
            found = Some(at);
        }
        at += line.len();
    }
    found
}

fn unlabelled(body: &str) -> &str {
    let body = body.trim();
    let (name, rest) = body.split_once(':').unwrap_or(("", body));
    if OPENINGS.contains(&name.trim().to_lowercase().as_str()) { rest.trim() } else { body }
}

/// Lines at the end of which each has one number, as rows of their own.
fn lines_of_numbers(task: &str, request: &Request) -> Option<(String, Vec<Item>)> {
    let prose = request.material.iter().all(|piece| matches!(piece.kind, PieceKind::Prose | PieceKind::ListItem));
    let fits = |line: &&str| {
        let words = line.split_whitespace().count();
        (1..=6).contains(&words)
            && agent_common::quantity::scan(line).len() == 1
            && !line.trim_end().ends_with(['.', ':', '?'])
    };
    let mut lines: Vec<&str> = task.trim_end().lines().rev().take_while(fits).collect();
    lines.reverse();
    let whole = lines.len() < 2 || !prose || request.material.is_empty();
    if whole {
        return None;
    }
    let count = task.trim_end().lines().count() - lines.len();
    let head: Vec<&str> = task.lines().take(count).collect();
    let bare = |line: &str| line.trim().trim_start_matches(['-', '*', '•', ' ']).to_owned();
    let items = lines.iter().map(|line| Item { label: None, text: bare(line), start: 0 }).collect();
    Some((head.join("\n"), items))
}

/// `apple, carrot, banana` as three texts.
fn short_list(items: Vec<Item>) -> Vec<Item> {
    let [only] = items.as_slice() else { return items };
    let parts: Vec<&str> = only.text.trim_end_matches('.').split(',').map(str::trim).collect();
    if parts.len() < 3 || !parts.iter().all(|part| (1..=2).contains(&part.split_whitespace().count())) {
        return items;
    }
    parts
        .into_iter()
        .map(|part| Item { label: None, text: part.trim_start_matches("and ").to_owned(), start: only.start })
        .collect()
}

/// The names of labels in a request, without the words that lead to them.
fn names(request: &str) -> Vec<String> {
    let clean = |name: String| -> Option<String> {
        let name = name.trim_matches(|c: char| "[](){}\"'`.".contains(c)).to_owned();
        let mut words: Vec<&str> = name.split_whitespace().collect();
        if let Some(at) =
            words.iter().rposition(|word| ["a", "an", "the"].contains(word)).filter(|at| *at + 1 < words.len())
        {
            words.drain(..=at);
        }
        if words.len() > 1 && words.last() == Some(&"only") {
            words.pop();
        }
        while words.len() > 1 && words.first().is_some_and(|word| LEADS.contains(&word.to_lowercase().as_str())) {
            words.remove(0);
        }
        if words.len() == 2 && words.last() == Some(&"tense") {
            words.pop();
        }
        let bare = words.join(" ");
        let empty =
            words.len() == 1 && LEADS.contains(&bare.to_lowercase().as_str()) && bare != "text" && bare.len() > 1;
        (!empty && bare.chars().any(char::is_alphanumeric) && words.len() <= 4).then_some(bare)
    };
    let found: Vec<String> = bracketed_list(request).into_iter().filter_map(clean).collect();
    if found.len() > 1 {
        return found;
    }
    for found in [slashed(request), behind_nouns(request), each_which(request)] {
        let found: Vec<String> = found.into_iter().filter_map(clean).collect();
        if found.len() > 1 {
            return found;
        }
    }
    let parts = |text: &str| {
        let all: Vec<String> = phrases::choices(text).into_iter().filter_map(clean).collect();
        // `Spam test, reply spam or ham`
        let pair = all.get(all.len().saturating_sub(2)..).unwrap_or_default();
        let is_spam = crate::spam::is_choice(&pair.iter().map(String::as_str).collect::<Vec<_>>());
        if is_spam { pair.to_vec() } else { all }
    };
    let first = [" - ", " – ", " — ", "("]
        .iter()
        .filter_map(|sign| request.find(sign))
        .min()
        .and_then(|at| request.get(..at))
        .unwrap_or(request);
    let found = parts(first);
    if found.len() > 1 {
        return found;
    }
    let all = parts(request);
    if all.len() > 1 {
        return all;
    }
    // `mammal, bird, fish?`, `groceries, transport, rent:`
    let line = request.lines().next().unwrap_or_default().split(['?', ':']).next().unwrap_or_default();
    let line = line.to_lowercase().rfind(" into ").and_then(|at| line.get(at + 6..)).unwrap_or(line);
    let listed: Vec<String> = phrases::list(line).into_iter().filter_map(clean).collect();
    if listed.len() > 1 && line.contains([',', '/']) && listed.iter().all(|name| name.split_whitespace().count() <= 2) {
        listed
    } else {
        Vec::new()
    }
}

/// `[a, b, c]`, `(a, b, c)`.
fn bracketed_list(text: &str) -> Vec<String> {
    let open = text
        .find(['[', '('])
        .filter(|at| !text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
    let Some(inner) = open.and_then(|at| text.get(at + 1..)).and_then(|rest| rest.split([']', ')']).next()) else {
        return Vec::new();
    };
    let several = text.matches('(').count() > 1;
    let parts: Vec<String> = inner
        .replace(" or ", ",")
        .replace(" and ", ",")
        .split([',', '/', '|', ';'])
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    let short = parts.iter().all(|part| part.split_whitespace().count() <= 3);
    if parts.len() > 1 && short && !several { parts } else { Vec::new() }
}

/// `spam / not spam`, `bug/feature/question`.
fn slashed(text: &str) -> Vec<String> {
    let text = text.replace(" | ", "/").replace(" / ", "/").replace("/ ", "/").replace(" /", "/");
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(at) = words
        .iter()
        .position(|word| word.contains('/') && !word.contains("//") && !word.contains(|c: char| c.is_ascii_digit()))
    else {
        return Vec::new();
    };
    let joined = words.get(at).copied().unwrap_or_default();
    let mut parts: Vec<String> =
        joined.split('/').map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()).collect();
    let ends = joined.ends_with([':', '.', ',', '?', ';', ')']);
    if let (Some(last), Some(next), false) = (parts.last_mut(), words.get(at + 1), ends)
        && ["not", "no", "non"].contains(&last.as_str())
    {
        last.push(' ');
        last.push_str(next.trim_matches(|c: char| !c.is_alphanumeric()));
    }
    if parts.iter().any(String::is_empty) || parts.len() < 2 { Vec::new() } else { parts }
}

/// `the categories Billing, Sales and Technical Support, …`
fn behind_nouns(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let nouns = [
        "categories ",
        "labels ",
        "classes ",
        "departments ",
        "topics ",
        "intents ",
        "groups ",
        "buckets ",
        "queues ",
        "teams ",
        "tags ",
    ];
    let Some(at) = nouns.iter().filter_map(|noun| lower.find(noun).map(|at| at + noun.len())).min() else {
        return Vec::new();
    };
    let rest = text.get(at..).unwrap_or_default();
    let rest = rest.split(['.', '?', ':', ';', '\n', '"']).next().unwrap_or_default();
    let Some((at, len)) =
        [" and ", " or ", " und ", " oder "].iter().find_map(|word| rest.find(word).map(|at| (at, word.len())))
    else {
        return Vec::new();
    };
    let (left, right) = (rest.get(..at).unwrap_or_default(), rest.get(at + len..).unwrap_or_default());
    let last = right.split([',', '-']).next().unwrap_or_default();
    let parts: Vec<String> = left.split(',').chain([last]).map(|part| part.trim().to_owned()).collect();
    if parts.iter().all(|part| (1..=3).contains(&part.split_whitespace().count())) { parts } else { Vec::new() }
}

/// `which is a question and which a statement`
fn each_which(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    if lower.matches("which ").count() < 2 {
        return Vec::new();
    }
    let parts = lower.split("which ").skip(1).map(|part| {
        let words = part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|word| {
            !["is", "are", "a", "an", "the", "and", "or", "ones", "of", "them", "these", ""].contains(word)
        });
        words.take(2).collect::<Vec<_>>().join(" ")
    });
    parts.filter(|part| !part.is_empty() && part.split(' ').count() < 2).collect()
}

fn labels(head: &str, instruction: &str) -> Vec<Label> {
    let with = |all: Vec<(String, String)>| -> Vec<Label> {
        all.into_iter()
            .map(|(name, said)| Label {
                name,
                description: Some(said).filter(|said| !said.is_empty()),
                ..Label::default()
            })
            .collect()
    };
    if !head.contains("->") && !head.contains('→') && !head.contains("=>") {
        let heads = [
            "categories",
            "labels",
            "classes",
            "options",
            "category",
            "label",
            "tickets",
            "examples",
            "text",
            "note",
            "rule",
            "our rule",
            "rules",
        ];
        let lines: Vec<(String, String)> = phrases::described(head)
            .into_iter()
            .filter(|(name, said)| {
                !heads.contains(&name.to_lowercase().as_str()) && !said.is_empty() && !name.contains(['.', '?'])
            })
            .map(|(name, said)| (name, said.join(", ")))
            .collect();
        if lines.len() > 1 && lines.iter().all(|(name, _)| name.split_whitespace().count() <= 3) {
            return with(lines);
        }
        for found in [inline(head), bracketed(head)] {
            if found.len() > 1 {
                return with(found);
            }
        }
    }
    let mut all = names(instruction);
    if all.len() < 2 {
        all = names(head);
    }
    with(all.into_iter().map(|name| (name, String::new())).collect())
}

/// `A = question about price, B = problem with login` and `A: mentions a city. B: mentions an animal.`
fn inline(text: &str) -> Vec<(String, String)> {
    let sign = if text.matches(" = ").count() > 1 {
        " = "
    } else if text.matches(": ").count() > 1 {
        ": "
    } else {
        return Vec::new();
    };
    let mut found: Vec<(String, String)> = Vec::new();
    let pieces: Vec<&str> = text.split(sign).collect();
    for pair in pieces.windows(2) {
        let [before, after] = pair else { continue };
        let name = before.rsplit([',', '.', ';', '\n', ':']).next().unwrap_or_default().trim();
        let end = if found.len() + 2 < pieces.len() {
            after.rfind([',', '.', ';', '\n']).unwrap_or(after.len())
        } else {
            after.len()
        };
        let said = after.get(..end).unwrap_or(after).trim().trim_end_matches(['.', ',']);
        if !name.is_empty() && name.split_whitespace().count() <= 3 {
            found.push((name.to_owned(), said.to_owned()));
        }
    }
    let numeric = found.iter().any(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_digit())
            || (name.contains(' ') && name.contains(|c: char| c.is_ascii_digit()))
    });
    let generic = [
        "assign",
        "text",
        "classify",
        "labels",
        "categories",
        "items",
        "sort",
        "answer",
        "task",
        "texts",
        "label",
        "examples",
        "mail",
        "message",
        "now",
        "note",
        "data",
        "new",
    ];
    let heading = found.iter().any(|(name, _)| {
        let lower = name.to_lowercase();
        generic.contains(&lower.as_str())
            || ["groups", "labels", "categories", "classes", "options"].iter().any(|end| lower.ends_with(end))
    });
    if heading || numeric || found.len() + 1 < pieces.len() { Vec::new() } else { found }
}

/// `HR (holidays, sick leave), IT (laptops, passwords)`.
fn bracketed(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (before, rest) in text.match_indices('(').filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + 1..)?))) {
        let name = before.rsplit([',', ':', ';', '\n', ')', '.']).next().unwrap_or_default().trim();
        let name = name.strip_prefix("and ").or_else(|| name.strip_prefix("or ")).unwrap_or(name);
        let Some((said, _)) = rest.split_once(')') else { continue };
        if !name.is_empty() && name.split_whitespace().count() <= 2 && said.split_whitespace().count() > 1 {
            found.push((name.to_owned(), said.to_owned()));
        }
    }
    found
}

/// `"text" -> label` in the head and among the texts; what is left are the texts.
fn examples(head: &str, items: Vec<Item>, labels: &[Label]) -> (Vec<(String, String)>, Vec<Item>) {
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

/// The numbers of the rows, where the texts are rows of a table with one column of numbers.
fn values(request: &Request, count: usize) -> Vec<Option<f64>> {
    let tables = request.tables();
    let [table] = tables.as_slice() else { return Vec::new() };
    let columns: Vec<Vec<f64>> = (0..table.columns.len())
        .filter_map(|column| table.numbers(column))
        .filter(|numbers| numbers.len() == table.rows.len())
        .collect();
    match columns.as_slice() {
        [only] if only.len() == count => only.iter().copied().map(Some).collect(),
        [.., last] if last.len() == count => last.iter().copied().map(Some).collect(),
        _ => Vec::new(),
    }
}
