//! Which skill a task is for: words of its request and forms of its material.
//!
//! Every rule that fits gives its skill points; the most points win. No state,
//! no chance.

use agent_common::patterns::{all, groups, is_match};
use agent_common::request::{PieceKind, Request};

use crate::forms::{self, Forms};
use crate::skills::{SKILLS, Skill};

/// Points from which on a skill is the one that is asked for.
const ENOUGH: u32 = 3;
/// Points ahead of the next skill from which on the choice is sure.
const AHEAD: u32 = 2;

/// How sure a choice is: clearly ahead, or close to another one.
pub const CLEAR: f64 = 0.9;
pub const CLOSE: f64 = 0.7;

/// A skill, and why.
#[derive(Debug, PartialEq)]
pub struct Choice {
    pub skill: &'static str,
    pub why: String,
    pub alternatives: Vec<&'static str>,
    pub affordable: bool,
    pub confidence: f64,
}

impl Choice {
    /// The agent of this repository that has the skill.
    pub fn agent(&self) -> String {
        self.skill.replace(':', "-")
    }
}

/// What a task is for.
#[derive(Debug, PartialEq)]
pub enum Chosen {
    /// One skill.
    One(Choice),
    /// Two skills that are both asked for.
    Two(&'static str, &'static str),
    /// No skill.
    None,
}

/// All skill ids, for texts.
pub fn ids() -> String {
    SKILLS.iter().map(|skill| skill.id).collect::<Vec<_>>().join(", ")
}

/// The skill that the caller names.
pub fn named(id: &str) -> Option<Choice> {
    let skill = SKILLS.iter().find(|skill| skill.id == id || skill.id.replace(':', "-") == id)?;
    Some(Choice {
        skill: skill.id,
        why: "the caller named it".into(),
        alternatives: Vec::new(),
        affordable: skill.affordable,
        confidence: CLEAR,
    })
}

/// The skill that fits best.
pub fn choose(text: &str) -> Chosen {
    let read = Request::read(text);
    let request = asked(text, &read);
    let (points, found) = choose_by(text, &read, &plain(&request));
    // What asks may stand in a sentence that looks like material.
    let (wider_points, wider) = choose_by(text, &read, &plain(&format!("{request}\n{}", edges(text))));
    if found == Chosen::None || wider_points > points + 1 { wider } else { found }
}

/// In small letters, without what the asker has to do.
fn plain(request: &str) -> String {
    let lower = request.to_lowercase().replace('’', "'");
    let own =
        r"\b((?:i|we|you|they) (?:have to|must|need to|should have)|must be (?:a|an) (?:typo|mistake|error|reading))\b";
    all(own, &lower)
        .into_iter()
        .fold(lower.clone(), |text, own| if own.starts_with("must be") { text } else { text.replace(&own, " ") })
}

/// The skill that fits best by these words, and how well it does.
fn choose_by(text: &str, read: &Request, lower: &str) -> (u32, Chosen) {
    if let Some((first, second)) = two(lower) {
        return (u32::MAX / 2, Chosen::Two(first, second));
    }
    let forms = forms::of(text, read, lower);
    let mut matches: Vec<(u32, &Skill, Vec<String>)> = SKILLS
        .iter()
        .map(|skill| {
            let (points, why) = weigh(skill, lower, forms);
            (points, skill, why)
        })
        .filter(|(points, ..)| *points > 0)
        .collect();
    matches.sort_by_key(|(points, ..)| std::cmp::Reverse(*points));
    let Some((points, skill, why)) = matches.first().filter(|(points, ..)| *points >= ENOUGH) else {
        return (0, Chosen::None);
    };
    let next = matches.get(1).map_or(0, |(points, ..)| *points);
    let choice = Choice {
        skill: skill.id,
        why: if why.is_empty() { "it fits its material best".into() } else { why.join(" and ") },
        alternatives: matches.iter().skip(1).filter(|(points, ..)| *points > 1).map(|(_, skill, _)| skill.id).collect(),
        affordable: skill.affordable,
        confidence: if *points >= next + AHEAD { CLEAR } else { CLOSE },
    };
    (*points, Chosen::One(choice))
}

