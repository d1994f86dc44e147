//! Checkpoints: the size and root of the tree as a C2SP signed note.
//!
//! Invariants: printing a parsed note yields the same bytes; only the exact C2SP form is
//! accepted; the key signs nothing but checkpoints.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use tollbridge_store::Hash;

/// Maximum size of a signed note: our signature and those of many witnesses.
const CHECKPOINT_BYTES_MAX: usize = 16 << 10;
/// Maximum number of signatures on one note; C2SP requires support for at least 16.
const CHECKPOINT_SIGNATURES_MAX: usize = 32;

/// Signature type of Ed25519 in C2SP notes.
const ED25519: u8 = 1;
/// Start of a signature line: em dash and space.
const MARK: &str = "\u{2014} ";

/// The contents of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Name of the ledger.
    pub origin: String,
    /// Number of records that the checkpoint covers.
    pub size: u64,
    /// Root of the Merkle tree over these records.
    pub root: Hash,
}

/// A parsed checkpoint with its signatures, which are not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// The signed checkpoint.
    pub checkpoint: Checkpoint,
    note: String,
    signatures: Vec<NoteSignature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NoteSignature {
    name: String,
    key_id: [u8; 4],
    bytes: Vec<u8>,
}

/// The public half of a checkpoint key; its text form is `name+id+base64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointKey {
    name: String,
    key: VerifyingKey,
}

/// The secret half of a checkpoint key.
pub struct CheckpointSigner {
    name: String,
    key: SigningKey,
}

/// The reason why a note or key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum CheckpointError {
    #[error("the note is not a checkpoint: {0}")]
    Malformed(&'static str),
    #[error("`{0}` is not a key; keys look like host/worm+1a2b3c4d+AQ…")]
    Key(String),
    #[error("`{0}` cannot be the origin of a ledger; use at most 200 bytes without spaces or plus signs")]
    Origin(String),
    #[error("no trusted key has signed the checkpoint")]
    Untrusted,
    #[error("the signature of {name} does not match the checkpoint")]
    BadSignature { name: String },
}

/// Returns the origin of a ledger on a host, for example `example.com/worm`.
pub fn origin_of(host: &str) -> Result<String, CheckpointError> {
    let origin = format!("{host}/worm");
    if !host.is_empty() && is_key_name(&origin) { Ok(origin) } else { Err(CheckpointError::Origin(origin)) }
}

impl Checkpoint {
    /// Returns the signed text, including the final newline.
    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root))
    }
}

impl SignedCheckpoint {
    /// Parses a note in exactly the C2SP form.
    pub fn parse(note: &str) -> Result<Self, CheckpointError> {
        let malformed = CheckpointError::Malformed;
        if note.len() > CHECKPOINT_BYTES_MAX {
            return Err(malformed("the note is too long"));
        }
        if note.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
            return Err(malformed("the note has control characters"));
        }
        let (text, tail) = note.rsplit_once("\n\n").ok_or(malformed("the note has no signatures"))?;
        let tail = tail.strip_suffix('\n').ok_or(malformed("the note does not end in a newline"))?;
        let signatures = tail.split('\n').map(NoteSignature::parse).collect::<Option<Vec<_>>>();
        let signatures = signatures.ok_or(malformed("a signature line is not well formed"))?;
        if signatures.len() > CHECKPOINT_SIGNATURES_MAX {
            return Err(malformed("the note has too many signatures"));
        }
        let [origin, size, root] = <[&str; 3]>::try_from(text.split('\n').collect::<Vec<_>>())
            .map_err(|_| malformed("the text does not have three lines"))?;
        if !is_key_name(origin) {
            return Err(malformed("the origin is malformed"));
        }
        let size = decimal(size).ok_or(malformed("the size is malformed"))?;
        let root = STANDARD.decode(root).ok().and_then(|bytes| Hash::try_from(bytes).ok());
        let root = root.ok_or(malformed("the root is malformed"))?;
        let checkpoint = Checkpoint { origin: origin.to_owned(), size, root };
        Ok(Self { checkpoint, note: note.to_owned(), signatures })
    }

    /// Returns the whole note, with its signatures, as published.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Returns the first of `keys` that signed the note. If a signature that claims to be
    /// by one of `keys` does not verify, the whole note is invalid; signatures of unknown
    /// keys are ignored.
    pub fn verify<'k>(&self, keys: &'k [CheckpointKey]) -> Result<&'k CheckpointKey, CheckpointError> {
        let text = self.checkpoint.text();
        let mut signer = None;
        for signature in &self.signatures {
            let known = keys.iter().find(|key| key.name == signature.name && key.key_id() == signature.key_id);
            let Some(key) = known else { continue };
            let good = Signature::from_slice(&signature.bytes)
                .is_ok_and(|parsed| key.key.verify_strict(text.as_bytes(), &parsed).is_ok());
            if !good {
                return Err(CheckpointError::BadSignature { name: signature.name.clone() });
            }
            signer = signer.or(Some(key));
        }
        signer.ok_or(CheckpointError::Untrusted)
    }
}

