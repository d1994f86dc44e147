//! Probe only.
use crate::rules::{Chosen, choose};
#[test]
#[ignore]
fn probe() {
    let file = std::env::var("ROUTES").unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    for line in text.lines() {
        let task: serde_json::Value = serde_json::from_str(line).unwrap();
        let say = task["say"].as_str().unwrap();
        let got = match choose(say) {
            Chosen::One(c) => serde_json::json!({"id": task["id"], "got": c.skill, "why": c.why, "conf": c.confidence, "alt": c.alternatives}),
            Chosen::Two(a, b) => serde_json::json!({"id": task["id"], "got": format!("two {a} {b}")}),
            Chosen::None => serde_json::json!({"id": task["id"], "got": "none"}),
        };
        println!("ROUTE {got}");
    }
}
