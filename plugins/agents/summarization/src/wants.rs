//! What kind of summary a request wants.

use agent_common::answer_format::AnswerFormat;

/// Which statements of the material are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// All.
    #[default]
    All,
    /// What was decided.
    Decisions,
    /// Who does what.
    Actions,
    /// What is still open.
    Questions,
    /// What ended a thread of mails.
    Outcome,
    /// Amounts and counts.
    Figures,
    /// Days, and until when.
    Dates,
}

/// What a request wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    /// The form.
    pub format: AnswerFormat,
    /// Statements of one kind.
    pub scope: Scope,
    /// Statements of another kind as well: `decisions and figures only`.
    pub also: Vec<Scope>,
    /// Nothing else is wanted.
    pub only: bool,
    /// One bullet for each item, person or document.
    pub each: bool,
    /// The count is exact: `exactly 3 bullets`.
    pub exact: bool,
    /// Members of the JSON object that is wanted.
    pub keys: Vec<String>,
}

/// Words for each kind of statement; the first kind that has one is wanted.
const SCOPES: [(Scope, &[&str]); 6] = [
    (Scope::Questions, &["open question", "still open", "unresolved", "offene frage", "open issue", "open point"]),
    (
        Scope::Actions,
        &[
            "action item",
            "action point",
            "to-do",
            "todo",
            "who does what",
            "who has to do",
            "next steps",
            "tasks from",
            "aufgaben",
            "who needs to do",
        ],
    ),
    (
        Scope::Decisions,
        &[
            "decisions",
            "the decision",
            "decision only",
            "decided",
            "what was agreed",
            "what did we agree",
            "beschl",
            "entscheidung",
            "résolution",
        ],
    ),
    (
        Scope::Outcome,
        &[
            "outcome",
            "where it ended",
            "how it ended",
            "end result",
            "upshot",
            "what came out",
            "final state",
            "where we landed",
        ],
    ),
    (
        Scope::Figures,
        &[
            "figures only",
            "only figures",
            "only the figures",
            "numbers only",
            "only the numbers",
            "just the numbers",
            "just the figures",
            "amounts only",
            "only the amounts",
            "and figures",
            "and numbers",
            "and amounts",
        ],
    ),
    (
        Scope::Dates,
        &[
            "dates only",
            "only dates",
            "only the dates",
            "just the dates",
            "deadlines only",
            "only the deadlines",
            "just the deadlines",
            "only deadlines",
            "and deadlines",
            "and dates",
        ],
    ),
];

/// Reads a request.
pub fn read(request: &str) -> Wants {
    let lower = request.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let mut format = AnswerFormat::read(request);
    // `minutes in 4 bullets`, `bullet points`, `list the …`.
    format.bullets |=
        has(&["bullet", "stichpunkt", "viñeta", "as a list", "key points", "main points"]) && !format.paragraph;
    format.paragraph |= !format.bullets && has(&["paragraph", " para ", "absatz", "paragraphe", "párrafo"]);
    let lines =
        has(&["-line summary", " line summary", " lines"]).then(|| count_before(&lower, &["line", "lines"])).flatten();
    format.sentences_max = format.sentences_max.or(lines.filter(|_| !format.bullets));
    let keeps = has(&["keep", "stay", "include", "must have", "remain", "with the "]);
    let narrow = has(&["only", "just", "nothing else", "nur ", "seulement", "solo "]) && !keeps;
    let loose = |scope: Scope| {
        narrow
            && match scope {
                Scope::Figures => has(&["figures", "numbers", "amounts"]),
                Scope::Dates => has(&["deadlines", "dates"]),
                _ => false,
            }
    };
    let mut found = SCOPES.iter().filter(|(scope, words)| has(words) || loose(*scope)).map(|(scope, _)| *scope);
    // `names and dates have to stay` narrows nothing.
    let scope =
        found.next().filter(|scope| narrow || !matches!(scope, Scope::Figures | Scope::Dates)).unwrap_or_default();
    let also: Vec<Scope> = if scope == Scope::All { Vec::new() } else { found.collect() };
    let keys = if format.json { keys(request) } else { Vec::new() };
    Wants {
        only: scope != Scope::All && keys.is_empty(),
        each: has(&[
            "for each",
            "per ",
            "each of",
            "one each",
            "one bullet each",
            "each message",
            "each document",
            "each text",
            "every document",
            "pro ",
        ]),
        exact: has(&["exactly", "no more no less", "genau", "exactement", "exactamente", "precisely"]),
        format,
        scope,
        also,
        keys,
    }
}

fn count_before(text: &str, nouns: &[&str]) -> Option<u32> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| nouns.contains(word))?;
    let before = words.get(at.checked_sub(1)?)?;
    before.parse().ok().or_else(|| agent_common::number_words::cardinal(before))
}

/// Names in quotation marks behind `key` or `field`.
fn keys(request: &str) -> Vec<String> {
    let lower = request.to_lowercase();
    let Some(at) = ["key", "field", "member", "propert"].iter().filter_map(|word| lower.find(word)).min() else {
        return Vec::new();
    };
    let tail = request.get(at..).unwrap_or_default();
    agent_common::quotes::find(tail)
        .iter()
        .map(|quoted| quoted.text.to_owned())
        .filter(|key| !key.contains(' '))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_and_form() {
        let cases = [
            ("Give me the decisions only", Scope::Decisions, None, false),
            ("List the action items, one bullet each", Scope::Actions, None, true),
            ("just the open questions, as bullets", Scope::Questions, None, true),
            ("What is the outcome of this thread in 2 sentences?", Scope::Outcome, Some(2), false),
            ("only the decisions and the deadlines", Scope::Decisions, None, false),
            ("only the dates please", Scope::Dates, None, false),
            ("max 25 words, price and figures have to stay", Scope::All, None, false),
            ("court decision in brief", Scope::All, None, false),
            ("a five-line summary please", Scope::All, Some(5), false),
            ("Summarise", Scope::All, None, false),
        ];
        for (request, scope, sentences, bullets) in cases {
            let wants = read(request);
            assert_eq!(
                (wants.scope, wants.format.sentences_max, wants.format.bullets),
                (scope, sentences, bullets),
                "{request}"
            );
        }
        assert_eq!(read("as JSON with the keys \"summary\" and \"decision\"").keys, ["summary", "decision"]);
    }
}