/// How much points to a skill, and what.
fn weigh(skill: &Skill, request: &str, forms: Forms) -> (u32, Vec<String>) {
    let (mut found, mut why, mut over) = (Vec::new(), Vec::new(), 0);
    for ask in skill.asks {
        if (ask.over != 0 && forms & ask.over == 0) || forms & ask.never != 0 {
            continue;
        }
        if ask.says.is_empty() {
            found.push(ask.points);
            over |= forms & ask.over;
            continue;
        }
        if let Some(said) = groups(ask.says, request).first().filter(|said| !said.trim().is_empty()) {
            found.push(ask.points);
            over |= forms & ask.over;
            why.push(format!("the task says \"{}\"", said.trim().chars().take(60).collect::<String>()));
        }
    }
    // What is said twice counts little more than what is said once.
    let strongest = found.iter().max().copied().unwrap_or(0);
    let others = found.len().saturating_sub(1).min(3);
    let points = strongest + u32::try_from(others).unwrap_or(0);
    why.extend(forms::name(over).map(|form| format!("it holds {form}")));
    (points, why)
}

/// The words that ask: without the material and long quotations, with the lines that stand beside a table or a list.
fn asked(text: &str, read: &Request) -> String {
    let mut short = read.instruction.trim().to_owned();
    let built = read.material.iter().any(|piece| piece.kind != PieceKind::Prose);
    if built {
        let beside = read.material.iter().filter(|piece| piece.kind == PieceKind::Prose);
        // Lines of sentences ask; `Total: 12` and `VAT 19 % 72.20` do not.
        let line = |line: &&str| line.split_whitespace().count() > 2 && !is_match(r"^[^:.?]{1,30}: |\d\W*$", line);
        for piece in beside.filter(|piece| piece.text.split_whitespace().count() < 40) {
            for line in piece.text.lines().filter(line) {
                short.push('\n');
                short.push_str(line);
            }
        }
    }
    if short.trim().is_empty() {
        short = edges(text);
    }
    let mut request = short.clone();
    for quote in agent_common::quotes::find(&short).iter().filter(|quote| quote.text.split_whitespace().count() > 6) {
        request = request.replace(quote.text, " ");
    }
    request
}

/// The first paragraph and the last line.
fn edges(text: &str) -> String {
    let header = |line: &&str| !is_match(r"^>? ?(?:From|To|Cc|Date|Sent|Von|An|De|À|Para): ", line);
    let text = text.lines().filter(header).collect::<Vec<_>>().join("\n");
    let text = text.trim();
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    let text = match paragraphs.as_slice() {
        // A greeting or a subject alone does not ask.
        [first, rest @ ..] if first.split_whitespace().count() < 8 && !rest.is_empty() => {
            format!("{first}\n{}", rest.join("\n\n"))
        }
        _ => text.to_owned(),
    };
    let head: String = text.chars().take(300).collect();
    let head = head.split("\n\n").next().unwrap_or_default().to_owned();
    let tail = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let tail: String = tail.chars().take(200).collect();
    if head.contains(&tail) { head } else { format!("{head}\n{tail}") }
}

