//! The functions of a plugin that were running when it stopped, with source files and lines if the
//! component has debug information and the engine reads it.

use tollbridge_plugin::text;
use wasmtime::{FrameInfo, WasmBacktrace};

/// The maximum number of functions in a trace; the author's own functions are among the innermost.
const FRAMES_MAX: usize = 16;
/// The maximum length in bytes of a function name or a file path.
const NAME_BYTES_MAX: usize = 256;

/// Runtime functions that are not the plugin's own code: allocator, panic machinery and host
/// bindings. A report names the functions that called them instead.
const MACHINERY: [&str; 13] = [
    "core::panicking",
    "std::panicking",
    "rust_panic",
    "rust_begin_unwind",
    "__rust_start_panic",
    "panic_abort",
    "core::option",
    "core::result",
    "__rust_end_short_backtrace",
    "__rust_begin_short_backtrace",
    "std::alloc::rust_oom",
    "__rg_oom",
    "handle_alloc_error",
];
/// Name prefixes of functions that are left out of a trace, because they are not the author's.
const AROUND: [&str; 14] = [
    "std::",
    "core::",
    "alloc::",
    "<std::",
    "<core::",
    "<alloc::",
    "__rust",
    "__rdl",
    "dlmalloc",
    "tollbridge_sdk::",
    "<tollbridge_sdk::",
    "cabi_",
    // Functions that the SDK's macro generates inside the author's file.
    "_export_",
    "export_",
];
/// Path fragments of the SDK's source files, in this repository and in a separate project.
const SDK_FILES: [&str; 2] = [".tollbridge/sdk/", "../sdk/src/"];

/// The functions of a plugin that were running when it stopped, innermost first.
#[derive(Debug, Default)]
pub(crate) struct GuestTrace(Vec<GuestFrame>);

/// A function of a plugin that was running when it stopped.
#[derive(Debug, Default, PartialEq, Eq)]
struct GuestFrame {
    name: String,
    /// Source file, line and column, if known.
    place: Option<String>,
}

impl GuestTrace {
    /// Reads the engine's backtrace.
    pub(crate) fn of(backtrace: &WasmBacktrace) -> Self {
        Self(backtrace.frames().iter().flat_map(frames).collect())
    }

    /// Returns the innermost of the author's own functions; if none is known, the innermost
    /// function that is not machinery.
    pub(crate) fn function(&self) -> Option<String> {
        let own = self.0.iter().find(|frame| frame.is_own());
        let found = own.or_else(|| self.0.iter().find(|frame| !frame.is_machinery())).or_else(|| self.0.first());
        found.map(|frame| frame.name.clone()).filter(|name| !name.is_empty())
    }

    /// Returns a line for each of the author's own functions; empty if the functions have no names.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.iter().filter(|frame| frame.is_own()).take(FRAMES_MAX).map(GuestFrame::line).collect()
    }
}

impl GuestFrame {
    fn is_machinery(&self) -> bool {
        MACHINERY.iter().any(|part| self.name.contains(part))
    }

    fn is_own(&self) -> bool {
        let is_of_sdk = self.place.as_ref().is_some_and(|place| SDK_FILES.iter().any(|part| place.contains(part)));
        let is_around = AROUND.iter().any(|start| self.name.starts_with(start));
        !self.name.is_empty() && !self.is_machinery() && !is_around && !is_of_sdk
    }

    fn line(&self) -> String {
        match &self.place {
            Some(place) => format!("at {} ({place})", self.name),
            None => format!("at {}", self.name),
        }
    }
}

/// Returns the frame's function, preceded by the functions that were inlined into it.
fn frames(info: &FrameInfo) -> Vec<GuestFrame> {
    let symbols = info.symbols().iter().map(|symbol| GuestFrame {
        name: demangled(symbol.name().or_else(|| info.func_name()).unwrap_or_default()),
        place: symbol.file().map(|file| place(file, symbol.line(), symbol.column())),
    });
    let symbols: Vec<GuestFrame> = symbols.collect();
    match symbols.is_empty() {
        true => vec![GuestFrame { name: demangled(info.func_name().unwrap_or_default()), place: None }],
        false => symbols,
    }
}

/// Demangles a function name and removes the hash that Rust appends; names from other languages are
/// unchanged.
fn demangled(name: &str) -> String {
    text::clean(&format!("{:#}", rustc_demangle::demangle(name)), NAME_BYTES_MAX)
}

fn place(file: &str, line: Option<u32>, column: Option<u32>) -> String {
    let numbers = [line, column].into_iter().flatten().map(|number| format!(":{number}"));
    let file = text::clean(file, NAME_BYTES_MAX);
    std::iter::once(file).chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(names: &[&str]) -> GuestTrace {
        let frame = |name: &&str| GuestFrame { name: demangled(name), place: None };
        GuestTrace(names.iter().map(frame).collect())
    }

    #[test]
    fn the_authors_own_functions_are_told() {
        let whole = trace(&[
            "__rust_start_panic",
            "core::panicking::panic_bounds_check",
            "weather::deep",
            "<core::option::Option<u8>>::map::<u8>",
            "weather::handle",
            "tollbridge_sdk::glue::answer",
            "handle",
        ]);
        assert_eq!(whole.function().as_deref(), Some("weather::deep"));
        assert_eq!(whole.lines(), ["at weather::deep", "at weather::handle", "at handle"]);
        let of_sdk =
            GuestFrame { name: "handle".to_owned(), place: Some(".tollbridge/sdk/src/export.rs:34:21".to_owned()) };
        let glue = ["std::sys::pal::wasm::common::abort_internal", "_export_handle_cabi<x>", "export_handle"];
        let GuestTrace(mut frames) = trace(&glue);
        frames.extend([of_sdk, GuestFrame { name: "mine::deep".to_owned(), place: None }]);
        let mixed = GuestTrace(frames);
        assert_eq!(
            (mixed.function().as_deref(), mixed.lines()),
            (Some("mine::deep"), vec!["at mine::deep".to_owned()])
        );
        let bare = trace(&["", ""]);
        assert!(bare.function().is_none() && bare.lines().is_empty());
    }

    #[test]
    fn out_of_memory_is_told_of_who_asked_for_it() {
        let oom = trace(&[
            "std::sys::backtrace::__rust_end_short_backtrace::<std::alloc::rust_oom::{closure#0}, !>",
            "__rust_alloc_error_handler",
            "alloc::alloc::handle_alloc_error",
            "weather::hoard",
        ]);
        assert_eq!(oom.lines(), ["at weather::hoard"]);
        assert_eq!(trace(&["core::panicking::panic"]).function().as_deref(), Some("core::panicking::panic"));
    }

    #[test]
    fn a_place_has_what_is_known_of_it() {
        assert_eq!(place("src/lib.rs", Some(3), Some(7)), "src/lib.rs:3:7");
        assert_eq!(place("src/lib.rs", Some(3), None), "src/lib.rs:3");
        let long: Vec<String> = trace(&["f"; 40]).lines();
        assert_eq!(long.len(), FRAMES_MAX);
        let frame = GuestFrame { name: "f".to_owned(), place: Some("a.rs:1".to_owned()) };
        assert_eq!(frame.line(), "at f (a.rs:1)");
    }
}
