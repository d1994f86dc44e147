//! Names as tokens in plain Latin small letters.
//!
//! Invariant: tokens hold only a–z and digits; the same name in other letters or accents gives the same tokens where
//! the tables below know the letters.

/// Most tokens of one name.
pub const TOKENS_MAX: usize = 12;

/// Words that say nothing of who it is: titles, particles and legal forms.
const NOISE: [&str; 28] = [
    "mr", "mrs", "ms", "dr", "prof", "sir", "sheikh", "shaykh", "haji", "al", "el", "bin", "ibn", "bint", "abu", "von",
    "van", "de", "ltd", "limited", "llc", "inc", "gmbh", "co", "company", "corp", "plc", "the",
];

/// The tokens of a name, in order.
pub fn tokens(name: &str) -> Vec<String> {
    let plain: String = name
        .chars()
        .map(|c| if matches!(c, '\'' | '’' | '`' | 'ʼ' | '.') { String::new() } else { latin(c) })
        .collect();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let all: Vec<String> = words.map(|word| word.chars().take(40).collect()).take(TOKENS_MAX).collect();
    let telling: Vec<String> = all.iter().filter(|word| !NOISE.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// A letter in Latin small letters without accents; other signs as a space.
fn latin(letter: char) -> String {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    if lower.is_ascii_alphanumeric() {
        return lower.to_string();
    }
    let text = match lower {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ạ'..='ặ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ð' | 'ď' | 'đ' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ'..='ệ' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' | 'ḥ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ỉ' | 'ị' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ơ' | 'ọ'..='ợ' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ṣ' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' | 'ț' | 'ṭ' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ụ'..='ự' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' | 'ỳ'..='ỹ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        '\u{300}'..='\u{36f}' | 'ь' | 'ъ' => "",
        other => return cyrillic(other).or_else(|| greek(other)).unwrap_or(" ").to_owned(),
    };
    text.to_owned()
}

/// Russian, Ukrainian, Belarusian and Serbian letters in the spelling that passports and sanctions lists mostly use.
fn cyrillic(letter: char) -> Option<&'static str> {
    const ROW: [&str; 32] = [
        "a", "b", "v", "g", "d", "e", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "kh",
        "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
    ];
    Some(match letter {
        'ё' => "e",
        'є' => "ye",
        'і' => "i",
        'ї' => "yi",
        'ґ' => "g",
        'ў' => "u",
        'ђ' => "dj",
        'ј' => "j",
        'љ' => "lj",
        'њ' => "nj",
        'ћ' => "c",
        'џ' => "dz",
        other => ROW.get(u32::from(other).checked_sub(u32::from('а'))? as usize)?,
    })
}

fn greek(letter: char) -> Option<&'static str> {
    const ROW: [&str; 25] = [
        "a", "v", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s", "s", "t", "y", "f",
        "ch", "ps", "o",
    ];
    Some(match letter {
        'ά' => "a",
        'έ' => "e",
        'ή' | 'ί' | 'ϊ' | 'ΐ' => "i",
        'ό' | 'ώ' => "o",
        'ύ' | 'ϋ' | 'ΰ' => "y",
        other => ROW.get(u32::from(other).checked_sub(u32::from('α'))? as usize)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_other_letters() {
        for (name, expect) in [
            ("MÜLLER, Jürgen", "muller jurgen"),
            ("Владимир Жириновский", "vladimir zhirinovskiy"),
            ("Dr. Abd-al-Rahman bin O'Neil", "abd rahman oneil"),
            ("Γιώργος", "giorgos"),
            ("Søren Łukasz Straße", "soren lukasz strasse"),
            ("e\u{301}t", "et"),
            ("The Company", "the company"),
            ("漢字", ""),
        ] {
            assert_eq!(tokens(name).join(" "), expect, "{name}");
        }
    }
}
