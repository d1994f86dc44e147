//! Names as words in plain Latin small letters.
//!
//! Invariant: words hold only a–z and digits; the same name in other letters or accents gives the same words where
//! the tables know the letters.

use crate::{
    arabic, han,
    word::{Role, Spelt, phrase_length},
};

/// Most words of one name.
pub const WORDS_MAX: usize = 12;
/// Longest word, in letters.
const LETTERS_MAX: usize = 40;

/// Titles that say nothing of who it is, and small words.
const TITLES: [&str; 24] = [
    "mr", "mrs", "ms", "dr", "prof", "sir", "sheikh", "shaykh", "sheik", "haji", "hajji", "hafiz", "mullah", "mulla",
    "maulavi", "molvi", "qari", "and", "of", "the", "for", "und", "et", "u",
];
/// Particles: written or not, together or apart.
const PARTICLES: [&str; 37] = [
    "al", "el", "ul", "ur", "ud", "us", "as", "ad", "an", "ar", "az", "ash", "bin", "ibn", "ben", "bint", "ould",
    "oulad", "abu", "abou", "abi", "von", "van", "der", "den", "de", "del", "da", "dos", "das", "do", "di", "la", "le",
    "zu", "y", "e",
];

/// Legal forms that are written with stops; two other letters with stops are initials.
const STOPPED_FORMS: [&str; 19] = [
    "sa", "cv", "rl", "srl", "spa", "nv", "bv", "ca", "llc", "sarl", "sas", "scs", "snc", "kg", "plc", "gmbh", "ltd",
    "llp", "inc",
];

/// The words of a name, in order, without titles, particles and legal forms of several words.
pub fn words(name: &str) -> Vec<Spelt> {
    let mut all: Vec<(String, bool)> = Vec::new();
    for part in parts(name) {
        if arabic::is_arabic(&part) {
            all.push((arabic::word(&part), true));
        } else if let Some(read) = han::name(&part) {
            all.extend(read.into_iter().map(|word| (word, false)));
        } else {
            let plain: String = part.chars().map(latin).collect();
            all.extend(plain.split_whitespace().flat_map(initials).map(|word| (word, false)));
        }
    }
    all.retain(|(word, _)| !word.is_empty());
    all.truncate(2 * WORDS_MAX);
    let all = without_phrases(all);
    let all = with_servants(&all);
    let telling = |word: &str| !TITLES.contains(&word);
    let some: Vec<&(String, bool)> = all.iter().filter(|(word, _)| telling(word)).collect();
    let is_particle = |word: &str| PARTICLES.contains(&word);
    let bare: Vec<&(String, bool)> = some.iter().filter(|(word, _)| !is_particle(word)).copied().collect();
    // A particle may be a name where one word would be left: Al Gore.
    let kept = match (bare.len(), some.len()) {
        (1, 2) => some,
        (1.., _) => bare,
        (0, 1..) => some,
        _ => all.iter().collect(),
    };
    let short = |word: &str| word.chars().take(LETTERS_MAX).collect();
    let mut words: Vec<Spelt> =
        kept.into_iter().take(WORDS_MAX).map(|(word, loose)| Spelt::new(short(word), *loose)).collect();
    roles(&mut words, &is_particle);
    words
}

/// What words count as beside each other: where no name is left, common words are one.
fn roles(words: &mut [Spelt], is_particle: &dyn Fn(&str) -> bool) {
    if words.len() == 2 {
        words.iter_mut().filter(|word| is_particle(&word.text)).for_each(|word| word.role = Role::Particle);
    }
    for role in [Role::Generic, Role::Particle, Role::Legal] {
        if !words.iter().any(|word| word.role == Role::Name) {
            words.iter_mut().filter(|word| word.role == role).for_each(|word| word.role = Role::Name);
        }
    }
}

/// A name in parts between signs that are no letters. Apostrophes part nothing, a stop is kept for initials.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut han_before = false;
    for letter in name.chars() {
        let han = han::is_han(letter);
        let apart = !(letter.is_alphanumeric() || letter == '.' || is_mark(letter)) || han != han_before;
        han_before = han;
        if matches!(letter, '\'' | '’' | '‘' | '`' | 'ʼ' | '"') {
            continue;
        }
        if apart {
            parts.push(String::new());
        }
        if letter.is_alphanumeric() || letter == '.' || is_mark(letter) {
            parts.last_mut().into_iter().for_each(|part| part.push(letter));
        }
    }
    parts
}

