//! Names of languages, and which one a request asks for.

/// Code, and names in English and in other languages.
const NAMES: &[(&str, &str)] = &[
    (
        "en",
        "english|englisch|englische|anglais|inglés|ingles|inglese|inglês|engels|engelska|engelsk|angielski|angielsku|englanniksi|anglicky|angol|angolul|engleză|ingilizce|английский|английском|英語|英文|영어|anglaise",
    ),
    (
        "de",
        "german|deutsch|deutsche|deutschen|allemand|alemán|aleman|tedesco|alemão|duits|tyska|tysk|niemiecki|niemiecku|saksaksi|německy|német|németül|germană|almanca|немецкий|ドイツ語|德语|독일어",
    ),
    (
        "fr",
        "french|französisch|französische|français|francais|francés|frances|francese|francês|frans|franska|fransk|francuski|ranskaksi|francouzsky|francia|franciául|franceză|fransızca|французский|フランス語|法语|프랑스어",
    ),
    (
        "es",
        "spanish|spanisch|spanische|espagnol|español|espanol|castellano|spagnolo|espanhol|spaans|spanska|spansk|hiszpański|espanjaksi|španělsky|spanyol|spaniolă|ispanyolca|испанский|スペイン語|西班牙语|스페인어",
    ),
    (
        "it",
        "italian|italienisch|italien|italiano|italiaans|italienska|italiensk|włoski|italiaksi|italsky|olasz|italiană|italyanca|итальянский|イタリア語",
    ),
    (
        "pt",
        "portuguese|portugiesisch|portugais|portugués|portoghese|português|portugues|portugees|portugisiska|portugalski|brazilian|portekizce",
    ),
    (
        "nl",
        "dutch|niederländisch|holländisch|néerlandais|neerlandés|holandés|olandese|holandês|nederlands|nederländska|hollandsk|holenderski",
    ),
    ("pl", "polish|polnisch|polnische|polonais|polaco|polacco|polonês|pools|polska|polsk|polski|polsku|lehçe"),
    ("sv", "swedish|schwedisch|suédois|sueco|svedese|zweeds|svenska|svensk|szwedzki"),
    ("da", "danish|dänisch|danois|danés|danese|deens|danska|dansk|duński"),
    ("fi", "finnish|finnisch|finnois|finlandés|finlandese|fins|finska|finsk|suomi|suomeksi|fiński"),
    ("cs", "czech|tschechisch|tchèque|checo|ceco|tsjechisch|tjeckiska|česky|čeština|czeski"),
    ("hu", "hungarian|ungarisch|hongrois|húngaro|ungherese|hongaars|ungerska|magyar|magyarul|węgierski"),
    ("ro", "romanian|rumänisch|roumain|rumano|rumeno|roemeens|română|rumuński"),
    ("tr", "turkish|türkisch|turc|turco|turks|turkiska|türkçe|turecki"),
    ("el", "greek|griechisch|grec|griego|greco|grieks|grekiska|ελληνικά|grecki"),
    ("ru", "russian|russisch|russe|ruso|russo|ryska|русский|rosyjski"),
    ("uk", "ukrainian|ukrainisch|ukrainien|ucraniano|ucraino|oekraïens|українська|українською|ukraiński"),
    ("ar", "arabic|arabisch|arabe|árabe|arabo|arabiska|العربية|arabski"),
    ("ja", "japanese|japanisch|japonais|japonés|giapponese|japans|japanska|日本語|japoński"),
    ("zh", "chinese|chinesisch|chinois|chino|cinese|chinees|kinesiska|mandarin|中文|汉语|chiński"),
    ("ko", "korean|koreanisch|coréen|coreano|koreaans|koreanska|한국어|koreański"),
    ("no", "norwegian|norwegisch|norvégien|noruego|norvegese|noors|norsk|norska|norweski"),
    ("he", "hebrew|hebräisch|hébreu|hebreo|ebraico"),
    ("hi", "hindi"),
    ("bg", "bulgarian|bulgarisch|bulgare|búlgaro"),
    ("hr", "croatian|kroatisch|croate"),
    ("sr", "serbian|serbisch|serbe"),
    ("sk", "slovak|slowakisch|slovaque"),
    ("sl", "slovenian|slovene|slowenisch"),
    ("et", "estonian|estnisch"),
    ("lv", "latvian|lettisch"),
    ("lt", "lithuanian|litauisch"),
    ("vi", "vietnamese|vietnamesisch"),
    ("th", "thai"),
    ("id", "indonesian|indonesisch"),
    ("la", "latin|latein|lateinisch"),
    ("ca", "catalan|katalanisch"),
    ("ga", "irish"),
    ("cy", "welsh"),
    ("eo", "esperanto"),
    ("fa", "persian|farsi"),
];

/// What a request says of languages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Language of the text, where it is named.
    pub source: Option<&'static str>,
    /// Languages of the translations.
    pub targets: Vec<&'static str>,
}

/// The English name of a language.
#[must_use]
pub fn english_name(code: &str) -> String {
    let base = code.split('-').next().unwrap_or(code).to_lowercase();
    let name = NAMES.iter().find(|(own, _)| *own == base).and_then(|(_, names)| names.split('|').next());
    name.map_or_else(
        || code.to_owned(),
        |name| {
            let mut chars = name.chars();
            chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
        },
    )
}

