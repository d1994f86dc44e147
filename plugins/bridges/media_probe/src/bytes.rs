//! Reads big-endian numbers and boxes out of bytes. Nothing here fails by a trap: what is not there is none.

/// `N` bytes at `at`.
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

pub fn u8(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

pub fn u16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

pub fn u32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

pub fn u64(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_be_bytes)
}

/// Four characters as text; others than printable ASCII as dots.
pub fn name(kind: [u8; 4]) -> String {
    kind.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' }).collect()
}

/// A box (ISO/IEC 14496-12, 4.2).
#[derive(Debug, Clone, Copy)]
pub struct Atom<'a> {
    pub kind: [u8; 4],
    /// What is there of its contents.
    pub body: &'a [u8],
    /// Where it begins among its siblings.
    pub offset: u64,
    /// What it says its size is, header included.
    pub size: u64,
    /// Whether it says that it is longer than what is there.
    pub cut: bool,
}

/// Boxes one after the other. Ends at the first that is no box.
#[derive(Debug, Clone)]
pub struct Atoms<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What is left, at the end, is no box.
    pub bad: bool,
}

/// The boxes in `bytes`.
pub fn atoms(bytes: &[u8]) -> Atoms<'_> {
    Atoms { bytes, at: 0, bad: false }
}

/// The first box of that kind.
pub fn find<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<Atom<'a>> {
    atoms(bytes).find(|atom| atom.kind == *kind)
}

/// The first box at the end of a path.
pub fn path<'a>(bytes: &'a [u8], kinds: &[&[u8; 4]]) -> Option<&'a [u8]> {
    kinds.iter().try_fold(bytes, |bytes, kind| find(bytes, kind).map(|atom| atom.body))
}

impl<'a> Iterator for Atoms<'a> {
    type Item = Atom<'a>;

    fn next(&mut self) -> Option<Atom<'a>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let (Some(short), Some(kind)) = (u32(rest, 0), array::<4>(rest, 4)) else {
            // QuickTime ends some containers with four zero bytes.
            self.bad = rest.iter().any(|byte| *byte != 0);
            self.at = self.bytes.len();
            return None;
        };
        let (size, header) = match short {
            0 => (rest.len() as u64, 8),
            1 => (u64(rest, 8).unwrap_or(0), 16),
            short => (u64::from(short), 8),
        };
        if size < header as u64 {
            self.bad = true;
            self.at = self.bytes.len();
            return None;
        }
        let there = usize::try_from(size).unwrap_or(usize::MAX).min(rest.len());
        let atom = Atom {
            kind,
            body: rest.get(header..there).unwrap_or_default(),
            offset: self.at as u64,
            size,
            cut: size > rest.len() as u64,
        };
        self.at = self.at.saturating_add(there.max(8));
        Some(atom)
    }
}
