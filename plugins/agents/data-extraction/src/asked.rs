//! The names of fields in a request, told by what the text below has.

use agent_common::columns::fold;

use crate::asked_words::{BEFORE, BEHIND, FILLERS, LEFT_OUT, NO_NAME};

/// A part of a request between commas and joiners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// As the person wrote it.
    pub(crate) name: String,
    /// Whether the text has a value for it.
    pub(crate) known: bool,
    pub(crate) many: bool,
}

/// Names and what is not understood beside them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Names {
    pub(crate) all: Vec<Named>,
    /// Parts of the list that are no names.
    pub(crate) unclear: usize,
    /// What the request says beside the list.
    pub(crate) beside: String,
}

/// What the text has: `knows` a value for a name, or all of it as a label.
pub(crate) struct Text<'a> {
    pub(crate) knows: &'a dyn Fn(&str, bool) -> bool,
    pub(crate) labels: &'a dyn Fn(&str) -> bool,
}

/// Reads the names in a request.
pub(crate) fn read(request: &str, text: &Text<'_>) -> Names {
    let plain = without_brackets(request);
    let mut best = Names::default();
    let mut more: Vec<(usize, Names)> = Vec::new();
    for (at, segment) in segments(&plain).iter().enumerate() {
        more.push((at, of_segment(segment, text)));
    }
    let score = |names: &Names| {
        let known = names.all.iter().filter(|one| one.known).count();
        (known * 4).saturating_sub(names.unclear * 2 + names.all.len() - known)
    };
    let top = more.iter().map(|(_, names)| score(names)).max().unwrap_or(0);
    if top == 0 {
        return best;
    }
    let segments = segments(&plain);
    let mut taken = false;
    for (at, names) in more {
        let segment = segments.get(at).map_or("", String::as_str);
        let clear = names.unclear == 0 && names.all.iter().all(|one| one.known) && !names.all.is_empty();
        let first = !taken && score(&names) == top;
        let adds = clear && (asks(segment) || names.all.len() > 1);
        if first || adds {
            taken |= first;
            best.unclear += names.unclear;
            for one in names.all {
                if !best.all.iter().any(|own| fold(&own.name) == fold(&one.name)) {
                    best.all.push(one);
                }
            }
            best.beside.push_str(&names.beside);
        } else {
            best.beside.push_str(segment);
        }
        best.beside.push_str(" . ");
    }
    best
}

/// Whether a segment asks for more.
fn asks(segment: &str) -> bool {
    let folded = fold(segment);
    let first = folded.split_whitespace().next().unwrap_or_default();
    [
        "also", "and", "plus", "get", "give", "extract", "list", "find", "what", "what's", "need", "want", "pull",
        "show", "dazu",
    ]
    .contains(&first)
}

fn without_brackets(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '`' | '"' | '“' | '”' | '„' | '*' => out.push(' '),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Sentences, and what stands before and behind a colon or a dash; bullets are one list.
fn segments(text: &str) -> Vec<String> {
    let mut joined = String::new();
    for line in text.lines() {
        let bare = line.trim_start();
        let item = bare.trim_start_matches(['-', '•', '*', '·']);
        let numbered = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = numbered.strip_prefix(['.', ')']).filter(|_| numbered.len() < bare.len());
        let listed = if item.len() < bare.len() { Some(item) } else { numbered };
        match listed {
            Some(item) => joined.push_str(&format!(" , {} ", item.trim())),
            None => joined.push_str(&format!("\n{}", bare.trim_end())),
        }
    }
    let mut parts = vec![joined];
    for stop in ["\n", ". ", "? ", "! ", ": ", " - ", " – ", " — ", " -> ", " → ", " => ", "...", "!!", "??", " -- "]
    {
        parts = parts.iter().flat_map(|part| split_at(part, stop)).collect();
    }
    parts
        .iter()
        .map(|part| part.trim_matches(|c: char| c.is_whitespace() || ".?!:,".contains(c)).to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// `No. of guests` is no end of a sentence.
fn split_at(part: &str, stop: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for (number, piece) in part.split(stop).enumerate() {
        let before = all.last().map_or("", |text| text.rsplit(' ').next().unwrap_or_default());
        let short =
            stop == ". " && ["no", "nr", "e.g", "tel", "approx", "incl", "st", "ref"].contains(&fold(before).as_str());
        if number == 0 || short {
            if let Some(last) = all.last_mut() {
                if short {
                    last.push_str(stop);
                }
                last.push_str(piece);
            }
        } else {
            all.push(piece.to_owned());
        }
    }
    all
}

fn of_segment(segment: &str, text: &Text<'_>) -> Names {
    let mut names = Names::default();
    let parts = parts(segment, text);
    let count = parts.len();
    for (at, part) in parts.iter().enumerate() {
        let words: Vec<&str> = part.split_whitespace().collect();
        let denied = words.iter().enumerate().position(|(at, word)| {
            let word = fold(word);
            LEFT_OUT.contains(&word.as_str()) && (at == 0 || word != "no")
        });
        let words = denied.and_then(|at| words.get(..at)).unwrap_or(&words);
        if words.iter().all(|word| is_filler(word)) && !(text.labels)(&words.join(" ")) {
            continue;
        }
        match one(words, at == 0, at + 1 == count, text) {
            Some((named, beside)) => {
                names.all.push(named);
                names.beside.push_str(&format!(" {beside} "));
            }
            None if !words.is_empty() => {
                names.unclear += 1;
                names.beside.push_str(&format!(" {} ", words.join(" ")));
            }
            None => {}
        }
        if denied.is_some() {
            break;
        }
    }
    names
}

/// Whether a word alone names nothing: `list them`, `thanks`.
fn is_filler(word: &str) -> bool {
    let word = fold(word);
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.is_empty()
        || BEFORE.contains(&word)
        || BEHIND.contains(&word)
        || NO_NAME.contains(&word)
        || FILLERS.contains(&word)
}

/// How many words of a text say something.
pub(crate) fn content(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric) && !is_filler(word)).count()
}

/// The parts of a list; a joiner within a name that the text has does not part it.
fn parts(segment: &str, text: &Text<'_>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for piece in segment.split([',', ';', '\n']) {
        let mut rest = vec![piece.to_owned()];
        for joiner in [
            " and ",
            " & ",
            " + ",
            " und ",
            " et ",
            " y ",
            " e ",
            " / ",
            " plus ",
            " sowie ",
            " or ",
            " as well as ",
            "/",
            " | ",
            " en ",
        ] {
            rest = rest
                .iter()
                .flat_map(|part| {
                    let whole = (text.labels)(part.trim());
                    let split: Vec<String> = part.split(joiner).map(str::to_owned).collect();
                    if whole || (joiner == " e " && split.iter().any(|one| one.trim().is_empty())) {
                        vec![part.clone()]
                    } else {
                        split
                    }
                })
                .collect();
        }
        for part in rest.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
            // `email phone`: each word is a label, the two are not.
            let own: Vec<&str> =
                part.split_whitespace().filter(|word| (text.labels)(word) && !is_filler(word)).collect();
            let apart = own.len() > 1 && own.len() == part.split_whitespace().filter(|word| !is_filler(word)).count();
            if apart && !(text.labels)(part) && !(text.labels)(&own.join(" ")) {
                all.extend(own.into_iter().map(str::to_owned));
            } else {
                all.push(part.to_owned());
            }
        }
    }
    all
}

