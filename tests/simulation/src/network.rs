//! The fate of a message between two hosts.
//!
//! The host's clients are `reqwest`'s, which accepts no custom connections, so
//! simulated TCP (`turmoil`) cannot carry them. Faults are injected per request
//! instead: lost on the way there or back, late, duplicated, out of order or never
//! answered, under the client's own time-outs.

use std::time::Duration;

use crate::chance::Chance;

/// The fate of one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExchangeOutcome {
    /// The exchange succeeds.
    Arrives,
    /// The request is lost, and the client notices.
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

/// Draws a fate; `troubles` is the percentage of exchanges that fail.
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

/// Draws the latency of a message.
pub(crate) fn latency(chance: &Chance) -> Duration {
    if chance.percent(10) { chance.millis(200, 3_000) } else { chance.millis(1, 60) }
}
