//! Time stamps and timing lines of captions. Lenient: what can be understood is, and what is wrong is said.

use crate::input::CaptionFormat;

/// A timing line.
#[derive(Debug, PartialEq, Eq)]
pub struct Timing<'a> {
    /// Milliseconds.
    pub start: u64,
    pub end: u64,
    /// What follows the end.
    pub settings: &'a str,
    /// Kind and text of what is not as it should be.
    pub flaws: Vec<(&'static str, String)>,
}

/// Reads a line with an arrow; none if it holds no two times.
pub fn line(line: &str, format: CaptionFormat) -> Option<Timing<'_>> {
    let (left, right) = line.split_once("-->")?;
    let mut flaws = Vec::new();
    if !left.ends_with([' ', '\t']) || !right.starts_with([' ', '\t']) {
        flaws.push(("loose_arrow", "there should be a space before and after -->".to_owned()));
    }
    let right = right.trim_start();
    let (end, settings) = right.split_once([' ', '\t']).unwrap_or((right, ""));
    let start = stamp(left.trim(), format, &mut flaws)?;
    let end = stamp(end, format, &mut flaws)?;
    Some(Timing { start, end, settings: settings.trim(), flaws })
}

/// Milliseconds of a time stamp.
pub fn stamp(text: &str, format: CaptionFormat, flaws: &mut Vec<(&'static str, String)>) -> Option<u64> {
    let mark = text.rfind(['.', ',']);
    let (clock, fraction) = match mark {
        Some(at) => (text.get(..at)?, text.get(at.checked_add(1)?..)?),
        None => (text, ""),
    };
    let right = if format == CaptionFormat::Srt { ',' } else { '.' };
    if mark.and_then(|at| text.get(at..)?.chars().next()).is_some_and(|found| found != right) {
        flaws.push(("wrong_decimal_mark", format!("{text:.40}: milliseconds come after `{right}` in this format")));
    }
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts.as_slice() {
        [hours, minutes, seconds] => (*hours, *minutes, *seconds),
        [minutes, seconds] => ("00", *minutes, *seconds),
        _ => return None,
    };
    let digits = |text: &str, most: usize| {
        let fine = !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
        fine.then(|| text.parse::<u64>().ok()).flatten()
    };
    let (hour, minute, second) = (digits(hours, 6)?, digits(minutes, 2)?, digits(seconds, 2)?);
    if minute > 59 || second > 59 {
        return None;
    }
    let padded: String = fraction.chars().chain("000".chars()).take(3).collect();
    let milli = digits(&padded, 3)?;
    let short = hours.len() < 2 || minutes.len() != 2 || seconds.len() != 2 || fraction.len() != 3;
    if short || (parts.len() == 2 && format == CaptionFormat::Srt) {
        let shape = if format == CaptionFormat::Srt { "00:00:00,000" } else { "00:00.000 or 00:00:00.000" };
        flaws.push(("loose_timestamp", format!("{text:.40} should be written as {shape}")));
    }
    Some(((hour * 60 + minute) * 60 + second) * 1000 + milli)
}
