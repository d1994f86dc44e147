//! What a person wants to know of a video, its captions or its transcript.

use agent_common::patterns::is_match;
use tollbridge_sdk::Error;

/// What answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Look at everything.
    Check,
    /// A figure.
    Figure,
    /// How often words are said.
    Count,
    /// Where words are said.
    Place,
    /// Cues with sounds instead of speech.
    Sounds,
    /// Cues in another language.
    Language,
    /// Words that children should not read.
    Profanity,
    /// Words that call to do something.
    CallToAction,
    /// Whether the words are easy enough.
    Difficulty,
    /// What only understanding can tell.
    Meaning,
}

/// What cannot be done at all, and why.
const REFUSALS: &[(&str, &str)] = &[
    (
        r"how many (?:views|likes|clicks|subscribers|followers|people will)|go viral|will (?:it|this|my video|the video) (?:perform|rank|succeed|do well)|predict|click-?through|how (?:popular|successful)",
        "nobody can know the success of a video beforehand; ask about its captions, transcript or technical data, which are evaluated here",
    ),
    (
        r"(?:^\W*|please |pls |could you |can you |would you |you to |help me (?:to )?|and |then |bitte |i (?:want|need) (?:you )?to )(?:cut|trim|crop|edit|splice|upload|publish|render|convert|compress|burn|export|download|record|dub|post|shorten|fix|correct|rewrite|translate|transcribe|merge|split|delete|remove|retime|shift|add)\b.*\b(?:seconds?|video|channel|clip|file|mp4|youtube|rest|captions?|subtitles?|subs|srt|them|it|these|cues?|transcript|this)\b|\b(?:make|create|produce|generate) (?:me )?(?:a |an |the |some )?(?:video|clip|thumbnail|trailer|captions|subtitles|transcript)",
        "videos and captions are evaluated here, not edited, made, transcribed or uploaded; ask what is to be rated in the captions, transcript or technical data",
    ),
    (
        r"competitor|other video|better than|compared? (?:to|with) (?:the|our|their|last)|previous (?:video|episode|version)|last (?:video|episode)|which (?:one )?(?:looks|is) (?:better|nicer)|than (?:the )?(?:one|video) (?:of|from|by)",
        "the other video is missing: captions, transcript or technical data of both are needed to compare them",
    ),
    (
        r"look(?:s)? (?:good|better|nice|bad|professional|ok)|light(?:ing)?\b|colou?rs?\b|camera|picture quality|image quality|blurr|focus\b|framing|background|the (?:speaker|presenter|host)'?s? (?:face|clothes|smile|voice)|sound quality|audio quality|loud|noise|lip.?sync|in sync|synchron|music\b.*\b(?:fit|good)|thumbnail|animation",
        "pictures and sound cannot be looked at here; send captions, a transcript, or technical data in words",
    ),
];

const MEANING: &str = r"contradict|promise|answer (?:it|the question|this)|clear message|keep.* message|on topic|off topic|interesting|engag|entertain|boring|hook|funny|humou?r|story|persua|convinc|misleading|true\b|correct facts|fact|tone\b|mood|friendly|professional|understand|structure|logical|make sense|summar|about\?|what (?:is|does) (?:the|this) (?:video|film|clip) (?:about|say|mean)|who (?:speaks|is speaking|says)|match the title|fit the (?:title|brand)|bias|rude|polite|spell|grammar|typo|same (?:thing|person)|inconsisten|claims?\b|legal|allowed|sponsor|disclos|advert";

/// An error where a request cannot be answered at all.
pub fn check_scope(request: &str) -> Result<(), Error> {
    refusal(request).map_or(Ok(()), |why| Err(Error::invalid("/task", why)))
}

fn refusal(request: &str) -> Option<&'static str> {
    let lower = request.to_lowercase();
    REFUSALS.iter().find(|(pattern, _)| is_match(pattern, &lower)).map(|(_, why)| *why)
}

/// What a request wants.
#[must_use]
pub fn wish(request: &str) -> Wish {
    let lower = request.to_lowercase().replace('’', "'");
    let table: &[(&str, Wish)] = &[
        (r"call[- ]to[- ]action|\bcta\b", Wish::CallToAction),
        (
            r"filler|how (?:often|many times)\b|count (?:the |how )?.*(?:word|times|[\x22“'])|number of times|occurrences",
            Wish::Count,
        ),
        (
            r"\bsdh\b|sounds? (?:instead|cue|effect|description)|carry sounds|non-speech|sound labels|noises|\[sound|hearing.impaired",
            Wish::Sounds,
        ),
        (
            r"swear|profan|curs|vulgar|kids? channel|child.?safe|family.?friendly|for kids|not show.*(?:kids|child)|obscen|offensive|bad (?:words|language)|explicit|demoneti",
            Wish::Profanity,
        ),
        (
            r"language check|\ball (?:in )?(?:english|german|french|spanish|italian|dutch|portuguese)\b|(?:entirely|all|only|everything|completely) (?:be )?in (?:english|german|french|spanish|italian|dutch|portuguese)|wrong language|other language|another language|foreign language|not in (?:english|german|french|spanish)|left untranslated|untranslated|mixed languages|which language",
            Wish::Language,
        ),
        (
            r"children of|(?:six|seven|eight|nine|ten|\d+)[- ]year|reading level|readab|plain language|easy (?:language|enough)|too (?:difficult|complex|hard|complicated)|jargon|beginners|flesch|vocabulary",
            Wish::Difficulty,
        ),
        (
            r"(?:which|what) (?:cue|caption|subtitle)s?\b.*(?:[\x22“„«]|\s')|where (?:is|does|do|in)\b.*(?:[\x22“„«]|\s')|mention.*(?:[\x22“„«]|\s')|(?:is|does) .*(?:[\x22“„«]|\s').*(?:in|appear|occur|said)",
            Wish::Place,
        ),
        (FIGURES, Wish::Figure),
    ];
    if is_match(PLOTS, &lower) {
        return Wish::Meaning;
    }
    if let Some((_, wish)) = table.iter().find(|(pattern, _)| is_match(pattern, &lower)) {
        return *wish;
    }
    let words = lower.split_whitespace().count();
    if !is_match(MEANING, &lower) && (words < 4 || is_match(CHECKS, &lower)) { Wish::Check } else { Wish::Meaning }
}

