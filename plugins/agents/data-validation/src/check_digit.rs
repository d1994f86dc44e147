//! Numbers with a check digit: EAN, ISBN and cards.

fn digits(cell: &str) -> Option<Vec<u32>> {
    let bare: Vec<char> = cell.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    bare.iter().map(|c| c.to_digit(10)).collect()
}

pub(crate) fn is_ean(cell: &str) -> bool {
    let Some(all) = digits(cell).filter(|all| matches!(all.len(), 8 | 12 | 13 | 14)) else { return false };
    let sum: u32 = all.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 3 }).sum();
    sum.is_multiple_of(10)
}

pub(crate) fn is_isbn(cell: &str) -> bool {
    let bare: Vec<char> = cell.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if bare.len() == 13 {
        return is_ean(cell);
    }
    let value = |(at, c): (usize, &char)| if at == 9 && matches!(c, 'X' | 'x') { Some(10) } else { c.to_digit(10) };
    let all: Option<Vec<u32>> = bare.iter().enumerate().map(value).collect();
    all.filter(|all| all.len() == 10)
        .is_some_and(|all| all.iter().zip((1..=10).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() % 11 == 0)
}

pub(crate) fn is_luhn(cell: &str) -> bool {
    let Some(all) = digits(cell).filter(|all| (12..=19).contains(&all.len())) else { return false };
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    all.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit }).sum::<u32>() % 10
        == 0
}
