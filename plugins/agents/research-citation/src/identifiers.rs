//! Numbers of works and people in a text, in whatever form they are written.

/// An identifier as it stands in the text, and the way the bridge reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// As written.
    pub written: String,
    /// With its name before it: `ISBN 0131103629`.
    pub named: String,
    /// What is wrong with its form; then there is nothing more to check.
    pub fault: Option<&'static str>,
}

/// All identifiers of a text; `context` are the words around it, which tell what bare numbers are.
pub fn find(text: &str, context: &str) -> Vec<Found> {
    let context = context.to_lowercase();
    let says = |word: &str| context.contains(word);
    let mut found: Vec<(usize, Found)> = Vec::new();
    let tokens = tokens(text);
    let mut taken = 0;
    for (at, token) in &tokens {
        if *at < taken {
            continue;
        }
        let before = text.get(..*at).unwrap_or_default().to_lowercase();
        let before = before.trim_end_matches([' ', ':', '{', '"', '=', '\u{a0}', '.', '#']);
        let label = before.rsplit(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
        let one = doi(token, label, says("doi"))
            .or_else(|| orcid(token, says("orcid") || label.starts_with("orcid")))
            .or_else(|| arxiv(token, label, says("arxiv") || says("preprint")))
            .or_else(|| pubmed(token, label, says("pmid") || says("pubmed"), says("pmc")))
            .or_else(|| issn(token, label, says("issn")));
        if let Some(one) = one {
            found.push((*at, one));
            continue;
        }
        if let Some((written, end)) = isbn(text, *at, says("isbn") || label.starts_with("isbn")) {
            taken = end;
            found.push((*at, Found { named: format!("ISBN {written}"), written, fault: None }));
        }
    }
    found.into_iter().map(|(_, one)| one).collect()
}

/// Runs without white space and without the marks around them, with their places.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut from: Option<usize> = None;
    let parts = |c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | '{' | '}' | '"' | '“' | '”' | '|' | '<' | '>' | '`' | '=')
    };
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if parts(c) {
            if let Some(start) = from.take() {
                let raw = text.get(start..at).unwrap_or_default();
                let lead = raw.len() - raw.trim_start_matches(['(', '[', '*', '\'', '•']).len();
                let body = raw.get(lead..).unwrap_or_default().trim_end_matches(['.', ':', '!', '?', '\'', '*']);
                let body = if body.contains('(') { body } else { body.trim_end_matches([')', ']']) };
                if body.chars().any(|c| c.is_ascii_digit()) {
                    // `ISBN:978…` and `(orcid:0000-…` are a name and a number; `doi:` stays for the reader of DOIs.
                    let cut = body.find(':').filter(|cut| {
                        let name = body.get(..*cut).unwrap_or_default().to_lowercase();
                        ["isbn", "isbn-13", "isbn-10", "issn", "eissn", "e-issn", "orcid", "pmid", "pmcid"]
                            .contains(&name.as_str())
                    });
                    let skip = cut.map_or(0, |cut| cut + 1);
                    tokens.push((start + lead + skip, body.get(skip..).unwrap_or_default()));
                }
            }
        } else if from.is_none() {
            from = Some(at);
        }
    }
    tokens
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn doi(token: &str, label: &str, asked: bool) -> Option<Found> {
    let lower = token.to_lowercase();
    let prefixes = [
        "https://doi.org/",
        "http://doi.org/",
        "https://dx.doi.org/",
        "http://dx.doi.org/",
        "doi.org/",
        "dx.doi.org/",
        "doi:",
    ];
    let (body, marked) = prefixes
        .iter()
        .find_map(|prefix| lower.starts_with(prefix).then(|| (token.get(prefix.len()..).unwrap_or_default(), true)))
        .unwrap_or((token, false));
    let marked = marked || label == "doi";
    let ten = body.starts_with("10.") && digits(body.get(3..)?) >= 4;
    let like = body.contains('/') && digits(body) == 2 && body.get(2..3) == Some(".") && asked;
    if !marked && !ten && !like {
        return None;
    }
    let arxiv = ["arxiv.org", "http"].iter().any(|word| body.to_lowercase().starts_with(word));
    if arxiv {
        return None;
    }
    let registrant = body.strip_prefix("10.").map_or(0, digits);
    let rest = body.get(3 + registrant..).unwrap_or_default();
    let fault = if !body.starts_with("10.") {
        Some("a DOI begins with 10.")
    } else if !(4..=9).contains(&registrant) {
        Some("behind 10. a DOI has the four to nine digits of its registrant")
    } else if !(rest.starts_with('/')
        || rest.to_lowercase().starts_with("%2f")
        || rest.starts_with('.') && rest.contains('/'))
    {
        Some("a slash must follow the number of the registrant")
    } else if rest.len() < 2 {
        Some("nothing follows the slash")
    } else {
        None
    };
    Some(Found { written: token.to_owned(), named: format!("https://doi.org/{body}"), fault })
}

