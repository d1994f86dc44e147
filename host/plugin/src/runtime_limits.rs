//! The operator's limits for all plugins.

use std::time::Duration;

use tollbridge_core::limits::{COMPONENT_BYTES_MAX, GUEST_MEMORY_BYTES_MAX, GUEST_TIME_MS_MAX};

/// The operator's limits for all plugins; they cap each plugin's own limits.
#[derive(Clone, Debug)]
pub struct RuntimeLimits {
    /// Largest memory of one instance, in bytes.
    pub max_memory: usize,
    /// Longest wall-clock time of one call.
    pub max_time: Duration,
    /// Largest size of a component file, in bytes.
    pub max_component: usize,
    /// Maximum number of concurrent instances of all plugins together.
    pub instances: u32,
    /// Maximum number of concurrent instances of one plugin, and of all plugins deployed
    /// by one tenant, so that no tenant uses them all.
    pub share: u32,
    /// Maximum number of concurrent calls of one account, or of one IP address without an
    /// account.
    pub caller_share: u32,
    /// Longest time that a call waits for a free instance.
    pub queue_wait: Duration,
}

impl Default for RuntimeLimits {
    fn default() -> Self {
        let instances = 256;
        Self {
            max_memory: 64 << 20,
            max_time: Duration::from_secs(10),
            max_component: COMPONENT_BYTES_MAX,
            instances,
            share: instances / 4,
            caller_share: instances / 8,
            queue_wait: Duration::from_secs(2),
        }
    }
}

impl RuntimeLimits {
    /// Returns these limits, capped by the built-in maximums.
    pub fn bounded(mut self) -> Self {
        self.max_memory = self.max_memory.min(GUEST_MEMORY_BYTES_MAX);
        self.max_time = self.max_time.min(Duration::from_millis(GUEST_TIME_MS_MAX));
        self.max_component = self.max_component.min(COMPONENT_BYTES_MAX);
        self.instances = self.instances.clamp(1, 10_000);
        self.share = self.share.clamp(1, self.instances);
        self.caller_share = self.caller_share.clamp(1, self.instances);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_configuration_exceeds_the_ceilings() {
        let greedy = RuntimeLimits {
            max_memory: usize::MAX,
            max_time: Duration::from_secs(1 << 30),
            max_component: usize::MAX,
            instances: u32::MAX,
            share: u32::MAX,
            ..RuntimeLimits::default()
        };
        let bounded = greedy.bounded();
        assert_eq!(bounded.max_memory, GUEST_MEMORY_BYTES_MAX);
        assert_eq!(bounded.max_time, Duration::from_millis(GUEST_TIME_MS_MAX));
        assert_eq!(bounded.max_component, COMPONENT_BYTES_MAX);
        assert_eq!((bounded.instances, bounded.share), (10_000, 10_000));
        assert_eq!(RuntimeLimits { share: 0, ..RuntimeLimits::default() }.bounded().share, 1);
    }
}
