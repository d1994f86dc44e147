//! Words that show data of special kinds: health, faith, union, politics, and passwords.

use crate::clause::{Clause, clause};

/// Data of special kinds.
pub const SENSITIVE: &[Clause] = &[
    clause!(
        ["health data", "health", "medical data", "gesundheitsdaten"],
        [[[
            "surgery",
            "illness",
            " ill ",
            "diagnos",
            "sick",
            "disab",
            "therapy",
            "pregnan",
            "diabet",
            "hospital",
            "medication",
            "depress",
            "krank",
            "allerg",
            "injur",
            "cancer",
            "asthma",
            "operation",
            "patient",
            "treatment",
            "burnout",
            "blood"
        ]]],
        ["health", "medical", "off work", "doctor"]
    ),
    clause!(
        ["religion", "religious belief", "faith"],
        [[[
            "church",
            "catholic",
            "muslim",
            "jewish",
            "christian",
            "mosque",
            "baptis",
            "buddhist",
            "hindu",
            "religio",
            "protestant",
            "synagogue",
            "parish"
        ]]],
        ["faith", "prayer", "belie"]
    ),
    clause!(
        ["trade union", "union membership", "gewerkschaft"],
        [[[
            "trade union",
            "labour union",
            "labor union",
            "of her union",
            "of his union",
            "of their union",
            "union member",
            "union rep",
            "gewerkschaft",
            "shop steward",
            "the union"
        ]]],
        ["union"]
    ),
    clause!(
        ["politics", "political opinion", "political views", "party membership"],
        [[[
            "political",
            "politic",
            "party member",
            "member of the party",
            "election campaign",
            "parliament",
            "conservative part",
            "labour party",
            "socialist",
            "green party",
            "mayor"
        ]]],
        ["party", "campaign", "vote"]
    ),
    clause!(
        ["passwords in e-mails", "passwords", "password policy", "credentials"],
        [[["password", "credential", "passwort", "login data"]]],
        ["secret", "login"]
    ),
];
