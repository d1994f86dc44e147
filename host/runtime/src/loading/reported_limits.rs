//! The limits of a plugin as shown in reports: each value with the configuration key that sets it.

use std::time::Duration;

use tollbridge_plugin::{CallLimits, RuntimeLimits};

/// The limits in effect, and the configuration keys that set them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportedLimits {
    pub(crate) time: Duration,
    pub(crate) time_key: &'static str,
    pub(crate) memory_bytes: usize,
    pub(crate) memory_key: &'static str,
}

impl ReportedLimits {
    /// Combines the manifest's limits with the operator's ceilings.
    pub(crate) fn new(asked: &CallLimits, operators: &RuntimeLimits) -> Self {
        let (time_key, memory_key) = ("limits.time_ms in plugin.toml", "limits.memory_mib in plugin.toml");
        let (max_time, max_memory) =
            ("plugins.max_time in the server's configuration", "plugins.max_memory in the server's configuration");
        Self {
            time: asked.time.min(operators.max_time),
            time_key: if asked.time > operators.max_time { max_time } else { time_key },
            memory_bytes: asked.memory_bytes.min(operators.max_memory),
            memory_key: if asked.memory_bytes > operators.max_memory { max_memory } else { memory_key },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::limiter::RefusedGrowth;

    #[test]
    fn a_limit_has_the_key_of_who_set_it() {
        let asked = CallLimits { memory_bytes: 16 << 20, time: Duration::from_millis(500), ..CallLimits::default() };
        let own = ReportedLimits::new(&asked, &RuntimeLimits::default());
        let expected = "the memory limit was reached: 16 MiB (limits.memory_mib in plugin.toml)";
        assert_eq!(RefusedGrowth::Memory.describe(&own), expected);
        assert_eq!((own.time.as_millis(), own.time_key), (500, "limits.time_ms in plugin.toml"));
        let ceilings =
            RuntimeLimits { max_memory: 8 << 20, max_time: Duration::from_millis(100), ..RuntimeLimits::default() };
        let theirs = ReportedLimits::new(&asked, &ceilings);
        let expected = "the memory limit was reached: 8 MiB (plugins.max_memory in the server's configuration)";
        assert_eq!(RefusedGrowth::Memory.describe(&theirs), expected);
        assert_eq!((theirs.time.as_millis(), theirs.time_key), (100, "plugins.max_time in the server's configuration"));
    }
}
