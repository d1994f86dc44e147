use super::*;

const RULES: CanaryRules = CanaryRules { failures_max: 10, slower_max: 100, changed_max: Some(50) };

fn tally(canary: &[(u64, bool)], stable: &[(u64, bool)]) -> Tally {
    let mut tally = Tally::default();
    for (calls, side) in [(canary, &mut tally.canary), (stable, &mut tally.stable)] {
        for (micros, failed) in calls {
            side.count(*failed, Duration::from_micros(*micros));
        }
    }
    tally
}

fn calls(count: usize, micros: u64, failures: usize) -> Vec<(u64, bool)> {
    (0..count).map(|number| (micros, number < failures)).collect()
}

#[test]
fn three_failures_that_are_more_than_the_others_end_it() {
    let worse = |canary: &[(u64, bool)], stable: &[(u64, bool)]| tally(canary, stable).worse_by(&RULES);
    assert_eq!(worse(&calls(2, 10, 2), &[]), None, "too few to be significant");
    assert_eq!(worse(&calls(3, 10, 3), &[]).as_deref(), Some("3 of its 3 calls failed"));
    assert_eq!(worse(&calls(300, 10, 3), &[]), None, "one percent is allowed");
    assert!(worse(&calls(299, 10, 3), &[]).is_some());
    // If a service that both versions use is down, both fail equally often, and the
    // canary is not worse.
    assert_eq!(worse(&calls(100, 10, 40), &calls(100, 10, 39)), None);
    assert!(worse(&calls(100, 10, 40), &calls(100, 10, 20)).is_some());
}

#[test]
fn what_one_caller_is_refused_counts_once() {
    let mut tally = Tally::default();
    let refuse = |tally: &mut Tally, caller: &str| {
        for _ in 0..10 {
            tally.count_tried(Tried::Refused { caller }, Duration::from_micros(10));
        }
        tally.worse_by(&RULES)
    };
    assert_eq!(refuse(&mut tally, "one"), None);
    assert_eq!(refuse(&mut tally, "two"), None);
    assert_eq!(refuse(&mut tally, "three").as_deref(), Some("3 of its 30 calls failed"));
    // Failures of the canary count each time, even for the same caller, unlike refusals.
    let mut tally = Tally::default();
    for _ in 0..3 {
        tally.count_tried(Tried::Failed, Duration::from_micros(10));
    }
    assert!(tally.worse_by(&RULES).is_some());
}

#[test]
fn times_are_compared_when_there_are_enough_and_not_by_the_noise() {
    let worse = |canary: (usize, u64), stable: (usize, u64)| {
        tally(&calls(canary.0, canary.1, 0), &calls(stable.0, stable.1, 0)).worse_by(&RULES)
    };
    assert_eq!(worse((64, 100_000), (49, 10_000)), None);
    assert!(worse((64, 23_000), (50, 10_000)).is_some());
    assert_eq!(worse((64, 22_000), (50, 10_000)), None, "twice the duration plus the noise is allowed");
    assert_eq!(worse((64, 1_900), (50, 1)), None);
    // Five of a hundred calls may be slow, because the 95th percentile is compared.
    let mut slow = calls(95, 10_000, 0);
    slow.extend(calls(5, 900_000, 0));
    slow.truncate(96);
    assert_eq!(tally(&slow, &calls(50, 10_000, 0)).worse_by(&RULES), None);
}

#[test]
fn answers_that_differ_end_it_where_that_is_asked_for() {
    let of = |compared: u64, changed: u64| Tally { compared, changed, ..Tally::default() };
    assert_eq!(of(19, 19).worse_by(&RULES), None);
    assert_eq!(of(20, 1).worse_by(&RULES), None);
    assert!(of(20, 2).worse_by(&RULES).is_some());
    assert_eq!(of(20, 20).worse_by(&CanaryRules { changed_max: None, ..RULES }), None);
}