/// Signs that stand on letters or between them in one word.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{200d}')
}

/// A word with stops: `S.A.` is a legal form, `J.F.` are two initials, `St.` a word.
fn initials(word: &str) -> Vec<String> {
    if !word.contains('.') {
        return vec![word.to_owned()];
    }
    let joined = word.replace('.', "");
    let letters: Vec<&str> = word.split('.').filter(|part| !part.is_empty()).collect();
    if !STOPPED_FORMS.contains(&joined.as_str()) && letters.len() > 1 && letters.iter().any(|part| part.len() == 1) {
        letters.into_iter().map(str::to_owned).collect()
    } else {
        vec![joined]
    }
}

/// Legal forms of several words taken out, if something is left.
fn without_phrases(words: Vec<(String, bool)>) -> Vec<(String, bool)> {
    let texts: Vec<String> = words.iter().map(|(word, _)| word.clone()).collect();
    let (mut left, mut place) = (Vec::new(), 0);
    while let Some(word) = words.get(place) {
        match phrase_length(texts.get(place..).unwrap_or_default()) {
            0 => {
                left.push(word.clone());
                place += 1;
            }
            length => place += length,
        }
    }
    if left.is_empty() { words } else { left }
}

/// `Abd al-Rahman`, `Abdul Rahman` and `Abdurrahman` as one word, `abdrahman`.
fn with_servants(words: &[(String, bool)]) -> Vec<(String, bool)> {
    let mut together: Vec<(String, bool)> = Vec::new();
    let mut words = words.iter().peekable();
    while let Some((word, loose)) = words.next() {
        let alone = ["abd", "abdul", "abdel", "abdal", "abdol", "abdur", "abdu", "abdus", "abdoul", "abdool"];
        if alone.contains(&word.as_str()) {
            while words.next_if(|(next, _)| PARTICLES.contains(&next.as_str())).is_some() {}
            let next = words.next();
            together
                .push((format!("abd{}", next.map_or("", |(next, _)| next)), *loose || next.is_some_and(|next| next.1)));
            continue;
        }
        together.push((servant(word), *loose));
    }
    together
}

/// `abdurrahman` as `abdrahman`; other words as they are.
fn servant(word: &str) -> String {
    let rest = word.strip_prefix("abd").map(|rest| rest.trim_start_matches(['a', 'e', 'i', 'o', 'u']));
    let Some(rest) = rest.filter(|rest| rest.len() >= 4 && rest.len() + 3 < word.len()) else { return word.to_owned() };
    let rest = rest.strip_prefix('l').filter(|rest| rest.len() >= 3).unwrap_or(rest);
    let mut letters = rest.chars();
    // The article sounds like the letter after it: abdur-rahman.
    let (first, second) = (letters.next(), letters.next());
    let rest = if first == second { rest.get(1..).unwrap_or(rest) } else { rest };
    format!("abd{rest}")
}

/// A letter in Latin small letters without accents; other signs as a space.
fn latin(letter: char) -> String {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    if lower.is_ascii_alphanumeric() || lower == '.' {
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

    fn plain(name: &str) -> String {
        words(name).iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_in_other_letters() {
        for (name, expect) in [
            ("MÜLLER, Jürgen", "muller jurgen"),
            ("Владимир Жириновский", "vladimir zhirinovskiy"),
            ("Dr. Abd-al-Rahman bin O'Neil", "abdrahman oneil"),
            ("Abdul Rahman Saleh", "abdrahman saleh"),
            ("Abdurrahman", "abdrahman"),
            ("Γιώργος", "giorgos"),
            ("Søren Łukasz Straße", "soren lukasz strasse"),
            ("e\u{301}t", "et"),
            ("The Company", "company"),
            ("J.F. Kennedy", "j f kennedy"),
            ("Acme S.A. de C.V.", "acme sa cv"),
            ("Joint Stock Company Acme", "acme"),
            ("Al Gore", "al gore"),
            ("Bashar al-Assad", "bashar assad"),
            ("معمر القذافي", "mamr qdhafi"),
            ("习近平", "xi jinping"),
            ("にほん", ""),
        ] {
            assert_eq!(plain(name), expect, "{name}");
        }
    }
}
