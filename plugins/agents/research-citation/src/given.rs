//! Works given as members of an object (CSL JSON and its kin), and parts named without a sign.

use serde_json::{Map, Value};

use crate::part_names::part;

/// `{"title": "Fog", "author": [{"family": "Lee", "given": "Ann"}], "issued": …}` as names and values; none where the
/// text holds no such object.
pub fn members(text: &str) -> Option<Vec<(String, String)>> {
    let from = text.find(['{', '['])?;
    let to = text.rfind(['}', ']'])?;
    let value: Value = serde_json::from_str(text.get(from..=to)?).ok()?;
    let objects: Vec<&Map<String, Value>> = match &value {
        Value::Object(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_object).collect(),
        _ => return None,
    };
    let pairs: Vec<(String, String)> = objects.into_iter().flat_map(pairs).collect();
    pairs.iter().any(|(name, _)| name == "title").then_some(pairs)
}

/// The title first, because a second title begins the next work.
fn pairs(work: &Map<String, Value>) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (name, value) in work {
        let known = match name.to_lowercase().as_str() {
            "container-title" | "containertitle" | "journaltitle" => "journal".to_owned(),
            "publisher-place" => "place".to_owned(),
            "issued" => "year".to_owned(),
            "page" => "pages".to_owned(),
            other => other.to_owned(),
        };
        pairs.extend(texts(value).into_iter().filter(|text| !text.is_empty()).map(|text| (known.clone(), text)));
    }
    pairs.sort_by_key(|(name, _)| name != "title");
    pairs
}

/// A text, a number, a person of family and given name, a date of parts, or several.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(one) => {
            let text = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
            if !text("family").is_empty() {
                return vec![format!("{}, {}", text("family"), text("given")).trim_end_matches(", ").to_owned()];
            }
            let year = one.get("date-parts").and_then(|parts| parts.get(0)?.get(0)).map(Value::to_string);
            let named = ["literal", "name"].into_iter().map(text).find(|text| !text.is_empty()).map(str::to_owned);
            year.map(|year| year.trim_matches('"').to_owned()).or(named).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `author Lee, Ann / title Fog / year 2001`, also a line for each: every piece begins with the name of a part.
pub fn unsigned(text: &str) -> Vec<(String, String)> {
    [" / ", " | ", "; ", "\t| ", "\n"]
        .into_iter()
        .map(|sign| {
            let pieces = text.split(sign).map(str::trim).filter(|piece| !piece.is_empty());
            let read = pieces.map(|piece| {
                let (name, value) = piece.trim_start_matches(['-', '*', '•', ' ']).split_once([' ', '\t'])?;
                part(name.trim_end_matches('.')).filter(|_| !value.trim().starts_with([':', '=']))?;
                Some((name.trim_end_matches('.').to_owned(), value.trim().to_owned()))
            });
            read.collect::<Option<Vec<_>>>().unwrap_or_default()
        })
        .find(|pairs| pairs.len() > 2 && pairs.iter().any(|(name, _)| part(name) == Some("title")))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::parts::read;

    #[test]
    fn members_and_bare_parts() {
        for text in [
            r#"{"type":"article","author":[{"family":"Lee","given":"Ann"}],"title":"Fog","journal":"Air","year":2019}"#,
            r#"[{"title":"Fog","author":[{"family":"Lee","given":"Ann"}],"container-title":"Air","issued":{"date-parts":[[2019,5]]}}]"#,
            r#"{"authors":["Lee, Ann"],"title":"Fog","journal":"Air","year":"2019"} -> APA"#,
            "author Lee, Ann / title Fog / journal Air / year 2019",
            "author Lee, Ann | title Fog | journal Air | year 2019",
            "Author Lee, Ann\nTitle Fog\nJournal Air\nYear 2019",
            "Can you do it?\n\n@article{x,\n author = {Lee, Ann},\n title = {Fog},\n journal = {Air},\n year = 2019\n}",
        ] {
            let works = read(text);
            let told: Vec<String> = works
                .iter()
                .map(|work| {
                    let family = work.authors.first().map(|one| one.family.clone()).unwrap_or_default();
                    format!("{family}|{}|{}|{}", work.title, work.container, work.year)
                })
                .collect();
            assert_eq!(told, ["Lee|Fog|Air|2019"], "{text}");
        }
        for text in ["title fights were held in 2019 / nobody won", "{\"claims\": [\"a b c\"]}"] {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
