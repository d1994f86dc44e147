//! The little words by which short texts show their language, without a bridge.

/// Code, frequent little words, letters that few others have.
const LANGUAGES: &[(&str, &str, &str)] = &[
    (
        "en",
        "the|and|is|of|to|in|that|it|was|for|with|you|are|this|my|we|i|not|have|where|how|what|does|please|at|on|be|he|she",
        "",
    ),
    (
        "de",
        "der|die|das|und|ist|nicht|ich|ein|eine|zu|mit|den|auf|für|wir|sie|es|wo|wie|was|bitte|im|von|haben|kann|heute|guten|morgen|danke|dem|wird|aber|auch",
        "ßäöü",
    ),
    (
        "fr",
        "le|la|les|et|est|je|ne|pas|un|une|des|du|nous|vous|que|qui|où|dans|pour|avec|sur|c'est|bonjour|merci|ce|il|elle|au|très|mon|j'ai|sais",
        "çèêœàû",
    ),
    (
        "es",
        "el|los|las|y|es|que|de|un|una|no|con|para|por|está|donde|dónde|cómo|qué|muy|mi|yo|hola|gracias|se|lo|del|al|quiero|tengo|son",
        "ñ¿¡",
    ),
    (
        "it",
        "il|lo|gli|e|è|che|di|un|una|non|con|per|sono|dove|come|cosa|molto|mio|ciao|grazie|del|della|si|ho|questo|buongiorno|vorrei|nel|i",
        "",
    ),
    (
        "pt",
        "o|os|e|é|que|de|um|uma|não|com|para|por|está|onde|como|muito|meu|eu|olá|obrigado|obrigada|do|da|no|na|são|você|bom|dia|as",
        "ãõ",
    ),
    (
        "nl",
        "de|het|een|en|is|niet|ik|van|te|met|voor|op|wij|zijn|waar|hoe|wat|dank|goedemorgen|heb|naar|ook|maar|dat|dit|je|bij|er|wordt",
        "",
    ),
    ("sv", "och|är|det|att|en|ett|jag|inte|på|som|för|med|var|hur|vad|tack|hej|har|vi|till|av|den|om|mycket|god", "å"),
    ("da", "og|er|det|at|en|et|jeg|ikke|på|som|for|med|hvor|hvordan|hvad|tak|hej|har|vi|til|af|den|meget|kan", "æø"),
    ("no", "og|er|det|at|en|et|jeg|ikke|på|som|for|med|hvor|hvordan|hva|takk|hei|har|vi|til|av|den|veldig|kan", "æø"),
    ("pl", "i|jest|nie|się|na|to|w|z|do|że|jak|gdzie|co|dziękuję|dzień|dobry|mam|proszę|ja|ale|czy|są", "ąęłńśźż"),
    ("tr", "ve|bir|bu|için|çok|ne|nerede|nasıl|teşekkürler|merhaba|ben|değil|var|da|de|mi|ile|günaydın", "ğışı"),
    ("fi", "ja|on|ei|se|että|missä|miten|mitä|kiitos|hei|minä|hän|oli|mutta|ole|kuin|hyvää|huomenta", ""),
    ("cs", "a|je|se|na|to|že|kde|jak|co|děkuji|dobrý|den|jsem|není|ale|pro|jsou|v", "ěřů"),
    ("hu", "a|az|és|hogy|nem|van|egy|hol|köszönöm|jó|napot|mi|ez|de|is|meg", "őű"),
    ("ro", "și|este|nu|de|la|un|o|unde|cum|mulțumesc|bună|ziua|sunt|pe|cu|în|care", "șță"),
];

/// Scripts of one language alone.
const SCRIPTS: &[(&str, char, char)] = &[
    ("ja", '\u{3040}', '\u{30ff}'),
    ("ko", '\u{ac00}', '\u{d7af}'),
    ("zh", '\u{4e00}', '\u{9fff}'),
    ("ar", '\u{0600}', '\u{06ff}'),
    ("el", '\u{0370}', '\u{03ff}'),
    ("he", '\u{0590}', '\u{05ff}'),
    ("hi", '\u{0900}', '\u{097f}'),
    ("th", '\u{0e00}', '\u{0e7f}'),
];

/// How much of a language a text shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// ISO 639-1.
    pub code: &'static str,
    /// Two for each little word, one for each letter of its own.
    pub points: usize,
    /// The little words found.
    pub words: Vec<String>,
}

/// The scores of all languages with Latin letters.
#[must_use]
pub fn scores(text: &str) -> Vec<Score> {
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let score = |(code, little, letters): &(&'static str, &str, &str)| {
        let found: Vec<String> = words
            .iter()
            .filter(|word| little.split('|').any(|one| one == **word))
            .map(|word| (*word).to_owned())
            .collect();
        let signs = lower.chars().filter(|c| letters.contains(*c)).count();
        Score { code, points: found.len() * 2 + signs, words: found }
    };
    LANGUAGES.iter().map(score).collect()
}

/// The language of a text, where its script or its little words leave no doubt.
#[must_use]
pub fn detect(text: &str) -> Option<&'static str> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    for (code, from, to) in SCRIPTS {
        let own = text.chars().filter(|c| (*from..=*to).contains(c)).count();
        // Japanese has Chinese signs beside its own.
        if own * if *code == "ja" { 5 } else { 2 } > letters && own > 0 {
            return Some(code);
        }
    }
    if text.chars().any(|c| ('\u{0400}'..='\u{04ff}').contains(&c)) {
        let ukrainian = text.to_lowercase().contains(['і', 'ї', 'є', 'ґ']);
        return Some(if ukrainian { "uk" } else { "ru" });
    }
    let mut all = scores(text);
    all.sort_by_key(|score| std::cmp::Reverse(score.points));
    let (best, second) = (all.first()?, all.get(1)?);
    (best.points >= 4 && best.points >= second.points + 3).then_some(best.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_short_texts() {
        let cases = [
            ("Die Sitzung beginnt am Dienstag um neun Uhr im großen Saal.", Some("de")),
            ("The bridge over the river is closed because of the storm.", Some("en")),
            ("Je ne sais pas où est la gare", Some("fr")),
            ("¿Dónde está la estación?", Some("es")),
            ("お元気ですか", Some("ja")),
            ("你好", Some("zh")),
            ("Де вокзал, будь ласка? Мені потрібен квиток і кава", Some("uk")),
            ("Kargo bedava", None),
            ("OK", None),
        ];
        for (text, expect) in cases {
            assert_eq!(detect(text), expect, "{text}");
        }
    }
}
