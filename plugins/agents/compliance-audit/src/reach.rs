//! What an audit answers as a whole, and what it does not answer.

/// Words of those who want all looked at.
const PLAIN: &str = "please pls audit check review inspect go through over look at read can could would you i we need \
    want to have this these that the a an it my our your for of and in on me us document documents doc \
    policy contract contracts agreement text privacy notice terms lease letter mail email compliance \
    full whole complete everything all quick quickly do run make following below above attached invoice \
    dpa nda new draft report findings problems issues anything risks wrong with gdpr carefully kindly hi \
    hello thanks bitte prüfen prüfe den die das vertrag page website customer supplier employment data \
    protection company general is there";

/// Whether a request wants all that is known looked at: no word of it names something else.
pub fn everything(request: &str) -> bool {
    request
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| PLAIN.split(' ').any(|plain| plain == word))
}

/// Why a request is none that an audit answers.
pub fn out_of_reach(request: &str, material: bool) -> Option<&'static str> {
    let lower = request.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "should i sign",
        "should we sign",
        "should i ",
        "should we ",
        "will we win",
        "would we win",
        "can we sue",
        "can i sue",
        "sue ",
        "do you recommend",
        "is it worth",
        "what would you",
        "soll ich",
        "sollen wir",
    ]) {
        return Some(
            "whether to do so is legal advice, which is not given here; name the items of a checklist to look for in the document",
        );
    }
    if has(&[
        "how big",
        "how high",
        "how much will",
        "what fine",
        "the fine",
        "penalty will we",
        "will the authority",
        "get away",
        "risk of a fine",
        "wie hoch",
    ]) {
        return Some(
            "what an authority or a court will decide cannot be predicted here; name the items of a checklist to look for in the document",
        );
    }
    if has(&["ofac", "sanctions list", "un list", "eu list", "watchlist", "pep list", "sanctioned person"])
        && !has(&["our list", "our own", "list below", "clause"])
    {
        return Some(
            "no current sanctions list is at hand; give the list as `sanctions_list` and the names as `parties`",
        );
    }
    if has(&[
        "is it legal",
        "is this legal",
        "is it lawful",
        "is this lawful",
        "enforceable",
        "is it allowed",
        "legally valid",
        "hold up in court",
        "rechtens",
        "compliant with the law",
    ]) {
        return Some(
            "whether something is lawful is legal advice, which is not given here; name the items of a checklist to look for in the document",
        );
    }
    if has(&["draft a", "write a clause", "rewrite", "redraft", "write me a", "formulate"]) {
        return Some("documents are audited here, not written; paste the document and name the items to look for");
    }
    (!material)
        .then_some("the document to audit is missing; paste its text below the request and name the items to check")
}
