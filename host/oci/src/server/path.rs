//! Paths below `/v2/`, and the resources that they name.

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::{Digest, PluginId};

use crate::digest::read;

/// The resource that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The registry itself.
    Base,
    /// An endpoint or object of a repository.
    In(PluginId, Part),
    /// A repository with an invalid plugin name.
    OtherRepository,
    /// A path that the distribution specification does not define.
    Nothing,
}

/// An endpoint or object of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The endpoint that starts uploads.
    Uploads,
    /// An upload in progress.
    Upload(String),
    /// A blob.
    Blob(Digest),
    /// A manifest by its tag.
    Tag(String),
    /// A manifest by its digest.
    Manifest(Digest),
    /// The list of all tags.
    Tags,
    /// The list of artifacts attached to a manifest.
    Referrers(Digest),
}

impl Place {
    /// Parses a path.
    pub(crate) fn of(path: &str) -> Self {
        // Some clients escape the colon of a digest; no other escape is needed here.
        let path = path.replace("%3A", ":").replace("%3a", ":");
        let Some(rest) = path.strip_prefix("/v2") else { return Self::Nothing };
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        if rest.is_empty() {
            return Self::Base;
        }
        let parts: Vec<&str> = rest.split('/').collect();
        let Some((part, repository)) = Part::of(&parts) else { return Self::Nothing };
        match repository {
            [folder, name] => {
                let kind = PluginKind::ALL.into_iter().find(|kind| kind.folder() == *folder);
                match (kind, name.parse()) {
                    (Some(kind), Ok(name)) => Self::In(PluginId { kind, name }, part),
                    _ => Self::OtherRepository,
                }
            }
            _ => Self::OtherRepository,
        }
    }
}

impl Part {
    /// Parses the end of a path; returns the part and the preceding segments, which name
    /// the repository.
    fn of<'p>(parts: &'p [&'p str]) -> Option<(Self, &'p [&'p str])> {
        Some(match parts {
            [repository @ .., "blobs", "uploads"] | [repository @ .., "blobs", "uploads", ""] => {
                (Self::Uploads, repository)
            }
            [repository @ .., "blobs", "uploads", id] => (Self::Upload((*id).to_owned()), repository),
            [repository @ .., "blobs", digest] => (Self::Blob(read(digest)?), repository),
            [repository @ .., "manifests", reference] => match read(reference) {
                Some(digest) => (Self::Manifest(digest), repository),
                None => (Self::Tag((*reference).to_owned()), repository),
            },
            [repository @ .., "tags", "list"] => (Self::Tags, repository),
            [repository @ .., "referrers", digest] => (Self::Referrers(read(digest)?), repository),
            _ => return None,
        })
    }
}

/// Returns a repository's name in the form used in paths.
pub(crate) fn repository(id: &PluginId) -> String {
    format!("{}/{}", id.kind.folder(), id.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_what_the_specification_says() {
        let id = PluginId { kind: PluginKind::Bridge, name: "tax".parse().unwrap() };
        let digest = Digest::of(b"x");
        let named = |part: Part| Place::In(id.clone(), part);
        for (path, place) in [
            ("/v2".to_owned(), Place::Base),
            ("/v2/".to_owned(), Place::Base),
            ("/v2/bridges/tax/blobs/uploads/".to_owned(), named(Part::Uploads)),
            ("/v2/bridges/tax/blobs/uploads".to_owned(), named(Part::Uploads)),
            ("/v2/bridges/tax/blobs/uploads/abc".to_owned(), named(Part::Upload("abc".to_owned()))),
            (format!("/v2/bridges/tax/blobs/sha256:{digest}"), named(Part::Blob(digest))),
            (format!("/v2/bridges/tax/blobs/sha256%3A{digest}"), named(Part::Blob(digest))),
            (format!("/v2/bridges/tax/manifests/sha256:{digest}"), named(Part::Manifest(digest))),
            ("/v2/bridges/tax/manifests/1.0.0".to_owned(), named(Part::Tag("1.0.0".to_owned()))),
            ("/v2/bridges/tax/tags/list".to_owned(), named(Part::Tags)),
            (format!("/v2/bridges/tax/referrers/sha256:{digest}"), named(Part::Referrers(digest))),
            ("/v2/library/tax/tags/list".to_owned(), Place::OtherRepository),
            ("/v2/tax/tags/list".to_owned(), Place::OtherRepository),
            ("/v2/bridges/../tags/list".to_owned(), Place::OtherRepository),
            ("/v2/bridges/a/b/tags/list".to_owned(), Place::OtherRepository),
            ("/v2/_catalog".to_owned(), Place::Nothing),
            ("/v2/bridges/tax/blobs/sha512:00".to_owned(), Place::Nothing),
            ("/v1/".to_owned(), Place::Nothing),
        ] {
            assert_eq!(Place::of(&path), place, "{path}");
        }
    }
}
