//! Runs holds, limits and the registry's table cache in random thread orders. A failure
//! prints its order, which `shuttle::replay` repeats.

use tollbridge_interleavings::scenarios;

/// Number of thread orders tried per scenario.
const ORDERS: usize = 2_000;

/// Runs a scenario in [`ORDERS`] random orders; the threads' stacks are large enough for
/// unoptimized code.
fn check(scenario: fn()) {
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 20;
    shuttle::Runner::new(shuttle::scheduler::RandomScheduler::new(ORDERS), config).run(scenario);
}

#[test]
fn holds_are_covered() {
    check(scenarios::holds_are_covered);
}

#[test]
fn a_daily_limit_is_kept() {
    check(scenarios::a_daily_limit_is_kept);
}

#[test]
fn a_window_admits_its_limit() {
    check(scenarios::a_window_admits_its_limit);
}

#[test]
fn owner_losses_stay_bounded() {
    check(scenarios::owner_losses_stay_bounded);
}

#[test]
fn a_flight_has_one_holder() {
    check(scenarios::a_flight_has_one_holder);
}

#[test]
fn a_text_is_one_table() {
    check(scenarios::a_text_is_one_table);
}

#[test]
fn an_order_that_breaks_holds_is_found() {
    let found = std::panic::catch_unwind(|| check(scenarios::racy_holds));
    assert!(found.is_err(), "no tried order let two threads check before one reserved, so the injected bug was missed");
}