fn orcid(token: &str, asked: bool) -> Option<Found> {
    let body = token.rsplit('/').next().unwrap_or(token);
    let groups: Vec<&str> = body.split('-').collect();
    let shaped = groups.len() == 4 && groups.iter().all(|group| group.len() == 4);
    let plain: String = body.chars().filter(|c| *c != '-').collect();
    let number = plain.len() == 16
        && plain.chars().take(15).all(|c| c.is_ascii_digit())
        && plain.ends_with(|c: char| c.is_ascii_digit() || c == 'X' || c == 'x');
    if number && (shaped || asked) {
        let part = |from: usize| plain.get(from..from + 4).unwrap_or_default();
        let hyphened = format!("{}-{}-{}-{}", part(0), part(4), part(8), part(12));
        return Some(Found { written: token.to_owned(), named: format!("https://orcid.org/{hyphened}"), fault: None });
    }
    let like = asked && groups.len() > 2 && digits(body) >= 3 && !body.starts_with("978");
    like.then(|| Found {
        written: token.to_owned(),
        named: token.to_owned(),
        fault: Some("an ORCID iD has sixteen digits in four groups, the last may be X"),
    })
}

fn arxiv(token: &str, label: &str, asked: bool) -> Option<Found> {
    let lower = token.to_lowercase();
    let prefixes = [
        "arxiv:",
        "https://arxiv.org/abs/",
        "http://arxiv.org/abs/",
        "https://arxiv.org/pdf/",
        "arxiv.org/abs/",
        "arxiv.org/pdf/",
    ];
    let (body, marked) = prefixes
        .iter()
        .find_map(|prefix| lower.starts_with(prefix).then(|| (token.get(prefix.len()..).unwrap_or_default(), true)))
        .unwrap_or((token, false));
    let marked = marked || label == "arxiv" || (label == "eprint");
    let new = digits(body) == 4 && body.get(4..5) == Some(".") && digits(body.get(5..)?) >= 4;
    let old = body.split_once('/').is_some_and(|(archive, number)| {
        archive.chars().next().is_some_and(char::is_alphabetic)
            && archive.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '.')
            && digits(number) >= 6
    });
    let known = marked || (asked && (new || old));
    (known && body.chars().any(|c| c.is_ascii_digit())).then(|| Found {
        written: token.to_owned(),
        named: format!("arXiv:{}", body.trim_end_matches(".pdf")),
        fault: None,
    })
}

fn pubmed(token: &str, label: &str, asked: bool, central: bool) -> Option<Found> {
    let upper = token.to_uppercase();
    if let Some(number) = upper.strip_prefix("PMC").filter(|rest| !rest.is_empty() && digits(rest) == rest.len()) {
        let fault = (number.len() > 9 || number.starts_with('0'))
            .then_some("a PMCID is PMC and a number of at most nine digits");
        return Some(Found { written: token.to_owned(), named: format!("PMC{number}"), fault });
    }
    let body = token.trim_end_matches('/').rsplit('/').next().unwrap_or(token);
    let whole = !body.is_empty() && digits(body) == body.len();
    let address = token.contains("pubmed");
    let bare = asked && !central && whole && body.len() >= 5;
    (whole && (label == "pmid" || address || bare)).then(|| Found {
        written: token.to_owned(),
        named: format!("PMID: {body}"),
        fault: None,
    })
}

