//! What libraries get here that ask for random bytes: the same bytes each time.
//!
//! The only one that asks seeds the hash tables of `jsonschema`. With a fixed
//! seed what is made when the plugin is built is the same each time, and the same
//! input gives the same output; chosen collisions cost time, which the limits of
//! the call bound. Nothing secret may ever be made from these bytes.
#![allow(unsafe_code, reason = "the hook of `getrandom` is an unsafe function by its definition")]

/// The custom backend of `getrandom` 0.3.
///
/// # Safety
/// `dest` must point to `len` bytes that may be written; `getrandom` calls it so.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(dest: *mut u8, len: usize) -> Result<(), getrandom::Error> {
    // SAFETY: `getrandom` hands over a buffer of exactly `len` bytes.
    unsafe { std::ptr::write_bytes(dest, 0x5a, len) };
    Ok(())
}
