//! Words without their endings.

/// A word without the endings of plural and tense.
#[must_use]
pub fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let cut = |ending: &str, least: usize| {
        word.strip_suffix(ending).filter(|stem| stem.chars().count() >= least).map(str::to_owned)
    };
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    let stem = cut("ies", 3)
        .map(|stem| stem + "y")
        .or_else(|| cut("ing", 4))
        .or_else(|| cut("ed", 4))
        .or_else(|| cut("es", 4))
        .or_else(|| cut("s", 3))
        .unwrap_or_else(|| word.clone());
    stem.strip_suffix('e').filter(|cut| cut.len() > 3).map_or(stem.clone(), str::to_owned)
}