fn issn(token: &str, label: &str, asked: bool) -> Option<Found> {
    let named = label.ends_with("issn");
    let body: String = token.chars().map(|c| if matches!(c, '‐' | '–') { '-' } else { c }).collect();
    let compact: String = body.chars().filter(|c| *c != '-').collect();
    let shaped = body.len() == 9 && body.get(4..5) == Some("-");
    let number = compact.len() == 8
        && digits(&compact) >= 7
        && compact.ends_with(|c: char| c.is_ascii_digit() || matches!(c, 'X' | 'x'));
    if number && (named || (asked && (shaped || compact.len() == body.len()))) {
        let (a, b) = compact.split_at_checked(4)?;
        return Some(Found { written: token.to_owned(), named: format!("ISSN {a}-{b}"), fault: None });
    }
    let like = (named || asked)
        && body.contains('-')
        && digits(&body) >= 3
        && digits(&body) <= 5
        && (5..=11).contains(&compact.len())
        && compact.chars().all(|c| c.is_ascii_digit() || matches!(c, 'X' | 'x'));
    like.then(|| Found {
        written: token.to_owned(),
        named: token.to_owned(),
        fault: Some("an ISSN has eight digits, the last may be X"),
    })
}

/// Ten or thirteen digits, single hyphens and spaces between them; other lengths only where an ISBN is spoken of.
fn isbn(text: &str, at: usize, asked: bool) -> Option<(String, usize)> {
    let rest = text.get(at..)?;
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let long = rest.starts_with("978") || rest.starts_with("979");
    let want = if long { 13 } else { 10 };
    let (mut count, mut end, mut gap) = (0, 0, false);
    for (place, c) in rest.char_indices() {
        match c {
            '0'..='9' => (count, end, gap) = (count + 1, place + 1, false),
            'X' | 'x' if count >= 8 => {
                (count, end) = (count + 1, place + 1);
                break;
            }
            '-' | '–' | '‐' | ' ' if !gap && (c != ' ' || count < want) => gap = true,
            _ => break,
        }
    }
    let bare = rest.get(end..).is_some_and(|tail| tail.starts_with(|c: char| c.is_alphanumeric() || c == '/'));
    let whole = long && count == 13;
    (!bare && (whole || (asked && (9..=14).contains(&count))))
        .then(|| (rest.get(..end).unwrap_or_default().to_owned(), at + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_any_form() {
        let cases = [
            (
                "978-0-306-40615-7 and 0131103629 and 0-8044-2957-X",
                "isbn",
                "ISBN 978-0-306-40615-7|ISBN 0131103629|ISBN 0-8044-2957-X",
            ),
            ("ISBN:9780141439518, 978 0 14 143951 8.", "", "ISBN 9780141439518|ISBN 978 0 14 143951 8"),
            (
                "doi:10.1000/x(1)2 and 10.1234abc and https://doi.org/10.5555/a-7.",
                "doi",
                "https://doi.org/10.1000/x(1)2|!10.1234abc|https://doi.org/10.5555/a-7",
            ),
            ("doi:11.1038/s41 DOI 10.7717", "doi", "!11.1038/s41|!10.7717"),
            ("arXiv:1706.03762v5 or hep-th/9901001", "arxiv", "arXiv:1706.03762v5|arXiv:hep-th/9901001"),
            ("Acta;0378-5955\nBeta;2434561X", "issn", "ISSN 0378-5955|ISSN 2434-561X"),
            (
                "https://orcid.org/0000-0002-1825-0097 0000000218250097",
                "orcid",
                "https://orcid.org/0000-0002-1825-0097|https://orcid.org/0000-0002-1825-0097",
            ),
            ("PMID: 12345678, PMC3531190", "", "PMID: 12345678|PMC3531190"),
            ("In 2019 we sold 1200 of 5,000 on 2019-03-04", "isbn", ""),
        ];
        for (text, context, expect) in cases {
            let told: Vec<String> = find(text, context)
                .iter()
                .map(|one| {
                    if one.fault.is_some() {
                        format!("!{}", one.written.trim_start_matches("doi:"))
                    } else {
                        one.named.clone()
                    }
                })
                .collect();
            assert_eq!(told.join("|"), expect, "{text}");
        }
    }
}
