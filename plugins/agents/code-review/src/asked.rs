//! What a person wants to know of the code.

use crate::remark::Kind;
use agent_common::patterns::is_match;

/// A request, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Kinds of remarks that it speaks of.
    pub kinds: Vec<Kind>,
    /// Only those are wanted.
    pub only: bool,
    /// Small habits are wanted as well.
    pub style: bool,
    /// It asks for whatever there is, or for a kind of remark, not for what the code does.
    pub general: bool,
    /// It says that something goes wrong, or what the code should do.
    pub complains: bool,
    /// Why code cannot answer it, with what to send instead.
    pub refusal: Option<&'static str>,
    /// At most so many sentences.
    pub sentences_max: Option<u32>,
}

const KINDS: &[(Kind, &str)] = &[
    (
        Kind::Security,
        r"secur|inject|vulnerab|safe\b|exploit|pen ?test|\bxss\b|csrf|owasp|secret|credential|hack|attack|sicherheit|seguridad|sécurité|sicurezza",
    ),
    (
        Kind::Style,
        r"style|pep ?8|lint|naming|nitpick|convention|readab|idiom|clean code|stil\b|estilo|lesbar|best practice",
    ),
    (
        Kind::Complexity,
        r"complex|readab|nest|maintain|signature|refactor|smell|simplif|long function|komplex|lesbar|hard to follow",
    ),
    (Kind::Performance, r"slow|performan|speed|efficien|n\+1|memory usage|scal|langsam|lento"),
    (Kind::Unused, r"unused|dead code|unreachable|nitpick|never used|lint"),
    (Kind::Duplicate, r"duplicat|copy.?paste|repeat|\bdry\b|refactor"),
    (
        Kind::Defect,
        r"\bbugs?\b|error|wrong|crash|fail|correct|problem|issue|leak|race|fehler|mistake|defect|lint|off.by.one|edge case|undefined behav|\bub\b",
    ),
];

const COMPLAINTS: &str = r"\bwhy\b|warum|wieso|por qu|pourquoi|return(?:s|ed)? (?:nothing|the wrong|wrong|none|null|nan|undefined|0|an? )|wrong|instead of|should|expected|supposed to|doesn'?t (?:work|do|run|return|stop|end|match|give|keep|add)|does not (?:work|do|run|return|stop|end|match|give)|fail|crash|blow|spec\b|\bmust\b|formula|is that so|according to|\bcorrect(?:ly)?\b|\bright\b|rule in our|requirement|customer|complain|sometimes|although|but (?:it|the|we|i)\b|broken|does (?:the|this|it) .*(?:do that|keep|follow|fulfil|implement|comply)|is the (?:logic|formula|result)|there(?:'s| is) a (?:bug|problem|mistake|defect)|problema|hay un|find the bug|where(?:'s| is) the|never (?:ends|stops)|hangs|stuck|off by|too (?:low|high|many|few)|double|twice";

/// Words of those who want to hear whatever there is to say.
const GENERAL: &str = r"review|glance|second pair|eyes|\bclean\b|\bany(?:thing)?\b|check|\bok\b|okay|safe|secur|injection|vulnerab|\blint|issues?\b|problems?\b|\bbugs?\b|look (?:at|over)|feedback|comments?\b|remarks?\b|opinion|unused|style|nitpick|prüf|revis|vérif|controll";