impl NoteSignature {
    fn parse(line: &str) -> Option<Self> {
        let (name, data) = line.strip_prefix(MARK)?.split_once(' ')?;
        let data = STANDARD.decode(data).ok()?;
        let (key_id, bytes) = data.split_first_chunk::<4>()?;
        let good = is_key_name(name) && !bytes.is_empty();
        good.then(|| Self { name: name.to_owned(), key_id: *key_id, bytes: bytes.to_vec() })
    }
}

impl CheckpointSigner {
    /// Creates a signer. `seed` must be a secret that has no other use.
    pub fn new(origin: &str, seed: &[u8; 32]) -> Result<Self, CheckpointError> {
        if !is_key_name(origin) {
            return Err(CheckpointError::Origin(origin.to_owned()));
        }
        Ok(Self { name: origin.to_owned(), key: SigningKey::from_bytes(seed) })
    }

    /// Returns the public half of the key.
    pub fn public(&self) -> CheckpointKey {
        CheckpointKey { name: self.name.clone(), key: self.key.verifying_key() }
    }

    /// Signs a tree of this size and root, for this key's origin.
    pub fn sign(&self, size: u64, root: Hash) -> SignedCheckpoint {
        let checkpoint = Checkpoint { origin: self.name.clone(), size, root };
        let text = checkpoint.text();
        let bytes = self.key.sign(text.as_bytes()).to_bytes().to_vec();
        let key_id = self.public().key_id();
        let data = STANDARD.encode([&key_id[..], &bytes].concat());
        let note = format!("{text}\n{MARK}{} {data}\n", self.name);
        SignedCheckpoint {
            checkpoint,
            note,
            signatures: vec![NoteSignature { name: self.name.clone(), key_id, bytes }],
        }
    }
}

impl CheckpointKey {
    /// Creates a key from its name (the origin) and the 32 bytes of the public key.
    pub fn new(name: &str, public: &[u8; 32]) -> Result<Self, CheckpointError> {
        let bad = || CheckpointError::Key(name.to_owned());
        let key = VerifyingKey::from_bytes(public).map_err(|_| bad())?;
        if is_key_name(name) && !key.is_weak() { Ok(Self { name: name.to_owned(), key }) } else { Err(bad()) }
    }

    /// Returns the name of the key, which is the origin of the ledger.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the 32 bytes of the public key.
    pub fn public_bytes(&self) -> [u8; 32] {
        self.key.to_bytes()
    }

    /// Returns the id that names the key in signature lines.
    pub fn key_id(&self) -> [u8; 4] {
        let digest = Sha256::new().chain_update(&self.name).chain_update([b'\n', ED25519]).chain_update(self.key);
        let digest: Hash = digest.finalize().into();
        let [a, b, c, d, ..] = digest;
        [a, b, c, d]
    }
}

impl fmt::Display for CheckpointKey {
    /// Writes `name+id+base64(0x01 || key)`, the format of C2SP tools.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = STANDARD.encode([&[ED25519][..], self.key.as_bytes()].concat());
        write!(f, "{}+{}+{key}", self.name, hex::encode(self.key_id()))
    }
}

impl FromStr for CheckpointKey {
    type Err = CheckpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || CheckpointError::Key(text.to_owned());
        // Split from the left, because the base64 may contain plus signs.
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(_), Some(data)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(bad());
        };
        let data = STANDARD.decode(data).map_err(|_| bad())?;
        let public = data.strip_prefix(&[ED25519]).and_then(|public| <[u8; 32]>::try_from(public).ok());
        let key = Self::new(name, &public.ok_or_else(bad)?).map_err(|_| bad())?;
        if key.to_string() == text { Ok(key) } else { Err(bad()) }
    }
}

/// Returns whether a key name is non-empty and has no spaces, plus signs or control characters.
fn is_key_name(text: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '+';
    (1..=200).contains(&text.len()) && text.chars().all(plain)
}

