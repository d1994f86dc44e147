//! Days as `YYYY-MM-DD`, which sort as text.

use bridge_common::calendar::month_length;

/// The day itself if the text is one that exists, 1900 to 2199.
pub fn checked(text: &str) -> Option<&str> {
    let mut parts = text.splitn(3, '-');
    let mut next = |width: usize| {
        let part = parts.next()?;
        (part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse::<i64>().ok())?
    };
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    ((1900..2200).contains(&year) && (1..=12).contains(&month) && (1..=month_length(year, month)).contains(&day))
        .then_some(text)
}

#[cfg(test)]
mod tests {
    use bridge_common::calendar::date_of_unix_ms;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_days_that_exist() {
        for good in ["2024-02-29", "1900-01-01", "2025-12-31"] {
            assert_eq!(checked(good), Some(good));
        }
        for bad in [
            "2023-02-29",
            "2025-13-01",
            "2025-00-10",
            "2025-1-1",
            "2025-01-01T",
            "",
            "2025-01",
            "20x5-01-01",
            "9999-01-01",
        ] {
            assert_eq!(checked(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text(text in ".*") {
            let _ = checked(&text);
        }

        #[test]
        fn days_of_this_century_exist(ms in 0u64..7_000_000_000_000) {
            prop_assert!(checked(&date_of_unix_ms(ms)).is_some());
        }
    }
}
