//! Arabic and Persian letters as Latin ones. Short vowels are not written, so that words compare loosely (`distance`).

/// The letter, if it is an Arabic one; letters that are not spoken alone give nothing.
pub fn latin(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ع' | 'ا' | 'أ' | 'إ' | 'آ' | 'ى' | 'ٱ' | 'ة' => "a",
        'ب' => "b",
        'پ' => "p",
        'ت' | 'ط' | 'ٹ' => "t",
        'ث' => "th",
        'ج' => "j",
        'چ' => "ch",
        'ح' | 'ه' | 'ہ' | 'ھ' | 'ۀ' | 'ۃ' => "h",
        'خ' => "kh",
        'د' | 'ض' | 'ڈ' => "d",
        'ذ' => "dh",
        'ر' | 'ڑ' => "r",
        'ز' | 'ظ' => "z",
        'ژ' => "zh",
        'س' | 'ص' => "s",
        'ش' => "sh",
        'غ' => "gh",
        'ف' => "f",
        'ڤ' => "v",
        'ق' => "q",
        'ك' | 'ک' => "k",
        'گ' => "g",
        'ل' => "l",
        'م' => "m",
        'ن' | 'ں' => "n",
        'و' | 'ؤ' | 'ۆ' | 'ۇ' => "u",
        'ي' | 'ی' | 'ئ' | 'ې' | 'ۍ' | 'ے' => "i",
        'ء' | 'ـ' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{200c}' | '\u{200d}' => "",
        _ => return None,
    })
}

/// Whether a word is written in these letters.
pub fn is_arabic(word: &str) -> bool {
    word.chars().any(|letter| matches!(letter, '\u{621}'..='\u{6d5}'))
}

/// A word without what is written together with it: `ال` (the) before it. `الله` stays whole.
pub fn bare(word: &str) -> &str {
    match word.strip_prefix("ال") {
        Some(rest) if word != "الله" && rest.chars().count() >= 2 => rest,
        _ => word,
    }
}

/// A word as Latin letters: words for God, servant of and son as they are usually spelt, others letter by letter.
pub fn word(word: &str) -> String {
    match bare(word) {
        "الله" | "اللہ" | "لله" => "allah".to_owned(),
        "عبد" => "abd".to_owned(),
        "بن" | "ابن" => "bin".to_owned(),
        "ابو" | "أبو" => "abu".to_owned(),
        other => other.chars().filter_map(latin).collect(),
    }
}
