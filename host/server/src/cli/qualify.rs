//! The command `tollbridge inference qualify`: measures which agents may be sold with a
//! model.
//!
//! Each task runs on the server without a sale. An answer is wrong if it does not state
//! the facts that the task expects, or if the task has no answer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_operator::{Qualification, TriedTask, command};
use tollbridge_tools::agent_facts::{AGENTS, mistake};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::cells;
use super::target::{self, Remote};

/// Number of tasks that run at the same time.
const TASKS_AT_ONCE: usize = 4;

/// Declares the built-in tasks of agents.
macro_rules! frozen {
    ($($agent:literal)*) => {
        [$(($agent, include_str!(concat!("../../../../tests/quality/agents/", $agent, "/frozen.jsonl")))),*]
    };
}

/// The built-in tasks of each agent.
const FROZEN: [(&str, &str); 17] = frozen! {
    "analytics-anomaly-detection"
    "analytics-forecast"
    "classification"
    "code-review"
    "coding"
    "compliance-audit"
    "data-aggregation"
    "data-extraction"
    "data-validation"
    "general"
    "pricing-optimization"
    "research-citation"
    "sales-lead-scoring"
    "sentiment"
    "summarization"
    "translation"
    "video-evaluation"
};

#[derive(Args, Debug)]
pub(super) struct QualifyArgs {
    /// Id of the chat model; without it, the agents are measured as they are sold now
    #[arg(long)]
    model: Option<String>,
    /// Agents to measure, such as data-aggregation; may be repeated [default: all]
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Most that the models may cost
    #[arg(long, value_name = "POUNDS", default_value = "5.00")]
    budget_gbp: Millipence,
    /// File NAME.jsonl of tasks in a folder for each agent, in place of the built-in tasks;
    /// such a measurement is not recorded
    #[arg(long, value_name = "FOLDER/*/NAME.jsonl")]
    tasks: Option<PathBuf>,
    /// Show the tasks that were not answered correctly
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// A task and the facts of its right answer.
#[derive(Clone, Debug, Deserialize)]
struct Task {
    id: String,
    say: String,
    #[serde(default)]
    files: Vec<TaskFile>,
    needs: String,
    expect: Value,
    #[serde(default)]
    covered: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct TaskFile {
    name: String,
    text: String,
}

/// The outcome of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Right,
    Wrong,
    Refused,
}

/// A task with its outcome.
#[derive(Debug, Serialize)]
struct TaskResult {
    id: String,
    covered: bool,
    outcome: Outcome,
    /// The text of the refusal, if the agent refused the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
    /// The mistake in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<String>,
}

/// The numbers of tasks with each outcome.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Tally {
    tasks: u32,
    right: u32,
    answered: u32,
    wrong: u32,
    /// Tasks that their author took for a command of the agent's list, and those of them
    /// with a right outcome.
    covered: u32,
    covered_right: u32,
}

/// The measurement of one agent.
#[derive(Debug, Serialize)]
struct AgentResult {
    agent: String,
    tally: Tally,
    qualification: Qualification,
    results: Vec<TaskResult>,
}

impl Tally {
    fn of(results: &[TaskResult]) -> Self {
        let count = |which: &dyn Fn(&TaskResult) -> bool| {
            u32::try_from(results.iter().filter(|one| which(one)).count()).unwrap_or(u32::MAX)
        };
        let is_right = |one: &TaskResult| one.outcome == Outcome::Right;
        Self {
            tasks: count(&|_| true),
            right: count(&is_right),
            answered: count(&|one| one.refusal.is_none()),
            wrong: count(&|one| one.outcome == Outcome::Wrong),
            covered: count(&|one| one.covered),
            covered_right: count(&|one| one.covered && is_right(one)),
        }
    }

    fn add(self, other: Self) -> Self {
        Self {
            tasks: self.tasks + other.tasks,
            right: self.right + other.right,
            answered: self.answered + other.answered,
            wrong: self.wrong + other.wrong,
            covered: self.covered + other.covered,
            covered_right: self.covered_right + other.covered_right,
        }
    }

