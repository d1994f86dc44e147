//! A terminal that shows one picture after another and hears single keys.
//!
//! Invariant: it is as it was before, however the picture ends, but for a process
//! that is killed.

use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

/// The other screen, without a cursor; and back.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
/// To the upper left corner.
const HOME: &str = "\x1b[H";
/// Clears what is left of a line, and of the screen.
const END_OF_LINE: &str = "\x1b[K";
const END_OF_SCREEN: &str = "\x1b[J";

/// A screen of its own.
pub(super) struct Terminal {
    /// How keys were heard before.
    before: Option<Termios>,
}

impl Terminal {
    /// Takes the screen, if standard output is one.
    pub(super) fn open() -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let before = io::stdin().is_terminal().then(|| tcgetattr(io::stdin()).ok()).flatten();
        if let Some(before) = &before {
            let mut keys = before.clone();
            // Each key at once and unseen; ctrl-c goes on to be a signal.
            keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &keys);
        }
        write(ENTER);
        Some(Self { before })
    }

    /// Shows a picture in the place of the one before.
    pub(super) fn show(&self, picture: &str) {
        let lines = picture.lines().map(|line| format!("{line}{END_OF_LINE}")).collect::<Vec<_>>();
        write(&format!("{HOME}{}{END_OF_SCREEN}", lines.join("\r\n")));
    }

    /// The keys that are pressed from now on; none come from what is no terminal. Its
    /// thread waits in a read, and ends with the process.
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

/// Nobody is told when the terminal is gone.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
