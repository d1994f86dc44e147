//! The database's file, with zeros written ahead of where it grows.
//!
//! A sync of what was written where a file had nothing yet must also write where
//! that is now: two or three more waits for the disk in each commit that makes
//! the file grow, which with a ledger is every commit. So it is made to grow some
//! mebibytes at a time, by writing zeros; commits then write over these.
//!
//! Invariant: zeros are only written where nothing ever was.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::os::unix::fs::FileExt;

use parking_lot::Mutex;
use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use rustix::fs::{SeekFrom, seek};

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
    /// Nothing was ever written from here on.
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
        while *end < ahead {
            let most = usize::try_from(ahead - *end).unwrap_or(usize::MAX).min(ZEROS.len());
            if let Err(error) = self.file.write_all_at(ZEROS.get(..most).unwrap_or_default(), *end) {
                tracing::debug!(%error, "the database's file cannot be prepared ahead");
                break;
            }
            *end = end.saturating_add(u64::try_from(most).unwrap_or(0));
        }
        *end = until.max(*end);
        Ok(())
    }
}

/// Behind the last byte that was ever written, as far as the file system tells.
fn end_of_data(file: &File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut end = 0;
    while let Ok(data) = seek(file, SeekFrom::Data(end)) {
        end = seek(file, SeekFrom::Hole(data)).unwrap_or(length);
    }
    Ok(end)
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
