//! Fuzzing of untrusted input: manifests, and paths with references.

use tollbridge_core::artifact_reference::ArtifactReference;
use tollbridge_core::fuzzing::Fuzzer;
use tollbridge_registry::Manifest;

use crate::artifact::{layers_of, small_files};
use crate::manifest::ImageManifest;
use crate::server::Place;

#[test]
fn a_manifest_reads_back_as_it_is_written() {
    Fuzzer::of("oci_manifest").run(|bytes| {
        let Ok(image) = ImageManifest::parse(bytes) else { return };
        assert_eq!(ImageManifest::parse(&image.to_bytes()).unwrap(), image);
        if let Ok((toml, _)) = small_files(&image)
            && let Ok(manifest) = Manifest::parse(toml)
            && let Err(error) = layers_of(&image, &manifest)
        {
            assert!(error.to_string().len() < 4_096, "an endless explanation");
        }
    });
}

#[test]
fn paths_and_references_name_nothing_outside() {
    Fuzzer::of("oci_path").run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        if let Place::In(id, _) = Place::of(text) {
            assert!(!id.name.as_str().contains(['/', '.', '\0']));
        }
        if let Ok(reference) = text.parse::<ArtifactReference>() {
            assert_eq!(reference.to_string().parse::<ArtifactReference>().unwrap(), reference);
        }
    });
}
