//! Runs the locks of holds, limits and the registry in random orders. A failure
//! prints its order, which `shuttle::replay` repeats.

use tollbridge_interleavings::scenarios;

/// Orders tried per scenario.
const ORDERS: usize = 2_000;

#[test]
fn holds_are_covered() {
    shuttle::check_random(scenarios::holds_are_covered, ORDERS);
}

#[test]
fn a_daily_limit_is_kept() {
    shuttle::check_random(scenarios::a_daily_limit_is_kept, ORDERS);
}

#[test]
fn a_window_lets_in_its_number() {
    shuttle::check_random(scenarios::a_window_lets_in_its_number, ORDERS);
}

#[test]
fn an_owner_loses_so_much() {
    shuttle::check_random(scenarios::an_owner_loses_so_much, ORDERS);
}

#[test]
fn a_flight_has_one_holder() {
    shuttle::check_random(scenarios::a_flight_has_one_holder, ORDERS);
}

#[test]
fn a_text_is_one_table() {
    shuttle::check_random(scenarios::a_text_is_one_table, ORDERS);
}

#[test]
fn an_order_that_breaks_holds_is_found() {
    let found = std::panic::catch_unwind(|| shuttle::check_random(scenarios::holds_that_look_first, ORDERS));
    assert!(found.is_err(), "no tried order lets two threads check before one reserves");
}
