//! Dates of the Gregorian calendar and days since 1970, by Howard Hinnant's `days_from_civil` and `civil_from_days`:
//! years are counted from March, so that the leap day comes last, in eras of 400 years.

const DAY_MS: u64 = 86_400_000;
/// 9999-12-31, the last day that `YYYY-MM-DD` can write.
const LAST_DAY: u64 = 2_932_896;

/// Days of a month of 1 to 12.
#[must_use]
pub fn month_length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date, for years up to some millions.
#[must_use]
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of days since 1970-01-01. Days before the year -220 or after 10183 count as the first or last of
/// them.
#[must_use]
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days.clamp(-800_000, 3_000_000) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// `YYYY-MM-DD` of Unix milliseconds, in UTC; 9999-12-31 for anything later.
#[must_use]
pub fn date_of_unix_ms(ms: u64) -> String {
    let days = i64::try_from((ms / DAY_MS).min(LAST_DAY)).unwrap_or_default();
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_some_centuries_comes_back() {
        let mut expect = (1599, 12, 31);
        for days in days_from_civil(1600, 1, 1)..=days_from_civil(2400, 12, 31) {
            let (year, month, day) = expect;
            expect = match (day == month_length(year, month), month == 12) {
                (false, _) => (year, month, day + 1),
                (true, false) => (year, month + 1, 1),
                (true, true) => (year + 1, 1, 1),
            };
            assert_eq!(civil_from_days(days), expect);
            assert_eq!(days_from_civil(expect.0, expect.1, expect.2), days);
        }
        assert_eq!(expect, (2400, 12, 31));
    }

    #[test]
    fn clocks_become_dates() {
        for (ms, date) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_709_164_800_000, "2024-02-29"),
            (1_767_225_599_999, "2025-12-31"),
            (1_767_225_600_000, "2026-01-01"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(date_of_unix_ms(ms), date);
        }
    }
}
