//! Headings and links, in the order of the document.

use crate::input::Task;
use crate::output::{Heading, Link};
use crate::text;
use crate::tree::{DOCUMENT, Id, Tree};
use crate::url::Url;

const MOST_HEADINGS: usize = 300;
const LONGEST_TEXT: usize = 300;
const LONGEST_HREF: usize = 2_000;
/// Bytes of all links together; what is over is left out.
const MOST_BYTES: usize = 200_000;
/// Bytes of all headings together.
const MOST_HEADING_BYTES: usize = 100_000;

/// What links are resolved against: a `base` element, itself against the given address.
pub fn base(tree: &Tree, given: Option<&Url>) -> Option<Url> {
    let stated = tree.walk(DOCUMENT).filter(|id| tree.name(*id) == "base").find_map(|id| tree.attribute(id, "href"));
    let stated = stated.map(|href| {
        let url = Url::read(&href.chars().take(LONGEST_HREF).collect::<String>());
        given.map_or(url.clone(), |given| given.resolve(&url))
    });
    stated.filter(Url::is_base).or_else(|| given.cloned())
}

/// The headings that are kept, and how many there are.
pub fn headings(tree: &Tree, in_main: &dyn Fn(Id) -> bool) -> (Vec<Heading>, usize) {
    let (mut kept, mut count, mut bytes) = (Vec::new(), 0usize, 0usize);
    for id in tree.walk(DOCUMENT) {
        let level = match tree.name(id) {
            "h1" => 1,
            "h2" => 2,
            "h3" => 3,
            "h4" => 4,
            "h5" => 5,
            "h6" => 6,
            _ => continue,
        };
        let text = text::line(tree, id, LONGEST_TEXT, &|_| false);
        if text.is_empty() {
            continue;
        }
        count = count.saturating_add(1);
        if kept.len() < MOST_HEADINGS && bytes < MOST_HEADING_BYTES {
            let own_id = tree.attribute(id, "id").map(|id| text::short(id, 200)).filter(|id| !id.is_empty());
            bytes = bytes.saturating_add(text.len()).saturating_add(own_id.as_ref().map_or(0, String::len));
            kept.push(Heading { level, text, id: own_id, in_main: in_main(id) });
        }
    }
    (kept, count)
}

/// The links that are kept, and how many there are.
pub fn links(tree: &Tree, task: &Task, base: Option<&Url>, in_main: &dyn Fn(Id) -> bool) -> (Vec<Link>, usize) {
    let (mut kept, mut count, mut bytes) = (Vec::new(), 0usize, 0usize);
    for id in tree.walk(DOCUMENT) {
        let Some(href) = tree.attribute(id, "href").filter(|_| matches!(tree.name(id), "a" | "area")) else { continue };
        count = count.saturating_add(1);
        if kept.len() >= task.links || bytes > MOST_BYTES {
            continue;
        }
        let link = link(tree, id, href, base, in_main(id));
        bytes = bytes.saturating_add(link.href.len()).saturating_add(link.text.len());
        bytes = bytes.saturating_add(link.url.as_ref().map_or(0, String::len));
        kept.push(link);
    }
    (kept, count)
}

fn link(tree: &Tree, id: Id, href: &str, base: Option<&Url>, in_main: bool) -> Link {
    let href: String = href.chars().filter(|c| !c.is_control()).take(LONGEST_HREF).collect();
    let href = href.trim().to_owned();
    let address = Url::read(&href);
    let url = match base {
        Some(base) => Some(base.resolve(&address)),
        None => address.scheme.is_some().then(|| address.clone()),
    };
    let kind = match url.as_ref().and_then(|url| url.scheme.as_deref()) {
        _ if href.starts_with('#') => "fragment",
        None => "relative",
        Some("http" | "https") => "web",
        Some("mailto") => "mail",
        Some("tel" | "sms") => "phone",
        Some("javascript") => "script",
        Some("data") => "data",
        Some(_) => "other",
    };
    let web = kind == "web" || kind == "fragment";
    let internal = base.filter(|_| web).and_then(|base| Some(base.host() == url.as_ref()?.host()));
    Link { url: url.map(|url| url.text()), text: name(tree, id), rel: rel(tree, id), kind, internal, in_main, href }
}

/// What a link is called: its text, else that of a picture in it, else its title.
fn name(tree: &Tree, id: Id) -> String {
    let text = text::line(tree, id, LONGEST_TEXT, &|_| false);
    if !text.is_empty() {
        return text;
    }
    let inside = tree.walk(id).take(200).filter_map(|id| tree.attribute(id, "alt"));
    let others = [tree.attribute(id, "aria-label"), tree.attribute(id, "title")];
    let mut all = inside.chain(others.into_iter().flatten()).map(|text| text::short(text, LONGEST_TEXT));
    all.find(|text| !text.is_empty()).unwrap_or_default()
}

fn rel(tree: &Tree, id: Id) -> Vec<String> {
    let stated = tree.attribute(id, "rel").unwrap_or_default();
    stated.split_ascii_whitespace().take(10).map(|value| text::short(&value.to_lowercase(), 40)).collect()
}
