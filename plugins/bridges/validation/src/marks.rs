//! Which members or items of one value a schema has looked at, for `unevaluatedProperties` and `unevaluatedItems`.

/// Marks at the members of an object, in their order, or at the items of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    words: Vec<u64>,
}

const BITS: usize = 64;

impl Marks {
    /// None yet of `count`.
    pub fn new(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(BITS)] }
    }

    /// None yet of as many.
    pub fn blank(&self) -> Self {
        Self { words: vec![0; self.words.len()] }
    }

    /// What it takes to make and merge them, in steps.
    pub fn size(&self) -> usize {
        self.words.len()
    }

    pub fn set(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / BITS) {
            *word |= 1 << (index % BITS);
        }
    }

    pub fn set_all(&mut self) {
        self.words.fill(u64::MAX);
    }

    pub fn has(&self, index: usize) -> bool {
        self.words.get(index / BITS).is_some_and(|word| word & (1 << (index % BITS)) != 0)
    }

    /// Adds those of another schema about the same value.
    pub fn merge(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_kept_apart_and_merged() {
        let (mut one, mut other) = (Marks::new(130), Marks::new(130));
        one.set(0);
        other.set(64);
        other.set(129);
        other.set(1_000);
        one.merge(&other);
        let set: Vec<_> = (0..130).filter(|index| one.has(*index)).collect();
        assert_eq!(set, [0, 64, 129]);
        assert_eq!(one.blank(), Marks::new(130));
        one.set_all();
        assert!((0..130).all(|index| one.has(index)));
    }
}
