//! What every answer says of the data behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Error, serde_json, tables};

/// A data set behind the answer.
// `T` is `&str` for a constant of a bridge, `String` in a report. No doc: callers would read it in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct Source<T = String> {
    /// The data set, or the package that it is made from.
    pub name: T,
    /// Its version.
    pub version: T,
    /// The day or month it is of; where it has none of its own, the day on which this version was published or was the newest.
    pub as_of: T,
    /// Its licence.
    pub licence: T,
    /// Where it comes from, and what of it is used.
    pub source: T,
}

impl From<Source<&str>> for Source {
    fn from(source: Source<&str>) -> Self {
        let Source { name, version, as_of, licence, source } = source;
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            as_of: as_of.to_owned(),
            licence: licence.to_owned(),
            source: source.to_owned(),
        }
    }
}

impl From<tables::Info> for Source {
    fn from(info: tables::Info) -> Self {
        let tables::Info { name, version, as_of, licence, source, .. } = info;
        Self { name, version, as_of, licence, source }
    }
}

/// The sources that a bridge lists in its `data/sources.json`, given as text.
pub fn listed(json: &str) -> Result<Vec<Source>, Error> {
    serde_json::from_str(json).map_err(|error| Error::internal(format!("data/sources.json: {error}")))
}
