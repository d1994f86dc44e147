//! Prepares a component by running its `init`, unless that was done before: a file next to the
//! result records the digests of the component and of the result.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use tollbridge_runtime::{PREPARE_VERSION, PrepareError, prepare};

/// Returns the prepared component. `path` is where the result will be stored; a result of the last
/// build may still be there.
pub(crate) fn prepare_once(component: &[u8], path: &Path) -> Result<Vec<u8>, PrepareError> {
    let note = path.with_extension("prepared");
    let sidecar = |prepared: &[u8]| {
        let digests = [component, prepared].map(|bytes| hex::encode(Sha256::digest(bytes)));
        format!("{PREPARE_VERSION} {}", digests.join(" "))
    };
    if let (Ok(kept), Ok(noted)) = (fs::read(path), fs::read_to_string(&note))
        && noted == sidecar(&kept)
    {
        return Ok(kept);
    }
    let prepared = prepare(component)?;
    // If the record file cannot be written, the next build prepares the component again,
    // which is harmless.
    let _ = fs::write(note, sidecar(&prepared));
    Ok(prepared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(value: u32) -> Vec<u8> {
        let text = format!(
            r#"(component
                (core module $m
                    (global $g (mut i32) (i32.const 0))
                    (func (export "init") (global.set $g (i32.const {value})))
                    (func (export "get") (result i32) (global.get $g)))
                (core instance $i (instantiate $m))
                (func (export "init") (canon lift (core func $i "init")))
                (func (export "get") (result u32) (canon lift (core func $i "get"))))"#
        );
        wat::parse_str(text).expect("a component")
    }

    #[test]
    fn the_same_component_is_prepared_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.wasm");
        let first = prepare_once(&component(1), &path).expect("prepared");
        fs::write(&path, &first).expect("kept");
        let noted = || fs::metadata(path.with_extension("prepared")).and_then(|data| data.modified()).expect("a note");
        let before = noted();
        assert_eq!(prepare_once(&component(1), &path).expect("prepared"), first);
        assert_eq!(noted(), before, "the component was prepared again");
        // Neither another component nor a modified result may match the record.
        assert_ne!(prepare_once(&component(2), &path).expect("prepared"), first);
        fs::write(&path, b"changed").expect("written");
        assert_eq!(prepare_once(&component(1), &path).expect("prepared"), first);
    }
}
