//! Bounded in-memory collections for many threads: values sharded over locks, and a map
//! that evicts the least recently used entries.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use parking_lot::{Mutex, MutexGuard};

/// The number of shards: enough that threads rarely contend, even on a large machine.
pub(super) const SHARDS: usize = 64;

/// One value per shard, each behind its own lock; the hash of a key selects the shard.
pub(super) struct Sharded<T> {
    first: Mutex<T>,
    others: Vec<Mutex<T>>,
    hasher: RandomState,
}

/// A map of at most twice `generation_max` entries in two generations. New and used
/// entries are in the recent generation; when it is full, it becomes the older one, and
/// the entries left in the previous older generation are evicted. Every operation takes
/// constant time on average.
pub(super) struct GenerationalMap<K, V> {
    recent: HashMap<K, V>,
    older: HashMap<K, V>,
    generation_max: usize,
}

impl<T> Sharded<T> {
    pub(super) fn new(make: impl Fn() -> T) -> Self {
        let others = (1..SHARDS).map(|_| Mutex::new(make())).collect();
        Self { first: Mutex::new(make()), others, hasher: RandomState::new() }
    }

    /// Locks the shard of a key. Callers cannot predict the shard, because the
    /// hasher is random.
    pub(super) fn lock(&self, key: &impl Hash) -> MutexGuard<'_, T> {
        let index = self.hasher.hash_one(key) % SHARDS as u64;
        let shard = usize::try_from(index).ok().and_then(|index| self.others.get(index));
        shard.unwrap_or(&self.first).lock()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = MutexGuard<'_, T>> {
        std::iter::once(&self.first).chain(&self.others).map(Mutex::lock)
    }
}

impl<K: Hash + Eq, V> GenerationalMap<K, V> {
    /// Creates a map that never holds more than `max` entries.
    pub(super) fn new(max: usize) -> Self {
        Self { recent: HashMap::new(), older: HashMap::new(), generation_max: (max / 2).max(1) }
    }

    /// Returns the entry of a key without marking it as used.
    pub(super) fn peek(&self, key: &K) -> Option<&V> {
        self.recent.get(key).or_else(|| self.older.get(key))
    }

    /// Returns the entry of a key, creating it if there is none.
    pub(super) fn entry(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        if !self.recent.contains_key(&key) {
            let value = self.older.remove(&key).unwrap_or_else(make);
            if self.recent.len() >= self.generation_max {
                self.older = std::mem::take(&mut self.recent);
            }
            return self.recent.entry(key).or_insert(value);
        }
        self.recent.entry(key).or_insert_with(make)
    }

    /// Returns the entry of a key and marks it as used.
    pub(super) fn get(&mut self, key: &K) -> Option<&mut V>
    where
        K: Copy,
    {
        if self.recent.contains_key(key) {
            return self.recent.get_mut(key);
        }
        let value = self.older.remove(key)?;
        Some(self.entry(*key, || value))
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.recent.remove(key);
        self.older.remove(key);
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        self.recent.retain(|_, value| keep(value));
        self.older.retain(|_, value| keep(value));
    }

    /// Removes all entries and frees the memory.
    pub(super) fn clear(&mut self) {
        self.recent = HashMap::new();
        self.older = HashMap::new();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.recent.len() + self.older.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_unused_first_and_stays_small() {
        let mut map = GenerationalMap::new(8);
        for n in 0..1000_u32 {
            *map.entry(n, || 0) += n;
            // Entry 0 is used continually and therefore never evicted.
            assert_eq!(map.get(&0), Some(&mut 0));
            assert_eq!(map.peek(&n), Some(&n));
            assert!(map.len() <= 8);
        }
        assert_eq!((map.peek(&500), map.peek(&999)), (None, Some(&999)));
        map.remove(&999);
        assert_eq!(map.peek(&999), None);
        map.retain(|_| false);
        assert_eq!(map.len(), 0);
    }

    #[test]
    fn keys_spread_over_all_shards() {
        let shards = Sharded::new(|| 0_u32);
        for key in 0..10_000_u32 {
            *shards.lock(&key) += 1;
        }
        let counts: Vec<u32> = shards.all().map(|count| *count).collect();
        assert_eq!((counts.len(), counts.iter().sum::<u32>()), (SHARDS, 10_000));
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }
}
