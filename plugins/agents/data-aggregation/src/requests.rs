//! Requests as people put them, and what is answered.

use crate::task;

/// A request with its rows, and the summary; a refusal where it is empty.
const CASES: &[(&str, &str)] = &[
    (
        "sort by weight, heaviest on top\n\nboat,weight_kg\nMolly,980\nAlbatros,5600\nTern,640",
        "3 rows: Albatros, Molly, Tern.",
    ),
    ("total sales for the north region\n\nregion,sales\nsouth,3\neast,4\nsouth,5", ""),
    ("The total, but without the refunded orders.\n\norder,amount\n1,20\n2,30", ""),
    ("What was the latest price?\n\ndate,price\n2024-01-01,5\n2024-03-01,4", ""),
    (
        "Keep just the newest price for each article please\n\narticle,valid_from,price\nA1,2024-06-01,5.50\nA1,2024-01-01,5.00\nB2,2024-03-01,7.00",
        "2 rows, 1 repeated row removed.",
    ),
    (
        "mean and fastest time per class\n\nname;class;seconds\nTilda;7a;9.8\nMoritz;7a;9.2\nCan;7b;9.4",
        "7a average seconds 9.5, lowest seconds 9.2; 7b average seconds 9.4, lowest seconds 9.4. Average seconds, all together 9.466667.",
    ),
    (
        "Net total? And with 10 % VAT on top?\n\npaint 100; labour 200; waste 50",
        "Sum of value: 350; sum of value with 10 % vat: 385.",
    ),
    (
        "covers on the weekend in total\n\nday,covers\n2024-06-07,95\n2024-06-08,120\n2024-06-09,88",
        "Sum of covers where day on Saturday or Sunday: 208.",
    ),
    (
        "invoice: 1, client: Bo, amount: 120\ninvoice: 2, client: Al, amount: 80\ninvoice: 3, client: Bo, amount: 50\n\ntotal per client",
        "Sum of amount: Bo 170; Al 80. Sum of amount, all together 250.",
    ),
    (
        "join these with the customer master and give me revenue per country\n\norder,customer,amount\n1,K-88,120\n2,K-19,75\n3,K-88,240",
        "",
    ),
    (
        "how often was each one said?\n\nyes, no, yes, yes, don't know, no",
        "Count of rows: yes 3; no 2; don't know 1. Count of rows, all together 6.",
    ),
];

#[test]
fn what_is_asked_is_answered_or_refused() {
    for (task, expect) in CASES {
        let told = task::answer(task).map(|outcome| outcome.reply.summary).unwrap_or_default();
        assert_eq!(told, *expect, "{task}");
    }
}
