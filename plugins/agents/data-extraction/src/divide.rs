//! Ways to part a task into what is asked and the text that is read.

/// What is asked, and what it is asked of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parted {
    pub(crate) asked: String,
    pub(crate) text: String,
}

/// All ways that are worth a try: the first or last paragraph, line or sentence asks.
pub(crate) fn all(task: &str) -> Vec<Parted> {
    let task = task.trim();
    let mut ways: Vec<Parted> = Vec::new();
    let mut add = |asked: &str, text: &str| {
        let parted = Parted { asked: asked.trim().to_owned(), text: text.trim_matches('\n').trim_end().to_owned() };
        let fits =
            !parted.asked.is_empty() && !parted.text.trim().is_empty() && parted.asked.split_whitespace().count() <= 90;
        if fits && !ways.contains(&parted) {
            ways.push(parted);
        }
    };
    let blocks = paragraphs(task);
    let cut = |from: usize, to: usize| task.get(from..to).unwrap_or_default();
    if let (Some((_, first)), Some((last, _))) = (blocks.first(), blocks.last())
        && blocks.len() > 1
    {
        add(cut(0, *first), cut(*first, task.len()));
        add(cut(*last, task.len()), cut(0, *last));
        if blocks.len() > 2 {
            let both = format!("{}\n{}", cut(0, *first), cut(*last, task.len()));
            add(&both, cut(*first, *last));
            if let Some((_, second)) = blocks.get(1) {
                add(cut(0, *second), cut(*second, task.len()));
            }
            if let Some((late, _)) = blocks.get(blocks.len() - 2) {
                add(cut(*late, task.len()), cut(0, *late));
            }
        }
    }
    if let Some(at) = task.find('\n') {
        add(cut(0, at), cut(at, task.len()));
    }
    if let Some(at) = task.rfind('\n') {
        add(cut(at, task.len()), cut(0, at));
    }
    // A sentence of the first line asks what stands behind it, one of the last what stands before.
    let (first, last) = (task.find('\n').unwrap_or(task.len()), task.rfind('\n').unwrap_or(0));
    for end in ends(task) {
        if end <= first {
            add(cut(0, end), cut(end, task.len()));
        }
        if end > last {
            add(cut(end, task.len()), cut(0, end));
        }
    }
    ways
}

/// Where the paragraphs of a task begin and end.
fn paragraphs(task: &str) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut open: Option<usize> = None;
    for line in task.split_inclusive('\n') {
        if line.trim().is_empty() {
            all.extend(open.take().map(|start| (start, at)));
        } else if open.is_none() {
            open = Some(at);
        }
        at += line.len();
    }
    all.extend(open.map(|start| (start, task.len())));
    all
}

/// Ends of the sentences and heads of the first and the last line.
fn ends(task: &str) -> Vec<usize> {
    let first = task.find('\n').unwrap_or(task.len());
    let last = task.rfind('\n').unwrap_or(0);
    let mut found: Vec<usize> = Vec::new();
    for stop in [": ", ". ", "? ", "! ", " - ", " – ", "; ", " -> ", " → ", " => ", "\" ", "” "] {
        found.extend(task.match_indices(stop).map(|(at, _)| at + stop.len()).filter(|at| *at < first || *at > last));
    }
    found.sort_unstable();
    found.truncate(24);
    found
}
