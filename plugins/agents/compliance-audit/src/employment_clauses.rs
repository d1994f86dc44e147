//! Clauses of employment contracts: pay, hours, leave, probation, start.

use crate::clause::{Clause, clause};

/// Clauses of employment contracts.
pub const EMPLOYMENT: &[Clause] = &[
    clause!(
        ["salary", "wage", "pay", "gehalt", "remuneration"],
        [[["salary", "wage", "remuneration", "gehalt", "gross", "paid monthly", "earns"]]],
        ["pay", "eur"]
    ),
    clause!(
        ["working hours", "working time", "hours of work", "arbeitszeit"],
        [[["working hours", "working time", "hours per week", "hours a week", "arbeitszeit", "per week"]]],
        ["hours"]
    ),
    clause!(
        ["vacation days", "annual leave", "holiday", "vacation", "paid leave", "urlaub", "holidays"],
        [[["vacation", "annual leave", "holiday", "paid leave", "days of leave", "urlaub"]]],
        ["leave", "days off"]
    ),
    clause!(
        ["probation period", "probation", "trial period", "probezeit"],
        [[["probation", "trial period", "probezeit", "probatoire"]]],
        ["trial", "first months", "first six", "first three"]
    ),
    clause!(
        ["start date", "commencement", "beginn", "date of commencement"],
        [[[
            "start date",
            "starts on",
            "begins on",
            "commence",
            "beginning on",
            "with effect from",
            "effective date",
            "takes effect",
            "beginnt am"
        ]]],
        ["from", "begin", "start"]
    ),
];
