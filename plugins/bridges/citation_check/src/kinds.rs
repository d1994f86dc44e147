//! What an identifier is worth: its form, check digit and normal form.

use crate::{
    arxiv,
    find::Candidate,
    number::{self, check_digit, compact, hyphenated, isbn10, isbn13, orcid_digit, wrong_digit},
    output::{Identifier, Kind},
    url,
};

/// Judges something that looks like an identifier.
pub fn judge(text: &str, candidate: &Candidate) -> Identifier {
    let plain = Identifier {
        kind: candidate.kind,
        text: text.get(candidate.start..candidate.end).unwrap_or_default().to_owned(),
        start: text.get(..candidate.start).unwrap_or_default().chars().count(),
        valid: true,
        normalised: candidate.value.clone(),
        printed: candidate.value.clone(),
        url: None,
        isbn10: None,
        group: None,
        version: None,
        submitted: None,
        fault: None,
    };
    let value = candidate.value.as_str();
    match candidate.kind {
        Kind::Doi => doi(plain, value),
        Kind::Arxiv => arxiv(plain, value),
        Kind::Pmid => pmid(plain, value),
        Kind::Pmcid => {
            let number = value.to_ascii_uppercase();
            let url = format!("https://pmc.ncbi.nlm.nih.gov/articles/{number}/");
            Identifier { normalised: number.clone(), printed: number, url: Some(url), ..plain }
        }
        Kind::Orcid => orcid(plain, value),
        Kind::Isbn => isbn(plain, value),
        Kind::Issn => issn(plain, value),
        Kind::Url => match url::normalise(value) {
            Ok(normal) => Identifier { normalised: normal.clone(), url: Some(normal), ..plain },
            Err(why) => wrong(plain, why),
        },
    }
}

fn wrong(identifier: Identifier, why: impl Into<String>) -> Identifier {
    Identifier { valid: false, fault: Some(why.into()), url: None, ..identifier }
}

/// DOIs are compared without regard to case of ASCII letters.
fn doi(plain: Identifier, value: &str) -> Identifier {
    let decoded = url::decoded(value).unwrap_or_else(|| value.to_owned());
    let normal = decoded.to_ascii_lowercase();
    let url = Some(format!("https://doi.org/{}", url::encoded(&normal)));
    let of_arxiv = arxiv::in_doi(&normal).map(arxiv::parts);
    let plain = Identifier { normalised: normal, printed: format!("https://doi.org/{decoded}"), url, ..plain };
    match of_arxiv {
        None => plain,
        Some(None) => wrong(plain, "a DOI of arXiv ends in an arXiv identifier, and this one does not"),
        Some(Some(parts)) => {
            let submitted = Some(format!("{}-{:02}", parts.year, parts.month));
            Identifier { version: parts.version, submitted, ..plain }
        }
    }
}

fn arxiv(plain: Identifier, value: &str) -> Identifier {
    let Some(parts) = arxiv::parts(value) else {
        return wrong(
            plain,
            "an arXiv identifier is YYMM.NNNNN (four digits at the end before 2015) or archive/YYMMNNN",
        );
    };
    let version = parts.version.map_or_else(String::new, |version| format!("v{version}"));
    Identifier {
        printed: format!("arXiv:{}{version}", parts.canonical),
        url: Some(format!("https://arxiv.org/abs/{}{version}", parts.canonical)),
        version: parts.version,
        submitted: Some(format!("{}-{:02}", parts.year, parts.month)),
        normalised: parts.canonical,
        ..plain
    }
}

/// The arXiv identifier, in its canonical form, that an identifier names: itself, or that in a DOI of arXiv.
pub fn arxiv_of(identifier: &Identifier) -> Option<String> {
    match identifier.kind {
        Kind::Arxiv if identifier.valid => Some(identifier.normalised.clone()),
        Kind::Doi => Some(arxiv::parts(arxiv::in_doi(&identifier.normalised)?)?.canonical),
        _ => None,
    }
}

fn pmid(plain: Identifier, value: &str) -> Identifier {
    if value.len() > 8 || value.starts_with('0') {
        return wrong(plain, "a PMID is a number of at most eight digits that does not begin with 0");
    }
    let url = Some(format!("https://pubmed.ncbi.nlm.nih.gov/{value}/"));
    Identifier { printed: format!("PMID: {value}"), url, ..plain }
}

/// Whether sixteen digits (the last may be X) have the right check digit and lie in a block that ISNI gave to ORCID
/// (support.orcid.org, "Structure of the ORCID Identifier").
pub fn is_orcid(digits: &str) -> bool {
    let number = digits.get(..15).filter(|_| digits.len() == 16).and_then(|head| head.parse::<u64>().ok());
    let given = number
        .is_some_and(|n| (15_000_000..=35_000_000).contains(&n) || (900_000_000_000..=900_100_000_000).contains(&n));
    given && wrong_digit(&digits.to_ascii_uppercase(), orcid_digit).is_none()
}

fn orcid(plain: Identifier, value: &str) -> Identifier {
    let digits = compact(&value.to_ascii_uppercase());
    let groups: Vec<&str> = (0..4).filter_map(|group| digits.get(group * 4..group * 4 + 4)).collect();
    let normal = groups.join("-");
    let plain = Identifier { normalised: normal.clone(), printed: format!("https://orcid.org/{normal}"), ..plain };
    match wrong_digit(&digits, orcid_digit) {
        Some(right) => wrong(plain, format!("the check digit would be {right}")),
        None if !is_orcid(&digits) => wrong(plain, "no ORCID iD has this number; it may be another ISNI"),
        None => Identifier { url: Some(format!("https://orcid.org/{normal}")), ..plain },
    }
}

fn isbn(plain: Identifier, value: &str) -> Identifier {
    let number = compact(value);
    let plain = Identifier { normalised: number.clone(), ..plain };
    if !matches!(number.len(), 10 | 13) {
        return wrong(plain, format!("an ISBN has 10 or 13 digits, this has {}", number.len()));
    }
    if number.len() == 13 && !number.starts_with("978") && !number.starts_with("979") {
        return wrong(plain, "an ISBN of 13 digits begins with 978 or 979");
    }
    if let Some(right) = wrong_digit(&number, check_digit) {
        return wrong(plain, format!("the check digit would be {right}"));
    }
    let long = if number.len() == 13 { Some(number.clone()) } else { isbn13(&number) };
    let Some(long) = long else { return wrong(plain, "an ISBN has digits, and X only at the end") };
    let (printed, group) = match hyphenated(&long) {
        Some((printed, group)) => (printed, Some(group)),
        None => (long.clone(), None),
    };
    let fault = group.is_none().then(|| "no registrant has this range of numbers".to_owned());
    Identifier { valid: group.is_some(), printed, group, fault, isbn10: isbn10(&long), normalised: long, ..plain }
}

fn issn(plain: Identifier, value: &str) -> Identifier {
    let number = compact(value);
    let printed = number.split_at_checked(4).map_or_else(String::new, |(a, b)| format!("{a}-{b}"));
    let plain = Identifier { normalised: printed.clone(), printed: printed.clone(), ..plain };
    match wrong_digit(&number, number::check_digit) {
        Some(right) => wrong(plain, format!("the check digit would be {right}")),
        None => Identifier { url: Some(format!("https://portal.issn.org/resource/ISSN/{printed}")), ..plain },
    }
}
