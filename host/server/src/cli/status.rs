//! The command `tollbridge status`.

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::publisher::text;
use super::target;

/// Show current problems, and what to do about them
///
/// Covers plugins that do not serve, artifacts that cannot be copied, pending payments, disputes,
/// paused providers, failing webhooks, backups, exchange rates and disk space.
#[derive(Args, Debug)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: StatusArgs, global: &Global, out: Output) -> Result<()> {
    let answer = target::run(global, &args.data, command::Status {}).await?;
    out.result(&answer, || describe(&answer));
    Ok(())
}

fn describe(answer: &Value) -> String {
    let problems = answer.get("problems").and_then(Value::as_array).into_iter().flatten();
    let lines = problems.map(|one| {
        let runbook = text(one, "runbook");
        let book = if runbook.is_empty() { String::new() } else { format!("\n        {runbook}") };
        let (urgency, what, todo) = (text(one, "urgency"), text(one, "what"), text(one, "todo"));
        format!("{urgency:<5} {what}\n        {todo}\n        {}{book}", text(one, "command"))
    });
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => "Nothing is wrong: everything serves, and nothing is waiting.".to_owned(),
        false => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_problem_has_its_command() {
        assert!(describe(&json!({ "problems": [] })).starts_with("Nothing is wrong"));
        let one = json!({
            "urgency": "soon", "what": "bridges/x waits for approval", "todo": "Look at it",
            "command": "tollbridge plugin inspect bridges/x", "runbook": null,
        });
        let shown = describe(&json!({ "problems": [one] }));
        assert_eq!(shown.lines().count(), 3, "{shown}");
        assert!(shown.starts_with("soon  bridges/x waits") && shown.contains("plugin inspect"), "{shown}");
    }
}
