//! A disk that remembers what was written between syncs, shows what it would
//! hold after a power cut, and fails when told to.

use std::io;
use std::sync::{Arc, Mutex};

/// What the engine did to the file.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Write { at: usize, bytes: Vec<u8> },
    SetLen(usize),
}

/// What shall go wrong. Writes (and changes of length) and syncs count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No space at this write; half of it arrives. All that follow fail too,
    /// unless `once`.
    Write { at: usize, once: bool },
    /// An error at this sync. As with Linux, what was dirty then may never
    /// reach the disk although the page cache shows it.
    Sync { at: usize, once: bool },
}

#[derive(Debug, Default)]
struct State {
    /// What reads see.
    now: Vec<u8>,
    /// Operations between the syncs that succeeded; the last is still open.
    epochs: Vec<Vec<Op>>,
    /// Operations that a failed sync may have lost.
    limbo: Vec<Op>,
    writes: usize,
    syncs: usize,
    fault: Option<Fault>,
}

/// The disk; clones are the same disk.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<State>>);

impl Disk {
    pub(crate) fn new(image: Vec<u8>, fault: Option<Fault>) -> Self {
        Self(Arc::new(Mutex::new(State { now: image, epochs: vec![Vec::new()], fault, ..State::default() })))
    }

    /// Syncs that succeeded so far: the number of the open epoch.
    pub(crate) fn epoch(&self) -> usize {
        self.0.lock().unwrap().epochs.len() - 1
    }

    /// Operations by epoch, the open one last.
    pub(crate) fn epochs(&self) -> Vec<Vec<Op>> {
        self.0.lock().unwrap().epochs.clone()
    }

    /// Operations that a failed sync may have lost.
    pub(crate) fn limbo(&self) -> Vec<Op> {
        self.0.lock().unwrap().limbo.clone()
    }

    /// Writes and syncs that were asked for.
    pub(crate) fn asked(&self) -> (usize, usize) {
        let state = self.0.lock().unwrap();
        (state.writes, state.syncs)
    }
}

impl State {
    fn act(&mut self, mut op: Op) -> io::Result<()> {
        let number = self.writes;
        self.writes += 1;
        let failed = match self.fault {
            Some(Fault::Write { at, once: true }) => number == at,
            Some(Fault::Write { at, once: false }) => number >= at,
            _ => false,
        };
        if failed {
            let Op::Write { bytes, .. } = &mut op else { return Err(io::ErrorKind::StorageFull.into()) };
            bytes.truncate(bytes.len() / 2);
        }
        apply(&mut self.now, &op);
        if let Some(open) = self.epochs.last_mut() {
            open.push(op);
        }
        if failed { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let number = self.syncs;
        self.syncs += 1;
        let failed = match self.fault {
            Some(Fault::Sync { at, once: true }) => number == at,
            Some(Fault::Sync { at, once: false }) => number >= at,
            _ => false,
        };
        if failed {
            let dirty = self.epochs.last_mut().map(std::mem::take).unwrap_or_default();
            self.limbo.extend(dirty);
            return Err(io::Error::other("EIO"));
        }
        self.epochs.push(Vec::new());
        Ok(())
    }
}

/// Does an operation to an image.
pub(crate) fn apply(image: &mut Vec<u8>, op: &Op) {
    match op {
        Op::SetLen(length) => image.resize(*length, 0),
        Op::Write { at, bytes } => {
            let end = at + bytes.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*at..end].copy_from_slice(bytes);
        }
    }
}

impl redb::StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.0.lock().unwrap();
        let at = usize::try_from(offset).unwrap();
        let bytes = state.now.get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().act(Op::SetLen(usize::try_from(len).unwrap()))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.lock().unwrap().sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().act(Op::Write { at: usize::try_from(offset).unwrap(), bytes: data.to_vec() })
    }
}
