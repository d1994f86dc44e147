//! What an identifier is worth: its form, check digit and normal form.

use crate::{
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
    Identifier { normalised: normal, printed: format!("https://doi.org/{decoded}"), url, ..plain }
}

/// What an arXiv identifier says: itself without version, version, year, month.
pub fn arxiv_parts(value: &str) -> Option<(&str, Option<u32>, u32, u32)> {
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (bare, version) = match value.rsplit_once('v') {
        Some((bare, version)) if all_digits(version) && bare.ends_with(|c: char| c.is_ascii_digit()) => {
            (bare, Some(version.parse().ok().filter(|version| *version > 0)?))
        }
        _ => (value, None),
    };
    let (head, number) = bare.split_once('/').or_else(|| bare.split_once('.'))?;
    let old = bare.contains('/');
    let stamp = if old { number.get(..4)? } else { head };
    if stamp.len() != 4 || !all_digits(stamp) || !all_digits(number) {
        return None;
    }
    let (year, month): (u32, u32) = (stamp.get(..2)?.parse().ok()?, stamp.get(2..)?.parse().ok()?);
    let stamp: u32 = stamp.parse().ok()?;
    let fits = if old {
        let archive = head.split('.').next().unwrap_or_default();
        let named = !archive.is_empty() && archive.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        // The old scheme ran from August 1991 to March 2007.
        named && number.len() == 7 && (stamp >= 9108 || stamp <= 703)
    } else {
        // Four digits until 2014, five since; the new scheme began in April 2007.
        number.len() == if stamp < 1501 { 4 } else { 5 } && stamp >= 704
    };
    let century = if old && year > 90 { 1900 } else { 2000 };
    (fits && (1..=12).contains(&month)).then_some((bare, version, century + year, month))
}

fn arxiv(plain: Identifier, value: &str) -> Identifier {
    let Some((bare, version, year, month)) = arxiv_parts(value) else {
        return wrong(
            plain,
            "an arXiv identifier is YYMM.NNNNN (four digits at the end before 2015) or archive/YYMMNNN",
        );
    };
    Identifier {
        normalised: bare.to_owned(),
        printed: format!("arXiv:{value}"),
        url: Some(format!("https://arxiv.org/abs/{value}")),
        version,
        submitted: Some(format!("{year}-{month:02}")),
        ..plain
    }
}

fn pmid(plain: Identifier, value: &str) -> Identifier {
    if value.len() > 8 || value.starts_with('0') {
        return wrong(plain, "a PMID is a number of at most eight digits that does not begin with 0");
    }
    let url = Some(format!("https://pubmed.ncbi.nlm.nih.gov/{value}/"));
    Identifier { printed: format!("PMID: {value}"), url, ..plain }
}

fn orcid(plain: Identifier, value: &str) -> Identifier {
    let normal = value.to_ascii_uppercase();
    let plain = Identifier { normalised: normal.clone(), printed: format!("https://orcid.org/{normal}"), ..plain };
    match wrong_digit(&compact(&normal), orcid_digit) {
        Some(right) => wrong(plain, format!("the check digit would be {right}")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arxiv_identifiers() {
        // Forms of info.arxiv.org/help/arxiv_identifier.html.
        for (value, expect) in [
            ("0706.0001", Some(("0706.0001", None, 2007, 6))),
            ("1501.00001v2", Some(("1501.00001", Some(2), 2015, 1))),
            ("1412.7878", Some(("1412.7878", None, 2014, 12))),
            ("math.GT/0309136", Some(("math.GT/0309136", None, 2003, 9))),
            ("hep-th/9901001v3", Some(("hep-th/9901001", Some(3), 1999, 1))),
            ("1412.78781", None),
            ("1513.00001", None),
            ("0703.0001", None),
            ("hep-th/99010012", None),
            ("", None),
        ] {
            assert_eq!(arxiv_parts(value), expect, "{value}");
        }
    }
}