/// One part: the longest run of its words that the text has a value for, else its words without those around.
fn one(words: &[&str], first: bool, last: bool, text: &Text<'_>) -> Option<(Named, String)> {
    let folded: Vec<String> =
        words.iter().map(|word| fold(word).trim_matches(|c: char| !c.is_alphanumeric()).to_owned()).collect();
    let is = |at: usize, list: &[&str]| folded.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let all = |from: usize, to: usize| {
        (from..to)
            .any(|at| is(at, &["all", "every", "each", "any", "alle", "tous", "toutes", "todos", "todas", "jede"]))
    };
    for len in (1..=words.len().min(6)).rev() {
        for from in 0..=words.len() - len {
            let to = from + len;
            let lead = first || (0..from).all(|at| is(at, BEFORE));
            let tail = to == words.len()
                || is(to, BEHIND)
                || (last && is(to, BEFORE))
                || (last && words.len() - to < 4 && (text.labels)(&words.get(from..to).unwrap_or_default().join(" ")));
            let alone = len == 1 && (is(from, BEFORE) || is(from, BEHIND)) && !(from == 0 && to == words.len());
            // A lone word in a longer part must be no part of a longer name.
            let inner = len == 1 && from > 0 && !is(from - 1, BEFORE) && !first;
            let other = (from..to).any(|at| is(at, NO_NAME));
            if !lead || !tail || alone || inner || other {
                continue;
            }
            let name = words.get(from..to).unwrap_or_default().join(" ");
            let many = all(0, from);
            let edge = is(from, BEFORE) || is(to - 1, BEHIND) || is(to - 1, BEFORE);
            if (text.labels)(&name) || (!edge || len == 1) && (text.knows)(&name, many) {
                let beside = format!(
                    "{} {}",
                    words.get(..from).unwrap_or_default().join(" "),
                    words.get(to..).unwrap_or_default().join(" ")
                );
                return Some((Named { name, known: true, many }, beside));
            }
        }
    }
    unknown(words, first, last, &is)
}

/// A name that the text does not have.
fn unknown(words: &[&str], first: bool, last: bool, is: &dyn Fn(usize, &[&str]) -> bool) -> Option<(Named, String)> {
    let from = (0..words.len()).find(|at| !is(*at, BEFORE))?;
    let to = (from..words.len()).find(|at| is(*at, BEHIND)).unwrap_or(words.len());
    let own = words.get(from..to).unwrap_or_default();
    let verbs = [
        "extract", "get", "give", "pull", "find", "list", "need", "want", "show", "return", "take", "fill", "pick",
        "read",
    ];
    let skip = if first { (from..to).rev().find(|at| is(*at, &verbs)).map_or(0, |at| at + 1 - from) } else { 0 };
    let mut own = own.get(skip..).unwrap_or_default();
    while own.first().is_some_and(|word| BEFORE.contains(&fold(word).as_str())) {
        own = own.get(1..).unwrap_or_default();
    }
    let fits = (1..=4).contains(&own.len()) && (last || to == words.len());
    fits.then(|| {
        (Named { name: own.join(" "), known: false, many: false }, words.get(to..).unwrap_or_default().join(" "))
    })
}
