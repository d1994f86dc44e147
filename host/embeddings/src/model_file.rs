//! The file of the model, and its checksum.

use std::fs::File;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The default name of the file.
pub const FILE_NAME: &str = "all-minilm-l6-v2-int8.onnx";
/// The size of the file.
const BYTES: u64 = 22_928_619;
/// The checksum and the name of the file, in the format of `sha256sum`.
const CHECKSUM: &str = include_str!("../model.sha256");

/// The reason why the model cannot be loaded. Callers of the server see the text, so it
/// contains no path.
#[derive(Debug, thiserror::Error)]
pub enum LoadModelError {
    /// The file is missing, or cannot be read.
    #[error("the model file cannot be read ({0})")]
    Unreadable(#[from] std::io::Error),
    /// The file has another size.
    #[error("the model file has {0} bytes instead of {BYTES}")]
    OtherSize(u64),
    /// The file has another checksum.
    #[error("the model file has another checksum than expected")]
    OtherChecksum,
    /// The engine cannot use the file.
    #[error("the engine cannot use the model: {0}")]
    Engine(String),
}

/// Checks that the file exists and has the right size, without reading it.
///
/// # Errors
/// The file is missing, unreadable, or has another size.
pub fn check_presence(path: &Path) -> Result<(), LoadModelError> {
    match File::open(path)?.metadata()?.len() {
        BYTES => Ok(()),
        bytes => Err(LoadModelError::OtherSize(bytes)),
    }
}

/// Checks the size and the checksum of the file.
///
/// # Errors
/// The file cannot be read, or is another one.
pub fn verify(path: &Path) -> Result<(), LoadModelError> {
    read(path).map(drop)
}

/// Reads the file, and checks its size and checksum.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, LoadModelError> {
    check_presence(path)?;
    let bytes = std::fs::read(path)?;
    let checksum = hex::encode(Sha256::digest(&bytes));
    let expected = CHECKSUM.split_whitespace().next();
    if expected == Some(checksum.as_str()) { Ok(bytes) } else { Err(LoadModelError::OtherChecksum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_file_is_read() {
        assert_eq!(CHECKSUM.split_whitespace().nth(1), Some(FILE_NAME));
        let path = std::env::temp_dir().join(format!("tollbridge-model-{}", std::process::id()));
        assert!(matches!(check_presence(&path), Err(LoadModelError::Unreadable(_))));
        std::fs::write(&path, b"short").unwrap();
        assert!(matches!(check_presence(&path), Err(LoadModelError::OtherSize(5))));
        File::create(&path).unwrap().set_len(BYTES).unwrap();
        assert!(check_presence(&path).is_ok());
        assert!(matches!(verify(&path), Err(LoadModelError::OtherChecksum)));
        std::fs::remove_file(&path).unwrap();
    }
}
