//! The database's file, with zeros written ahead of where it grows.
//!
//! A sync of what was written where a file had nothing yet must also write where
//! that is now: two or three more waits for the disk in each commit that makes
//! the file grow, which with a ledger is every commit. So it is made to grow some
//! mebibytes at a time, by writing zeros; commits then write over these.
//!
//! Invariant: zeros are only written where zeros are read. What a file system
//! says of its holes tells where to begin, never what may be written over.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::os::unix::fs::FileExt;

use parking_lot::Mutex;
use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use super::StoreError;
use super::redb_engine::fault;

/// How far ahead, bytes.
const AHEAD: u64 = 4 << 20;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// See the module.
#[derive(Debug)]
pub(super) struct PreparedFile {
    inner: FileBackend,
    file: File,
    /// Up to here there is nothing to prepare.
    end: Mutex<u64>,
}

impl PreparedFile {
    pub(super) fn new(file: File) -> Result<Self, StoreError> {
        let doing = "opening the database";
        let end = Mutex::new(end_of_data(&file).map_err(fault(doing))?);
        let own = file.try_clone().map_err(fault(doing))?;
        Ok(Self { file: own, inner: FileBackend::new(file).map_err(fault(doing))?, end })
    }

    /// Writes zeros behind the end where it is to be exceeded. Without room for
    /// them it goes on as it would without.
    fn prepare(&self, until: u64) -> io::Result<()> {
        let mut end = self.end.lock();
        if until <= *end {
            return Ok(());
        }
        let length = self.inner.len()?;
        let ahead = until.saturating_add(AHEAD).min(length);
        let mut found = vec![0; ZEROS.len()];
        while *end < ahead {
            let most = usize::try_from(ahead - *end).unwrap_or(usize::MAX).min(ZEROS.len());
            let (found, zeros) = (found.get_mut(..most).unwrap_or_default(), ZEROS.get(..most).unwrap_or_default());
            let written = self.file.read_exact_at(found, *end).and_then(|()| match found == zeros {
                true => self.file.write_all_at(zeros, *end),
                false => Ok(()),
            });
            if let Err(error) = written {
                tracing::debug!(%error, "the database's file cannot be prepared ahead");
                break;
            }
            *end = end.saturating_add(u64::try_from(most).unwrap_or(0));
        }
        *end = until.max(*end);
        Ok(())
    }
}

/// Behind the last byte that was ever written, as far as the file system tells;
/// the end of the file where it does not.
fn end_of_data(file: &File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut end = 0;
    loop {
        match seek(file, SeekFrom::Data(end)) {
            Ok(data) => end = seek(file, SeekFrom::Hole(data)).unwrap_or(length),
            Err(Errno::NXIO) => return Ok(end),
            Err(_) => return Ok(length),
        }
    }
}

impl StorageBackend for PreparedFile {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut end = self.end.lock();
        self.inner.set_len(len)?;
        *end = len.min(*end);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.prepare(offset.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX)))?;
        self.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    fn open(path: &std::path::Path) -> PreparedFile {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap();
        PreparedFile::new(file).unwrap()
    }

    /// Against a list of bytes, through growth, shrinking and opening again.
    #[test]
    fn zeros_are_written_only_where_nothing_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (mut file, mut model, mut dice) = (open(&path), Vec::<u8>::new(), 7_u64);
        let mut below = |limit: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(dice >> 33).unwrap() % limit
        };
        for round in 0..400_u32 {
            match below(20) {
                0 => {
                    let length = below(24 << 20);
                    model.resize(length, 0);
                    file.set_len(length as u64).unwrap();
                }
                1 => {
                    drop(file);
                    file = open(&path);
                }
                _ if model.is_empty() => {}
                _ => {
                    let offset = below(model.len());
                    let length = below(40_000).min(model.len() - offset);
                    let data = vec![u8::try_from(round % 255).unwrap() + 1; length];
                    file.write(offset as u64, &data).unwrap();
                    model[offset..offset + length].copy_from_slice(&data);
                }
            }
            assert_eq!(file.len().unwrap(), model.len() as u64);
        }
        let mut found = vec![0; model.len()];
        file.read(0, &mut found).unwrap();
        assert!(found == model, "other bytes than were written");
    }

    /// Whatever a file system says of its holes, what is there stays.
    #[test]
    fn what_is_there_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(&folder.path().join("file"));
        file.set_len(8 << 20).unwrap();
        file.inner.write(1_000_000, b"kept").unwrap();
        file.write(0, b"first").unwrap();
        let mut found = [0; 4];
        file.read(1_000_000, &mut found).unwrap();
        assert_eq!(&found, b"kept");
    }

    #[test]
    fn what_comes_next_has_its_place_already() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = open(&path);
        file.set_len(64 << 20).unwrap();
        file.write(10_000, b"data").unwrap();
        let until = 10_004 + AHEAD;
        assert_eq!(*file.end.lock(), until);
        drop(file);
        // The file system counts in blocks.
        let again = *open(&path).end.lock();
        assert!(again >= until && again < until + 65_536, "{again}");
    }
}
