//! How far ahead requests look.

use super::*;

fn read_with(asked: &str, labels: &[&str]) -> Horizon {
    let step = periods::step(labels);
    let last = labels.last().and_then(|label| periods::read(label, None));
    read(asked, last, step, step.and_then(Unit::of_step).or_else(|| last.and_then(Unit::of_period)), labels.len())
}

#[test]
fn how_far() {
    let months: &[&str] = &["Nov 2023", "Dec 2023"];
    let plain: &[&str] = &["Mar", "Apr", "May"];
    let days: &[&str] = &["2024-05-01", "2024-05-02"];
    let weeks: &[&str] = &["week 4", "week 5"];
    let years: &[&str] = &["2022", "2023"];
    let cases: &[(&str, &[&str], Option<u32>)] = &[
        ("forecast the next 3 months", months, Some(3)),
        ("next three months please", months, Some(3)),
        ("a 12-month forecast", months, Some(12)),
        ("Forecast 6 months ahead", months, Some(6)),
        ("predict six more months", months, Some(6)),
        ("Forecast through March 2024, please", months, Some(3)),
        ("what will January be?", months, Some(1)),
        ("how much in Feb 2024", months, Some(2)),
        ("the first quarter? I mean the next quarter", months, Some(3)),
        ("and next year?", months, Some(12)),
        ("what about July and August?", plain, Some(3)),
        ("Please tell me what June to August will be", plain, Some(3)),
        ("until December", plain, Some(7)),
        ("next month?", plain, Some(1)),
        ("forecast the coming week", days, Some(7)),
        ("tomorrow?", days, Some(1)),
        ("the next two weeks", days, Some(14)),
        ("what will be on 2024-05-05?", days, Some(3)),
        ("How many do I need to order for week six?", weeks, Some(1)),
        ("weeks 6, 7 and week 8?", weeks, Some(3)),
        ("in 2026?", years, Some(3)),
        ("Forecast all of 2024.", months, Some(12)),
        ("How much in January of 2024?", months, Some(1)),
        ("and in Feb 2024?", months, Some(2)),
        ("week 6 and 7?", weeks, Some(2)),
        ("next two years??", years, Some(2)),
        ("Expect what for the end of 2024?", years, Some(1)),
        ("One value ahead is enough.", weeks, Some(1)),
        ("next 5 values", &[], Some(5)),
        ("forecast 4 points", &[], Some(4)),
        ("give me the next four", &[], Some(4)),
        ("prévision pour les 3 prochains mois", months, Some(3)),
        ("Prognose für die nächsten drei Monate", months, Some(3)),
        ("pronóstico para los próximos 2 meses", months, Some(2)),
        ("le mois prochain ?", months, Some(1)),
        ("half a year please", months, Some(6)),
    ];
    for (asked, labels, expect) in cases {
        let expect = expect.map_or(Horizon::Unsaid, Horizon::Steps);
        assert_eq!(read_with(asked, labels), expect, "{asked}");
    }
    assert_eq!(read_with("sales of the last 12 months. Where does it go?", months), Horizon::Unsaid);
    assert_eq!(read_with("Forecast up to the day our lease ends", plain), Horizon::Unknown);
    assert_eq!(read_with("the next 3 months", years), Horizon::Unknown);
}
