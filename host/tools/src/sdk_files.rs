//! The SDK's sources and the plugin contract, embedded in this binary.

/// The embedded files: path below the repository's root, and text.
pub(crate) const SDK_FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sdk_files.rs"));

/// Returns the files of the plugin contract: path below the contract's folder, and text.
pub(crate) fn contract() -> impl Iterator<Item = (&'static str, &'static str)> {
    SDK_FILES
        .iter()
        .filter(|(path, _)| path.ends_with(".wit"))
        .filter_map(|(path, text)| Some((path.strip_prefix("wit/")?, *text)))
}
