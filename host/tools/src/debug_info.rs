//! Removes debug information from a core module: source lines help the plugin's author, but not
//! users of the published plugin.

/// Length of a module's header: magic and version.
const HEADER_BYTES: usize = 8;
/// Id of custom sections, which the engine ignores.
const CUSTOM: u8 = 0;
const PREFIX: &[u8] = b".debug_";

/// Returns the module without its debug sections; function names are kept. `None` if there are no
/// such sections, or the module cannot be parsed.
pub(crate) fn without_debug_info(module: &[u8]) -> Option<Vec<u8>> {
    let mut kept = module.get(..HEADER_BYTES)?.to_vec();
    let mut rest = module.get(HEADER_BYTES..)?;
    let mut found = false;
    while let [id, after @ ..] = rest {
        let (size, body) = read_u32(after)?;
        let (section, next) = body.split_at_checked(usize::try_from(size).ok()?)?;
        let is_debug = *id == CUSTOM && is_debug_section(section);
        found |= is_debug;
        if !is_debug {
            kept.extend_from_slice(rest.get(..rest.len().checked_sub(next.len())?)?);
        }
        rest = next;
    }
    found.then_some(kept)
}

/// Returns whether a custom section has debug information, judged by the name at its start.
fn is_debug_section(section: &[u8]) -> bool {
    read_u32(section).is_some_and(|(_, name)| name.starts_with(PREFIX))
}

/// Reads an unsigned LEB128 number; returns the number and the remaining bytes.
fn read_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0_u32;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        let shift = u32::try_from(at).ok()?.checked_mul(7)?;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at.checked_add(1)?..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module with a function and with custom sections of these names.
    fn module(names: &[&str]) -> Vec<u8> {
        let custom = |name: &&str| format!("(@custom \"{name}\" (after code) \"{}\")", "x".repeat(300));
        let sections: String = names.iter().map(custom).collect();
        wat::parse_str(format!("(module (func (export \"f\") (result i32) (i32.const 7)) {sections})"))
            .expect("a module")
    }

    #[test]
    fn source_lines_go_and_all_else_stays() {
        let with = module(&["producers", ".debug_line", ".debug_info", "other"]);
        assert_eq!(without_debug_info(&with).expect("it has some"), module(&["producers", "other"]));
        assert!(without_debug_info(&module(&["producers"])).is_none());
    }

    #[test]
    fn a_file_without_a_module_is_left_unchanged() {
        let with = module(&[".debug_line"]);
        for length in [0, 7, 9, with.len() - 1] {
            assert!(without_debug_info(with.get(..length).expect("a part")).is_none(), "{length}");
        }
        assert!(read_u32(&[0xff; 5]).is_none());
        assert_eq!(read_u32(&[0xe5, 0x8e, 0x26, 1]), Some((624_485, [1].as_slice())));
    }
}