    /// Returns the upper end of the 95 % Wilson interval of the share of wrong answers, in
    /// percent.
    #[expect(clippy::float_arithmetic, reason = "a statistic, not an amount")]
    fn wrong_at_most(self) -> Option<f64> {
        const Z: f64 = 1.96;
        let (n, p) = (f64::from(self.answered), f64::from(self.wrong) / f64::from(self.answered));
        let center = p + Z * Z / (2.0 * n);
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        (self.answered > 0).then(|| 100.0 * (center + half) / (1.0 + Z * Z / n))
    }

    fn row(self, name: &str, admitted: &str) -> Vec<String> {
        let bound = self.wrong_at_most().map_or_else(String::new, |bound| format!("{bound:.1}"));
        let covered = format!("{}/{}", self.covered_right, self.covered);
        cells((name, self.tasks, self.right, self.answered, self.wrong, bound, covered, admitted))
    }
}

pub(super) async fn run(args: QualifyArgs, global: &Global, out: Output) -> Result<()> {
    let server = target::running(global, &args.data).await?;
    let known: BTreeMap<String, &str> = AGENTS.iter().map(|id| (id.replace(':', "-"), *id)).collect();
    for agent in &args.agents {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        ensure!(known.contains_key(agent), "there are no tasks for `{agent}`, only for {}", names.join(", "));
    }
    let mut left = args.budget_gbp;
    let mut measured = Vec::new();
    for (agent, id) in known {
        if !args.agents.is_empty() && !args.agents.contains(&agent) {
            continue;
        }
        let tasks = tasks(&args, &agent)?;
        let mut one = measure(&server, &args, (&agent, id), tasks, &mut left).await?;
        if let (Some(_), None) = (&args.model, &args.tasks) {
            let measured = Box::new(one.qualification.clone());
            one.qualification = server.ask(command::InferenceQualify { id: agent, measured }).await?;
        }
        measured.push(one);
    }
    out.result(&serde_json::to_value(&measured)?, || describe(&measured, args.show));
    Ok(())
}

/// Returns the tasks of an agent.
fn tasks(args: &QualifyArgs, agent: &str) -> Result<Vec<Task>> {
    let text = match &args.tasks {
        None => frozen(agent).to_owned(),
        Some(pattern) => {
            let path = PathBuf::from(pattern.to_string_lossy().replacen('*', agent, 1));
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?
        }
    };
    parse(&text, agent)
}

fn parse(text: &str, agent: &str) -> Result<Vec<Task>> {
    let read = |line: &str| serde_json::from_str(line).with_context(|| format!("a task of {agent} is invalid: {line}"));
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Returns the built-in tasks of an agent: those that were frozen before any behaviour was
/// changed for them.
fn frozen(agent: &str) -> &'static str {
    FROZEN.iter().find(|(name, _)| *name == agent).map_or("", |(_, tasks)| tasks)
}

/// Runs the tasks of an agent, as long as the budget lasts.
async fn measure(
    server: &Remote,
    args: &QualifyArgs,
    (agent, id): (&str, &str),
    tasks: Vec<Task>,
    left: &mut Millipence,
) -> Result<AgentResult> {
    let total = tasks.len();
    let tried = futures_util::stream::iter(tasks).map(|task| async move {
        let files = task.files.iter().map(|file| format!("\n\n{}:\n{}", file.name, file.text));
        let text = std::iter::once(task.say.clone()).chain(files).collect();
        let command = command::InferenceTry { agent: agent.to_owned(), task: text, model: args.model.clone() };
        server.ask(command).await.map(|tried| (task, tried))
    });
    let mut tried = tried.buffered(TASKS_AT_ONCE);
    let mut version = String::new();
    let mut results = Vec::new();
    while let Some(one) = tried.next().await {
        let (task, tried): (Task, TriedTask) = one?;
        *left = left.checked_sub(Millipence::new(tried.cost_millipence)).unwrap_or(Millipence::ZERO);
        version.clone_from(&tried.version);
        results.push(judge(id, task, tried));
        ensure!(
            !left.is_negative(),
            "the budget of £{} is spent after {} of {total} tasks of {agent}; nothing is recorded for it",
            args.budget_gbp.pounds(),
            results.len()
        );
    }
    let tally = Tally::of(&results);
    let qualification = Qualification {
        model: args.model.clone().unwrap_or_default(),
        version,
        tasks: tally.tasks,
        answered: tally.answered,
        wrong: tally.wrong,
        admitted: Qualification::admits(tally.answered, tally.wrong),
        ..Qualification::default()
    };
    Ok(AgentResult { agent: agent.to_owned(), tally, qualification, results })
}

