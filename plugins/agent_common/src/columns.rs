//! The words of names, such as those of columns: `unit_price` is `Unit prices`.

/// Returns a text in small letters without accents; `ß` is `ss`.
pub fn fold(text: &str) -> String {
    const ACCENTS: [(&str, &str); 14] = [
        ("äáàâãåą", "a"),
        ("éèêëęě", "e"),
        ("íìîï", "i"),
        ("öóòôõø", "o"),
        ("üúùûů", "u"),
        ("çčć", "c"),
        ("ñń", "n"),
        ("šś", "s"),
        ("žżź", "z"),
        ("ř", "r"),
        ("ý", "y"),
        ("ł", "l"),
        ("ß", "ss"),
        ("’", "'"),
    ];
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match ACCENTS.iter().find(|(letters, _)| !c.is_ascii() && letters.contains(c)) {
            Some((_, plain)) => folded.push_str(plain),
            None => folded.push(c),
        }
    }
    folded
}

/// Returns the words of a name: `unitPrice`, `unit_price` and `Unit price (EUR)` are `unit` and `price`.
pub fn name_words(name: &str) -> Vec<String> {
    let bare = name.split(['(', '[']).next().unwrap_or(name);
    let bare = if bare.trim().is_empty() { name } else { bare };
    let mut spaced = String::new();
    let mut small = false;
    for c in bare.chars() {
        if small && c.is_uppercase() {
            spaced.push(' ');
        }
        small = c.is_lowercase();
        spaced.push(c);
    }
    fold(&spaced).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns whether two folded words are forms of one: `age` and `ages`, `country` and `countries`.
pub fn same_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short.len() < 2 || short.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    if let Some(rest) = long.strip_prefix(short) {
        let endings: &[&str] = if short.len() < 3 { &["s"] } else { &["s", "es", "e", "n", "en", "er", "ern", "nen"] };
        return endings.contains(&rest) && !(rest == "e" && short.len() < 4);
    }
    let stem = |word: &str, ending: &str| word.strip_suffix(ending).map(str::to_owned);
    let with = |x: &str, y: &str| stem(short, x).is_some_and(|s| s.len() > 2 && stem(long, y) == Some(s));
    with("y", "ies") || with("o", "i") || with("a", "e") || with("us", "i")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words_and_words_have_forms() {
        assert_eq!(
            (name_words("unitPrice"), name_words("fee (EUR)")),
            (vec!["unit".into(), "price".into()], vec!["fee".into()])
        );
        assert_eq!(fold("Größe"), "grosse");
        for (a, b, expect) in
            [("visit", "visits", true), ("country", "countries", true), ("a", "as", false), ("net", "nest", false)]
        {
            assert_eq!(same_word(a, b), expect, "{a} {b}");
        }
    }
}
