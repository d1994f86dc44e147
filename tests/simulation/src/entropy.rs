//! Seeded randomness for everything in the process that asks the operating system for
//! random bytes: ids, salts, nonces, and the keys of hash maps.
//!
//! Replaces libc's `getrandom`, as the crate `mad-turmoil` does. That crate's generator
//! can be set only once per process; this one is per thread, so that many seeds can run
//! one after another and in parallel.

use std::cell::Cell;
use std::io::Read;

thread_local! {
    /// State of this thread's generator; `None` outside a simulation.
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Seeds this thread's generator; from now on its random values depend only on the seed.
pub(crate) fn seed(seed: u64) {
    STATE.set(Some(seed ^ 0x5eed_0000_5eed_0000));
}

/// Performs one step of SplitMix64.
pub(crate) const fn step(state: u64) -> (u64, u64) {
    let next = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = next;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (next, mixed ^ (mixed >> 31))
}

fn fill(out: &mut [u8]) -> bool {
    let Some(mut state) = STATE.get() else {
        let file = std::fs::File::open("/dev/urandom");
        return file.is_ok_and(|mut file| file.read_exact(out).is_ok());
    };
    for chunk in out.chunks_mut(8) {
        let (next, word) = step(state);
        state = next;
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
    STATE.set(Some(state));
    true
}

/// Replaces libc's function of that name.
///
/// # Safety
///
/// `out` is valid for `length` bytes, as libc demands.
#[expect(unsafe_code, reason = "it is called with a pointer, as libc's is; only this test binary has it")]
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn getrandom(out: *mut u8, length: usize, _flags: u32) -> isize {
    if length == 0 {
        return 0;
    }
    // SAFETY: guaranteed by the caller, as for libc's function.
    let filled = !out.is_null() && fill(unsafe { std::slice::from_raw_parts_mut(out, length) });
    if filled { length.cast_signed() } else { -1 }
}
