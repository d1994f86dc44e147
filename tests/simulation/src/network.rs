//! What becomes of a message between two hosts.
//!
//! The host's clients are `reqwest`'s, which takes no other connections than its
//! own, so simulated TCP (`turmoil`) cannot carry them. The seam is a request:
//! what a network does to it (lost on the way there or back, late, twice, out of
//! order, never answered) is done here, under the client's own time-outs.

use std::time::Duration;

use crate::chance::Chance;

/// The fate of one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It goes through.
    Arrives,
    /// The request is lost, and the client sees it.
    Lost,
    /// It is done, and the answer is lost.
    AnswerLost,
    /// Nobody ever answers, and nothing is done.
    Silence,
    /// It arrives when the client has given up.
    Late,
    /// It arrives twice.
    Twice,
    /// Something on the way refuses it, before it has any effect.
    Refused(u16),
}

/// The weather of a simulation, in events of a hundred.
pub(crate) fn fate(chance: &Chance, troubles: u64) -> Fate {
    if !chance.percent(troubles) {
        return Fate::Arrives;
    }
    match chance.below(12) {
        0 | 1 => Fate::Lost,
        2..=4 => Fate::AnswerLost,
        5 => Fate::Silence,
        6 | 7 => Fate::Late,
        8 => Fate::Twice,
        _ => Fate::Refused([404, 429, 500, 503, 401, 409][chance.index(6)]),
    }
}

/// How long a message is under way.
pub(crate) fn latency(chance: &Chance) -> Duration {
    if chance.percent(10) { chance.millis(200, 3_000) } else { chance.millis(1, 60) }
}
