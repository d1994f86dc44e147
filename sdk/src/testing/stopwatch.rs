//! Measures the average time of a call by repeating it.

use std::time::{Duration, Instant};

/// Environment variable that enables the timing of passing cases.
pub const BENCH_VARIABLE: &str = "TOLLBRIDGE_BENCH";
/// Prefix of the output line of a timed case. The case's name and the nanoseconds follow,
/// separated by tabs.
pub const BENCH_LINE: &str = "tollbridge-bench";

/// Number of warm-up calls before timing starts.
const WARM: u32 = 20;
/// Number of timed rounds. The result is that of the fastest round, because other load on
/// the machine only adds time.
const ROUNDS: u32 = 3;
const ROUND: Duration = Duration::from_millis(100);

/// Returns the average time of a call in the fastest round, measured with `clock` after warming up;
/// `None` if any call fails.
pub fn time(clock: impl Fn() -> Duration, mut call: impl FnMut() -> bool) -> Option<Duration> {
    let mut warm = (0..WARM).map(|_| call());
    if !warm.all(|succeeds| succeeds) {
        return None;
    }
    let round = || {
        let (begun, started, mut calls) = (clock(), Instant::now(), 0_u32);
        while started.elapsed() < ROUND {
            if !call() {
                return None;
            }
            calls = calls.saturating_add(1);
        }
        clock().saturating_sub(begun).checked_div(calls)
    };
    std::iter::repeat_with(round).take(ROUNDS as usize).collect::<Option<Vec<_>>>()?.into_iter().min()
}

/// Returns whether the environment variable enables timing.
pub(super) fn is_wanted() -> bool {
    std::env::var_os(BENCH_VARIABLE).is_some()
}

/// Times a case by the wall clock and prints the result as one line.
#[allow(clippy::print_stdout, reason = "the line is the requested output")]
pub(super) fn print(case: &str, call: impl FnMut() -> bool) {
    let begun = Instant::now();
    if let Some(took) = time(|| begun.elapsed(), call) {
        println!("{BENCH_LINE}\t{case}\t{}", took.as_nanos());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_takes_its_part_of_a_round() {
        let begun = Instant::now();
        let sleep = || {
            std::thread::sleep(Duration::from_millis(2));
            true
        };
        let took = time(|| begun.elapsed(), sleep).expect("a time");
        assert!((Duration::from_millis(2)..Duration::from_millis(20)).contains(&took), "{took:?}");
    }

    #[test]
    fn a_call_that_fails_again_has_no_time() {
        let mut calls = 0;
        let fails_later = || {
            calls += 1;
            calls < 50
        };
        assert_eq!(time(|| Duration::ZERO, fails_later), None);
    }
}