const REFUSALS: &[(&str, &str)] = &[
    (
        r"how (?:many|often) .*(?:users?|customers?|people|clients?|visitors|times)|last (?:week|month|night|year)\b.*\?|yesterday.*\?|how much (?:money|revenue|did)|who (?:wrote|broke|committed|is)\b|when (?:was|will|did)\b|how long (?:did|will|would) .*(?:take|run)",
        "that cannot be read from code; send the log or the data, or ask about the code itself",
    ),
    (
        r"\bhapp(?:ier|iest)\b|\bhappy (?:person|employee|developer)|employee|candidate.*(?:hire|better|person)|should (?:we|i) hire|salary|personality|which (?:developer|programmer|person)|\bnicer person|how old is|male or female|written by (?:an? )?(?:ai|chatgpt|human)|is this (?:ai|chatgpt)",
        "code cannot tell anything about a person; ask about the code itself",
    ),
    (
        r"screenshot|\bimg_\d+|\.png\b|\.jpe?g\b|in the (?:image|picture|photo)",
        "an image cannot be read; paste the code as text",
    ),
    (
        r"^\W*(?:please |can you |could you |pls )*(?:write|implement|create|generate|translate|convert|port|rewrite)\b.*(?:function|code|script|class|unit tests?|\bto (?:python|java|go|rust|javascript|typescript|c#|c\+\+|kotlin)|\bin (?:python|java|go|rust))|write (?:me )?(?:the )?(?:unit )?tests",
        "writing code is the work of the agent coding; ask here for remarks on the code",
    ),
    (
        r"(?:previous|last|old|earlier|other|first) (?:version|review|message|commit)\b|as (?:before|last time)|our (?:style guide|internal|company guide)|(?:spec|ticket|document|requirements?) (?:i|we) (?:sent|mailed|attached)|(?:run|execute) (?:it|this|the code|the tests)|deploy (?:it|this)|merge (?:it|this|the pr)|(?:fix|push|commit) (?:it |this )?(?:to|in|on) (?:our|the|my) (?:repo|server|github|prod)|copyright|licen[sc]ed? under|faster on (?:our|my)|how fast (?:is|will|does)|pass (?:our|the) (?:tests|ci)",
        "what it is to be compared with is missing, or it would have to be run; paste the text of both, or ask about the code itself",
    ),
];

/// Reads the words around the code.
#[must_use]
pub fn read(request: &str) -> Asked {
    let lower = request.to_lowercase().replace('’', "'");
    // What the person is going to do with it is not asked for.
    let plans = r"(?:(?:going to|about to|gonna|want to|have to|plan to|before (?:i|we)|(?:i|we)(?:'ll| will| can| may)?) (?:run|execute|deploy|merge|ship) (?:it|this|that|the \w+))";
    let told =
        agent_common::patterns::all(plans, &lower).iter().fold(lower.clone(), |text, plan| text.replace(plan, " "));
    let mut asked = Asked {
        // `anything wrong?` asks, it does not say that something is.
        complains: is_match(COMPLAINTS, &lower.replace("anything wrong", " ").replace("something wrong", " ")),
        general: is_match(GENERAL, &lower) || lower.split_whitespace().count() < 3,
        style: is_match(
            r"style|pep ?8|lint|nitpick|naming|convention|readab|clean|idiom|habit|pedantic|stil\b|estilo|everything|best practice|change about|improve",
            &lower,
        ),
        only: is_match(
            r"nothing else|\bonly\b|no need to|don'?t (?:look|care|bother)|not (?:looking|interested)|ignore|\bjust\b|nur\b|solo\b|no other|leave out|skip",
            &lower,
        ),
        refusal: REFUSALS.iter().find(|(pattern, _)| is_match(pattern, &told)).map(|(_, why)| *why),
        sentences_max: agent_common::answer_format::AnswerFormat::read(request).sentences_max,
        ..Asked::default()
    };
    for (kind, pattern) in KINDS {
        let negated = format!(
            r"(?:no need to|don'?t|do not|not|ignore|without|skip|leave out|no)\b[^.;,!?]{{0,40}}(?:{pattern})"
        );
        if is_match(pattern, &lower) && !is_match(&negated, &lower) {
            asked.kinds.push(*kind);
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_many_kinds() {
        let cases: &[(&str, &[Kind], bool, bool)] = &[
            ("Style check against PEP 8, nothing else.", &[Kind::Style], true, false),
            (
                "Please comment on the complexity / readability of this. No need to look for bugs.",
                &[Kind::Style, Kind::Complexity],
                true,
                false,
            ),
            ("Any security problems?", &[Kind::Security, Kind::Defect], false, false),
            ("Why does this return the wrong sum?", &[Kind::Defect], false, true),
            ("review please", &[], false, false),
        ];
        for (text, kinds, only, complains) in cases {
            let asked = read(text);
            assert_eq!((asked.kinds.as_slice(), asked.only, asked.complains), (*kinds, *only, *complains), "{text}");
        }
        for text in [
            "How many of our users hit the bug in this function last week?",
            "Which of the two will be the happier employee?",
            "See the screenshot I attached (IMG_2231.png)",
            "Please write a function in Python that does the same",
            "Run it and tell me the output",
        ] {
            assert!(read(text).refusal.is_some(), "{text}");
        }
        assert_eq!(read("where + why, two sentences max").sentences_max, Some(2));
    }
}
