//! What can be referred to by name: schemas with an `$id`, and anchors in them.

use std::collections::BTreeMap;

use jsonschema::uri;
use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    documents::{Documents, NOWHERE},
    keywords,
    limits::PATH_BYTES_MAX,
    plan, shown,
};

/// A document, or a schema in one that has an `$id`.
#[derive(Debug)]
pub struct Resource<'s> {
    /// The number of the document.
    pub document: usize,
    /// Its place there, as a JSON pointer.
    pub pointer: String,
    pub root: &'s Value,
    /// What references in it are relative to.
    pub base: String,
    anchors: Vec<Anchor<'s>>,
}

/// A schema with an `$anchor` or a `$dynamicAnchor`.
#[derive(Debug)]
pub struct Anchor<'s> {
    pub name: &'s str,
    pub schema: &'s Value,
    pub pointer: String,
    pub dynamic: bool,
}

/// All names of a call's schemas.
#[derive(Debug, Default)]
pub struct Names<'s> {
    pub resources: Vec<Resource<'s>>,
    by_uri: BTreeMap<String, usize>,
    /// By the address of the schema that has the `$id`.
    by_root: BTreeMap<usize, usize>,
}

impl<'s> Names<'s> {
    /// Those of what the call brought; the first document is the first resource.
    pub fn of(documents: &Documents<'s>) -> Result<Self, Error> {
        let mut names = Self::default();
        for (number, document) in documents.all().iter().enumerate() {
            let uri = document.uri.as_deref().unwrap_or(NOWHERE);
            names.add(number, document.schema, uri, documents.named(), &document.place)?;
        }
        Ok(names)
    }

    /// The number of the resource of a URI without a fragment.
    pub fn resource(&mut self, documents: &Documents<'s>, uri: &str) -> Option<usize> {
        if let Some(found) = self.by_uri.get(uri) {
            return Some(*found);
        }
        let (number, schema) = documents.of_draft(uri)?;
        self.add(number, schema, uri, true, "").ok()?;
        self.by_uri.get(uri).copied()
    }

    /// The resource that a schema is the root of.
    pub fn rooted(&self, schema: &Value) -> Option<usize> {
        self.by_root.get(&plan::address(schema)).copied()
    }

    /// The anchor of this name in a resource.
    pub fn anchor(&self, resource: usize, name: &str) -> Option<&Anchor<'s>> {
        self.resources.get(resource)?.anchors.iter().find(|anchor| anchor.name == name)
    }

    /// Adds a document, and with `deep` what is named in it. What has a name that was there before is not known by it.
    fn add(&mut self, document: usize, root: &'s Value, uri: &str, deep: bool, place: &str) -> Result<(), Error> {
        let own =
            self.insert(Resource { document, pointer: String::new(), root, base: uri.to_owned(), anchors: Vec::new() });
        let mut waiting = if deep { vec![(root, own, String::new())] } else { Vec::new() };
        while let Some((schema, around, pointer)) = waiting.pop() {
            let resource = self.identify(schema, around, &pointer, place)?;
            for (keyword, dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
                let name = schema.get(keyword).and_then(Value::as_str);
                if let (Some(name), Some(resource)) = (name, self.resources.get_mut(resource)) {
                    resource.anchors.push(Anchor { name, schema, pointer: pointer.clone(), dynamic });
                }
            }
            let held = keywords::held(schema)
                .map(|(keyword, step, inner)| (inner, resource, format!("{pointer}{}", plan::below(keyword, step))));
            let first = waiting.len();
            waiting.extend(held);
            if let Some(new) = waiting.get_mut(first..) {
                new.reverse();
            }
        }
        Ok(())
    }

    /// The resource that a schema belongs to: its own if it has an `$id`.
    fn identify(&mut self, schema: &'s Value, around: usize, pointer: &str, place: &str) -> Result<usize, Error> {
        let Some(id) = schema.get("$id").and_then(Value::as_str) else { return Ok(around) };
        let (document, base) = match self.resources.get(around) {
            Some(outer) => (outer.document, outer.base.as_str()),
            None => (0, NOWHERE),
        };
        let Some(base) = resolve(base, id.trim_end_matches('#')) else {
            let place = shown::cut(&format!("{place}{pointer}/$id"), PATH_BYTES_MAX);
            return Err(Error::invalid(place, "not a URI reference"));
        };
        if let Some(own) = self.resources.get_mut(around).filter(|own| std::ptr::eq(own.root, schema)) {
            own.base.clone_from(&base);
            self.by_uri.entry(base).or_insert(around);
            return Ok(around);
        }
        Ok(self.insert(Resource { document, pointer: pointer.to_owned(), root: schema, base, anchors: Vec::new() }))
    }

    fn insert(&mut self, resource: Resource<'s>) -> usize {
        let number = self.resources.len();
        self.by_uri.entry(resource.base.clone()).or_insert(number);
        self.by_root.insert(plan::address(resource.root), number);
        self.resources.push(resource);
        number
    }
}

/// What a reference means where `base` is the URI around it, in normal form.
pub fn resolve(base: &str, reference: &str) -> Option<String> {
    let base = uri::from_str(base).ok()?;
    uri::resolve_against(&base.borrow(), reference).ok().map(|uri| uri.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::DRAFT;

    #[test]
    fn names_are_found_where_schemas_stand() {
        let root = json!({
            "$id": "https://example.com/x/root",
            "const": {"$id": "https://example.com/no"},
            "$defs": {"a": {"$id": "../y/a", "$anchor": "here", "items": {"$dynamicAnchor": "there"}}},
        });
        let given = BTreeMap::from([("https://EXAMPLE.com/b".to_owned(), json!({"$anchor": "b"}))]);
        let documents = Documents::read(&root, &given).unwrap();
        let mut names = Names::of(&documents).unwrap();
        let a = names.resource(&documents, "https://example.com/y/a").unwrap();
        assert_eq!(names.resources[a].pointer, "/$defs/a");
        assert_eq!(names.rooted(&root["$defs"]["a"]), Some(a));
        assert!(names.anchor(a, "here").is_some_and(|anchor| !anchor.dynamic));
        assert_eq!(names.anchor(a, "there").map(|anchor| anchor.pointer.as_str()), Some("/$defs/a/items"));
        assert!(names.anchor(0, "here").is_none());
        assert_eq!(names.resource(&documents, "https://example.com/x/root"), Some(0));
        assert_eq!(names.resource(&documents, "https://example.com/b"), Some(2));
        assert_eq!(names.resource(&documents, "https://example.com/no"), None);
        assert!(names.resource(&documents, DRAFT).is_some_and(|draft| names.anchor(draft, "meta").is_some()));
    }

    #[test]
    fn references_are_resolved() {
        assert_eq!(resolve("https://example.com/a/b", "../%63").as_deref(), Some("https://example.com/c"));
        assert_eq!(resolve(NOWHERE, "a b"), None);
    }
}
