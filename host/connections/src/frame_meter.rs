//! Parses the frames of an incoming HTTP/2 connection without their content, and limits
//! control frames.
//!
//! hyper must answer each ping, settings and reset frame. It limits the memory for these
//! answers but not the work. Each connection therefore has a budget for control frames
//! (CVE-2019-9512, CVE-2019-9515, CVE-2023-44487).

use std::time::Duration;

use tokio::time::Instant;

/// Budget of one HTTP/2 connection for control frames in `HTTP2_OVERHEAD_WINDOW_MS`, in
/// the units of the costs below. It allows 500 resets, 5,000 pings or 50,000 window
/// updates, that is, two for each of 2,500 chunks per second over 10 s.
const HTTP2_OVERHEAD_MAX: u32 = 50_000;
/// The time window of `HTTP2_OVERHEAD_MAX`.
const HTTP2_OVERHEAD_WINDOW_MS: u64 = 10_000;
/// Cost of a reset; high, because the server had begun a call for the stream.
const HTTP2_RESET_COST: u32 = 100;
/// Cost of a ping, of settings, and of any other frame that carries no request.
const HTTP2_CONTROL_COST: u32 = 10;
/// Cost of a window update; low, because reading a response takes many.
const HTTP2_WINDOW_UPDATE_COST: u32 = 1;

/// Length of a frame header: 24 bits of length, then type, flags and stream.
const HEADER_BYTES: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The frame meter; see the module documentation.
#[derive(Debug)]
pub(crate) struct FrameMeter {
    header: [u8; HEADER_BYTES],
    header_read: usize,
    /// Bytes of the current frame's content still to be received.
    left: usize,
    /// Whether a header block has started and not ended.
    headers_open: bool,
    overhead: u32,
    window_began: Instant,
    unbounded: bool,
}

/// The result of parsing received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Number of completed frames.
    pub complete: u32,
    /// Whether a frame, or a header block, is incomplete.
    pub begun: bool,
    /// Whether the budget for control frames is used up.
    pub flood: bool,
}

impl FrameMeter {
    /// Creates the meter of a connection whose preface was just received. The budget of a
    /// trusted proxy is unlimited, because it carries many clients.
    pub(crate) fn new(trusted: bool) -> Self {
        Self {
            header: [0; HEADER_BYTES],
            header_read: 0,
            left: 0,
            headers_open: false,
            overhead: 0,
            window_began: Instant::now(),
            unbounded: trusted,
        }
    }

    /// Parses the next received bytes.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> Seen {
        let (mut complete, mut flood) = (0_u32, false);
        loop {
            let skipped = self.left.min(bytes.len());
            self.left = self.left.saturating_sub(skipped);
            bytes = bytes.get(skipped..).unwrap_or_default();
            if self.left > 0 {
                break;
            }
            if self.header_read == HEADER_BYTES {
                self.header_read = 0;
                complete = complete.saturating_add(1);
            }
            if bytes.is_empty() {
                break;
            }
            bytes = self.read_header(bytes);
            if self.header_read == HEADER_BYTES {
                flood |= self.start_frame();
            }
        }
        let begun = self.header_read > 0 || self.headers_open;
        Seen { complete, begun, flood: flood && !self.unbounded }
    }

    /// Reads the missing bytes of a frame header; returns the bytes that follow the
    /// header.
    fn read_header<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let missing = self.header.get_mut(self.header_read..).unwrap_or_default();
        let taken = missing.len().min(bytes.len());
        for (to, from) in missing.iter_mut().zip(bytes) {
            *to = *from;
        }
        self.header_read = self.header_read.saturating_add(taken);
        bytes.get(taken..).unwrap_or_default()
    }

    /// Starts the frame whose header is complete; returns true if the frame exceeds the
    /// budget for control frames.
    fn start_frame(&mut self) -> bool {
        let [high, middle, low, kind, flags, ..] = self.header;
        self.left = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
        let cost = match kind {
            HEADERS | CONTINUATION => {
                self.headers_open = flags & END_HEADERS == 0;
                0
            }
            DATA if self.left > 0 || flags & END_STREAM != 0 => 0,
            RST_STREAM => HTTP2_RESET_COST,
            WINDOW_UPDATE => HTTP2_WINDOW_UPDATE_COST,
            _ => HTTP2_CONTROL_COST,
        };
        self.overhead = self.overhead.saturating_add(cost);
        if self.overhead <= HTTP2_OVERHEAD_MAX {
            return false;
        }
        let now = Instant::now();
        let over = now.duration_since(self.window_began) >= Duration::from_millis(HTTP2_OVERHEAD_WINDOW_MS);
        (self.overhead, self.window_began) = (cost, now);
        !over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_be_bytes();
        let mut bytes = length[1..].to_vec();
        bytes.extend([kind, flags, 0, 0, 0, 1]);
        bytes.extend(content);
        bytes
    }

    #[tokio::test(start_paused = true)]
    async fn frames_are_followed_wherever_they_are_cut() {
        let mut bytes = frame(4, 0, &[]);
        bytes.extend(frame(HEADERS, 0, &[1; 70]));
        bytes.extend(frame(CONTINUATION, END_HEADERS, &[2; 300]));
        bytes.extend(frame(DATA, 1, &[3; 1000]));
        bytes.extend(frame(6, 0, &[0; 8]));
        let ends = [9, 9 + 79 + 309, 9 + 79 + 309 + 1009, bytes.len()];
        for step in [1, 2, 7, 9, 10, 79, 500, 5000] {
            let (mut meter, mut at, mut complete) = (FrameMeter::new(false), 0, 0);
            for part in bytes.chunks(step) {
                let seen = meter.read(part);
                at += part.len();
                complete += seen.complete;
                assert_eq!(seen.begun, !ends.contains(&at), "step {step}, byte {at}");
                assert!(!seen.flood);
            }
            assert_eq!(complete, 5, "step {step}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn frames_without_requests_have_a_renewable_budget() {
        for (kind, cost) in [(RST_STREAM, HTTP2_RESET_COST), (6, HTTP2_CONTROL_COST), (WINDOW_UPDATE, 1), (200, 10)] {
            let mut meter = FrameMeter::new(false);
            let bytes = frame(kind, 0, &[0; 4]);
            for _ in 0..3 {
                for _ in 0..HTTP2_OVERHEAD_MAX / cost {
                    assert!(!meter.read(&bytes).flood, "kind {kind}");
                }
                tokio::time::advance(Duration::from_millis(HTTP2_OVERHEAD_WINDOW_MS)).await;
                assert!(!meter.read(&bytes).flood, "kind {kind}");
                // The frame above started a new window and counts in it; reset its cost.
                meter.overhead = 0;
            }
            let sent = (0..=HTTP2_OVERHEAD_MAX / cost).filter(|_| meter.read(&bytes).flood).count();
            assert_eq!(sent, 1, "kind {kind}");
        }
        let mut requests = FrameMeter::new(false);
        let bytes = frame(HEADERS, END_HEADERS, &[0; 20]);
        assert!((0..200_000).all(|_| !requests.read(&bytes).flood));
        let mut proxy = FrameMeter::new(true);
        let bytes = frame(RST_STREAM, 0, &[0; 4]);
        assert!((0..10_000).all(|_| !proxy.read(&bytes).flood));
    }
}
