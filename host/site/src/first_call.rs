//! The example call for newcomers: the shortest example that this server can answer now.

use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::Snapshot;

/// An example call of a bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstCall {
    /// Name of the bridge.
    pub bridge: String,
    /// Input as JSON. It contains no single quotes, because pages show it between single
    /// quotes.
    pub input: String,
}

impl FirstCall {
    /// Returns the shortest among the first examples of all bridges that can be called
    /// now.
    pub fn of(snapshot: &Snapshot) -> Option<Self> {
        let callable = snapshot.live(PluginKind::Bridge).filter(|offer| snapshot.unmet_need(offer).is_none());
        let calls = callable.filter_map(|offer| {
            let example = offer.plugin.description().examples.first()?;
            Some((offer.name.as_str(), &example.input))
        });
        shortest(calls)
    }

    /// Returns the route of the call.
    pub fn path(&self) -> String {
        format!("/v1/oracle/{}", self.bridge)
    }
}

fn shortest<'a>(calls: impl Iterator<Item = (&'a str, &'a Value)>) -> Option<FirstCall> {
    let calls = calls.map(|(bridge, input)| FirstCall { bridge: bridge.to_owned(), input: input.to_string() });
    calls.filter(|call| !call.input.contains('\'')).min_by_key(|call| call.input.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_shortest_is_shown_unless_it_cannot_be_quoted() {
        let inputs = [("long", json!({ "text": "hello world" })), ("quoted", json!("'")), ("short", json!({ "a": 1 }))];
        let calls = inputs.iter().map(|(name, input)| (*name, input));
        let first = shortest(calls).unwrap();
        assert_eq!((first.path().as_str(), first.input.as_str()), ("/v1/oracle/short", r#"{"a":1}"#));
        assert_eq!(shortest(std::iter::empty()), None);
    }
}