/// Parses a decimal number without leading zeros.
fn decimal(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example note in the C2SP specification.
    const PUBLISHED: &str = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

    fn signer(seed: u8) -> CheckpointSigner {
        CheckpointSigner::new("example.com/worm", &[seed; 32]).unwrap()
    }

    #[test]
    fn reads_the_published_example() {
        let read = SignedCheckpoint::parse(PUBLISHED).unwrap();
        assert_eq!((read.checkpoint.size, read.note()), (20_852_163, PUBLISHED));
        assert_eq!(read.checkpoint.text(), PUBLISHED.split_once("\n\n").unwrap().0.to_owned() + "\n");
        assert_eq!(read.signatures[0].bytes.len(), 64);
        assert_eq!(read.verify(&[signer(1).public()]), Err(CheckpointError::Untrusted));
    }

    #[test]
    fn signs_what_verifies_and_reads_back() {
        let (signer, key) = (signer(1), signer(1).public());
        let signed = signer.sign(12, [9; 32]);
        assert_eq!(SignedCheckpoint::parse(signed.note()).unwrap(), signed);
        assert_eq!(signed.verify(std::slice::from_ref(&key)), Ok(&key));
        assert_eq!(key.to_string().parse::<CheckpointKey>().unwrap(), key);
        assert_eq!(signed.verify(&[self::signer(2).public()]), Err(CheckpointError::Untrusted));
        assert_eq!(signed.verify(&[]), Err(CheckpointError::Untrusted));
    }

    #[test]
    fn a_known_key_must_verify_and_others_are_ignored() {
        let (ours, theirs) = (signer(1).sign(12, [9; 32]), signer(2).sign(12, [9; 32]));
        let keys = [signer(1).public(), signer(2).public()];
        let their_line = theirs.note().rsplit_once("\n\n").unwrap().1;
        let both = SignedCheckpoint::parse(&format!("{}{their_line}", ours.note())).unwrap();
        assert_eq!(both.verify(&keys[1..]), Ok(&keys[1]));
        assert_eq!(both.verify(&keys), Ok(&keys[0]));
        let other = signer(2).sign(13, [9; 32]);
        let foreign = format!("{}{}", ours.note(), other.note().rsplit_once("\n\n").unwrap().1);
        let foreign = SignedCheckpoint::parse(&foreign).unwrap();
        assert!(foreign.verify(&keys[..1]).is_ok());
        assert!(matches!(foreign.verify(&keys), Err(CheckpointError::BadSignature { .. })));
    }

    #[test]
    fn every_changed_bit_is_refused() {
        let note = signer(1).sign(12, [9; 32]).note().to_owned();
        let keys = [signer(1).public()];
        for position in 0..note.len() {
            for bit in 0..8 {
                let mut changed = note.clone().into_bytes();
                changed[position] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(changed) else { continue };
                let accepted = SignedCheckpoint::parse(&changed).is_ok_and(|read| read.verify(&keys).is_ok());
                assert!(!accepted, "bit {bit} of byte {position}");
            }
        }
    }

    #[test]
    fn refuses_other_forms() {
        let good = signer(1).sign(12, [9; 32]).note().to_owned();
        for (from, to) in [
            ("12\n", "012\n"),
            ("12\n", "+12\n"),
            ("12\n", "12 \n"),
            ("12\n", "12\r\n"),
            ("12\n", "18446744073709551616\n"),
            ("\n\n", "\n"),
            ("\n\n", "\nextension\n\n"),
            ("\u{2014} ", "- "),
            ("=\n\n", "\n\n"),
            ("example.com/worm\n", "\n"),
        ] {
            assert!(good.contains(from), "{from:?}");
            assert!(SignedCheckpoint::parse(&good.replacen(from, to, 1)).is_err(), "{from:?} -> {to:?}");
        }
        assert!(SignedCheckpoint::parse(good.trim_end()).is_err());
        assert!(SignedCheckpoint::parse(&"x".repeat(CHECKPOINT_BYTES_MAX + 1)).is_err());
        for host in ["", "a b", "a+b", "a\u{a0}b", &"x".repeat(300)] {
            assert!(origin_of(host).is_err(), "{host:?}");
        }
        let key = signer(1).public().to_string();
        for bad in ["", "a+b", "a+b+c", &key.replacen("example", "sample", 1), &format!("{key}A")] {
            assert!(bad.parse::<CheckpointKey>().is_err(), "{bad:?}");
        }
    }
}
