//! Days as `YYYY-MM-DD`, which sort as text.

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// The day itself if the text is one that exists, 1900 to 2199.
pub fn checked(text: &str) -> Option<&str> {
    let mut parts = text.splitn(3, '-');
    let mut next = |width: usize| {
        let part = parts.next()?;
        (part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse::<u32>().ok())?
    };
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    ((1900..2200).contains(&year) && (1..=days_in(year, month)).contains(&day)).then_some(text)
}

/// The day of a Unix time in milliseconds, in UTC.
pub fn of_ms(ms: u64) -> String {
    let mut days = ms / DAY_MS;
    let mut year = 1970;
    // A clock beyond the year 2200 is wrong; the loops end there.
    while year < 2200 && days >= year_days(year) {
        days -= year_days(year);
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days >= u64::from(days_in(year, month)) {
        days -= u64::from(days_in(year, month));
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days.min(30) + 1)
}

fn year_days(year: u32) -> u64 {
    if leap(year) { 366 } else { 365 }
}

fn leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn clock_becomes_a_day() {
        // Known instants: the epoch, a leap day, and the last millisecond of a year.
        assert_eq!(of_ms(0), "1970-01-01");
        assert_eq!(of_ms(1_709_164_800_000), "2024-02-29");
        assert_eq!(of_ms(1_767_225_599_999), "2025-12-31");
        assert_eq!(of_ms(1_767_225_600_000), "2026-01-01");
    }

    proptest! {
        #[test]
        fn any_clock_and_any_text(ms: u64, text in ".*") {
            let _ = checked(&text);
            prop_assert_eq!(of_ms(ms).len(), 10);
        }

        #[test]
        fn days_of_this_century_exist(ms in 0u64..7_000_000_000_000) {
            prop_assert!(checked(&of_ms(ms)).is_some());
        }
    }
}
