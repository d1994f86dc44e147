//! Checks that every public route is documented.

use std::path::{Path, PathBuf};

/// Files that may use axum's own `route`: the pages for people, the admin listener, and this test.
const ALLOWED: [&str; 3] = ["src/pages/", "src/admin.rs", "src/router/documented_tests.rs"];

fn rust_files(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

#[test]
fn no_public_route_goes_without_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    rust_files(&root.join("src"), &mut paths);
    assert!(paths.len() > 50, "only {} files", paths.len());
    for path in paths {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if ALLOWED.iter().any(|allowed| name.starts_with(allowed)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for call in [".route(", ".route_service(", ".nest_service(", ".api_route("] {
            assert!(!text.contains(call), "{name} uses {call}: register the route with `Routes` and an `Operation`");
        }
    }
}
