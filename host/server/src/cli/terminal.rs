//! A full-screen terminal that shows frames and reads single keys.
//!
//! Invariant: the previous state is restored, whatever ends the display, unless the process is
//! killed.

use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

/// Switches to the alternate screen without a cursor, and back.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
/// Moves the cursor to the upper left corner.
const HOME: &str = "\x1b[H";
/// Clears the rest of a line, and of the screen.
const END_OF_LINE: &str = "\x1b[K";
const END_OF_SCREEN: &str = "\x1b[J";

/// The alternate screen, restored on drop.
pub(super) struct Terminal {
    /// The earlier input settings.
    before: Option<Termios>,
}

impl Terminal {
    /// Switches to the alternate screen, if standard output is a terminal.
    pub(super) fn open() -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let before = io::stdin().is_terminal().then(|| tcgetattr(io::stdin()).ok()).flatten();
        if let Some(before) = &before {
            let mut keys = before.clone();
            // Read each key at once, without echo; Ctrl-C remains a signal.
            keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &keys);
        }
        write(ENTER);
        Some(Self { before })
    }

    /// Replaces the frame on the screen.
    pub(super) fn show(&self, picture: &str) {
        let lines = picture.lines().map(|line| format!("{line}{END_OF_LINE}")).collect::<Vec<_>>();
        write(&format!("{HOME}{}{END_OF_SCREEN}", lines.join("\r\n")));
    }

    /// Returns a channel of pressed keys; empty if standard input is not a terminal. Its thread
    /// blocks in a read, and ends with the process.
    pub(super) fn keys(&self) -> mpsc::Receiver<u8> {
        let (pressed, keys) = mpsc::channel(16);
        if self.before.is_some() {
            std::thread::spawn(move || {
                for key in io::stdin().lock().bytes() {
                    let Ok(key) = key else { return };
                    if pressed.blocking_send(key).is_err() {
                        return;
                    }
                }
            });
        }
        keys
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        write(LEAVE);
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// Writes text to the terminal. Ignores errors, because they cannot be reported on a
/// closed terminal.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
