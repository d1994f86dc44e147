//! Decides the next step after a failed attempt at a line.

use tollbridge_gateway::GatewayError;

/// Maximum number of attempts at one line if the providers fail each time. Pauses grow to
/// 15 minutes, so that 100 attempts span the batch's window of a day.
const BATCH_LINE_ATTEMPTS_MAX: u32 = 100;
/// Maximum number of attempts at one line that a provider may have billed to the operator
/// without an answer, for example after a time-out.
const BATCH_LINE_BILLED_ATTEMPTS_MAX: u32 = 3;
/// Pause before the second attempt at a line; doubled before each further one.
const BATCH_LINE_PAUSE_MS: u64 = 2_000;
/// Maximum pause between attempts at a line.
const BATCH_LINE_PAUSE_MS_MAX: u64 = 15 * 60 * 1000;

/// Delay before a line is retried after a temporary refusal.
const BRIEF_DELAY_MS: u64 = 1_000;

/// Failed attempts at a line so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineAttempts {
    /// Number of attempts that failed at the providers.
    failed: u32,
    /// Number of failed attempts that a provider may have billed.
    billed: u32,
}

/// The next step for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineStep {
    /// Retry the line after this delay.
    Retry {
        after_ms: u64,
        tries: LineAttempts,
        /// Whether the providers caused the failure.
        is_outage: bool,
    },
    /// Store the error as the result of the line.
    Refuse,
}

/// Decides the next step for a line from the error of its last attempt.
pub(super) fn line_step(error: &GatewayError, tries: LineAttempts) -> LineStep {
    match error {
        GatewayError::ProvidersUnavailable { attempts, retry_after_s, .. }
        | GatewayError::ProvidersRateLimited { attempts, retry_after_s, .. } => {
            let may_be_billed = attempts.iter().any(|attempt| attempt.may_be_billed);
            let tries = LineAttempts {
                failed: tries.failed.saturating_add(1),
                billed: tries.billed.saturating_add(u32::from(may_be_billed)),
            };
            if tries.failed >= BATCH_LINE_ATTEMPTS_MAX || tries.billed >= BATCH_LINE_BILLED_ATTEMPTS_MAX {
                return LineStep::Refuse;
            }
            let doubled = BATCH_LINE_PAUSE_MS.saturating_mul(1 << tries.failed.saturating_sub(1).min(16));
            let after_ms = doubled.max(retry_after_s.saturating_mul(1_000)).min(BATCH_LINE_PAUSE_MS_MAX);
            LineStep::Retry { after_ms, tries, is_outage: true }
        }
        // Temporary: other requests of the account or of the server use the capacity.
        GatewayError::Busy
        | GatewayError::AccountBusy
        | GatewayError::CreditReserved
        | GatewayError::InProgress
        | GatewayError::OutcomeUnknown => LineStep::Retry { after_ms: BRIEF_DELAY_MS, tries, is_outage: false },
        _ => LineStep::Refuse,
    }
}

#[cfg(test)]
mod tests {
    use tollbridge_core::money::Millipence;

    use super::*;
    use tollbridge_gateway::FailedAttempt;

    fn outage(may_be_billed: bool) -> GatewayError {
        let attempt = FailedAttempt {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            reason: "failed".to_owned(),
            elapsed_ms: 1,
            may_be_billed,
        };
        GatewayError::ProvidersUnavailable {
            model: "m".to_owned(),
            attempts: vec![attempt],
            are_paused: false,
            retry_after_s: 1,
        }
    }

    #[test]
    fn an_outage_is_waited_for_with_growing_pauses_and_an_end() {
        let (mut tries, mut waited, mut pauses) = (LineAttempts::default(), 0, 0);
        while let LineStep::Retry { after_ms, tries: next, is_outage } = line_step(&outage(false), tries) {
            assert!(is_outage && (BATCH_LINE_PAUSE_MS..=BATCH_LINE_PAUSE_MS_MAX).contains(&after_ms));
            (tries, waited, pauses) = (next, waited + after_ms, pauses + 1);
        }
        assert_eq!(pauses, BATCH_LINE_ATTEMPTS_MAX - 1);
        assert!(waited > 20 * 60 * 60 * 1000, "retries last through an outage of hours: {waited} ms");
    }

    #[test]
    fn attempts_that_may_be_billed_are_limited() {
        let (mut tries, mut attempts) = (LineAttempts::default(), 1);
        while let LineStep::Retry { tries: next, .. } = line_step(&outage(true), tries) {
            (tries, attempts) = (next, attempts + 1);
        }
        assert_eq!(attempts, BATCH_LINE_BILLED_ATTEMPTS_MAX);
    }

    #[test]
    fn a_payment_error_is_final() {
        let (balance, needed) = (Millipence::ZERO, Millipence::new(1));
        for error in [
            GatewayError::InsufficientCredit { balance, needed },
            GatewayError::CostLimitExceeded { limit: balance, needed },
            GatewayError::NotConfigured("no provider".to_owned()),
            GatewayError::AlreadySealed,
        ] {
            assert_eq!(line_step(&error, LineAttempts::default()), LineStep::Refuse, "{error}");
        }
        let reserved = line_step(&GatewayError::CreditReserved, LineAttempts::default());
        assert!(matches!(reserved, LineStep::Retry { is_outage: false, .. }));
    }
}
