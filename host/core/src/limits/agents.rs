//! Limits of agents: their tasks and their marketplace.

use crate::time::DAY_MS;

/// Maximum number of agents, and of bridges, that one account may have on the
/// marketplace.
pub const PLUGINS_PER_ACCOUNT_MAX: usize = 50;
/// Maximum number of versions of one deployed plugin; each keeps its component on disk.
pub const VERSIONS_PER_DEPLOYED_MAX: usize = 100;
/// Maximum number of deployments of one account per hour: each compiles a component.
pub const DEPLOYS_PER_HOUR_MAX: u32 = 60;
/// Maximum size of the instructions that a declared agent sends to its model with each
/// task.
pub const INSTRUCTIONS_BYTES_MAX: usize = 16 << 10;
/// Maximum size of the input schema of a declared agent; manifest and instructions have
/// separate limits.
pub const DECLARED_SCHEMA_BYTES_MAX: usize = 16 << 10;
/// Maximum length of the id of a model in a declaration.
pub const MODEL_NAME_BYTES_MAX: usize = 128;
/// Maximum request body of a deployment: the largest component in base64, and its
/// manifest.
pub const DEPLOY_BYTES_MAX: usize = 44 << 20;
/// Maximum number of queued tasks that run at once: a waiting agent holds an instance.
pub const TASKS_RUNNING_MAX: usize = 16;
/// Maximum number of tasks of one account that run at once, so that other accounts always
/// find a free slot.
pub const TASKS_RUNNING_PER_ACCOUNT_MAX: usize = 4;
/// Maximum number of open tasks of all accounts; each takes a row and some bytes of
/// memory.
pub const TASKS_WAITING_MAX: usize = 100_000;
/// Maximum number of open tasks of one account, so that no account fills the queue.
pub const TASKS_PER_ACCOUNT_MAX: usize = 1_000;
/// Maximum loss of a plugin's owner to one caller per day, for nested calls that cost
/// more than the caller pays: £1.00. An owner who deliberately sells below cost loses no
/// more than this to a caller who owns the called plugin.
pub const NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE: i64 = 100_000;
/// Maximum number of pairs of owner and caller whose losses are remembered.
pub const OWNER_LOSSES_REMEMBERED_MAX: usize = 1 << 16;
/// Maximum number of attempts at a queued task whose agent fails.
pub const TASK_ATTEMPTS_MAX: u32 = 4;
/// Pause before the second attempt at a task; doubled before each further one.
pub const TASK_BACKOFF_MS: u64 = 1_000;
/// Age at which a queued task is abandoned.
pub const TASK_AGE_MS_MAX: u64 = DAY_MS;
/// Time that the caller of an agent waits for the answer; after it, the task continues in
/// the background.
pub const TASK_WAIT_MS: u64 = 25_000;
/// Maximum time that a caller of an agent may ask to wait.
pub const TASK_WAIT_MS_MAX: u64 = 60_000;
