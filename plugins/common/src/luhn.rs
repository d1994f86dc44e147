//! Luhn's check digit (ISO/IEC 7812-1).

/// The sum over digits from the right, every second one doubled and its digits added up: the last one counts once if
/// `doubled` is 0, double if it is 1. None where a character is no digit.
#[must_use]
pub fn sum(digits: &str, doubled: u32) -> Option<u32> {
    let value = |(digit, place): (char, u32)| {
        let value = digit.to_digit(10)? * (1 + (place + doubled) % 2);
        Some(value / 10 + value % 10)
    };
    digits.chars().rev().zip(0u32..).map(value).sum()
}

/// Whether the last digit is the check digit of those before it.
#[must_use]
pub fn is_valid(digits: &str) -> bool {
    sum(digits, 0).is_some_and(|sum| sum.is_multiple_of(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 79927398713 is the usual example of the algorithm (US patent 2950048).
    #[test]
    fn check_digits() {
        assert_eq!((0..10).find(|digit| is_valid(&format!("1789372997{digit}"))), Some(4));
        assert_eq!(sum("1789372997", 1).map(|sum| (10 - sum % 10) % 10), Some(4));
        assert!(is_valid("79927398713") && !is_valid("79927398710") && !is_valid("7992739871x"));
    }
}
