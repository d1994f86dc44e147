//! The words of a list, each once: a word of a subject is compared with every one of them once, whatever the number of
//! names that have it.

use std::collections::BTreeMap;

use crate::word::{Spelt, Word};

/// The different words of a list.
#[derive(Debug, Default)]
pub struct Lexicon {
    words: Vec<Word>,
    places: BTreeMap<Spelt, u32>,
}

impl Lexicon {
    /// Takes up the words of a name; answers with their places.
    pub fn add(&mut self, words: Vec<Spelt>) -> Vec<u32> {
        words.into_iter().map(|word| self.place(word)).collect()
    }

    fn place(&mut self, word: Spelt) -> u32 {
        if let Some(place) = self.places.get(&word) {
            return *place;
        }
        let place = self.words.len() as u32;
        self.places.insert(word.clone(), place);
        self.words.push(Word::new(word));
        place
    }

    /// The word at a place.
    pub fn word(&self, place: u32) -> Option<&Word> {
        self.words.get(place as usize)
    }

    /// How alike a word is to each of the list.
    pub fn likenesses(&self, word: &Word) -> Vec<f32> {
        self.words.iter().map(|other| word.alike(other) as f32).collect()
    }
}
