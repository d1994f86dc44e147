//! What the document says of itself, as stated: nothing is inferred.

use tollbridge_sdk::serde_json::{self, Value};

use crate::output::{Metadata, Property, Stated};
use crate::text;
use crate::tree::{DOCUMENT, Id, Tree};
use crate::url::Url;

const MOST_OPEN_GRAPH: usize = 100;
const MOST_TWITTER: usize = 50;
/// Bytes of the contents of each of these lists.
const MOST_BYTES: usize = 50_000;
const MOST_TYPES: usize = 50;
const MOST_BLOCKS: usize = 50;
/// JSON-LD values that are looked at.
const MOST_VALUES: usize = 20_000;
const LONGEST: usize = 1_000;

const GRAPHS: &[&str] = &["og:", "article:", "book:", "profile:", "product:", "fb:", "music:", "video:"];
const PUBLISHED: &[&str] = &[
    "article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "dc.date.created",
    "parsely-pub-date",
    "pubdate",
    "publishdate",
    "date",
];
const MODIFIED: &[&str] = &[
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "lastmod",
];

/// The `meta` elements with a name, in order: name in lower case, and content.
fn named(tree: &Tree) -> Vec<(String, String)> {
    let metas = tree.walk(DOCUMENT).filter(|id| tree.name(*id) == "meta");
    let read = |id: Id| {
        let names = ["property", "name", "itemprop", "http-equiv"].into_iter();
        let name = names.filter_map(|name| tree.attribute(id, name)).find(|name| !name.trim().is_empty())?;
        let content = text::short(tree.attribute(id, "content")?, LONGEST);
        (!content.is_empty()).then(|| (text::short(name, 100).to_ascii_lowercase(), content))
    };
    metas.filter_map(read).take(2_000).collect()
}

/// Reads the metadata.
pub fn read(tree: &Tree, base: Option<&Url>) -> Metadata {
    let metas = named(tree);
    let meta = |names: &[&str]| -> Option<String> {
        names.iter().find_map(|name| metas.iter().find(|(own, _)| own == name).map(|(_, content)| content.clone()))
    };
    let linked = linked_data(tree);
    let html = tree.children(DOCUMENT).find(|id| tree.name(*id) == "html");
    let lang = html.and_then(|id| tree.attribute(id, "lang").or_else(|| tree.attribute(id, "xml:lang")));
    let lang = lang.map(|lang| text::short(lang, 40)).filter(|lang| !lang.is_empty());
    let properties = |wanted: &dyn Fn(&str) -> bool, most: usize| {
        let mut bytes = 0usize;
        let all = metas.iter().filter(|(name, _)| wanted(name)).take(most).take_while(|(_, content)| {
            bytes = bytes.saturating_add(content.len());
            bytes <= MOST_BYTES
        });
        all.map(|(property, content)| Property { property: property.clone(), content: content.clone() }).collect()
    };
    Metadata {
        description: meta(&["description", "og:description", "twitter:description", "dc.description"]),
        canonical: canonical(tree, base),
        lang: lang.or_else(|| meta(&["content-language", "og:locale"])),
        author: meta(&["author", "article:author", "dc.creator", "citation_author"]).or(linked.author),
        site_name: meta(&["og:site_name", "application-name"]),
        published: stated(tree, &metas, PUBLISHED, linked.published, "datepublished"),
        modified: stated(tree, &metas, MODIFIED, linked.modified, "datemodified"),
        robots: meta(&["robots"]),
        charset: charset(tree, meta(&["content-type"])),
        open_graph: properties(&|name| GRAPHS.iter().any(|graph| name.starts_with(graph)), MOST_OPEN_GRAPH),
        twitter: properties(&|name| name.starts_with("twitter:"), MOST_TWITTER),
        json_ld_types: linked.types,
        json_ld_broken: linked.broken,
    }
}

fn canonical(tree: &Tree, base: Option<&Url>) -> Option<String> {
    let is = |id: &Id| {
        let rel = tree.attribute(*id, "rel").unwrap_or_default();
        tree.name(*id) == "link" && rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("canonical"))
    };
    let href = tree.walk(DOCUMENT).filter(is).find_map(|id| tree.attribute(id, "href"))?;
    let url = Url::read(&href.chars().take(2_000).collect::<String>());
    Some(base.map_or(url.clone(), |base| base.resolve(&url)).text()).filter(|url| !url.is_empty())
}

