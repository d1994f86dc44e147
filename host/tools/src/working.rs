//! Shows on a terminal that a command is still working, and for how long.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::output::Output;

/// Time that a command works before progress is shown.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// Shows that a command is still working, from one second after its start until dropped.
#[derive(Debug)]
pub struct ProgressIndicator {
    /// Channel to the thread that shows the progress; dropping it ends the thread.
    done: Option<Sender<()>>,
    telling: Option<JoinHandle<()>>,
}

impl ProgressIndicator {
    /// Starts showing progress; `doing` names the work, such as "copying the data folder".
    pub fn begin(out: Output, doing: &'static str) -> Self {
        Self::tell(doing, move |text| out.progress(text))
    }

    fn tell(doing: &'static str, show: impl Fn(&str) + Send + 'static) -> Self {
        let (done, ended) = channel::<()>();
        let began = Instant::now();
        let telling = std::thread::spawn(move || {
            let mut reported = false;
            // Dropping the sender ends the wait at once, with another error.
            while ended.recv_timeout(PROGRESS_DELAY) == Err(RecvTimeoutError::Timeout) {
                show(&format!("{doing}: {} s", began.elapsed().as_secs()));
                reported = true;
            }
            if reported {
                show("");
            }
        });
        Self { done: Some(done), telling: Some(telling) }
    }
}

impl Drop for ProgressIndicator {
    /// Waits until the thread has erased its line, so that later output does not follow it.
    fn drop(&mut self) {
        self.done = None;
        if let Some(telling) = self.telling.take() {
            let _ = telling.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::Mutex;

    use super::*;

    fn progress_of(work: Duration) -> Vec<String> {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let shown = reported.clone();
        let working = ProgressIndicator::tell("checking", move |text| shown.lock().unwrap().push(text.to_owned()));
        std::thread::sleep(work);
        drop(working);
        let reported = reported.lock().unwrap();
        reported.clone()
    }

    #[test]
    fn only_what_takes_long_is_progress_of_and_the_line_is_cleared() {
        assert!(progress_of(Duration::from_millis(20)).is_empty());
        let reported = progress_of(Duration::from_millis(1_500));
        assert_eq!(reported.first().map(String::as_str), Some("checking: 1 s"));
        assert_eq!(reported.last().map(String::as_str), Some(""));
    }
}
