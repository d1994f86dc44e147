//! Countries by their names and codes.

use agent_common::columns::fold;

const ALL: &[(&str, &[&str])] = &[
    ("de", &["de", "germany", "german", "deutschland", "deutsche", "deutschen", "allemagne", "alemania"]),
    ("fr", &["fr", "france", "french", "frankreich"]),
    ("it", &["italy", "italian", "italia", "italien"]),
    ("es", &["es", "spain", "spanish", "espana", "spanien"]),
    ("us", &["us", "usa", "american", "states", "zip"]),
    ("at", &["at", "austria", "austrian", "osterreich", "oesterreich"]),
    ("ch", &["ch", "switzerland", "swiss", "schweiz"]),
    ("dk", &["dk", "denmark", "danish"]),
    ("no", &["norway", "norwegian"]),
    ("be", &["be", "belgium", "belgian"]),
    ("gb", &["gb", "uk", "british", "britain", "england", "kingdom"]),
    ("nl", &["nl", "netherlands", "dutch", "nederland"]),
    ("ca", &["ca", "canada", "canadian"]),
    ("pl", &["pl", "poland", "polish", "polska"]),
    ("se", &["se", "sweden", "swedish"]),
    ("cz", &["cz", "czech", "czechia"]),
    ("pt", &["pt", "portugal", "portuguese"]),
    ("br", &["br", "brazil", "brazilian", "brasil"]),
    ("au", &["au", "australia", "australian"]),
    ("in", &["india", "indian"]),
];

/// The code of a country by its name or code.
pub(crate) fn code(text: &str) -> Option<&'static str> {
    let folded = fold(text.trim());
    ALL.iter().find(|(_, names)| names.contains(&folded.as_str())).map(|(code, _)| *code)
}
