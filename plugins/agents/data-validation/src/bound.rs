//! Bounds of numbers, each in or out.

use agent_common::exact::Exact;

/// A bound, and whether the number itself is within.
pub(crate) type Bound = Option<(Exact, bool)>;

/// Both bounds in words.
pub(crate) fn text(low: Bound, high: Bound) -> String {
    match (low, high) {
        (Some((low, _)), Some((high, _))) => format!("between {} and {}", low.text(), high.text()),
        (Some((low, true)), None) => format!("at least {}", low.text()),
        (Some((low, false)), None) => format!("above {}", low.text()),
        (None, Some((high, true))) => format!("at most {}", high.text()),
        (None, Some((high, false))) => format!("below {}", high.text()),
        (None, None) => "a number".into(),
    }
}