fn charset(tree: &Tree, content_type: Option<String>) -> Option<String> {
    let metas = tree.walk(DOCUMENT).filter(|id| tree.name(*id) == "meta").take(2_000);
    let stated = metas.filter_map(|id| tree.attribute(id, "charset")).map(|charset| text::short(charset, 40)).next();
    stated.or_else(|| {
        let (_, charset) = content_type.as_deref()?.split_once("charset=")?;
        Some(text::short(charset.trim_matches(['"', '\'']), 40))
    })
}

/// A date: from JSON-LD, `meta`, a property of an element, or a `time` element for the publication.
fn stated(
    tree: &Tree,
    metas: &[(String, String)],
    names: &[&str],
    linked: Option<Stated>,
    property: &str,
) -> Option<Stated> {
    let meta = || {
        let value = names.iter().find_map(|name| metas.iter().find(|(own, _)| own == name))?;
        Some(Stated { value: value.1.clone(), from: format!("meta {}", value.0) })
    };
    let marked = || {
        let is = |id: &Id| tree.attribute(*id, "itemprop").is_some_and(|own| own.eq_ignore_ascii_case(property));
        let id = tree.walk(DOCUMENT).find(is)?;
        let value = ["datetime", "content"].into_iter().find_map(|name| tree.attribute(id, name));
        let value = value.map_or_else(|| text::line(tree, id, 100, &|_| false), |value| text::short(value, 100));
        let name = if property == "datepublished" { "datePublished" } else { "dateModified" };
        (!value.is_empty()).then(|| Stated { value, from: format!("itemprop {name}") })
    };
    let timed = || {
        let is = |id: &Id| tree.name(*id) == "time" && tree.attribute(*id, "pubdate").is_some();
        let id = tree.walk(DOCUMENT).find(is).filter(|_| property == "datepublished")?;
        Some(Stated { value: text::short(tree.attribute(id, "datetime")?, 100), from: "time pubdate".to_owned() })
    };
    linked.or_else(meta).or_else(marked).or_else(timed)
}

#[derive(Default)]
struct Linked {
    types: Vec<String>,
    broken: usize,
    published: Option<Stated>,
    modified: Option<Stated>,
    author: Option<String>,
}

/// The JSON-LD blocks: types in order, and the first dates and author.
fn linked_data(tree: &Tree) -> Linked {
    let mut linked = Linked::default();
    let is = |id: &Id| {
        let kind = tree.attribute(*id, "type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        tree.name(*id) == "script" && kind.eq_ignore_ascii_case("application/ld+json")
    };
    for id in tree.walk(DOCUMENT).filter(is).take(MOST_BLOCKS) {
        match serde_json::from_str::<Value>(text::raw(tree, id).trim()) {
            Ok(value) => linked.look(&value),
            Err(_) => linked.broken = linked.broken.saturating_add(1),
        }
    }
    linked
}

impl Linked {
    fn look(&mut self, value: &Value) {
        // The last one comes next: children are put in backwards.
        let mut open = vec![value];
        for _ in 0..MOST_VALUES {
            let Some(value) = open.pop() else { return };
            match value {
                Value::Array(items) => open.extend(items.iter().rev().take(MOST_VALUES)),
                Value::Object(members) => {
                    members.get("@type").into_iter().for_each(|kind| self.kind(kind));
                    let text =
                        |name: &str| members.get(name).and_then(Value::as_str).map(|text| text::short(text, 100));
                    let date = |name: &str| Some(Stated { value: text(name)?, from: format!("json-ld {name}") });
                    self.published = self.published.take().or_else(|| date("datePublished"));
                    self.modified = self.modified.take().or_else(|| date("dateModified"));
                    self.author = self.author.take().or_else(|| author(members.get("author")?));
                    open.extend(members.values().rev().filter(|value| value.is_object() || value.is_array()));
                }
                _ => {}
            }
        }
    }

    fn kind(&mut self, kind: &Value) {
        let all = match kind {
            Value::Array(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        };
        for kind in all.into_iter().filter_map(Value::as_str).map(|kind| text::short(kind, 200)) {
            if self.types.len() < MOST_TYPES && !kind.is_empty() && !self.types.contains(&kind) {
                self.types.push(kind);
            }
        }
    }
}

fn author(value: &Value) -> Option<String> {
    let one = value.as_array().and_then(|all| all.first()).unwrap_or(value);
    let name = one.as_str().or_else(|| one.get("name").and_then(Value::as_str))?;
    Some(text::short(name, 200)).filter(|name| !name.is_empty())
}
