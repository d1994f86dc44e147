//! The cost of a schema check: steps per value and per byte, times the size of the checked value.

use serde_json::Value;

use super::pattern_cost;

/// Steps per checked value and per checked byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(super) per_value: u64,
    pub(super) per_byte: u64,
}

/// The size of a checked value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// The number of values in it, counting each member name as a value.
    pub(crate) values: u64,
    /// Total length of all strings and member names in bytes.
    bytes: u64,
}

impl Size {
    /// Returns an upper bound for the size of a value whose text has `bytes` bytes.
    pub(crate) fn of_text(bytes: usize) -> Self {
        Self { values: count(bytes / 2).saturating_add(1), bytes: count(bytes) }
    }

    /// Returns the size of a value. The recursion is bounded: serde_json parses at most 128 levels.
    pub(crate) fn of(value: &Value) -> Self {
        let (values, bytes) = match value {
            Value::String(text) => (1, text.len()),
            Value::Array(items) => return Self::sum(items.iter().map(Self::of)),
            Value::Object(members) => {
                let name = |name: &str| Self { values: 1, bytes: count(name.len()) };
                return Self::sum(members.iter().flat_map(|(member, value)| [name(member), Self::of(value)]));
            }
            _ => (1, 0),
        };
        Self { values, bytes: count(bytes) }
    }

    fn sum(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self { values: 1, bytes: 0 }, |sum, part| Self {
            values: sum.values.saturating_add(part.values),
            bytes: sum.bytes.saturating_add(part.bytes),
        })
    }
}

impl Rate {
    pub(super) const fn of_value(steps: u64) -> Self {
        Self { per_value: steps, per_byte: 0 }
    }

    /// Returns the rate of matching a pattern; zero if the pattern is invalid, which is reported
    /// elsewhere.
    pub(super) fn of_pattern(pattern: &str) -> Self {
        let cost = pattern_cost::of(pattern);
        cost.map_or(Self::default(), |cost| Self { per_value: cost.per_search, per_byte: cost.per_byte })
    }

    /// Returns the combined rate of two checks that both run on the same value.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            per_value: self.per_value.saturating_add(other.per_value),
            per_byte: self.per_byte.saturating_add(other.per_byte),
        }
    }

    /// Returns the combined rate of two checks of which only one runs on each value.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { per_value: self.per_value.max(other.per_value), per_byte: self.per_byte.max(other.per_byte) }
    }

    pub(crate) const fn steps(self, size: Size) -> u64 {
        self.per_value.saturating_mul(size.values).saturating_add(self.per_byte.saturating_mul(size.bytes))
    }

    /// Returns the length of the longest text whose check takes at most `steps` steps.
    pub(super) fn bytes_within(self, steps: u64) -> u64 {
        let per_byte = self.per_value.saturating_add(self.per_byte.saturating_mul(2));
        steps.saturating_sub(self.per_value).saturating_mul(2).checked_div(per_byte).unwrap_or(steps)
    }
}

pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_no_larger_than_its_text() {
        for text in ["{}", "[]", "[1,1,1,1]", "{\"\":1,\"a\":[{}]}", "\"some text\"", "[[],[[]]]", "{\"a\":null}"] {
            let value: Value = serde_json::from_str(text).unwrap();
            let (real, bound) = (Size::of(&value), Size::of_text(text.len()));
            assert!(real.values <= bound.values, "{text}: the size {real:?} exceeds the bound {bound:?}");
        }
    }

    #[test]
    fn the_size_that_fits_is_the_largest() {
        let rate = Rate { per_value: 37, per_byte: 11 };
        let bytes = usize::try_from(rate.bytes_within(1_000_000)).unwrap();
        let steps = rate.steps(Size::of_text(bytes));
        assert!(steps <= 1_000_100 && steps > 990_000, "{steps}");
    }
}