/// Two deeds in one request: `summarise it and translate it to German`.
fn two(request: &str) -> Option<(&'static str, &'static str)> {
    const DEEDS: &[(&str, &str)] = &[
        ("translation", r"translat\w*|übersetz\w*|traduc\w*|tradui\w*"),
        ("summarization", r"summari[sz]e|sum up|shorten|condense|tl;?dr"),
        ("sentiment", r"(?:tell me |say |judge |rate )?(?:the |its )?(?:sentiment|mood)|positive or negative"),
        ("analytics:forecast", r"forecast|predict"),
        (
            "analytics:anomaly-detection",
            r"(?:find|mark|point out|flag|spot|show|tell me|list|name) (?:me )?(?:all |the |any )*(?:outliers?|anomal\w+|unusual \w+)",
        ),
        ("data:extraction", r"extract|pull out"),
        ("classification", r"classify|categori[sz]e"),
        ("code:review", r"review (?:this|the|my) (?:code|function|script)"),
        ("coding", r"(?:write|implement) (?:me )?an? (?:\w+ )?(?:function|script|program)"),
    ];
    let joint = r"[^.?!\n]{0,80}(?:\band\b(?: then| also)?|\bthen\b|\balso\b|,|;|&|\+|und|et|\. )[^.?!\n]{0,40}";
    for (first, a) in DEEDS {
        for (second, b) in DEEDS.iter().filter(|(second, _)| second != first) {
            if is_match(&format!(r"\b(?:{a})\b{joint}\b(?:{b})\b"), request)
                && !is_match(&format!(r"(?:not|don't|no need to|instead of|rather than) (?:{a}|{b})"), request)
            {
                return Some((first, second));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: &[(&str, &str)] = &[
        ("Summarise this: the forecast was wrong.", "summarization"),
        ("Translate to German: good morning", "translation"),
        ("Forecast the next 3 months: 1 2 3 4 5 6", "analytics:forecast"),
        ("Find outliers in 1, 2, 99", "analytics:anomaly-detection"),
        ("```python\neval(x)\n```", "code:review"),
        ("Write a function that adds two numbers", "coding"),
        ("Merge these tables and group by region", "data:aggregation"),
        ("Score these leads", "sales:lead-scoring"),
        ("Sum up the sales by shop:\n\nshop,sales\nA,1\nB,2\nA,3", "data:aggregation"),
        ("Mitarbeiter je Abteilung zählen, Summe bitte\n\nName;Abteilung\nA;X\nB;Y\nC;X", "data:aggregation"),
        ("The code must be unique. Is it?\n\ncode | item\n1 | a\n2 | b\n1 | c", "data:validation"),
        ("net + tax should be gross on every line\n\nno,net,tax,gross\n1,1,1,2\n2,2,2,5", "data:validation"),
        ("Bewertungen: positiv oder negativ?\n1. Toller Service!\n2. Nie wieder.", "sentiment"),
        ("Billing, Technical or Sales?\n- My router blinks red\n- I was charged twice", "classification"),
        (
            "If it mentions a bill -> ACCOUNTS. If it mentions a bed -> WARD.\n\na) a question about a bill\nb) no bed free",
            "classification",
        ),
        ("What will March be? Oct 10, Nov 12, Dec 14, Jan 16, Feb 18", "analytics:forecast"),
        ("8.1, 8.0, 8.2, 3.3, 8.1, 8.0 - which one doesn't belong?", "analytics:anomaly-detection"),
        ("name, city and phone please\n\nName: Jo Lind\nCity: Hull\nPhone: 0123\nFax: 0456", "data:extraction"),
        (
            "We need these on the form: name, city, phone. Is it complete?\n\nName: Jo Lind\nCity: Hull\nFax: 0456",
            "compliance:audit",
        ),
        (
            "We write: \"The mill was built in 1801.\" The archive says: \"The mill was built in 1810.\" Ok?",
            "research:citation",
        ),
        ("English please: « La réunion commence à neuf heures. »", "translation"),
        ("How high should my price be? I sold 50 at 4 euros and 42 at 5 euros.", "pricing:optimization"),
        ("Audit this contract", "compliance:audit"),
        ("Is this customer happy or cross?\n\n\"I have never been treated so well by a phone company.\"", "sentiment"),
        (
            "Go through the comments and tell me for each whether the guest liked it or not.\n\n1. Lovely breakfast!\n2. Dirty bathroom.",
            "sentiment",
        ),
        (
            "Too long for me, what's the bottom line in one sentence?\n\nDear residents, the lift will be out of service on Thursday.",
            "summarization",
        ),
        (
            "Make this shorter, at most 20 words. \"Owing to the fact that our supplier is late, the delivery is not possible.\"",
            "summarization",
        ),
        (
            "What's the invoice number, the amount and when do I have to pay?\n\nINVOICE No. 2025-0318\nDue: 2 April 2025",
            "data:extraction",
        ),
        ("pull all the e-mail addresses out of this please: \"Ask Jo (jo@acme.example)\"", "data:extraction"),
        (
            "From the mail below I need the booking code, arrival and number of nights as JSON.\n\nDear Ms Farkas, your booking QX7 is confirmed.",
            "data:extraction",
        ),
        ("Spam or not spam? \"You have WON a free iPhone, click here now\"", "classification"),
        (
            "Our monthly visitors:\n2024-01 1000\n2024-02 1050\n2024-03 1100\n2024-04 1150\nWhat will the next two months look like if it goes on like that?",
            "analytics:forecast",
        ),
        (
            "We use 200 rolls a week (200, 200, 200, 200, 200, 200). How many will we use in each of the next 3 weeks?",
            "analytics:forecast",
        ),
        ("Did any of these response times go off the rails? ms: 31, 30, 32, 29, 31, 30", "analytics:anomaly-detection"),
        ("write me something in JavaScript called reverseWords that turns \"a b c\" into \"c b a\"", "coding"),
        ("For our shop we need Python: net_price(gross, rate) - takes VAT out of a gross price", "coding"),
        (
            "Does our rental agreement say anything about which country's law applies?\n\n1. The landlord lets the unit.\n2. The rent is 80 euros.",
            "compliance:audit",
        ),
        (
            "is there a confidentiality clause in this? Freelance contract. 1) The freelancer translates the manual.",
            "compliance:audit",
        ),
        (
            "Soup at 4.00: 500 portions a week. Soup at 5.00: 480 portions a week. Which of the two brings me more?",
            "pricing:optimization",
        ),
        (
            "Can people read this caption in time?\n\nWEBVTT\n\n00:00.000 --> 00:01.000\nThe committee decided.\n",
            "video:evaluation",
        ),
        (
            "Here's the temperature of our fridge every hour, when did it jump to another level for good?\n4.1 4.0 4.2 8.1 8.0 8.2 8.1",
            "analytics:anomaly-detection",
        ),
        ("Put in the right pile, invoice or contract:\n\n\"We charge you 720.00.\"", "classification"),
        ("What is wrong with this function?\n\ndef f(x):\n    return y\n", "code:review"),
        ("Convert this to JavaScript:\n\ndef f(x):\n    return x * 2\n", "coding"),
        ("Total revenue per region please:\nregion,revenue\nnorth,10\nsouth,20", "data:aggregation"),
        ("Check this table for missing values:\nname,age\nJo,\nMo,12", "data:validation"),
        ("Format this in APA: Smith, J. (2019). Bees. Nature. https://doi.org/10.1038/xyz", "research:citation"),
        ("Does the source support the claim?\nClaim: bees sleep.\nSource: Bees rest at night.", "research:citation"),
    ];

    #[test]
    fn each_task_goes_to_its_skill() {
        for (task, expect) in TASKS {
            let found = choose(task);
            assert!(matches!(&found, Chosen::One(choice) if choice.skill == *expect), "{task}: {found:?}");
        }
        for open in ["What is the capital of France?", "misleading", "Tell me a joke", "How do I boil an egg?"] {
            assert_eq!(choose(open), Chosen::None, "{open}");
        }
    }

    #[test]
    fn two_tasks_are_told_apart() {
        for text in [
            "Summarise this and translate it to German: The lift is out of service.",
            "Forecast the next month and point out the outliers: 1 2 3 4 5 6 7",
            "Translate to English, then classify as spam or not: Guten Tag",
        ] {
            assert!(matches!(choose(text), Chosen::Two(..)), "{text}: {:?}", choose(text));
        }
        assert_eq!(named("data-validation").map(|choice| choice.agent()).as_deref(), Some("data-validation"));
        assert_eq!(named("nothing"), None);
    }
}