/// What only understanding tells, whatever else a request says.
const PLOTS: &str = r"contradict|\bpromises\b|promise to|answers? (?:it|the question|this|that)\b|clear message|keep.* message|engag|\bhooks?\b|interesting|convinc|entertain|funny|story|summar|off topic|on topic";

/// Words of those who want everything looked at, or what the bridge looks at.
const CHECKS: &str = r"\bholes?\b|\bgaps?\b|\bpauses?\b|without (?:any )?(?:subtitles|captions|text)|on top of each other|at the same time|at once|simultan|collid|clash|stacked|\bmess\b|\bfit\b|fits\b|past the end|run over|runs over|agree\?|meet the|meets the|rules?\b|cut off|disappear|flash|vanish|legible|comfortabl|keep up|rápid|lent[oa]|velocidad|demasiado|zu schnell|zu lang|zu kurz|zu viel|trop |vite\b|errores|problema|erreur|chevauch|überlapp|überschneid|solap|sovrappo|fout|klopp|kloppen|snel|check|review|evaluat|\brate\b|rating|assess|judge|inspect|valid|verif|vérif|revis|prüf|kontroll|controll|wrong|problem|issue|error|\bok\b|okay|fine\b|good\b|ready|broken|missing|readable|\bread\b|fast|slow|overlap|order|reihenfolge|timing|timed|timestamp|format|quality|look (?:at|over|through)|feedback|fehler|stimmt|correct|mistake|defect|fault|flaw|too (?:long|short|many|much)|lines?\b|limit|at (?:most|least)|fail|within|which (?:one|of|cue|caption)|break|max|min\b|exceed|empty|blank|duplicat|twice|repeat|gap|flicker|encod|score|guideline|netflix|bbc|standard|compliant|conform|before (?:we|i) (?:publish|upload|air)|diffusion|qc\b|quality control|anything|something|sanity|second pair of eyes|in time|number(?:ing|ed|s)|end of the|beyond|after the";

const FIGURES: &str = r"number of (?:captions|cues|subtitles|words|lines|characters|entries)|running time|run time|runtime|add(?:ed)? up|sum of|altogether|how big|how large|pause between|time between|silence between|distance between|cuántas|cuánto|quelle est la durée|how (?:many|much|long|fast)|average|\bavg\b|mean\b|\bcps\b|characters per second|words per minute|\bwpm\b|\bpace\b|reading speed|when does|when do|percent|coverage|covered|longest|shortest|total (?:duration|time|length)|word count|what (?:is|are) the (?:duration|length|number|gap)|duration of|wie (?:viele|lange|schnell)|combien|cuánt|quanti|hoeveel|durée moyenne|speaking rate|speech rate|file size|bit ?rate|aspect ratio|frames|resolution";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes() {
        for (text, expect) in [
            ("How many captions are there?", Wish::Figure),
            ("avg caption duration in seconds?", Wish::Figure),
            ("Count the filler words \"um\" and \"uh\" in my transcript please", Wish::Count),
            ("For the SDH version: which cues carry sounds instead of speech?", Wish::Sounds),
            ("Language check. Captions must be entirely in English.", Wish::Language),
            ("are there any captions that a kids channel should not show?", Wish::Profanity),
            ("Is there a call to action in this transcript?", Wish::CallToAction),
            ("Two statements in the video seem to contradict each other.", Wish::Meaning),
            ("Subs export from our tool, something is missing in it:", Wish::Check),
            ("Revisa los subtítulos, por favor.", Wish::Check),
            ("Can people read this caption in time?", Wish::Check),
            ("", Wish::Check),
            ("Do the captions explain how to open the box?", Wish::Meaning),
            ("The title promises to answer \"Where?\" Do the captions answer it, and in which cue?", Wish::Meaning),
            ("Is any line longer than 42 characters?", Wish::Check),
        ] {
            assert_eq!(wish(text), expect, "{text}");
        }
        for text in [
            "How many views will my video get in the first week?",
            "Could you cut seconds 10 to 15 out of holiday.mp4 and upload the rest?",
            "Is the video longer or shorter than the competitor's, and which one looks better?",
            "Is the lighting ok?",
        ] {
            assert!(refusal(text).is_some(), "{text}");
        }
        assert!(refusal("Check these captions, the video is 20 s long").is_none());
    }
}
