//! Requests that no code answers, or that leave out what the code is to do.

use agent_common::patterns::is_match;

const REFUSALS: &[(&str, &str)] = &[
    (
        r"log ?in to|our (?:github|gitlab|server|jira|production|aws|account|database|organi[sz]ation)\b.*\b(?:delete|remove|restart|deploy|merge|push|create|close|update|stop)|\b(?:delete|remove|restart|deploy|merge|push|install|close|stop)\b.*\bour (?:github|gitlab|server|jira|production|aws|account|database)|\bdeploy (?:it|this|my|the)|send (?:an? )?e-?mails? to (?:all|our|my)|open a pull request|run (?:it|this|the (?:code|script|program)) (?:for|on)|restart the|install .* on (?:my|our)|book (?:me )?a|buy (?:me )?",
        "there is no access to accounts or servers here; ask for a function or a script that does it",
    ),
    (
        r"(?:my|our|the|your) (?:last|previous|earlier|other) (?:message|mail|e-?mail|chat|conversation|task|question|request)|as (?:we )?discussed|same as (?:last time|before|yesterday)|from (?:yesterday|last week)|described (?:earlier|before|above in)|in the (?:ticket|spec|document|jira)\b|like the (?:other|last) one|you know (?:which|what|the)|the usual",
        "no previous message is known here: describe what the function should do, and add an example call with its result",
    ),
    (
        r"(?:the )?name and nothing else|only (?:know|have) the name|guess what (?:it|the function)|figure out what (?:it|i)|whatever you (?:like|want)|something (?:cool|nice|useful)|surprise me|no idea what",
        "what the function should calculate is missing: describe what it should do, and add an example call with its result",
    ),
    (
        r"halting problem|(?:always|whether any|if any) program (?:halts|terminates)|predict (?:the )?(?:lottery|stock price|winning)|hack (?:into|my|the)|crack (?:the |a )?password|keylogger|ransomware|malware|steal|bypass (?:the )?(?:login|licen[sc]e)|ddos|phishing",
        "no right and lawful program for that exists",
    ),
    (
        r"\b(?:weather|recipe|poem|essay|horoscope|joke|haiku|cover letter|birthday|wedding speech)\b(?:.{0,40})$|^\s*(?:what|who|when|where) (?:is|was|are) (?:the )?(?:capital|president|weather|time|best|cheapest|population)",
        "this is no programming task: describe a function, in which language, and an example call with its result",
    ),
    (
        r"screenshot|\.png\b|\.jpe?g\b|see (?:the )?attach|in the attachment|attached (?:file|spec|document|screenshot)",
        "the attachment cannot be seen: paste its text, and describe what the function should do",
    ),
];

/// Words that speak of code.
const CODE: &str = r"(?i)\b(?:function|func|funktion|función|fonction|funzione|func[aã]o|method|class|script|program|code|regex|query|helper|algorithm|snippet|one-?liner|module|api|endpoint|loop|array|list|string|integer|matrix|parse|convert|returns?|implement|refactor|faster|bug|fix|correct|rewrite|port|sort|calculate|compute|validator?|test|typescript|javascript|python|java|kotlin|rust|golang|php|ruby|swift|lua|sql|bash|perl|dart|scala|powershell|react|component|docstring|decorator|generator|recursion|recursive|lambda|dict|json|csv)\b|c\+\+|c#|\w\(.*\)|`[^`]+`|```";

/// What is missing, or why nothing can be written.
#[must_use]
pub fn of(request: &str, has_code: bool, has_examples: bool) -> Option<&'static str> {
    let lower = request.to_lowercase().replace('’', "'");
    // Words of the material, such as a docstring in quotation marks, ask for nothing.
    if let Some((_, why)) = REFUSALS.iter().find(|(pattern, _)| is_match(pattern, &lower)) {
        return Some(why);
    }
    if !is_match(CODE, request) && !has_code {
        return Some(
            "this is no programming task: describe a function, in which language, and an example call with its result",
        );
    }
    let words = request.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let vague = is_match(
        r"^\W*(?:hi|hello|please|can you|could you|pls|i need|need|we need|write|make|give|create|me|us|a|an|some|the|for|in|my|code|function|script|program|python|javascript|java|rust|go|c\+\+|c#|\s|\W)*$",
        &lower,
    );
    if !has_code && !has_examples && (vague || words < 3) {
        return Some("what the code should do is missing: describe it, and add an example call with its result");
    }
    let asks_about = is_match(
        r"(?:make|do|fix|improve|finish|complete|continue|refactor|optimi[sz]e|debug|explain|document|test|correct) (?:it|this|my (?:code|function|script|program)|the (?:code|function|script) below)",
        &lower,
    );
    let describes =
        is_match(r"\b(?:that|which|returns?|returning|should (?:be|give|return)|gives?|so that|takes?)\b", &lower);
    if asks_about && !has_code && !has_examples && !describes {
        return Some("the code is missing: paste it as text, and say what it should do");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_and_what_is_not() {
        for text in [
            "Please log in to our GitHub organisation and delete the stale branches older than 90 days.",
            "Please write the Python function I described in my last message, and use the same test cases as there.",
            "Please continue the function for me, I have the name and nothing else: calculate_stuff(a, b, c)",
            "Write me a function",
            "Can you make a python script please?",
            "What is the weather in Rome?",
            "I am so tired today, nobody likes me.",
            "Please fix my code",
            "Write a program that decides whether any program halts",
        ] {
            assert!(of(text, false, false).is_some(), "{text}");
        }
        for text in [
            "Python function `c_to_f(c)` returning c * 9 / 5 + 32.",
            "Write a Python function that adds two numbers",
            "need SQL (postgres) function that given a birth date returns the age in full years today",
            "Kotlin extension function on String which tells me if the string is a valid IPv4 address",
            "write me something in JavaScript called reverseWords that turns \"a b c\" into \"c b a\"",
            "quicksort in rust",
        ] {
            assert_eq!(of(text, false, false), None, "{text}");
        }
    }
}
