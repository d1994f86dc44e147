//! Prints how tasks on standard input, parted by the character U+001E, are taken apart.

use agent_common::request::Request;
use std::io::Read;
fn main() {
    let mut t = String::new();
    if std::io::stdin().read_to_string(&mut t).is_err() {
        return;
    }
    for task in t.split('\u{1e}') {
        let (id, task) = task.split_once('\n').unwrap_or(("", task));
        let r = Request::read(task);
        println!("===== {id}\n  ASK: {}", r.instruction.replace('\n', " ⏎ "));
        for p in &r.material {
            let k = format!("{:?}", p.kind);
            let k: String = k.chars().take(10).collect();
            let t: String = p.text.replace('\n', " ⏎ ").chars().take(150).collect();
            println!("  {k} [{}] {t}", p.label.clone().unwrap_or_default());
        }
        println!(
            "  items {} tables {:?}",
            r.items().len(),
            r.tables()
                .iter()
                .map(|t| (t.columns.join("|").chars().take(60).collect::<String>(), t.rows.len()))
                .collect::<Vec<_>>()
        );
    }
}
