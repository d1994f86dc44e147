//! A simulated disk. It remembers the writes between syncs, can show any content that a
//! power cut may leave, and fails on request.

use std::io;
use std::sync::{Arc, Mutex};

use tollbridge_store::testing::StorageBackend;

/// The files on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Name {
    Database = 0,
    Journal = 1,
}

/// The content of each file.
pub(crate) type Image = [Vec<u8>; 2];

/// An operation of the engine on a file.
#[derive(Clone, Debug)]
pub(crate) enum FileOperation {
    Write { at: usize, bytes: Vec<u8> },
    SetLen(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) file: Name,
    pub(crate) deed: FileOperation,
}

/// The operations up to one sync, on all files and in order, and the file that was
/// synced; `None` for the last epoch, which is still open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Epoch {
    pub(crate) dirty: Vec<Op>,
    synced: Option<Name>,
}

impl Epoch {
    /// Returns the operations that the sync made durable.
    pub(crate) fn durable(&self) -> impl Iterator<Item = &Op> {
        self.dirty.iter().filter(|op| self.synced == Some(op.file))
    }
}

/// A planned fault. Writes (including length changes) and syncs are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The disk is full: only half of the write with the number `at` arrives. All later
    /// writes fail too, unless `once` is set.
    Write { at: usize, once: bool },
    /// The sync with the number `at` fails, and all later ones too, unless `once` is set.
    /// As on Linux, the unsynced data may never reach the disk although the page cache
    /// shows it.
    Sync { at: usize, once: bool },
}

#[derive(Debug, Default)]
struct State {
    /// Content as programs read it, including unsynced writes.
    now: Image,
    /// One epoch per successful sync; the last is still open.
    epochs: Vec<Epoch>,
    /// Operations that a failed sync may have lost.
    limbo: Vec<Op>,
    writes: usize,
    syncs: usize,
    fault: Option<Fault>,
}

/// The disk; clones share its state.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<State>>);

/// A file on the disk.
#[derive(Debug)]
pub(crate) struct DiskFile {
    disk: Disk,
    name: Name,
}

impl Disk {
    pub(crate) fn new(image: Image, fault: Option<Fault>) -> Self {
        Self(Arc::new(Mutex::new(State { now: image, epochs: vec![Epoch::default()], fault, ..State::default() })))
    }

    pub(crate) fn file(&self, name: Name) -> DiskFile {
        DiskFile { disk: self.clone(), name }
    }

    /// Returns the number of successful syncs so far, which is the number of the open
    /// epoch.
    pub(crate) fn epoch(&self) -> usize {
        self.0.lock().unwrap().epochs.len() - 1
    }

    /// Returns the epochs, the open one last.
    pub(crate) fn epochs(&self) -> Vec<Epoch> {
        self.0.lock().unwrap().epochs.clone()
    }

    /// Returns the operations that a failed sync may have lost.
    pub(crate) fn limbo(&self) -> Vec<Op> {
        self.0.lock().unwrap().limbo.clone()
    }

    /// Returns the number of requested writes and the number of requested syncs.
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
            let FileOperation::Write { bytes, .. } = &mut op.deed else {
                return Err(io::ErrorKind::StorageFull.into());
            };
            bytes.truncate(bytes.len() / 2);
        }
        apply(&mut self.now, &op);
        if let Some(open) = self.epochs.last_mut() {
            open.dirty.push(op);
        }
        if failed { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self, file: Name) -> io::Result<()> {
        let number = self.syncs;
        self.syncs += 1;
        let failed = match self.fault {
            Some(Fault::Sync { at, once: true }) => number == at,
            Some(Fault::Sync { at, once: false }) => number >= at,
            _ => false,
        };
        let Some(open) = self.epochs.last_mut() else { return Ok(()) };
        if failed {
            let (own, others) = std::mem::take(&mut open.dirty).into_iter().partition(|op| op.file == file);
            open.dirty = others;
            self.limbo.extend::<Vec<Op>>(own);
            return Err(io::Error::other("EIO"));
        }
        open.synced = Some(file);
        let dirty = open.dirty.iter().filter(|op| op.file != file).cloned().collect();
        self.epochs.push(Epoch { dirty, synced: None });
        Ok(())
    }
}

/// Applies an operation to an image.
pub(crate) fn apply(image: &mut Image, op: &Op) {
    let image = &mut image[op.file as usize];
    match &op.deed {
        FileOperation::SetLen(length) => image.resize(*length, 0),
        FileOperation::Write { at, bytes } => {
            let end = at + bytes.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*at..end].copy_from_slice(bytes);
        }
    }
}

impl DiskFile {
    fn act(&self, deed: FileOperation) -> io::Result<()> {
        self.disk.0.lock().unwrap().act(Op { file: self.name, deed })
    }
}

impl StorageBackend for DiskFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.0.lock().unwrap().now[self.name as usize].len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.disk.0.lock().unwrap();
        let at = usize::try_from(offset).unwrap();
        let bytes = state.now[self.name as usize].get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.act(FileOperation::SetLen(usize::try_from(len).unwrap()))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.0.lock().unwrap().sync(self.name)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.act(FileOperation::Write { at: usize::try_from(offset).unwrap(), bytes: data.to_vec() })
    }
}
