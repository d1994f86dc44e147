//! Simulated faults of requests between two hosts.
//!
//! The host uses `reqwest`, which accepts no custom connections, so simulated TCP
//! (`turmoil`) cannot be used. Faults are injected per request instead: a request or its
//! answer may be lost, late, duplicated or out of order, or the request may never be
//! answered, subject to the client's own time-outs.

use std::time::Duration;

use crate::chance::Chance;

/// The outcome of sending a request: whether it and its answer arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExchangeOutcome {
    /// The request and its answer arrive.
    Arrives,
    /// The request is lost, and the client gets an error.
    Lost,
    /// The request takes effect, and the answer is lost.
    AnswerLost,
    /// The request has no effect and is never answered.
    Silence,
    /// The request arrives after the client has given up.
    Late,
    /// The request arrives twice.
    Twice,
    /// An intermediary refuses the request before it has any effect.
    Refused(u16),
}

/// Chooses an outcome at random; `troubles` is the percentage of requests with a fault.
pub(crate) fn exchange_outcome(chance: &Chance, troubles: u64) -> ExchangeOutcome {
    if !chance.percent(troubles) {
        return ExchangeOutcome::Arrives;
    }
    match chance.below(12) {
        0 | 1 => ExchangeOutcome::Lost,
        2..=4 => ExchangeOutcome::AnswerLost,
        5 => ExchangeOutcome::Silence,
        6 | 7 => ExchangeOutcome::Late,
        8 => ExchangeOutcome::Twice,
        _ => ExchangeOutcome::Refused([404, 429, 500, 503, 401, 409][chance.index(6)]),
    }
}

/// Chooses the latency of a message at random.
pub(crate) fn latency(chance: &Chance) -> Duration {
    if chance.percent(10) { chance.millis(200, 3_000) } else { chance.millis(1, 60) }
}
