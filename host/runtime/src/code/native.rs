//! Loads compiled code into the engine; the only module of this project that runs bytes as native
//! code.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use wasmtime::component::Component;
use wasmtime::{Engine, Result};

/// Code that this host's compiler produced: newly compiled, or authenticated by this process. The
/// bytes cannot change afterwards.
pub(crate) struct Authentic<'c>(Code<'c>);

enum Code<'c> {
    Held(Cow<'c, [u8]>),
    Sealed(SealedFile),
}

impl<'c> Authentic<'c> {
    /// Marks bytes as authentic. Call this only with code that has just been compiled.
    pub(crate) fn vouch(bytes: &'c [u8]) -> Self {
        Self(Code::Held(bytes.into()))
    }
}

/// A copy of code that is not authenticated yet.
///
/// If the system supports it, the copy is an in-memory file: its pages are mapped directly, and all
/// instances share them.
pub(crate) enum CodeDraft {
    /// A copy in this process's heap.
    Held(Vec<u8>),
    /// A copy in a file that only this process can access.
    File(File),
}

impl CodeDraft {
    /// Creates an empty copy with room for `length` bytes.
    pub(crate) fn new(length: u64) -> io::Result<Self> {
        if let Some(file) = file_in_memory() {
            return Ok(Self::File(file));
        }
        Ok(Self::Held(Vec::with_capacity(usize::try_from(length).map_err(io::Error::other)?)))
    }

    /// Makes the copy immutable and marks it as authentic. Call this only after authenticating the
    /// bytes that were written to the copy.
    pub(crate) fn vouch(self) -> io::Result<Authentic<'static>> {
        match self {
            Self::Held(bytes) => Ok(Authentic(Code::Held(bytes.into()))),
            Self::File(file) => Ok(Authentic(Code::Sealed(SealedFile::seal(file)?))),
        }
    }
}

impl Write for CodeDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Held(held) => held.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Loads authentic compiled code as a component.
pub(crate) fn load(engine: &Engine, code: &Authentic<'_>) -> Result<Component> {
    match &code.0 {
        Code::Sealed(file) => load_sealed(engine, file),
        // Newly compiled code is also copied to a separate in-memory file.
        Code::Held(bytes) => match sealed_copy(bytes) {
            Some(file) => load_sealed(engine, &file),
            None => load_held(engine, bytes),
        },
    }
}

#[expect(unsafe_code, reason = "wasmtime has no safe function to load compiled code")]
fn load_held(engine: &Engine, bytes: &[u8]) -> Result<Component> {
    // SAFETY: `deserialize` requires unmodified bytes from `Engine::precompile_component`. An
    // `Authentic` value is created only for three kinds of bytes: returned by that function in this
    // process; returned by that function in a child process that runs this program, through a pipe
    // that only the two have; or verified by an HMAC under a key of this host, which computes that
    // HMAC only over such bytes. Held in this process's memory, the bytes do not change. Wasmtime
    // itself rejects code of another version or configuration.
    unsafe { Component::deserialize(engine, bytes) }
}

#[expect(unsafe_code, reason = "wasmtime has no safe function to load compiled code")]
fn load_sealed(engine: &Engine, file: &SealedFile) -> Result<Component> {
    // SAFETY: as in `load_held`. The file contains exactly those bytes, because this process wrote
    // them into it. The file is sealed, so no process can write to it, shorten it or remove the
    // seals. Its path goes through the descriptor held here, so it refers to no other file
    // meanwhile.
    unsafe { Component::deserialize_file(engine, file.path()) }
}

/// An in-memory file that can no longer be changed.
struct SealedFile(OwnedFd);

impl SealedFile {
    fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }

    #[cfg(target_os = "linux")]
    fn seal(file: File) -> io::Result<Self> {
        use rustix::fs::{SealFlags, fcntl_add_seals};

        fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        Ok(Self(file.into()))
    }

    #[cfg(not(target_os = "linux"))]
    fn seal(_: File) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Creates an empty in-memory file; `None` if the system does not support that or the file has no
/// path.
#[cfg(target_os = "linux")]
fn file_in_memory() -> Option<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    let file = File::from(memfd_create("compiled code", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).ok()?);
    // The path goes through /proc, which may not be mounted.
    std::fs::metadata(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn file_in_memory() -> Option<File> {
    None
}

fn sealed_copy(bytes: &[u8]) -> Option<SealedFile> {
    let mut file = file_in_memory()?;
    file.write_all(bytes).ok()?;
    SealedFile::seal(file).ok()
}

#[cfg(test)]
mod tests {
    use tollbridge_plugin::RuntimeLimits;

    use super::*;

    #[test]
    fn code_is_loaded_from_a_file_that_nobody_can_change_or_from_memory() {
        let engine = crate::code::engine::build(&RuntimeLimits { instances: 2, ..Default::default() }).unwrap().0;
        let code = engine.precompile_component(&wat::parse_str("(component)").unwrap()).unwrap();
        load_held(&engine, &code).unwrap();
        let mut draft = CodeDraft::new(code.len() as u64).unwrap();
        draft.write_all(&code).unwrap();
        let Authentic(Code::Sealed(file)) = draft.vouch().unwrap() else { panic!("not in a file") };
        load_sealed(&engine, &file).unwrap();
        let mut again = File::options().write(true).open(file.path()).unwrap();
        assert_eq!(again.write_all(b"x").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(again.set_len(0).is_err() && again.set_len(1 << 20).is_err());
        assert_eq!(std::fs::read(file.path()).unwrap(), code);
    }
}
