//! Static vectors of English words, for plugins without the grant `inference`.
//!
//! `data/` has a vector for each WordPiece token of all-MiniLM-L6-v2 (Apache-2.0), made by
//! `scripts/make_token_vectors.py`. The tables are read in place: a plugin that links this
//! crate grows by 4.1 MB and spends no time on loading them.

#![warn(missing_docs, unreachable_pub)]

mod vocabulary;
mod words;

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 128;

/// The vectors by token id, as signed bytes with one scale.
const TABLE: &[u8] = include_bytes!("../data/vectors.bin");
/// The id of the most frequent word. The ids of words follow their frequency in English.
const FIRST_WORD: u16 = 1_996;
/// The rank of a word that counts half: frequent words say little about a text.
const HALF_RANK: f32 = 900.0;

/// Returns the ids of the tokens of a text, in order, as the tokenizer of BERT (uncased)
/// makes them, without the marks of its beginning and end. Words with unknown characters
/// have none.
#[must_use]
pub fn tokens(text: &str) -> Vec<u16> {
    words::split(text).iter().flat_map(|word| vocabulary::pieces(word)).collect()
}

/// Returns the vector of a text, of unit length: the mean of its tokens, in which frequent
/// words count less. A text without known tokens has the zero vector.
#[must_use]
pub fn vector(text: &str) -> Vec<f32> {
    vector_of(&tokens(text))
}

/// Returns the vector of the tokens of a text, as [`vector`] does.
#[must_use]
pub fn vector_of(tokens: &[u16]) -> Vec<f32> {
    let mut sum = vec![0.0; DIMENSIONS];
    for token in tokens.iter().copied() {
        let rank = f32::from(token.saturating_sub(FIRST_WORD)) + 1.0;
        let weight = rank / (rank + HALF_RANK);
        let row = usize::from(token) * DIMENSIONS;
        for (total, value) in sum.iter_mut().zip(TABLE.get(row..).unwrap_or_default()) {
            *total += weight * f32::from(value.cast_signed());
        }
    }
    let length = cosine(&sum, &sum).sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|value| *value /= length);
    }
    sum
}

/// Returns the product of two vectors; of vectors of unit length it is their cosine.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_models_tokenizer() {
        // Recorded from the tokenizer of the model (tokenizers 0.23).
        let cases: [(&str, &[u16]); 6] = [
            ("Classify this e-mail: URGENT!", &[26268, 2023, 1041, 1011, 5653, 1024, 13661, 999]),
            ("Très déçu, naïve café", &[24403, 11703, 2226, 1010, 15743, 7668]),
            ("tokenization’s unbelievable", &[19204, 3989, 1521, 1055, 23653]),
            ("€5 – “quoted” 你好", &[1574, 2629, 1516, 1523, 9339, 1524]),
            ("it's 12:30, 3.5%", &[2009, 1005, 1055, 2260, 1024, 2382, 1010, 1017, 1012, 1019, 1003]),
            ("☃ snow", &[4586]),
        ];
        for (text, expect) in cases {
            assert_eq!(tokens(text), expect, "{text}");
        }
    }

    #[test]
    fn words_of_one_field_are_near() {
        let near = |a: &str, b: &str| cosine(&vector(a), &vector(b));
        assert!(near("invoice", "payment") > near("invoice", "football") + 0.1);
        assert!(near("the goalkeeper saved a penalty", "football") > near("the goalkeeper saved a penalty", "invoice"));
        assert!((near("parcel", "parcel") - 1.0).abs() < 1e-5);
        assert_eq!(vector(""), vec![0.0; DIMENSIONS]);
    }
}