/// The code of a name of a language.
#[must_use]
pub fn code(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    NAMES.iter().find(|(_, names)| names.split('|').any(|name| name == word)).map(|(code, _)| *code)
}

/// Words before the language asked for.
const INTO: &[&str] = &[
    "to", "into", "in", "auf", "ins", "en", "em", "på", "po", "na", "nach", "naar", "al", "zu", "as", "till", "til",
    "vers", "a", "in't", "het",
];

/// Words before the language of the text, or of who asks.
const FROM: &[&str] = &[
    "from",
    "aus",
    "von",
    "du",
    "del",
    "dal",
    "vom",
    "van",
    "the",
    "read",
    "speak",
    "reads",
    "understand",
    "this",
    "a",
    "an",
    "these",
    "original",
];

/// Things behind the language that they are in.
const OWN: &[&str] = &[
    "webshop",
    "shop",
    "store",
    "company",
    "customer",
    "client",
    "web",
    "friend",
    "colleague",
    "text",
    "review",
    "sentence",
    "word",
    "mail",
    "letter",
    "original",
    "menu",
    "supplier",
    "site",
    "newspaper",
];

/// Who and what a translation is for.
const READERS: &[&str] = &[
    "users",
    "version",
    "customers",
    "market",
    "site",
    "translation",
    "readers",
    "guests",
    "team",
    "word",
    "words",
    "equivalent",
    "speakers",
];

/// Codes that are written in capitals.
const SHORT: &[&str] = &["EN", "DE", "FR", "ES", "IT", "PT", "NL", "PL", "SV", "DA", "FI", "TR"];

/// Reads the languages of a request.
#[must_use]
pub fn asked(request: &str) -> Asked {
    let words: Vec<&str> = request.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let before = |at: usize| at.checked_sub(1).and_then(|at| lower.get(at)).map_or("", String::as_str);
    let after = |at: usize| lower.get(at + 1).map_or("", String::as_str);
    let mut source = None;
    let mut targets: Vec<&'static str> = Vec::new();
    let mut loose: Vec<&'static str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let short = SHORT
            .iter()
            .find(|code| *code == word)
            .and_then(|word| NAMES.iter().find(|(code, _)| code.eq_ignore_ascii_case(word)).map(|(code, _)| *code));
        let Some(found) = code(word).or(short) else { continue };
        let chained = ["and", "und", "et", "y", "e", "or", "plus"].contains(&before(at)) && !targets.is_empty();
        let listed = at > 0 && code(before(at)).is_some_and(|other| targets.contains(&other));
        let own = OWN.contains(&after(at)) && !INTO.contains(&before(at));
        if ["to", "into", "nach"].contains(&after(at)) && !INTO.contains(&before(at))
            || before(at) == "from"
            || before(at) == "aus"
            || own
        {
            source = source.or(Some(found));
        } else if INTO.contains(&before(at))
            || chained
            || listed
            || (["our", "the", "for", "your", "my", "der", "die"].contains(&before(at)) && READERS.contains(&after(at)))
        {
            if before(at) == "read"
                || (at > 1
                    && lower
                        .get(at - 2)
                        .is_some_and(|word| ["written", "is", "text", "sentence"].contains(&word.as_str()))
                    && before(at) == "in"
                    && code(after(at)).is_none()
                    && after(at) == "to")
            {
                source = Some(found);
            } else if !targets.contains(&found) {
                targets.push(found);
            }
        } else if !(FROM.contains(&before(at)) && before(at) != "the") {
            loose.push(found);
        }
    }
    if targets.is_empty() {
        loose.retain(|code| Some(*code) != source);
        targets.extend(loose.first());
    }
    targets.retain(|code| Some(*code) != source || source.is_none());
    Asked { source, targets }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_requests() {
        let cases = [
            ("Translate to German:", "", "de"),
            ("French for:", "", "fr"),
            ("Bitte ins Deutsche übersetzen:", "", "de"),
            ("Button labels for the German version:", "", "de"),
            ("colours for my vocabulary list, english to spanish", "en", "es"),
            ("What does it mean? English please", "", "en"),
            ("Comment dit-on en anglais ?", "", "en"),
            ("Polish please:", "", "pl"),
            ("Hur säger man / how do I write in Swedish", "", "sv"),
            ("We need the sign in French, German and Spanish.", "", "fr de es"),
            ("For a client who does not read Spanish, translate the clause below into English:", "", "en"),
            ("Turkish web shop says. Meaning in English?", "tr", "en"),
            ("Arabic to English", "ar", "en"),
            ("Please localise the attached strings.xml for our Dutch users (values only).", "", "nl"),
            ("what does it say? (EN)", "", "en"),
            ("Translate this.", "", ""),
            ("from English to French", "en", "fr"),
            ("How do you say thank you in Japanese?", "", "ja"),
            ("Was heißt auf Italienisch", "", "it"),
            ("Translate from German into English and French", "de", "en fr"),
        ];
        for (text, source, targets) in cases {
            let found = asked(text);
            assert_eq!(
                (found.source.unwrap_or_default(), found.targets.join(" ")),
                (source, targets.to_owned()),
                "{text}"
            );
        }
    }
}
