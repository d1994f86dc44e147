//! Checks that every public route is documented.

use std::path::{Path, PathBuf};

/// The crates with public routes.
const CRATES: [&str; 5] = ["http", "routes-accounts", "routes-agents", "routes-models", "web"];

/// Files that may use axum's own `route`: the pages for people, and this test.
const ALLOWED: [&str; 2] = ["routes-accounts/src/pages/", "http/src/router/documented_tests.rs"];

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = Vec::new();
    for name in CRATES {
        rust_files(&root.join(name).join("src"), &mut paths);
    }
    assert!(paths.len() > 100, "only {} files", paths.len());
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
