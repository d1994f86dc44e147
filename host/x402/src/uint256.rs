//! `Uint256`: a 256-bit number as used by contracts, a decimal string in JSON. Not used
//! for amounts.

use std::fmt;
use std::str::FromStr;

use tollbridge_core::excerpt::excerpt;

use crate::text::text_in_json;

/// Maximum number of decimal digits of a 256-bit number.
const DIGITS_MAX: usize = 78;

/// A `uint256`, a decimal string in JSON. Used for Permit2's nonces, which are random.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uint256([u8; 32]);

text_in_json!(Uint256);

/// An error of parsing a `uint256`; contains the beginning of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a whole number of 256 bits; write it like \"10000\"")]
pub struct Uint256Error(String);

impl Uint256 {
    /// Creates the number from its bytes, most significant first.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the number's bytes, most significant first.
    pub const fn bytes(self) -> [u8; 32] {
        self.0
    }
}

impl FromStr for Uint256 {
    type Err = Uint256Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let canonical = digits && (text.len() == 1 || !text.starts_with('0'));
        let bytes = canonical
            .then(|| text.bytes().try_fold([0; 32], |number, digit| times_ten_plus(number, digit.wrapping_sub(b'0'))));
        bytes.flatten().map(Self).ok_or_else(|| Uint256Error(excerpt(text, 80)))
    }
}

/// Returns a number times ten plus a digit; `None` on overflow.
fn times_ten_plus(mut number: [u8; 32], digit: u8) -> Option<[u8; 32]> {
    let mut carry = u16::from(digit);
    for byte in number.iter_mut().rev() {
        let next = u16::from(*byte).saturating_mul(10).saturating_add(carry);
        let [high, low] = next.to_be_bytes();
        (*byte, carry) = (low, u16::from(high));
    }
    (carry == 0).then_some(number)
}

impl fmt::Display for Uint256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut number, mut digits) = (self.0, Vec::with_capacity(DIGITS_MAX));
        while digits.is_empty() || number != [0; 32] {
            let mut rest = 0_u8;
            for byte in &mut number {
                let part = u16::from_be_bytes([rest, *byte]);
                // `part` is below 10 * 256, so both the quotient and the remainder fit
                // into one byte.
                let [[_, tenth], [_, left]] = [(part / 10).to_be_bytes(), (part % 10).to_be_bytes()];
                (*byte, rest) = (tenth, left);
            }
            digits.push(char::from(b'0'.saturating_add(rest)));
        }
        digits.iter().rev().try_for_each(|digit| write!(f, "{digit}"))
    }
}

impl fmt::Debug for Uint256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LARGEST: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

    #[test]
    fn the_largest_number_is_read_and_the_next_is_not() {
        assert_eq!(LARGEST.parse(), Ok(Uint256([255; 32])));
        assert_eq!(Uint256([255; 32]).to_string(), LARGEST);
        let next = LARGEST.replace("9935", "9936");
        for text in [next.as_str(), "", "-1", "+1", "00", "01", "0x1", "1e3", " 1", "١", &"9".repeat(79)] {
            assert!(text.parse::<Uint256>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(bytes: [u8; 32]) {
            prop_assert_eq!(Uint256(bytes).to_string().parse(), Ok(Uint256(bytes)));
        }

        #[test]
        fn small_numbers_are_those_of_rust(number: u128) {
            let mut bytes = [0; 32];
            bytes[16..].copy_from_slice(&number.to_be_bytes());
            prop_assert_eq!(number.to_string().parse(), Ok(Uint256(bytes)));
            prop_assert_eq!(Uint256(bytes).to_string(), number.to_string());
        }
    }
}
