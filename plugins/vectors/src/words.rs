//! Text in words, as the tokenizer of BERT (uncased) splits it before it looks for pieces.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns the words of a text in small letters without accents; each mark and each
/// Chinese character is a word of its own.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.to_lowercase().nfd().filter(|c| !is_combining_mark(*c)) {
        let alone = is_mark(c) || is_chinese(c);
        if alone || c.is_whitespace() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if alone {
                words.push(c.to_string());
            }
        } else if !c.is_control() && c != '\u{fffd}' {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '、' | '。' | '〈'..='】')
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}
