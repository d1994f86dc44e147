//! The day of a moment, in UTC.

/// `YYYY-MM-DD` of Unix milliseconds (Howard Hinnant's algorithm `civil_from_days`).
pub fn of_ms(ms: u64) -> String {
    let days = (ms / 86_400_000).min(2_932_896);
    let shifted = days.saturating_add(719_468);
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        for (ms, day) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_767_225_599_999, "2025-12-31"),
            (1_767_225_600_000, "2026-01-01"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(of_ms(ms), day);
        }
    }
}
