//! Which country and region a text means: codes, alpha-3 codes or names, in any
//! case, with or without a region behind a hyphen.

use tollbridge_sdk::Error;

use crate::book::{Book, Country, Region};

/// Codes that are used for a country beside its ISO 3166 code: the United
/// Kingdom's in common use, and Greece's in VAT numbers.
const ALIASES: [(&str, &str); 2] = [("uk", "GB"), ("el", "GR")];
/// Longer texts are no place.
const TEXT_MAX: usize = 100;

/// A country, and a region of it if one was named.
#[derive(Debug, Clone, Copy)]
pub struct Place<'b> {
    pub code: &'static str,
    pub country: &'b Country,
    pub region: Option<(&'static str, &'b Region)>,
}

/// The place that the members of an input mean.
pub fn find<'b>(
    book: &'b Book,
    key: Option<&str>,
    country: Option<&str>,
    region: Option<&str>,
) -> Result<Place<'b>, Error> {
    let by_key = key.map(|text| split(book, text, "/resource_id")).transpose()?;
    let by_name = country.map(|text| split(book, text, "/country")).transpose()?;
    let (code, part) = match (by_key, by_name) {
        (Some((a, _)), Some((b, _))) if a != b => {
            let message = format!("`resource_id` means {a}, `country` means {b}; give one of them");
            return Err(Error::invalid("/country", message));
        }
        (Some((code, in_key)), Some((_, in_name))) => (code, in_name.or(in_key)),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => {
            let message = "give a place: `country` (and `region`), or `resource_id` such as GB, US-CA or CA-ON";
            return Err(Error::invalid("/country", message));
        }
    };
    let entry = book.countries.get_key_value(code).ok_or_else(|| without_rates(book, code))?;
    let region = region.map(str::to_owned).or(part).map(|text| region_of(entry, &text)).transpose()?;
    Ok(Place { code: entry.0, country: entry.1, region })
}

/// A country's code, and the text of the region behind the hyphen if there is one.
fn split(book: &Book, text: &str, field: &str) -> Result<(&'static str, Option<String>), Error> {
    if text.trim().is_empty() || text.chars().count() > TEXT_MAX {
        return Err(Error::invalid(field, format!("give a country's code or name, 1 to {TEXT_MAX} characters")));
    }
    if let Some(code) = code_of(book, text) {
        return Ok((code, None));
    }
    if let Some((land, part)) = text.split_once('-')
        && let Some(code) = code_of(book, land)
    {
        return Ok((code, Some(part.to_owned())));
    }
    let message = format!("no country {:?}; use an ISO 3166 code such as GB or GBR, or its English name", text.trim());
    Err(Error::not_found(message))
}

fn code_of(book: &Book, text: &str) -> Option<&'static str> {
    let wanted = folded(text);
    let same = |name: &str| folded(name) == wanted;
    let alias = ALIASES.iter().find(|(alias, _)| *alias == wanted).map(|(_, code)| *code);
    let listed = || {
        let mut countries = book.countries.iter();
        countries.find(|(code, country)| {
            same(code)
                || country.a3.is_some_and(same)
                || same(country.name)
                || country.names.iter().any(|name| same(name))
        })
    };
    let other = || book.others.iter().find(|(code, (a3, name))| same(code) || same(a3) || same(name));
    alias.or_else(|| listed().map(|(code, _)| *code)).or_else(|| other().map(|(code, _)| *code))
}

fn region_of<'b>(
    (code, country): (&&'static str, &'b Country),
    text: &str,
) -> Result<(&'static str, &'b Region), Error> {
    let text = text
        .get(..code.len() + 1)
        .filter(|start| start.eq_ignore_ascii_case(&format!("{code}-")))
        .and_then(|start| text.strip_prefix(start))
        .unwrap_or(text);
    let wanted = folded(text);
    let mut regions = country.regions.iter();
    let matched = regions.find(|(part, region)| folded(part) == wanted || folded(region.name) == wanted);
    matched.map(|(part, region)| (*part, region)).ok_or_else(|| no_region(code, country, text))
}

fn no_region(code: &str, country: &Country, text: &str) -> Error {
    let known = country.regions.keys().copied().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().take(TEXT_MAX).collect();
    Error::not_found(match code {
        "GB" => "no regional rates for GB; for goods in Northern Ireland ask for XI".into(),
        _ if known.is_empty() => format!("no regional rates for {code}; leave the region out"),
        "US" => format!(
            "no state {text:?} in US; rates of counties and cities are not in the data; known: {known}; territories are countries, for example PR"
        ),
        _ => format!("no region {text:?} in {code}; known: {known}"),
    })
}

fn without_rates(book: &Book, code: &str) -> Error {
    let name = book.others.get(code).map_or(code, |(_, name)| name);
    Error::not_found(format!("no rate for {name} ({code}) in the data; it may still have such a tax"))
}

/// Letters and digits only, in lower case: `Guinea-Bissau` is `guineabissau`.
fn folded(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: Option<&str>, country: Option<&str>, region: Option<&str>, expect: Result<&str, &str>) {
        let book = Book::open().unwrap();
        let got = find(book, key, country, region)
            .map(|place| place.region.map_or(place.code.to_owned(), |(part, _)| format!("{}-{part}", place.code)))
            .map_err(|error| error.to_string());
        match expect {
            Ok(code) => assert_eq!(got.as_deref(), Ok(code)),
            Err(part) => assert!(got.as_ref().is_err_and(|text| text.contains(part)), "{got:?} has no {part:?}"),
        }
    }

    #[test]
    fn codes_names_and_aliases() {
        for (text, code) in [
            ("GB", "GB"),
            ("gb", "GB"),
            ("UK", "GB"),
            ("GBR", "GB"),
            ("United Kingdom", "GB"),
            ("el", "GR"),
            ("GR", "GR"),
            ("XI", "XI"),
            ("US-CA", "US-CA"),
            ("us-california", "US-CA"),
            ("usa-ny", "US-NY"),
            ("ca-on", "CA-ON"),
            ("Canada", "CA"),
            (" de ", "DE"),
            ("ES-TF", "ES-TF"),
        ] {
            check(Some(text), None, None, Ok(code));
            check(None, Some(text), None, Ok(code));
        }
        check(None, Some("US"), Some("Texas"), Ok("US-TX"));
        check(None, Some("US"), Some("US-TX"), Ok("US-TX"));
        check(Some("US-CA"), Some("US"), None, Ok("US-CA"));
    }

    #[test]
    fn what_is_not_there_is_said() {
        check(None, None, None, Err("/country"));
        check(Some("GB"), Some("FR"), None, Err("give one of them"));
        check(Some("Atlantis"), None, None, Err("not-found"));
        check(Some("HK"), None, None, Err("no rate for Hong Kong"));
        check(Some("Guinea-Bissau"), None, None, Err("no rate for Guinea-Bissau"));
        check(Some("DE-BY"), None, None, Err("no regional rates for DE"));
        check(Some("GB-NIR"), None, None, Err("ask for XI"));
        check(Some("US-PR"), None, None, Err("territories are countries"));
        check(Some("US-VI"), None, None, Err("territories are countries"));
        check(Some("CA"), None, Some("XX"), Err("known: AB"));
        check(Some(""), None, None, Err("/resource_id"));
        check(Some(&"é".repeat(101)), None, None, Err("/resource_id"));
    }
}
