//! Clauses of leases: deposit, pets, subletting, heating, rent.

use crate::clause::{Clause, clause};

/// Clauses of leases.
pub const TENANCY: &[Clause] = &[
    clause!(
        ["deposit", "security deposit", "kaution", "dépôt de garantie"],
        [[["deposit", "kaution", "bond"]], [["as security", "security of", "guarantee sum"]]],
        ["security"]
    ),
    clause!(["pets", "animals", "haustiere"], [[[" pet", "pets", "dog", " cat", "animal", "haustier"]]], []),
    clause!(
        ["subletting", "sublease", "untervermietung"],
        [[["sublet", "sub-let", "sublease", "untervermiet", "sous-lou"]]],
        ["third part", "let to", "lodger", "guests"]
    ),
    clause!(
        ["heating costs", "heating", "utilities", "nebenkosten", "service charges"],
        [[["heating", "utilit", "nebenkosten", "heizkosten", "service charge"]]],
        ["gas", "electricity"]
    ),
    clause!(["rent", "miete", "loyer"], [[["rent", "miete", "loyer"]]], []),
];