/// Judges an answer. A refusal is right if the task has no answer.
fn judge(agent: &str, task: Task, tried: TriedTask) -> TaskResult {
    let has_answer = task.needs != "ask";
    let mistake = match &tried.output {
        Some(_) if !has_answer => Some("it answered what cannot be answered".to_owned()),
        Some(answer) => mistake(agent, answer, &task.expect),
        None => None,
    };
    let outcome = match (&mistake, &tried.output) {
        (Some(_), _) => Outcome::Wrong,
        (None, None) if has_answer => Outcome::Refused,
        (None, _) => Outcome::Right,
    };
    TaskResult { id: task.id, covered: task.covered, outcome, refusal: tried.refusal, mistake }
}

fn describe(measured: &[AgentResult], show: bool) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut total = Tally::default();
    for AgentResult { agent, tally, qualification, .. } in measured {
        total = total.add(*tally);
        rows.push(tally.row(agent, if qualification.admitted { "yes" } else { "no" }));
    }
    rows.push(total.row("all", ""));
    let heads = ["AGENT", "TASKS", "RIGHT", "ANSWERED", "WRONG", "WRONG AT MOST %", "RIGHT OF COVERED", "ADMITTED"];
    let mut text = table(&heads, &rows);
    for result in measured.iter().filter(|_| show).flat_map(|one| &one.results) {
        if let (Some(why), true) =
            (result.mistake.as_ref().or(result.refusal.as_ref()), result.outcome != Outcome::Right)
        {
            text.push_str(&format!("\n{} {:?}: {why}", result.id, result.outcome));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(needs: &str, output: Option<Value>) -> TaskResult {
        let task =
            json!({ "id": "t", "say": "s", "needs": needs, "expect": { "labels": ["positive"] }, "covered": true });
        let refusal = output.is_none().then(|| "invalid_input: which text?".to_owned());
        judge("sentiment", serde_json::from_value(task).unwrap(), TriedTask { output, refusal, ..TriedTask::default() })
    }

    #[test]
    fn outcomes_are_counted() {
        let positive = || Some(json!({ "label": "positive" }));
        let results = [
            judged("rules", positive()),
            judged("rules", Some(json!({ "label": "negative" }))),
            judged("rules", None),
            judged("ask", None),
            judged("ask", positive()),
        ];
        let outcomes = results.iter().map(|one| one.outcome).collect::<Vec<_>>();
        use Outcome::{Refused, Right, Wrong};
        assert_eq!(outcomes, [Right, Wrong, Refused, Right, Wrong]);
        let tally = Tally::of(&results);
        assert_eq!((tally.tasks, tally.right, tally.answered, tally.wrong), (5, 2, 3, 2));
        assert_eq!((tally.covered, tally.covered_right), (5, 2));
    }

    #[test]
    fn the_bound_narrows_with_more_answers() {
        let bound = |answered, wrong| Tally { answered, wrong, ..Tally::default() }.wrong_at_most();
        assert_eq!(bound(0, 0), None);
        assert_eq!(bound(10, 0).map(f64::round), Some(28.0));
        assert_eq!(bound(100, 5).map(f64::round), Some(11.0));
    }

    #[test]
    fn built_in_tasks_are_valid() {
        for id in AGENTS {
            let agent = id.replace(':', "-");
            let tasks = parse(frozen(&agent), &agent).unwrap();
            assert!(tasks.len() >= 30, "{agent}: {}", tasks.len());
        }
    }
}
