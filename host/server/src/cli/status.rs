//! The command `tollbridge status`.

use anyhow::Result;
use clap::Args;
use tollbridge_operator::{ProblemView, Problems, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

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
    target::show_answer(global, &args.data, out, command::Status {}, describe).await.map(drop)
}

fn describe(answer: &Problems) -> String {
    let lines = answer.problems.iter().map(|ProblemView { urgency, what, todo, command, runbook, .. }| {
        let book = runbook.as_ref().map(|runbook| format!("\n        {runbook}")).unwrap_or_default();
        format!("{urgency:<5} {what}\n        {todo}\n        {command}{book}")
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
        assert!(describe(&Problems::default()).starts_with("Nothing is wrong"));
        let one = json!({
            "urgency": "soon", "what": "bridges/x waits for approval", "todo": "Look at it",
            "command": "tollbridge plugin inspect bridges/x", "runbook": null,
        });
        let shown = describe(&serde_json::from_value(json!({ "problems": [one] })).unwrap());
        assert_eq!(shown.lines().count(), 3, "{shown}");
        assert!(shown.starts_with("soon  bridges/x waits") && shown.contains("plugin inspect"), "{shown}");
    }
}
