//! How alike two names are: words are paired best first, whatever their order, and what is left over is weighed.
//!
//! Invariant: a score is from 0 to 1, the same both ways within rounding, and 1 for equal words in any order.

use crate::{
    lexicon::Lexicon,
    word::{Role, Spelt, Word},
};

/// Two words written as one, or one as two, are a little less than the same words.
const TOGETHER: f64 = 0.98;
/// Words as alike as this are surely forms of one.
const SURE: f64 = 0.9;
/// How much the least alike pair of words counts beyond the mean.
const WORST: f64 = 0.1;
/// What words that only one name has cost, by their share of it.
const EXTRA: f64 = 0.05;
/// Names that each have a word that the other lacks are held against their share of equal words.
const BOTH_LACK: f64 = 0.93;

/// What a name counts for when work is measured: its letters, and what each word costs however short it is.
pub fn size(words: &[Spelt]) -> usize {
    words.iter().map(|word| word.text.len() + 4).sum()
}

/// The words written as one.
pub fn joined(words: &[Spelt]) -> String {
    words.iter().filter(|word| word.role != Role::Legal).map(|word| word.text.as_str()).collect()
}

/// A subject, compared with every word of a list.
pub struct Asked {
    words: Vec<Word>,
    joined: String,
    rows: Vec<Vec<f32>>,
}

/// One pairing: the likeness, and which words of the two names.
struct Pair {
    score: f64,
    mine: usize,
    theirs: usize,
}

impl Asked {
    /// Compares the words of a subject with those of a list.
    pub fn new(words: Vec<Spelt>, lexicon: &Lexicon) -> Self {
        let joined = joined(&words);
        let words: Vec<Word> = words.into_iter().map(Word::new).collect();
        let rows = words.iter().map(|word| lexicon.likenesses(word)).collect();
        Self { joined, rows, words }
    }

    /// The score of a name of the list, whose words stand at these places.
    pub fn score(&self, places: &[u32], lexicon: &Lexicon) -> f64 {
        let mut pairs: Vec<Pair> = Vec::new();
        for (mine, row) in self.rows.iter().enumerate() {
            for (theirs, place) in places.iter().enumerate() {
                let score = row.get(*place as usize).map_or(0.0, |score| f64::from(*score));
                if score > 0.0 {
                    pairs.push(Pair { score, mine, theirs });
                }
            }
        }
        if pairs.is_empty() && !places.iter().any(|place| self.begins_like(*place, lexicon)) {
            return 0.0;
        }
        let words: Vec<&Word> = places.iter().filter_map(|place| lexicon.word(*place)).collect();
        let paired = Paired::new(&self.words, &words, pairs).score();
        let text: String =
            words.iter().filter(|word| word.role != Role::Legal).map(|word| word.text.as_str()).collect();
        let joined = if !text.is_empty() && text == self.joined { TOGETHER } else { 0.0 };
        paired.max(joined).clamp(0.0, 1.0)
    }

    /// Whether a name that begins so may be this one written together or apart.
    fn begins_like(&self, place: u32, lexicon: &Lexicon) -> bool {
        lexicon
            .word(place)
            .is_some_and(|word| self.joined.starts_with(&word.text) || word.text.starts_with(&self.joined))
    }
}

/// Two names whose words are paired.
struct Paired<'n> {
    mine: Vec<&'n Word>,
    theirs: Vec<&'n Word>,
    mine_used: Vec<bool>,
    theirs_used: Vec<bool>,
    /// Likeness and weight of both words of each pair, and whether they are names and no initials.
    pairs: Vec<(f64, f64, bool)>,
    /// Whether an initial of either name stands for a word of the other.
    initials: [bool; 2],
    /// Whether a word is paired by which an organisation may be known.
    rare: bool,
}

