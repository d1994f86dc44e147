//! Bounds of agents: their tasks and their marketplace.

use crate::time::DAY_MS;

/// Agents that one account may have on the marketplace, and bridges.
pub const PLUGINS_PER_ACCOUNT_MAX: usize = 50;
/// Versions of one of them; each keeps its component on disk.
pub const VERSIONS_PER_DEPLOYED_MAX: usize = 100;
/// Deployments of one account in an hour: each compiles a component.
pub const DEPLOYS_PER_HOUR_MAX: u32 = 60;
/// What a declared agent tells its model before each task.
pub const INSTRUCTIONS_BYTES_MAX: usize = 16 << 10;
/// Input schema of a declared agent; manifest and instructions stand beside it.
pub const DECLARED_SCHEMA_BYTES_MAX: usize = 16 << 10;
/// The id of a model in a declaration.
pub const MODEL_NAME_BYTES_MAX: usize = 128;
/// Body of a deployment: the largest component in base64, and its manifest.
pub const DEPLOY_BYTES_MAX: usize = 44 << 20;
/// Tasks of the queue that run at once: agents that wait hold an instance.
pub const TASKS_RUNNING_MAX: usize = 16;
/// Tasks of one account that run at once: others always find a place.
pub const TASKS_RUNNING_PER_ACCOUNT_MAX: usize = 4;
/// Open tasks of all accounts; each takes a row and some bytes of memory.
pub const TASKS_WAITING_MAX: usize = 100_000;
/// Open tasks of one account, so that none fills the queue for all.
pub const TASKS_PER_ACCOUNT_MAX: usize = 1_000;
/// What the calls of one caller may cost the owner of a plugin on one day, beyond
/// what the caller pays: £1.00. Who sells below cost on purpose loses no more to
/// a caller who owns the callee.
pub const NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE: i64 = 100_000;
/// Owners and callers between whom such losses are remembered.
pub const OWNER_LOSSES_REMEMBERED_MAX: usize = 1 << 16;
/// Attempts at a queued task whose agent fails.
pub const TASK_ATTEMPTS_MAX: u32 = 4;
/// Pause before the second attempt; doubled before each further one.
pub const TASK_BACKOFF_MS: u64 = 1_000;
/// How old a queued task may become before it is given up.
pub const TASK_AGE_MS_MAX: u64 = DAY_MS;
/// How long a caller of an agent waits before its task goes on without it.
pub const TASK_WAIT_MS: u64 = 25_000;
/// The longest that a caller may ask to wait.
pub const TASK_WAIT_MS_MAX: u64 = 60_000;
