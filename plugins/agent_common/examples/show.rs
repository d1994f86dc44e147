use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    for task in text.split("\n=====\n") {
        let request = agent_common::request::Request::read(task);
        println!("----- {task}\nINSTR {:?}", request.instruction);
        for piece in &request.material {
            println!(
                "  PIECE {:?} {:?} {:?}",
                piece.label,
                std::mem::discriminant(&piece.kind),
                piece.text.chars().take(80).collect::<String>()
            );
        }
        for table in request.tables() {
            println!(
                "  TABLE {:?} rows {} headless {} first {:?}",
                table.columns,
                table.rows.len(),
                table.headless,
                table.rows.first()
            );
        }
        for one in agent_common::series::read(task, &request) {
            println!("  SERIES {one:?}");
        }
    }
}
