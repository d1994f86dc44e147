//! Words of orders and ranks. All folded.

pub const DOWN: &[&str] = &[
    "highest",
    "descending",
    "desc",
    "largest",
    "biggest",
    "absteigend",
    "most",
    "decreasing",
    "best",
    "top",
    "hochste",
    "hochsten",
    "decroissant",
    "down",
    "grosste",
];

pub const UP: &[&str] = &[
    "lowest",
    "ascending",
    "asc",
    "smallest",
    "aufsteigend",
    "least",
    "increasing",
    "cheapest",
    "worst",
    "fewest",
    "bottom",
    "croissant",
    "alphabetical",
    "alphabetically",
    "oldest",
    "earliest",
];

pub const SORT: &[&str] = &[
    "sort",
    "sorted",
    "order",
    "ordered",
    "rank",
    "ranked",
    "ranking",
    "sortiere",
    "sortiert",
    "rangliste",
    "first",
    "zuerst",
    "leaderboard",
];
