//! Times of day.

pub(crate) fn is_time(cell: &str) -> bool {
    let parts: Vec<&str> = cell.split(':').collect();
    let number = |text: &str, most: u32| (1..=2).contains(&text.len()) && text.parse::<u32>().is_ok_and(|n| n <= most);
    match parts.as_slice() {
        [hour, minute] => number(hour, 23) && minute.len() == 2 && number(minute, 59),
        [hour, minute, second] => {
            number(hour, 23) && minute.len() == 2 && number(minute, 59) && second.len() == 2 && number(second, 59)
        }
        _ => false,
    }
}

/// Minutes since midnight.
pub(crate) fn minutes(cell: &str) -> Option<i64> {
    let mut parts = cell.trim().split(':');
    let (hour, minute): (i64, i64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    is_time(cell.trim()).then_some(hour * 60 + minute)
}
