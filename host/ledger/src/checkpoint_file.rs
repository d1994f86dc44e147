//! `CheckpointFile`: signed checkpoints outside the database, one JSON text per line.
//! They reveal a rollback of the database.
//!
//! The file is not synced: a note lost in a power cut is still in the database, and any
//! older note in the file can still reveal a rollback.
//!
//! Invariants: the next note starts on a new line, even if a crash or a full disk
//! truncated the last one; the note with the largest size counts, wherever it is in the
//! file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, SignedCheckpoint};

/// The file of signed checkpoints, identified by its path.
#[derive(Debug)]
pub(crate) struct CheckpointFile {
    path: PathBuf,
}

impl CheckpointFile {
    /// Returns a reference to the file at a path; the file need not exist.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a note.
    ///
    /// # Errors
    /// An I/O error of the file system.
    pub(crate) fn append(&self, signed: &SignedCheckpoint) -> io::Result<()> {
        let mut file = File::options().create(true).read(true).append(true).open(&self.path)?;
        let mut line = Vec::new();
        if !ends_with_line(&mut file)? {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, signed.note())?;
        line.push(b'\n');
        file.write_all(&line)
    }

    /// Returns the checkpoint with the largest size; lines that are not checkpoints are
    /// skipped.
    ///
    /// # Errors
    /// An I/O error of the file system.
    pub(crate) fn largest(&self) -> io::Result<Option<Checkpoint>> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut largest: Option<Checkpoint> = None;
        for line in BufReader::new(file).split(b'\n') {
            let Ok(note) = serde_json::from_slice::<String>(&line?) else { continue };
            let Ok(signed) = SignedCheckpoint::parse(&note) else { continue };
            if largest.as_ref().is_none_or(|largest| signed.checkpoint.size > largest.size) {
                largest = Some(signed.checkpoint);
            }
        }
        Ok(largest)
    }
}

/// Returns whether the file is empty or ends with a newline.
fn ends_with_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{CheckpointSigner, origin_of};

    /// Returns three checkpoints of growing sizes.
    fn checkpoints() -> [SignedCheckpoint; 3] {
        let signer = CheckpointSigner::new(&origin_of("toll.example").unwrap(), &[7; 32]).unwrap();
        [9, 10, 11].map(|size| signer.sign(size, [1; 32]))
    }

    #[test]
    fn a_torn_line_swallows_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::at(&dir.path().join("checkpoints.jsonl"));
        let notes = checkpoints();
        assert!(file.largest().unwrap().is_none());
        file.append(&notes[0]).unwrap();
        let whole = std::fs::read(file.path()).unwrap();
        file.append(&notes[1]).unwrap();
        let longer = std::fs::read(file.path()).unwrap();
        for cut in whole.len()..longer.len() {
            std::fs::write(file.path(), &longer[..cut]).unwrap();
            file.append(&notes[2]).unwrap();
            assert_eq!(file.largest().unwrap().unwrap().size, notes[2].checkpoint.size, "cut at {cut}");
        }
        // Corrupt bytes that are not even UTF-8.
        std::fs::write(file.path(), [&whole[..], b"\xff\xfe"].concat()).unwrap();
        assert_eq!(file.largest().unwrap().unwrap().size, notes[0].checkpoint.size);
    }

    #[test]
    fn the_largest_counts_in_any_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::at(&dir.path().join("checkpoints.jsonl"));
        let notes = checkpoints();
        for at in [2, 0, 1] {
            file.append(&notes[at]).unwrap();
        }
        assert_eq!(file.largest().unwrap().unwrap().size, notes[2].checkpoint.size);
    }
}
