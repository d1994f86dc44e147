//! What a request wants, and what nobody can do without a network.

use crate::style::Style;

/// What is to be done with references.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// Written in this form.
    pub style: Option<Style>,
    /// A form is asked for that is not known here.
    pub other_style: bool,
    /// Their identifiers checked.
    pub identifiers: bool,
    /// Sorted by name.
    pub sorted: bool,
    /// Claims compared word for word.
    pub literal: bool,
}

const SEARCH: &[&str] = &[
    "find",
    "search",
    "recommend",
    "suggest",
    "look for",
    "looking for",
    "give me",
    "get me",
    "list",
    "need",
    "name",
    "know of",
    "are there",
    "nenne",
    "suche",
    "finde",
    "busca",
    "trouve",
];
const WORKS: &[&str] = &[
    "papers",
    "studies",
    "articles",
    "literature",
    "publications",
    "sources on",
    "sources about",
    "sources for",
    "references on",
    "references about",
    "references for",
    "books on",
    "books about",
    "study about",
    "paper about",
    "studien",
    "quellen zu",
    "artículos",
    "estudios",
];

/// Why a request cannot be met without a network or a library.
pub fn out_of_reach(request: &str, material: bool) -> Option<&'static str> {
    let lower = request.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "resolve",
        "registered",
        "exists online",
        "does it exist",
        "still online",
        "retracted",
        "crossref",
        "link work",
        "is it real",
        "really exist",
    ]) && !has(&["know you can't", "offline", "syntax only"])
    {
        return Some(
            "nothing is looked up on the web here, so whether it is registered or leads to the work cannot be told; ask for a check of its form and check digit",
        );
    }
    if has(&[
        "how often",
        "cited so far",
        "times cited",
        "impact factor",
        "h-index",
        "h index",
        "citation count",
        "number of citations",
        "most cited",
    ]) {
        return Some(
            "no database of citations can be asked here; look it up there, and send the text to check against",
        );
    }
    if has(&[
        "look up",
        "missing doi",
        "find the doi",
        "find doi",
        "missing page",
        "fill in the missing",
        "add the doi",
        "complete my",
        "which doi",
        "what is the doi",
    ]) {
        return Some(
            "nothing is looked up on the web here; provide the author, title, year and the other parts yourself",
        );
    }
    let searches = lower
        .split(['.', '?', '!', '\n'])
        .any(|part| SEARCH.iter().any(|verb| part.contains(verb)) && WORKS.iter().any(|what| part.contains(what)));
    if searches && !material {
        return Some(
            "no library or web search is available here, so papers cannot be found; provide the sources or the references to work on",
        );
    }
    let opinion =
        has(&["own judgement", "own judgment", "your opinion", "use your knowledge", "what you know", "no source"]);
    opinion.then_some("claims are only checked against sources that you provide; paste the text of a source")
}

/// Reads the request.
pub fn read(request: &str) -> Wants {
    let lower = format!(" {} ", request.to_lowercase());
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // In `from APA to MLA` and `BibTeX -> APA` the last form is wanted.
    let mut style = None;
    for (at, word) in words.iter().enumerate() {
        let named = Style::named(word);
        let from = at > 0 && words.get(at - 1).is_some_and(|before| ["from", "von", "is", "are"].contains(before));
        if named.is_some() && !from {
            style = named;
        }
    }
    let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    let other = ["ama ", "acs ", "turabian", "bluebook", "din iso", "iso 690", "oscola", "cse ", "abnt", "mhra"];
    let formats = has(&["format", "style", "convert", "cite ", "citation style"]);
    let identifiers = ["isbn", "issn", "doi", "orcid", "arxiv", "pmid", "pmcid", "identifier", "preprint"]
        .iter()
        .any(|word| words.iter().any(|one| one.starts_with(word)));
    Wants {
        style,
        other_style: style.is_none() && formats && has(&other),
        identifiers,
        sorted: has(&["sort", "alphabet", "order by", "by name"]),
        literal: has(&[
            "word for word",
            "verbatim",
            "quoted correctly",
            "quote correct",
            "exact quote",
            "exact words",
            "correctly quoted",
            "wörtlich",
            "literally",
            "quote exist",
            "misquot",
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted() {
        assert_eq!(read("Convert from APA to MLA").style, Some(Style::Mla));
        assert_eq!(read("BibTeX -> Harvard please").style, Some(Style::Harvard));
        assert!(
            read("Are the ISBNs fine?").identifiers
                && read("quoted correctly?").literal
                && read("Format in Turabian").other_style
        );
        for request in [
            "Find me ten papers on bees",
            "How often was it cited?",
            "Does this DOI resolve?",
            "Could you suggest recent studies on sleep?",
            "fill in the missing DOIs",
        ] {
            assert!(out_of_reach(request, false).is_some(), "{request}");
        }
        for request in ["Check the claim against the source", "Format the references in APA", "Which source says so?"] {
            assert_eq!(out_of_reach(request, false), None, "{request}");
        }
    }
}
