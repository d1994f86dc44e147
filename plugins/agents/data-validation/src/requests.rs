//! Rules as people put them, and what is found.

use crate::task;

/// A request with its rows, and the rows and fields of the findings; `refused` where it is refused.
const CASES: &[(&str, &str)] = &[
    (
        "Quantity has to be a positive whole number and unit price can't be zero.\n\nsku,quantity,unit price\nA,3,2.50\nB,0,1.00\nC,2.5,4\nD,1,0",
        "2 quantity; 3 quantity; 4 unit price",
    ),
    (
        "status may be open, closed or pending; closed tickets need a closing date\n\nid,status,closed_on\n1,open,\n2,closed,2024-01-02\n3,done,",
        "refused",
    ),
    (
        "Please make sure no two people share the same phone number\n\nname,phone\nAnn,123456\nBob,222333\nCy,123456",
        "1+3 phone",
    ),
    ("ids should be 6 characters, starting with K\n\nid,name\nK12345,a\nX12345,b\nK1234,c", "refused"),
    (
        "start before end, and nobody must stay longer than 14 days\n\nguest,start,end\nA,2024-01-01,2024-01-05\nC,2024-03-01,2024-03-30",
        "refused",
    ),
    ("dates must be in 2024\n\nid,date\n1,2024-02-01\n2,2023-12-31", "2 date"),
    ("dates must be written DD.MM.YYYY\n\nid,date\n1,01.02.2024\n2,2024-03-01", "refused"),
    ("day and date don't always agree\n\ndate,weekday\n2024-03-04,Monday\n2024-03-06,Thursday", "2 weekday"),
    ("lat has to be -90..90\n\npoint,lat\nP1,47.2\nP2,472.2", "2 lat"),
    (
        "marks from 1 to 6 only\n\npupil: Ann, maths: 2, english: 3\npupil: Bo, maths: 7, english: 1\npupil: Cy, maths: 4, english: 1",
        "2 maths",
    ),
    ("systolic must always be higher than diastolic\n\nday,systolic,diastolic\n1,128,82\n2,80,80", "2 systolic"),
];

#[test]
fn rules_are_read_or_refused() {
    for (task, expect) in CASES {
        let told = match task::answer(task, None) {
            Ok(outcome) => {
                let list = |rows: &[usize]| rows.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
                let all: Vec<String> =
                    outcome.findings.iter().map(|one| format!("{} {}", list(&one.rows), one.field)).collect();
                all.join("; ")
            }
            Err(_) => "refused".to_owned(),
        };
        assert_eq!(told, *expect, "{task}");
    }
}
