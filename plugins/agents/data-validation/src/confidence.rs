//! How sure an answer is, in named levels.

/// Records and schema are given as members: nothing is read out of words.
pub(crate) const TYPED: f64 = 0.95;
/// Rules were said and understood.
pub(crate) const SAID: f64 = 0.9;
/// No rule was said: what every table should hold to was checked.
pub(crate) const USUAL: f64 = 0.8;
/// A part of the request was not understood.
pub(crate) const PARTLY: f64 = 0.65;
/// Below this, no answer is given.
pub(crate) const FLOOR: f64 = 0.6;