impl<'n> Paired<'n> {
    fn new(mine: &'n [Word], theirs: &[&'n Word], mut pairs: Vec<Pair>) -> Self {
        let mut names = Self {
            mine: mine.iter().collect(),
            theirs: theirs.to_vec(),
            mine_used: vec![false; mine.len()],
            theirs_used: vec![false; theirs.len()],
            pairs: Vec::new(),
            initials: [false; 2],
            rare: false,
        };
        let weight = |pair: &Pair| names.weight(pair.mine, pair.theirs);
        pairs.sort_by(|p, q| {
            let later =
                |pair: &Pair| (pair.mine + pair.theirs, pair.mine.abs_diff(pair.theirs), pair.mine.min(pair.theirs));
            q.score.total_cmp(&p.score).then(weight(q).total_cmp(&weight(p))).then(later(p).cmp(&later(q)))
        });
        let (sure, likely): (Vec<Pair>, Vec<Pair>) = pairs.into_iter().partition(|pair| pair.score >= SURE);
        sure.iter().for_each(|pair| names.take(pair));
        // Two words written as one go before a word that is only somewhat like one of them.
        if !names.pairs.is_empty() {
            names.take_together();
        }
        likely.iter().for_each(|pair| names.take(pair));
        if !names.pairs.is_empty() {
            names.take_together();
        }
        names
    }

    fn weight(&self, mine: usize, theirs: usize) -> f64 {
        let of = |words: &[&Word], at: usize| words.get(at).map_or(0.0, |word| word.weight());
        of(&self.mine, mine) + of(&self.theirs, theirs)
    }

    fn take(&mut self, pair: &Pair) {
        let weight = self.weight(pair.mine, pair.theirs);
        let roles = [self.mine.get(pair.mine), self.theirs.get(pair.theirs)].map(|word| word.map(|word| word.role));
        let telling = roles.contains(&Some(Role::Name)) && !roles.contains(&Some(Role::Initial));
        if let (Some(x @ false), Some(y @ false)) =
            (self.mine_used.get_mut(pair.mine), self.theirs_used.get_mut(pair.theirs))
        {
            (*x, *y) = (true, true);
            for (used, (role, other)) in self.initials.iter_mut().zip(roles.iter().zip(roles.iter().rev())) {
                *used |= *role == Some(Role::Initial) && *other != Some(Role::Initial);
            }
            self.rare |= self.mine.get(pair.mine).is_some_and(|word| word.is_rare());
            self.pairs.push((pair.score, weight, telling));
        }
    }

    /// Pairs words of one name with two neighbours of the other, either way.
    fn take_together(&mut self) {
        let mut pairs = together(&self.mine, &mut self.mine_used, &self.theirs, &mut self.theirs_used);
        pairs.extend(together(&self.theirs, &mut self.theirs_used, &self.mine, &mut self.mine_used));
        self.pairs.extend(pairs);
    }

    fn score(&self) -> f64 {
        let matched: f64 = self.pairs.iter().map(|(_, weight, _)| weight).sum();
        let likeness: f64 = self.pairs.iter().map(|(score, weight, _)| score * weight).sum();
        let left = |words: &[&Word], used: &[bool]| {
            let left: Vec<&Word> = words.iter().zip(used).filter(|(_, used)| !**used).map(|(word, _)| *word).collect();
            let weight: f64 = left.iter().map(|word| word.weight()).sum();
            (
                weight,
                left.iter().any(|word| !matches!(word.role, Role::Legal | Role::Particle)),
                left.iter().any(|word| word.role == Role::Name),
            )
        };
        let (mine, mine_lacks, mine_names) = left(&self.mine, &self.mine_used);
        let (theirs, theirs_lack, theirs_names) = left(&self.theirs, &self.theirs_used);
        if matched <= 0.0 {
            return 0.0;
        }
        let share = likeness / (matched + mine + theirs);
        if !mine_lacks && !theirs_lack && mine + theirs <= 0.0 && likeness >= matched {
            return 1.0;
        }
        let telling = self.pairs.iter().filter(|(_, _, telling)| *telling).count();
        // One name alone is enough if nothing or only what any organisation is called is left over.
        let enough = telling > 1 || telling == 1 && (self.pairs.len() > 1 || !mine_names && !theirs_names);
        // An initial that stands for a name does not outweigh another name beside it: Daniel T. Kildee, Daniel Tuito.
        let [mine_initial, their_initial] = self.initials;
        let initial = mine_initial && mine_names || their_initial && theirs_names;
        let lack = match telling {
            0 | 1 if !self.rare => mine_lacks && theirs_lack,
            _ => mine_names && theirs_names,
        };
        if lack || initial || !enough {
            return share * BOTH_LACK;
        }
        let worst = self.pairs.iter().map(|(score, ..)| *score).fold(1.0, f64::min);
        let extra = mine.max(theirs) / (matched / 2.0 + mine.max(theirs));
        (likeness / matched - WORST * (1.0 - worst) - EXTRA * extra).max(share * BOTH_LACK)
    }
}

/// Pairs one word with two neighbours of another name: Jintao, Jin Tao. Only what no pair has yet.
fn together(ones: &[&Word], used: &mut [bool], twos: &[&Word], twos_used: &mut [bool]) -> Vec<(f64, f64, bool)> {
    let mut pairs = Vec::new();
    for (one, used) in ones.iter().zip(used).filter(|(one, used)| !**used && one.role == Role::Name) {
        for (at, both) in twos.windows(2).enumerate() {
            let [first, second] = both else { continue };
            let free = twos_used.get(at..at + 2).is_some_and(|used| !used.contains(&true));
            let loose = first.loose || second.loose || one.loose;
            let apart = (first.text.len() + second.text.len()).abs_diff(one.text.len());
            if *used || !free || apart > 4 && !loose {
                continue;
            }
            let text = format!("{}{}", first.text, second.text);
            let word = Word::new(Spelt { text, role: Role::Name, loose: first.loose || second.loose });
            let score = word.alike(one) * TOGETHER;
            if score > 0.0 {
                *used = true;
                twos_used.get_mut(at..at + 2).into_iter().flatten().for_each(|used| *used = true);
                pairs.push((score, one.weight() + first.weight() + second.weight(), true));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fold::words;

    fn score(a: &str, b: &str) -> f64 {
        let mut lexicon = Lexicon::default();
        let places = lexicon.add(words(b));
        Asked::new(words(a), &lexicon).score(&places, &lexicon)
    }

    #[test]
    fn like_and_unlike() {
        for (a, b) in [
            ("Saddam Hussein", "HUSSEIN, Saddam"),
            ("Muammar Qaddafi", "Muammar Qadhafi"),
            ("Vladimir Zhirinovsky", "Владимир Жириновский"),
            ("Juergen Smith", "Jurgen Smith"),
            ("John A Smith", "John Smith"),
            ("Abdulrahman Saleh", "Abdul Rahman Saleh"),
            ("Bob Muster", "Robert Muster"),
            ("V. Muster", "Vladimir Muster"),
            ("Muster V.V.", "Vladimir Vladimirovich Muster"),
            ("Misha Beispiel", "Mikhail Ivanovich Beispiel"),
            ("Hu Jin Tao", "Hu Jintao"),
            ("Jiang Jingguo", "Chiang Ching-kuo"),
            ("Marine Le Muster", "Marine Lemuster"),
            ("Salah Muster", "Salahuddin Muster"),
            ("Acme Sample Group", "Acme Sample Research Complex"),
            ("Li Hsiao-p'ing", "Li Xiaoping"),
            ("معمر القذافي", "Muammar al-Qadhafi"),
            ("李小平", "Li Xiaoping"),
            ("Acme Ltd", "Acme Limited"),
            ("OOO Acme", "Acme LLC"),
            ("Acme Group", "Acme"),
            ("Acme & Sons", "Acme and Sons"),
            ("M.E.N.A. Sugar", "MENA Sugar Company"),
            ("Al Muster", "Albert Muster"),
            ("Exampleine Maritime Services", "Al Exampleine Marine Service"),
            ("OOO Yunidzhet", "Unijet"),
        ] {
            assert!(score(a, b) >= 0.85, "{a} {b} {}", score(a, b));
        }
        for (a, b) in [
            ("John Smith", "Mary Jones"),
            ("Ivan Petrov", "Ivan Sidorov"),
            ("Acme 1", "Acme 2 Trading"),
            ("Li Wei", "Anna"),
            ("Sergei Ivanov", "Sergei Ivashov"),
            ("V. Putin", "V. Pushkin"),
            ("Bank Melli", "Bank Mellat"),
            ("British Airways", "British Petroleum"),
            ("National Bank of Acme", "National Bank of Sample"),
            ("Muster", "Anna Muster"),
            ("Daniel T. Kildee", "TUITO, Daniel"),
            ("Gary C. Peters", "A.P.C."),
        ] {
            assert!(score(a, b) < 0.85, "{a} {b} {}", score(a, b));
        }
    }

    proptest! {
        #[test]
        fn laws(a in "[a-z]{1,8}( [a-z]{1,8}){0,3}", b in "[a-z]{1,8}( [a-z]{1,8}){0,3}") {
            let there = score(&a, &b);
            prop_assert!((0.0..=1.0).contains(&there));
            prop_assert!((there - score(&b, &a)).abs() < 1e-6);
            let reversed: Vec<&str> = a.rsplit(' ').collect();
            prop_assert!(score(&a, &reversed.join(" ")) > 0.999999);
        }
    }
}
